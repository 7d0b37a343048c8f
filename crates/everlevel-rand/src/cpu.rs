//! The choice of kernels, by [`everlevel_math::Simd`], so that `EVERLEVEL_SIMD` holds here too.
#![cfg(target_arch = "x86_64")]

use everlevel_math::Simd;

/// Whether the CPU has AVX-512 F and `EVERLEVEL_SIMD` allows it.
pub(crate) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && Simd::best().name() == "avx512"
}

/// Whether the CPU has AVX2 and `EVERLEVEL_SIMD` allows it.
pub(crate) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && Simd::best() != Simd::SCALAR
}

/// Whether the CPU has AES-NI and `EVERLEVEL_SIMD` allows it.
pub(crate) fn has_aes() -> bool {
    is_x86_feature_detected!("aes") && has_avx2()
}
