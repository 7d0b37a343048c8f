//! Keys of ring switches as containers, and back.

use everlevel_io::schema::refuse;
use everlevel_io::{Builder, Container, Stored, kinds};
use everlevel_rand::Seed;
use everlevel_rlwe::SecretId;
use serde::{Deserialize, Serialize};

use super::{NamedParams, begin, check, words};
use crate::{Error, Gadget, RingSwitchParams, SeededRingSwitchKey};

/// The seed of the rows' masks.
const MASK_SEED: &str = "ring_switch_mask_seed";
/// The entry of a key's numbers.
const NUMBERS: &str = "ring_switch";
/// The entry of the secret that ciphertexts come from.
const FROM: &str = "from_secret_id";

/// The numbers of a key; the gadget follows from the others and the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Numbers {
    log_n: u32,
    weight: usize,
    gadget: Gadget,
}

impl Stored<NamedParams<'_>> for SeededRingSwitchKey {
    const KIND: &'static str = kinds::TFHE_RING_SWITCH_KEY;
    type Error = Error;

    fn to_container<'a>(&self, NamedParams { name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        let own = self.params();
        let mut builder = begin(Self::KIND, name, own.outer(), self.id());
        let numbers = Numbers { log_n: own.log_n(), weight: own.weight(), gadget: own.gadget() };
        builder.describe_json(NUMBERS, &numbers);
        builder.describe_number(FROM, self.from().0);
        builder.describe_seed(MASK_SEED, self.mask_seed.as_bytes());
        let bytes: Vec<u8> = self.bodies.iter().flat_map(|word| word.to_le_bytes()).collect();
        builder.tensor("rows", &[bytes.len()], bytes);
        Ok(builder)
    }

    /// # Errors
    /// [`Error::NoRingSwitch`] for parameters, or numbers, that have none.
    fn from_container(NamedParams { params, .. }: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        let to = check(params, container, Self::KIND)?;
        let found: Numbers = container.json(NUMBERS)?;
        let own = RingSwitchParams::of(params, found.log_n, found.weight)?;
        if found.gadget != own.gadget() {
            return refuse(NUMBERS, format!("{:?}", found.gadget), format!("{:?}", own.gadget()));
        }
        let bodies = words(container.bytes_of_len("rows", 8 * own.bodies_len())?);
        let from = SecretId(container.number(FROM)?);
        Self::from_parts(own, [from, to], Seed::from_bytes(container.seed(MASK_SEED)?), bodies)
    }
}
