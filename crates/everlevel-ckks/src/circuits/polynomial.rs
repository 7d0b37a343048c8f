//! Polynomials of ciphertexts, in the power and the Chebyshev basis.
//!
//! Paterson–Stockmeyer by recursive division: `p = q·B_k + r` for `k` the largest power of two up to the degree. A
//! remainder of few terms is a linear combination of basis elements, whose constants cost one level; where that level
//! is missing on the way to a deep product, the recursion goes on instead, so that a polynomial of degree `d` always
//! costs `⌈log2(d + 1)⌉` levels.

use std::collections::BTreeMap;

use everlevel_ring::Ring;
use everlevel_rlwe::Rlwe;

use crate::claims::Claims;
use crate::core::Core;
use crate::keys::{KeyPair, RelinearizationKey};
use crate::ladder::{Batch, Ladder};
use crate::series::{Basis, Series};
use crate::{Ciphertext, Context, Error};

/// log2 of the largest coefficient of a linear combination: with [`crate::ladder`]'s constants, its integer fits 127
/// bits.
const MAX_LOG2_COEFFICIENT: f64 = 42.0;

/// Levels that a polynomial of this degree costs.
pub fn polynomial_depth(degree: usize) -> usize {
    (usize::BITS - degree.leading_zeros()) as usize
}

/// The elements below this one are the terms of a polynomial's parts; powers of two above it join the parts.
pub(crate) fn baby_count(degree: usize) -> usize {
    1 << polynomial_depth(degree).div_ceil(2)
}

/// Basis elements, computed when first needed. Element `k` is `⌈log2 k⌉` levels below `x`.
pub(crate) struct BasisElements<'a> {
    ring: &'a Ring,
    ladder: &'a Ladder,
    key: &'a KeyPair,
    basis: Basis,
    x_level: usize,
    known: BTreeMap<usize, Batch>,
}

impl<'a> BasisElements<'a> {
    pub fn new(ring: &'a Ring, ladder: &'a Ladder, key: &'a KeyPair, basis: Basis, x: Batch) -> Self {
        Self { ring, ladder, key, basis, x_level: x.level, known: BTreeMap::from([(1, x)]) }
    }

    fn level_of(&self, k: usize) -> usize {
        self.x_level - polynomial_depth(k - 1)
    }

    fn compute(&mut self, k: usize) {
        if self.known.contains_key(&k) {
            return;
        }
        let (a, b) = (k.div_ceil(2), k / 2);
        self.compute(a);
        self.compute(b);
        if self.basis == Basis::Chebyshev && a != b {
            self.compute(a - b);
        }
        let (ring, ladder) = (self.ring, self.ladder);
        let mut product = if a == b {
            ladder.square(ring, &self.known[&a], self.key)
        } else {
            ladder.mul(ring, &self.known[&a], &self.known[&b], self.key)
        };
        if self.basis == Basis::Chebyshev {
            // T_a·T_b = (T_(a+b) + T_(a−b))/2.
            ladder.double(ring, &mut product);
            match a - b {
                0 => ladder.add_constant(ring, &mut product, -1.0),
                d => ladder.sub_assign(ring, &mut product, &self.known[&d]),
            }
        }
        self.known.insert(k, product);
    }

    /// Element `k ≥ 1`.
    pub fn get(&mut self, k: usize) -> &Batch {
        self.compute(k);
        &self.known[&k]
    }

    /// `p` at level `target`, or its constant where it has no other term. Elements that only the last polynomial still
    /// needs are dropped before its product.
    fn evaluate(&mut self, p: &[f64], babies: usize, target: usize, is_last: bool) -> Value {
        let degree = p.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        if degree == 0 {
            return Value::Constant(p.first().copied().unwrap_or(0.0));
        }
        let (ring, ladder) = (self.ring, self.ladder);
        let reachable = |e: &Self, k: usize| e.level_of(k) > target;
        if degree < babies && (1..=degree).filter(|&k| p[k] != 0.0).all(|k| reachable(self, k)) {
            let used: Vec<usize> = (1..=degree).filter(|&k| p[k] != 0.0).collect();
            used.iter().for_each(|&k| self.compute(k));
            let terms: Vec<(&Batch, f64)> = used.iter().map(|k| (&self.known[k], p[*k])).collect();
            let mut sum = ladder.linear_combination(ring, &terms, target);
            ladder.add_constant(ring, &mut sum, p[0]);
            return Value::Ciphertext(sum);
        }
        let k = 1 << degree.ilog2();
        let (quotient, remainder) = self.divide(&p[..=degree], k);
        // The first to be evaluated takes memory during the other's products: the remainder waits, but for elements
        // that go after it.
        let first = is_last.then(|| self.evaluate(&remainder, babies, target, false));
        let quotient = self.evaluate(&quotient, babies, target + 1, is_last);
        if is_last {
            // A power of two comes from squares of any smaller one.
            let largest = self.known.keys().rev().copied().find(|j| j.is_power_of_two() && *j <= k);
            self.known.retain(|&j, _| Some(j) == largest);
        }
        self.compute(k);
        let giant = &self.known[&k];
        let mut sum = match quotient {
            Value::Constant(c) => ladder.mul_constant(ring, giant, c, target),
            Value::Ciphertext(q) => {
                let giant = ladder.at_level(ring, giant, target + 1);
                ladder.mul(ring, &q, &giant, self.key)
            }
        };
        match first.unwrap_or_else(|| self.evaluate(&remainder, babies, target, false)) {
            Value::Constant(c) => ladder.add_constant(ring, &mut sum, c),
            Value::Ciphertext(r) => ladder.add_assign(ring, &mut sum, &r),
        }
        Value::Ciphertext(sum)
    }

    /// `p = q·B_k + r`, for `k ≤ deg p < 2k`.
    fn divide(&self, p: &[f64], k: usize) -> (Vec<f64>, Vec<f64>) {
        let mut remainder = p[..k].to_vec();
        let mut quotient = p[k..].to_vec();
        if self.basis == Basis::Chebyshev {
            // T_j = 2·T_k·T_(j−k) − T_(2k−j) for k < j < 2k.
            for j in k + 1..p.len() {
                quotient[j - k] *= 2.0;
                remainder[2 * k - j] -= p[j];
            }
        }
        (quotient, remainder)
    }

    /// `Σ p_k·B_k` of each polynomial, `polynomial_depth(degree)` levels below `x`.
    pub fn polynomials(mut self, all: &[&[f64]]) -> Vec<Batch> {
        let one = |(at, &p): (usize, &&[f64])| self.polynomial(p, at + 1 == all.len());
        all.iter().enumerate().map(one).collect()
    }

    fn polynomial(&mut self, p: &[f64], is_last: bool) -> Batch {
        let degree = p.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        let babies = baby_count(degree);
        let target = self.x_level - polynomial_depth(degree);
        match self.evaluate(p, babies, target, is_last) {
            Value::Ciphertext(w) => w,
            Value::Constant(c) => {
                let (ring, x) = (self.ring, self.get(1));
                let zero = || Rlwe { c0: ring.zero(x.set()), c1: ring.zero(x.set()) };
                let mut w = Batch { cts: x.cts.iter().map(|_| zero()).collect(), level: x.level };
                self.ladder.add_constant(self.ring, &mut w, c);
                w
            }
        }
    }
}

/// A sub-polynomial's value.
enum Value {
    Constant(f64),
    Ciphertext(Batch),
}

impl Context {
    fn check_polynomial(
        &self,
        op: &'static str,
        a: &Ciphertext,
        degree: usize,
        key: &RelinearizationKey,
    ) -> Result<(), Error> {
        self.check_ciphertext(op, a)?;
        self.check_relinearized(op, a)?;
        self.check_secret(op, "relinearization key", key.info, a)?;
        self.check_depth(op, a, polynomial_depth(degree))
    }

    /// `Σ coefficients[k]·B_k(a)`: costs `⌈log2(degree + 1)⌉` levels.
    ///
    /// # Errors
    /// No coefficients, NaN or infinity among them, too few levels, a key of another secret.
    pub fn evaluate_polynomial(
        &self,
        a: &Ciphertext,
        basis: Basis,
        coefficients: &[f64],
        key: &RelinearizationKey,
    ) -> Result<Ciphertext, Error> {
        Ok(self.evaluate_polynomials(a, basis, &[coefficients], key)?.swap_remove(0))
    }

    /// [`Context::evaluate_polynomial`] of several polynomials, which share the basis elements. Each costs its own
    /// levels.
    ///
    /// # Errors
    /// As [`Context::evaluate_polynomial`], of any of them.
    pub fn evaluate_polynomials(
        &self,
        a: &Ciphertext,
        basis: Basis,
        polynomials: &[&[f64]],
        key: &RelinearizationKey,
    ) -> Result<Vec<Ciphertext>, Error> {
        let series = polynomials.iter().map(|coefficients| Series { basis, coefficients }).collect::<Vec<_>>();
        series.iter().try_for_each(|series| self.check_series(a, series, key))?;
        Ok(self.install(|core| {
            let x = Batch { cts: vec![a.rlwe().clone()], level: a.level() };
            let elements = BasisElements::new(&core.ring, &core.ladder, &key.keys, basis, x);
            let values = elements.polynomials(polynomials).into_iter().zip(&series);
            values.map(|(value, series)| core.evaluated(a, value, series)).collect()
        }))
    }

    /// Refuses a polynomial that can't be evaluated.
    fn check_series(&self, a: &Ciphertext, series: &Series<'_>, key: &RelinearizationKey) -> Result<(), Error> {
        let Series { basis, coefficients } = *series;
        let op = match basis {
            Basis::Power => "evaluate_polynomial",
            Basis::Chebyshev => "evaluate_chebyshev_polynomial",
        };
        if coefficients.is_empty() {
            return Err(Error::Parameter { what: "coefficients", found: "none".into(), needed: "at least one".into() });
        }
        if let Some(index) = coefficients.iter().position(|c| !c.is_finite()) {
            return Err(Error::NotFinite { op, index, value: coefficients[index].to_string() });
        }
        let degree = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        self.check_polynomial(op, a, degree, key)?;
        let norm = coefficients.iter().fold(0.0f64, |sum, c| sum + c.abs());
        self.check_size(op, norm, a.level() - polynomial_depth(degree))?;
        // Divisions double coefficients, and their integers carry two primes of the scale: both fit 128 bits.
        let log2_limit = MAX_LOG2_COEFFICIENT - polynomial_depth(degree) as f64;
        if norm.log2() > log2_limit {
            return Err(Error::Parameter {
                what: "sum of the coefficients' sizes",
                found: format!("{norm:e}"),
                needed: format!("at most 2^{log2_limit}; divide the polynomial, and multiply its value"),
            });
        }
        self.check_range(op, a.bound().resized(series.largest(a.bound().size())), a.level() - polynomial_depth(degree))
    }

    /// The basis elements 1 to `max_power` of `a`: element `k` costs `⌈log2 k⌉` levels.
    ///
    /// # Errors
    /// `max_power = 0`, too few levels, a key of another secret.
    pub fn basis(
        &self,
        a: &Ciphertext,
        basis: Basis,
        max_power: usize,
        key: &RelinearizationKey,
    ) -> Result<Vec<Ciphertext>, Error> {
        self.elements(a, basis, 1, max_power, key)
    }

    /// The basis element `k` of `a` alone: costs `⌈log2 k⌉` levels and, for a power of two, as many squares.
    ///
    /// # Errors
    /// As [`Context::basis`].
    pub fn basis_element(
        &self,
        a: &Ciphertext,
        basis: Basis,
        k: usize,
        key: &RelinearizationKey,
    ) -> Result<Ciphertext, Error> {
        Ok(self.elements(a, basis, k, k, key)?.swap_remove(0))
    }

    fn elements(
        &self,
        a: &Ciphertext,
        basis: Basis,
        first: usize,
        max_power: usize,
        key: &RelinearizationKey,
    ) -> Result<Vec<Ciphertext>, Error> {
        let op = match basis {
            Basis::Power => "make_power_basis",
            Basis::Chebyshev => "make_chebyshev_basis",
        };
        if max_power == 0 {
            return Err(Error::Parameter { what: "max_power", found: "0".into(), needed: "at least 1".into() });
        }
        self.check_polynomial(op, a, max_power - 1, key)?;
        for k in first..=max_power {
            let coefficients = [vec![0.0; k], vec![1.0]].concat();
            let largest = Series { basis, coefficients: &coefficients }.largest(a.bound().size());
            self.check_range(op, a.bound().resized(largest), a.level() - polynomial_depth(k - 1))?;
        }
        Ok(self.install(|core| {
            let x = Batch { cts: vec![a.rlwe().clone()], level: a.level() };
            let mut elements = BasisElements::new(&core.ring, &core.ladder, &key.keys, basis, x);
            let element = |k: usize| {
                let coefficients = [vec![0.0; k], vec![1.0]].concat();
                core.evaluated(a, elements.get(k).clone(), &Series { basis, coefficients: &coefficients })
            };
            (first..=max_power).map(element).collect()
        }))
    }
}

impl Core {
    /// The ciphertext of a polynomial's values.
    fn evaluated(&self, a: &Ciphertext, mut w: Batch, series: &Series<'_>) -> Ciphertext {
        let rlwe = w.cts.swap_remove(0);
        let scale = self.ladder.scales[w.level];
        // Coefficients are multiplied by the ratio of the level above, at least, and rounded.
        let coefficient = self.ladder.ratios.get(w.level + 1).map_or(0.0, |ratio| 1.0 / ratio);
        let mut estimate = a.estimate().polynomial(series, self.rounding_error(scale), coefficient);
        if self.is_wide() && series.basis == Basis::Chebyshev {
            // Divisions add coefficients up in doubles.
            let steps = polynomial_depth(series.coefficients.len());
            let norm = series.coefficients.iter().map(|c| c.abs()).sum::<f64>();
            estimate = estimate.with_noise(f64::EPSILON * steps as f64 * norm);
        }
        Ciphertext::new(rlwe, None, Claims::new(w.level, scale, estimate), a.origin())
    }
}
