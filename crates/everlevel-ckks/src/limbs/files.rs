//! Objects as containers, and back: keys as every scheme over limbs writes them, and ciphertexts with their claims.

use everlevel_io::schema::refuse;
use everlevel_io::{Builder, Container, Stored, kinds};
use everlevel_limbs::{Error, KeyFiles};
use serde::{Deserialize, Serialize};

use super::{Ciphertext, Context, Params};

impl KeyFiles for Context {
    const SECRET_KEY: &'static str = kinds::LIMBS_SECRET_KEY;
    const PUBLIC_KEY: &'static str = kinds::LIMBS_PUBLIC_KEY;
    const EVAL_KEYS: &'static str = kinds::LIMBS_EVALUATION_KEY;
    const INVERSION: &'static str = "conjugation";
}

#[derive(Serialize, Deserialize)]
struct CiphertextEntry {
    budget_bits: u32,
    bound: f64,
    log2_noise: f64,
}

impl Stored<Context> for Ciphertext {
    const KIND: &'static str = kinds::LIMBS_CIPHERTEXT;
    type Error = Error;

    fn to_container<'a>(&self, context: &Context) -> Result<Builder<'a>, Error> {
        let mut builder = context.ciphertext_to_container(Self::KIND, self.origin, std::slice::from_ref(&self.ct))?;
        let Self { budget_bits, bound, log2_noise, .. } = *self;
        builder.describe_json("object", &CiphertextEntry { budget_bits, bound, log2_noise });
        Ok(builder)
    }

    fn from_container(context: &Context, container: &Container) -> Result<Self, Error> {
        let Context { frame, params, .. } = context;
        let id = frame.verified(container, Self::KIND)?;
        let CiphertextEntry { budget_bits, bound, log2_noise } = container.json("object")?;
        let most = params.max_budget_bits();
        let fits = bound.is_finite() && bound >= 0.0 && (Params::needed_bits(bound)..=most).contains(&budget_bits);
        let least = 2.0 * params.shape().log2_unit(params.literal().limbs + 1);
        if !fits || !(least..=0.0).contains(&log2_noise) {
            let found = format!("values up to {bound:e} and noise of 2^{log2_noise} in a budget of {budget_bits} bits");
            return refuse("object", found, format!("a budget of at most {most} bits, which has room for the values"));
        }
        // Fresh ones have all limbs, whatever their budget needs.
        let limbs = params.limbs_of(budget_bits);
        let ct = frame.ciphertext_from_container(container, 0, limbs)?;
        Ok(Self { origin: frame.origin(id), ct, budget_bits, bound, log2_noise })
    }
}
