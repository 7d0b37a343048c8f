//! Plaintexts and ciphertexts.

use everlevel_ring::{Eval, Poly};
use everlevel_rlwe::{Rlwe, SecretId};

/// An encoded message: a polynomial whose slots are the message times the level's scale.
#[derive(Debug, Clone)]
pub struct Plaintext {
    pub(crate) poly: Poly<Eval>,
    pub(crate) level: usize,
    pub(crate) scale: f64,
    pub(crate) slot_count: usize,
    pub(crate) fingerprint: u64,
}

/// An encrypted vector of `slot_count` complex numbers.
#[derive(Debug, Clone)]
pub struct Ciphertext {
    pub(crate) rlwe: Rlwe,
    /// The coefficient of `s²`, for a product that was not relinearized.
    pub(crate) c2: Option<Poly<Eval>>,
    pub(crate) level: usize,
    pub(crate) scale: f64,
    /// Estimated standard deviation of the error of a slot's real part, in units of the message.
    pub(crate) error: f64,
    pub(crate) secret_id: SecretId,
    pub(crate) fingerprint: u64,
    pub(crate) slot_count: usize,
}

impl Plaintext {
    /// The level.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The scale.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.poly.nbytes()
    }
}

impl Ciphertext {
    /// Multiplications left before a bootstrap.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The scale.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Number of slots.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// 2, or 3 for a product that was not relinearized.
    pub fn polynomial_count(&self) -> usize {
        2 + usize::from(self.c2.is_some())
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.rlwe.nbytes() + self.c2.as_ref().map_or(0, Poly::nbytes)
    }

    /// Estimated precision: `−log2` of the root-mean-square error of a slot, for messages of size about one. An
    /// estimate from noise formulas that assume independent errors, not a bound.
    pub fn precision_bits(&self) -> f64 {
        -(self.error * std::f64::consts::SQRT_2).log2()
    }

    /// The secret that it is encrypted under.
    pub fn secret_id(&self) -> SecretId {
        self.secret_id
    }
}
