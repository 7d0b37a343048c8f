//! Sums and products, slot by slot.

use everlevel_limbs::{Error, EvalKeys};
use everlevel_objects::require_units;
use everlevel_ring::LimbRing;
use everlevel_rlwe::Rlwe;

use crate::{Ciphertext, Context};

impl Context {
    /// The sum, slot by slot.
    ///
    /// # Errors
    /// Ciphertexts of different secrets or parameters, or of different numbers of units; a budget that is used up.
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
        self.require("negate", "ciphertext", a.origin)?;
        let negative = |unit: &Rlwe<LimbRing>| {
            let limbs = unit.limbs();
            let mut ct = Rlwe { c0: self.ring().zero(limbs), c1: self.ring().zero(limbs) };
            ct.sub_assign(self.ring(), unit);
            ct
        };
        Ok(Ciphertext { units: a.units.iter().map(negative).collect(), ..*a })
    }

    /// The sum with integers, slot by slot.
    ///
    /// # Errors
    /// Integers as in [`Context::encrypt`], which fill another number of units; a ciphertext of other parameters.
    pub fn add_plain(&self, a: &Ciphertext, values: &[i64]) -> Result<Ciphertext, Error> {
        let op = "add";
        let messages = self.encoded_beside(op, a, values)?;
        let mut units = a.units.clone();
        for (unit, coeffs) in units.iter_mut().zip(&messages) {
            self.ring().add_assign(&mut unit.c0, &self.fraction(coeffs));
        }
        // The rounding of the fraction.
        self.result(op, a.origin, units, a.noise.and(self.params.log2_unit() - 1.0), a.budget_bits)
    }

    /// The product with integers, slot by slot.
    ///
    /// # Errors
    /// As [`Context::add_plain`]; a budget that is used up.
    pub fn multiply_plain(&self, a: &Ciphertext, values: &[i64]) -> Result<Ciphertext, Error> {
        let op = "multiply";
        let centred = |coeffs: Vec<u64>| coeffs.iter().map(|&x| self.encoder.centred(x)).collect();
        let messages: Vec<Vec<i64>> = self.encoded_beside(op, a, values)?.into_iter().map(centred).collect();
        let norm = |coeffs: &Vec<i64>| coeffs.iter().map(|&x| (x as f64).powi(2)).sum::<f64>().sqrt();
        let noise = a.noise.times(messages.iter().map(norm).fold(1.0, f64::max).log2());
        self.room(op, noise, a.budget_bits)?;
        let product = |(unit, coeffs): (&Rlwe<LimbRing>, &Vec<i64>)| {
            let [c0, c1] = [&unit.c0, &unit.c1].map(|part| self.ring().times_small(part, coeffs));
            Rlwe { c0, c1 }
        };
        self.result(op, a.origin, a.units.iter().zip(&messages).map(product).collect(), noise, a.budget_bits)
    }

    /// The product, slot by slot.
    ///
    /// # Errors
    /// Ciphertexts or keys of different secrets or parameters; different numbers of units; a budget that is used up.
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "multiply";
        self.require_alike(op, a, b)?;
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        let operands = a.budget_bits.min(b.budget_bits);
        let noise = self.params.product_noise(a.noise, b.noise);
        self.room(op, noise, operands)?;
        let (limbs, t) = (self.params.limbs(), self.params.plain_modulus() as i64);
        let above = self.params.plain_limbs();
        let product = |(a, b): (&Rlwe<LimbRing>, &Rlwe<LimbRing>)| {
            let scaled = b.map(|part| self.ring().times_word_above(part, t, above));
            let tensor = self.ring().tensor([&a.c0, &a.c1], [&scaled.c0, &scaled.c1], above, limbs);
            keys.relinearization().relinearize(self.ring(), tensor, &limbs)
        };
        self.result(op, a.origin, a.units.iter().zip(&b.units).map(product).collect(), noise, operands)
    }

    /// The units of several vectors as those of one, in their order. The largest of their noises becomes all units'.
    ///
    /// # Errors
    /// Vectors of different secrets or parameters.
    ///
    /// # Panics
    /// If there are none.
    pub fn stack(&self, all: &[&Ciphertext]) -> Result<Ciphertext, Error> {
        let op = "vstack";
        let first = all[0];
        all.iter().try_for_each(|one| self.require_same(op, ("ciphertext", one.origin), first.origin))?;
        let noise = all[1..].iter().fold(first.noise, |noise, one| noise.largest(one.noise));
        let units = all.iter().flat_map(|one| one.units.iter().cloned()).collect();
        Ok(Ciphertext::new(&self.params, first.origin, units, noise))
    }

    /// The sum of the units, slot by slot: one unit.
    ///
    /// # Errors
    /// A ciphertext of other parameters; a budget that is used up.
    pub fn sum_of_units(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        let op = "sum";
        self.require(op, "ciphertext", a.origin)?;
        let noise = a.noise.times((a.unit_count() as f64).log2());
        self.room(op, noise, a.budget_bits)?;
        let mut sum = a.units[0].clone();
        a.units[1..].iter().for_each(|unit| sum.add_assign(self.ring(), unit));
        self.result(op, a.origin, vec![sum], noise, a.budget_bits)
    }

    fn require_alike(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        self.require_same(op, ("first ciphertext", a.origin), b.origin)?;
        Ok(require_units(op, a.unit_count(), b.unit_count())?)
    }

    fn linear(
        &self,
        op: &'static str,
        a: &Ciphertext,
        b: &Ciphertext,
        f: impl Fn(&mut Rlwe<LimbRing>, &LimbRing, &Rlwe<LimbRing>),
    ) -> Result<Ciphertext, Error> {
        self.require_alike(op, a, b)?;
        let (noise, operands) = (a.noise.plus(b.noise), a.budget_bits.min(b.budget_bits));
        self.room(op, noise, operands)?;
        let mut units = a.units.clone();
        units.iter_mut().zip(&b.units).for_each(|(a, b)| f(a, self.ring(), b));
        self.result(op, a.origin, units, noise, operands)
    }
}
