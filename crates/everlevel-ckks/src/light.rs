//! Plaintexts without primes: eight bytes for each coefficient (sixteen with double precision, and of values for which
//! doubles are too few), whatever the level.
//!
//! A [`LightPlaintext`] holds the real coefficients of a message, before they are scaled and rounded. Each use scales,
//! rounds and transforms them for the primes of its level: the result is [`Context::encode`]'s, bit for bit, at every
//! level, and costs a transform for each prime where a [`Plaintext`] costs none.

use std::sync::OnceLock;

use everlevel_ring::{Eval, Poly};
use num_complex::Complex64;

use crate::claims::{Padding, Values};
use crate::core::Core;
use crate::encoder::Coefficients;
use crate::{Context, Error, Plaintext, Units};

/// A message, encoded up to its scale.
#[derive(Debug, Clone)]
pub struct LightPlaintext {
    /// The two halves of the coefficients, `2·slot_count` of them.
    pub(crate) coeffs: Coefficients,
    pub(crate) level: usize,
    pub(crate) slot_count: usize,
    pub(crate) fingerprint: u64,
    /// Whether all values are real numbers, as far as its maker said so.
    pub(crate) is_real: bool,
    /// The slots after the values of a message that doesn't fill them.
    pub(crate) padding: Option<Padding>,
    /// Values, where they are known without decoding.
    pub(crate) values: OnceLock<Values>,
}

impl LightPlaintext {
    /// The highest level of its uses.
    pub fn level(&self) -> usize {
        self.level
    }

    /// This plaintext, whose values are real numbers, as Chebyshev series need to know; or may not be.
    #[must_use]
    pub fn on_reals(self, is_real: bool) -> Self {
        Self { is_real, ..self }
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.coeffs.nbytes()
    }
}

impl Units<LightPlaintext> {
    /// This vector, whose values are real numbers, or may not be.
    #[must_use]
    pub fn on_reals(self, is_real: bool) -> Self {
        Self::new(self.all().iter().map(|unit| unit.clone().on_reals(is_real)).collect()).unwrap_or(self)
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.all().iter().map(LightPlaintext::nbytes).sum()
    }
}

impl Core {
    /// The polynomial of coefficients at a level: scaled, rounded, transformed.
    pub(crate) fn expand(&self, op: &'static str, coeffs: &Coefficients, level: usize) -> Result<Plaintext, Error> {
        let scale = self.ladder.scales[level];
        let (integers, largest) = self.integers(coeffs, level);
        self.check_log2(op, largest.min(f64::MAX).log2(), level)?;
        let poly = self.transformed(&integers, level);
        Ok(Plaintext {
            poly,
            level,
            scale,
            slot_count: self.encoder.slots(),
            fingerprint: self.fingerprint,
            values: OnceLock::new(),
            bound: None,
            is_real: false,
            padding: None,
            estimate: None,
        })
    }
}

impl Core {
    /// The polynomial of integers over the primes of a level.
    pub(crate) fn transformed(&self, integers: &[i128], level: usize) -> Poly<Eval> {
        let set = &self.ladder.sets[level];
        // Of 64 bits, they are reduced many at a time.
        let narrow: Result<Vec<i64>, _> = integers.iter().map(|&c| i64::try_from(c)).collect();
        self.ring.to_eval(match narrow {
            Ok(narrow) => self.ring.from_i64(set, &narrow),
            Err(_) => self.ring.from_i128(set, integers),
        })
    }
}

impl Context {
    /// The coefficients of up to `slot_count` values, of which the rest are zero.
    pub(crate) fn coefficients(&self, op: &'static str, values: &[Complex64]) -> Result<Coefficients, Error> {
        let slot_count = self.slot_count();
        if values.is_empty() {
            return Err(Error::EmptyMessage { op, slot_count });
        }
        if values.len() > slot_count {
            return Err(Error::MessageTooLong { op, len: values.len(), slot_count });
        }
        if let Some(index) = values.iter().position(|v| !v.re.is_finite() || !v.im.is_finite()) {
            return Err(Error::NotFinite { op, index, value: values[index].to_string() });
        }
        let mut slots = values.to_vec();
        slots.resize(slot_count, Complex64::default());
        Ok(self.core.coefficients(&slots))
    }

    /// Encodes up to `slot_count` values without their primes.
    ///
    /// # Errors
    /// As [`Context::encode`].
    pub fn encode_light(&self, values: &[Complex64], level: usize) -> Result<LightPlaintext, Error> {
        let op = "encode_to_light_plaintext";
        self.check_level(op, level)?;
        let coeffs = self.coefficients(op, values)?;
        self.core.check_fits(op, &coeffs, level)?;
        let (slot_count, fingerprint) = (self.slot_count(), self.core.fingerprint);
        let padding = Padding::after(values.len(), slot_count);
        let values = Values::new(values, slot_count).into();
        Ok(LightPlaintext { coeffs, level, slot_count, fingerprint, is_real: false, padding, values })
    }

    /// This message for uses at another level: lower, or higher.
    ///
    /// # Errors
    /// A plaintext of other parameters; a level that does not exist, or that is too small for the message.
    pub fn change_level(&self, light: &LightPlaintext, level: usize) -> Result<LightPlaintext, Error> {
        let op = "change_level";
        self.check_light(op, light)?;
        self.check_level(op, level)?;
        self.core.check_fits(op, &light.coeffs, level)?;
        Ok(LightPlaintext { level, ..light.clone() })
    }

    /// The plaintext at a level up to its own.
    ///
    /// # Errors
    /// A plaintext of other parameters; a higher level.
    pub fn expand(&self, light: &LightPlaintext, level: usize) -> Result<Plaintext, Error> {
        let op = "expand";
        self.check_light(op, light)?;
        if level > light.level {
            return Err(Error::LevelOutOfRange { op, level, max_level: light.level });
        }
        let plaintext = self.install(|core| core.expand(op, &light.coeffs, level))?;
        let (values, padding) = (light.values.clone(), light.padding.clone());
        Ok(Plaintext { values, padding, is_real: light.is_real, ..plaintext })
    }

    fn check_light(&self, op: &'static str, light: &LightPlaintext) -> Result<(), Error> {
        self.check_fingerprint(op, "light plaintext", light.fingerprint)?;
        self.check_slots("slot_count of the light plaintext", light.slot_count)
    }
}
