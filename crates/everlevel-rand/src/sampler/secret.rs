//! Secret distributions: ternary, binary, fixed weight, one in each block. Nothing here branches on or indexes by a
//! secret value.

use zeroize::Zeroizing;

use super::Errors;
use crate::secrecy::declassified;
use crate::stream::CHUNK;
use crate::{Error, Stream};

/// Fills `out` with independent uniform values in `{-1, 0, 1}`.
///
/// Entry `i` is `⌊3w/2^64⌋ − 1` for the next word `w`: one word an entry. Distance from uniform: below `2^-64` an
/// entry.
pub fn ternary(stream: &mut Stream, out: &mut [i8]) {
    let mut words = Zeroizing::new([0; CHUNK]);
    for chunk in out.chunks_mut(CHUNK) {
        let words = &mut words[..chunk.len()];
        stream.fill_u64(words);
        for (x, &w) in chunk.iter_mut().zip(words.iter()) {
            *x = ((3 * w as u128) >> 64) as i8 - 1;
        }
    }
}

/// Independent uniform values in `{-1, 0, 1}`, as errors.
#[derive(Debug, Clone, Copy)]
pub struct Ternary;

impl Errors for Ternary {
    fn sample(&self, stream: &mut Stream, out: &mut [i64]) {
        let mut values = Zeroizing::new(vec![0; out.len()]);
        ternary(stream, &mut values);
        out.iter_mut().zip(values.iter()).for_each(|(out, &x)| *out = i64::from(x));
    }
}

/// Fills `out` with independent uniform bits.
///
/// Entry `64i + j` is bit `j` (from the least significant) of the `i`-th next word; the last word's spare bits are
/// dropped.
pub fn binary(stream: &mut Stream, out: &mut [i8]) {
    let mut words = Zeroizing::new([0; CHUNK]);
    for chunk in out.chunks_mut(64 * CHUNK) {
        let words = &mut words[..chunk.len().div_ceil(64)];
        stream.fill_u64(words);
        for (bits, &w) in chunk.chunks_mut(64).zip(words.iter()) {
            for (j, x) in bits.iter_mut().enumerate() {
                *x = ((w >> j) & 1) as i8;
            }
        }
    }
}

/// Fills `out` with exactly `weight` entries of ±1 at uniform positions, uniform signs, and zeros elsewhere.
///
/// Selection sampling (Knuth, TAOCP vol. 2, §3.4.2, Algorithm S), which scans the entries once. Positions come first:
/// entry `i` of `n` is chosen if `r < k`, where `k` entries are still to be chosen and `r` is uniform in `[0, m)`,
/// `m = n − i`: words `w` are taken until `(w·m) mod 2^64 ≥ 2^64 mod m`, then `r = ⌊w·m/2^64⌋` (Lemire 2019,
/// arXiv:1805.10941). Signs come next: entry `64i + j` is negative, if chosen, where bit `j` of the `i`-th next word is
/// set. Exact: every signed support is equally likely.
///
/// Timing: the entries are scanned in order and updated by arithmetic; a rejection, of probability below `n/2^64`, is
/// independent of the result.
///
/// # Errors
/// [`Error::WeightExceedsLength`] when `weight > out.len()`; `out` and the stream are left as they were.
pub fn fixed_weight(stream: &mut Stream, out: &mut [i8], weight: usize) -> Result<(), Error> {
    binary_weight(stream, out, weight)?;
    for signs in out.chunks_mut(64) {
        let w = stream.next_u64();
        for (j, x) in signs.iter_mut().enumerate() {
            *x *= 1 - 2 * ((w >> j) & 1) as i8;
        }
    }
    Ok(())
}

/// Fills `out` with exactly `weight` ones at uniform positions and zeros elsewhere: the positions of [`fixed_weight`],
/// whose words and timing it has.
///
/// # Errors
/// As [`fixed_weight`].
pub fn binary_weight(stream: &mut Stream, out: &mut [i8], weight: usize) -> Result<(), Error> {
    let len = out.len();
    if weight > len {
        return Err(Error::WeightExceedsLength { weight, len });
    }
    let mut missing = weight as u64;
    for (i, x) in out.iter_mut().enumerate() {
        let r = below(stream, (len - i) as u64);
        // Both are below 2^63, so the borrow is the comparison.
        let chosen = r.wrapping_sub(missing) >> 63;
        missing -= chosen;
        *x = chosen as i8;
    }
    Ok(())
}

/// Fills each `block` entries of `out` with a one at a uniform position and zeros elsewhere; the last block may be
/// shorter.
///
/// The position is `⌊w·len/2^64⌋` for the next word `w` and the block's length: one word a block. Distance from
/// uniform: below `len/2^64` a block. Timing: every entry is compared with the position.
///
/// # Panics
/// If `block` is 0.
pub fn one_hot(stream: &mut Stream, out: &mut [i8], block: usize) {
    for entries in out.chunks_mut(block) {
        let position = (u128::from(stream.next_u64()) * entries.len() as u128) >> 64;
        // The difference is below 2^63 unless it is zero less one.
        entries.iter_mut().zip(0u64..).for_each(|(x, i)| *x = ((i ^ position as u64).wrapping_sub(1) >> 63) as i8);
    }
}

/// Uniform in `[0, m)` for a public `m`, exact.
#[inline]
fn below(stream: &mut Stream, m: u64) -> u64 {
    let threshold = m.wrapping_neg() % m;
    loop {
        let product = stream.next_u64() as u128 * m as u128;
        // Whether a word is thrown away is independent of the value that the next one gives.
        if declassified(product as u64 >= threshold) {
            return (product >> 64) as u64;
        }
    }
}
