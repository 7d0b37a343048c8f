//! Keys and ciphertexts that every scheme shares: secrets, rows of key material, the half external product, LWE.
//!
//! *Vocabulary.* A sample has masks and a body; its **phase** is the body with the masks' part, masks times secret,
//! taken away. A **half external product** multiplies a public polynomial by a key: the polynomial is cut into digits,
//! each is multiplied by the key's row for that digit, and the sum, divided or rounded, is a sample whose phase is the
//! polynomial times the key's message. Relinearisation, rotation, conjugation and changes of secret are that one
//! product, and the two halves of TFHE's external product, and each block of an LWE key switch.
//!
//! *Generic over [`everlevel_ring::Representation`]*: [`SecretKey`], [`Encryptor`] and the rows that it makes, [`Rlwe`]
//! ciphertexts, [`PublicKey`], [`SwitchingKey`] and all that is done with it. *Over residues*: [`LinearTransform`].
//! *Over the torus*: [`mod@lwe`].
//!
//! *Randomness* comes as two seeds, of the masks and of the noise ([`Randomness`]).
//!
//! *Noise.* Formulas stand beside the operations, as standard deviations of one coefficient of the phase, for secrets
//! with independent signs; tests compare them with measurements.
//!
//! *Map.* `secret` · `randomness` · `encryptor` samples and rows · `sample` ciphertexts · `public_key` ·
//! `switching_key` · `linear_transform` baby-step giant-step with double
//! hoisting, or with two keys (`stepwise`) · [`mod@lwe`].
//!
//! *Non-goals.* Messages: encoding, scales and levels belong to the schemes.
#![forbid(unsafe_code)]

mod encryptor;
mod linear_transform;
pub mod lwe;
mod public_key;
mod randomness;
mod sample;
mod secret;
mod switching_key;

mod stepwise;

pub use encryptor::{Encryptor, RowAddress, encryptor};
pub use everlevel_ring::Diagonal;
pub use everlevel_ring::RnsGadget as Gadget;
pub use linear_transform::LinearTransform;
pub use lwe::Lwe;
pub use public_key::{PublicKey, public_encryption_std_dev, undivided_public_encryption_std_dev};
pub use randomness::Randomness;
pub use sample::{Rlwe, rounding_std_dev, square_rounding_std_dev};
pub use secret::{SecretId, SecretKey};
pub use switching_key::{SwitchingKey, key_switch_std_dev};

/// Standard deviation of fresh error coefficients.
pub const SIGMA: f64 = 3.2;
