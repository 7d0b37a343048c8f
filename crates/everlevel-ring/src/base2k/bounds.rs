//! The largest bases whose sums of products are right. `docs/notes/base2k.md` derives them.

use super::Module;

/// How polynomials with integer coefficients are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transform {
    /// The complex transform, in doubles.
    Doubles,
    /// Number theoretic transforms modulo two primes below `2^48`.
    TwoPrimes,
    /// Number theoretic transforms modulo three primes below `2^48`.
    ThreePrimes,
}

/// Where the digits of a product come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// Both may be anybody's choice: no product is wrong.
    Chosen,
    /// One is uniform by construction, such as the rows of a key, and doesn't depend on the other: doubles are wrong
    /// with a probability of twelve deviations. Number theoretic transforms are always right.
    Uniform,
}

/// Faults of a ring of limbs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The degree or the base was refused.
    #[error(transparent)]
    Math(#[from] everlevel_math::Error),
    /// Sums of products of such limbs would be wrong.
    #[error(
        "base2k: sums of {terms} products of {log2_base}-bit limbs at n = {n} need a base of at most {max} bits with \
         this transform; take a smaller base, or one of more primes"
    )]
    BaseTooLarge {
        /// log2 of the base.
        log2_base: u32,
        /// The largest that is right.
        max: u32,
        /// Products in a sum.
        terms: usize,
        /// The degree.
        n: usize,
    },
}

/// `log2 (2^a + 2^b)`: of sizes of sums, and of errors that may depend on each other.
pub fn log2_sum(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high == f64::NEG_INFINITY { high } else { high + (1.0 + (low - high).exp2()).log2() }
}

impl Module {
    /// The largest `K` for which sums of `terms` products of balanced limbs in base `2^K` are right: 0 where there is
    /// none, and at most 62.
    pub fn max_log2_base(&self, terms: usize, operands: Operands) -> u32 {
        let n = self.n() as f64;
        let log2_products = n.log2() + (terms.max(1) as f64).log2();
        let primes = |count: usize| {
            let log2_modulus: f64 = (0..count).map(|i| self.modulus(i).log2()).sum();
            // t·n·2^(2K − 2) < Q/2 − Q/q, with a margin for the logarithms.
            let room = log2_modulus - 1.0 - 1e-9;
            (room - log2_products + 2.0) / 2.0
        };
        let log2_base = match self.transform() {
            Transform::TwoPrimes => primes(2),
            Transform::ThreePrimes => primes(3),
            Transform::Doubles => {
                let (levels, terms) = ((n / 2.0).log2(), terms.max(1) as f64);
                match operands {
                    Operands::Chosen => {
                        let factor = 7.42 * levels + 3.0 * terms + 1.0 + 3.71 * levels * n.sqrt();
                        (53.0 - 1.0 - factor.log2() - log2_products + 2.0) / 2.0
                    }
                    Operands::Uniform => {
                        let log2_deviation = 0.5 * ((1.45 * levels + 0.3).log2() + log2_products) - 53.0;
                        // 12·σ·2^(2K)/12 ≤ 1/2.
                        (-1.0 - log2_deviation) / 2.0
                    }
                }
            }
        };
        if log2_base < 2.0 { 0 } else { log2_base.min(62.0) as u32 }
    }

    /// Refuses bases beyond [`Module::max_log2_base`].
    ///
    /// # Errors
    /// [`Error::BaseTooLarge`].
    pub fn require_base(&self, log2_base: u32, terms: usize, operands: Operands) -> Result<(), Error> {
        let max = self.max_log2_base(terms, operands);
        if log2_base <= max { Ok(()) } else { Err(Error::BaseTooLarge { log2_base, max, terms, n: self.n() }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_in_logarithms_are_those_of_numbers_and_of_nothing() {
        let none = f64::NEG_INFINITY;
        assert_eq!([log2_sum(3.0, 3.0), log2_sum(-2000.0, none), log2_sum(none, none)], [4.0, -2000.0, none]);
    }

    /// The table of the note.
    #[test]
    fn bounds_are_those_of_the_note() {
        for (log_n, limb_bits) in [(10, 27usize), (12, 109), (14, 438), (15, 865), (16, 1729)] {
            let row = [
                (Transform::Doubles, Operands::Chosen),
                (Transform::Doubles, Operands::Uniform),
                (Transform::TwoPrimes, Operands::Chosen),
                (Transform::ThreePrimes, Operands::Chosen),
            ]
            .map(|(transform, operands)| {
                let module = Module::new(log_n, transform).expect("degree");
                // The number of limbs follows the base.
                let fits = |k: &u32| module.max_log2_base(limb_bits.div_ceil(*k as usize), operands) >= *k;
                (2..=62u32).rev().find(fits).unwrap_or(0)
            });
            let line = format!("| 2^{log_n} | {limb_bits} | {} | {} | {} | {} |", row[0], row[1], row[2], row[3]);
            assert!(include_str!("../../notes/base2k.md").contains(&line), "{line}");
        }
    }
}
