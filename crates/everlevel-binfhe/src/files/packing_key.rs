//! Packing keys as containers, and back.

use everlevel_io::schema::refuse;
use everlevel_io::{Builder, Container, Stored, kinds};
use everlevel_rand::Seed;
use everlevel_rlwe::SecretId;
use serde::{Deserialize, Serialize};

use super::{NamedParams, begin, check, words};
use crate::{Error, Gadget, PackingParams, SeededPackingKey};

/// The seeds of the rows' masks.
const MASK_SEEDS: [&str; 2] = ["packing_mask_seed", "switch_mask_seed"];
/// Tensors of bodies.
const ROWS: [&str; 2] = ["packing_rows", "switch_rows"];
/// The entry of a key's numbers.
const NUMBERS: &str = "packing";
/// The entry of the secret that ciphertexts go to.
const TO: &str = "to_secret_id";

/// The numbers of a key; gadgets follow from the others and the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Numbers {
    log_n: u32,
    weight: usize,
    gadgets: [Gadget; 2],
}

impl Stored<NamedParams<'_>> for SeededPackingKey {
    const KIND: &'static str = kinds::TFHE_PACKING_KEY;
    type Error = Error;

    fn to_container<'a>(&self, NamedParams { name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        let own = self.params();
        let mut builder = begin(Self::KIND, name, own.outer(), self.id());
        let numbers = Numbers { log_n: own.log_n(), weight: own.weight(), gadgets: own.gadgets() };
        builder.describe_json(NUMBERS, &numbers);
        builder.describe_number(TO, self.to().0);
        for part in 0..2 {
            builder.describe_seed(MASK_SEEDS[part], self.mask_seeds[part].as_bytes());
            let bytes: Vec<u8> = self.bodies[part].iter().flat_map(|word| word.to_le_bytes()).collect();
            builder.tensor(ROWS[part], &[bytes.len()], bytes);
        }
        Ok(builder)
    }

    /// # Errors
    /// [`Error::NoRingSwitch`] for parameters, or numbers, that have none.
    fn from_container(NamedParams { params, .. }: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        let from = check(params, container, Self::KIND)?;
        let found: Numbers = container.json(NUMBERS)?;
        let own = PackingParams::of(params, found.log_n, found.weight)?;
        if found.gadgets != own.gadgets() {
            return refuse(NUMBERS, format!("{:?}", found.gadgets), format!("{:?}", own.gadgets()));
        }
        let [packing, switch] = own.bodies_lens();
        let bodies = |part: usize, len: usize| Ok::<_, Error>(words(container.bytes_of_len(ROWS[part], 8 * len)?));
        let bodies = [bodies(0, packing)?, bodies(1, switch)?];
        let seed = |part: usize| Ok::<_, Error>(Seed::from_bytes(container.seed(MASK_SEEDS[part])?));
        let to = SecretId(container.number(TO)?);
        Self::from_parts(own, [from, to], [seed(0)?, seed(1)?], bodies)
    }
}
