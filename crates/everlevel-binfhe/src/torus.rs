//! The words of the torus, and where keys are stored.

use everlevel_math::fft::{self, KeyWord};
use everlevel_math::monomial;

/// A torus word in blind rotation: `u32` or `u64`. Everywhere else torus elements are the leading bits of a `u64`.
pub trait Torus: fft::Torus + monomial::WrappingWord + bytemuck::Pod + Default + PartialEq + std::fmt::Debug {
    /// A word of a transformed key.
    type Key: KeyWord + bytemuck::Pod + std::fmt::Debug;

    /// The leading bits of `x`, cut off.
    fn from_leading(x: u64) -> Self;
    /// As leading bits.
    fn to_leading(self) -> u64;
    /// The unit in which transformed keys of degree `n` are stored, log2.
    fn log2_key_unit(n: usize) -> u32;
    /// A value of a transform as a word of a key of degree `n`.
    fn to_key(x: f64, n: usize) -> Self::Key;
}

/// 32-bit words: transformed keys are kept as 32-bit integers, which loses less than their errors hide
/// ([`crate::noise::stored_key`]) and halves what a bootstrap reads.
impl Torus for u32 {
    type Key = i32;

    fn from_leading(x: u64) -> Self {
        (x >> 32) as u32
    }
    fn to_leading(self) -> u64 {
        u64::from(self) << 32
    }
    fn log2_key_unit(n: usize) -> u32 {
        crate::noise::log2_key_unit(n)
    }
    /// Saturates: values outside the range don't occur (see [`crate::noise::PACKED_RANGE`]).
    fn to_key(x: f64, n: usize) -> i32 {
        (x * 0.5f64.powi(Self::log2_key_unit(n) as i32)).round() as i32
    }
}

impl Torus for u64 {
    type Key = f64;

    fn from_leading(x: u64) -> Self {
        x
    }
    fn to_leading(self) -> u64 {
        self
    }
    fn log2_key_unit(_: usize) -> u32 {
        0
    }
    fn to_key(x: f64, _: usize) -> f64 {
        x
    }
}

/// The torus element as a number in `[−½, ½)`.
pub fn to_f64(x: u64) -> f64 {
    x as i64 as f64 * (-64.0f64).exp2()
}
