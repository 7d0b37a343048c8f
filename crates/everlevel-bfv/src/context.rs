//! Keys, encryption and decryption, and the budget that every operation looks at.

use everlevel_limbs::{Error, EvalKeys, Fingerprints, Frame, Origin, ParametersEntry, SecretKey};
use everlevel_rand::SeedSource;
use everlevel_rand::secrecy::declassify;
use everlevel_ring::base2k::coefficients;
use everlevel_ring::{LimbRing, Limbs, Progress};
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

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The fingerprints of the parameters: keys, ciphertexts and files of others are refused. They are public.
    pub fn fingerprints(&self) -> Fingerprints {
        self.frame.fingerprints()
    }

    pub(crate) fn ring(&self) -> &LimbRing {
        self.frame.ring()
    }

    /// A fresh secret key.
    ///
    /// # Errors
    /// No randomness.
    pub fn secret_key(&self) -> Result<SecretKey, Error> {
        self.frame.secret_key()
    }

    /// The keys for products, for rotations by these amounts, and for the swap of rows. Each is a step of the progress.
    ///
    /// # Errors
    /// No randomness; too little memory; a secret key of other parameters; [`Error::Cancelled`].
    pub fn eval_keys(
        &self,
        secret: &SecretKey,
        rotations: &[i64],
        swap_rows: bool,
        progress: Progress,
    ) -> Result<EvalKeys, Error> {
        self.frame.eval_keys(secret, rotations, swap_rows, progress)
    }

    /// Encrypts integers modulo `t`, at most one for each slot; slots without one hold 0.
    ///
    /// # Errors
    /// Too many integers, or one outside of `±(t − 1)`; no randomness; a secret key of other parameters.
    pub fn encrypt(&self, secret: &SecretKey, values: &[i64]) -> Result<Ciphertext, Error> {
        let op = "encrypt";
        self.frame.require(op, "secret key", secret.origin())?;
        let coeffs = self.encoded(op, values)?;
        let seed = self.frame.seed()?;
        let mut ct = Rlwe::<LimbRing>::encrypt_zero(self.ring(), &self.params.limbs(), secret.key(), &seed);
        self.ring().add_assign(&mut ct.c0, &self.fraction(&coeffs));
        Ok(Ciphertext::new(&self.params, secret.origin(), ct, self.params.fresh_noise()))
    }

    /// Decrypts to integers nearest to zero, one for each slot.
    ///
    /// # Errors
    /// A secret key that isn't the ciphertext's, or of other parameters.
    pub fn decrypt(&self, secret: &SecretKey, ct: &Ciphertext) -> Result<Vec<i64>, Error> {
        let op = "decrypt";
        self.frame.require_same(op, ("secret key", secret.origin()), ct.origin)?;
        let phase = ct.ct.phase(self.ring(), secret.key());
        // Decoding isn't constant-time: what memcheck follows ends here.
        phase.views().iter().for_each(|limb| declassify(limb));
        Ok(self.encoder.decode(self.rounded(&phase)))
    }

    /// log2 of the standard deviation of a ciphertext's noise as a part of the torus, from its decryption: what
    /// [`Ciphertext::log2_noise`] estimates. It tells something of the secret, and is not to be published.
    ///
    /// # Errors
    /// As [`Context::decrypt`].
    pub fn measured_noise(&self, secret: &SecretKey, ct: &Ciphertext) -> Result<f64, Error> {
        let op = "measured_noise";
        self.frame.require_same(op, ("secret key", secret.origin()), ct.origin)?;
        let mut error = ct.ct.phase(self.ring(), secret.key());
        let message = self.fraction(&self.rounded(&error));
        self.ring().sub_assign(&mut error, &message);
        // Two limbs from the first one that isn't zero.
        let limbs = error.views();
        let first = limbs.iter().position(|limb| limb.iter().any(|&x| x != 0)).unwrap_or(0);
        let base = f64::from(self.params.log2_base());
        let value = |i: usize| {
            limbs[first..].iter().take(2).rev().fold(0.0, |sum, limb| (sum + limb[i] as f64) * (-base).exp2())
        };
        let squares: f64 = (0..self.params.n()).map(|i| value(i).powi(2)).sum();
        Ok(0.5 * (squares / self.params.n() as f64).log2() - base * first as f64)
    }

    pub(crate) fn encoded(&self, op: &'static str, values: &[i64]) -> Result<Vec<u64>, Error> {
        let (slots, modulus) = (self.params.n(), self.params.plain_modulus());
        if values.len() > slots {
            return Err(Error::TooManyValues { op, found: values.len(), slots });
        }
        let largest = modulus as i64 - 1;
        match values.iter().position(|x| x.unsigned_abs() >= modulus) {
            Some(slot) => Err(Error::ValueOutside { op, value: values[slot], slot, largest, modulus }),
            None => Ok(self.encoder.encode(values)),
        }
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
        ct: Rlwe<LimbRing>,
        noise: Noise,
        operand_bits: f64,
    ) -> Result<Ciphertext, Error> {
        self.room(op, noise, operand_bits)?;
        Ok(Ciphertext::new(&self.params, origin, ct, noise))
    }
}
