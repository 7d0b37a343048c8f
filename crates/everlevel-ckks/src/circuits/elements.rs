//! Polynomials of encrypted values in any arithmetic with levels, in the power and the Chebyshev basis.
//!
//! Paterson–Stockmeyer by recursive division: `p = q·B_k + r` for `k` the largest power of two up to the degree. A
//! remainder of few terms is a linear combination of basis elements, whose constants cost one level; where that level
//! is missing on the way to a deep product, the recursion goes on instead, so that a polynomial of degree `d` always
//! costs `⌈log2(d + 1)⌉` levels.

use std::collections::BTreeMap;

use crate::series::Basis;

/// Arithmetic that polynomials are evaluated in. A product is one level below its lower operand, and operands of
/// different levels are brought to the lower one.
pub(crate) trait Arithmetic {
    /// Encrypted values of one level.
    type Value;

    fn level(&self, x: &Self::Value) -> usize;
    fn square(&self, x: &Self::Value) -> Self::Value;
    fn product(&self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// `2x²`.
    fn doubled_square(&self, x: &Self::Value) -> Self::Value {
        let mut y = self.square(x);
        self.double(&mut y);
        y
    }
    /// `x *= 2`.
    fn double(&self, x: &mut Self::Value);
    fn add_constant(&self, x: &mut Self::Value, c: f64);
    /// `a += b`, at `a`'s level.
    fn add_assign(&self, a: &mut Self::Value, b: &Self::Value);
    /// `a −= b`, at `a`'s level.
    fn sub_assign(&self, a: &mut Self::Value, b: &Self::Value);
    /// `Σ c_i·x_i` at a level below every operand's.
    fn linear_combination(&self, terms: &[(&Self::Value, f64)], target: usize) -> Self::Value;
    /// The product at a level, of `a` that is one above it and of `b` that is so at least.
    fn product_at(&self, a: &Self::Value, b: &Self::Value, target: usize) -> Self::Value;
    /// Zeros at the level of other values.
    fn zero(&self, x: &Self::Value) -> Self::Value;
    /// Tells that a value is an element of a basis, which has a bound of its own.
    fn is_element(&self, _: &mut Self::Value, _: Basis, _: usize) {}
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
}

impl<A: Arithmetic> BasisElements<A> {
    pub fn new(arithmetic: A, basis: Basis, x: A::Value) -> Self {
        Self { x_level: arithmetic.level(&x), arithmetic, basis, known: BTreeMap::from([(1, x)]) }
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
        let arithmetic = &self.arithmetic;
        let mut product = if a == b {
            arithmetic.square(&self.known[&a])
        } else {
            arithmetic.product(&self.known[&a], &self.known[&b])
        };
        if self.basis == Basis::Chebyshev {
            // T_a·T_b = (T_(a+b) + T_(a−b))/2.
            arithmetic.double(&mut product);
            match a - b {
                0 => arithmetic.add_constant(&mut product, -1.0),
                d => arithmetic.sub_assign(&mut product, &self.known[&d]),
            }
        }
        arithmetic.is_element(&mut product, self.basis, k);
        self.known.insert(k, product);
    }

    /// Element `k ≥ 1`.
    pub fn get(&mut self, k: usize) -> &A::Value {
        self.compute(k);
        &self.known[&k]
    }

    /// `p` at level `target`, or its constant where it has no other term. Elements that only the last polynomial still
    /// needs are dropped before its product.
    fn evaluate(&mut self, p: &[f64], babies: usize, target: usize, is_last: bool) -> Value<A::Value> {
        let degree = p.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        if degree == 0 {
            return Value::Constant(p.first().copied().unwrap_or(0.0));
        }
        let reachable = |e: &Self, k: usize| e.level_of(k) > target;
        if degree < babies && (1..=degree).filter(|&k| p[k] != 0.0).all(|k| reachable(self, k)) {
            let used: Vec<usize> = (1..=degree).filter(|&k| p[k] != 0.0).collect();
            used.iter().for_each(|&k| self.compute(k));
            let terms: Vec<(&A::Value, f64)> = used.iter().map(|k| (&self.known[k], p[*k])).collect();
            let mut sum = self.arithmetic.linear_combination(&terms, target);
            self.arithmetic.add_constant(&mut sum, p[0]);
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
            Value::Constant(c) => self.arithmetic.linear_combination(&[(giant, c)], target),
            Value::Ciphertext(q) => self.arithmetic.product_at(&q, giant, target),
        };
        match first.unwrap_or_else(|| self.evaluate(&remainder, babies, target, false)) {
            Value::Constant(c) => self.arithmetic.add_constant(&mut sum, c),
            Value::Ciphertext(r) => self.arithmetic.add_assign(&mut sum, &r),
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
    pub fn polynomials(mut self, all: &[&[f64]]) -> Vec<A::Value> {
        let one = |(at, &p): (usize, &&[f64])| self.polynomial(p, at + 1 == all.len());
        all.iter().enumerate().map(one).collect()
    }

    fn polynomial(&mut self, p: &[f64], is_last: bool) -> A::Value {
        let degree = p.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        let babies = baby_count(degree);
        let target = self.x_level - polynomial_depth(degree);
        match self.evaluate(p, babies, target, is_last) {
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
