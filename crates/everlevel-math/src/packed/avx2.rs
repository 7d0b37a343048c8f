//! Six-byte residues for AVX2: one byte shuffle of a vector.

use core::arch::x86_64::*;

use crate::lanes::avx2::write;

/// The four residues in the first 24 bytes of `packed`.
///
/// # Panics
/// If `packed` has fewer than 28 bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn unpack4(packed: &[u8]) -> __m256i {
    let bytes = &packed[..28];
    let index = _mm256_set_epi8(
        -1, -1, 11, 10, 9, 8, 7, 6, -1, -1, 5, 4, 3, 2, 1, 0, -1, -1, 11, 10, 9, 8, 7, 6, -1, -1, 5, 4, 3, 2, 1, 0,
    );
    // SAFETY: the loads are of bytes 0 to 15 and 12 to 27 of `bytes`, which has 28.
    let both = unsafe {
        let low = _mm_loadu_si128(bytes.as_ptr().cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), _mm_loadu_si128(bytes.as_ptr().add(12).cast()))
    };
    _mm256_shuffle_epi8(both, index)
}

/// Unpacks a prefix and returns its length.
#[target_feature(enable = "avx2,fma")]
pub(super) fn unpack(out: &mut [u64], packed: &[u8]) -> usize {
    let out = out.as_chunks_mut::<4>().0;
    let len = 4 * out.len();
    for (i, out) in out.iter_mut().enumerate() {
        write(out, unpack4(&packed[24 * i..]));
    }
    len
}
