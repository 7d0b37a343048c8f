//! Between representations: ciphertexts of levels as ciphertexts of budgets, and back.
//!
//! Both are numbers on the torus: an element modulo `Q` at a scale is one of budget `log2(Q/scale)`, which isn't whole.
//! A change of representation rounds it, and is followed by a half product with a key that hides one secret under the
//! other's. A product with a number between 1/2 and 1 makes the budget whole, or the scale that of its level, and
//! spends the precision's bits.

use everlevel_limbs::{Error, SecretKey, log2_hypot};
use everlevel_objects::{Origin, require_parameters, require_secret};
use everlevel_ring::{LimbRing, Representation};
use everlevel_rlwe::{Rlwe, SwitchingKey};
use num_complex::Complex64;
use zeroize::Zeroizing;

use super::{Ciphertext, Context};
use crate::ciphertext::Identity;
use crate::claims::{Bound, Claims, Estimate, Padding};

/// The keys between a secret of levels and one of limbs. They are public.
#[derive(Debug)]
pub struct Bridge {
    of_limbs: Origin,
    of_levels: Origin,
    to_limbs: SwitchingKey<LimbRing>,
    to_levels: SwitchingKey,
}

impl Bridge {
    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        self.to_limbs.nbytes() + self.to_levels.nbytes()
    }
}

impl Context {
    /// Keys from ciphertexts of levels to those of limbs, and back.
    ///
    /// # Errors
    /// Rings of different degrees, or fewer slots than half of it; secret keys of other parameters; no randomness.
    pub fn bridge(
        &self,
        secret: &SecretKey,
        levels: &crate::Context,
        of_levels: &crate::SecretKey,
    ) -> Result<Bridge, Error> {
        let op = "bridge";
        self.require(op, "secret key", secret.origin())?;
        let (core, slots) = (&levels.core, self.params.slots());
        if core.ring.n() != self.params.n() || levels.slot_count() != slots {
            let found = format!("{} of degree {}", levels.slot_count(), core.ring.n());
            let needed = format!("{slots} of degree {}, as those of limbs", self.params.n());
            return Err(Error::Parameter { what: "slots of levels", found, needed });
        }
        require_parameters(op, "secret key of levels", of_levels.origin.fingerprint, core.fingerprint)?;
        let wide = Zeroizing::new(of_levels.key.coeffs().iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
        let gadget = self.params.shape().gadget();
        let expanded = !self.frame.seeded_keys();
        let to_limbs = SwitchingKey::of_limbs(self.ring(), secret.key(), &wide, gadget, &self.seed()?, expanded);
        let mut from = core.ring.secret(secret.key().coeffs());
        let pair = (&from, of_levels.key.eval());
        let gadget = core.message_gadget.clone();
        let to_levels = SwitchingKey::generate(&core.ring, pair, gadget, &self.seed()?, true);
        everlevel_ring::Ring::erase(&mut from);
        Ok(Bridge { of_limbs: secret.origin(), of_levels: of_levels.origin, to_limbs, to_levels })
    }

    /// The values of a ciphertext of levels, with the budget that its level has, but the precision's bits.
    ///
    /// # Errors
    /// A level whose modulus is larger than this context's; too little budget; a ciphertext that wasn't relinearized,
    /// or of other parameters; keys of another secret.
    pub fn from_levels(
        &self,
        a: &crate::Ciphertext,
        levels: &crate::Context,
        bridge: &Bridge,
    ) -> Result<Ciphertext, Error> {
        let op = "from_levels";
        self.require_bridge(op, levels, bridge)?;
        let (core, spent) = (&levels.core, self.params.precision_bits());
        require_parameters(op, "ciphertext of levels", a.origin().fingerprint, core.fingerprint)?;
        require_secret(op, "bridge", bridge.of_levels.secret_id, a.secret_id())?;
        if a.c2().is_some() {
            let (found, needed) = ("3".to_string(), "2; relinearize it first".to_string());
            return Err(Error::Parameter { what: "polynomials of the ciphertext", found, needed });
        }
        let set = core.ladder.sets[a.level()].clone();
        let log2_budget = core.ring.log2(&set) - a.scale().log2();
        let budget = log2_budget.ceil() as u32;
        let most = self.params.max_budget_bits();
        if budget > most {
            let (found, needed) = (format!("{budget} bits of budget"), format!("at most {most}; lower it first"));
            return Err(Error::Parameter { what: "the ciphertext's level", found, needed });
        }
        let left = self.room(op, i64::from(budget) - i64::from(spent), a.bound().size(), budget)?;
        let limbs = self.params.limbs_of(budget);
        let part = |poly: &everlevel_ring::Poly<everlevel_ring::Eval>| {
            self.ring().of_residues(&core.ring, &core.ring.to_coeff(poly.clone()), limbs)
        };
        let ct = Rlwe { c0: part(&a.rlwe().c0), c1: part(&a.rlwe().c1) };
        let ct = bridge.to_limbs.switch(self.ring(), &ct);
        // Levels tell the error of a slot's real part: √(n/2)·2^budget times that of a coefficient.
        let of_levels = a.error().log2() - log2_budget - 0.5 * (self.params.slots() as f64).log2();
        let shape = self.params.shape();
        let switched = log2_hypot(shape.rounding_noise(shape.bits_of(limbs)), shape.switch_noise(limbs));
        // Values as far above their own as the budget is.
        let factor = (log2_budget - f64::from(budget)).exp2();
        let switched = Ciphertext {
            origin: bridge.of_limbs,
            ct,
            budget_bits: budget,
            bound: a.bound().size() / factor,
            log2_noise: log2_hypot(of_levels, switched),
        };
        Ok(self.trimmed(self.times_constant(&switched, Complex64::new(factor, 0.0), spent, left)))
    }

    /// The values as a ciphertext at a level, whose modulus the budget has to have room for, and the precision's bits.
    ///
    /// # Errors
    /// A level that doesn't exist, or that has no room for the values; too little budget; a ciphertext of other
    /// parameters; keys of another secret.
    pub fn to_levels(
        &self,
        a: &Ciphertext,
        level: usize,
        levels: &crate::Context,
        bridge: &Bridge,
    ) -> Result<crate::Ciphertext, Error> {
        let op = "to_levels";
        self.require_bridge(op, levels, bridge)?;
        self.require_same(op, ("bridge", bridge.of_limbs), a.origin)?;
        let (core, spent) = (&levels.core, self.params.precision_bits());
        if level > levels.max_level() {
            let needed = format!("0 to {}", levels.max_level());
            return Err(Error::Parameter { what: "level", found: level.to_string(), needed });
        }
        let (set, scale) = (&core.ladder.sets[level], core.ladder.scales[level]);
        let log2_budget = core.ring.log2(set) - scale.log2();
        let budget = log2_budget.floor() as u32;
        self.room(op, budget.into(), a.bound, a.budget_bits)?;
        let above = budget + spent;
        if a.budget_bits < above {
            let (left_bits, operand_bits) = (i64::from(a.budget_bits) - i64::from(spent), a.budget_bits);
            return Err(Error::BudgetShort { op, left_bits, needed_bits: budget, operand_bits });
        }
        // Values as far below their own as the budget is, so that they are right at the level's.
        let factor = (f64::from(budget) - log2_budget).exp2();
        let ready = self.times_constant(&self.at_budget(a, above), Complex64::new(factor, 0.0), spent, budget);
        let part = |part| core.ring.to_eval(self.ring().to_residues(&core.ring, set, part));
        let rlwe = Rlwe { c0: part(&ready.ct.c0), c1: part(&ready.ct.c1) };
        let rlwe = bridge.to_levels.switch(&core.ring, &rlwe);
        // At the level's budget, an error is as much larger as its values are; to residues, a rounding under the secret
        // of limbs, and one after the switch under that of levels.
        let rounding = self.params.shape().rounding_noise(0);
        let of_rounding = core.slot_error(rounding.exp2(), scale).hypot(core.rounding_error(scale));
        let error = (ready.log2_error().exp2() / factor / 2f64.sqrt()).hypot(of_rounding);
        let bound = Bound::declared(a.bound).map_err(|_| Error::BudgetShort {
            op,
            left_bits: budget.into(),
            needed_bits: u32::MAX,
            operand_bits: a.budget_bits,
        })?;
        // Limbs don't tell which slots hold values, nor whether a tensor product's rounding is most of the error.
        let values = Estimate::fresh(bound, 0.0, core.next_sample());
        let estimate = values.padded(Padding::unknown(levels.slot_count())).with_noise_of_squares(error);
        let identity = Identity { origin: bridge.of_levels, slot_count: levels.slot_count() };
        Ok(crate::Ciphertext::new(rlwe, None, Claims::new(level, scale, estimate), identity))
    }

    /// Refuses a bridge between other parameters.
    fn require_bridge(&self, op: &'static str, levels: &crate::Context, bridge: &Bridge) -> Result<(), Error> {
        self.require(op, "bridge", bridge.of_limbs)?;
        Ok(require_parameters(op, "context of levels", levels.core.fingerprint, bridge.of_levels.fingerprint)?)
    }
}
