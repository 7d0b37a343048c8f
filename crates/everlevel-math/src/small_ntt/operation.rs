//! Work that is written once for all vectors, and its run on the vectors of a backend.

use super::vector::{Lanes, Portable, Vector};
use crate::Simd;
#[cfg(target_arch = "x86_64")]
use crate::simd::Level;

/// Work on vectors, those of any backend.
pub(super) trait Operation {
    type Float: Lanes;

    /// True for a degree too small for vectors.
    fn is_small(&self) -> bool;

    /// Does the work; `#[inline(always)]`, as all that it calls, so that it is compiled for the backend's features.
    ///
    /// # Safety
    /// The contract of [`Vector`], and the operation's own.
    unsafe fn call<V: Vector<Float = Self::Float>>(self);
}

/// Whether the inner vectors of a backend are integers, for a degree that is not too small for vectors.
pub(super) fn integers<F: Lanes>(simd: Simd) -> bool {
    match simd.0 {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512Ifma => <<F as Lanes>::Avx512 as Vector>::Inner::INTEGERS,
        _ => false,
    }
}

/// Runs an operation on the vectors of a backend; on single lanes for a degree too small for them.
///
/// # Safety
/// The contract of the operation.
pub(super) unsafe fn run<O: Operation>(simd: Simd, operation: O) {
    // SAFETY: the caller vouches for the operation's own contract. Each branch runs vectors that this CPU has:
    // `Simd::available` makes a `Simd` above scalar only where it detected the features of the function that is called.
    unsafe {
        match simd.0 {
            _ if operation.is_small() => operation.call::<Portable<O::Float, 1>>(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma => run_avx512(operation),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => run_avx2(operation),
            _ => operation.call::<Portable<O::Float, 16>>(),
        }
    }
}

/// # Safety
/// The contract of the operation.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2<O: Operation>(operation: O) {
    // SAFETY: the caller vouches for the operation's own contract, and has checked AVX2 and FMA, which the vectors
    // need.
    unsafe { operation.call::<<O::Float as Lanes>::Avx2>() }
}

/// # Safety
/// The contract of the operation.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx512vbmi")]
unsafe fn run_avx512<O: Operation>(operation: O) {
    // SAFETY: the caller vouches for the operation's own contract, and has checked the features of this function, which
    // the vectors need.
    unsafe { operation.call::<<O::Float as Lanes>::Avx512>() }
}
