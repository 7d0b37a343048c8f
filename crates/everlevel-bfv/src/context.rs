//! Keys, encryption and decryption, and the budget that every operation looks at.

use std::ops::Deref;

use everlevel_limbs::{EncryptionKey, Error, Frame, Origin, ParametersEntry, SecretKey};
use everlevel_objects::{require_units, with_memory};
use everlevel_rand::SeedSource;
use everlevel_rand::secrecy::declassify;
use everlevel_ring::base2k::coefficients;
use everlevel_ring::{LimbRing, Limbs};
use everlevel_rlwe::Rlwe;

use crate::encoder::Encoder;
use crate::noise::Noise;
use crate::{Ciphertext, Params, ParamsLiteral};

/// The tables of a parameter set, and its operations: keys, encryption, arithmetic.
#[derive(Debug)]
pub struct Context {
    pub(crate) params: Params,
    pub(crate) frame: Frame,
    pub(crate) encoder: Encoder,
}

/// A context makes keys, and tells of its parameters, as its frame does.
impl Deref for Context {
    type Target = Frame;

    fn deref(&self) -> &Frame {
        &self.frame
    }
}

impl Context {
    /// The context of checked parameters, with the operating system's randomness.
    ///
    /// # Errors
    /// A base whose products would be wrong at this degree.
    pub fn new(params: Params) -> Result<Self, Error> {
        Self::with_seeds(params, SeedSource::os())
    }

    /// The context with other randomness: of a seed, for tests alone.
    ///
    /// # Errors
    /// As [`Context::new`].
    pub fn with_seeds(params: Params, seeds: SeedSource) -> Result<Self, Error> {
        let ParamsLiteral { log_n, plain_modulus, log2_base, limbs, digit_limbs } = *params.literal();
        let encoder = Encoder::new(log_n, plain_modulus).map_err(everlevel_ring::base2k::Error::from)?;
        let numbers = [
            ("log_n", log_n.into()),
            ("plain_modulus", plain_modulus),
            ("log2_base", log2_base.into()),
            ("limbs", limbs as u64),
            ("digit_limbs", digit_limbs as u64),
        ];
        let entry = ParametersEntry {
            scheme: "bfv",
            set: params.set().unwrap_or("unnamed"),
            numbers: numbers.into(),
            insecure: params.is_insecure(),
        };
        let frame = Frame::new(params.shape(), &format!("{:?}", params.literal()), entry, seeds)?;
        Ok(Self { params, frame, encoder })
    }

    /// Context whose keys are held as seeds and bodies, or not: less memory, slower use.
    #[must_use]
    pub fn with_seeded_keys(self, seeded_keys: bool) -> Self {
        Self { frame: self.frame.with_seeded_keys(seeded_keys), ..self }
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Encrypts integers modulo `t`: the first unit's slots, the second's, and so on; slots without one hold 0.
    ///
    /// # Errors
    /// An integer outside of `±(t − 1)`; no randomness; too little memory; a key of other parameters.
    pub fn encrypt<'k>(&self, key: impl Into<EncryptionKey<'k>>, values: &[i64]) -> Result<Ciphertext, Error> {
        let op = "encrypt";
        let key = key.into();
        let noise = match key {
            EncryptionKey::Secret(_) => self.params.fresh_noise(),
            EncryptionKey::Public(_) => self.params.public_noise(),
        };
        self.require(op, "key", key.origin())?;
        let messages = self.encoded(op, values)?;
        let footprint = self.params.shape().ciphertexts_footprint(messages.len());
        let units = with_memory(op, footprint, || {
            let encrypt = |coeffs: &Vec<u64>| {
                let mut ct = self.encrypt_zero(key)?;
                self.ring().add_assign(&mut ct.c0, &self.fraction(coeffs));
                Ok::<_, Error>(ct)
            };
            messages.iter().map(encrypt).collect::<Result<_, _>>()
        })?;
        Ok(Ciphertext::new(&self.params, key.origin(), units, noise))
    }

    /// Decrypts to integers nearest to zero, one for each slot of each unit.
    ///
    /// # Errors
    /// A secret key that isn't the ciphertext's, or of other parameters.
    pub fn decrypt(&self, secret: &SecretKey, ct: &Ciphertext) -> Result<Vec<i64>, Error> {
        let op = "decrypt";
        self.require_same(op, ("secret key", secret.origin()), ct.origin)?;
        let values = |unit: &Rlwe<LimbRing>| {
            let phase = unit.phase(self.ring(), secret.key());
            // Decoding isn't constant-time: what memcheck follows ends here.
            phase.views().iter().for_each(|limb| declassify(limb));
            self.encoder.decode(self.rounded(&phase))
        };
        Ok(ct.units.iter().flat_map(values).collect())
    }

    /// log2 of the standard deviation of a ciphertext's noise as a part of the torus, from its decryption: what
    /// [`Ciphertext::log2_noise`] estimates. It tells something of the secret, and is not to be published.
    ///
    /// # Errors
    /// As [`Context::decrypt`].
    pub fn measured_noise(&self, secret: &SecretKey, ct: &Ciphertext) -> Result<f64, Error> {
        let op = "measured_noise";
        self.require_same(op, ("secret key", secret.origin()), ct.origin)?;
        let errors: Vec<Limbs> =
            ct.units.iter().map(|unit| self.error(&unit.phase(self.ring(), secret.key()))).collect();
        // Two limbs from the first one that isn't zero.
        let first = errors.iter().map(|error| error.views().iter().position(|limb| limb.iter().any(|&x| x != 0)));
        let first = first.map(|first| first.unwrap_or(0)).min().unwrap_or(0);
        let base = f64::from(self.params.log2_base());
        let square = |error: &Limbs| {
            let limbs = error.views();
            let value = |i: usize| {
                limbs[first..].iter().take(2).rev().fold(0.0, |sum, limb| (sum + limb[i] as f64) * (-base).exp2())
            };
            (0..self.params.n()).map(|i| value(i).powi(2)).sum::<f64>()
        };
        let squares: f64 = errors.iter().map(square).sum();
        let count = (self.params.n() * errors.len()) as f64;
        Ok(0.5 * (squares / count).log2() - base * first as f64)
    }

    /// The error of a phase: all that it has beside its message.
    fn error(&self, phase: &Limbs) -> Limbs {
        let mut error = phase.clone();
        self.ring().sub_assign(&mut error, &self.fraction(&self.rounded(phase)));
        error
    }

    /// The coefficients of each unit: of one at least.
    pub(crate) fn encoded(&self, op: &'static str, values: &[i64]) -> Result<Vec<Vec<u64>>, Error> {
        let (slots, modulus) = (self.params.n(), self.params.plain_modulus());
        let largest = modulus as i64 - 1;
        match values.iter().position(|x| x.unsigned_abs() >= modulus) {
            Some(slot) => Err(Error::ValueOutside { op, value: values[slot], slot, largest, modulus }),
            None if values.is_empty() => Ok(vec![self.encoder.encode(values)]),
            None => Ok(values.chunks(slots).map(|unit| self.encoder.encode(unit)).collect()),
        }
    }

    /// [`Context::encoded`] beside a ciphertext of as many units.
    ///
    /// # Errors
    /// An integer outside of `±(t − 1)`; another number of units; a ciphertext of other parameters.
    pub(crate) fn encoded_beside(
        &self,
        op: &'static str,
        a: &Ciphertext,
        values: &[i64],
    ) -> Result<Vec<Vec<u64>>, Error> {
        self.require(op, "ciphertext", a.origin)?;
        let messages = self.encoded(op, values)?;
        require_units(op, a.unit_count(), messages.len())?;
        Ok(messages)
    }

    /// `m/t`, rounded to the last limb: digits by long division, then balanced.
    pub(crate) fn fraction(&self, coeffs: &[u64]) -> Limbs {
        let (limbs, log2_base, t) =
            (self.params.limbs(), self.params.log2_base(), u128::from(self.params.plain_modulus()));
        let mut digits = vec![vec![0i64; coeffs.len()]; limbs];
        for (i, &m) in coeffs.iter().enumerate() {
            let mut rest = u128::from(m);
            for limb in &mut digits {
                let shifted = rest << log2_base;
                limb[i] = (shifted / t) as i64;
                rest = shifted % t;
            }
            if 2 * rest > t {
                digits[limbs - 1][i] += 1;
            }
        }
        let mut out = self.ring().zero(limbs);
        let views: Vec<&[i64]> = digits.iter().map(Vec::as_slice).collect();
        coefficients::shift_into(self.ring().base(), &mut out.views_mut(), &views, 0);
        out
    }

    /// `t·phase`, rounded, in `[0, t)`: of its first 80 bits, which are twice those of `t`. What the shifts lose is
    /// below `2^−K`.
    fn rounded(&self, phase: &Limbs) -> Vec<u64> {
        let (log2_base, t) = (self.params.log2_base(), i128::from(self.params.plain_modulus()));
        let mut limbs = phase.views();
        limbs.truncate(80u32.div_ceil(log2_base) as usize);
        let coefficient = |i: usize| {
            let scaled = limbs.iter().rev().fold(0, |below, limb| i128::from(limb[i]) * t + (below >> log2_base));
            let rounded = (scaled + (1 << (log2_base - 1))) >> log2_base;
            rounded.rem_euclid(t) as u64
        };
        (0..self.params.n()).map(coefficient).collect()
    }

    pub(crate) fn room(&self, op: &'static str, noise: Noise, operand_bits: f64) -> Result<(), Error> {
        let budget_bits = self.params.budget_bits(noise);
        if budget_bits > 0.0 { Ok(()) } else { Err(Error::BudgetUsedUp { op, budget_bits, operand_bits }) }
    }

    pub(crate) fn result(
        &self,
        op: &'static str,
        origin: Origin,
        units: Vec<Rlwe<LimbRing>>,
        noise: Noise,
        operand_bits: f64,
    ) -> Result<Ciphertext, Error> {
        self.room(op, noise, operand_bits)?;
        Ok(Ciphertext::new(&self.params, origin, units, noise))
    }
}
