//! Words of the torus, and the form in which transformed keys are kept.

use everlevel_math::fft;
use everlevel_math::monomial::WrappingWord;

/// A torus element in a ring: `u32` or `u64`. Everywhere else torus elements are the leading bits of a `u64`.
pub trait TorusWord:
    fft::Factor<Key: bytemuck::Pod + std::fmt::Debug> + WrappingWord + bytemuck::Pod + Default + PartialEq + std::fmt::Debug
{
    /// The leading bits of `x`, cut off.
    fn from_leading(x: u64) -> Self;
    /// As leading bits.
    fn to_leading(self) -> u64;
    /// An integer modulo `2^BITS`.
    fn from_integer(x: i64) -> Self;
    /// The word as a signed integer.
    fn to_integer(self) -> i64;
    /// `self + other`.
    fn add(self, other: Self) -> Self;
    /// `self·2^shift`.
    fn shifted(self, shift: u32) -> Self;
    /// The unit in which transformed keys of degree `n` are stored, log2.
    fn log2_key_unit(n: usize) -> u32;
    /// A value of a transform as a word of a key of degree `n`.
    fn to_key(x: f64, n: usize) -> Self::Key;
}

/// 32-bit words: transformed keys are kept as 32-bit integers, which loses less than their errors hide and halves what
/// a bootstrap reads.
impl TorusWord for u32 {
    fn from_leading(x: u64) -> Self {
        (x >> 32) as u32
    }
    fn to_leading(self) -> u64 {
        u64::from(self) << 32
    }
    fn from_integer(x: i64) -> Self {
        x as u32
    }
    fn to_integer(self) -> i64 {
        i64::from(self as i32)
    }
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    fn shifted(self, shift: u32) -> Self {
        self << shift
    }
    fn log2_key_unit(n: usize) -> u32 {
        log2_key_unit(n)
    }
    /// Saturates: values outside the range don't occur (see `PACKED_RANGE`).
    fn to_key(x: f64, n: usize) -> i32 {
        (x * 0.5f64.powi(Self::log2_key_unit(n) as i32)).round() as i32
    }
}

impl TorusWord for u64 {
    fn from_leading(x: u64) -> Self {
        x
    }
    fn to_leading(self) -> u64 {
        self
    }
    fn from_integer(x: i64) -> Self {
        x as u64
    }
    fn to_integer(self) -> i64 {
        self as i64
    }
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    fn shifted(self, shift: u32) -> Self {
        self << shift
    }
    fn log2_key_unit(_: usize) -> u32 {
        0
    }
    fn to_key(x: f64, _: usize) -> f64 {
        x
    }
}

/// log2 of the unit in which transformed keys of a 32-bit torus are stored as 32-bit integers: the smallest power of
/// two for which `PACKED_RANGE` standard deviations of the transform of a uniform polynomial, `2^32·√(n/24)` each,
/// are in range.
pub fn log2_key_unit(n: usize) -> u32 {
    (2.0 * PACKED_RANGE * (n as f64 / 24.0).sqrt()).log2().ceil() as u32
}

/// Standard deviations of a transformed key that its stored form holds. Larger values have probability `2^-69`, and
/// there are fewer than `2^30` of them in a key.
const PACKED_RANGE: f64 = 9.5;
