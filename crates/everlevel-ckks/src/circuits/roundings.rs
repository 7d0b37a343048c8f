//! Arithmetic of numbers with the roundings that ciphertexts' steps would add: the noise of a polynomial, by running
//! the very recursion that ciphertexts take on a number.

use std::cell::Cell;

use crate::circuits::elements::Arithmetic;
use crate::core::Core;
use crate::ladder::Ladder;

/// Arithmetic of numbers with the roundings that ciphertexts' steps would add, to first order.
pub(crate) struct Roundings<'a> {
    core: &'a Core,
    ladder: &'a Ladder,
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
    /// Arithmetic on the levels of a ladder.
    pub fn new(core: &'a Core, ladder: &'a Ladder) -> Self {
        Self { core, ladder, count: Cell::new(0) }
    }

    /// A number at a level, with a rounding of its own.
    fn rounded(&self, mut x: Rounded) -> Rounded {
        let index = self.count.replace(self.count.get() + 1);
        x.errors.resize(index, 0.0);
        x.errors.push(self.core.rounding_error(self.ladder.scales[x.level]));
        x
    }

    fn at_level(&self, x: &Rounded, level: usize) -> Rounded {
        let same = Rounded { level, value: x.value, errors: x.errors.clone() };
        if x.level == level { same } else { self.rounded(same) }
    }
}

impl Arithmetic for &Roundings<'_> {
    type Value = Rounded;
    type Sum = Rounded;

    fn level(&self, x: &Rounded) -> usize {
        x.level
    }

    fn empty(&self, target: usize) -> Rounded {
        Rounded::exact(0.0, target)
    }

    fn add_product(&self, sum: &mut Rounded, a: &Rounded, b: &Rounded, times: u8) {
        let first = self.at_level(a, sum.level + 1);
        // A square's operand is brought down once.
        let second = (!std::ptr::eq(a, b)).then(|| self.at_level(b, sum.level + 1));
        let (second, times) = (second.as_ref().unwrap_or(&first), f64::from(times));
        sum.value += times * first.value * second.value;
        sum.accrue(&first.errors, times * second.value);
        sum.accrue(&second.errors, times * first.value);
    }

    fn add_terms(&self, sum: &mut Rounded, terms: &[(&Rounded, f64)]) {
        for (x, c) in terms {
            sum.value += c * x.value;
            sum.accrue(&x.errors, *c);
        }
    }

    fn finish(&self, sum: Rounded) -> Rounded {
        self.rounded(sum)
    }

    fn add_constant(&self, x: &mut Rounded, c: f64) {
        x.value += c;
    }

    fn cut_factor(&self, from: usize, to: usize) -> Option<f64> {
        self.ladder.cut_factor(from, to)
    }

    fn cut(&self, x: &Rounded, to: usize) -> Rounded {
        let factor = self.ladder.scales[x.level] / self.ladder.scales[to];
        let errors = x.errors.iter().map(|error| error * factor).collect();
        Rounded { level: to, value: x.value * factor, errors }
    }

    fn lowered(&self, x: &Rounded, to: usize) -> Option<Rounded> {
        (!self.ladder.is_nested(x.level, to)).then(|| self.at_level(x, to))
    }

    fn zero(&self, x: &Rounded) -> Rounded {
        Rounded { level: x.level, value: 0.0, errors: Vec::new() }
    }
}
