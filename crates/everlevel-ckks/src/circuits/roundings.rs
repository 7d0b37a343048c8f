//! Arithmetic of numbers with the roundings that ciphertexts' steps would add: the noise of a polynomial, by running
//! the very recursion that ciphertexts take on a number.

use std::cell::Cell;

use crate::circuits::elements::Arithmetic;
use crate::core::Core;

/// Arithmetic of numbers with the roundings that ciphertexts' steps would add, to first order.
pub(crate) struct Roundings<'a> {
    core: &'a Core,
    /// The scale of each level.
    scales: &'a [f64],
    count: Cell<usize>,
}

/// A number, and the part that each rounding so far has in its error.
pub(crate) struct Rounded {
    pub level: usize,
    pub value: f64,
    /// A standard deviation of each.
    pub errors: Vec<f64>,
}

impl Rounded {
    /// A number without errors.
    pub fn exact(value: f64, level: usize) -> Self {
        Self { level, value, errors: Vec::new() }
    }

    /// Standard deviation of all roundings together.
    pub fn std_dev(&self) -> f64 {
        self.errors.iter().map(|error| error * error).sum::<f64>().sqrt()
    }

    /// `self += c·(an error)`.
    fn accrue(&mut self, errors: &[f64], c: f64) {
        if self.errors.len() < errors.len() {
            self.errors.resize(errors.len(), 0.0);
        }
        self.errors.iter_mut().zip(errors).for_each(|(sum, error)| *sum += c * error);
    }
}

impl<'a> Roundings<'a> {
    /// Arithmetic on levels of these scales.
    pub fn new(core: &'a Core, scales: &'a [f64]) -> Self {
        Self { core, scales, count: Cell::new(0) }
    }

    /// A number at a level, with a rounding of its own.
    fn rounded(&self, mut x: Rounded) -> Rounded {
        let index = self.count.replace(self.count.get() + 1);
        x.errors.resize(index, 0.0);
        x.errors.push(self.core.rounding_error(self.scales[x.level]));
        x
    }

    /// A product one level lower, before it is rescaled.
    fn unrounded_product(&self, a: &Rounded, b: &Rounded) -> Rounded {
        let level = a.level.min(b.level);
        let (a, b) = (self.at_level(a, level), self.at_level(b, level));
        let mut product = Rounded::exact(a.value * b.value, level - 1);
        product.accrue(&a.errors, b.value);
        product.accrue(&b.errors, a.value);
        product
    }

    fn at_level(&self, x: &Rounded, level: usize) -> Rounded {
        let same = Rounded { level, value: x.value, errors: x.errors.clone() };
        if x.level == level { same } else { self.rounded(same) }
    }

    fn added(&self, a: &mut Rounded, b: &Rounded, c: f64) {
        let b = self.at_level(b, a.level);
        a.value += c * b.value;
        a.accrue(&b.errors, c);
    }
}

impl Arithmetic for &Roundings<'_> {
    type Value = Rounded;

    fn level(&self, x: &Rounded) -> usize {
        x.level
    }

    fn square(&self, x: &Rounded) -> Rounded {
        self.product(x, x)
    }

    fn product(&self, a: &Rounded, b: &Rounded) -> Rounded {
        self.rounded(self.unrounded_product(a, b))
    }

    fn doubled_square(&self, x: &Rounded) -> Rounded {
        let mut twice = self.unrounded_product(x, x);
        self.double(&mut twice);
        self.rounded(twice)
    }

    fn double(&self, x: &mut Rounded) {
        x.value *= 2.0;
        x.errors.iter_mut().for_each(|error| *error *= 2.0);
    }

    fn add_constant(&self, x: &mut Rounded, c: f64) {
        x.value += c;
    }

    fn add_assign(&self, a: &mut Rounded, b: &Rounded) {
        self.added(a, b, 1.0);
    }

    fn sub_assign(&self, a: &mut Rounded, b: &Rounded) {
        self.added(a, b, -1.0);
    }

    fn linear_combination(&self, terms: &[(&Rounded, f64)], target: usize) -> Rounded {
        let mut sum = Rounded { level: target, value: 0.0, errors: Vec::new() };
        for (x, c) in terms {
            sum.value += c * x.value;
            sum.accrue(&x.errors, *c);
        }
        self.rounded(sum)
    }

    fn product_at(&self, a: &Rounded, b: &Rounded, target: usize) -> Rounded {
        self.product(a, &self.at_level(b, target + 1))
    }

    fn zero(&self, x: &Rounded) -> Rounded {
        Rounded { level: x.level, value: 0.0, errors: Vec::new() }
    }
}
