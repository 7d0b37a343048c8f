//! CKKS: approximate arithmetic on encrypted vectors of complex numbers, with bootstrapping.
//!
//! *Vocabulary.* A **level** is a modulus; a ciphertext at level ℓ can be multiplied ℓ times before a bootstrap. Every
//! ciphertext at one level has that level's **canonical scale**, so operands never disagree; operands at different
//! levels are brought to the lower one. A **slot** is one complex number; rotations move slots.
//!
//! *Map.* `params` · [`Needs`] and the literal that meets them · `encoder` · `ladder` levels and scales · `series`
//! polynomials on plain numbers · `claims` bounds and estimates · `core` tables and gadgets · `context` and `checks`,
//! which operations begin with · `ciphertext`, `keys` · operations: `encryption`, `keygen`, `footprint` of memory,
//! `arithmetic`, `rotation`, `light` plaintexts without primes, `units` vectors longer than the slots, `key_moduli` ·
//! [`mod@circuits`] bootstraps, polynomials, matrices · `files` · [`Error`]. Each file uses those before it; a
//! [`Context`] knows no bootstrap, and a [`Bootstrapper`] has a context. [`mod@limbs`] is CKKS over limbs, with an
//! arithmetic of its own and the same slots.
#![forbid(unsafe_code)]

pub mod circuits;
pub mod limbs;

mod arithmetic;
mod budget;
mod chain;
mod checks;
mod ciphertext;
mod claims;
mod context;
mod core;
mod device;
mod encoder;
mod encryption;
mod error;
mod files;
mod footprint;
mod image;
mod key_moduli;
mod keygen;
mod keys;
mod ladder;
mod light;
mod literal;
mod needs;
mod params;
mod release;
mod rotation;
mod series;
mod units;
mod weighted;

pub use budget::ReleaseBudget;
pub use chain::{DEEP_MESSAGE_LEVELS, ENCAPSULATION_WEIGHT, TableWidths, stage_counts};
pub use checks::{RangeNotice, notice, noticing};
pub use ciphertext::{Ciphertext, Plaintext};
pub use circuits::bootstrap::bootstrapper::Bootstrapper;
pub use circuits::bootstrap::eval_mod::EVAL_MOD_INTERVAL;
pub use circuits::bootstrap::footprint::BootstrapKeyForm;
pub use circuits::bootstrap::key::{BootstrapKey, SmallBootstrapKey};
pub use circuits::bootstrap::key::{BootstrapKeyRef, BootstrapKeys};
pub use circuits::bootstrap::method::{BootstrapKeySize, BootstrapKind, Method, SlotType};
pub use circuits::bootstrap::prepare::PreparedKey;
pub use circuits::bootstrap::run::{BootstrapStep, Observer};
pub use circuits::counts::{PolynomialSteps, polynomial_steps};
pub use circuits::elements::polynomial_depth;
pub use circuits::matrix::apply::RotationKeys;
pub use circuits::matrix::footprint::MatrixForm;
pub use circuits::matrix::plan::rotations_of_diagonals;
pub use circuits::matrix::{Entries, LightPlainMatrix, Places, PlainMatrix};
pub use claims::{Bound, BoundKind};
pub use context::{Context, Options};
pub use encoder::Encoder;
pub use error::Error;
pub use everlevel_io as io;
pub use everlevel_objects::Error as ObjectError;
pub use everlevel_rand::Cipher;
pub use everlevel_ring::{Cancelled, Footprint, Progress, memory, no_progress};
pub use files::bundle::KeyRef;
pub use files::content::{BUNDLE_KIND, Stored};
pub use files::form::{Form, Loading};
pub use files::objects::Object;
pub use key_moduli::{KeyModulus, SecurityClaim};
pub use keys::{
    ConjugationKey, FixedRotationKey, MatrixMultiplicationKey, PublicKey, RelinearizationKey, RotationKey, SecretKey,
};
pub use light::LightPlaintext;
pub use literal::{ParamsLiteral, Precision};
pub use needs::Needs;
pub use num_complex::Complex64;
pub use params::Params;
pub use release::Released;
pub use series::Basis;
pub use units::Units;
pub use weighted::Factor;
