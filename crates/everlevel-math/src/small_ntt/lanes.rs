//! The vectors of each float on each backend, and the floats that the public interface takes.

#[cfg(target_arch = "x86_64")]
use super::avx2::{F32x8, F64x4};
#[cfg(target_arch = "x86_64")]
use super::avx512::{F32x16, F64x8};
use super::float::Number;
use super::vector::Lanes;
#[cfg(not(target_arch = "x86_64"))]
use super::vector::Portable;
use super::work::Work;
use crate::Simd;

/// Portable vectors in place of all others, on other architectures.
#[cfg(not(target_arch = "x86_64"))]
type F32x8 = Portable<f32, 16>;
#[cfg(not(target_arch = "x86_64"))]
type F32x16 = Portable<f32, 16>;
#[cfg(not(target_arch = "x86_64"))]
type F64x4 = Portable<f64, 16>;
#[cfg(not(target_arch = "x86_64"))]
type F64x8 = Portable<f64, 16>;

impl Lanes for f32 {
    type Avx2 = F32x8;
    type Avx512 = F32x16;
}

impl Lanes for f64 {
    type Avx2 = F64x4;
    type Avx512 = F64x8;
}

/// The float that holds a residue: [`f32`] for moduli below `2^21`, [`f64`] for moduli below `2^28`.
#[allow(private_bounds)]
pub trait Float: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug + 'static + Lanes {
    /// Bits of the largest modulus.
    const MAX_MODULUS_BITS: u32;

    /// An integer as a float.
    fn from_i64(x: i64) -> Self;
    /// The integer that a float is.
    fn to_i64(self) -> i64;
    /// Runs a plan's work on the vectors of a backend. It is compiled in this crate, once for each float, and not in
    /// every crate that uses a plan.
    ///
    /// # Safety
    /// The lengths of the work are those of its plan.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    unsafe fn run(simd: Simd, work: Work<'_, Self>);
}

macro_rules! float {
    ($float:ident, $bits:literal) => {
        impl Float for $float {
            const MAX_MODULUS_BITS: u32 = $bits;

            #[inline(always)]
            fn from_i64(x: i64) -> Self {
                Self::from_integer(x)
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self.to_integer()
            }

            #[allow(private_interfaces)]
            unsafe fn run(simd: Simd, work: Work<'_, Self>) {
                // SAFETY: the caller vouches that the lengths of the work were checked, which is all that `Work::run`
                // asks for.
                unsafe { work.run(simd) }
            }
        }
    };
}
float!(f32, 21);
float!(f64, 28);
