//! The two widths of lanes, and the constants of a modulus in lanes.

#[cfg(target_arch = "x86_64")]
use super::avx2::{F32x8, F64x4};
#[cfg(target_arch = "x86_64")]
use super::avx512::{F32x16, F64x8};
use super::operation;
use super::vector::Vector;
use super::work::Work;
use crate::Simd;

/// The vectors where there are no others.
#[cfg(not(target_arch = "x86_64"))]
mod no_others {
    use super::super::vector::Portable;

    pub type F32x8 = Portable<f32, 16>;
    pub type F32x16 = Portable<f32, 16>;
    pub type F64x4 = Portable<f64, 16>;
    pub type F64x8 = Portable<f64, 16>;
}
#[cfg(not(target_arch = "x86_64"))]
use no_others::{F32x8, F32x16, F64x4, F64x8};

/// The float that holds a residue: [`f32`] for moduli below `2^21`, [`f64`] for moduli below `2^28`.
pub trait Float: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + sealed::Sealed + 'static {
    /// Bits of the largest modulus.
    const MAX_MODULUS_BITS: u32;
    /// Values of a transform stay within this, and so are exact.
    #[doc(hidden)]
    const LIMIT: f64;
    /// Quotients up to this are rounded to the nearest integer; larger ones, to an even neighbour at worst.
    #[doc(hidden)]
    const QUOTIENTS: f64;
    /// Set where a transform needs reductions on its way.
    #[doc(hidden)]
    const NARROW: bool;
    #[doc(hidden)]
    type Avx2: Vector<Float = Self>;
    #[doc(hidden)]
    type Avx512: Vector<Float = Self>;

    /// An integer as a float.
    fn from_i64(x: i64) -> Self;
    /// The integer that a float is.
    fn to_i64(self) -> i64;
    /// Runs an operation; compiled in this crate, once for each float.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn run(simd: Simd, work: Work<'_, Self>);
    #[doc(hidden)]
    fn from_f64(x: f64) -> Self;
    #[doc(hidden)]
    fn to_f64(self) -> f64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

macro_rules! float {
    ($float:ident, $bits:literal, [$limit:literal, $quotients:literal], $narrow:literal,
     $avx2:ident, $avx512:ident) => {
        impl Float for $float {
            const MAX_MODULUS_BITS: u32 = $bits;
            const LIMIT: f64 = (1u64 << $limit) as f64;
            const QUOTIENTS: f64 = (1u64 << $quotients) as f64;
            const NARROW: bool = $narrow;
            type Avx2 = $avx2;
            type Avx512 = $avx512;

            #[allow(private_interfaces)]
            fn run(simd: Simd, work: Work<'_, Self>) {
                // SAFETY: whoever made the work checked its lengths.
                unsafe { operation::run(simd, work) }
            }

            #[inline(always)]
            fn from_i64(x: i64) -> Self {
                x as $float
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $float
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
        }
    };
}
float!(f32, 21, [24, 22], true, F32x8, F32x16);
float!(f64, 28, [38, 51], false, F64x4, F64x8);

/// A modulus in every lane.
#[derive(Clone, Copy)]
pub struct Consts<V> {
    pub q: V,
    /// `fl(1/q)`.
    pub inv_q: V,
    /// Added to and taken from a value, it leaves the nearest integer.
    pub magic: V,
}

impl<V: Vector> Consts<V> {
    /// # Safety
    /// That of [`Vector`].
    #[inline(always)]
    pub unsafe fn new(q: u64) -> Self {
        // SAFETY: the caller's contract.
        unsafe { Self { q: V::splat(q as f64), inv_q: V::splat(1.0 / q as f64), magic: V::splat(V::MAGIC) } }
    }
}
