//! The inner loop of an LWE key switch on 32-bit torus words: digits times rows, where one row serves the `R` coefficients of a polynomial.
//!
//! A row is a module-LWE sample over `Z[X]/(X^R + 1)`: masks `A_1, …, A_k` and a body `B`. What a block of digits `d_0, …, d_(R−1)` takes from
//! it is the constant coefficient of `Σ_r d_r·X^(−r)·(A, B)` as an LWE sample: `Σ_r d_r·B_r` for the body and, for coefficient `m` of mask `i`,
//! `Σ_(r≥m) d_r·A_(i,r−m) − Σ_(r<m) d_r·A_(i,R+r−m)`. With `E_u = A_(R−1−u)` for `u < R` and `−A_(2R−1−u)` beyond, that is
//! `Σ_r d_r·E_(R−1−r+m)`: windows of one array, so rows are kept as these `2R − 1` words a mask, then the body's `R`. With `R = 1`, a row is
//! an LWE sample.

use crate::Simd;
use crate::simd::Level;

/// Words of a row for `dim` mask coefficients.
pub fn row_len(dim: usize, ring: usize) -> usize {
    dim / ring * (2 * ring - 1) + ring
}

/// Writes a row from its masks, one after another, and its body.
///
/// # Panics
/// If a length doesn't fit.
pub fn extend(row: &mut [u32], masks: &[u32], body: &[u32]) {
    let ring = body.len();
    assert_eq!(row.len(), row_len(masks.len(), ring));
    let (extended, row_body) = row.split_at_mut(row.len() - ring);
    for (e, a) in extended.chunks_exact_mut(2 * ring - 1).zip(masks.chunks_exact(ring)) {
        for (u, word) in e.iter_mut().enumerate() {
            *word = if u < ring { a[ring - 1 - u] } else { a[2 * ring - 1 - u].wrapping_neg() };
        }
    }
    row_body.copy_from_slice(body);
}

/// Adds to `out`, masks and then one body word, what `digits` take from `rows`: `ring` digits, signed, for each row.
///
/// # Panics
/// If a length doesn't fit.
pub fn add_products(out: &mut [u32], digits: &[u32], rows: &[u32], ring: usize) {
    let dim = out.len() - 1;
    assert!(dim.is_multiple_of(ring) && digits.len().is_multiple_of(ring));
    assert_eq!(rows.len(), digits.len() / ring * row_len(dim, ring));
    match Simd::best().0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this level exists only where its features were detected.
        Level::Avx512Ifma => unsafe { add_avx512(out, digits, rows, ring) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::Avx2 => unsafe { add_avx2(out, digits, rows, ring) },
        _ => add(out, digits, rows, ring),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn add_avx512(out: &mut [u32], digits: &[u32], rows: &[u32], ring: usize) {
    add(out, digits, rows, ring);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_avx2(out: &mut [u32], digits: &[u32], rows: &[u32], ring: usize) {
    add(out, digits, rows, ring);
}

/// Shaped for the compiler to vectorise with whatever its caller enables.
#[inline(always)]
fn add(out: &mut [u32], digits: &[u32], rows: &[u32], ring: usize) {
    match ring {
        1 => add_lwe(out, digits, rows),
        32 => add_blocks::<32>(out, digits, rows),
        64 => add_blocks::<64>(out, digits, rows),
        _ => add_any(out, digits, rows, ring),
    }
}

#[inline(always)]
fn add_lwe(out: &mut [u32], digits: &[u32], rows: &[u32]) {
    for (&digit, row) in digits.iter().zip(rows.chunks_exact(out.len())) {
        for (out, &word) in out.iter_mut().zip(row) {
            *out = out.wrapping_add(digit.wrapping_mul(word));
        }
    }
}

/// The sums of one mask stay in registers over the `R` digits.
#[inline(always)]
fn add_blocks<const R: usize>(out: &mut [u32], digits: &[u32], rows: &[u32]) {
    let dim = out.len() - 1;
    let (masks, body) = out.split_at_mut(dim);
    for (digits, row) in digits.chunks_exact(R).zip(rows.chunks_exact(row_len(dim, R))) {
        let (extended, row_body) = row.split_at(row.len() - R);
        for (out, e) in masks.chunks_exact_mut(R).zip(extended.chunks_exact(2 * R - 1)) {
            let mut sum: [u32; R] = std::array::from_fn(|m| out[m]);
            for (r, &digit) in digits.iter().enumerate() {
                let window = &e[R - 1 - r..][..R];
                for m in 0..R {
                    sum[m] = sum[m].wrapping_add(digit.wrapping_mul(window[m]));
                }
            }
            out.copy_from_slice(&sum);
        }
        body[0] = body[0].wrapping_add(inner_product(digits, row_body));
    }
}

#[inline(always)]
fn add_any(out: &mut [u32], digits: &[u32], rows: &[u32], ring: usize) {
    let dim = out.len() - 1;
    let (masks, body) = out.split_at_mut(dim);
    for (digits, row) in digits.chunks_exact(ring).zip(rows.chunks_exact(row_len(dim, ring))) {
        let (extended, row_body) = row.split_at(row.len() - ring);
        for (out, e) in masks.chunks_exact_mut(ring).zip(extended.chunks_exact(2 * ring - 1)) {
            for (r, &digit) in digits.iter().enumerate() {
                for (out, &word) in out.iter_mut().zip(&e[ring - 1 - r..]) {
                    *out = out.wrapping_add(digit.wrapping_mul(word));
                }
            }
        }
        body[0] = body[0].wrapping_add(inner_product(digits, row_body));
    }
}

#[inline(always)]
fn inner_product(a: &[u32], b: &[u32]) -> u32 {
    a.iter().zip(b).fold(0, |sum: u32, (&a, &b)| sum.wrapping_add(a.wrapping_mul(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the definition: multiply by `X^(−r)`, extract the constant coefficient.
    #[test]
    fn every_shape_gives_the_definition() {
        let word = |i: usize| (i as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(i as u32 % 32);
        for (ring, k, count) in [(1, 37, 5), (2, 3, 4), (16, 3, 2), (32, 5, 3), (64, 2, 2), (128, 2, 2)] {
            let dim = ring * k;
            let masks: Vec<u32> = (0..count * dim).map(word).collect();
            let bodies: Vec<u32> = (0..count * ring).map(|i| word(i + 1000)).collect();
            let digits: Vec<u32> = (0..count * ring).map(|i| (word(i + 77) % 5).wrapping_sub(2)).collect();
            let mut rows = vec![0; count * row_len(dim, ring)];
            for (i, row) in rows.chunks_mut(row_len(dim, ring)).enumerate() {
                extend(row, &masks[i * dim..][..dim], &bodies[i * ring..][..ring]);
            }
            let mut expected: Vec<u32> = (0..=dim).map(|i| word(i + 5)).collect();
            let start = expected.clone();
            for i in 0..count {
                for r in 0..ring {
                    let d = digits[i * ring + r];
                    // Coefficient c of X^(−r)·A.
                    let shifted = |a: &[u32], c: usize| {
                        if c + r < ring { a[c + r] } else { a[c + r - ring].wrapping_neg() }
                    };
                    for p in 0..k {
                        let a = &masks[i * dim + p * ring..][..ring];
                        for m in 0..ring {
                            let extracted = if m == 0 { shifted(a, 0) } else { shifted(a, ring - m).wrapping_neg() };
                            let out = &mut expected[p * ring + m];
                            *out = out.wrapping_add(d.wrapping_mul(extracted));
                        }
                    }
                    expected[dim] = expected[dim].wrapping_add(d.wrapping_mul(bodies[i * ring + r]));
                }
            }
            for kernel in [add_products, add] {
                let mut out = start.clone();
                kernel(&mut out, &digits, &rows, ring);
                assert_eq!(out, expected, "R = {ring}");
            }
        }
    }
}
