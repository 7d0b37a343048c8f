//! Identity of keys, ciphertexts and files, and the refusals that all schemes share.
//!
//! *Vocabulary.* The [`Origin`] of an object is the [fingerprint](Fingerprints) of its parameters and the id of its
//! secret. [`with_memory`] is the guard of work that takes much of it. What either refuses is an [`Error`] that the
//! errors of schemes nest.
//!
//! *Map.* `origin` parameters, secrets and units · `fingerprint` the hashes of parameters · `memory` the guard ·
//! `error`.
//!
//! *Non-goals.* The parameters of a scheme, and what its objects hold.
#![forbid(unsafe_code)]

mod error;
mod fingerprint;
mod memory;
mod origin;

pub use error::Error;
pub use fingerprint::{Fingerprints, canonical, fnv1a};
pub use memory::{require_memory, with_device, with_memory, with_memory_found};
pub use origin::{Origin, require_parameters, require_secret, require_units};
