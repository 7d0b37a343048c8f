//! Residues in the lanes of vectors: the arithmetic that the kernels of every family compute with, one file for each
//! instruction set.
//!
//! *Four lanes.* AVX2 has them in one register and NEON in two; a CPU has one of these instruction sets or the other,
//! so that [`four`] is that of the target, and one source of kernels serves both.
//!
//! *Safety.* Functions here and in the kernels are compiled for the features that [`crate::Simd`] detected: a `Simd`
//! above scalar is the proof that the CPU has them, and the callers of the kernels dispatch on it.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2 as four;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon as four;

/// The representative of `w < q` nearest to zero.
pub(crate) fn centred(w: u64, q: u64) -> f64 {
    if w > q / 2 { -((q - w) as f64) } else { w as f64 }
}

/// Loads and stores of whole vectors of words: from arrays, and at pointers.
macro_rules! memory {
    ($vector:ty, $lanes:literal, $features:tt, $load:ident, $store:ident) => {
        /// The words of an array.
        #[inline]
        #[target_feature(enable = $features)]
        pub(crate) fn read(a: &[u64; $lanes]) -> $vector {
            // SAFETY: the array is as many readable words as the vector has lanes.
            unsafe { load(a.as_ptr()) }
        }

        /// Puts the words into an array.
        #[inline]
        #[target_feature(enable = $features)]
        pub(crate) fn write(a: &mut [u64; $lanes], x: $vector) {
            // SAFETY: the array is as many writable words as the vector has lanes, borrowed alone.
            unsafe { store(a.as_mut_ptr(), x) }
        }

        /// The words at `p`.
        ///
        /// # Safety
        /// `p` is readable for a vector.
        #[inline]
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn load(p: *const u64) -> $vector {
            // SAFETY: the caller vouches for a vector's readable words at `p`; the load has no alignment requirement.
            unsafe { $load(p.cast()) }
        }

        /// Puts the words at `p`.
        ///
        /// # Safety
        /// `p` is writable for a vector.
        #[inline]
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn store(p: *mut u64, x: $vector) {
            // SAFETY: the caller vouches for a vector's writable words at `p`; the store has no alignment requirement.
            unsafe { $store(p.cast(), x) }
        }
    };
}
use memory;
