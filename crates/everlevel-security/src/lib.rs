//! Caps on the modulus of a ring at 128 bits, as data, and a small estimator of lattice attacks that recomputes them.
//!
//! *Vocabulary.* A **cap** is the largest `log2(QP)` (every ciphertext and key-switching prime together) accepted for
//! one ring degree `N = 2^log_n` and one [`SecretDistribution`]; a **claim** is the security put on that cap, with the
//! attack, the cost model and the source. Security is classical, for a discrete Gaussian error of deviation 3.19 to
//! 3.2.
//!
//! *Map.* [`caps`] the table and [`check`] · [`torus`] the noise of binary secrets on the torus · [`estimate`] lattice
//! attacks on LWE and [`ntru`] those on NTRU, recomputed without outside tools.
//!
//! *Non-goals.* Moduli, rings, secrets: nothing here computes with them. Quantum attacks.
//!
//! ```
//! use everlevel_security::{SecretDistribution, check, max_log2_qp};
//!
//! assert_eq!(max_log2_qp(16, SecretDistribution::Ternary), Some(1747.0));
//! assert!(check(16, SecretDistribution::Ternary, 1717.0).is_ok());
//! assert!(check(16, SecretDistribution::FixedWeight(192), 1717.0).is_err());
//! ```
#![forbid(unsafe_code)]
#![doc = include_str!("../notes/security.md")]

pub mod caps;
pub mod estimate;
pub mod ntru;
pub mod torus;

mod distribution;
mod dual;
mod error;
mod guess;
mod instance;
mod special;

pub use caps::{Cap, Frozen, cap, check, max_log2_qp};
pub use distribution::SecretDistribution;
pub use error::Error;
