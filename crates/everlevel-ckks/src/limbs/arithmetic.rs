//! Sums, products and rescaling, slot by slot.

use everlevel_limbs::{Error, EvalKeys, Shape, log2_hypot, log2_sum};
use everlevel_ring::LimbRing;
use everlevel_ring::base2k::coefficients;
use everlevel_rlwe::{Rlwe, SwitchingKey};
use num_complex::Complex64;

use super::context::Words;
use super::{Ciphertext, Context};

/// The bits of a word that multiplies limbs, its sign among them.
const WORD_BITS: u32 = 62;

impl Context {
    /// The sum, slot by slot.
    ///
    /// # Errors
    /// Ciphertexts of different secrets or parameters; a sum that its budget has no room for.
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

    fn linear(
        &self,
        op: &'static str,
        a: &Ciphertext,
        b: &Ciphertext,
        f: impl Fn(&mut Rlwe<LimbRing>, &LimbRing, &Rlwe<LimbRing>),
    ) -> Result<Ciphertext, Error> {
        self.require_same(op, ("first ciphertext", a.origin), b.origin)?;
        let (budget, bound) = (a.budget_bits.min(b.budget_bits), a.bound + b.bound);
        self.room(op, budget.into(), bound, budget)?;
        let [mut sum, other] = [a, b].map(|x| self.at_budget(x, budget));
        f(&mut sum.ct, self.ring(), &other.ct);
        Ok(Ciphertext { bound, log2_noise: log2_sum(sum.log2_noise, other.log2_noise), ..sum })
    }

    /// The negative, slot by slot.
    ///
    /// # Errors
    /// A ciphertext of other parameters.
    pub fn negate(&self, a: &Ciphertext) -> Result<Ciphertext, Error> {
        self.require("negate", "ciphertext", a.origin)?;
        let limbs = a.ct.limbs();
        let mut ct = Rlwe { c0: self.ring().zero(limbs), c1: self.ring().zero(limbs) };
        ct.sub_assign(self.ring(), &a.ct);
        Ok(Ciphertext { ct, ..a.clone() })
    }

    /// The sum with values of a bound, slot by slot; slots without a value stay as they are.
    ///
    /// # Errors
    /// Values as in [`Context::encrypt`]; a ciphertext of other parameters; a sum that its budget has no room for.
    pub fn add_plain(&self, a: &Ciphertext, values: &[Complex64], bound: f64) -> Result<Ciphertext, Error> {
        let op = "add_plain";
        self.require(op, "ciphertext", a.origin)?;
        let words = self.message(op, values, bound)?;
        self.add_words(op, a, &words)
    }

    /// The sum with a number in every slot.
    ///
    /// # Errors
    /// As [`Context::add_plain`].
    pub fn add_constant(&self, a: &Ciphertext, constant: Complex64) -> Result<Ciphertext, Error> {
        let op = "add_constant";
        self.require(op, "ciphertext", a.origin)?;
        if !constant.is_finite() {
            return Err(Error::NotFinite { op, index: 0, value: constant.to_string() });
        }
        self.require_message(op, constant.norm())?;
        self.add_words(op, a, &self.number(constant))
    }

    /// A number's coefficients: `re + im·X^(n/2)`.
    pub(super) fn number(&self, constant: Complex64) -> Words {
        let (n, bound) = (self.params.n(), constant.norm());
        let bits = Words::bits_of(bound);
        let mut words = vec![0; n];
        let word = |part: f64| (part * f64::from(bits).exp2()).round() as i64;
        (words[0], words[n / 2]) = (word(constant.re), word(constant.im));
        Words { words, bits, bound }
    }

    fn add_words(&self, op: &'static str, a: &Ciphertext, words: &Words) -> Result<Ciphertext, Error> {
        self.room(op, a.budget_bits.into(), a.bound + words.bound, a.budget_bits)?;
        Ok(self.with_words(a, words))
    }

    /// Adds a number to every slot, of which at most two coefficients change: the words of [`Context::with_words`], in
    /// the same bits.
    pub(super) fn add_number(&self, a: &mut Ciphertext, constant: Complex64) {
        let words = self.number(constant);
        let down = self.words_down(&words, a.budget_bits);
        for index in [0, self.params.n() / 2] {
            if words.words[index] != 0 {
                self.ring().add_to_coefficient(&mut a.ct.c0, index, words.words[index], down);
            }
        }
        a.bound += words.bound;
        a.log2_noise = log2_hypot(a.log2_noise, self.words_noise(&words, a));
    }

    /// The rounding of a message: to its words, and to limbs, a twelfth of a unit's square.
    fn words_noise(&self, words: &Words, a: &Ciphertext) -> f64 {
        let to_limbs = self.params.shape().log2_unit(a.limbs()) - 0.5 * 12f64.log2();
        log2_hypot(words.log2_rounding() - f64::from(a.budget_bits), to_limbs)
    }

    /// The sum with what has been looked at.
    pub(super) fn with_words(&self, a: &Ciphertext, words: &Words) -> Ciphertext {
        let mut sum = Ciphertext { bound: a.bound + words.bound, ..a.clone() };
        self.ring().add_assign(&mut sum.ct.c0, &self.placed(words, a.budget_bits, a.limbs()));
        sum.log2_noise = log2_hypot(a.log2_noise, self.words_noise(words, a));
        sum
    }

    /// The values divided by `2^bits`, for which the budget pays: any number of bits, without error.
    ///
    /// # Errors
    /// Too little budget; a ciphertext of other parameters.
    pub fn rescale(&self, a: &Ciphertext, bits: u32) -> Result<Ciphertext, Error> {
        let op = "rescale";
        self.require(op, "ciphertext", a.origin)?;
        let bound = a.bound * (-f64::from(bits)).exp2();
        let budget_bits = self.room(op, i64::from(a.budget_bits) - i64::from(bits), bound, a.budget_bits)?;
        Ok(self.trimmed(Ciphertext { budget_bits, bound, ..a.clone() }))
    }

    /// These values with so many bits of budget, in fewer limbs: what follows is faster.
    ///
    /// # Errors
    /// A budget above the ciphertext's, or below what the values need; a ciphertext of other parameters.
    pub fn lower(&self, a: &Ciphertext, budget_bits: u32) -> Result<Ciphertext, Error> {
        let op = "lower";
        self.require(op, "ciphertext", a.origin)?;
        if budget_bits > a.budget_bits {
            let needed = format!("at most the ciphertext's {}", a.budget_bits);
            return Err(Error::Parameter { what: "budget_bits", found: budget_bits.to_string(), needed });
        }
        self.room(op, budget_bits.into(), a.bound, a.budget_bits)?;
        Ok(self.at_budget(a, budget_bits))
    }

    /// Ciphertext of equal values with a claimed bound, in place of the one that operations carried. The claim is the
    /// caller's, for all slots: nothing checks it but a decryption, which gives notice of values beyond it.
    ///
    /// # Errors
    /// A bound that the budget has no room for; a ciphertext of other parameters.
    pub fn assume_bound(&self, a: &Ciphertext, bound: f64) -> Result<Ciphertext, Error> {
        let op = "within";
        self.require(op, "ciphertext", a.origin)?;
        self.room(op, a.budget_bits.into(), bound, a.budget_bits)?;
        Ok(Ciphertext { bound, ..a.clone() })
    }

    /// These values with a budget that isn't larger.
    pub(super) fn at_budget(&self, a: &Ciphertext, budget_bits: u32) -> Ciphertext {
        let up = a.budget_bits - budget_bits;
        if up == 0 {
            return self.trimmed(a.clone());
        }
        let limbs = self.params.limbs_of(budget_bits);
        let ct = a.ct.map(|part| self.ring().shifted(part, up.into(), limbs));
        let shape = self.params.shape();
        let noise = log2_hypot(a.log2_noise + f64::from(up), shape.shift_noise(a.limbs(), up, shape.bits_of(limbs)));
        Ciphertext { ct, budget_bits, log2_noise: noise, ..*a }
    }

    /// Drops the limbs that a budget doesn't need.
    pub(super) fn trimmed(&self, mut a: Ciphertext) -> Ciphertext {
        let limbs = self.params.limbs_of(a.budget_bits);
        if limbs < a.limbs() {
            a.ct.truncate(limbs);
            let shape = self.params.shape();
            a.log2_noise = log2_hypot(a.log2_noise, shape.rounding_noise(shape.bits_of(limbs)));
        }
        a
    }

    /// The product with values of a bound, slot by slot, which are rounded to multiples of `2^−bits`: it spends as many
    /// bits of budget. Slots without a value become 0.
    ///
    /// # Errors
    /// Values as in [`Context::encrypt`]; more bits than a limb has; too little budget; a ciphertext of other
    /// parameters.
    pub fn multiply_plain(
        &self,
        a: &Ciphertext,
        values: &[Complex64],
        bound: f64,
        bits: u32,
    ) -> Result<Ciphertext, Error> {
        let op = "multiply_plain";
        self.require(op, "ciphertext", a.origin)?;
        let product = a.bound * bound;
        let left = self.room(op, i64::from(a.budget_bits) - i64::from(bits), product, a.budget_bits)?;
        let words = self.encoded(op, values, bound, bits, self.ring().base().log2().min(WORD_BITS) - 1)?;
        let ct = a.ct.map(|part| self.ring().times_small(part, &words.words));
        // The rounding of the values, times those of the ciphertext.
        let rounding = a.bound.log2() - f64::from(a.budget_bits) + words.log2_rounding() + f64::from(bits);
        let log2_noise = log2_hypot(a.log2_noise + words.log2_norm(), rounding);
        Ok(self.trimmed(Ciphertext { origin: a.origin, ct, budget_bits: left, bound: product, log2_noise }))
    }

    /// The product with a number, which is rounded to a multiple of `2^−bits`: it spends as many bits, or as few as the
    /// number has below the point: none, where it is an integer.
    ///
    /// # Errors
    /// A number that is none, or too large for so many bits; too little budget; a ciphertext of other parameters.
    pub fn multiply_constant(&self, a: &Ciphertext, constant: Complex64, bits: u32) -> Result<Ciphertext, Error> {
        let op = "multiply_constant";
        self.require(op, "ciphertext", a.origin)?;
        if !constant.is_finite() {
            return Err(Error::NotFinite { op, index: 0, value: constant.to_string() });
        }
        let parts = [constant.re, constant.im];
        let is_whole = |bits: u32| parts.iter().all(|part| (part * f64::from(bits).exp2()).fract() == 0.0);
        let bits = (0..bits).find(|&bits| is_whole(bits)).unwrap_or(bits);
        self.require_word(op, constant.norm(), bits)?;
        let bound = a.bound * constant.norm();
        let left = self.room(op, i64::from(a.budget_bits) - i64::from(bits), bound, a.budget_bits)?;
        Ok(self.trimmed(self.times_constant(a, constant, bits, left)))
    }

    /// Refuses numbers that don't fit a word as multiples of `2^−bits`.
    pub(super) fn require_word(&self, op: &'static str, size: f64, bits: u32) -> Result<(), Error> {
        let needed_bits = size.log2().max(0.0) + f64::from(bits) + 2.0;
        if needed_bits <= f64::from(WORD_BITS) {
            return Ok(());
        }
        Err(Error::TooFine { op, needed_bits, most_bits: WORD_BITS })
    }

    /// The product with a number rounded to a multiple of `2^−bits`, with so many bits of budget left.
    pub(super) fn times_constant(&self, a: &Ciphertext, constant: Complex64, bits: u32, left: u32) -> Ciphertext {
        let scale = f64::from(bits).exp2();
        let [re, im] = [constant.re, constant.im].map(|part| (part * scale).round() as i64);
        let (ring, limbs) = (self.ring(), a.limbs());
        let ct = a.ct.map(|part| {
            let mut product = ring.times_word(part, re, limbs);
            if im != 0 {
                // i is X^(n/2).
                let imaginary = ring.times_word(part, im, limbs);
                let mut moved = ring.zero(limbs);
                coefficients::rotate_into(&mut moved.views_mut(), &imaginary.views(), self.params.n() as i64 / 2);
                ring.add_assign(&mut product, &moved);
            }
            product
        });
        let word = Complex64::new(re as f64, im as f64);
        let log2_noise = a.log2_noise + word.norm().max(f64::MIN_POSITIVE).log2();
        // What the number is beside its rounding, times the values' coefficients.
        let beside = (constant * scale - word).norm() * a.bound / (self.params.n() as f64).sqrt();
        let rounding = beside.max(f64::MIN_POSITIVE).log2() - f64::from(a.budget_bits);
        Ciphertext {
            origin: a.origin,
            ct,
            budget_bits: left,
            bound: a.bound * constant.norm(),
            // Limbs of 0 have no noise, which has no logarithm.
            log2_noise: log2_hypot(log2_noise, rounding).max(self.params.shape().log2_unit(2 * limbs + 2)),
        }
    }

    /// The product, slot by slot, which spends the precision's bits of the smaller budget.
    ///
    /// # Errors
    /// Ciphertexts or keys of different secrets or parameters; too little budget.
    pub fn multiply(&self, a: &Ciphertext, b: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        self.multiply_to(a, b, self.params.precision_bits(), keys)
    }

    /// The product, slot by slot, of values rounded to multiples of `2^−bits`, as many as the precision has or fewer:
    /// it spends as many bits of the smaller budget.
    ///
    /// # Errors
    /// As [`Context::multiply`]; more bits than the precision has, or none.
    pub fn multiply_to(&self, a: &Ciphertext, b: &Ciphertext, bits: u32, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        let op = "multiply";
        self.require_same(op, ("first ciphertext", a.origin), b.origin)?;
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        Shape::check_range("bits", bits, 1..=self.params.precision_bits())?;
        let (budget, bound) = (a.budget_bits.min(b.budget_bits), a.bound * b.bound);
        self.room(op, i64::from(budget) - i64::from(bits), bound, budget)?;
        Ok(self.product(a, b, bits, keys.relinearization()))
    }

    /// The square, slot by slot: as the product, in less time where limbs have an even number of bits to spare.
    ///
    /// # Errors
    /// As [`Context::multiply`].
    pub fn square(&self, a: &Ciphertext, keys: &EvalKeys) -> Result<Ciphertext, Error> {
        self.multiply(a, a, keys)
    }

    /// The product of what has been looked at.
    pub(super) fn product(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        bits: u32,
        relinearization: &SwitchingKey<LimbRing>,
    ) -> Ciphertext {
        let (ring, shape) = (self.ring(), self.params.shape());
        let budget = a.budget_bits.min(b.budget_bits);
        let (kept, left) = (budget + bits, budget - bits);
        let limbs = self.params.limbs_of(left);
        // Both are integers modulo 2^kept, the units of the last limb but for a power of two, and one is divided by
        // 2^kept: limbs of the other are all above the point. Together they have to be moved up by what the limbs have
        // beyond `kept` bits; those of a square alike.
        let count = kept.div_ceil(shape.log2_base);
        let spare = count * shape.log2_base - kept;
        let is_square = std::ptr::eq(a, b) && spare.is_multiple_of(2);
        let [up_a, up_b] = if is_square { [spare / 2; 2] } else { [spare, 0] };
        let integers = |x: &Ciphertext, up: u32| {
            let by = i64::from(x.budget_bits - budget) - i64::from(spare - up);
            x.ct.map(|part| ring.shifted_with_zeros(part, by, count as usize, up))
        };
        let x = integers(a, up_a);
        let own = (!is_square).then(|| integers(b, up_b));
        let y = own.as_ref().unwrap_or(&x);
        let tensor = ring.tensor([&x.c0, &x.c1], [&y.c0, &y.c1], count as usize, limbs);
        let ct = relinearization.relinearize(ring, tensor, &limbs);
        // 2^kept·m_a·2^−budget·e_b, at the common budget, and the other way round.
        let [of_a, of_b] = [a, b].map(|x| {
            let up = x.budget_bits - budget;
            log2_hypot(x.log2_noise + f64::from(up), shape.shift_noise(x.limbs(), up, kept))
        });
        let size = |x: &Ciphertext| f64::from(bits) + x.bound.max(f64::MIN_POSITIVE).log2();
        // 2^kept·e_a·e_b, which counts where values are rounded to few bits. A slot of e is a rounding times the same
        // slot of the secret, both of them nearly normal, whose fourth moments are twice the squares of their second:
        // slots of e_a·e_b are √2 of the product of root mean squares, and those of a square 2.
        let moments = if std::ptr::eq(a, b) { 1.0 } else { 0.5 };
        let of_both = f64::from(kept) + of_a + of_b + 0.5 * (self.params.n() as f64).log2() + moments;
        let of_operands = log2_sum(log2_sum(size(a) + of_b, size(b) + of_a), of_both);
        let log2_noise = log2_hypot(log2_hypot(of_operands, shape.tensor_noise(limbs)), shape.switch_noise(limbs));
        let bound = a.bound * b.bound;
        Ciphertext { origin: a.origin, ct, budget_bits: left, bound, log2_noise }
    }
}
