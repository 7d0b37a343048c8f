//! The modulus of every key that a context can make: what its security claim is about.

use everlevel_params::SecretDistribution;
use everlevel_ring::PrimeSet;

use crate::bootstrap::key::{dense_gadget, stage_gadget, stage_sets};
use crate::context::Inner;
use crate::params::{ENCAPSULATION_WEIGHT, STAGE_COUNTS};
use crate::{Context, Error};

/// One kind of key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyModulus {
    /// Which key.
    pub name: String,
    /// Every prime that it is given over, the special ones among them.
    pub set: PrimeSet,
    /// log2 of their product.
    pub log2_qp: f64,
    /// The secret that hides it.
    pub secret: SecretDistribution,
}

impl Context {
    /// Every kind of key, from the functions that make the keys.
    ///
    /// # Errors
    /// A modulus above the security cap.
    pub fn key_moduli(&self) -> Result<Vec<KeyModulus>, Error> {
        self.0.key_moduli()
    }
}

impl Inner {
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
            all.push(key(format!("rotation up to level {level}"), self.rotation_gadget(level)?.full_set(), main));
        }
        let Some(tables) = &self.bootstrap else { return Ok(all) };
        let sparse = SecretDistribution::FixedWeight(ENCAPSULATION_WEIGHT);
        all.push(key("relinearization in EvalMod".into(), tables.eval_mod_gadget.full_set(), main));
        all.push(key("conjugation before EvalMod".into(), tables.conjugation_gadget.full_set(), main));
        all.push(key("to the sparse secret".into(), tables.encapsulation_gadget.full_set(), sparse));
        for (index, stages) in STAGE_COUNTS.iter().enumerate() {
            let raised = dense_gadget(self, &tables.coeffs_to_slots[index][0]);
            all.push(key(format!("from the sparse secret, {stages} stages"), raised.full_set(), main));
            for (what, sets) in ["CoeffsToSlots", "SlotsToCoeffs"].iter().zip(stage_sets(self, tables, index)) {
                for (stage, [source, _]) in sets.iter().enumerate() {
                    let name = format!("{what} {stage} of {stages}");
                    all.push(key(name, stage_gadget(self, source)?.full_set(), main));
                }
            }
        }
        Ok(all)
    }
}
