//! Polynomials, in the power and the Chebyshev basis: [`crate::circuits::elements`] over budgets, where a level is the
//! precision's bits.

use everlevel_limbs::{Error, EvalKeys, log2_sum};
use everlevel_ring::{LimbRing, Progress, report};
use everlevel_rlwe::SwitchingKey;
use num_complex::Complex64;

use super::{Ciphertext, Context};
use crate::circuits::elements::{Arithmetic, BasisElements, Role, polynomial_depth};
use crate::series::{Basis, Series};

/// The most bits below the point of a series' coefficients, whose words have as many as 62.
const MOST_CONSTANT_BITS: u32 = 54;

/// Levels counted upwards from the end of a polynomial.
#[derive(Clone, Copy)]
pub(super) struct OfBudgets<'a> {
    pub context: &'a Context,
    /// The key of products.
    pub key: &'a SwitchingKey<LimbRing>,
    /// The budget of level 0.
    pub least: u32,
    /// The bound of the argument.
    pub bound: f64,
    /// Whether the argument's values are real numbers.
    pub is_real: bool,
}

impl OfBudgets<'_> {
    fn spent(&self) -> u32 {
        self.context.params.precision_bits()
    }

    fn budget(&self, level: usize) -> u32 {
        self.least + level as u32 * self.spent()
    }

    /// `c·x` at a level.
    fn multiple(&self, &(x, c): &(&Ciphertext, f64), target: usize) -> Ciphertext {
        let (above, left) = (self.budget(target + 1), self.budget(target));
        let x = self.context.at_budget(x, above);
        // What doubles have of a number, and then more bits than a word would hold of it.
        let bits = self.spent().min(MOST_CONSTANT_BITS);
        let product = self.context.times_constant(&x, Complex64::new(c, 0.0), bits, above - bits);
        self.context.at_budget(&product, left)
    }

    fn added(&self, mut a: Ciphertext, b: &Ciphertext) -> Ciphertext {
        let b = self.context.at_budget(b, a.budget_bits);
        a.ct.add_assign(self.context.ring(), &b.ct);
        (a.bound, a.log2_noise) = (a.bound + b.bound, log2_sum(a.log2_noise, b.log2_noise));
        a
    }

    fn subtracted(&self, mut a: Ciphertext, b: &Ciphertext) -> Ciphertext {
        let b = self.context.at_budget(b, a.budget_bits);
        a.ct.sub_assign(self.context.ring(), &b.ct);
        (a.bound, a.log2_noise) = (a.bound + b.bound, log2_sum(a.log2_noise, b.log2_noise));
        a
    }
}

impl Arithmetic for OfBudgets<'_> {
    type Value = Ciphertext;
    /// The level, and the sum so far.
    type Sum = (usize, Option<Ciphertext>);

    fn level(&self, x: &Ciphertext) -> usize {
        ((x.budget_bits - self.least) / self.spent()) as usize
    }

    fn linear_combination(&self, terms: &[(&Ciphertext, f64)], target: usize) -> Ciphertext {
        let sum = terms.iter().map(|term| self.multiple(term, target)).reduce(|a, b| self.added(a, &b));
        sum.unwrap_or_else(|| unreachable!("a combination of one element at least"))
    }

    fn empty(&self, target: usize) -> (usize, Option<Ciphertext>) {
        (target, None)
    }

    /// Each product is relinearized by itself.
    fn add_product(&self, (target, sum): &mut Self::Sum, a: &Ciphertext, b: &Ciphertext, times: u8) {
        let lower = a.budget_bits.min(b.budget_bits);
        // A value that is above its level comes down to the next one all the same.
        let mut product = self.context.product(a, b, lower - self.budget(*target), self.key);
        if times == 2 {
            let ring = self.context.ring();
            let ct = product.ct.map(|part| ring.shifted(part, 1, part.count()));
            product = Ciphertext { ct, bound: 2.0 * product.bound, log2_noise: product.log2_noise + 1.0, ..product };
        }
        *sum = Some(match sum.take() {
            None => product,
            Some(sum) => self.added(sum, &product),
        });
    }

    fn add_terms(&self, (target, sum): &mut Self::Sum, terms: &[(&Ciphertext, f64)]) {
        for (x, c) in terms {
            *sum = Some(match sum.take() {
                None => self.multiple(&(x, *c), *target),
                Some(sum) if *c == -1.0 => self.subtracted(sum, x),
                Some(sum) => self.added(sum, &self.multiple(&(x, *c), *target)),
            });
        }
    }

    fn finish(&self, (_, sum): Self::Sum) -> Ciphertext {
        sum.unwrap_or_else(|| unreachable!("a sum has a product"))
    }

    fn add_constant(&self, x: &mut Ciphertext, c: f64) {
        self.context.add_number(x, Complex64::new(c, 0.0));
    }

    fn zero(&self, x: &Ciphertext) -> Ciphertext {
        self.context.times_constant(x, Complex64::default(), 0, x.budget_bits)
    }

    fn has_role(&self, x: &mut Ciphertext, role: Role) {
        let Role::Element(basis, k) = role else { return };
        let coefficients = [vec![0.0; k], vec![1.0]].concat();
        x.bound =
            x.bound.min(Series { is_real: self.is_real, ..Series::of_reals(basis, &coefficients) }.largest(self.bound));
    }
}

impl Context {
    /// `Σ coefficients[k]·B_k(a)` of values that are real or not: spends the precision's bits `⌈log2(degree + 1)⌉`
    /// times. Chebyshev series of values that aren't real have the bound of a disc, which grows with the degree.
    ///
    /// # Errors
    /// No coefficients, one that is no number, or ones too large for a word; too little budget; keys of another secret
    /// or of other parameters; [`Error::Cancelled`].
    pub fn evaluate_polynomial(
        &self,
        (a, is_real): (&Ciphertext, bool),
        basis: Basis,
        coefficients: &[f64],
        keys: &EvalKeys,
        progress: Progress,
    ) -> Result<Ciphertext, Error> {
        let op = match basis {
            Basis::Power => "evaluate_polynomial",
            Basis::Chebyshev => "evaluate_chebyshev_polynomial",
        };
        self.require_same(op, ("keys", keys.origin()), a.origin)?;
        if coefficients.is_empty() {
            return Err(Error::Parameter { what: "coefficients", found: "none".into(), needed: "at least one".into() });
        }
        if let Some(index) = coefficients.iter().position(|c| !c.is_finite()) {
            return Err(Error::NotFinite { op, index, value: coefficients[index].to_string() });
        }
        let degree = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        let (depth, spent) = (polynomial_depth(degree), self.params.precision_bits());
        let norm = coefficients.iter().map(|c| c.abs()).sum::<f64>();
        // Divisions double coefficients.
        self.require_word(op, norm * (depth as f64).exp2(), spent)?;
        let bound = Series { basis, coefficients, is_real }.largest(a.bound);
        let left = i64::from(a.budget_bits) - depth as i64 * i64::from(spent);
        let least = self.room(op, left, bound.max(norm), a.budget_bits)?;
        report(op, progress, 0, 1)?;
        let arithmetic = OfBudgets { context: self, key: keys.relinearization(), least, bound: a.bound, is_real };
        let value = BasisElements::new(arithmetic, basis, a.clone()).polynomials(&[coefficients]).swap_remove(0);
        report(op, progress, 1, 1)?;
        Ok(Ciphertext { bound, ..value })
    }
}
