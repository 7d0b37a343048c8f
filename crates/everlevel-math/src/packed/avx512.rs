//! Six-byte residues for AVX-512: one byte permutation of a vector.

use core::arch::x86_64::*;

use crate::lanes::avx512::{read, write};

/// Six bytes of every eight.
pub(crate) const LOW_SIX: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// The place of each byte of eight words among the packed bytes.
static UNPACK: [u8; 64] = {
    let mut index = [0; 64];
    let mut i = 0;
    while i < 48 {
        index[i / 6 * 8 + i % 6] = i as u8;
        i += 1;
    }
    index
};

/// The inverse of [`UNPACK`].
static PACK: [u8; 64] = {
    let mut index = [0; 64];
    let mut i = 0;
    while i < 48 {
        index[i] = (i / 6 * 8 + i % 6) as u8;
        i += 1;
    }
    index
};

/// [`UNPACK`] with the last word first.
static UNPACK_MIRRORED: [u8; 64] = {
    let mut index = [0; 64];
    let mut i = 0;
    while i < 64 {
        index[i] = UNPACK[(7 - i / 8) * 8 + i % 8];
        i += 1;
    }
    index
};

/// The eight residues in the first 48 bytes of `packed`; from the last to the first, where they are `MIRRORED`.
///
/// # Panics
/// If `packed` has fewer than 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn unpack8<const MIRRORED: bool>(packed: &[u8]) -> __m512i {
    let bytes = &packed[..64];
    // SAFETY: the load is of the 64 bytes of `bytes`, and has no alignment requirement.
    let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    if !MIRRORED {
        return unpacked8(LOW_SIX, bytes);
    }
    // SAFETY: the load is of the 64 bytes of `UNPACK_MIRRORED`, and has no alignment requirement.
    let index = unsafe { _mm512_loadu_si512(UNPACK_MIRRORED.as_ptr().cast()) };
    _mm512_maskz_permutexvar_epi8(LOW_SIX, index, bytes)
}

/// The eight residues of the first 48 bytes, by the mask [`LOW_SIX`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn unpacked8(low_six: __mmask64, bytes: __m512i) -> __m512i {
    // SAFETY: the load is of the 64 bytes of `UNPACK`, and has no alignment requirement.
    let index = unsafe { _mm512_loadu_si512(UNPACK.as_ptr().cast()) };
    _mm512_maskz_permutexvar_epi8(low_six, index, bytes)
}

/// Packs a prefix and returns its length.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn pack(out: &mut [u8], a: &[u64]) -> usize {
    // SAFETY: the load is of the 64 bytes of `PACK`, and has no alignment requirement.
    let index = unsafe { _mm512_loadu_si512(PACK.as_ptr().cast()) };
    let a = a.as_chunks::<8>().0;
    for (out, a) in out.as_chunks_mut::<48>().0.iter_mut().zip(a) {
        // SAFETY: the mask lets the store write the 48 bytes of the array `out` and no others; the caller of `pack` has
        // AVX-512 BW.
        unsafe {
            _mm512_mask_storeu_epi8(out.as_mut_ptr().cast(), (1 << 48) - 1, _mm512_permutexvar_epi8(index, read(a)));
        }
    }
    8 * a.len()
}

/// Unpacks a prefix and returns its length.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn unpack(out: &mut [u64], packed: &[u8]) -> usize {
    let out = out.as_chunks_mut::<8>().0;
    let len = 8 * out.len();
    for (i, out) in out.iter_mut().enumerate() {
        write(out, unpack8::<false>(&packed[48 * i..]));
    }
    len
}
