//! Automorphisms in the transform domain for AVX-512: a gather of aligned vectors, each permuted within.

use core::arch::x86_64::*;

use super::LANES;
use crate::lanes::avx512::{Consts, add, read, write};

/// Vector `entry` of a block of `source`.
#[inline]
#[target_feature(enable = "avx512f")]
fn permuted(source: &[[u64; 8]], entry: u32) -> __m512i {
    let vector = &source[(entry / 32) as usize & (source.len() - 1)];
    _mm512_permutexvar_epi64(read(&LANES[entry as usize % 32]), read(vector))
}

/// `out = σ(source)`, one entry of `groups` a vector; `source.len()` is a power of two.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn apply(out: &mut [u64], source: &[u64], groups: &[u32]) {
    let source = source.as_chunks::<8>().0;
    for (out, &entry) in out.as_chunks_mut::<8>().0.iter_mut().zip(groups) {
        write(out, permuted(source, entry));
    }
}

/// `acc += σ(source)`.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn apply_add(q: u64, acc: &mut [u64], source: &[u64], groups: &[u32]) {
    let c = Consts::new(q);
    let source = source.as_chunks::<8>().0;
    for (acc, &entry) in acc.as_chunks_mut::<8>().0.iter_mut().zip(groups) {
        let sum = add(&c, read(acc), permuted(source, entry));
        write(acc, sum);
    }
}
