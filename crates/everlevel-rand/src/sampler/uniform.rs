//! Uniform residues by rejection.

use crate::Stream;
use crate::stream::CHUNK;

/// Fills `out` with independent uniform residues in `[0, q)`.
///
/// Let `b` be the bit length of `q − 1` and `m = 2^b − 1`. Words `w` are taken in order; `w & m` is the next residue if
/// it is below `q`, otherwise it is dropped. The last word taken is the one that gave the last residue. Exact: no bias.
///
/// * `out` — residues, canonical
/// * `q`   — modulus, `1 ≤ q`; the library's moduli are below `2^48`
///
/// Timing: branch-free on the residues, but the number of dropped words shows. Cost: `2^b/q < 2` words a residue.
/// Oracle: the one-line loop in `tests/known_answers.rs`.
///
/// # Panics
/// If `q` is zero, or when the address is exhausted (see [`Stream::fill_u64`]).
pub fn uniform_mod(stream: &mut Stream, out: &mut [u64], q: u64) {
    assert!(q > 0, "uniform_mod: the modulus is zero");
    let mask = u64::MAX.checked_shr((q - 1).leading_zeros()).unwrap_or(0);
    let mut done = 0;
    // A chunk never asks for more words than residues are missing, so the stream stops at the last accepted word.
    while done < out.len() {
        let end = out.len().min(done + CHUNK);
        let chunk = &mut out[done..end];
        stream.fill_u64(chunk);
        done += compact(chunk, q, mask);
    }
}

/// Moves the masked words below `q` to the front, in order, and counts them; the words behind them are unspecified
/// afterwards.
fn compact(words: &mut [u64], q: u64, mask: u64) -> usize {
    #[cfg(target_arch = "x86_64")]
    if crate::cpu::has_avx512() {
        // SAFETY: `has_avx512` is true only where the CPU has AVX-512 F.
        return unsafe { compact_avx512(words, q, mask) };
    }
    compact_portable(words, 0, 0, q, mask)
}

/// [`compact`] from word `from` on, where `kept ≤ from` words have been kept.
fn compact_portable(words: &mut [u64], from: usize, mut kept: usize, q: u64, mask: u64) -> usize {
    for i in from..words.len() {
        let candidate = words[i] & mask;
        words[kept] = candidate;
        kept += usize::from(candidate < q);
    }
    kept
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn compact_avx512(words: &mut [u64], q: u64, mask: u64) -> usize {
    use std::arch::x86_64::*;
    let (limit, mask_8) = (_mm512_set1_epi64(q as i64), _mm512_set1_epi64(mask as i64));
    let whole = words.len() / 8 * 8;
    let mut kept = 0;
    for i in (0..whole).step_by(8) {
        assert!(kept <= i);
        // SAFETY: i + 8 ≤ whole ≤ words.len(), and no alignment is needed.
        let candidates = _mm512_and_si512(unsafe { _mm512_loadu_si512(words.as_ptr().add(i).cast()) }, mask_8);
        let good = _mm512_cmplt_epu64_mask(candidates, limit);
        let packed = _mm512_maskz_compress_epi64(good, candidates);
        // SAFETY: kept ≤ i, asserted above, so the eight words end at or before i + 8 and have all been read.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().add(kept).cast(), packed) };
        kept += good.count_ones() as usize;
    }
    compact_portable(words, whole, kept, q, mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Seed};

    #[test]
    fn every_backend_keeps_the_same_words() {
        let mut stream = Seed::from_bytes([3; 32]).stream(Domain::Test, 0);
        for len in (0..70).chain([500, 512]) {
            let mut words = vec![0; len];
            stream.fill_u64(&mut words);
            for (q, mask) in
                [(1 << 47, (1 << 47) - 1), ((1 << 47) + 1, (1 << 48) - 1), (5, 7), (1, 0), (1 << 63, u64::MAX)]
            {
                let expected: Vec<u64> = words.iter().map(|w| w & mask).filter(|&w| w < q).collect();
                let mut portable = words.clone();
                let kept = compact_portable(&mut portable, 0, 0, q, mask);
                assert_eq!(portable[..kept], expected);
                let mut chosen = words.clone();
                let kept = compact(&mut chosen, q, mask);
                assert_eq!(chosen[..kept], expected);
            }
        }
    }
}
