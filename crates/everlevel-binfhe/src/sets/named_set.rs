//! A named set: numbers of a scheme's literal, and claims about them.

use everlevel_ring::base2k::Transform;
use everlevel_security::{SecretDistribution, torus};

use super::ntru_numbers::NtruNumbers;
use super::tfhe_numbers::TfheNumbers;
use crate::Error;
use crate::common::Common;
use crate::params::{Literal, Params};
use crate::tfhe::LimbsLiteral;

/// A named set of parameters, and the claims about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedSet {
    /// The set's name: `gate` or `integer-BITS`, then log2 of the failure probability that the set stays below. Names
    /// of NTRU's sets begin with `ntru`, and what follows with `insecure` where they are below 128 bits. Names end with
    /// `experimental` where security rests on [assumptions](NamedSet::assumptions) of their own, and with `baseline`
    /// where another set is better in time, key and failure together: those are for comparisons.
    pub name: &'static str,
    /// Cheapest attack on any of the secrets, NTRU's key among them, under MATZOV ([`everlevel_security::torus`]); 0
    /// for sets without any security, whose dimensions are below what attacks are counted for.
    pub security_bits: f64,
    /// log2 of the failure probability of a bootstrap whose input has the largest accepted `squared_norm`: at most
    /// that, for all keys but one in `2^40`.
    pub log2_p_fail: f64,
    /// One sentence for people.
    pub about: &'static str,
    numbers: Numbers,
}

/// A scheme's literal in short form.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Numbers {
    Tfhe(TfheNumbers),
    Limbs(TfheNumbers, Transform),
    Ntru(NtruNumbers),
}

impl NamedSet {
    /// The unchecked parameters, for variations.
    pub fn literal(&self) -> Literal {
        match &self.numbers {
            Numbers::Tfhe(numbers) => numbers.literal().into(),
            &Numbers::Limbs(ref numbers, transform) => LimbsLiteral { words: numbers.literal(), transform }.into(),
            Numbers::Ntru(numbers) => numbers.literal().into(),
        }
    }

    /// The set's space, order and failure probability at ring degree `2^log_n` and a small dimension, **without any
    /// security**: for tests, and for looking at how things work.
    pub fn insecure_literal(&self, log_n: u32) -> Literal {
        match &self.numbers {
            Numbers::Tfhe(numbers) => numbers.insecure_literal(log_n).into(),
            &Numbers::Limbs(ref numbers, transform) => {
                LimbsLiteral { words: numbers.insecure_literal(log_n), transform }.into()
            }
            Numbers::Ntru(numbers) => numbers.insecure_literal(log_n).into(),
        }
    }

    /// Assumptions besides the field's usual ones: none, but for experimental sets.
    pub fn assumptions(&self) -> Vec<&'static str> {
        self.literal().scheme().common().assumptions()
    }

    /// Whether the set is NTRU's.
    pub fn is_ntru(&self) -> bool {
        matches!(self.numbers, Numbers::Ntru(_))
    }

    /// The cheapest attack on any of the secrets by the core-SVP count, which is computed: the stricter one. 0 for sets
    /// without any security.
    ///
    /// # Panics
    /// Never for the sets of [`ALL`](super::ALL): a test counts each.
    pub fn core_svp_bits(&self) -> f64 {
        if self.security_bits == 0.0 {
            return 0.0;
        }
        let literal = self.literal();
        let Common { secrets, lwe_dim, lwe_log2_std_dev, big_dim, big_log2_std_dev, landings, .. } =
            literal.scheme().common();
        let small = (secrets.small.distribution(lwe_dim), lwe_dim, lwe_log2_std_dev);
        let binary = landings.iter().map(|to| (to.dim, to.log2_std_dev)).chain([(big_dim, big_log2_std_dev)]);
        let all = binary.map(|(dim, log2_std_dev)| (SecretDistribution::Binary, dim, log2_std_dev)).chain([small]);
        let count = |(secret, dim, log2_std_dev)| {
            torus::core_svp_of(secret, dim, log2_std_dev).expect("an instance").unwrap_or(f64::INFINITY)
        };
        let ntru = literal.ntru().map_or(f64::INFINITY, |literal| literal.core_svp_bits());
        all.map(count).fold(ntru, f64::min)
    }

    /// The parameters.
    ///
    /// # Errors
    /// None for the sets of [`ALL`](super::ALL): a test makes each.
    pub fn params(&self) -> Result<Params, Error> {
        Params::try_from(self.literal())
    }
}

/// A set of TFHE's.
pub(super) const fn tfhe(
    name: &'static str,
    (security_bits, log2_p_fail): (f64, f64),
    about: &'static str,
    numbers: TfheNumbers,
) -> NamedSet {
    NamedSet { name, security_bits, log2_p_fail, about, numbers: Numbers::Tfhe(numbers) }
}

/// A set of TFHE's over limbs.
pub(super) const fn over_limbs(
    name: &'static str,
    (security_bits, log2_p_fail): (f64, f64),
    about: &'static str,
    numbers: TfheNumbers,
    transform: Transform,
) -> NamedSet {
    NamedSet { name, security_bits, log2_p_fail, about, numbers: Numbers::Limbs(numbers, transform) }
}

/// A set of NTRU's.
pub(super) const fn ntru(
    name: &'static str,
    (security_bits, log2_p_fail): (f64, f64),
    about: &'static str,
    numbers: NtruNumbers,
) -> NamedSet {
    NamedSet { name, security_bits, log2_p_fail, about, numbers: Numbers::Ntru(numbers) }
}
