//! Encoding, encryption and back.

use everlevel_rlwe::{Rlwe, noise};
use num_complex::Complex64;

use crate::ciphertext::Origin;
use crate::claims::Claims;
use crate::core::readable;
use crate::keys::{KeyInfo, PublicKey, SecretKey};
use crate::{Ciphertext, Context, Error, Plaintext};

impl Context {
    /// Encodes up to `slot_count` values at a level's scale; shorter messages are followed by zeros.
    ///
    /// # Errors
    /// An empty or too long message, NaN or infinity, a level that does not exist, values too large for the modulus.
    pub fn encode(&self, values: &[Complex64], level: usize) -> Result<Plaintext, Error> {
        self.encode_as("encode", values, level)
    }

    pub(crate) fn encode_as(&self, op: &'static str, values: &[Complex64], level: usize) -> Result<Plaintext, Error> {
        self.check_level(op, level)?;
        let coeffs = self.coefficients(op, values)?;
        self.install(|core| core.expand(op, &coeffs, level))
    }

    /// The slots of a plaintext.
    ///
    /// # Errors
    /// A plaintext of other parameters.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<Complex64>, Error> {
        self.check_plaintext("decode", plaintext)?;
        Ok(self.install(|core| {
            let few = readable(plaintext.poly.set());
            let coeffs = core.ring.to_i128(&core.ring.to_coeff(plaintext.poly.restricted(&few)));
            core.encoder.decode(&coeffs, plaintext.scale)
        }))
    }

    /// Encrypts with a public key.
    ///
    /// # Errors
    /// A plaintext or key of other parameters; no randomness.
    pub fn encrypt(&self, plaintext: &Plaintext, key: &PublicKey) -> Result<Ciphertext, Error> {
        let op = "encrypt";
        self.check_plaintext(op, plaintext)?;
        self.check(op, "public key", key.info)?;
        let seed = self.core.seeds.next()?;
        Ok(self.install(|core| {
            let special = core.encryption_special();
            let rlwe = key.key.encrypt_zero(&core.ring, plaintext.poly.set(), &special, &seed);
            let std_dev =
                noise::public_encryption_std_dev(core.ring.n(), core.params.secret_weight(), core.ring.log2(&special));
            self.finish_encryption(rlwe, plaintext, std_dev, key.info)
        }))
    }

    /// Encrypts with the secret key.
    ///
    /// # Errors
    /// As [`Context::encrypt`].
    pub fn encrypt_with_secret(&self, plaintext: &Plaintext, key: &SecretKey) -> Result<Ciphertext, Error> {
        let op = "encrypt";
        self.check_plaintext(op, plaintext)?;
        self.check(op, "secret key", key.info)?;
        let seed = self.core.seeds.next()?;
        Ok(self.install(|core| {
            let rlwe = Rlwe::encrypt_zero(&core.ring, plaintext.poly.set(), &key.key, &seed);
            self.finish_encryption(rlwe, plaintext, everlevel_rlwe::SIGMA, key.info)
        }))
    }

    fn finish_encryption(&self, mut rlwe: Rlwe, plaintext: &Plaintext, std_dev: f64, info: KeyInfo) -> Ciphertext {
        self.core.ring.add_assign(&mut rlwe.c0, &plaintext.poly);
        let claims = Claims::new(plaintext.level, plaintext.scale, self.core.slot_error(std_dev, plaintext.scale));
        let KeyInfo { fingerprint, secret_id } = info;
        Ciphertext::new(rlwe, None, claims, Origin { fingerprint, slot_count: self.slot_count(), secret_id })
    }

    /// Decrypts to a plaintext.
    ///
    /// # Errors
    /// A ciphertext or key of other parameters, or another secret.
    pub fn decrypt(&self, ciphertext: &Ciphertext, key: &SecretKey) -> Result<Plaintext, Error> {
        let op = "decrypt";
        self.check_ciphertext(op, ciphertext)?;
        self.check(op, "secret key", key.info)?;
        self.check_secret(op, "secret key", key.info, ciphertext)?;
        Ok(self.install(|core| {
            let few = readable(ciphertext.rlwe().set());
            let mut poly = ciphertext.rlwe().restricted(&few).phase(&core.ring, &key.key);
            if let Some(c2) = ciphertext.c2() {
                let mut square = key.key.eval().restricted(&few);
                core.ring.mul_assign(&mut square, key.key.eval());
                core.ring.mul_add_assign(&mut poly, c2, &square);
                square.zeroize();
            }
            Plaintext {
                poly,
                level: ciphertext.level(),
                scale: ciphertext.scale(),
                slot_count: ciphertext.slot_count(),
                fingerprint: core.fingerprint,
            }
        }))
    }

    /// The coefficients of the phase of a ciphertext inside a bootstrap, and its slots divided by `scale`: for looking
    /// between the stages (see [`crate::Observer`]).
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn inspect(&self, rlwe: &Rlwe, key: &SecretKey, scale: f64) -> Result<(Vec<i128>, Vec<Complex64>), Error> {
        self.check("inspect", "secret key", key.info)?;
        Ok(self.install(|core| {
            let few = readable(rlwe.set());
            let coeffs = core.ring.to_i128(&core.ring.to_coeff(rlwe.restricted(&few).phase(&core.ring, &key.key)));
            let slots = core.encoder.decode(&coeffs, scale);
            (coeffs, slots)
        }))
    }
}
