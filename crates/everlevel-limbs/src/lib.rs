//! Shared parts of schemes over limbs in base `2^K`: everything but what their messages mean.
//!
//! *Vocabulary.* A [`Shape`] is the size of ciphertexts and keys, with its security and its memory. A [`Frame`] has the
//! tables of a shape, the name of the parameters that it belongs to, and fresh seeds: it makes [`SecretKey`]s,
//! [`PublicKey`]s and [`EvalKeys`], says which automorphisms move slots, and reads and writes files.
//!
//! *Map.* `shape` sizes and noise · `sets` named ones · `keys` · `frame` key generation and checks · `moves`
//! automorphisms of slots · `files` · `error` the refusals of all schemes over limbs.
//!
//! *Non-goals.* Messages, products of ciphertexts, and what budgets mean.
#![forbid(unsafe_code)]

mod error;
mod files;
mod frame;
mod keys;
mod moves;
mod sets;
mod shape;

pub use error::Error;
pub use everlevel_objects::{Error as ObjectError, Fingerprints, Origin};
pub use everlevel_ring::base2k::log2_sum;
pub use files::{KeyFiles, ParametersEntry};
pub use frame::Frame;
pub use keys::{EncryptionKey, EvalKeys, PublicKey, SecretKey};
pub use moves::Moves;
pub use sets::Named;
pub use shape::{Shape, log2_hypot};
