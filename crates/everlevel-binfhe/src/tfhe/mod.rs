//! TFHE's bootstrapping key and blind rotation: GGSW encryptions of the small secret's bits, and products with them.

mod bootstrap_key;
mod ggsw;
mod rotation;

pub use bootstrap_key::SeededBootstrapKey;
