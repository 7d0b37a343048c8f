//! Basis conversion for AVX-512.

use core::arch::x86_64::*;

use crate::Modulus;
use crate::inner_product::avx512::accumulate;
use crate::lanes::avx512::{Wide, read, write};

/// `out_i = trunc(1/2 + Σ_j y_j[i]·reciprocal_j)` on a prefix, whose length is returned: products and sums are rounded
/// one by one, in order.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn quotients(out: &mut [u64], y: &[&[u64]], reciprocal: &[f64]) -> usize {
    const TOGETHER: usize = 4;
    let n = out.len();
    let mut at = 0;
    while at + 8 * TOGETHER <= n {
        let mut sum = [_mm512_set1_pd(0.5); TOGETHER];
        for (y, r) in y.iter().zip(reciprocal) {
            let y = y[at..at + 8 * TOGETHER].as_chunks::<8>().0;
            for i in 0..TOGETHER {
                let term = _mm512_mul_pd(_mm512_cvtepu64_pd(read(&y[i])), _mm512_set1_pd(*r));
                sum[i] = _mm512_add_pd(sum[i], term);
            }
        }
        for (out, sum) in out[at..at + 8 * TOGETHER].as_chunks_mut::<8>().0.iter_mut().zip(sum) {
            write(out, _mm512_cvttpd_epu64(sum));
        }
        at += 8 * TOGETHER;
    }
    at
}

/// Targets of one pass over the sources: their accumulators fill the registers.
pub(super) const TARGETS: usize = 3;

/// Residues of a step of [`weighted_sums`].
pub(super) const TOGETHER: usize = 32;

/// `out_t[i] = v[i]·w_(t,k) + Σ_{j<k} y_j[i]·w_(t,j) mod m_t` for each target; lengths are multiples of [`TOGETHER`].
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn weighted_sums(
    m: &[Modulus; TARGETS],
    w: &[Vec<u64>; TARGETS],
    out: &mut [&mut [u64]; TARGETS],
    y: &[&[u64]],
    v: &[u64],
) {
    const VECTORS: usize = TOGETHER / 8;
    let wide = [Wide::new(&m[0]), Wide::new(&m[1]), Wide::new(&m[2])];
    let zero = (_mm512_setzero_si512(), _mm512_setzero_si512());
    let k = y.len();
    let w = [&w[0][..k + 1], &w[1][..k + 1], &w[2][..k + 1]];
    for at in (0..v.len()).step_by(TOGETHER) {
        let mut acc = [[zero; VECTORS]; TARGETS];
        let mut add_term = |x: &[u64], j: usize| {
            let x = x.as_chunks::<8>().0;
            for i in 0..VECTORS {
                let x = read(&x[i]);
                for t in 0..TARGETS {
                    accumulate(&mut acc[t][i], x, _mm512_set1_epi64(w[t][j] as i64));
                }
            }
        };
        add_term(&v[at..at + TOGETHER], k);
        for (j, y) in y.iter().enumerate() {
            add_term(&y[at..at + TOGETHER], j);
        }
        for t in 0..TARGETS {
            let out = out[t][at..at + TOGETHER].as_chunks_mut::<8>().0;
            for (out, acc) in out.iter_mut().zip(acc[t]) {
                write(out, wide[t].reduce(acc.0, acc.1));
            }
        }
    }
}

/// `out_i = v[i]·w_k + Σ_{j<k} y_j[i]·w_j mod m` on a prefix, whose length is returned.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(super) fn weighted_sum(m: &Modulus, w: &[u64], out: &mut [u64], y: &[&[u64]], v: &[u64]) -> usize {
    const TOGETHER: usize = 8;
    let wide = Wide::new(m);
    let n = out.len();
    let mut at = 0;
    while at + 8 * TOGETHER <= n {
        let mut acc = [(_mm512_setzero_si512(), _mm512_setzero_si512()); TOGETHER];
        let mut add_term = |x: &[u64], w: u64| {
            let x = x.as_chunks::<8>().0;
            let w = _mm512_set1_epi64(w as i64);
            for i in 0..TOGETHER {
                accumulate(&mut acc[i], read(&x[i]), w);
            }
        };
        add_term(&v[at..at + 8 * TOGETHER], w[y.len()]);
        for (y, w) in y.iter().zip(w) {
            add_term(&y[at..at + 8 * TOGETHER], *w);
        }
        for (out, acc) in out[at..at + 8 * TOGETHER].as_chunks_mut::<8>().0.iter_mut().zip(acc) {
            write(out, wide.reduce(acc.0, acc.1));
        }
        at += 8 * TOGETHER;
    }
    at
}
