//! Between residues modulo `Q` and torus words.

use everlevel_rlwe::{Lwe, lwe};

/// A torus element in units of `1/Q`: the nearest residue.
pub(super) fn switched(x: u64, q: u64) -> u64 {
    let product = u128::from(x) * u128::from(q) + (1 << 63);
    ((product >> 64) as u64) % q
}

/// A residue as a torus element: the nearest to `x/Q`.
fn widened(x: u64, q: u64) -> u64 {
    (((u128::from(x) << 64) + u128::from(q / 2)) / u128::from(q)) as u64
}

/// Coefficient `h` of an accumulator's product with the secret, as an LWE ciphertext under the secret's coefficients.
pub(super) fn extract(acc: impl ExactSizeIterator<Item = u64>, q: u64, h: usize) -> Lwe {
    let n = acc.len();
    // The phase is the body less the masks times the secret, and there is no body.
    let mut words: Vec<u64> = acc.map(|x| widened(x, q).wrapping_neg()).collect();
    words.resize(2 * n, 0);
    lwe::extract(&words, n, h)
}
