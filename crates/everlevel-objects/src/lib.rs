//! Identity of keys, ciphertexts and files, and the refusals that all schemes share.
//!
//! *Vocabulary.* The [`Origin`] of an object is the [fingerprint](Fingerprints) of its parameters and the id of its
//! secret. [`with_memory`] is the guard of work that takes much of it. What either refuses is an [`Error`] that the
//! errors of schemes nest.
//!
//! *Map.* `guards` of parameters, secrets, units and memory · `fingerprint` the hashes of parameters · `error`.
//!
//! *Non-goals.* The parameters of a scheme, and what its objects hold.
#![forbid(unsafe_code)]

mod error;
mod fingerprint;
mod guards;

pub use error::Error;
pub use fingerprint::{Fingerprints, canonical, fnv1a};
pub use guards::{
    Origin, require_memory, require_parameters, require_secret, require_units, with_device, with_memory,
    with_memory_found,
};
