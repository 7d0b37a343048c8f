//! Keys of circuit bootstraps as containers, and back: the rotations' evaluation keys, and the bodies of half products.

use everlevel_io::schema::require;
use everlevel_io::{Builder, Container, Stored, kinds};
use everlevel_rand::Seed;

use super::{NamedParams, begin, check, put_eval_keys, take_eval_keys, words};
use crate::Error;
use crate::circuit::{CircuitParams, SeededCircuitKey};

/// The half products' masks.
const MASK_SEED: &str = "half_product_mask_seed";
/// The entry that names the rotations' parameters.
const ROTATION: &str = "rotation_fingerprint";

impl Stored<NamedParams<'_>> for SeededCircuitKey {
    const KIND: &'static str = kinds::TFHE_LOOKUP_KEY;
    type Error = Error;

    fn to_container<'a>(&self, NamedParams { name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        let mut builder = begin(Self::KIND, name, self.params().outer(), self.id());
        builder.describe_number(ROTATION, self.params().rotation().fingerprint());
        builder.describe_seed(MASK_SEED, self.mask_seed.as_bytes());
        let bytes: Vec<u8> = self.bodies.iter().flat_map(|word| word.to_le_bytes()).collect();
        builder.tensor("half_products", &[bytes.len()], bytes);
        put_eval_keys(&mut builder, &self.rotations);
        Ok(builder)
    }

    fn from_container(NamedParams { params, .. }: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        let id = check(params, container, Self::KIND)?;
        let own = CircuitParams::of(params)?;
        let rotation = own.rotation().fingerprint();
        require(ROTATION, container.number(ROTATION)?, rotation, rotation)?;
        let rotations = take_eval_keys(own.rotation(), id, container)?;
        let bodies = words(container.bytes_of_len("half_products", 8 * own.bodies_len())?);
        Self::from_parts(own, rotations, Seed::from_bytes(container.seed(MASK_SEED)?), bodies)
    }
}
