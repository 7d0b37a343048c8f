//! The choice of kernels: that of [`everlevel_math::Simd`], so that `EVERLEVEL_SIMD` holds here too.
#![cfg(target_arch = "x86_64")]

use everlevel_math::Simd;

/// AVX-512 F is there and not forbidden.
pub(crate) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && Simd::best().name() == "avx512"
}

/// AVX2 is there and not forbidden.
pub(crate) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && Simd::best() != Simd::SCALAR
}
