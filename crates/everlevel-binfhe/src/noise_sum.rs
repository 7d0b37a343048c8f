//! A ciphertext's noise as a combination of independent errors.
//!
//! A fresh encryption has an error of its own, and so has the output of a blind rotation or of a key switch. Linear
//! combinations share the errors of their operands: the variance of `(x + z) + x` is `4·V_x + V_z`, and not
//! `2·V_x + V_z`. So a ciphertext keeps the errors it is made of, each with its factor.
//!
//! *Names.* An error is named by the mask of the ciphertext that it came with: copies, and ciphertexts that come back
//! from a file, have the same name, and so have the outputs of one bootstrap done twice, which are equal. Different
//! masks share a name with probability `2^-64`. A mask of zeros is a value in the clear, without an error.
//!
//! Beside the errors stand the bootstraps that led to the ciphertext ([`FailureBound`]): a combination's are those of
//! all its operands.

use crate::{FailureBound, Lwe};

/// An error, and the factor with which a ciphertext contains it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseTerm {
    /// The error's name.
    pub source: u64,
    /// The factor, an integer.
    pub factor: f64,
    /// Variance of the error, as a part of the torus squared.
    pub variance: f64,
}

/// `Σ factor·error` over errors of different names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NoiseSum {
    /// Ordered by name; no factor is zero.
    terms: Vec<NoiseTerm>,
    failures: FailureBound,
}

impl NoiseSum {
    /// The error that came with a ciphertext.
    pub fn of(lwe: &Lwe, variance: f64) -> Self {
        let is_clear = lwe.mask().iter().all(|&word| word == 0);
        let terms = if is_clear { vec![] } else { vec![NoiseTerm { source: name(lwe.mask()), factor: 1.0, variance }] };
        Self { terms, failures: FailureBound::default() }
    }

    /// The sum with these bootstraps as its history.
    #[must_use]
    pub fn after(self, failures: FailureBound) -> Self {
        Self { failures, ..self }
    }

    /// The bootstraps that led to the ciphertext.
    pub fn failures(&self) -> &FailureBound {
        &self.failures
    }

    /// The sum of these terms, which may share names.
    pub fn from_terms(terms: impl IntoIterator<Item = NoiseTerm>) -> Self {
        let mut terms: Vec<NoiseTerm> = terms.into_iter().collect();
        terms.sort_by_key(|term| term.source);
        terms.dedup_by(|next, term| {
            let same = next.source == term.source;
            if same {
                term.factor += next.factor;
                term.variance = term.variance.max(next.variance);
            }
            same
        });
        terms.retain(|term| term.factor != 0.0);
        Self { terms, failures: FailureBound::default() }
    }

    /// The terms, ordered by name.
    pub fn terms(&self) -> &[NoiseTerm] {
        &self.terms
    }

    /// `Σ factor·sum`.
    pub fn combination<'a>(sums: impl IntoIterator<Item = (f64, &'a Self)>) -> Self {
        let sums: Vec<(f64, &Self)> = sums.into_iter().collect();
        let scaled = |&(factor, sum): &(f64, &'a Self)| {
            sum.terms.iter().map(move |&term| NoiseTerm { factor: factor * term.factor, ..term })
        };
        let failures = FailureBound::union(sums.iter().map(|(_, sum)| &sum.failures));
        Self::from_terms(sums.iter().flat_map(scaled)).after(failures)
    }

    /// Variance of the sum, as a part of the torus squared.
    pub fn variance_torus(&self) -> f64 {
        // Of no terms, a sum of doubles is −0, whose root would divide a margin to −∞.
        self.terms.iter().fold(0.0, |sum, term| sum + term.factor * term.factor * term.variance)
    }
}

/// A hash of uniform words: the multiplication's upper half is folded into the lower.
pub(crate) fn name(mask: &[u64]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    mask.iter().fold(ODD, |hash, &word| {
        let product = u128::from(hash ^ word) * u128::from(ODD);
        (product >> 64) as u64 ^ product as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lwe(first: u64) -> Lwe {
        Lwe::from_words(vec![first, 7, 9])
    }

    #[test]
    fn shared_errors_add_as_values_and_others_as_variances() {
        let (x, z) = (NoiseSum::of(&lwe(1), 2.0), NoiseSum::of(&lwe(2), 0.5));
        let y = NoiseSum::combination([(1.0, &x), (1.0, &z)]);
        assert_eq!(y.variance_torus(), 2.5);
        assert_eq!(NoiseSum::combination([(1.0, &y), (1.0, &x)]).variance_torus(), 4.0 * 2.0 + 0.5);
        assert_eq!(NoiseSum::combination([(1.0, &y), (-1.0, &x)]), z);
        assert_eq!(NoiseSum::combination([(3.0, &y), (-3.0, &y)]), NoiseSum::default());
    }

    #[test]
    fn equal_masks_have_equal_names_and_values_in_the_clear_none() {
        assert_eq!(NoiseSum::of(&lwe(3), 1.0), NoiseSum::of(&Lwe::from_words(vec![3, 7, 8]), 1.0));
        assert_ne!(NoiseSum::of(&lwe(3), 1.0).terms[0].source, NoiseSum::of(&lwe(4), 1.0).terms[0].source);
        assert_eq!(NoiseSum::of(&Lwe::trivial(2, 5), 1.0), NoiseSum::default());
        assert!(NoiseSum::default().variance_torus().is_sign_positive());
        // A liar's variance doesn't hide behind a copy's.
        let (low, high) = (NoiseSum::of(&lwe(3), 1.0), NoiseSum::of(&lwe(3), 4.0));
        assert_eq!(NoiseSum::combination([(1.0, &high), (1.0, &low)]).variance_torus(), 16.0);
    }
}
