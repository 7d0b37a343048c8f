//! Limbs stored in six bytes a residue, for keys: every modulus is below `2^48`, and memory and traffic are a quarter
//! less.
//!
//! Residue `i` is the little-endian integer in bytes `6i .. 6i+6`. A packed limb of `n` residues is `6n + 16` bytes
//! long: the tail lets a kernel load a whole vector at the last residue.

#[cfg(target_arch = "x86_64")]
use crate::simd::Level;
use crate::simd::{Simd, vector_prefix};

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod four_lanes;

/// Bytes after the last residue, which kernels may read.
const TAIL_BYTES: usize = 16;

/// Length in bytes of a packed limb of `n` residues.
pub const fn byte_len(n: usize) -> usize {
    6 * n + TAIL_BYTES
}

/// Residues `first .. first + len` of a packed limb, themselves a packed limb.
///
/// # Panics
/// If the range leaves the limb.
pub fn block(packed: &[u8], first: usize, len: usize) -> &[u8] {
    &packed[6 * first..][..byte_len(len)]
}

/// Residue `i`.
#[inline]
pub fn get(packed: &[u8], i: usize) -> u64 {
    let b = &packed[6 * i..6 * i + 6];
    u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], 0, 0])
}

/// Residues from the one at `i` on.
#[inline(always)]
pub(crate) fn residues_from(packed: &[u8], i: usize) -> impl Iterator<Item = u64> {
    packed[6 * i..].as_chunks::<6>().0.iter().map(|&[a, b, c, d, e, f]| u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
}

/// Residues from the one at `i` down to the first.
#[inline(always)]
pub(crate) fn residues_down_from(packed: &[u8], i: usize) -> impl Iterator<Item = u64> {
    let all = packed[..6 * (i + 1)].as_chunks::<6>().0;
    all.iter().rev().map(|&[a, b, c, d, e, f]| u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
}

/// Pack a limb of canonical residues.
///
/// # Panics
/// If `out.len() != byte_len(a.len())`.
pub fn pack(out: &mut [u8], a: &[u64]) {
    pack_with(Simd::best(), out, a);
}

/// [`pack`] on a chosen backend.
///
/// # Panics
/// As [`pack`].
pub fn pack_with(simd: Simd, out: &mut [u8], a: &[u64]) {
    assert_eq!(out.len(), byte_len(a.len()));
    let done = match simd.0 {
        // SAFETY: the kernel needs AVX-512 with VBMI, which `Simd::available` detected before it made a `Simd` of this
        // level; its slices are checked by bounds.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512Ifma => unsafe { avx512::pack(out, a) },
        _ => 0,
    };
    for (o, x) in out.chunks_exact_mut(6).zip(a).skip(done) {
        o.copy_from_slice(&x.to_le_bytes()[..6]);
    }
}

/// Unpack a limb.
///
/// # Panics
/// If `packed.len() != byte_len(out.len())`.
pub fn unpack(out: &mut [u64], packed: &[u8]) {
    unpack_with(Simd::best(), out, packed);
}

/// [`unpack`] on a chosen backend.
///
/// # Panics
/// As [`unpack`].
pub fn unpack_with(simd: Simd, out: &mut [u64], packed: &[u8]) {
    assert_eq!(packed.len(), byte_len(out.len()));
    let done = vector_prefix!(simd, unpack(out, packed));
    for (i, o) in out.iter_mut().enumerate().skip(done) {
        *o = get(packed, i);
    }
}
