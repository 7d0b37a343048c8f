//! Uniform residues by rejection.

use super::CHUNK;
use crate::Stream;

/// Fills `out` with independent uniform residues in `[0, q)`.
///
/// Let `b` be the bit length of `q − 1` and `m = 2^b − 1`. Words `w` are taken in order; `w & m` is the next residue if it
/// is below `q`, otherwise it is dropped. The last word taken is the one that gave the last residue. Exact: no bias.
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

/// Moves the masked words below `q` to the front, in order, and counts them.
fn compact(words: &mut [u64], q: u64, mask: u64) -> usize {
    let mut kept = 0;
    for i in 0..words.len() {
        let candidate = words[i] & mask;
        words[kept] = candidate;
        kept += usize::from(candidate < q);
    }
    kept
}
