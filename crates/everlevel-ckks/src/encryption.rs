//! Encoding, encryption and back.

use std::sync::OnceLock;

use everlevel_objects::Origin;
use everlevel_rand::secrecy::declassify;
use everlevel_rlwe::Rlwe;
use num_complex::Complex64;
use zeroize::Zeroizing;

use crate::checks::{self, RangeNotice, SLACK};
use crate::ciphertext::Identity;
use crate::claims::{Bound, Claims, Estimate, Padding, TAIL, Values};
use crate::core::readable;
use crate::keys::{PublicKey, SecretKey};
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
        let padding = Padding::after(values.len(), self.slot_count());
        let plaintext = self.install(|core| core.expand(op, &coeffs, level))?;
        Ok(Plaintext { padding, ..plaintext.with_values(summary) })
    }

    /// The plaintext, of whose values a bound is declared, which its encryptions have.
    ///
    /// # Errors
    /// A plaintext of other parameters, or with a value beyond the bound; a bound beyond the level's room.
    pub fn declare(&self, plaintext: Plaintext, bound: Bound) -> Result<Plaintext, Error> {
        let op = "encrypt";
        self.check_plaintext(op, &plaintext)?;
        if bound.is_real() {
            self.check_interval(op, &plaintext, bound)?;
        } else if self.values(&plaintext)?.largest() > bound.size() * (1.0 + SLACK) {
            let slots = self.decode(&plaintext)?;
            let (index, size) = slots
                .iter()
                .map(|z| z.norm())
                .enumerate()
                .fold((0, 0.0), |most, at| if at.1 > most.1 { at } else { most });
            return Err(Error::BeyondBound { op, index, size, bound: bound.size() });
        }
        let encryption = self.core.public_encryption_error(plaintext.scale);
        self.check_range(op, bound, TAIL * encryption, plaintext.level)?;
        let is_real = plaintext.is_real || bound.is_real();
        Ok(Plaintext { bound: Some(bound), is_real, estimate: None, ..plaintext })
    }

    /// Refuses a message with a value outside of the interval that is declared for it.
    fn check_interval(&self, op: &'static str, plaintext: &Plaintext, bound: Bound) -> Result<(), Error> {
        let ((low, high), slack) = (bound.interval(), bound.size() * SLACK);
        let values = self.values(plaintext)?;
        // Zeros at the end of a message are values, and those after it are none.
        let is_padding = |slot| plaintext.padding.as_ref().is_some_and(|padding| padding.contains(slot));
        let count = (0..plaintext.slot_count).rfind(|&slot| !is_padding(slot)).map_or(0, |last| last + 1);
        let (least, most) = values.ends(count);
        if values.is_real() && low - slack <= least && most <= high + slack {
            return Ok(());
        }
        let slots = self.decode(plaintext)?;
        let beyond = |z: &Complex64| (low - z.re).max(z.re - high).max(z.im.abs());
        let index = (0..count).max_by(|&a, &b| beyond(&slots[a]).total_cmp(&beyond(&slots[b]))).unwrap_or(0);
        let rounding = TAIL * self.core.encoding_error(plaintext.scale);
        let value = if slots[index].re.abs() <= rounding { 0.0 } else { slots[index].re };
        Err(Error::BeyondInterval { op, index, value, low, high })
    }

    /// The values of a plaintext, as far as estimates need them.
    pub(crate) fn values<'p>(&self, plaintext: &'p Plaintext) -> Result<&'p Values, Error> {
        if let Some(values) = plaintext.values.get() {
            return Ok(values);
        }
        let slots = self.decode(plaintext)?;
        let rounding = TAIL * self.core.encoding_error(plaintext.scale);
        Ok(plaintext.values.get_or_init(|| Values::decoded(slots, rounding)))
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
        if let Some(estimate) = &plaintext.estimate
            && let Some(largest) = estimate.largest_beyond(&slots, SLACK)
        {
            let bound = estimate.bound_of_values().size();
            checks::notice(RangeNotice::Decrypted { op: "decrypt", largest, bound });
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
        self.check(op, "public key", key.origin)?;
        self.check_message(op, plaintext)?;
        let plaintext = &*self.plain_at(plaintext, plaintext.level)?;
        let seed = self.core.seeds.next()?;
        Ok(self.install(|core| {
            let special = core.encryption_special();
            let rlwe = key.key.encrypt_zero_divided(&core.ring, plaintext.poly.set(), &special, &seed);
            self.finish_encryption(rlwe, plaintext, core.public_encryption_error(plaintext.scale), key.origin)
        }))
    }

    /// Encrypts with the secret key.
    ///
    /// # Errors
    /// As [`Context::encrypt`].
    pub fn encrypt_with_secret(&self, plaintext: &Plaintext, key: &SecretKey) -> Result<Ciphertext, Error> {
        let op = "encrypt";
        self.check_plaintext(op, plaintext)?;
        self.check(op, "secret key", key.origin)?;
        self.check_message(op, plaintext)?;
        let plaintext = &*self.plain_at(plaintext, plaintext.level)?;
        let seed = self.core.seeds.next()?;
        Ok(self.install(|core| {
            let rlwe = Rlwe::encrypt_zero(&core.ring, plaintext.poly.set(), &key.key, &seed);
            let error = core.slot_error(everlevel_rlwe::SIGMA, plaintext.scale);
            self.finish_encryption(rlwe, plaintext, error, key.origin)
        }))
    }

    /// Gives notice of values beyond the assumed bound.
    fn check_message(&self, op: &'static str, plaintext: &Plaintext) -> Result<(), Error> {
        if plaintext.bound.is_none() {
            let (largest, bound) = (self.values(plaintext)?.largest(), Bound::ASSUMED.size());
            if largest > bound * (1.0 + SLACK) {
                checks::notice(RangeNotice::Message { op, largest, bound });
            }
        }
        Ok(())
    }

    fn finish_encryption(&self, mut rlwe: Rlwe, plaintext: &Plaintext, noise: f64, origin: Origin) -> Ciphertext {
        self.core.ring.add_assign(&mut rlwe.c0, &plaintext.poly);
        let (core, scale) = (&self.core, plaintext.scale);
        let error = noise.hypot(core.encoding_error(scale));
        let estimate = Estimate::fresh(plaintext.bound(), error, core.next_sample());
        let fresh =
            |padding: &Padding| padding.with(Estimate::fresh(padding.values().bound(), error, core.next_sample()));
        let estimate = estimate.padded(plaintext.padding.as_ref().map(fresh));
        let claims = Claims::new(plaintext.level, plaintext.scale, estimate);
        Ciphertext::new(rlwe, None, claims, Identity { origin, slot_count: self.slot_count() })
    }

    /// Decrypts to a plaintext.
    ///
    /// # Errors
    /// A ciphertext or key of other parameters, or another secret.
    pub fn decrypt(&self, ciphertext: &Ciphertext, key: &SecretKey) -> Result<Plaintext, Error> {
        let op = "decrypt";
        self.check_ciphertext(op, ciphertext)?;
        self.check_secret(op, "secret key", key.origin, ciphertext)?;
        let ciphertext = &*self.on_host(ciphertext)?;
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
                is_real: ciphertext.bound().is_real(),
                padding: ciphertext.estimate().padding().map(Padding::decrypted),
                estimate: Some(Box::new(ciphertext.estimate().clone())),
            }
        }))
    }

    /// The coefficients of the phase of a ciphertext inside a bootstrap, and its slots divided by `scale`: for looking
    /// between the stages (see [`crate::Observer`]).
    ///
    /// # Errors
    /// A key of other parameters.
    pub fn inspect(&self, rlwe: &Rlwe, key: &SecretKey, scale: f64) -> Result<(Vec<i128>, Vec<Complex64>), Error> {
        self.check("inspect", "secret key", key.origin)?;
        Ok(self.install(|core| {
            let few = readable(rlwe.set());
            let rlwe = rlwe.restricted(&few).map(|part| part.to_host(&core.ring));
            let coeffs = core.ring.to_i128(&core.ring.to_coeff(rlwe.phase(&core.ring, &key.key)));
            let slots = core.encoder.decode(&coeffs, scale);
            (coeffs, slots)
        }))
    }
}
