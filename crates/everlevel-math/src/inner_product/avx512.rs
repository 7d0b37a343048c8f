//! Sums of products for AVX-512, reduced once: each term adds its two 52-bit halves to two accumulators.

use core::arch::x86_64::*;

use crate::lanes::avx512::{Wide, read, write};
use crate::packed::avx512::unpack8;
use crate::{Modulus, packed};

/// Vectors whose accumulators are held in registers together.
const TOGETHER: usize = 4;

/// Adds `x·y` to the low and the high accumulator.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn accumulate(acc: &mut (__m512i, __m512i), x: __m512i, y: __m512i) {
    *acc = (_mm512_madd52lo_epu64(acc.0, x, y), _mm512_madd52hi_epu64(acc.1, x, y));
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(crate) fn inner_product_into(m: &Modulus, out: &mut [u64], x: &[&[u64]], y: &[&[u64]]) -> usize {
    let wide = Wide::new(m);
    let (blocks, rest) = out.as_chunks_mut::<{ 8 * TOGETHER }>();
    let zero = (_mm512_setzero_si512(), _mm512_setzero_si512());
    let mut at = 0;
    for out in blocks {
        let mut acc = [zero; TOGETHER];
        for (x, y) in x.iter().zip(y) {
            let x = x[at..at + 8 * TOGETHER].as_chunks::<8>().0;
            let y = y[at..at + 8 * TOGETHER].as_chunks::<8>().0;
            for i in 0..TOGETHER {
                accumulate(&mut acc[i], read(&x[i]), read(&y[i]));
            }
        }
        for (out, acc) in out.as_chunks_mut::<8>().0.iter_mut().zip(acc) {
            write(out, wide.reduce(acc.0, acc.1));
        }
        at += 8 * TOGETHER;
    }
    for out in rest.as_chunks_mut::<8>().0 {
        let mut acc = zero;
        for (x, y) in x.iter().zip(y) {
            accumulate(&mut acc, read(&x[at..].as_chunks::<8>().0[0]), read(&y[at..].as_chunks::<8>().0[0]));
        }
        write(out, wide.reduce(acc.0, acc.1));
        at += 8;
    }
    at
}

/// `out_c = Σ_k x_k·y_{c,k}` for each of `OUTPUTS` columns of packed limbs; every `x_k` is read once.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(crate) fn inner_products_packed_into<const OUTPUTS: usize>(
    m: &Modulus,
    mut out: [&mut [u64]; OUTPUTS],
    x: &[&[u64]],
    y: [&[&[u8]]; OUTPUTS],
) -> usize {
    const STEP: usize = 8 * TOGETHER;
    let wide = Wide::new(m);
    let zero = (_mm512_setzero_si512(), _mm512_setzero_si512());
    let n = out[0].len();
    let mut at = 0;
    while at + STEP <= n {
        let mut acc = [[zero; TOGETHER]; OUTPUTS];
        for (k, x) in x.iter().enumerate() {
            let x = x[at..at + STEP].as_chunks::<8>().0;
            for (acc, y) in acc.iter_mut().zip(&y) {
                let y = &y[k][6 * at..6 * at + packed::byte_len(STEP)];
                for i in 0..TOGETHER {
                    accumulate(&mut acc[i], read(&x[i]), unpack8(&y[48 * i..]));
                }
            }
        }
        for (out, acc) in out.iter_mut().zip(acc) {
            for (out, acc) in out[at..at + STEP].as_chunks_mut::<8>().0.iter_mut().zip(acc) {
                write(out, wide.reduce(acc.0, acc.1));
            }
        }
        at += STEP;
    }
    while at + 8 <= n {
        for (out, y) in out.iter_mut().zip(&y) {
            let mut acc = zero;
            for (x, y) in x.iter().zip(*y) {
                accumulate(&mut acc, read(&x[at..].as_chunks::<8>().0[0]), unpack8(&y[6 * at..]));
            }
            write(&mut out[at..].as_chunks_mut::<8>().0[0], wide.reduce(acc.0, acc.1));
        }
        at += 8;
    }
    at
}
