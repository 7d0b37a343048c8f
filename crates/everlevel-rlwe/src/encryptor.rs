//! Encryption under one secret in any representation: samples, and the rows of keys.

use std::sync::OnceLock;

use everlevel_rand::Domain;
use everlevel_rand::sampler::{Errors, Gaussian};
use everlevel_ring::Representation;
use zeroize::Zeroizing;

use crate::{Randomness, SIGMA};

/// A ring, a secret of it, and the distribution of errors: all that encryption needs besides randomness.
#[allow(missing_debug_implementations)]
pub struct Encryptor<'a, R: Representation> {
    /// The ring.
    pub ring: &'a R,
    /// The secret, ready for products.
    pub secret: &'a R::Secret,
    /// The errors of the rows and samples, in units of the ring's last place.
    pub error: &'a dyn Errors,
}

/// The table of the error distribution.
fn gaussian() -> &'static Gaussian {
    static TABLE: OnceLock<Gaussian> = OnceLock::new();
    TABLE.get_or_init(|| Gaussian::new(SIGMA).expect("sigma is inside the sampler's range"))
}

/// The encryptor of a secret, whose errors have deviation [`SIGMA`] in units of the ring's last place.
pub fn encryptor<'a, R: Representation>(ring: &'a R, secret: &'a R::Secret) -> Encryptor<'a, R> {
    Encryptor { ring, secret, error: gaussian() }
}

/// The address of a row of a key: its gadget and place there, and the index of its streams, which no other row that is
/// made with the same randomness may have.
#[derive(Debug)]
pub struct RowAddress<'a, R: Representation> {
    /// The gadget.
    pub gadget: &'a R::Gadget,
    /// The row's place in the gadget: its digit.
    pub digit: usize,
    /// The index of the row's mask and of its error.
    pub index: u64,
}

impl<R: Representation> Encryptor<'_, R> {
    /// An encryption of zero: masks and body.
    pub fn zero(
        &self,
        modulus: &R::Modulus,
        noise: Domain,
        randomness: &Randomness,
        index: u64,
    ) -> (Vec<R::Poly>, R::Poly) {
        let masks = self.ring.uniform(modulus, R::rank(self.secret), randomness.masks(), index);
        let mut body = self.error(modulus, noise, randomness, index);
        self.ring.mask_body(&mut body, &masks, self.secret);
        (masks, body)
    }

    /// A row of a half product's key: masks and body of an encryption of the message in the row's unit.
    pub fn row(&self, at: RowAddress<'_, R>, message: &R::Poly, randomness: &Randomness) -> (Vec<R::Poly>, R::Poly) {
        let modulus = self.ring.key_modulus(at.gadget);
        let (masks, mut body) = self.zero(&modulus, Domain::KeyNoise, randomness, at.index);
        self.ring.add_message(&mut body, at.gadget, at.digit, message);
        (masks, body)
    }

    /// A fresh error polynomial.
    pub fn error(&self, modulus: &R::Modulus, domain: Domain, randomness: &Randomness, index: u64) -> R::Poly {
        let mut coeffs = Zeroizing::new(vec![0i64; self.ring.degree()]);
        randomness.errors(self.error, domain, index, &mut coeffs);
        self.ring.small(modulus, &coeffs)
    }
}
