//! Sums of products for AVX-512, reduced once: each term adds its two 52-bit halves to two accumulators.

use core::arch::x86_64::*;

use crate::lanes::avx512::{Wide, read, write};
use crate::packed::avx512::{LOW_SIX, unpack8, unpacked8};
use crate::prefetch::{LINE, prefetch_line};
use crate::{Modulus, packed};

use super::prefetch_ahead;
use super::sliding::{SLIDING_OUTPUTS, SLIDING_WORDS, Slide};

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

/// Two sums with the same second factors: those of term `k` at the `COUNT` vectors from place `at` are
/// `factors(k, at)`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
fn pair_of_sums_into<const COUNT: usize>(
    m: &Modulus,
    mut out: [&mut [u64]; 2],
    x: [&[&[u64]]; 2],
    factors: impl Fn(usize, usize) -> [__m512i; COUNT],
) -> usize {
    let wide = Wide::new(m);
    let zero = (_mm512_setzero_si512(), _mm512_setzero_si512());
    let len = out[0].len() / (8 * COUNT) * (8 * COUNT);
    for at in (0..len).step_by(8 * COUNT) {
        let mut acc = [[zero; COUNT]; 2];
        for (k, x) in x[0].iter().zip(x[1]).enumerate() {
            let y = factors(k, at);
            for (acc, x) in acc.iter_mut().zip([x.0, x.1]) {
                let x = x[at..at + 8 * COUNT].as_chunks::<8>().0;
                for i in 0..COUNT {
                    accumulate(&mut acc[i], read(&x[i]), y[i]);
                }
            }
        }
        for (out, acc) in out.iter_mut().zip(acc) {
            for (out, acc) in out[at..at + 8 * COUNT].as_chunks_mut::<8>().0.iter_mut().zip(acc) {
                write(out, wide.reduce(acc.0, acc.1));
            }
        }
    }
    len
}

/// See [`Modulus::inner_product_pair_by_runs_into`]: values are broadcast as they are read, for runs of a vector's
/// length and more.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(crate) fn inner_product_pair_by_runs_into(
    m: &Modulus,
    out: [&mut [u64]; 2],
    x: [&[&[u64]]; 2],
    y: &[&[u64]],
    log_run: u32,
) -> usize {
    let value = |k: usize, at: usize| _mm512_set1_epi64(y[k][at >> log_run].cast_signed());
    match 1 << log_run {
        0..8 => 0,
        8..32 => pair_of_sums_into::<1>(m, out, x, |k, at| [value(k, at)]),
        _ => pair_of_sums_into::<TOGETHER>(m, out, x, |k, at| [value(k, at); TOGETHER]),
    }
}

/// See [`Modulus::inner_product_pair_by_packed_into`].
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(crate) fn inner_product_pair_by_packed_into(
    m: &Modulus,
    out: [&mut [u64]; 2],
    x: [&[&[u64]]; 2],
    y: &[&[u8]],
) -> usize {
    pair_of_sums_into::<TOGETHER>(m, out, x, |k, at| {
        let y = packed::block(y[k], at, 8 * TOGETHER);
        prefetch_ahead::<false>(y, 8 * TOGETHER);
        let mut unpacked = [_mm512_setzero_si512(); TOGETHER];
        for (i, unpacked) in unpacked.iter_mut().enumerate() {
            *unpacked = unpack8::<false>(&y[48 * i..]);
        }
        unpacked
    })
}

/// `out_c = Σ_k x_k·y_{c,k}` for each of `OUTPUTS` columns of packed limbs, which are read from the last residue to the
/// first where they are `MIRRORED`; every `x_k` is read once.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(crate) fn inner_products_packed_into<const OUTPUTS: usize, const MIRRORED: bool>(
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
                let y = packed::block(y[k], if MIRRORED { n - at - STEP } else { at }, STEP);
                prefetch_ahead::<MIRRORED>(y, 8 * TOGETHER);
                for i in 0..TOGETHER {
                    let from = if MIRRORED { TOGETHER - 1 - i } else { i };
                    accumulate(&mut acc[i], read(&x[i]), unpack8::<MIRRORED>(&y[48 * from..]));
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
                let y = packed::block(y, if MIRRORED { n - at - 8 } else { at }, 8);
                accumulate(&mut acc, read(&x[at..].as_chunks::<8>().0[0]), unpack8::<MIRRORED>(y));
            }
            write(&mut out[at..].as_chunks_mut::<8>().0[0], wide.reduce(acc.0, acc.1));
        }
        at += 8;
    }
    at
}

/// Low and high accumulators of each output's two vectors.
type Sums = [[(__m512i, __m512i); SLIDING_WORDS / 8]; SLIDING_OUTPUTS];

/// The products of a slide, whose outputs are `FROM` to `TO`.
///
/// # Safety
/// The factors of the slide are all there, and 64 bytes from the last vector's first on.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
unsafe fn slide<const FROM: usize, const TO: usize, const PACKED: bool, const LINES: usize>(
    sums: &mut Sums,
    s: &Slide,
    (x, y): (*const u64, *const u8),
    low_six: __mmask64,
    ahead: &mut *const u8,
) {
    let word_nbytes = if PACKED { 6 } else { 8 };
    let mut x = x.wrapping_add(s.x * SLIDING_WORDS);
    let mut y = y.wrapping_add(s.y * SLIDING_WORDS * word_nbytes);
    let x_step = s.x_step * SLIDING_WORDS.cast_signed();
    for _ in 0..s.count {
        // A line or two at a time: more prefetches would wait for each other.
        for _ in 0..LINES {
            prefetch_line(*ahead);
            *ahead = ahead.wrapping_add(LINE);
        }
        // SAFETY: the caller vouches for the slide's factors, of `SLIDING_WORDS = 16` words each: `x` and `y` are at
        // one of them in every turn of the loop, and output `t` reads the factor of `x` that is `t − FROM` further. A
        // packed factor's second load begins with byte 48 and ends with byte 111, for which there are the next factor's
        // or the tail's.
        unsafe {
            // No closure: profile `dev` would call it for every vector.
            let (first, second) = (_mm512_loadu_si512(y.cast()), _mm512_loadu_si512(y.add(8 * word_nbytes).cast()));
            let y = if PACKED { [unpacked8(low_six, first), unpacked8(low_six, second)] } else { [first, second] };
            // Places of sums are literals: only so are these registers from one slide to the next.
            macro_rules! output {
                ($t:literal) => {
                    if FROM <= $t && $t < TO {
                        let x = x.add(($t - FROM.min($t)) * SLIDING_WORDS);
                        accumulate(&mut sums[$t][0], _mm512_loadu_si512(x.cast()), y[0]);
                        accumulate(&mut sums[$t][1], _mm512_loadu_si512(x.add(8).cast()), y[1]);
                    }
                };
            }
            output!(0);
            output!(1);
            output!(2);
            output!(3);
        }
        x = x.wrapping_offset(x_step);
        y = y.wrapping_add(SLIDING_WORDS * word_nbytes);
    }
}

/// See [`Modulus::sliding_sums_into`], of factors of [`SLIDING_WORDS`].
///
/// # Safety
/// All factors of the slides are there, and [`packed::byte_len`]`(0)` bytes after packed ones.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma,avx512vl,avx512bw,avx512vbmi")]
pub(crate) unsafe fn sliding_sums_into<const PACKED: bool, const LINES: usize>(
    m: &Modulus,
    out: &mut [u64],
    slides: &[Slide],
    (x, y): (&[u64], &[u8]),
    ahead: &[u8],
) {
    let wide = Wide::new(m);
    let zero = (_mm512_setzero_si512(), _mm512_setzero_si512());
    let mut sums: Sums = [[zero; _]; SLIDING_OUTPUTS];
    // As a constant, the mask would cost one more operation for each vector.
    let low_six = std::hint::black_box(LOW_SIX);
    let (factors, ahead) = ((x.as_ptr(), y.as_ptr()), &mut ahead.as_ptr());
    for s in slides {
        // SAFETY: the caller vouches for all factors of all slides, and for the bytes after packed ones.
        unsafe {
            match (s.from, s.to) {
                (0, 1) => slide::<0, 1, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
                (0, 2) => slide::<0, 2, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
                (0, 3) => slide::<0, 3, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
                (0, 4) => slide::<0, 4, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
                (1, 2) => slide::<1, 2, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
                (1, 3) => slide::<1, 3, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
                (1, 4) => slide::<1, 4, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
                (2, 3) => slide::<2, 3, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
                (2, 4) => slide::<2, 4, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
                _ => slide::<3, 4, PACKED, LINES>(&mut sums, s, factors, low_six, ahead),
            }
        }
    }
    // Moved to a new array for the loop: had `sums` places that aren't literals, the slides would not keep it in
    // registers.
    let [[a, b], [c, d], [e, f], [g, h]] = sums;
    for (out, (low, high)) in out.as_chunks_mut::<8>().0.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        write(out, wide.reduce(low, high));
    }
}
