//! Torus words: their digits on the way in, their rounding on the way out.

use super::Fft;
use super::operations::{AddTo, DigitsOf, Forward, Inverse};
use super::passes::InPlace;
use super::vector::Vector;
use crate::Error;
use crate::monomial::WrappingWord;

/// A torus element `x/2^BITS`, as a word: [`u32`] or [`u64`].
pub trait Torus: Word + WrappingWord {}
impl Torus for u32 {}
impl Torus for u64 {}

/// A word of the torus, as the kernels read and write it.
pub trait Word: Copy + Send + Sync + 'static {
    /// Bits of the word.
    const BITS: u32;
    /// The word read as a signed integer, rounded to a double.
    #[doc(hidden)]
    fn to_f64(self) -> f64;
    /// The transform of one digit. The lengths were checked, here and in `run_inverse_add`; both are compiled in this
    /// crate, once for each word.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn run_forward_digit(fft: &Fft, out: &mut [f64], x: &[Self], e: &Extraction);
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn run_inverse_add(fft: &Fft, acc: &mut [Self], x: &mut [f64], r: &Rounding);
    #[doc(hidden)]
    #[allow(private_bounds, private_interfaces)]
    /// # Safety
    /// That of [`Vector`].
    unsafe fn digit<V: Vector>(x: *const Self, e: &Extraction) -> V;
    #[doc(hidden)]
    #[allow(private_bounds, private_interfaces)]
    /// # Safety
    /// That of [`Vector`].
    unsafe fn difference_digit<V: Vector>(x: *const Self, minus: *const Self, negate: bool, e: &Extraction) -> V;
    #[doc(hidden)]
    #[allow(private_bounds, private_interfaces)]
    /// # Safety
    /// That of [`Vector`].
    unsafe fn add_rounded<V: Vector>(acc: *mut Self, x: V, r: &Rounding);
}

impl Word for u32 {
    const BITS: u32 = 32;

    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self as i32)
    }

    #[allow(private_interfaces)]
    fn run_forward_digit(fft: &Fft, out: &mut [f64], x: &[Self], e: &Extraction) {
        let src = DigitsOf { x: x.as_ptr(), half: fft.n() / 2, extraction: *e };
        // SAFETY: the lengths were checked.
        unsafe { fft.run(Forward { fft, src, out: InPlace(out.as_mut_ptr()) }) };
    }

    #[allow(private_interfaces)]
    fn run_inverse_add(fft: &Fft, acc: &mut [Self], x: &mut [f64], r: &Rounding) {
        let out = AddTo { acc: acc.as_mut_ptr(), half: fft.n() / 2, rounding: *r };
        // SAFETY: the lengths were checked.
        unsafe { fft.run(Inverse { fft, x: InPlace(x.as_mut_ptr()), out }) };
    }

    #[inline(always)]
    #[allow(private_bounds, private_interfaces)]
    unsafe fn digit<V: Vector>(x: *const Self, e: &Extraction) -> V {
        // SAFETY: the caller's contract; likewise below.
        unsafe { V::digit_u32(x, e) }
    }

    #[inline(always)]
    #[allow(private_bounds, private_interfaces)]
    unsafe fn difference_digit<V: Vector>(x: *const Self, minus: *const Self, negate: bool, e: &Extraction) -> V {
        // SAFETY: as above.
        unsafe { V::difference_digit_u32(x, minus, negate, e) }
    }

    #[inline(always)]
    #[allow(private_bounds, private_interfaces)]
    unsafe fn add_rounded<V: Vector>(acc: *mut Self, x: V, r: &Rounding) {
        // SAFETY: as above.
        unsafe { x.add_to_u32(acc, r) }
    }
}

impl Word for u64 {
    const BITS: u32 = 64;

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self as i64 as f64
    }

    #[allow(private_interfaces)]
    fn run_forward_digit(fft: &Fft, out: &mut [f64], x: &[Self], e: &Extraction) {
        let src = DigitsOf { x: x.as_ptr(), half: fft.n() / 2, extraction: *e };
        // SAFETY: the lengths were checked.
        unsafe { fft.run(Forward { fft, src, out: InPlace(out.as_mut_ptr()) }) };
    }

    #[allow(private_interfaces)]
    fn run_inverse_add(fft: &Fft, acc: &mut [Self], x: &mut [f64], r: &Rounding) {
        let out = AddTo { acc: acc.as_mut_ptr(), half: fft.n() / 2, rounding: *r };
        // SAFETY: the lengths were checked.
        unsafe { fft.run(Inverse { fft, x: InPlace(x.as_mut_ptr()), out }) };
    }

    #[inline(always)]
    #[allow(private_bounds, private_interfaces)]
    unsafe fn digit<V: Vector>(x: *const Self, e: &Extraction) -> V {
        // SAFETY: as above.
        unsafe { V::digit_u64(x, e) }
    }

    #[inline(always)]
    #[allow(private_bounds, private_interfaces)]
    unsafe fn difference_digit<V: Vector>(x: *const Self, minus: *const Self, negate: bool, e: &Extraction) -> V {
        // SAFETY: as above.
        unsafe { V::difference_digit_u64(x, minus, negate, e) }
    }

    #[inline(always)]
    #[allow(private_bounds, private_interfaces)]
    unsafe fn add_rounded<V: Vector>(acc: *mut Self, x: V, r: &Rounding) {
        // SAFETY: as above.
        unsafe { x.add_to_u64(acc, r) }
    }
}

/// A signed decomposition: `levels` digits in base `B = 2^log2_base` of the `levels·log2_base` leading bits of a torus
/// word.
///
/// The word is first rounded to the closest multiple of `2^(BITS − levels·log2_base)` (upwards at ties); its digits
/// `d_1, …, d_levels`, each in `[−B/2, B/2)`, are the only ones with `Σ_j d_j·2^(BITS − j·log2_base) ≡` that multiple
/// modulo `2^BITS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digits {
    /// log2 of the base.
    pub log2_base: u32,
    /// How many digits.
    pub levels: u32,
}

impl Digits {
    /// Widest digits supported: they are exact in a double with room for the transform.
    pub const MAX_LOG2_BASE: u32 = 40;

    /// Checks that the digits exist in a word.
    ///
    /// # Errors
    /// [`Error::BadDigits`] unless `1 ≤ log2_base ≤ 40`, `levels ≥ 1` and `levels·log2_base ≤ BITS`.
    pub fn validate<T: Torus>(self) -> Result<Self, Error> {
        let Self { log2_base, levels } = self;
        let bits = u64::from(log2_base) * u64::from(levels);
        if log2_base == 0 || log2_base > Self::MAX_LOG2_BASE || levels == 0 || bits > u64::from(T::BITS) {
            return Err(Error::BadDigits { log2_base, levels, torus_bits: T::BITS });
        }
        Ok(self)
    }

    /// The constant that is added to a word so that its bit fields are the digits plus `B/2`: half a unit of the last
    /// place kept, and `B/2` in each place.
    fn offset(self, bits: u32) -> u64 {
        let unit = |level: u32| 1u64 << (bits - level * self.log2_base);
        let centres = (1..=self.levels).map(|level| unit(level) << (self.log2_base - 1));
        centres.fold(unit(self.levels) >> 1, u64::wrapping_add)
    }

    /// How to extract digit `level`, from 1 (the most significant) to `levels`.
    pub(super) fn extraction<T: Torus>(self, level: u32) -> Extraction {
        let base = 1u64 << self.log2_base;
        Extraction {
            offset: self.offset(T::BITS),
            shift: T::BITS - level * self.log2_base,
            mask: base - 1,
            centre: INTEGER_BIT as f64 + (base / 2) as f64,
        }
    }
}

/// `2^52`: doubles from here to its double are the integers.
const INTEGER_BIT: u64 = 1 << 52;

/// The constants of one digit: `((x + offset) >> shift & mask) − B/2`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extraction {
    pub offset: u64,
    pub shift: u32,
    pub mask: u64,
    /// `2^52 + B/2`.
    pub centre: f64,
}

impl Extraction {
    /// The bits of `2^52`, into whose mantissa a field is put.
    pub(super) const EXPONENT: u64 = (INTEGER_BIT as f64).to_bits();

    /// The digit of a word to which the offset was added.
    #[inline(always)]
    pub(super) fn digit(&self, x: u64) -> f64 {
        f64::from_bits(x >> self.shift & self.mask | Self::EXPONENT) - self.centre
    }
}

/// The constants of the rounding of `y/m` to an integer modulo `2^BITS`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounding {
    /// `2^-BITS/m`.
    pub inv_modulus: f64,
    /// `2^BITS·m`.
    pub modulus: f64,
    /// `1/m`.
    pub inv_m: f64,
}

impl Rounding {
    /// Added to `|y| < 2^51`, rounds to the nearest integer, ties to even, which the low bits of the sum hold modulo
    /// `2^52`.
    pub(super) const MAGIC: f64 = 1.5 * INTEGER_BIT as f64;
    /// `2^32`.
    pub(super) const TWO_32: f64 = 4_294_967_296.0;

    pub(super) fn new<T: Torus>(m: usize) -> Self {
        Self::in_units::<T>(m, 0)
    }

    /// For `y` in units of `2^log2_unit`.
    pub(super) fn in_units<T: Torus>(m: usize, log2_unit: u32) -> Self {
        let (bits, m) = (T::BITS as i32, m as f64 * 0.5f64.powi(log2_unit as i32));
        // Powers of two: exact.
        Self { inv_modulus: 0.5f64.powi(bits) / m, modulus: 2f64.powi(bits) * m, inv_m: 1.0 / m }
    }

    /// `y − m·2^BITS·k`, exactly, with `k` the nearest integer to `y/(m·2^BITS)`.
    #[inline(always)]
    fn reduce(&self, y: f64) -> f64 {
        let k = y.mul_add(self.inv_modulus, Self::MAGIC) - Self::MAGIC;
        (-k).mul_add(self.modulus, y)
    }

    #[inline(always)]
    pub(super) fn to_integer_32(self, y: f64) -> u32 {
        self.reduce(y).mul_add(self.inv_m, Self::MAGIC).to_bits() as u32
    }

    #[inline(always)]
    pub(super) fn to_integer_64(self, y: f64) -> u64 {
        let y = self.reduce(y) * self.inv_m;
        // |y| ≤ 2^63: two halves of 32 bits, the second signed; the sum rounds as y would.
        let high = y.mul_add(1.0 / Self::TWO_32, Self::MAGIC);
        let low = (high - Self::MAGIC).mul_add(-Self::TWO_32, y) + Self::MAGIC;
        (high.to_bits() << 32).wrapping_add(low.to_bits().wrapping_sub(Self::MAGIC.to_bits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recompose<T: Torus>(digits: Digits, x: u64) -> (u64, Vec<i64>) {
        let values: Vec<i64> = (1..=digits.levels)
            .map(|level| {
                let e = digits.extraction::<T>(level);
                let word = x.wrapping_add(e.offset);
                e.digit(if T::BITS == 32 { word & 0xffff_ffff } else { word }) as i64
            })
            .collect();
        let sum = values.iter().zip(1..).fold(0u64, |sum, (&d, level)| {
            sum.wrapping_add((d as u64).wrapping_shl(T::BITS - level * digits.log2_base))
        });
        (if T::BITS == 32 { sum & 0xffff_ffff } else { sum }, values)
    }

    fn check<T: Torus>(log2_base: u32, levels: u32) {
        let digits = Digits { log2_base, levels }.validate::<T>().expect("fits");
        let bits = T::BITS;
        let (unit, half) = (bits - log2_base * levels, 1i64 << (log2_base - 1));
        let mask = u64::MAX >> (64 - bits);
        let mut x = 1u64;
        for i in 0..10_000u64 {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(i | 1);
            // Edges too: around multiples of half a unit.
            let x = (if i % 3 == 0 { (x >> (unit / 2)) << (unit / 2) } else { x }) & mask;
            let (sum, values) = recompose::<T>(digits, x);
            let round = if unit == 0 { x } else { x.wrapping_add(1 << (unit - 1)) & mask & !((1 << unit) - 1) };
            assert_eq!(sum, round, "{digits:?} {x:x}");
            assert!(values.iter().all(|&d| -half <= d && d < half));
        }
    }

    #[test]
    fn digits_recompose_to_the_closest_multiple() {
        for (log2_base, levels) in [(7, 3), (8, 4), (10, 2), (1, 32), (16, 2), (23, 1), (32, 1)] {
            check::<u32>(log2_base, levels);
            check::<u64>(log2_base, levels);
        }
        check::<u64>(3, 21);
        check::<u64>(8, 8);
        assert!(Digits { log2_base: 8, levels: 5 }.validate::<u32>().is_err());
        assert!(Digits { log2_base: 0, levels: 5 }.validate::<u32>().is_err());
        assert!(Digits { log2_base: 41, levels: 1 }.validate::<u64>().is_err());
    }

    #[test]
    fn rounding_is_modulo_the_torus() {
        let (r32, r64) = (Rounding::new::<u32>(8), Rounding::new::<u64>(8));
        for (value, times) in [(5i64, 0i64), (-5, 3), (i64::from(i32::MAX), -7), (-(1 << 31), 1), (0, 1 << 30)] {
            let y = 8.0 * (value as f64 + times as f64 * 2f64.powi(32));
            assert_eq!(r32.to_integer_32(y), value as u32);
        }
        for (value, times) in [(5i64, 0i64), (-5, 0), (1 << 62, -7), (i64::MIN, 1), (-(1 << 61) - (1 << 20), 12)] {
            let y = 8.0 * (value as f64 + times as f64 * 2f64.powi(64));
            assert_eq!(r64.to_integer_64(y), value as u64);
        }
        // Nearest, ties to even.
        for (y, nearest) in
            [(2.5, 2i64), (3.5, 4), (-2.5, -2), (2.49, 2), (-2.51, -3), (4_294_967_297.5, 4_294_967_298)]
        {
            assert_eq!(r32.to_integer_32(8.0 * y), nearest as u32);
            assert_eq!(r64.to_integer_64(8.0 * y), nearest as u64);
        }
    }
}
