//! Six-byte residues in four lanes, for AVX2 and NEON.

use crate::lanes::four::{unpack4, write};

/// Unpacks a prefix and returns its length.
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
pub(super) fn unpack(out: &mut [u64], packed: &[u8]) -> usize {
    let out = out.as_chunks_mut::<4>().0;
    let len = 4 * out.len();
    for (i, out) in out.iter_mut().enumerate() {
        write(out, unpack4(&packed[24 * i..]));
    }
    len
}
