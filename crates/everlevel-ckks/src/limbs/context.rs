//! Keys and messages.

use std::ops::Deref;
use std::sync::OnceLock;

use everlevel_limbs::{EncryptionKey, Error, Frame, ParametersEntry, SecretKey, log2_hypot};
use everlevel_rand::SeedSource;
use everlevel_rand::secrecy::declassify;
use everlevel_ring::Limbs;
use everlevel_ring::base2k::coefficients;
use num_complex::Complex64;

use super::bootstrap::Plan;
use super::{Ciphertext, Params, ParamsLiteral};
use crate::Encoder;
use crate::checks::{self, RangeNotice, SLACK};
use crate::claims::TAIL;

/// The tables of a parameter set, and all that is done with it.
#[derive(Debug)]
pub struct Context {
    pub(super) params: Params,
    pub(super) frame: Frame,
    pub(super) encoder: Encoder,
    /// Made when it is first asked for.
    bootstrap: OnceLock<Box<Plan>>,
}

/// Bits of the words that messages are rounded to, their sign and the bits above the point among them: as many as
/// doubles hold, and a few for what lies beside them.
const MESSAGE_BITS: u32 = 58;

/// Relative errors that the Fourier transform in doubles leaves in coefficients, as log2 of a deviation.
const LOG2_OF_DOUBLES: f64 = -52.0;

/// A vector's coefficients, as integers.
pub(super) struct Words {
    /// Multiples of `2^−bits`.
    pub words: Vec<i64>,
    pub bits: u32,
    pub bound: f64,
}

impl Words {
    /// The bits below the point that leave room for values of a bound.
    pub fn bits_of(bound: f64) -> u32 {
        MESSAGE_BITS.saturating_sub(Params::needed_bits(bound))
    }

    /// log2 of the deviation of the coefficients' roundings, and those of doubles before them.
    pub fn log2_rounding(&self) -> f64 {
        let of_doubles = LOG2_OF_DOUBLES + self.bound.log2() - 0.5 * (self.words.len() as f64).log2();
        log2_hypot(-f64::from(self.bits) - 0.5 * 12f64.log2(), of_doubles)
    }

    /// log2 of the 2-norm, which a product's noise is multiplied by.
    pub fn log2_norm(&self) -> f64 {
        0.5 * self.words.iter().map(|&x| (x as f64).powi(2)).sum::<f64>().max(1.0).log2()
    }
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
        let ParamsLiteral { log_n, log2_base, limbs, digit_limbs, precision_bits } = *params.literal();
        let numbers = [
            ("log_n", log_n.into()),
            ("log2_base", log2_base.into()),
            ("limbs", limbs as u64),
            ("digit_limbs", digit_limbs as u64),
            ("precision_bits", precision_bits.into()),
        ];
        let entry = ParametersEntry {
            scheme: "ckks over limbs",
            set: params.set().unwrap_or("unnamed"),
            numbers: numbers.into(),
            insecure: params.is_insecure(),
        };
        let frame = Frame::new(params.shape(), &format!("ckks {:?}", params.literal()), entry, seeds)?;
        Ok(Self { encoder: Encoder::new(params.n(), params.slots()), params, frame, bootstrap: OnceLock::new() })
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

    /// The plan of bootstraps.
    ///
    /// # Errors
    /// Parameters that have none.
    pub(super) fn bootstrap_plan(&self) -> Result<&Plan, Error> {
        if let Some(plan) = self.bootstrap.get() {
            return Ok(plan);
        }
        let plan = Box::new(Plan::new(&self.params)?);
        Ok(self.bootstrap.get_or_init(|| plan))
    }

    /// Encrypts values of a bound, at most one for each slot; slots without one hold 0.
    ///
    /// # Errors
    /// Too many values, one that is no number, or one beyond the bound; no randomness; a key of other parameters.
    pub fn encrypt<'k>(
        &self,
        key: impl Into<EncryptionKey<'k>>,
        values: &[Complex64],
        bound: f64,
    ) -> Result<Ciphertext, Error> {
        let (op, key) = ("encrypt", key.into());
        self.require(op, "key", key.origin())?;
        let budget_bits = self.params.max_budget_bits();
        self.room(op, budget_bits.into(), bound, budget_bits)?;
        let words = self.message(op, values, bound)?;
        let limbs = self.params.literal().limbs;
        let mut ct = self.encrypt_zero(key)?;
        self.ring().add_assign(&mut ct.c0, &self.placed(&words, budget_bits, limbs));
        let noise = match key {
            EncryptionKey::Secret(_) => self.params.shape().fresh_noise(),
            EncryptionKey::Public(_) => self.params.shape().public_noise(),
        };
        let log2_noise = log2_hypot(noise, words.log2_rounding() - f64::from(budget_bits));
        Ok(Ciphertext { origin: key.origin(), ct, budget_bits, bound, log2_noise })
    }

    /// Decrypts to one value for each slot.
    ///
    /// # Errors
    /// A secret key that isn't the ciphertext's, or of other parameters.
    pub fn decrypt(&self, secret: &SecretKey, a: &Ciphertext) -> Result<Vec<Complex64>, Error> {
        self.require_same("decrypt", ("secret key", secret.origin()), a.origin)?;
        let phase = a.ct.phase(self.ring(), secret.key());
        // Decoding isn't constant-time: what memcheck follows ends here.
        phase.views().iter().for_each(|limb| declassify(limb));
        // The point is below so many bits, and there are more than a double holds on either side of it: below it some
        // for the sum of all coefficients' roundings.
        let above = Params::needed_bits(a.bound).max(MESSAGE_BITS);
        let base = self.ring().base().log2();
        let below = MESSAGE_BITS + self.params.literal().log_n;
        let count = (above + below).div_ceil(base) as usize;
        let moved = self.ring().shifted(&phase, i64::from(a.budget_bits) - i64::from(above), count);
        let weight = |j: usize| (f64::from(above) - (j + 1) as f64 * f64::from(base)).exp2();
        let limbs = moved.views();
        let coefficient = |i: usize| limbs.iter().enumerate().rev().map(|(j, limb)| limb[i] as f64 * weight(j)).sum();
        let coeffs: Vec<f64> = (0..self.params.n()).map(coefficient).collect();
        Ok(self.encoder.to_slots(&coeffs))
    }

    /// Gives notice of decrypted values beyond the ciphertext's bound.
    pub fn notice_beyond(&self, a: &Ciphertext, values: &[Complex64]) {
        // Where values are smaller than their errors, a product's error is that of both, whose tails multiply: each is
        // as many root mean squares as standard deviations of its real part are, over √2.
        let worst = TAIL * TAIL / 2.0 * a.log2_error().exp2();
        let largest = values.iter().map(|z| z.norm()).fold(0.0, f64::max);
        if largest > a.bound * (1.0 + SLACK) + worst {
            checks::notice(RangeNotice::Decrypted { op: "decrypt", largest, bound: a.bound });
        }
    }

    /// A vector's coefficients as precisely as doubles have them.
    pub(super) fn message(&self, op: &'static str, values: &[Complex64], bound: f64) -> Result<Words, Error> {
        self.encoded(op, values, bound, Words::bits_of(bound), MESSAGE_BITS)
    }

    /// Refuses numbers of a size that no message has.
    pub(super) fn require_message(&self, op: &'static str, size: f64) -> Result<(), Error> {
        let needed_bits = size.log2().max(0.0) + 2.0;
        if needed_bits <= f64::from(MESSAGE_BITS) {
            return Ok(());
        }
        Err(Error::TooFine { op, needed_bits, most_bits: MESSAGE_BITS })
    }

    /// A vector's coefficients as multiples of `2^−bits`, of at most `most_bits` in all.
    pub(super) fn encoded(
        &self,
        op: &'static str,
        values: &[Complex64],
        bound: f64,
        bits: u32,
        most_bits: u32,
    ) -> Result<Words, Error> {
        let slots = self.params.slots();
        if values.len() > slots {
            return Err(Error::TooManyValues { op, found: values.len(), slots });
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { op, index, value: values[index].to_string() });
        }
        if let Some(index) = values.iter().position(|value| value.norm() > bound * (1.0 + SLACK)) {
            return Err(Error::BeyondBound { op, index, size: values[index].norm(), bound });
        }
        // A sign, and a bit for roundings.
        let needed_bits = bound.log2().max(0.0) + f64::from(bits) + 2.0;
        if needed_bits.is_nan() || needed_bits > f64::from(most_bits) {
            return Err(Error::TooFine { op, needed_bits, most_bits });
        }
        let mut all = values.to_vec();
        all.resize(slots, Complex64::default());
        let scale = f64::from(bits).exp2();
        let words = self.encoder.to_coeffs(&all).into_iter().map(|c: f64| (c * scale).round() as i64).collect();
        Ok(Words { words, bits, bound })
    }

    /// A message at a budget: `m·2^−B`, rounded to limbs.
    pub(super) fn placed(&self, words: &Words, budget_bits: u32, limbs: usize) -> Limbs {
        let mut out = self.ring().zero(limbs);
        let down = self.words_down(words, budget_bits);
        coefficients::shift_into(self.ring().base(), &mut out.views_mut(), &[&words.words], -down);
        out
    }

    /// The bits that words are moved down by from limb 0, where they are multiples of `2^−K`.
    pub(super) fn words_down(&self, words: &Words, budget_bits: u32) -> i64 {
        i64::from(words.bits + budget_bits) - i64::from(self.ring().base().log2())
    }

    /// Refuses results whose values their budget has no room for.
    pub(super) fn room(&self, op: &'static str, left_bits: i64, bound: f64, operand_bits: u32) -> Result<u32, Error> {
        let needed_bits = Params::needed_bits(bound);
        match u32::try_from(left_bits) {
            Ok(left) if left >= needed_bits => Ok(left),
            _ => Err(Error::BudgetShort { op, left_bits, needed_bits, operand_bits }),
        }
    }
}
