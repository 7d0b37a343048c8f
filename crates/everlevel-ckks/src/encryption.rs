//! Encoding, encryption and back.

use std::sync::OnceLock;

use everlevel_rand::secrecy::declassify;
use everlevel_rlwe::{Rlwe, noise};
use num_complex::Complex64;
use zeroize::Zeroizing;

use crate::ciphertext::Origin;
use crate::claims::{Bound, Claims, Estimate, Values};
use crate::core::readable;
use crate::keys::{KeyInfo, PublicKey, SecretKey};
use crate::range::{self, RangeNotice, SLACK};
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
        let summary = Values::new(values, self.slot_count());
        self.install(|core| core.expand(op, &coeffs, level)).map(|plaintext| plaintext.with_values(summary))
    }

    /// The plaintext, of whose values a bound is declared, which its encryptions have.
    ///
    /// # Errors
    /// A plaintext of other parameters, or with a value beyond the bound; a bound beyond the level's room.
    pub fn declare(&self, plaintext: Plaintext, bound: Bound) -> Result<Plaintext, Error> {
        let op = "encrypt";
        self.check_plaintext(op, &plaintext)?;
        if self.values(&plaintext)?.largest() > bound.size() * (1.0 + SLACK) {
            let slots = self.decode(&plaintext)?;
            let (index, size) = slots
                .iter()
                .map(|z| z.norm())
                .enumerate()
                .fold((0, 0.0), |most, at| if at.1 > most.1 { at } else { most });
            return Err(Error::BeyondBound { op, index, size, bound: bound.size() });
        }
        self.check_range(op, bound, plaintext.level)?;
        Ok(Plaintext { bound: Some(bound), worst: None, ..plaintext })
    }

    /// The values of a plaintext, as far as estimates need them.
    pub(crate) fn values<'p>(&self, plaintext: &'p Plaintext) -> Result<&'p Values, Error> {
        if let Some(values) = plaintext.values.get() {
            return Ok(values);
        }
        let slots = self.decode(plaintext)?;
        Ok(plaintext.values.get_or_init(|| Values::new(&slots, self.slot_count())))
    }

    /// The slots of a plaintext.
    ///
    /// # Errors
    /// A plaintext of other parameters.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<Complex64>, Error> {
        self.check_plaintext("decode", plaintext)?;
        let slots = self.install(|core| {
            let few = readable(plaintext.poly.set());
            let poly = core.ring.to_coeff(plaintext.poly.restricted(&few));
            // Decoding is for whoever may see the message: from here on its time may depend on it.
            poly.limbs().iter().for_each(|limb| declassify(limb));
            core.decode(&core.ring.to_i128(&poly), plaintext.level)
        });
        if let (Some(bound), Some(worst)) = (plaintext.bound, plaintext.worst) {
            let largest = slots.iter().map(|z| z.norm_sqr()).fold(0.0, f64::max).sqrt();
            if largest > bound.size() * (1.0 + SLACK) + worst {
                range::notice(RangeNotice::Decrypted { op: "decrypt", largest, bound: bound.size() });
            }
        }
        Ok(slots)
    }

    /// Encrypts with a public key.
    ///
    /// # Errors
    /// A plaintext or key of other parameters; no randomness.
    pub fn encrypt(&self, plaintext: &Plaintext, key: &PublicKey) -> Result<Ciphertext, Error> {
        let op = "encrypt";
        self.check_plaintext(op, plaintext)?;
        self.check(op, "public key", key.info)?;
        self.check_message(op, plaintext)?;
        let plaintext = &*self.plain_at(plaintext, plaintext.level)?;
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
        self.check_message(op, plaintext)?;
        let plaintext = &*self.plain_at(plaintext, plaintext.level)?;
        let seed = self.core.seeds.next()?;
        Ok(self.install(|core| {
            let rlwe = Rlwe::encrypt_zero(&core.ring, plaintext.poly.set(), &key.key, &seed);
            self.finish_encryption(rlwe, plaintext, everlevel_rlwe::SIGMA, key.info)
        }))
    }

    /// Gives notice of values beyond the assumed bound.
    fn check_message(&self, op: &'static str, plaintext: &Plaintext) -> Result<(), Error> {
        if plaintext.bound.is_none() {
            let (largest, bound) = (self.values(plaintext)?.largest(), Bound::ASSUMED.size());
            if largest > bound * (1.0 + SLACK) {
                range::notice(RangeNotice::Message { op, largest, bound });
            }
        }
        Ok(())
    }

    fn finish_encryption(&self, mut rlwe: Rlwe, plaintext: &Plaintext, std_dev: f64, info: KeyInfo) -> Ciphertext {
        self.core.ring.add_assign(&mut rlwe.c0, &plaintext.poly);
        let (core, scale) = (&self.core, plaintext.scale);
        let error = core.slot_error(std_dev, scale).hypot(core.encoding_error(scale));
        let estimate = Estimate::fresh(plaintext.bound(), error, core.next_sample());
        let claims = Claims::new(plaintext.level, plaintext.scale, estimate);
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
                let mut square = Zeroizing::new(key.key.eval().restricted(&few));
                core.ring.mul_assign(&mut square, key.key.eval());
                core.ring.mul_add_assign(&mut poly, c2, &square);
            }
            Plaintext {
                poly,
                level: ciphertext.level(),
                scale: ciphertext.scale(),
                slot_count: ciphertext.slot_count(),
                fingerprint: core.fingerprint,
                values: OnceLock::new(),
                bound: Some(ciphertext.bound()),
                worst: Some(ciphertext.estimate().worst()),
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
