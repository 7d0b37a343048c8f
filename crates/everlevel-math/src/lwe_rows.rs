//! The inner loop of an LWE key switch on 32-bit torus words: digits times rows. Where rows are samples over a ring, it
//! is [`crate::fft::Rows`].

use crate::Simd;
#[cfg(target_arch = "x86_64")]
use crate::simd::Level;

/// Rows that are added together: a sum is loaded and stored once for all of them, and they stay in the first-level
/// cache for the next sum.
const TILE: usize = 8;

/// Adds to each of the sums in `out`, of `len` words each, its digits times the rows: `digits` has one for each row,
/// sum by sum.
///
/// # Panics
/// If a length doesn't fit.
pub fn add_products(out: &mut [u32], digits: &[u32], rows: &[u32], len: usize) {
    assert!(len > 0 && out.len().is_multiple_of(len) && rows.len().is_multiple_of(len));
    assert_eq!(digits.len(), out.len() / len * (rows.len() / len));
    match Simd::best().0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the function needs AVX-512, which `Simd::available` detected before it made a `Simd` of this level.
        Level::Avx512Ifma => unsafe { add_avx512(out, digits, rows, len) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the function needs AVX2, which `Simd::available` detected before it made a `Simd` of this level.
        Level::Avx2 => unsafe { add_avx2(out, digits, rows, len) },
        _ => add(out, digits, rows, len),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn add_avx512(out: &mut [u32], digits: &[u32], rows: &[u32], len: usize) {
    add(out, digits, rows, len);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_avx2(out: &mut [u32], digits: &[u32], rows: &[u32], len: usize) {
    add(out, digits, rows, len);
}

/// [`add_products`] in a shape that the compiler vectorises with the features that its caller enables.
#[inline(always)]
fn add(out: &mut [u32], digits: &[u32], rows: &[u32], len: usize) {
    let count = rows.len() / len;
    for first in (0..count).step_by(TILE) {
        let tile = &rows[first * len..rows.len().min((first + TILE) * len)];
        for (out, digits) in out.chunks_exact_mut(len).zip(digits.chunks_exact(count)) {
            let digits = &digits[first..];
            if tile.len() == TILE * len {
                let digits: [u32; TILE] = std::array::from_fn(|i| digits[i]);
                let rows: [&[u32]; TILE] = std::array::from_fn(|i| &tile[i * len..][..len]);
                for (j, out) in out.iter_mut().enumerate() {
                    let mut sum = *out;
                    for i in 0..TILE {
                        sum = sum.wrapping_add(digits[i].wrapping_mul(rows[i][j]));
                    }
                    *out = sum;
                }
            } else {
                for (row, &digit) in tile.chunks_exact(len).zip(digits) {
                    for (out, &word) in out.iter_mut().zip(row) {
                        *out = out.wrapping_add(digit.wrapping_mul(word));
                    }
                }
            }
        }
    }
}
