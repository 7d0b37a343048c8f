//! Validated parameters: a literal, and the chain of primes that it stands for.

use everlevel_objects::{Fingerprints, fnv1a};
use everlevel_ring::{PrimeSet, Ring};
use everlevel_security::SecretDistribution;

use crate::chain::{
    BOOTSTRAP_MESSAGE_LEVELS, Chain, ENCAPSULATION_WEIGHT, LOG2_BASE_SCALE, LOG2_DOUBLE_PRECISION_SCALE, LOG2_EVAL_MOD,
    LOG2_HIGH_PRECISION_SCALE, LOW_LEVEL, MAX_DEEP_STAGES, log2_base_scale, stage_counts,
};
use crate::{Error, ParamsLiteral, Precision};

/// Validated parameters.
#[derive(Debug, Clone)]
pub struct Params {
    literal: ParamsLiteral,
    pub(crate) chain: Chain,
}

impl TryFrom<ParamsLiteral> for Params {
    type Error = Error;

    fn try_from(literal: ParamsLiteral) -> Result<Self, Error> {
        literal.check()?;
        Ok(Self { chain: Chain::new(&literal)?, literal })
    }
}

impl Params {
    /// The literal that they were made from.
    pub fn literal(&self) -> &ParamsLiteral {
        &self.literal
    }

    /// Every prime, by index.
    pub fn primes(&self) -> &[u64] {
        &self.chain.primes
    }

    /// Number of slots of a full ciphertext.
    pub fn max_slots(&self) -> usize {
        1 << (self.literal.log_n - 1)
    }

    /// Nonzero coefficients of the secret (expected number, for a dense one).
    pub fn secret_weight(&self) -> usize {
        match self.literal.secret {
            SecretDistribution::FixedWeight(weight) => weight,
            _ => (2 << self.literal.log_n) / 3,
        }
    }

    /// The stage counts of bootstraps of `slots` slots: those of [`stage_counts`] that leave a level where there is
    /// a bootstrap, and in the deeper chains only those of up to three.
    pub fn stage_counts(&self, slots: usize) -> Vec<usize> {
        let most = match (self.is_deep(), self.literal.bootstrap) {
            (true, _) => MAX_DEEP_STAGES,
            (false, true) => self.literal.max_level - 1,
            (false, false) => usize::MAX,
        };
        stage_counts(slots).into_iter().filter(|&s| s <= most).collect()
    }

    /// The moduli of EvalMod in a chain with a bootstrap: the top message level's, and those above it.
    pub(crate) fn eval_mod_sets(&self) -> Vec<PrimeSet> {
        self.chain.levels[self.literal.max_level..].to_vec()
    }

    /// The primes of the message levels above [`LOW_LEVEL`].
    pub(crate) fn upper_levels(&self) -> PrimeSet {
        let low = LOW_LEVEL.min(self.literal.max_level);
        self.chain.levels[self.literal.max_level].difference(&self.chain.levels[low])
    }

    fn is_deep(&self) -> bool {
        self.literal.max_level > BOOTSTRAP_MESSAGE_LEVELS
    }

    /// Stages of CoeffsToSlots. They cost no message levels, so that the number is free: stages of up to four layers
    /// have the fewest rotations, and in the deeper chains, and in those of the largest tables, fewer stages leave more
    /// room for special primes.
    pub(crate) fn coeffs_to_slots_count(&self, slots: usize) -> usize {
        let is_of_large_tables = self.literal.tables.is_some_and(|widths| widths.highest.is_some());
        let most = if self.is_deep() || is_of_large_tables { MAX_DEEP_STAGES } else { 4 };
        (slots.trailing_zeros() as usize).div_ceil(4).clamp(1, most)
    }

    /// log2 of the scale that EvalMod's levels are made for.
    pub(crate) fn log2_eval_mod(&self) -> f64 {
        self.chain.bootstrap.as_ref().map_or(LOG2_EVAL_MOD, |chain| chain.log2_eval_mod)
    }

    /// log2 of the scale at level 0 for messages of `slots` slots.
    pub(crate) fn log2_lowest_scale(&self, slots: usize) -> f64 {
        if let Some(widths) = self.literal.tables {
            return f64::from(widths.message);
        }
        match (self.literal.precision, self.literal.bootstrap) {
            (Precision::High, _) => LOG2_HIGH_PRECISION_SCALE,
            (Precision::Double, _) => LOG2_DOUBLE_PRECISION_SCALE,
            (Precision::Standard, true) => log2_base_scale(slots),
            (Precision::Standard, false) => LOG2_BASE_SCALE,
        }
    }

    /// The fingerprint that keys and ciphertexts have: of version 1, FNV-1a over degree, primes, levels and secret.
    pub fn fingerprint(&self) -> u64 {
        let words = [u64::from(self.literal.log_n), self.literal.max_level as u64, self.secret_weight() as u64];
        fnv1a(words.iter().chain(&self.chain.primes).flat_map(|word| word.to_le_bytes()))
    }

    /// The fingerprints that files may have: that of version 2 is of the literal and of every prime.
    pub fn fingerprints(&self) -> Fingerprints {
        Fingerprints::new(self.fingerprint(), "ckks", &(self.literal.numbers(), &self.chain.primes))
    }

    /// Largest log2 of a key's modulus.
    pub fn max_log2_qp(&self) -> Option<f64> {
        everlevel_security::max_log2_qp(self.literal.log_n, self.literal.secret)
    }

    /// Refuses a key modulus above the cap, unless `insecure` was spelled out.
    pub(crate) fn check_key(&self, ring: &Ring, set: &PrimeSet) -> Result<(), Error> {
        if self.literal.insecure {
            return Ok(());
        }
        Ok(everlevel_security::check(self.literal.log_n, self.literal.secret, ring.log2(set))?)
    }

    /// Refuses an encapsulation modulus above the cap, unless `insecure` was spelled out.
    pub(crate) fn check_encapsulation(&self, ring: &Ring, set: &PrimeSet) -> Result<(), Error> {
        if self.literal.insecure {
            return Ok(());
        }
        let secret = SecretDistribution::FixedWeight(ENCAPSULATION_WEIGHT);
        Ok(everlevel_security::check(self.literal.log_n, secret, ring.log2(set))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{EVAL_MOD_BITS, MAX_MESSAGE_LEVELS, STAGE_COUNTS, coeffs_to_slots_bits};
    use crate::literal::default_secret;

    #[test]
    fn the_ring_is_the_smallest_with_the_levels_and_the_slots() {
        for (max_level, slot_count, log_n) in [
            (5, 1, 14),
            (5, 8192, 14),
            (5, 8193, 15),
            (5, 32768, 16),
            (5, 65536, 17),
            (0, 4096, 13),
            (0, 65536, 17),
            (18, 8192, 16),
            (36, 32768, 16),
            (77, 2, 17),
        ] {
            let literal = ParamsLiteral::for_depth_and_slots(max_level, slot_count).expect("literal");
            assert_eq!((literal.log_n, literal.max_level), (log_n, max_level), "{slot_count} slots");
            assert_eq!(literal.secret, default_secret(log_n));
            let params = Params::try_from(literal).expect("params");
            assert!(params.max_slots() >= slot_count);
        }
        for (max_level, slot_count, option) in
            [(78, 1, "max_level"), (5, 65537, "slot_count"), (5, usize::MAX, "slot_count")]
        {
            let refusal = ParamsLiteral::for_depth_and_slots(max_level, slot_count);
            assert!(
                matches!(refusal, Err(Error::Parameter { what, .. }) if what == option),
                "{max_level}, {slot_count}"
            );
        }
    }

    #[test]
    fn insecure_chains_have_limits_too() {
        for literal in [
            ParamsLiteral::insecure_depth(10, MAX_MESSAGE_LEVELS + 1),
            ParamsLiteral::insecure_depth(10, usize::MAX),
            ParamsLiteral::insecure_depth(8, 1),
            ParamsLiteral::insecure_depth(u32::MAX, 1),
            ParamsLiteral::insecure_bootstrap(64),
            ParamsLiteral { max_level: 3, ..ParamsLiteral::insecure_bootstrap(10) },
            ParamsLiteral { max_level: 21, ..ParamsLiteral::insecure_bootstrap(10) },
        ] {
            let refusal = Params::try_from(literal.clone());
            let refused = matches!(refusal, Err(Error::Parameter { .. } | Error::BootstrapLevels { .. }));
            assert!(refused, "{literal:?}: {refusal:?}");
        }
        assert!(Params::try_from(ParamsLiteral::insecure_depth(10, MAX_MESSAGE_LEVELS)).is_ok());
    }

    #[test]
    fn eval_mod_steps_are_60_bits_on_48_bit_words() {
        let params = Params::try_from(ParamsLiteral::bootstrap()).expect("params");
        let ring_bits =
            |set: &PrimeSet| set.indices().iter().map(|&i| (params.chain.primes[i] as f64).log2()).sum::<f64>();
        let base = params.chain.levels[BOOTSTRAP_MESSAGE_LEVELS].clone();
        let expected_limbs = [2, 3, 4, 5, 7, 8, 9, 11];
        for (step, limbs) in expected_limbs.iter().enumerate() {
            let set = &params.chain.levels[BOOTSTRAP_MESSAGE_LEVELS + 1 + step];
            let bits: f64 = EVAL_MOD_BITS[..=step].iter().sum();
            assert!((ring_bits(set) - ring_bits(&base) - bits).abs() < 0.1);
            assert_eq!(set.len() - base.len(), *limbs);
        }
        for (stages, sets) in STAGE_COUNTS.iter().zip(&params.chain.bootstrap.as_ref().expect("chain").coeffs_to_slots)
        {
            assert_eq!(sets.len(), *stages);
            let top = ring_bits(&sets[0]) - ring_bits(&params.chain.levels[21]);
            assert!((top - coeffs_to_slots_bits(*stages).expect("bits").iter().sum::<f64>()).abs() < 1.0, "{top}");
        }
    }
}
