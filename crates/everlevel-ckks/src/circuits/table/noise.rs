//! Bounds of the errors of integers, but for a probability, and how tables change them.
//!
//! Errors are in units of the distance between integers: a result is right where its error is below 1/2.

use std::f64::consts::{FRAC_PI_3, PI};

use super::space::Space;
use crate::circuits::bootstrap::method::Method;
use crate::circuits::bootstrap::noise::{
    before_the_sine, largest_rounding_of_sine, of_coefficients, of_slots_to_coeffs,
};
use crate::circuits::bootstrap::stages::MapsKind;
use crate::circuits::bootstrap::tables::BootstrapTables;
use crate::circuits::elements::BasisElements;
use crate::circuits::roundings::{Rounded, Roundings};
use crate::claims::EntryRounding;
use crate::core::Core;
use crate::series::Basis;
use crate::{Bootstrapper, Error};

/// Standard deviations that a normal error stays below, but for a probability of 2^-131: the four errors that meet in a
/// look-up are larger than is claimed with a probability below 2^-128.
const TAIL: f64 = 13.3;
/// log2 of the share of secrets of which nothing is claimed.
const LOG2_SECRETS: f64 = -40.0;

/// Sizes of normal errors that are claimed, in standard deviations over all slots.
fn tail(core: &Core) -> f64 {
    // Slots share the secret: where its value is large, so is every rounding. The square of its size is that of a
    // complex normal number, with an exponential tail over slots and secrets.
    let slots = core.encoder.slots() as f64;
    TAIL * (slots.ln() - LOG2_SECRETS * std::f64::consts::LN_2).sqrt()
}

/// The rounding of two units on the way from a level down to where a bootstrap starts.
fn of_way_down(core: &Core, level: usize) -> f64 {
    2.0 * core.rounding_error(core.ladder.scales[level.saturating_sub(1)])
}

/// The error on the torus of real numbers at a level that have one of this size.
pub(super) fn numbers_on_torus(bootstrapper: &Bootstrapper, level: usize, error: f64) -> f64 {
    let (core, tables) = (&bootstrapper.context().core, bootstrapper.tables().0);
    // Two units are one ciphertext.
    2.0 * error + tail(core) * (of_coefficients(core, tables, level) + of_way_down(core, level))
}

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
        Ok(Self { core, tables: bootstrapper.tables().0, space, level, tail: tail(core) })
    }

    /// A number's error in units of the distance between integers.
    fn in_units(&self, error: f64) -> f64 {
        self.space.units(error)
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
        0.25 / self.bend(self.space.size() as f64 - 1.0)
    }

    /// The factor of an error's square: Fejér's kernel is `1 − (M² − 1)/12·δ²` or more at an angle `δ = πu/p` from one
    /// of `M = 2p` nodes, it is never negative, and sums to one; so entries that span a range are mixed by no more.
    fn bend(&self, span: f64) -> f64 {
        span * PI * FRAC_PI_3
    }

    /// The error of what a table has for an integer of an error, where the unit beside it in a bootstrap has another
    /// one, times as many as that one's space of inputs fits into the space.
    ///
    /// # Errors
    /// As [`Space::series`].
    pub fn after(&self, table: &[u64], error: f64, beside: f64) -> Result<f64, Error> {
        let inputs = self.space.of_inputs(table)?;
        // Two units are one complex ciphertext: the error of the other's imaginary part is added.
        let beside = beside * inputs.size() as f64 / self.space.size() as f64;
        self.after_error(table, error + beside)
    }

    /// The error of what a table has for an integer of this space on the torus, of a normal error of a standard
    /// deviation in units of their distance: in units of another space, which entries are of
    /// ([`crate::circuits::Circuits::look_up_torus`]).
    ///
    /// # Errors
    /// As [`TableNoise::after`].
    pub fn after_torus(&self, to: Space, table: &[u64], std_dev: f64) -> Result<f64, Error> {
        let numbers = to.numbers(table, self.space.size())?;
        Ok(self.number_after(self.space, &numbers, TAIL * std_dev) * to.size() as f64 / 2.0)
    }

    /// The error of what a table of numbers has for an integer on the torus, as [`TableNoise::after_torus`], as a
    /// number: a bound, and its size at most on average.
    pub(super) fn number_after_torus(&self, numbers: &[f64], std_dev: f64) -> (f64, f64) {
        let worst = self.number_after(self.space, numbers, TAIL * std_dev);
        // The fourth moment of a normal error is three times the square of its variance.
        let variance = std_dev.powi(2) + (self.of_bootstrap(self.space) / TAIL).powi(2);
        (worst, self.bend_of(numbers, 0.0) * 3f64.sqrt() * variance)
    }

    /// The error of what a table has for a coefficient that errs by so much before the bootstrap's own steps.
    fn after_error(&self, table: &[u64], error: f64) -> Result<f64, Error> {
        let inputs = self.space.of_inputs(table)?;
        let numbers = self.space.numbers(table, inputs.size())?;
        Ok(self.in_units(self.number_after(inputs, &numbers, error)))
    }

    /// [`TableNoise::after_error`] of a table of any numbers for a space of inputs, as a number.
    fn number_after(&self, inputs: Space, numbers: &[f64], error: f64) -> f64 {
        let roundings = self.tail * self.largest_rounding(inputs, &inputs.series_of(numbers));
        let angle = error + self.of_bootstrap(inputs);
        self.bend_of(numbers, angle) * angle * angle + roundings
    }

    /// The factor of an error's square in a table's numbers, for errors up to a size: [`TableNoise::bend`] of their
    /// span, or less where other entries are alike, as each comes in by how far it is away. At a distance `d` the
    /// kernel is `(sin(πu)/2p)²/sin²(π(d − u)/2p)` at most.
    fn bend_of(&self, numbers: &[f64], reach: f64) -> f64 {
        let p = numbers.len();
        let (least, most) = numbers.iter().fold((f64::MAX, f64::MIN), |(least, most), &x| (least.min(x), most.max(x)));
        let of_any = self.bend(most - least);
        if reach >= 0.5 {
            return of_any;
        }
        let weight = |d: usize| {
            // Nodes lie on a circle of 2p.
            let near = d.min(2 * p - d) as f64 - reach;
            (PI / (2 * p) as f64 / (PI * near / (2 * p) as f64).sin()).powi(2)
        };
        let weights: Vec<f64> = (0..2 * p).map(|d| if d == 0 { 0.0 } else { weight(d) }).collect();
        // The mirror image of integer k is m + k + 1 away from m.
        let part = |m: usize, k: usize| (numbers[m] - numbers[k]).abs() * (weights[m.abs_diff(k)] + weights[m + k + 1]);
        let at = |m: usize| (0..p).map(|k| part(m, k)).sum::<f64>();
        (0..p).map(at).fold(0.0, f64::max).min(of_any)
    }

    /// The error of a choice between two integers of errors by a bit of one, `(1 − s)·b + s·a`, where they differ by so
    /// much at most.
    pub fn after_choice(&self, selector: f64, [a, b]: [f64; 2], most: u64) -> f64 {
        let rounding = self.core.rounding_error(self.core.ladder.scales[self.level.saturating_sub(1)]);
        // One of the product, and one of what is brought to its level.
        a.max(b) + selector * (most as f64 + a + b) + self.in_units(self.tail * 2.0 * rounding)
    }

    /// The error of sums of `count` integers that were brought to one slot: by rotations alone, or, where there are
    /// diagonals, by a product with a matrix of zeros and ones of so many.
    ///
    /// A rotation is a key switch for each binary digit of its amount, with a rounding each. Those of giant steps come
    /// before the product's rescaling, which leaves nothing of them.
    pub fn after_move(&self, error: f64, count: usize, diagonals: usize) -> f64 {
        let (core, below) = (self.core, self.level.saturating_sub(1));
        let rounding = |level: usize| core.rounding_error(core.ladder.scales[level]);
        let digits = (core.encoder.slots() as f64).log2();
        let turned = self.in_units(self.tail * digits.sqrt() * rounding(self.level).max(rounding(below)));
        let moved = count as f64 * (error + turned);
        if diagonals == 0 {
            return moved;
        }
        let std_dev = core.encoding_error(core.ladder.scales[self.level]);
        let entries = EntryRounding { std_dev, diagonals: diagonals as f64, repeats: count as f64 };
        moved + self.in_units(entries.worst(self.tail) + self.tail * rounding(below))
    }

    /// The error of a coefficient on the torus ([`crate::circuits::Circuits::to_torus`]) for integers of an error.
    pub fn on_torus(&self, error: f64) -> f64 {
        // As before a look-up: two units are one ciphertext, whose way down is a rounding of both.
        let added = of_coefficients(self.core, self.tables, self.level) + of_way_down(self.core, self.level);
        2.0 * error + self.in_units(self.tail * added)
    }

    /// Standard deviation of the error that two units' way to a coefficient on the torus adds, by SlotsToCoeffs in so
    /// many stages.
    pub fn mean_on_torus(&self, stage_count: usize) -> f64 {
        // One rounding, of the ciphertext of both.
        let lowered = if self.level > stage_count { of_way_down(self.core, self.level) / 2.0 } else { 0.0 };
        self.in_units(of_slots_to_coeffs(self.core, self.tables, stage_count).hypot(lowered))
    }

    /// Standard deviation of the errors of a table's results, over slots, secrets and integers alike.
    ///
    /// # Errors
    /// As [`TableNoise::after`].
    pub fn mean_rounding(&self, table: &[u64]) -> Result<f64, Error> {
        let (inputs, series) = (self.space.of_inputs(table)?, self.space.series(table)?);
        let p = inputs.size();
        let squares: f64 = (0..p).map(|m| self.rounding(inputs, &series, m).powi(2)).sum();
        Ok(self.in_units((squares / p as f64).sqrt()))
    }

    /// The error that a bootstrap's own steps add before the table, as one of the input.
    fn of_bootstrap(&self, inputs: Space) -> f64 {
        let before = before_the_sine(self.core, self.tables, self.level) + of_way_down(self.core, self.level);
        inputs.units(self.tail * before) + self.of_sine(inputs)
    }

    /// The error of the sine, as one of the input: the cosine is flat at the ends, where its error is most of the
    /// angle.
    fn of_sine(&self, inputs: Space) -> f64 {
        let p = inputs.size();
        let spared = self.core.ladder.sets.len() - 1 - (self.level + self.space.depth());
        let plan = self.tables.plan(self.core, MapsKind::Apart, Method::Table, spared);
        let plan = plan.unwrap_or_else(|| unreachable!("maps apart serve tables"));
        // The way to a lower level is a rounding.
        let end = plan.ladder.scales[0];
        let at = |m: usize| {
            let offset = inputs.number(m as u64) / 4.0;
            let rounded = largest_rounding_of_sine(self.core, &plan, offset);
            // The input is nearer to its integer than to others.
            let reach = 0.25 / p as f64;
            let of_fit = [-reach, 0.0, reach].map(|aside| plan.fit.largest_error(offset + aside));
            let of_fit = of_fit.into_iter().fold(0.0, f64::max);
            let of_cosine = self.tail * rounded.hypot(self.core.rounding_error(end)) + of_fit;
            p as f64 / PI * of_cosine / inputs.angle(m).sin()
        };
        (0..p).map(at).fold(0.0, f64::max)
    }

    /// Standard deviation, over slots and secrets, of the roundings in a table's value for the integer where they are
    /// largest, as a number.
    fn largest_rounding(&self, inputs: Space, series: &[f64]) -> f64 {
        (0..inputs.size()).map(|m| self.rounding(inputs, series, m)).fold(0.0, f64::max)
    }

    /// [`TableNoise::largest_rounding`] of an integer.
    fn rounding(&self, inputs: Space, series: &[f64], m: usize) -> f64 {
        let squares = self.roundings(inputs, series, m).into_iter().map(|error| error * error);
        squares.sum::<f64>().sqrt()
    }

    /// Contribution of each rounding on the way to a table's value for an integer.
    fn roundings(&self, inputs: Space, series: &[f64], m: usize) -> Vec<f64> {
        let roundings = Roundings::new(self.core, &self.core.ladder);
        let x = Rounded::exact(inputs.angle(m).cos(), self.level + self.space.depth());
        // Before the last polynomial elements are dropped, and the same ones made again, whose roundings would be
        // others here: nothing is the last.
        let elements = BasisElements::new(&roundings, Basis::Chebyshev, x);
        let mut errors = elements.polynomials(&[series, &[0.0]]).swap_remove(0).errors;
        if inputs.depth() < self.space.depth() {
            // On the way to the level that a longer table ends at.
            errors.push(self.core.rounding_error(self.core.ladder.scales[self.level]));
        }
        errors
    }
}

#[cfg(test)]
mod tests {
    use everlevel_rand::{Seed, SeedSource};

    use super::*;
    use crate::circuits::bootstrap::noise::rounding_of_sine;
    use crate::{
        BootstrapKeySize, BootstrapKeys, BootstrapKind, Complex64, Context, Options, Params, ParamsLiteral, SlotType,
        no_progress,
    };

    impl TableNoise<'_> {
        /// [`TableNoise::largest_rounding`] of the worst of all tables.
        ///
        /// A rounding's part is affine in the entries, which are numbers in [−1, 1]: `g + Σ h_k·x_k`. Tables with one
        /// entry, of one and once of two, tell `h_k` and `g`, and sizes add up.
        fn worst_rounding(&self) -> f64 {
            let p = self.space.size();
            let series = |k: usize, entry: f64| {
                let mut numbers = vec![0.0; p];
                numbers[k] = entry;
                self.space.series_of(&numbers)
            };
            let twice = series(0, 2.0);
            let once: Vec<_> = (0..p).map(|k| series(k, 1.0)).collect();
            let at = |m: usize| {
                let [one, two] = [&once[0], &twice].map(|series| self.roundings(self.space, series, m));
                let alone: Vec<f64> = one.iter().zip(&two).map(|(one, two)| 2.0 * one - two).collect();
                let mut sizes: Vec<f64> = alone.iter().map(|g| g.abs()).collect();
                for series in &once {
                    let one = self.roundings(self.space, series, m);
                    assert_eq!(one.len(), alone.len());
                    for (size, (one, alone)) in sizes.iter_mut().zip(one.iter().zip(&alone)) {
                        *size += (one - alone).abs();
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
        for size in [2, 4, 8, 16, 32, 64, 128, 256] {
            let literal = ParamsLiteral::bootstrap().for_tables(Space::new(size).unwrap(), 4);
            let context = Context::new(Params::try_from(literal).unwrap(), None, 1).unwrap();
            let bootstrapper = Bootstrapper::new(&context).unwrap();
            let noise = TableNoise::new(&bootstrapper, Space::new(size).unwrap(), 4).unwrap();
            let roundings = noise.in_units(noise.tail * noise.worst_rounding());
            let (bend, of_bootstrap) = (noise.bend(size as f64 - 1.0), noise.of_bootstrap(noise.space));
            println!("{size}: 2^{:.1}, limit 2^{:.1}", roundings.log2(), noise.limit().log2());
            println!("bootstrap 2^{:.1}, sine 2^{:.1}", of_bootstrap.log2(), noise.of_sine(noise.space).log2());
            let after = |error: f64| bend * (2.0 * error + of_bootstrap).powi(2) + roundings;
            // From errors of any look-up, and of any after that, for ever.
            let settled = (0..1000).fold(roundings, |error, _| after(error));
            println!("settled 2^{:.1}, of the limit 2^{:.1}", settled.log2(), after(noise.limit()).log2());
            assert!(settled < noise.limit() && after(noise.limit()) < 0.5, "{size}: 2^{:.1}", settled.log2());
            let table: Vec<u64> = (0..size as u64).map(|m| m % 2 * (size as u64 - 1)).collect();
            let fresh = noise.fresh(true);
            assert!(noise.after(&table, fresh, fresh).unwrap() < settled);
        }
    }

    /// A sine's errors at the nodes: those before it by its slope, and its own by how often integer parts come up.
    #[test]
    fn sines_are_as_noisy_as_claimed() {
        for size in [4, 16, 64, 128, 256] {
            let space = Space::new(size).unwrap();
            let literal = ParamsLiteral::insecure_bootstrap(12).for_tables(space, 3);
            // The same keys and integer parts at every run.
            let seeds = SeedSource::insecure(Seed::from_bytes([0x7a; 32]));
            let options = Options { thread_count: 2, ..Options::default() };
            let ctx = Context::with_seeds(Params::try_from(literal).unwrap(), options, seeds).unwrap();
            let bootstrapper = Bootstrapper::new(&ctx).unwrap();
            let (core, secret, p) = (&ctx.core, ctx.secret_key().unwrap(), &no_progress);
            let kind = BootstrapKind::First;
            let key = bootstrapper.bootstrap_key_of(kind, &secret, 3, BootstrapKeySize::Medium, p).unwrap();
            let keys = BootstrapKeys {
                relinearization: &ctx.relinearization_key(&secret, p).unwrap(),
                conjugation: &ctx.conjugation_key(&secret, p).unwrap(),
                bootstrap: (&key).into(),
            };
            let values: Vec<u64> = (0..ctx.slot_count()).map(|i| (i * i * 31 + i) as u64 % size as u64).collect();
            let x = ctx.encode_integers(&values, space, 3).unwrap();
            let x = ctx.encrypt_with_secret(x.first(), &secret).unwrap();
            let sines = bootstrapper.bootstrap_by(Method::Table, &x, keys, SlotType::Real, p).unwrap();
            let sines = ctx.decode(&ctx.decrypt(&sines, &secret).unwrap()).unwrap();
            let error = |(sine, &m): (&Complex64, &u64)| sine.re - space.angle(m as usize).cos();
            let squares: f64 = sines.iter().zip(&values).map(error).map(|e| e * e).sum();
            let measured = (squares / values.len() as f64).sqrt();

            let noise = TableNoise::new(&bootstrapper, space, 3).unwrap();
            let plan = noise.tables.plan(core, MapsKind::Apart, Method::Table, 0).unwrap();
            let scale = core.ladder.scales[3];
            let fresh = core.slot_error(everlevel_rlwe::SIGMA, scale).hypot(core.encoding_error(scale));
            let before = before_the_sine(core, noise.tables, 3).hypot(fresh);
            let chance = |k: i32| (-0.5 * f64::from(k * k) / 2.75).exp();
            let total: f64 = (-8..=8).map(chance).sum();
            let square = |m: usize| {
                let cosine = space.angle(m).cos();
                let own = (-8..=8).map(|k| {
                    let t = f64::from(k) + space.number(m as u64) / 4.0;
                    let fit = plan.fit.sine(t) - cosine;
                    chance(k) / total * (rounding_of_sine(core, &plan, t).powi(2) + fit * fit)
                });
                own.sum::<f64>() + (PI / 2.0 * space.angle(m).sin() * before).powi(2)
            };
            let squares: f64 = values.iter().map(|&m| square(m as usize)).sum();
            let claimed = (squares / values.len() as f64).sqrt();
            println!("{size}: 2^{:.2}, claimed 2^{:.2}", measured.log2(), claimed.log2());
            assert!((measured / claimed - 1.0).abs() < 0.2, "{size}: {}", measured / claimed);
        }
    }
}
