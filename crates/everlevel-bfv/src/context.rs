//! Keys, encryption and decryption, and the checks that every operation makes.

use std::collections::BTreeMap;

use everlevel_rand::secrecy::{declassified, declassify};
use everlevel_rand::{Domain, Seed, SeedSource, sampler};
use everlevel_ring::base2k::{Operands, Transform, coefficients};
use everlevel_ring::{Footprint, LimbRing, Limbs, OutOfMemory, Progress, Representation, memory, report};
use everlevel_rlwe::{LimbRlwe, Randomness, SecretId, SwitchingKey};
use zeroize::Zeroizing;

use crate::encoder::Encoder;
use crate::keys::Key;
use crate::noise::Noise;
use crate::{Ciphertext, Error, EvalKeys, Params, ParamsLiteral, SecretKey};

/// The tables of a parameter set, and all that is done with it.
#[derive(Debug)]
pub struct Context {
    pub(crate) params: Params,
    pub(crate) ring: LimbRing,
    pub(crate) encoder: Encoder,
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
        Ok(self.secret_of_seed(self.seeds.next()?))
    }

    /// The secret key that a seed stands for.
    pub(crate) fn secret_of_seed(&self, seed: Seed) -> SecretKey {
        let mut coeffs = vec![0; self.params.n()];
        sampler::ternary(&mut seed.stream(Domain::SecretKey, 0), &mut coeffs);
        // The id comes from another stream: it is public.
        let id = declassified(seed.stream(Domain::Derive, 0).next_u64());
        let key = everlevel_rlwe::SecretKey::from_coeffs(&self.ring, SecretId(id), coeffs);
        SecretKey { literal: *self.params.literal(), seed, key }
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
        let op = "eval_keys";
        self.same_parameters(op, "secret key", &secret.literal)?;
        let elements: BTreeMap<u64, i64> = rotations.iter().map(|&amount| (self.rotation(amount), amount)).collect();
        let elements = || elements.iter().filter(|(element, _)| **element != 1);
        let total = 1 + elements().count() + usize::from(swap_rows);
        with_memory(op, self.params.keys_footprint(total), || {
            let (ring, gadget, key) = (&self.ring, self.params.gadget(), &secret.key);
            let of = |make: &dyn Fn(Randomness) -> SwitchingKey<LimbRing>| -> Result<Key, Error> {
                let randomness = Randomness::from(&self.seeds.next()?);
                Ok(Key { masks: randomness.masks().clone(), key: make(randomness) })
            };
            let galois =
                |element: u64| of(&|randomness| SwitchingKey::of_limbs_galois(ring, key, element, gadget, randomness));
            let wide = Zeroizing::new(key.coeffs().iter().map(|&c| i64::from(c)).collect::<Vec<_>>());
            let s = Zeroizing::new(ring.small(&1, &wide));
            let square = Zeroizing::new(ring.inner_product(std::slice::from_ref(&*s), key.prepared()));
            let relinearization =
                of(&|randomness| SwitchingKey::of_limbs(ring, key, square.limb(0), gadget, randomness))?;
            let mut rotations = BTreeMap::new();
            for (&element, &amount) in elements() {
                report(op, progress, 1 + rotations.len(), total)?;
                rotations.insert(element, (amount, galois(element)?));
            }
            let swap_rows = match swap_rows {
                true => {
                    report(op, progress, total - 1, total)?;
                    Some(galois(self.swap())?)
                }
                false => None,
            };
            report(op, progress, total, total)?;
            Ok(EvalKeys { literal: secret.literal, secret_id: key.id().0, relinearization, rotations, swap_rows })
        })
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

    /// The automorphism that swaps rows.
    pub(crate) fn swap(&self) -> u64 {
        2 * self.params.n() as u64 - 1
    }

    /// `5^amount` modulo `2n`.
    pub(crate) fn rotation(&self, amount: i64) -> u64 {
        let (two_n, order) = (2 * self.params.n() as u64, self.params.n() as i64 / 2);
        (0..amount.rem_euclid(order)).fold(1, |g, _| g * 5 % two_n)
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

    pub(crate) fn room(&self, op: &'static str, noise: Noise, operand_bits: f64) -> Result<(), Error> {
        let budget_bits = self.params.budget_bits(noise);
        if budget_bits > 0.0 { Ok(()) } else { Err(Error::BudgetUsedUp { op, budget_bits, operand_bits }) }
    }

    pub(crate) fn result(
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

    pub(crate) fn same_parameters(
        &self,
        op: &'static str,
        what: &'static str,
        literal: &ParamsLiteral,
    ) -> Result<(), Error> {
        if literal == self.params.literal() { Ok(()) } else { Err(Error::OtherParameters { op, what }) }
    }

    pub(crate) fn same(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        self.same_parameters(op, "ciphertext", &a.literal)?;
        self.check(op, b, a.secret_id, "first ciphertext")
    }

    /// Whether an argument's secret is the ciphertext's.
    pub(crate) fn check(&self, op: &'static str, ct: &Ciphertext, found: u64, what: &'static str) -> Result<(), Error> {
        self.same_parameters(op, "ciphertext", &ct.literal)?;
        let expected = ct.secret_id;
        if found == expected { Ok(()) } else { Err(Error::ForeignKey { op, what, found, expected }) }
    }
}

/// Runs work whose memory is looked for first.
pub(crate) fn with_memory<T>(
    op: &'static str,
    footprint: Footprint,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let refused =
        |OutOfMemory { needed, available, limit }| Error::OutOfMemory { op, needed, available, limit: limit.name() };
    memory::require(footprint.peak()).map_err(refused)?;
    memory::caught(work).map_err(refused)?
}
