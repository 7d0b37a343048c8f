//! The variance of the error of products.

use super::products::KeyWord;

/// The variance, in torus units, of the error of [`Fft::multiply`](super::Fft::multiply) and the transforms around it:
/// one coefficient of a product of `rows` uniform digits in base `2^log2_base` with uniform torus words prepared as
/// `K`. Without the last rounding to a word, whose variance is `2^(−2·BITS)/12`.
///
/// Derivation and measurements: `docs/notes/fft.md`.
pub fn product_variance_torus<K: KeyWord>(n: usize, rows: usize, log2_base: u32) -> f64 {
    let levels = f64::from((n / 2).max(1).ilog2());
    let result = rows as f64 * n as f64 * 2f64.powi(2 * log2_base as i32) / 144.0;
    result * (2f64.powi(-106) * (1.45 * levels + 0.3) + K::RELATIVE_VARIANCE)
}
