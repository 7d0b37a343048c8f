//! Polynomials of encrypted values in any arithmetic with levels, in the power and the Chebyshev basis.
//!
//! Paterson–Stockmeyer by recursive division: `p = q·B_k + r` for `k` the largest power of two up to the degree. A
//! remainder of few terms is a linear combination of basis elements, whose constants cost one level; where that level
//! is missing on the way to a deep product, the recursion goes on instead, so that a polynomial of degree `d` always
//! costs `⌈log2(d + 1)⌉` levels. The product with a quotient and its remainder, taken apart in turn, are one sum: all
//! of its products share a key switch and a rescaling.

use std::collections::BTreeMap;

use everlevel_ring::Ring;

use crate::keys::KeyPair;
use crate::ladder::{Batch, Ladder, LadderSum};
use crate::series::Basis;

/// The role of a value in the evaluation of a polynomial.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role {
    /// Element of a basis, which has a bound of its own.
    Element(Basis, usize),
    /// Value of the polynomial or of a part of it.
    Part,
}

/// Arithmetic that polynomials are evaluated in.
pub(crate) trait Arithmetic {
    /// Encrypted values of one level.
    type Value;
    /// Sum of products and of multiples that a key switch and a rescaling bring to a level.
    type Sum;

    fn level(&self, x: &Self::Value) -> usize;
    /// `Σ c_i·x_i` at a level below every operand's.
    fn linear_combination(&self, terms: &[(&Self::Value, f64)], target: usize) -> Self::Value {
        let mut sum = self.empty(target);
        self.add_terms(&mut sum, terms);
        self.finish(sum)
    }
    /// A sum at a level, of nothing yet.
    fn empty(&self, target: usize) -> Self::Sum;
    /// `sum += times·a·b`, for values at higher levels than the sum's.
    fn add_product(&self, sum: &mut Self::Sum, a: &Self::Value, b: &Self::Value, times: u8);
    /// `sum += Σ c_i·x_i`, for values at higher levels than the sum's.
    fn add_terms(&self, sum: &mut Self::Sum, terms: &[(&Self::Value, f64)]);
    /// The value of a sum, which has a product where the arithmetic has linear combinations of its own.
    fn finish(&self, sum: Self::Sum) -> Self::Value;
    fn add_constant(&self, x: &mut Self::Value, c: f64);
    /// Zeros at the level of other values.
    fn zero(&self, x: &Self::Value) -> Self::Value;
    /// The factor of a value whose part at a lower level is taken as it is ([`Arithmetic::cut`]); none where that is
    /// not to be done.
    fn cut_factor(&self, _from: usize, _to: usize) -> Option<f64> {
        None
    }
    /// A multiple of a value at a lower level by [`Arithmetic::cut_factor`], without a rounding.
    fn cut(&self, _: &Self::Value, _to: usize) -> Self::Value {
        unreachable!("values have a factor first")
    }
    /// A value at a lower level, for all products and sums there; none where these take it as it is.
    fn lowered(&self, _: &Self::Value, _to: usize) -> Option<Self::Value> {
        None
    }
    /// Tells what a value is.
    fn has_role(&self, _: &mut Self::Value, _: Role) {}

    /// `2x² − 1`, one level lower.
    fn doubled(&self, x: &Self::Value) -> Self::Value {
        let mut sum = self.empty(self.level(x) - 1);
        self.add_product(&mut sum, x, x, 2);
        let mut value = self.finish(sum);
        self.add_constant(&mut value, -1.0);
        value
    }
}

/// The arithmetic of ciphertexts over residues, several of one level at once.
#[derive(Clone, Copy)]
pub(crate) struct OfLevels<'a> {
    pub ring: &'a Ring,
    pub ladder: &'a Ladder,
    pub key: &'a KeyPair,
}

impl Arithmetic for OfLevels<'_> {
    type Value = Batch;
    type Sum = LadderSum;

    fn level(&self, x: &Batch) -> usize {
        x.level
    }

    fn linear_combination(&self, terms: &[(&Batch, f64)], target: usize) -> Batch {
        self.ladder.linear_combination(self.ring, terms, target)
    }

    fn empty(&self, target: usize) -> LadderSum {
        LadderSum::new(target)
    }

    fn add_product(&self, sum: &mut LadderSum, a: &Batch, b: &Batch, times: u8) {
        self.ladder.add_product(self.ring, sum, [a, b], times);
    }

    fn add_terms(&self, sum: &mut LadderSum, terms: &[(&Batch, f64)]) {
        self.ladder.add_terms(self.ring, sum, terms);
    }

    fn finish(&self, sum: LadderSum) -> Batch {
        self.ladder.finish(self.ring, sum, self.key)
    }

    fn add_constant(&self, x: &mut Batch, c: f64) {
        self.ladder.add_constant(self.ring, x, c);
    }

    fn cut_factor(&self, from: usize, to: usize) -> Option<f64> {
        self.ladder.cut_factor(from, to)
    }

    fn cut(&self, x: &Batch, to: usize) -> Batch {
        self.ladder.cut(x, to)
    }

    fn lowered(&self, x: &Batch, to: usize) -> Option<Batch> {
        (!self.ladder.is_nested(x.level, to)).then(|| self.ladder.mul_constant(self.ring, x, 1.0, to))
    }

    fn zero(&self, x: &Batch) -> Batch {
        Batch { cts: x.cts.iter().map(|ct| ct.zero_beside(self.ring, x.set())).collect(), level: x.level }
    }
}

/// Levels that a polynomial of this degree costs.
pub const fn polynomial_depth(degree: usize) -> usize {
    (usize::BITS - degree.leading_zeros()) as usize
}

/// The elements below this one are the terms of a polynomial's parts; powers of two above it join the parts.
pub(crate) fn baby_count(degree: usize) -> usize {
    1 << polynomial_depth(degree).div_ceil(2)
}

/// Basis elements, computed when first needed. Element `k` is `⌈log2 k⌉` levels below `x`.
pub(crate) struct BasisElements<A: Arithmetic> {
    arithmetic: A,
    basis: Basis,
    x_level: usize,
    known: BTreeMap<usize, A::Value>,
    /// Elements at lower levels than their own, by both.
    lowered: BTreeMap<(usize, usize), A::Value>,
}

impl<A: Arithmetic> BasisElements<A> {
    pub fn new(arithmetic: A, basis: Basis, x: A::Value) -> Self {
        Self {
            x_level: arithmetic.level(&x),
            arithmetic,
            basis,
            known: BTreeMap::from([(1, x)]),
            lowered: BTreeMap::new(),
        }
    }

    fn is_chebyshev(&self) -> bool {
        matches!(self.basis, Basis::Chebyshev)
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
        let is_chebyshev = self.is_chebyshev();
        if is_chebyshev && a != b {
            self.compute(a - b);
        }
        let above = self.level_of(k) + 1;
        [a, b].into_iter().for_each(|j| self.lower(j, above));
        let arithmetic = &self.arithmetic;
        let mut sum = arithmetic.empty(above - 1);
        // T_a·T_b = (T_(a+b) + T_(a−b))/2.
        arithmetic.add_product(&mut sum, self.at(a, above), self.at(b, above), if is_chebyshev { 2 } else { 1 });
        if is_chebyshev && a != b {
            arithmetic.add_terms(&mut sum, &[(self.at(a - b, above), -1.0)]);
        }
        let mut element = arithmetic.finish(sum);
        if is_chebyshev && a == b {
            arithmetic.add_constant(&mut element, -1.0);
        }
        arithmetic.has_role(&mut element, Role::Element(self.basis, k));
        self.known.insert(k, element);
    }

    /// Brings an element that is known to a lower level, where products don't take it as it is.
    fn lower(&mut self, k: usize, level: usize) {
        if self.level_of(k) > level
            && !self.lowered.contains_key(&(k, level))
            && let Some(value) = self.arithmetic.lowered(&self.known[&k], level)
        {
            self.lowered.insert((k, level), value);
        }
    }

    /// An element that is known, for products and sums at a level or above.
    fn at(&self, k: usize, level: usize) -> &A::Value {
        self.lowered.get(&(k, level)).unwrap_or_else(|| &self.known[&k])
    }

    /// Element `k ≥ 1`.
    pub fn get(&mut self, k: usize) -> &A::Value {
        self.compute(k);
        &self.known[&k]
    }

    /// `p` at level `target`, or its constant where it has no other term. Elements that only the last polynomial still
    /// needs are dropped before its product: all but the `kept` ones.
    fn evaluate(&mut self, p: &[f64], babies: usize, target: usize, kept: Option<&[usize]>) -> Value<A::Value> {
        let (mut value, constant) = match self.combined(p, babies, target) {
            Some((terms, constant)) if terms.is_empty() => return Value::Constant(constant),
            Some((terms, constant)) => {
                let taken: Vec<_> = terms.iter().map(|(k, c)| (&self.known[k], *c)).collect();
                (self.arithmetic.linear_combination(&taken, target), constant)
            }
            None => {
                let mut sum = (self.arithmetic.empty(target), 0.0);
                self.add_parts(&mut sum, p, babies, target, kept);
                (self.arithmetic.finish(sum.0), sum.1)
            }
        };
        self.arithmetic.add_constant(&mut value, constant);
        self.arithmetic.has_role(&mut value, Role::Part);
        Value::Ciphertext(value)
    }

    /// The elements and coefficients of a `p` that is a linear combination at level `target` of elements that are there
    /// anyway, and its constant. A `p` that is none has a term `k` that is no power of two, and so the quotient by the
    /// largest power of two below it is no constant: its sum has a product.
    fn combined(&mut self, p: &[f64], babies: usize, target: usize) -> Option<(Vec<(usize, f64)>, f64)> {
        let terms: Vec<_> = (1..p.len()).map(|k| (k, p[k])).filter(|(_, c)| *c != 0.0).collect();
        let is_there = |k: usize| (k < babies || k.is_power_of_two()) && self.level_of(k) > target;
        if !terms.iter().all(|&(k, _)| is_there(k)) {
            return None;
        }
        terms.iter().for_each(|&(k, _)| self.compute(k));
        Some((terms, p.first().copied().unwrap_or(0.0)))
    }

    /// Adds `p` to a sum at level `target` and its constant: with its remainders, whose products share a key switch.
    fn add_parts(&mut self, sum: &mut (A::Sum, f64), p: &[f64], babies: usize, target: usize, kept: Option<&[usize]>) {
        if let Some((terms, constant)) = self.combined(p, babies, target) {
            sum.1 += constant;
            if !terms.is_empty() {
                let taken: Vec<_> = terms.iter().map(|&(k, c)| (self.at(k, target + 1), c)).collect();
                self.arithmetic.add_terms(&mut sum.0, &taken);
            }
            return;
        }
        let degree = p.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        let k = 1 << degree.ilog2();
        let (mut quotient, remainder) = self.divide(&p[..=degree], k);
        // What multiplies a multiple of the element is as much smaller.
        let cut = self.arithmetic.cut_factor(self.level_of(k), target + 1).filter(|_| self.level_of(k) > target + 1);
        if let Some(factor) = cut {
            quotient.iter_mut().for_each(|c| *c /= factor);
        }
        let kept_beside = kept.map(|kept| [kept, &[k]].concat());
        // The first to be evaluated takes memory during the other's products: the remainder waits, but for elements
        // that go after it.
        if kept.is_some() {
            self.add_parts(sum, &remainder, babies, target, None);
        }
        let quotient = self.evaluate(&quotient, babies, target + 1, kept_beside.as_deref());
        if let Some(kept) = kept {
            // A power of two comes from squares of any smaller one.
            let largest = self.known.keys().rev().copied().find(|j| j.is_power_of_two() && *j <= k);
            self.known.retain(|&j, _| Some(j) == largest || kept.contains(&j));
            self.lowered.clear();
        }
        self.compute(k);
        let element = &self.known[&k];
        match quotient {
            Value::Constant(c) => self.arithmetic.add_terms(&mut sum.0, &[(element, c * cut.unwrap_or(1.0))]),
            Value::Ciphertext(q) if cut.is_some() => {
                self.arithmetic.add_product(&mut sum.0, &q, &self.arithmetic.cut(element, target + 1), 1);
            }
            Value::Ciphertext(q) => self.arithmetic.add_product(&mut sum.0, &q, self.at(k, target + 1), 1),
        }
        if kept.is_none() {
            self.add_parts(sum, &remainder, babies, target, None);
        }
    }

    /// `p = q·B_k + r`, for `k ≤ deg p < 2k`.
    fn divide(&self, p: &[f64], k: usize) -> (Vec<f64>, Vec<f64>) {
        let mut remainder = p[..k].to_vec();
        let mut quotient = p[k..].to_vec();
        if self.is_chebyshev() {
            // T_j = 2·T_k·T_(j−k) − T_(2k−j) for k < j < 2k.
            for j in k + 1..p.len() {
                quotient[j - k] *= 2.0;
                remainder[2 * k - j] -= p[j];
            }
        }
        (quotient, remainder)
    }

    /// `Σ p_k·B_k` of each polynomial, `polynomial_depth(degree)` levels below `x`.
    pub fn polynomials(mut self, all: &[&[f64]]) -> Vec<A::Value> {
        let one = |(at, &p): (usize, &&[f64])| self.polynomial(p, at + 1 == all.len());
        all.iter().enumerate().map(one).collect()
    }

    fn polynomial(&mut self, p: &[f64], is_last: bool) -> A::Value {
        let degree = p.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        let babies = baby_count(degree);
        let target = self.x_level - polynomial_depth(degree);
        match self.evaluate(p, babies, target, is_last.then_some(&[])) {
            Value::Ciphertext(w) => w,
            Value::Constant(c) => {
                let mut w = self.arithmetic.zero(&self.known[&1]);
                self.arithmetic.add_constant(&mut w, c);
                w
            }
        }
    }
}

/// A sub-polynomial's value.
enum Value<T> {
    Constant(f64),
    Ciphertext(T),
}
