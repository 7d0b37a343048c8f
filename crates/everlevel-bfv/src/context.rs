//! Encryption, decryption and arithmetic.

use std::collections::BTreeMap;

use everlevel_rand::secrecy::{declassified, declassify};
use everlevel_rand::{Domain, SeedSource, sampler};
use everlevel_ring::base2k::{Operands, Transform, coefficients};
use everlevel_ring::{LimbRing, Limbs, Representation};
use everlevel_rlwe::{LimbRlwe, SecretId, SwitchingKey};
use zeroize::Zeroizing;

use crate::encoder::Encoder;
use crate::noise::Noise;
use crate::{Ciphertext, Error, EvalKeys, Params, ParamsLiteral, SecretKey};

/// The tables of a parameter set, and all that is done with it.
#[derive(Debug)]
pub struct Context {
    params: Params,
    ring: LimbRing,
    encoder: Encoder,
    seeds: SeedSource,
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
        let ring = LimbRing::new(log_n, Transform::ThreePrimes, log2_base, limbs + digit_limbs)?;
        // The middle part of a tensor product has two sums.
        ring.require_base(2 * limbs, Operands::Chosen)?;
        let encoder = Encoder::new(log_n, plain_modulus).map_err(everlevel_ring::base2k::Error::from)?;
        Ok(Self { params, ring, encoder, seeds })
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// A fresh secret key.
    ///
    /// # Errors
    /// No randomness.
    pub fn secret_key(&self) -> Result<SecretKey, Error> {
        let seed = self.seeds.next()?;
        let mut coeffs = vec![0; self.params.n()];
        sampler::ternary(&mut seed.stream(Domain::SecretKey, 0), &mut coeffs);
        let id = SecretId(declassified(seed.stream(Domain::Derive, 0).next_u64()));
        let key = everlevel_rlwe::SecretKey::from_coeffs(&self.ring, id, coeffs);
        Ok(SecretKey { literal: *self.params.literal(), key })
    }

    /// The keys for products, for rotations by these amounts, and for the swap of rows.
    ///
    /// # Errors
    /// No randomness; a secret key of other parameters.
    pub fn eval_keys(&self, secret: &SecretKey, rotations: &[i64], swap_rows: bool) -> Result<EvalKeys, Error> {
        let op = "eval_keys";
        self.same_parameters(op, "secret key", &secret.literal)?;
        let (ring, gadget, key) = (&self.ring, self.params.gadget(), &secret.key);
        let wide = Zeroizing::new(key.coeffs().iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
        let s = Zeroizing::new(ring.small(&1, &wide));
        let square = Zeroizing::new(ring.inner_product(std::slice::from_ref(&*s), key.prepared()));
        let relinearization = SwitchingKey::of_limbs(ring, key, square.limb(0), gadget, &self.seeds.next()?);
        let mut galois = BTreeMap::new();
        let swap = swap_rows.then_some((0, 2 * self.params.n() as u64 - 1));
        for (amount, element) in rotations.iter().map(|&amount| (amount, self.rotation(amount))).chain(swap) {
            if element != 1 {
                let key = SwitchingKey::of_limbs_galois(ring, key, element, gadget, &self.seeds.next()?);
                galois.insert(element, (amount, key));
            }
        }
        Ok(EvalKeys { literal: secret.literal, secret_id: key.id().0, relinearization, galois })
    }

    /// Encrypts integers modulo `t`, at most one for each slot; slots without one hold 0.
    ///
    /// # Errors
    /// Too many integers, or one outside of `±(t − 1)`; no randomness; a secret key of other parameters.
    pub fn encrypt(&self, secret: &SecretKey, values: &[i64]) -> Result<Ciphertext, Error> {
        let op = "encrypt";
        self.same_parameters(op, "secret key", &secret.literal)?;
        let coeffs = self.encoded(op, values)?;
        let seed = self.seeds.next()?;
        let mut ct = LimbRlwe::encrypt_zero(&self.ring, self.params.limbs(), &secret.key, &seed);
        self.ring.add_assign(&mut ct.c0, &self.fraction(&coeffs));
        Ok(Ciphertext::new(&self.params, secret.key.id().0, ct, self.params.fresh_noise()))
    }

    /// Decrypts to integers nearest to zero, one for each slot.
    ///
    /// # Errors
    /// A secret key that isn't the ciphertext's, or of other parameters.
    pub fn decrypt(&self, secret: &SecretKey, ct: &Ciphertext) -> Result<Vec<i64>, Error> {
        let op = "decrypt";
        self.same_parameters(op, "secret key", &secret.literal)?;
        self.check(op, ct, secret.key.id().0, "secret key")?;
        let phase = ct.ct.phase(&self.ring, &secret.key);
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
        self.same_parameters(op, "secret key", &secret.literal)?;
        self.check(op, ct, secret.key.id().0, "secret key")?;
        let mut error = ct.ct.phase(&self.ring, &secret.key);
        let message = self.fraction(&self.rounded(&error));
        self.ring.sub_assign(&mut error, &message);
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

    /// The sum, slot by slot.
    ///
    /// # Errors
    /// Ciphertexts of different secrets or parameters; a budget that is used up.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.linear("add", a, b, LimbRlwe::add_assign)
    }

    /// The difference, slot by slot.
    ///
    /// # Errors
    /// As [`Context::add`].
    pub fn subtract(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.linear("subtract", a, b, LimbRlwe::sub_assign)
    }

    /// The sum with integers, slot by slot.
    ///
    /// # Errors
    /// Integers as in [`Context::encrypt`]; a ciphertext of other parameters.
    pub fn add_plain(&self, a: &Ciphertext, values: &[i64]) -> Result<Ciphertext, Error> {
        let op = "add_plain";
        self.same_parameters(op, "ciphertext", &a.literal)?;
        let mut ct = a.ct.clone();
        self.ring.add_assign(&mut ct.c0, &self.fraction(&self.encoded(op, values)?));
        // The rounding of the fraction.
        self.result(op, a.secret_id, ct, a.noise.and(self.params.log2_unit() - 1.0), a.budget_bits)
    }

    /// The product with integers, slot by slot.
    ///
    /// # Errors
    /// As [`Context::add_plain`]; a budget that is used up.
    pub fn multiply_plain(&self, a: &Ciphertext, values: &[i64]) -> Result<Ciphertext, Error> {
        let op = "multiply_plain";
        self.same_parameters(op, "ciphertext", &a.literal)?;
        let coeffs: Vec<i64> = self.encoded(op, values)?.iter().map(|&x| self.encoder.centred(x)).collect();
        let norm = coeffs.iter().map(|&x| (x as f64).powi(2)).sum::<f64>().sqrt().max(1.0);
        let noise = a.noise.times(norm.log2());
        self.room(op, noise, a.budget_bits)?;
        let [c0, c1] = [&a.ct.c0, &a.ct.c1].map(|part| self.ring.times_small(part, &coeffs));
        self.result(op, a.secret_id, LimbRlwe { c0, c1 }, noise, a.budget_bits)
    }

    /// The product, slot by slot.
    ///
    /// # Errors
    /// Ciphertexts or keys of different secrets or parameters; a budget that is used up.
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "multiply";
        self.same(op, a, b)?;
        self.same_parameters(op, "keys", &keys.literal)?;
        self.check(op, a, keys.secret_id, "keys")?;
        let operands = a.budget_bits.min(b.budget_bits);
        let noise = self.params.product_noise(a.noise, b.noise);
        self.room(op, noise, operands)?;
        let (limbs, t) = (self.params.limbs(), self.params.plain_modulus() as i64);
        // One limb more than the result, whose rounding t multiplies.
        let parts = self.ring.tensor([&a.ct.c0, &a.ct.c1], [&b.ct.c0, &b.ct.c1], limbs + 1);
        let [d0, d1, d2] = parts.map(|part| self.ring.times_word(&part, t, limbs));
        let mut ct = keys.relinearization.times(&self.ring, &d2);
        ct.add_assign(&self.ring, &LimbRlwe { c0: d0, c1: d1 });
        self.result(op, a.secret_id, ct, noise, operands)
    }

    /// Both rows moved to the left by an amount: slot `i` of a row gets the value of slot `i + amount`.
    ///
    /// # Errors
    /// No key for the amount; keys or a ciphertext of other secrets or parameters; a budget that is used up.
    pub fn rotate(&self, a: &Ciphertext, amount: i64, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        self.moved("rotate", a, (amount, self.rotation(amount)), keys)
    }

    /// The rows swapped.
    ///
    /// # Errors
    /// As [`Context::rotate`].
    pub fn swap_rows(&self, a: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        self.moved("swap_rows", a, (0, 2 * self.params.n() as u64 - 1), keys)
    }

    fn moved(
        &self,
        op: &'static str,
        a: &Ciphertext,
        (amount, element): (i64, u64),
        keys: &EvalKeys,
    ) -> Result<Ciphertext, Error> {
        self.same_parameters(op, "ciphertext", &a.literal)?;
        self.same_parameters(op, "keys", &keys.literal)?;
        self.check(op, a, keys.secret_id, "keys")?;
        if element == 1 {
            return Ok(a.clone());
        }
        let (_, key) = keys.galois.get(&element).ok_or_else(|| {
            let available = keys.galois.values().map(|(amount, _)| *amount).collect();
            Error::MissingRotation { op, amount, available }
        })?;
        let noise = a.noise.and(self.params.switch_noise());
        self.room(op, noise, a.budget_bits)?;
        let ct = key.moved_limbs(&self.ring, &a.ct, element);
        self.result(op, a.secret_id, ct, noise, a.budget_bits)
    }

    fn linear(
        &self,
        op: &'static str,
        a: &Ciphertext,
        b: &Ciphertext,
        f: impl Fn(&mut LimbRlwe, &LimbRing, &LimbRlwe),
    ) -> Result<Ciphertext, Error> {
        self.same(op, a, b)?;
        let (noise, operands) = (a.noise.plus(b.noise), a.budget_bits.min(b.budget_bits));
        self.room(op, noise, operands)?;
        let mut ct = a.ct.clone();
        f(&mut ct, &self.ring, &b.ct);
        self.result(op, a.secret_id, ct, noise, operands)
    }

    /// `5^amount` modulo `2n`.
    fn rotation(&self, amount: i64) -> u64 {
        let (two_n, order) = (2 * self.params.n() as u64, self.params.n() as i64 / 2);
        (0..amount.rem_euclid(order)).fold(1, |g, _| g * 5 % two_n)
    }

    fn encoded(&self, op: &'static str, values: &[i64]) -> Result<Vec<u64>, Error> {
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
    fn fraction(&self, coeffs: &[u64]) -> Limbs {
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
        let mut out = self.ring.zero(limbs);
        let views: Vec<&[i64]> = digits.iter().map(Vec::as_slice).collect();
        coefficients::shift_into(self.ring.base(), &mut out.views_mut(), &views, 0);
        out
    }

    /// `t·phase`, rounded, in `[0, t)`: of its first two limbs, which have twice the bits of `t`.
    fn rounded(&self, phase: &Limbs) -> Vec<u64> {
        let (log2_base, t) = (self.params.log2_base(), self.params.plain_modulus());
        let [high, low] = [0, 1].map(|j| (j < phase.count()).then(|| phase.limb(j)));
        let coefficient = |i: usize| {
            let of = |limb: Option<&[i64]>| limb.map_or(0, |limb| i128::from(limb[i]) * i128::from(t));
            let scaled = of(high) + (of(low) >> log2_base);
            let rounded = (scaled + (1 << (log2_base - 1))) >> log2_base;
            rounded.rem_euclid(i128::from(t)) as u64
        };
        (0..self.params.n()).map(coefficient).collect()
    }

    fn room(&self, op: &'static str, noise: Noise, operand_bits: f64) -> Result<(), Error> {
        let budget_bits = self.params.budget_bits(noise);
        if budget_bits > 0.0 { Ok(()) } else { Err(Error::BudgetUsedUp { op, budget_bits, operand_bits }) }
    }

    fn result(
        &self,
        op: &'static str,
        secret_id: u64,
        ct: LimbRlwe,
        noise: Noise,
        operand_bits: f64,
    ) -> Result<Ciphertext, Error> {
        self.room(op, noise, operand_bits)?;
        Ok(Ciphertext::new(&self.params, secret_id, ct, noise))
    }

    fn same_parameters(&self, op: &'static str, what: &'static str, literal: &ParamsLiteral) -> Result<(), Error> {
        if literal == self.params.literal() { Ok(()) } else { Err(Error::OtherParameters { op, what }) }
    }

    fn same(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        self.same_parameters(op, "ciphertext", &a.literal)?;
        self.check(op, b, a.secret_id, "first ciphertext")
    }

    /// Whether an argument's secret is the ciphertext's.
    fn check(&self, op: &'static str, ct: &Ciphertext, found: u64, what: &'static str) -> Result<(), Error> {
        self.same_parameters(op, "ciphertext", &ct.literal)?;
        let expected = ct.secret_id;
        if found == expected { Ok(()) } else { Err(Error::ForeignKey { op, what, found, expected }) }
    }
}
