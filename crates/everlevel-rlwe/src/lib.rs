//! Keys and half products over any representation of [`everlevel_ring`], and RLWE ciphertexts over sets of primes: the
//! part that all schemes share.
//!
//! *Vocabulary.* The phase of `(c0, c1)` under a secret `s` is `c0 + c1·s`. A **half external product** multiplies a
//! public polynomial by a [`SwitchingKey`]: the polynomial is cut into digits ([`everlevel_ring::Ring::mod_up`]), each
//! is multiplied by the key's row for that digit, and the sum, divided by the special primes, encrypts polynomial times
//! secret. Relinearisation, rotation, conjugation and changes of secret are that one product,
//! [`SwitchingKey::product`].
//!
//! *Noise.* [`noise`] has the formulas; tests compare them with measurements.
//!
//! *Map.* [`mod@secret`] · [`mod@randomness`] of masks and of noise · [`mod@encryptor`] samples and keys' rows, in any
//! representation · [`mod@encrypt`] ciphertexts over residues · [`mod@switching_key`] · [`mod@linear_transform`]
//! baby-step giant-step with double hoisting, or with two keys (`stepwise`) · [`mod@lwe`] ciphertexts on the torus,
//! with their switches · [`mod@noise`].
//!
//! *Non-goals.* Messages: encoding, scales and levels belong to the schemes.

pub mod encrypt;
pub mod encryptor;
pub mod linear_transform;
pub mod lwe;
pub mod noise;
pub mod randomness;
pub mod secret;
pub mod switching_key;

mod stepwise;

pub use encrypt::{PublicKey, Rlwe};
pub use encryptor::{Encryptor, RowAddress};
pub use everlevel_ring::Diagonal;
pub use everlevel_ring::RnsGadget as Gadget;
pub use linear_transform::LinearTransform;
pub use lwe::Lwe;
pub use randomness::Randomness;
pub use secret::{SecretId, SecretKey};
pub use switching_key::SwitchingKey;

/// Standard deviation of fresh error coefficients.
pub const SIGMA: f64 = 3.2;
