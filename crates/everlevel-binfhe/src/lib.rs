//! TFHE: gates, look-up tables and small integers on encrypted data, by programmable bootstrapping.
//!
//! *Vocabulary.* The **torus** is the reals modulo 1, as leading bits of words. An **LWE** ciphertext is a mask, a
//! vector, and a body; its **phase** is the body less the mask times the secret: message and noise. **GLWE** is the
//! same with polynomials, **GGSW** the matrix form that multiplies. A **table** is programmed into a bootstrap, which
//! gives its entry with fresh noise.
//!
//! *Map.* [`Params`] literals and what is checked · [`mod@sets`] named ones with claims · [`SecretKey`] keys ·
//! [`Ciphertext`] encryption, with either [`EncryptionKey`] · [`PublicKey`] encryption without a secret · [`EvalKeys`]
//! bootstrapping · [`CompressionKey`] results as lists · [`RingSwitchKey`] ciphertexts
//! of bulk · [`Gate`] · `messages` of a few bits · [`Integers`] of 8 to 64
//! bits · [`Lut`] · [`mod@files`] · [`Context`] calls on whole arrays, on threads of its own · `slices` · `common`
//! numbers, `scheme` and `blind_rotation`, which schemes implement · `tfhe` GGSW keys and their rotation, on words or
//! over limbs · `ntru` one-polynomial ciphertexts and theirs · `bootstrap_key` either's keys · [`mod@noise`] the
//! formulas and the mathematics · [`mod@key_noise`] what a key fixes of them · [`NoiseSum`] the errors that a
//! ciphertext's noise is made of, and [`FailureBound`] the bootstraps that led to it. LWE ciphertexts, their key switch
//! and modulus switch are [`everlevel_rlwe::lwe`]'s.
//!
//! *Safety.* Decryptions that are shown to others tell about the noise; nothing here floods it. Operations on secrets
//! don't branch or index on them.
//!
//! ```
//! use std::sync::Arc;
//! use everlevel_binfhe::{EvalKeys, Gate, SecretKey, sets};
//!
//! # fn main() -> Result<(), everlevel_binfhe::Error> {
//! let secret = SecretKey::generate(Arc::new(sets::find("gate-64")?.params()?))?;
//! let keys = EvalKeys::generate(&secret)?;
//! let bits = secret.encrypt_bits(&[true, false])?;
//! let sum = keys.gate(Gate::Xor, &bits[0], &bits[1])?;
//! let carry = keys.gate(Gate::And, &bits[0], &bits[1])?;
//! assert_eq!(secret.decrypt_bits(&[sum, carry])?, [true, false]);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod automorphisms;
mod bits;
mod blind_rotation;
mod bootstrap_key;
mod ciphertext;
mod circuit;
mod common;
mod compression;
mod context;
mod encryption;
mod eval_keys;
mod failure;
pub mod files;
mod gates;
mod half_products;
mod kept_keys;
pub mod key_noise;
mod limits;
mod lut;
mod messages;
pub mod noise;
mod noise_sum;
mod ntru;
mod over_keys;
mod packing_key;
mod params;
mod public_key;
mod ring_switch;
mod scheme;
mod secret;
mod secrets;
pub mod sets;
mod slices;
mod splitting;
mod tfhe;
mod uint;

mod error;

pub use blind_rotation::SeededBootstrapKey;
pub use bootstrap_key::BootstrapKey;
pub use ciphertext::Ciphertext;
pub use circuit::{CircuitKey, CircuitNoise, CircuitParams, EncryptedBits, Indices, SeededCircuitKey};
pub use common::{Common, KeySwitch, Landing, Order, Space, SwitchStep};
pub use compression::{AnyArray, CompressedList, CompressionKey, CompressionParams, ListWidths, SeededCompressionKey};
pub use context::Context;
pub use encryption::EncryptionKey;
pub use error::Error;
pub use eval_keys::{EvalKeys, SeededEvalKeys};
pub use everlevel_objects::Error as ObjectError;
pub use everlevel_ring::PrimeGadget;
pub use everlevel_ring::WordGadget as Gadget;
pub use everlevel_ring::base2k::Transform;
pub use everlevel_ring::{Cancelled, Footprint, Progress, no_progress};
pub use everlevel_rlwe::Lwe;
pub use everlevel_rlwe::lwe::{KeySwitchKey, SeededKeySwitchKey};
pub use failure::FailureBound;
pub use gates::Gate;
pub use kept_keys::{KeptCircuitKey, KeptCompressionKey, KeptEvalKeys, KeptPackingKey, KeptRingSwitchKey};
pub use lut::Lut;
pub use noise_sum::{NoiseSum, NoiseTerm};
pub use ntru::{ExactRotation, NtruLiteral, Rotation};
pub use packing_key::{PackedClaims, PackingKey, PackingParams, SeededPackingKey};
pub use params::{Literal, Params};
pub use public_key::PublicKey;
pub use ring_switch::{RingClaims, RingSwitchKey, RingSwitchParams, SeededRingSwitchKey};
pub use secret::SecretKey;
pub use secrets::{Secrets, SmallSecret};
pub use slices::Joined;
pub use splitting::{FailureMeasurement, Splitting};
pub use tfhe::{LimbsLiteral, ParamsLiteral};
pub use uint::{
    Arithmetic, Block, Blocks, BoolArray, Cost, Extreme, Integers, KeyedBlocks, Signed, Table, UintArray, Width,
};
