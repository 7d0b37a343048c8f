//! Sums of products for AVX-512, reduced once: each term adds its two 52-bit halves to two accumulators.

use core::arch::x86_64::*;

use crate::lanes::avx512::{Wide, read, write};
use crate::packed::avx512::unpack8;
use crate::prefetch::Ahead;
use crate::{Modulus, packed};

use super::sliding::{SLIDING_OUTPUTS, STRIDE, Slide};

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

/// Eight residues from word `at` on, packed or as words.
///
/// # Panics
/// If they aren't all there.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn eight<const PACKED: bool>(bytes: &[u8], at: usize) -> __m512i {
    if PACKED {
        unpack8(&bytes[6 * at..])
    } else {
        let bytes = &bytes[8 * at..][..64];
        // SAFETY: the load is of 64 bytes of a slice.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }
}

/// Low and high accumulators of `V` vectors of each output.
type Sums<const V: usize> = [[(__m512i, __m512i); V]; SLIDING_OUTPUTS];

/// The products of a slide, whose outputs are `FROM` to `TO`, for `V` vectors from word `at` on.
///
/// # Safety
/// `x` has `n` words of every first factor of the slide, of which `at` and the vectors lie in the first.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
unsafe fn slide<const FROM: usize, const TO: usize, const V: usize, const PACKED: bool>(
    sums: &mut Sums<V>,
    s: &Slide,
    (x, y): (&[u64], &[u8]),
    (n, at): (usize, usize),
    ahead: &mut Ahead<'_, u8>,
) {
    for k in 0..s.count {
        // A line or two at a time: more would wait for each other.
        ahead.step();
        let mut vectors = [_mm512_setzero_si512(); V];
        for (v, vector) in vectors.iter_mut().enumerate() {
            *vector = eight::<PACKED>(y, (s.y + k) * n + at + 8 * v);
        }
        let place = s.x_at(k) * n + at;
        for t in FROM..TO {
            for v in 0..V {
                let word = place + (t - FROM) * n + 8 * v;
                debug_assert!(word + 8 <= x.len());
                // SAFETY: `n` words of first factor `x_at(k) + t − FROM` are there.
                let x = unsafe { _mm512_loadu_si512(x.as_ptr().add(word).cast()) };
                accumulate(&mut sums[t][v], x, vectors[v]);
            }
        }
    }
}

/// `V` vectors of every output from word `at` on.
///
/// # Safety
/// As [`sliding_sums_into`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
unsafe fn sliding_sums<const V: usize, const PACKED: bool>(
    slides: &[Slide],
    factors: (&[u64], &[u8]),
    place: (usize, usize),
    ahead: &mut Ahead<'_, u8>,
) -> Sums<V> {
    let zero = (_mm512_setzero_si512(), _mm512_setzero_si512());
    let mut sums = [[zero; V]; SLIDING_OUTPUTS];
    for s in slides {
        // SAFETY: the caller's.
        unsafe {
            match (s.from, s.to) {
                (0, 1) => slide::<0, 1, V, PACKED>(&mut sums, s, factors, place, ahead),
                (0, 2) => slide::<0, 2, V, PACKED>(&mut sums, s, factors, place, ahead),
                (0, 3) => slide::<0, 3, V, PACKED>(&mut sums, s, factors, place, ahead),
                (0, 4) => slide::<0, 4, V, PACKED>(&mut sums, s, factors, place, ahead),
                (1, 2) => slide::<1, 2, V, PACKED>(&mut sums, s, factors, place, ahead),
                (1, 3) => slide::<1, 3, V, PACKED>(&mut sums, s, factors, place, ahead),
                (1, 4) => slide::<1, 4, V, PACKED>(&mut sums, s, factors, place, ahead),
                (2, 3) => slide::<2, 3, V, PACKED>(&mut sums, s, factors, place, ahead),
                (2, 4) => slide::<2, 4, V, PACKED>(&mut sums, s, factors, place, ahead),
                _ => slide::<3, 4, V, PACKED>(&mut sums, s, factors, place, ahead),
            }
        }
    }
    sums
}

/// See [`Modulus::sliding_sums_into`]; outputs have a multiple of eight words.
///
/// # Safety
/// `x` has all first factors of the slides.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(crate) unsafe fn sliding_sums_into<const PACKED: bool>(
    m: &Modulus,
    out: &mut [u64],
    slides: &[Slide],
    x: &[u64],
    y: &[u8],
    mut ahead: Ahead<'_, u8>,
) {
    const V: usize = STRIDE / 8;
    let wide = Wide::new(m);
    let n = out.len() / SLIDING_OUTPUTS;
    let mut at = 0;
    while at + STRIDE <= n {
        // SAFETY: the vectors lie below `n`.
        let sums = unsafe { sliding_sums::<V, PACKED>(slides, (x, y), (n, at), &mut ahead) };
        for (t, sums) in sums.into_iter().enumerate() {
            for (out, sum) in out[t * n + at..][..STRIDE].as_chunks_mut::<8>().0.iter_mut().zip(sums) {
                write(out, wide.reduce(sum.0, sum.1));
            }
        }
        at += STRIDE;
    }
    while at < n {
        // SAFETY: as above.
        let sums = unsafe { sliding_sums::<1, PACKED>(slides, (x, y), (n, at), &mut ahead) };
        for (t, [sum]) in sums.into_iter().enumerate() {
            write(&mut out[t * n + at..].as_chunks_mut::<8>().0[0], wide.reduce(sum.0, sum.1));
        }
        at += 8;
    }
}
