//! BFV: exact arithmetic on encrypted vectors of integers modulo `t`, over limbs in base `2^K`.
//!
//! *Vocabulary.* A vector has `n` slots, two rows of `n/2`. Its encoding is the polynomial `m` modulo `t` with these
//! values at the roots of unity; a ciphertext's phase is `m/t + e` modulo 1. Its **noise** is the standard deviation of
//! `e`, tracked by formulas, and its **budget** the bits by which the noise may still grow before decryption fails with
//! a probability above [`LOG2_P_FAIL`].
//!
//! *Products.* The product of two phases, as real numbers in `[−1/2, 1/2)`, times `t`: a convolution of limbs, whose
//! first columns vanish modulo 1. Its square of the secret is taken away by a half product, as are the images of the
//! secret after rotations; one key serves every precision.
//!
//! *Map.* `params` literals, named sets and their claims · `encoder` slots · `noise` its formulas · `ciphertext` ·
//! `context` messages and budgets · `arithmetic` sums and products · `rotations` moves of slots, and sums over them ·
//! `files`. Keys, their files, and errors are those of every scheme over limbs ([`everlevel_limbs`]).
//!
//! *Non-goals.* Bootstrapping.
#![forbid(unsafe_code)]

mod arithmetic;
mod ciphertext;
mod context;
mod encoder;
mod files;
mod noise;
mod params;
mod rotations;

pub use ciphertext::Ciphertext;
pub use context::Context;
pub use everlevel_limbs::{EncryptionKey, Error, EvalKeys, ObjectError, PublicKey, SecretKey};
pub use noise::LOG2_P_FAIL;
pub use params::{Named, Params, ParamsLiteral, SETS, named};
