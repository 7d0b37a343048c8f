//! Conversions between residues modulo `Q` and torus words.

use everlevel_rlwe::{Lwe, lwe};

/// A torus element in units of `1/Q`: the nearest residue.
pub(super) fn switched(x: u64, q: u64) -> u64 {
    let product = u128::from(x) * u128::from(q) + (1 << 63);
    let nearest = (product >> 64) as u64;
    if nearest == q { 0 } else { nearest }
}

/// Residues of an odd `q` below 2^31 as torus elements: the nearest to `x/Q`.
pub(crate) fn widened(q: u64) -> impl Fn(u64) -> u64 {
    // 2^64 is quotient·q + rest: what is left to be divided fits a word.
    let quotient = u64::MAX / q;
    let rest = quotient.wrapping_mul(q).wrapping_neg();
    move |x| x * quotient + (x * rest + q / 2) / q
}

/// Coefficient `h` of an accumulator's product with the secret, as an LWE ciphertext under the secret's coefficients.
pub(super) fn extract(acc: impl ExactSizeIterator<Item = u64>, q: u64, h: usize) -> Lwe {
    let n = acc.len();
    // The phase is the body less the masks times the secret, and there is no body.
    let widened = widened(q);
    let mut words = Vec::with_capacity(2 * n);
    words.extend(acc.map(|x| widened(x).wrapping_neg()));
    words.resize(2 * n, 0);
    lwe::extract(&words, n, h, n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_nearest() {
        for q in [1_032_193, 1_320_961, 268_369_921, 12_289] {
            let widened = widened(q);
            for x in (0..1000).chain(q / 2 - 500..q / 2 + 500).chain(q - 1000..q) {
                let expected = ((u128::from(x) << 64) + u128::from(q / 2)) / u128::from(q);
                assert_eq!(widened(x), expected as u64, "{x} modulo {q}");
                assert_eq!(switched(widened(x), q), x);
            }
            assert_eq!(switched(u64::MAX, q), 0);
        }
    }
}
