//! Steps of the carry on signed words.

use crate::Error;
#[cfg(target_arch = "x86_64")]
use crate::simd::Level;
use crate::simd::Simd;

/// A base `2^K`, and the backend that its kernels run on.
///
/// ```
/// use everlevel_math::base2k::Base;
///
/// // 100·2^-8 + 200·2^-16, from the least significant limb upwards: 200 is −56 and a carry.
/// let base = Base::new(8)?;
/// let (mut carry, mut digits) = ([0], [[0], [0]]);
/// base.step(&mut digits[1], &[200], &mut carry, 0);
/// base.step(&mut digits[0], &[100], &mut carry, 0);
/// assert_eq!((digits, carry), ([[101], [-56]], [0]));
/// # Ok::<(), everlevel_math::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Base {
    log2: u32,
    simd: Simd,
}

/// The step of a carry: base and shift.
#[derive(Clone, Copy)]
struct Step {
    log2: u32,
    shift: u32,
}

impl Step {
    /// The digit of `x·2^shift + carry`, and its carry.
    #[inline(always)]
    fn of(self, x: i64, carry: i64) -> (i64, i64) {
        let (low, rest) = split(x, self.log2 - self.shift);
        let (digit, above) = split((low << self.shift) + carry, self.log2);
        (digit, rest + above)
    }
}

/// `x = low + rest·2^bits` with the balanced `low`.
#[inline(always)]
fn split(x: i64, bits: u32) -> (i64, i64) {
    let low = (x << (64 - bits)) >> (64 - bits);
    (low, (x >> bits) + ((low as u64) >> 63) as i64)
}

/// `x = low + rest·2^bits` with the balanced `low`, for sums of more than a word.
pub fn split_wide(x: i128, bits: u32) -> (i128, i128) {
    let low = (x << (128 - bits)) >> (128 - bits);
    (low, (x - low) >> bits)
}

/// The step of a carry that multiplies limbs by a word.
#[derive(Clone, Copy)]
struct Times {
    log2: u32,
    word: i64,
}

/// Factors below `2^41` in size: their products with a third of a limb's bits are words.
const SMALL_FACTOR: u64 = 1 << 41;

impl Times {
    /// The digit of `x·word + carry` for a small factor, and its carry: by `x = x0 + x1·2^B + x2·2^2B` for the third
    /// `B` of `K`, rounded up, so that `2B ≤ K`. Each of three sums is below `2^63`: products below `2^62`, a digit
    /// below `2^61` and a carry below `2^42`.
    #[inline(always)]
    fn of_small(self, x: i64, carry: i64) -> (i64, i64) {
        let Self { log2, word } = self;
        let third = log2.div_ceil(3);
        let mask = (1i64 << third) - 1;
        let [p0, p1, p2] = [x & mask, (x >> third) & mask, x >> (2 * third)].map(|part| part.wrapping_mul(word));
        let low = p0 + carry;
        let sum = low.wrapping_add(p1 << third).wrapping_add(p2 << (2 * third));
        let digit = (sum << (64 - log2)) >> (64 - log2);
        // What is left is a multiple of 2^K: every shift is exact.
        let above = ((low - digit) >> third) + p1;
        (digit, ((above >> third) + p2) >> (log2 - 2 * third))
    }

    /// The digit of `x·word + carry` for any factor, and its carry.
    #[inline(always)]
    fn of(self, x: i64, carry: i64) -> (i64, i64) {
        let (digit, above) = split_wide(i128::from(x) * i128::from(self.word) + i128::from(carry), self.log2);
        (digit as i64, above as i64)
    }
}

impl Base {
    /// The base `2^log2` on the best backend of this CPU.
    ///
    /// # Errors
    /// [`Error::BadBase`] unless `log2` is in `2..=62`.
    pub fn new(log2: u32) -> Result<Self, Error> {
        Self::with_simd(log2, Simd::best())
    }

    /// The base on a chosen backend.
    ///
    /// # Errors
    /// As [`Base::new`].
    pub fn with_simd(log2: u32, simd: Simd) -> Result<Self, Error> {
        if (2..=62).contains(&log2) { Ok(Self { log2, simd }) } else { Err(Error::BadBase { log2_base: log2 }) }
    }

    /// log2 of the base: `K`.
    pub fn log2(self) -> u32 {
        self.log2
    }

    /// The backend.
    pub fn simd(self) -> Simd {
        self.simd
    }

    /// The balanced digits of `x_i·2^shift + carry_i`, and their carries. Words may be any, or `±2^62` at most with a
    /// shift.
    ///
    /// # Panics
    /// If lengths differ, or the shift is `K` or more.
    pub fn step(self, out: &mut [i64], x: &[i64], carry: &mut [i64], shift: u32) {
        assert!(out.len() == x.len() && carry.len() == x.len() && shift < self.log2);
        let step = Step { log2: self.log2, shift };
        match self.simd.0 {
            // SAFETY: the function needs AVX-512, which `Simd::available` detected before it made a `Simd` of this
            // level.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma => unsafe { step_avx512(step, out, x, carry) },
            // SAFETY: the function needs AVX2, which `Simd::available` detected before it made a `Simd` of this level.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { step_avx2(step, out, x, carry) },
            _ => run(step, out, x, carry),
        }
    }

    /// The balanced digits of `x_i·word + carry_i`, and their carries, of normalised limbs and the carries of such
    /// steps: those are at most the factor in size, and one.
    ///
    /// # Panics
    /// If lengths differ.
    pub fn step_times(self, out: &mut [i64], x: &[i64], word: i64, carry: &mut [i64]) {
        assert!(out.len() == x.len() && carry.len() == x.len());
        let times = Times { log2: self.log2, word };
        match self.simd.0 {
            _ if word.unsigned_abs() >= SMALL_FACTOR => {
                for ((out, &x), carry) in out.iter_mut().zip(x).zip(carry) {
                    (*out, *carry) = times.of(x, *carry);
                }
            }
            // SAFETY: the function needs AVX-512, which `Simd::available` detected before it made a `Simd` of this
            // level.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma => unsafe { times_avx512(times, out, x, carry) },
            _ => run_times(times, out, x, carry),
        }
    }

    /// [`Base::step`] of a limb that is 0: the digits of the carries, and what is carried on.
    ///
    /// # Panics
    /// If lengths differ.
    pub fn step_zero(self, out: &mut [i64], carry: &mut [i64]) {
        assert_eq!(out.len(), carry.len());
        for (out, carry) in out.iter_mut().zip(carry) {
            (*out, *carry) = split(*carry, self.log2);
        }
    }
}

#[inline(always)]
fn run(step: Step, out: &mut [i64], x: &[i64], carry: &mut [i64]) {
    for ((out, &x), carry) in out.iter_mut().zip(x).zip(carry) {
        (*out, *carry) = step.of(x, *carry);
    }
}

#[inline(always)]
fn run_times(times: Times, out: &mut [i64], x: &[i64], carry: &mut [i64]) {
    for ((out, &x), carry) in out.iter_mut().zip(x).zip(carry) {
        (*out, *carry) = times.of_small(x, *carry);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn times_avx512(times: Times, out: &mut [i64], x: &[i64], carry: &mut [i64]) {
    run_times(times, out, x, carry);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn step_avx512(step: Step, out: &mut [i64], x: &[i64], carry: &mut [i64]) {
    run(step, out, x, carry);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn step_avx2(step: Step, out: &mut [i64], x: &[i64], carry: &mut [i64]) {
    run(step, out, x, carry);
}
