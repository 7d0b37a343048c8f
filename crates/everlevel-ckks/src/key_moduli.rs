//! The modulus of every key that a context can make, which its security claim is about.

use everlevel_ring::PrimeSet;
use everlevel_rlwe::SIGMA;
use everlevel_security::estimate::{CostModel, Lwe, cheapest, core_svp};
use everlevel_security::{SecretDistribution, max_log2_qp};

use crate::chain::ENCAPSULATION_WEIGHT;
use crate::circuits::bootstrap::stages::{
    Transform, coeffs_to_slots_counts, dense_gadget, encapsulation_gadget, former_stage_gadget, raised, stage_gadget,
};
use crate::core::Core;
use crate::{Context, Error};

/// One kind of key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyModulus {
    /// The key's name.
    pub name: String,
    /// Every prime that it is given over, the special ones among them.
    pub set: PrimeSet,
    /// log2 of their product.
    pub log2_qp: f64,
    /// The secret that hides it.
    pub secret: SecretDistribution,
}

/// The security of a context's keys, for one kind of secret.
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityClaim {
    /// The key with the largest modulus over this secret.
    pub key: KeyModulus,
    /// Largest log2 of a modulus that is accepted as 128-bit secure; none where the table has no row.
    pub max_log2_qp: Option<f64>,
    /// Classical security of that key at its own modulus: the cheapest primal attack under MATZOV, recomputed now. None
    /// where the table has no row, as nothing is claimed there.
    pub security_bits: Option<f64>,
    /// Bits of security by the core-SVP count, which is stricter.
    pub core_svp_bits: Option<f64>,
}

impl Context {
    /// One claim for every kind of secret, that of the messages first.
    ///
    /// # Errors
    /// A modulus above the security cap.
    pub fn claims(&self) -> Result<Vec<SecurityClaim>, Error> {
        let log_n = self.params().literal().log_n;
        let mut largest: Vec<KeyModulus> = Vec::new();
        for key in self.key_moduli()? {
            match largest.iter_mut().find(|other| other.secret == key.secret) {
                Some(other) if other.log2_qp >= key.log2_qp => {}
                Some(other) => *other = key,
                None => largest.push(key),
            }
        }
        let claim = |key: KeyModulus| {
            let max_log2_qp = max_log2_qp(log_n, key.secret);
            // Nothing is said of rings without a cap.
            let lwe = max_log2_qp.and_then(|_| Lwe::new(log_n, key.log2_qp, key.secret, SIGMA).ok());
            let security_bits = lwe.and_then(|lwe| Some(cheapest(&lwe, CostModel::Matzov)?.log2_cost));
            let core_svp_bits = lwe.and_then(|lwe| core_svp(&lwe));
            SecurityClaim { key, max_log2_qp, core_svp_bits, security_bits }
        };
        Ok(largest.into_iter().map(claim).collect())
    }

    /// Every kind of key, from the functions that keys are made with.
    ///
    /// # Errors
    /// A modulus above the security cap.
    pub fn key_moduli(&self) -> Result<Vec<KeyModulus>, Error> {
        self.core.key_moduli()
    }
}

impl Core {
    fn key_moduli(&self) -> Result<Vec<KeyModulus>, Error> {
        let main = self.params.literal().secret;
        let key = |name: String, set: PrimeSet, secret| {
            let log2_qp = self.ring.log2(&set);
            KeyModulus { name, set, log2_qp, secret }
        };
        let mut all = vec![
            key("public".into(), self.public_key_set(), main),
            key("relinearization, conjugation and rotation".into(), self.message_gadget.full_set(), main),
        ];
        for level in 0..self.ladder.sets.len() {
            all.push(key(format!("rotation up to level {level}"), self.level_gadget(level)?.full_set(), main));
        }
        let (Some(gadgets), Some(encapsulation)) = (&self.bootstrap_gadgets, encapsulation_gadget(self)) else {
            return Ok(all);
        };
        let sparse = SecretDistribution::FixedWeight(ENCAPSULATION_WEIGHT);
        all.push(key("relinearization in EvalMod".into(), gadgets.relinearization.full_set(), main));
        all.push(key("conjugation before EvalMod".into(), gadgets.conjugation.full_set(), main));
        all.push(key("to the sparse secret".into(), encapsulation.full_set(), sparse));
        let counts = self.params.stage_counts(self.encoder.slots());
        let down: Vec<usize> = coeffs_to_slots_counts(self).into_iter().collect();
        for stages in &down {
            let to_dense = dense_gadget(self, &raised(self, *stages));
            all.push(key(format!("from the sparse secret, {stages} stages"), to_dense.full_set(), main));
        }
        // Chains for tables have no bootstraps of the other order, and no older files.
        let is_for_tables = self.params.literal().tables.is_some();
        let last = if is_for_tables { Vec::new() } else { counts.clone() };
        for (what, transform, counts) in [
            ("CoeffsToSlots", Transform::CoeffsToSlots, down),
            ("SlotsToCoeffs", Transform::SlotsToCoeffs, last),
            ("SlotsToCoeffs at the lowest levels", Transform::SlotsToCoeffsFirst, counts),
        ] {
            for stages in counts {
                for (stage, [source, _]) in transform.sets(self, stages).iter().enumerate() {
                    let name = format!("{what} {stage} of {stages}");
                    let [now, former] = [stage_gadget(self, source)?, former_stage_gadget(self, source)?];
                    if former.special != now.special && !is_for_tables {
                        all.push(key(format!("{name}, of older files"), former.full_set(), main));
                    }
                    all.push(key(name, now.full_set(), main));
                }
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use everlevel_ring::Ring;
    use everlevel_rlwe::Gadget;

    use super::*;
    use crate::chain::{BOOTSTRAP_MESSAGE_LEVELS_RANGE, MAX_DOUBLE_PRECISION_LEVELS};
    use crate::core::best_gadget;
    use crate::{Params, ParamsLiteral};

    #[test]
    fn claims_are_above_128_bits_and_say_nothing_of_insecure_rings() {
        let context = |literal: ParamsLiteral| {
            Context::new(Params::try_from(literal).expect("params"), None, 1).expect("context")
        };
        let claims = context(ParamsLiteral::for_depth(7).expect("literal")).claims().expect("claims");
        let [claim] = &claims[..] else { panic!("one secret: {claims:?}") };
        let cap = claim.max_log2_qp.expect("a row of the table");
        assert!(claim.key.log2_qp <= cap && cap == 430.0);
        let bits = claim.security_bits.expect("an estimate");
        assert!((127.5..140.0).contains(&bits), "{bits}");
        assert!(claim.core_svp_bits.expect("an estimate") < bits);

        let claims = context(ParamsLiteral::insecure_bootstrap(10)).claims().expect("claims");
        let secrets = [SecretDistribution::FixedWeight(256), SecretDistribution::FixedWeight(ENCAPSULATION_WEIGHT)];
        assert_eq!(claims.iter().map(|c| c.key.secret).collect::<Vec<_>>(), secrets);
        assert!(claims.iter().all(|c| c.max_log2_qp.is_none() && c.security_bits.is_none()));
    }

    /// Without the large rings: their primes serve any smaller ring.
    #[test]
    fn every_key_of_every_depth_is_within_its_cap() {
        for max_level in 0..=77 {
            let params = Params::try_from(ParamsLiteral::for_depth(max_level).expect("literal")).expect("params");
            let ring = Ring::new(4, params.primes()).expect("ring");
            let cap = params.max_log2_qp().expect("a row of the table");
            for level in 0..=max_level {
                let set = PrimeSet::new(0..=level);
                let gadget = best_gadget(&params, &ring, &set, &Gadget::consecutive).expect("a gadget within the cap");
                let full = gadget.full_set();
                let bits: f64 = full.indices().iter().map(|&i| (params.primes()[i] as f64).log2()).sum();
                assert!(bits <= cap, "{max_level} levels, up to {level}: {bits} bits, cap {cap}");
                assert!(set.is_subset(&full) && full.len() > set.len());
                let largest = gadget.digits.iter().map(|d| ring.log2(d)).fold(0.0, f64::max);
                let headroom = ring.log2(&gadget.special) - largest;
                // Five bits hide a key's noise below a rounding; the cap has no room for them at two levels, N = 2^13.
                let needed = if (max_level, level) == (2, 2) { -1e-6 } else { 5.0 - 1e-6 };
                assert!(headroom >= needed, "{max_level} levels, up to {level}: headroom {headroom}");
            }
            let public = PrimeSet::new((0..=max_level).chain([params.chain.special[0]]));
            assert!(params.check_key(&ring, &public).is_ok());
        }
    }

    /// As above, in the ring of bootstraps.
    #[test]
    fn every_key_of_every_bootstrapping_chain_is_within_its_cap() {
        for max_level in BOOTSTRAP_MESSAGE_LEVELS_RANGE {
            let literal = ParamsLiteral { max_level, ..ParamsLiteral::bootstrap() };
            let params = Params::try_from(literal).expect("params");
            let ring = Ring::new(4, params.primes()).expect("ring");
            let chain = params.chain.bootstrap.as_ref().expect("chain");
            let stages = params.stage_counts(params.max_slots());
            assert!(!stages.is_empty() && stages.iter().all(|&s| s < max_level), "{max_level} levels: {stages:?}");
            for &count in stages.iter().chain([&params.coeffs_to_slots_count(params.max_slots())]) {
                for source in &chain.coeffs_to_slots[count - 1] {
                    let gadget = best_gadget(&params, &ring, source, &Gadget::fewest).expect("a gadget");
                    assert!(params.check_key(&ring, &gadget.full_set()).is_ok());
                }
            }
            let sets = params.eval_mod_sets();
            let union = sets.iter().fold(sets[0].clone(), |union, set| union.union(set));
            best_gadget(&params, &ring, &union, &Gadget::consecutive).expect("a gadget");
            best_gadget(&params, &ring, &sets[sets.len() - 1], &Gadget::balanced).expect("a gadget");
        }
    }

    /// Bits of the special primes above the largest digit, at the top level; none where the cap has no room.
    fn headroom(literal: ParamsLiteral) -> Option<f64> {
        let params = Params::try_from(literal).expect("params");
        let ring = Ring::new(4, params.primes()).expect("ring");
        let set = &params.chain.levels[params.literal().max_level];
        let gadget = best_gadget(&params, &ring, set, &Gadget::consecutive).ok()?;
        assert!(
            params.check_key(&ring, &set.union(&PrimeSet::new([params.chain.special[0]]))).is_ok(),
            "the public key"
        );
        Some(ring.log2(&gadget.special) - gadget.digits.iter().map(|d| ring.log2(d)).fold(0.0, f64::max))
    }

    #[test]
    fn double_precision_takes_the_smallest_ring_with_room_for_its_keys() {
        for max_level in 0..=MAX_DOUBLE_PRECISION_LEVELS {
            let literal = ParamsLiteral::double_precision(max_level).expect("literal");
            let headroom = headroom(literal).expect("a gadget within the cap");
            assert!(headroom >= 5.0 - 1e-6, "{max_level} levels: headroom {headroom}");
        }
        for max_level in [0, 2, 8, 19] {
            let deepest = ParamsLiteral::double_precision(max_level).expect("literal");
            let next = ParamsLiteral::double_precision(max_level + 1).expect("literal");
            assert_eq!(next.log_n, deepest.log_n + 1);
            let deeper = ParamsLiteral { max_level: max_level + 1, ..deepest };
            assert!(headroom(deeper).is_none_or(|bits| bits < 5.0 - 1e-6), "{max_level} levels could be one more");
        }
    }
}
