//! Keys, messages and arithmetic.

use std::collections::BTreeMap;

use everlevel_rand::secrecy::declassified;
use everlevel_rand::{Domain, SeedSource, sampler};
use everlevel_ring::base2k::{Operands, Transform};
use everlevel_ring::{LimbRing, Limbs, Representation};
use everlevel_rlwe::{LimbRlwe, SecretId, SwitchingKey};
use num_complex::Complex64;
use zeroize::Zeroizing;

use super::noise::{and, plus};
use super::{Ciphertext, Error, Params, ParamsLiteral};
use crate::Encoder;

/// A dense ternary secret.
#[derive(Debug)]
pub struct SecretKey(everlevel_rlwe::SecretKey<LimbRing>);

/// The keys of one secret that evaluation needs, for every precision. They are public.
#[derive(Debug)]
pub struct EvalKeys {
    secret_id: u64,
    relinearization: SwitchingKey<LimbRing>,
    galois: BTreeMap<u64, SwitchingKey<LimbRing>>,
}

impl EvalKeys {
    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        self.galois.values().chain([&self.relinearization]).map(|key| key.rows().nbytes()).sum()
    }
}

/// The tables of a parameter set, and all that is done with it.
#[derive(Debug)]
pub struct Context {
    params: Params,
    ring: LimbRing,
    encoder: Encoder,
    seeds: SeedSource,
}

/// Bits of the word that a message is read from, above the point.
const WORD: u32 = 60;

impl Context {
    /// The context of checked parameters.
    ///
    /// # Errors
    /// A base whose products would be wrong at this degree.
    pub fn new(params: Params, seeds: SeedSource) -> Result<Self, Error> {
        let ParamsLiteral { log_n, log2_base, limbs, digit_limbs, .. } = *params.literal();
        let ring = LimbRing::new(log_n, Transform::ThreePrimes, log2_base, limbs + digit_limbs)?;
        // The middle part of a tensor product has two sums.
        ring.require_base(2 * limbs, Operands::Chosen)?;
        Ok(Self { encoder: Encoder::new(params.n(), params.slots()), params, ring, seeds })
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
        Ok(SecretKey(everlevel_rlwe::SecretKey::from_coeffs(&self.ring, id, coeffs)))
    }

    /// The keys for products, for rotations by these amounts, and for conjugation.
    ///
    /// # Errors
    /// No randomness.
    pub fn eval_keys(&self, secret: &SecretKey, rotations: &[i64], conjugation: bool) -> Result<EvalKeys, Error> {
        let (ring, gadget, key) = (&self.ring, self.params.gadget(), &secret.0);
        let wide = Zeroizing::new(key.coeffs().iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
        let s = Zeroizing::new(ring.small(&1, &wide));
        let square = Zeroizing::new(ring.inner_product(std::slice::from_ref(&*s), key.prepared()));
        let relinearization = SwitchingKey::of_limbs(ring, key, square.limb(0), gadget, &self.seeds.next()?);
        let mut galois = BTreeMap::new();
        let conjugation = conjugation.then_some(self.conjugation());
        for element in rotations.iter().map(|&amount| self.rotation(amount)).chain(conjugation) {
            if element != 1 && !galois.contains_key(&element) {
                let key = SwitchingKey::of_limbs_galois(ring, key, element, gadget, &self.seeds.next()?);
                galois.insert(element, key);
            }
        }
        Ok(EvalKeys { secret_id: key.id().0, relinearization, galois })
    }

    /// Encrypts values of a bound, at most one for each slot; slots without one hold 0.
    ///
    /// # Errors
    /// Too many values, or one beyond the bound; no randomness.
    pub fn encrypt(&self, secret: &SecretKey, values: &[Complex64], bound: f64) -> Result<Ciphertext, Error> {
        let op = "encrypt";
        let budget_bits = self.params.max_budget_bits();
        self.room(op, i64::from(budget_bits), bound)?;
        let bits = (WORD - 4).saturating_sub(bound.log2().ceil().max(0.0) as u32);
        let words = self.encoded(op, values, bound, bits)?;
        let limbs = self.params.literal().limbs;
        let mut ct = LimbRlwe::encrypt_zero(&self.ring, limbs, &secret.0, &self.seeds.next()?);
        // Words in limb 0 are multiples of 2^−K.
        let mut message = self.ring.zero(1);
        message.views_mut()[0].copy_from_slice(&words);
        let down = i64::from(bits + budget_bits) - i64::from(self.ring.base().log2());
        self.ring.add_assign(&mut ct.c0, &self.ring.shifted(&message, -down, limbs));
        let log2_noise = self.params.fresh_noise();
        Ok(Ciphertext { secret_id: secret.0.id().0, ct, budget_bits, bound, log2_noise })
    }

    /// Decrypts to one value for each slot.
    ///
    /// # Errors
    /// A secret key that isn't the ciphertext's.
    pub fn decrypt(&self, secret: &SecretKey, a: &Ciphertext) -> Result<Vec<Complex64>, Error> {
        check("decrypt", "secret key", secret.0.id().0, a.secret_id)?;
        let phase = a.ct.phase(&self.ring, &secret.0);
        // Values as multiples of 2^−60, below the point.
        let moved = self.ring.shifted(&phase, i64::from(a.budget_bits) - i64::from(WORD), 4);
        let base = f64::from(self.ring.base().log2());
        let weights: Vec<f64> = (0..4).map(|j| (f64::from(WORD) - f64::from(j + 1) * base).exp2()).collect();
        let limbs = moved.views();
        let coefficient =
            |i: usize| limbs.iter().zip(&weights).rev().map(|(limb, weight)| limb[i] as f64 * weight).sum();
        let coeffs: Vec<f64> = (0..self.params.n()).map(coefficient).collect();
        Ok(self.encoder.to_slots(&coeffs))
    }

    /// The sum, slot by slot.
    ///
    /// # Errors
    /// Ciphertexts of different secrets; a sum that its budget has no room for.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        let op = "add";
        check(op, "second ciphertext", b.secret_id, a.secret_id)?;
        let (budget_bits, bound) = (a.budget_bits.min(b.budget_bits), a.bound + b.bound);
        self.room(op, budget_bits.into(), bound)?;
        let [mut sum, other] = [a, b].map(|x| self.at_budget(x, budget_bits));
        sum.ct.add_assign(&self.ring, &other.ct);
        Ok(Ciphertext { bound, log2_noise: plus(sum.log2_noise, other.log2_noise), ..sum })
    }

    /// The same values with a smaller budget.
    fn at_budget(&self, a: &Ciphertext, budget_bits: u32) -> Ciphertext {
        let up = a.budget_bits - budget_bits;
        let limbs = self.params.limbs_of(budget_bits);
        let [c0, c1] = [&a.ct.c0, &a.ct.c1].map(|part| self.ring.shifted(part, up.into(), limbs));
        let noise = and(a.log2_noise + f64::from(up), self.rounded_noise(limbs));
        Ciphertext { ct: LimbRlwe { c0, c1 }, budget_bits, log2_noise: noise, ..a.clone() }
    }

    fn rounded_noise(&self, limbs: usize) -> f64 {
        self.params.rounding_noise(limbs as u32 * self.ring.base().log2())
    }

    /// The values divided by `2^bits`, for which the budget pays: any number of bits, without error.
    ///
    /// # Errors
    /// Too little budget.
    pub fn rescale(&self, a: &Ciphertext, bits: u32) -> Result<Ciphertext, Error> {
        let bound = a.bound * (-f64::from(bits)).exp2();
        self.room("rescale", i64::from(a.budget_bits) - i64::from(bits), bound)?;
        let mut rescaled = Ciphertext { budget_bits: a.budget_bits - bits, bound, ..a.clone() };
        self.trim(&mut rescaled);
        Ok(rescaled)
    }

    /// Drops the limbs that a budget doesn't need.
    fn trim(&self, a: &mut Ciphertext) {
        let limbs = self.params.limbs_of(a.budget_bits);
        if limbs < a.limbs() {
            a.ct.truncate(limbs);
            a.log2_noise = and(a.log2_noise, self.rounded_noise(limbs));
        }
    }

    /// The product with values of a bound, slot by slot, which are rounded to multiples of `2^−bits`: it spends as many
    /// bits of budget.
    ///
    /// # Errors
    /// Too many values, or one beyond the bound; too little budget.
    pub fn multiply_plain(
        &self,
        a: &Ciphertext,
        values: &[Complex64],
        bound: f64,
        bits: u32,
    ) -> Result<Ciphertext, Error> {
        let op = "multiply_plain";
        let product = a.bound * bound;
        self.room(op, i64::from(a.budget_bits) - i64::from(bits), product)?;
        let words = self.encoded(op, values, bound, bits)?;
        let [c0, c1] = [&a.ct.c0, &a.ct.c1].map(|part| self.ring.times_small(part, &words));
        let norm = words.iter().map(|&x| (x as f64).powi(2)).sum::<f64>().sqrt().max(1.0);
        // The rounding of the values: of deviation 2^−bits/√12 in each coefficient, times those of the ciphertext.
        let rounding = a.bound.log2() - f64::from(a.budget_bits) - 0.5 * 12f64.log2();
        let log2_noise = and(a.log2_noise + norm.log2(), rounding);
        let budget_bits = a.budget_bits - bits;
        let mut result =
            Ciphertext { secret_id: a.secret_id, ct: LimbRlwe { c0, c1 }, budget_bits, bound: product, log2_noise };
        self.trim(&mut result);
        Ok(result)
    }

    /// The product, slot by slot, which spends the precision's bits of the smaller budget.
    ///
    /// # Errors
    /// Ciphertexts or keys of different secrets; too little budget.
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "multiply";
        check(op, "second ciphertext", b.secret_id, a.secret_id)?;
        check(op, "keys", keys.secret_id, a.secret_id)?;
        let bits = a.budget_bits.max(b.budget_bits) + self.params.literal().precision_bits;
        let bound = a.bound * b.bound;
        let budget = i64::from(a.budget_bits) + i64::from(b.budget_bits) - i64::from(bits);
        self.room(op, budget, bound)?;
        let budget_bits = budget as u32;
        let limbs = self.params.limbs_of(budget_bits);
        // Integers modulo 2^bits, as multiples of a unit of the last limb.
        let base = self.ring.base().log2();
        let count = bits.div_ceil(base);
        let spare = count * base - bits;
        let integers = |part: &Limbs| self.ring.shifted(part, -i64::from(spare), count as usize);
        let [a0, a1, b0, b1] = [&a.ct.c0, &a.ct.c1, &b.ct.c0, &b.ct.c1].map(integers);
        let [d0, d1, d2] = self.ring.tensor([&a0, &a1], [&b0, &b1], count * base + spare, limbs);
        let mut ct = keys.relinearization.times(&self.ring, &d2);
        ct.add_assign(&self.ring, &LimbRlwe { c0: d0, c1: d1 });
        let rounding = self.params.rounding_noise(bits);
        let term = |x: &Ciphertext, y: &Ciphertext| {
            f64::from(bits) - f64::from(x.budget_bits) + x.bound.log2() + and(y.log2_noise, rounding)
        };
        let tensor = plus(term(a, b), term(b, a));
        let log2_noise = and(and(tensor, self.params.tensor_noise(limbs)), self.params.switch_noise(limbs));
        Ok(Ciphertext { secret_id: a.secret_id, ct, budget_bits, bound, log2_noise })
    }

    /// All slots moved to the left by an amount: slot `i` gets the value of slot `i + amount`.
    ///
    /// # Errors
    /// No key for the amount; keys of another secret.
    pub fn rotate(&self, a: &Ciphertext, amount: i64, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        self.moved("rotate", a, self.rotation(amount), keys)
    }

    /// The conjugates, slot by slot.
    ///
    /// # Errors
    /// As [`Context::rotate`].
    pub fn conjugate(&self, a: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        self.moved("conjugate", a, self.conjugation(), keys)
    }

    fn moved(&self, op: &'static str, a: &Ciphertext, element: u64, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        check(op, "keys", keys.secret_id, a.secret_id)?;
        if element == 1 {
            return Ok(a.clone());
        }
        let key = keys.galois.get(&element).ok_or(Error::MissingKey { op, element })?;
        let ct = key.moved_limbs(&self.ring, &a.ct, element);
        Ok(Ciphertext { ct, log2_noise: and(a.log2_noise, self.params.switch_noise(a.limbs())), ..a.clone() })
    }

    /// `5^amount` modulo `2n`.
    fn rotation(&self, amount: i64) -> u64 {
        let (two_n, order) = (2 * self.params.n() as u64, self.params.slots() as i64);
        (0..amount.rem_euclid(order)).fold(1, |g, _| g * 5 % two_n)
    }

    fn conjugation(&self) -> u64 {
        2 * self.params.n() as u64 - 1
    }

    /// Coefficients as multiples of `2^−bits`.
    fn encoded(&self, op: &'static str, values: &[Complex64], bound: f64, bits: u32) -> Result<Vec<i64>, Error> {
        let slots = self.params.slots();
        if values.len() > slots {
            return Err(Error::TooManyValues { op, found: values.len(), slots });
        }
        let beyond = |value: &Complex64| value.norm() > bound || !value.norm().is_finite();
        if let Some(index) = values.iter().position(beyond) {
            return Err(Error::BeyondBound { op, index, size: values[index].norm(), bound });
        }
        // Words of at most as many bits as a limb, with their sign.
        let (needed_bits, most_bits) = (bound.log2().max(0.0) + f64::from(bits), self.ring.base().log2().min(WORD) - 3);
        if needed_bits.is_nan() || needed_bits > f64::from(most_bits) {
            return Err(Error::TooFine { op, needed_bits, most_bits });
        }
        let mut all = values.to_vec();
        all.resize(slots, Complex64::default());
        let scale = f64::from(bits).exp2();
        Ok(self.encoder.to_coeffs(&all).into_iter().map(|c: f64| (c * scale).round() as i64).collect())
    }

    /// Refuses results whose values their budget has no room for.
    fn room(&self, op: &'static str, left_bits: i64, bound: f64) -> Result<(), Error> {
        // 2^(B−2) and more is refused, and so is what leaves no bit of budget.
        let needed_bits = (bound.log2().ceil().max(0.0) as u32).saturating_add(2);
        if left_bits >= i64::from(needed_bits) {
            Ok(())
        } else {
            Err(Error::BudgetUsedUp { op, left_bits, needed_bits })
        }
    }
}

/// Whether an argument's secret is the ciphertext's.
fn check(op: &'static str, what: &'static str, found: u64, expected: u64) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::ForeignKey { op, what, found, expected }) }
}
