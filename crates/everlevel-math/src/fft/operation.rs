//! Work that is written once for all vectors, and its run on the vectors of a backend.

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
use super::vector::{Portable, Vector};
use crate::Simd;
#[cfg(target_arch = "x86_64")]
use crate::simd::Level;

/// Work on vectors, those of any backend.
pub(super) trait Operation {
    /// Does the work; `#[inline(always)]`, as all that it calls, so that it is compiled for the backend's features.
    ///
    /// # Safety
    /// The contract of [`Vector`], and the operation's own.
    unsafe fn call<V: Vector>(self);
}

/// Runs an operation on the vectors of a backend.
///
/// # Safety
/// The contract of the operation.
pub(super) unsafe fn run(simd: Simd, operation: impl Operation) {
    // SAFETY: the caller vouches for the operation's own contract. Each branch runs vectors that this CPU has:
    // `Simd::available` makes a `Simd` above scalar only where it detected the features of the function that is called.
    unsafe {
        match simd.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma => run_avx512(operation),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => run_avx2(operation),
            _ => operation.call::<Portable>(),
        }
    }
}

/// # Safety
/// The contract of the operation.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2(operation: impl Operation) {
    // SAFETY: the caller vouches for the operation's own contract, and has checked AVX2 and FMA, which the vectors
    // need.
    unsafe { operation.call::<Avx2>() }
}

/// # Safety
/// The contract of the operation.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
unsafe fn run_avx512(operation: impl Operation) {
    // SAFETY: the caller vouches for the operation's own contract, and has checked the features of this function, which
    // the vectors need.
    unsafe { operation.call::<Avx512>() }
}
