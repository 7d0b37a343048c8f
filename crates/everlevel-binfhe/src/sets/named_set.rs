//! A named set: numbers of a scheme's literal, and claims about them.

use super::ntru_numbers::NtruNumbers;
use super::tfhe_numbers::TfheNumbers;
use crate::Error;
use crate::params::{Literal, Params};

/// A named set of parameters, and the claims about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedSet {
    /// Its name: `gate` or `integer-BITS`, then log2 of the failure probability that the set stays below. Names of
    /// NTRU's sets begin with `ntru`, and what follows with `insecure` where they are below 128 bits. Names end with
    /// `experimental` where security rests on [assumptions](NamedSet::assumptions) of their own.
    pub name: &'static str,
    /// Cheapest attack on any of the secrets under MATZOV ([`everlevel_security::torus`]).
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
    Ntru(NtruNumbers),
}

impl NamedSet {
    /// The unchecked parameters, for variations.
    pub fn literal(&self) -> Literal {
        match &self.numbers {
            Numbers::Tfhe(numbers) => numbers.literal().into(),
            Numbers::Ntru(numbers) => numbers.literal().into(),
        }
    }

    /// The same space, order and failure probability at ring degree `2^log_n` and a small dimension, **without any
    /// security**: for tests, and for looking at how things work.
    pub fn insecure_literal(&self, log_n: u32) -> Literal {
        match &self.numbers {
            Numbers::Tfhe(numbers) => numbers.insecure_literal(log_n).into(),
            Numbers::Ntru(numbers) => numbers.insecure_literal(log_n).into(),
        }
    }

    /// What is assumed to be secure besides the field's usual assumptions: nothing, but for experimental sets.
    pub fn assumptions(&self) -> Vec<&'static str> {
        self.literal().scheme().common().assumptions()
    }

    /// Whether the set is NTRU's.
    pub fn is_ntru(&self) -> bool {
        matches!(self.numbers, Numbers::Ntru(_))
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

/// A set of NTRU's.
pub(super) const fn ntru(
    name: &'static str,
    (security_bits, log2_p_fail): (f64, f64),
    about: &'static str,
    numbers: NtruNumbers,
) -> NamedSet {
    NamedSet { name, security_bits, log2_p_fail, about, numbers: Numbers::Ntru(numbers) }
}
