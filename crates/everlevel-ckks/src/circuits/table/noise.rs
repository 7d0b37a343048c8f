//! Bounds of the errors of integers, but for a probability, and how tables change them.
//!
//! Errors are in units of the distance between integers: a result is right where its error is below 1/2.

use std::cell::Cell;
use std::f64::consts::{FRAC_PI_3, PI};

use super::space::Space;
use crate::circuits::bootstrap::tables::BootstrapTables;
use crate::circuits::elements::{Arithmetic, BasisElements};
use crate::core::Core;
use crate::series::Basis;
use crate::{Bootstrapper, Error};

/// Standard deviations that a normal error stays below, but for a probability of 2^-131: the four errors that meet in a
/// look-up are larger than is claimed with a probability below 2^-128.
const TAIL: f64 = 13.3;
/// log2 of the share of secrets of which nothing is claimed.
const LOG2_SECRETS: f64 = -40.0;
/// Largest error of the sine's fit for tables, at any integer part: a test of the fit has it.
const FIT_ERROR: f64 = 1.0 / (1u64 << 26) as f64;

/// The errors of integers of a space, in a context's ciphertexts.
#[derive(Debug, Clone, Copy)]
pub struct TableNoise<'a> {
    core: &'a Core,
    tables: &'a BootstrapTables,
    space: Space,
    /// Level of fresh integers, and of look-ups' results.
    level: usize,
    /// Sizes of normal errors that are claimed, in standard deviations over all slots.
    tail: f64,
}

impl<'a> TableNoise<'a> {
    /// The errors of look-ups whose operands and results are at a level.
    ///
    /// # Errors
    /// Too few levels for the space.
    pub fn new(bootstrapper: &'a Bootstrapper, space: Space, level: usize) -> Result<Self, Error> {
        let core = &bootstrapper.context().core;
        let (needed, max_level) = (level + space.depth(), core.ladder.sets.len() - 1);
        if needed > max_level {
            return Err(Error::LevelOutOfRange { op: "look_up", level: needed, max_level });
        }
        // Slots share the secret: where its value is large, so is every rounding. The square of its size is that of a
        // complex normal number, with an exponential tail over slots and secrets.
        let slots = core.encoder.slots() as f64;
        let worst_slot = (slots.ln() - LOG2_SECRETS * std::f64::consts::LN_2).sqrt();
        Ok(Self { core, tables: bootstrapper.tables().0, space, level, tail: TAIL * worst_slot })
    }

    /// A number's error in units of the distance between integers.
    fn in_units(&self, error: f64) -> f64 {
        error * self.space.size() as f64 / 2.0
    }

    /// The error of a fresh encryption, by the public key or the secret one.
    pub fn fresh(&self, is_public: bool) -> f64 {
        let scale = self.core.ladder.scales[self.level];
        let added = if is_public {
            self.core.public_encryption_error(scale)
        } else {
            self.core.slot_error(everlevel_rlwe::SIGMA, scale)
        };
        self.in_units(self.tail * added.hypot(self.core.encoding_error(scale)))
    }

    /// The largest error of a look-up's result that is accepted: one that any further look-up leaves as small.
    pub fn limit(&self) -> f64 {
        0.25 / self.bend(self.space.size() as u64 - 1)
    }

    /// The factor of an error's square: Fejér's kernel is `1 − (M² − 1)/12·δ²` or more at an angle `δ = πu/p` from one
    /// of `M = 2p` nodes, it is never negative, and sums to one; so entries that span a range are mixed by no more.
    fn bend(&self, span: u64) -> f64 {
        span as f64 * PI * FRAC_PI_3
    }

    /// The error of what a table has for an integer of an error.
    ///
    /// # Errors
    /// A table of another length, or with an entry outside of the space.
    pub fn after(&self, table: &[u64], error: f64) -> Result<f64, Error> {
        let series = self.space.series(table)?;
        let (least, most) = table.iter().fold((u64::MAX, 0), |(least, most), &f| (least.min(f), most.max(f)));
        let roundings = self.in_units(self.tail * self.largest_rounding(&series));
        // Two units are one complex ciphertext: the error of the other's imaginary part, which is of one size, is
        // added.
        let angle = 2.0 * error + self.of_bootstrap();
        Ok(self.bend(most - least) * angle * angle + roundings)
    }

    /// The error of a choice between two integers of errors by a bit of one, `(1 − s)·b + s·a`, where they differ by so
    /// much at most.
    pub fn after_choice(&self, selector: f64, [a, b]: [f64; 2], most: u64) -> f64 {
        let rounding = self.core.rounding_error(self.core.ladder.scales[self.level.saturating_sub(1)]);
        // One of the product, and one of what is brought to its level.
        a.max(b) + selector * (most as f64 + a + b) + self.in_units(self.tail * 2.0 * rounding)
    }

    /// Standard deviation of the errors of a table's results, over slots, secrets and integers alike.
    ///
    /// # Errors
    /// As [`TableNoise::after`].
    pub fn mean_rounding(&self, table: &[u64]) -> Result<f64, Error> {
        let series = self.space.series(table)?;
        let p = self.space.size();
        let squares: f64 = (0..p).map(|m| self.rounding(&series, m).powi(2)).sum();
        Ok(self.in_units((squares / p as f64).sqrt()))
    }

    /// The error that a bootstrap's own steps add before the table, as one of the input.
    fn of_bootstrap(&self) -> f64 {
        let p = self.space.size() as f64;
        // The way down to where it starts is a rounding of both units.
        let lowered = 2.0 * self.core.rounding_error(self.core.ladder.scales[self.level.saturating_sub(1)]);
        let before = self.in_units(self.tail * (self.tables.first.error + lowered));
        // The cosine is steep nowhere and flat at the ends, where its error is most of the angle.
        let scale = self.core.ladder.scales[self.level + self.space.depth()];
        let of_cosine = self.tail * 2.0 * self.core.rounding_error(scale) + FIT_ERROR;
        before + p / PI * of_cosine / (PI / (2.0 * p)).sin()
    }

    /// Standard deviation, over slots and secrets, of the roundings in a table's value for the integer where they are
    /// largest, as a number.
    fn largest_rounding(&self, series: &[f64]) -> f64 {
        (0..self.space.size()).map(|m| self.rounding(series, m)).fold(0.0, f64::max)
    }

    /// [`TableNoise::largest_rounding`] of an integer.
    fn rounding(&self, series: &[f64], m: usize) -> f64 {
        let squares = self.roundings(series, m).into_iter().map(|error| error * error);
        squares.sum::<f64>().sqrt()
    }

    /// Contribution of each rounding on the way to a table's value for an integer.
    fn roundings(&self, series: &[f64], m: usize) -> Vec<f64> {
        let roundings = Roundings { core: self.core, count: Cell::new(0) };
        let level = self.level + self.space.depth();
        let x = Rounded { level, value: self.space.angle(m).cos(), errors: Vec::new() };
        // Before the last polynomial elements are dropped, and the same ones made again, whose roundings would be
        // others here: nothing is the last.
        BasisElements::new(&roundings, Basis::Chebyshev, x).polynomials(&[series, &[0.0]]).swap_remove(0).errors
    }
}

/// Arithmetic of numbers with the roundings that ciphertexts' steps would add, to first order.
struct Roundings<'a> {
    core: &'a Core,
    count: Cell<usize>,
}

/// A number, and the part that each rounding so far has in its error.
struct Rounded {
    level: usize,
    value: f64,
    errors: Vec<f64>,
}

impl Rounded {
    /// `self += c·(an error)`.
    fn accrue(&mut self, errors: &[f64], c: f64) {
        if self.errors.len() < errors.len() {
            self.errors.resize(errors.len(), 0.0);
        }
        self.errors.iter_mut().zip(errors).for_each(|(sum, error)| *sum += c * error);
    }
}

impl Roundings<'_> {
    /// A number at a level, with a rounding of its own.
    fn rounded(&self, mut x: Rounded) -> Rounded {
        let index = self.count.replace(self.count.get() + 1);
        x.errors.resize(index, 0.0);
        x.errors.push(self.core.rounding_error(self.core.ladder.scales[x.level]));
        x
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
        let level = a.level.min(b.level);
        let (a, b) = (self.at_level(a, level), self.at_level(b, level));
        let mut product = Rounded { level: level - 1, value: a.value * b.value, errors: Vec::new() };
        product.accrue(&a.errors, b.value);
        product.accrue(&b.errors, a.value);
        self.rounded(product)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Params, ParamsLiteral};

    impl TableNoise<'_> {
        /// [`TableNoise::largest_rounding`] of the worst of all tables.
        ///
        /// A rounding's part is affine in the entries, which are numbers in [−1, 1]: `g + Σ h_k·x_k`. Tables with one
        /// entry, of one and of two, tell `g` and `h_k`, and sizes add up.
        fn worst_rounding(&self) -> f64 {
            let p = self.space.size();
            let parts = |k: usize, m: usize, entry: f64| {
                let mut numbers = vec![0.0; p];
                numbers[k] = entry;
                self.roundings(&self.space.series_of(&numbers), m)
            };
            let at = |m: usize| {
                let first = parts(0, m, 1.0);
                let mut sizes = vec![0.0; first.len()];
                for k in 0..p {
                    let [one, two] = [1.0, 2.0].map(|entry| parts(k, m, entry));
                    assert_eq!(one.len(), first.len());
                    for (size, (one, two)) in sizes.iter_mut().zip(one.iter().zip(&two)) {
                        *size += (two - one).abs();
                        if k == 0 {
                            *size += (2.0 * one - two).abs();
                        }
                    }
                }
                sizes.iter().map(|size| size * size).sum::<f64>().sqrt()
            };
            // Those of −x are as large.
            (0..p.div_ceil(2)).map(at).fold(0.0, f64::max)
        }
    }

    #[test]
    fn every_table_of_the_sets_keeps_errors_within_the_limit() {
        let standard = ParamsLiteral::bootstrap();
        for (literal, size) in [(standard.clone(), 4), (standard, 32), (ParamsLiteral::high_precision(), 64)] {
            let context = Context::new(Params::try_from(literal).unwrap(), None, 1).unwrap();
            let bootstrapper = Bootstrapper::new(&context).unwrap();
            let noise = TableNoise::new(&bootstrapper, Space::new(size).unwrap(), 4).unwrap();
            let roundings = noise.in_units(noise.tail * noise.worst_rounding());
            let angle = 2.0 * noise.limit() + noise.of_bootstrap();
            let largest = noise.bend(size as u64 - 1) * angle * angle;
            println!("{size}: 2^{:.1}, limit 2^{:.1}", roundings.log2(), noise.limit().log2());
            // From errors of any look-up, and of any after that.
            let settled = (0..4).fold(roundings, |error, _| {
                let angle = 2.0 * error + noise.of_bootstrap();
                noise.bend(size as u64 - 1) * angle * angle + roundings
            });
            assert!(settled < noise.limit() && largest < 0.5, "{size}: 2^{:.1}", settled.log2());
            let table: Vec<u64> = (0..size as u64).map(|m| m % 2 * (size as u64 - 1)).collect();
            assert!(noise.after(&table, noise.fresh(true)).unwrap() < settled);
        }
    }
}
