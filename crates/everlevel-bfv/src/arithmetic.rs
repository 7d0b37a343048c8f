//! Sums and products, slot by slot.

use everlevel_limbs::{Error, EvalKeys};
use everlevel_ring::LimbRing;
use everlevel_rlwe::Rlwe;

use crate::{Ciphertext, Context};

impl Context {
    /// The sum, slot by slot.
    ///
    /// # Errors
    /// Ciphertexts of different secrets or parameters; a budget that is used up.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.linear("add", a, b, Rlwe::add_assign)
    }

    /// The difference, slot by slot.
    ///
    /// # Errors
    /// As [`Context::add`].
    pub fn subtract(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        self.linear("subtract", a, b, Rlwe::sub_assign)
    }

    /// The negative, slot by slot.
    ///
    /// # Errors
    /// A ciphertext of other parameters.
    pub fn negate(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.frame.require("negate", "ciphertext", a.origin)?;
        let limbs = a.ct.limbs();
        let mut ct = Rlwe { c0: self.ring().zero(limbs), c1: self.ring().zero(limbs) };
        ct.sub_assign(self.ring(), &a.ct);
        Ok(Ciphertext { ct, ..a.clone() })
    }

    /// The sum with integers, slot by slot.
    ///
    /// # Errors
    /// Integers as in [`Context::encrypt`]; a ciphertext of other parameters.
    pub fn add_plain(&self, a: &Ciphertext, values: &[i64]) -> Result<Ciphertext, Error> {
        let op = "add_plain";
        self.frame.require(op, "ciphertext", a.origin)?;
        let mut ct = a.ct.clone();
        self.ring().add_assign(&mut ct.c0, &self.fraction(&self.encoded(op, values)?));
        // The rounding of the fraction.
        self.result(op, a.origin, ct, a.noise.and(self.params.log2_unit() - 1.0), a.budget_bits)
    }

    /// The product with integers, slot by slot.
    ///
    /// # Errors
    /// As [`Context::add_plain`]; a budget that is used up.
    pub fn multiply_plain(&self, a: &Ciphertext, values: &[i64]) -> Result<Ciphertext, Error> {
        let op = "multiply_plain";
        self.frame.require(op, "ciphertext", a.origin)?;
        let coeffs: Vec<i64> = self.encoded(op, values)?.iter().map(|&x| self.encoder.centred(x)).collect();
        let norm = coeffs.iter().map(|&x| (x as f64).powi(2)).sum::<f64>().sqrt().max(1.0);
        let noise = a.noise.times(norm.log2());
        self.room(op, noise, a.budget_bits)?;
        let [c0, c1] = [&a.ct.c0, &a.ct.c1].map(|part| self.ring().times_small(part, &coeffs));
        self.result(op, a.origin, Rlwe { c0, c1 }, noise, a.budget_bits)
    }

    /// The product, slot by slot.
    ///
    /// # Errors
    /// Ciphertexts or keys of different secrets or parameters; a budget that is used up.
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "multiply";
        self.frame.require_same(op, ("first ciphertext", a.origin), b.origin)?;
        self.frame.require_same(op, ("keys", keys.origin()), a.origin)?;
        let operands = a.budget_bits.min(b.budget_bits);
        let noise = self.params.product_noise(a.noise, b.noise);
        self.room(op, noise, operands)?;
        let (limbs, t) = (self.params.limbs(), self.params.plain_modulus() as i64);
        let above = self.params.plain_limbs();
        let scaled = b.ct.map(|part| self.ring().times_word_above(part, t, above));
        let tensor = self.ring().tensor([&a.ct.c0, &a.ct.c1], [&scaled.c0, &scaled.c1], above, limbs);
        let ct = keys.relinearization().relinearize(self.ring(), tensor, &limbs);
        self.result(op, a.origin, ct, noise, operands)
    }

    fn linear(
        &self,
        op: &'static str,
        a: &Ciphertext,
        b: &Ciphertext,
        f: impl Fn(&mut Rlwe<LimbRing>, &LimbRing, &Rlwe<LimbRing>),
    ) -> Result<Ciphertext, Error> {
        self.frame.require_same(op, ("first ciphertext", a.origin), b.origin)?;
        let (noise, operands) = (a.noise.plus(b.noise), a.budget_bits.min(b.budget_bits));
        self.room(op, noise, operands)?;
        let mut ct = a.ct.clone();
        f(&mut ct, self.ring(), &b.ct);
        self.result(op, a.origin, ct, noise, operands)
    }
}
