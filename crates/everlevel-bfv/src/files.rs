//! Objects as containers, and back: keys as every scheme over limbs writes them, and ciphertexts with their noise.

use everlevel_io::schema::refuse;
use everlevel_io::{Builder, Container, Stored, kinds};
use everlevel_limbs::{Error, KeyFiles};
use serde::{Deserialize, Serialize};

use crate::noise::Noise;
use crate::{Ciphertext, Context};

impl KeyFiles for Context {
    const SECRET_KEY: &'static str = kinds::BFV_SECRET_KEY;
    const PUBLIC_KEY: &'static str = kinds::BFV_PUBLIC_KEY;
    const EVAL_KEYS: &'static str = kinds::BFV_EVALUATION_KEY;
    const INVERSION: &'static str = "swap_rows";
}

#[derive(Serialize, Deserialize)]
struct CiphertextEntry {
    log2_noise: f64,
    phases: u32,
    /// Left out where there is one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    units: usize,
}

fn one() -> usize {
    1
}

fn is_one(units: &usize) -> bool {
    *units == 1
}

/// More phases than any chain of products has.
const MOST_PHASES: u32 = 1 << 20;

impl Stored<Context> for Ciphertext {
    const KIND: &'static str = kinds::BFV_CIPHERTEXT;
    type Error = Error;

    fn to_container<'a>(&self, context: &Context) -> Result<Builder<'a>, Error> {
        let mut builder = context.ciphertext_to_container(Self::KIND, self.origin, &self.units)?;
        let Noise { log2, phases } = self.noise;
        builder.describe_json("object", &CiphertextEntry { log2_noise: log2, phases, units: self.unit_count() });
        Ok(builder)
    }

    fn from_container(context: &Context, container: &Container) -> Result<Self, Error> {
        let Context { frame, params, .. } = context;
        let id = frame.verified(container, Self::KIND)?;
        let CiphertextEntry { log2_noise, phases, units } = container.json("object")?;
        let noise = Noise { log2: log2_noise, phases };
        let fresh = params.fresh_noise().log2;
        let likely = log2_noise > fresh - 1.0 && params.budget_bits(noise) > 0.0 && phases < MOST_PHASES;
        if !likely {
            let needed = format!("noise above 2^{fresh:.1} that leaves a budget, of fewer than {MOST_PHASES} phases");
            return refuse("object", format!("2^{log2_noise} of {phases} phases"), needed);
        }
        if units == 0 {
            return refuse("units", units, "at least 1");
        }
        let unit = |at| frame.ciphertext_from_container(container, at, params.limbs());
        let units = (0..units).map(unit).collect::<Result<_, _>>()?;
        Ok(Self::new(params, frame.origin(id), units, noise))
    }
}
