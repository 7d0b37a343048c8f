//! CKKS: approximate arithmetic on encrypted vectors of complex numbers, with bootstrapping.
//!
//! *Vocabulary.* A **level** is a modulus; a ciphertext at level ℓ can be multiplied ℓ times before a bootstrap. Every
//! ciphertext at one level has that level's **canonical scale**, so operands never disagree; operands at different
//! levels are brought to the lower one. A **slot** is one complex number; rotations move slots.
//!
//! *Map.* [`mod@params`] · [`mod@encoder`] · [`mod@context`] tables and checks · [`mod@keygen`] · [`mod@encryption`] ·
//! [`mod@key_moduli`] · [`mod@arithmetic`] · [`mod@rotation`] · [`mod@polynomial`] · [`mod@units`] vectors longer than
//! the slots · [`mod@light`] plaintexts without primes · [`mod@matrix`] plain matrix times encrypted vector ·
//! [`mod@bootstrap`] · [`mod@files`] · [`Error`].

pub mod arithmetic;
pub mod bootstrap;
pub mod ciphertext;
pub mod circuits;
pub mod context;
pub mod encoder;
pub mod encryption;
pub mod files;
pub mod key_moduli;
pub mod keygen;
pub mod keys;
pub mod light;
pub mod matrix;
pub mod params;
pub mod polynomial;
pub mod rotation;
pub mod units;

mod claims;
mod error;
mod working;

use std::ops::ControlFlow;

pub use bootstrap::{
    BootstrapKey, BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, BootstrapKind, Method, Parts, SmallBootstrapKey,
};
pub use ciphertext::{Ciphertext, Plaintext};
pub use context::{Context, Options};
pub use encoder::Encoder;
pub use error::Error;
pub use everlevel_io as io;
pub use files::bundle::KeyRef;
pub use files::{Form, Loading, Object, Stored};
pub use key_moduli::{Claim, KeyModulus};
pub use keys::{ConjugationKey, FixedRotationKey, PublicKey, RelinearizationKey, RotationKey, SecretKey};
pub use light::LightPlaintext;
pub use matrix::{Entries, LightPlainMatrix, MatrixMultiplicationKey, PlainMatrix};
pub use num_complex::Complex64;
pub use params::{Params, ParamsLiteral, Precision};
pub use units::Units;

/// Called with (steps done, steps in all) by operations that take long. An answer of [`ControlFlow::Break`] cancels the
/// operation, which then returns [`Error::Cancelled`] and nothing else. The number of steps in all may grow while they
/// are being counted.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) -> ControlFlow<()> + Sync);

/// Reports to nobody, and never cancels.
pub fn no_progress(_done: usize, _total: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Reports a step; an error if the answer is to stop.
pub(crate) fn report(op: &'static str, progress: Progress, done: usize, total: usize) -> Result<(), Error> {
    match progress(done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Cancelled { op, done, total }),
    }
}
