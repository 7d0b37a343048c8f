//! The evaluator, which circuits compute with: a context, the keys of one secret, and a count of bootstraps.
//!
//! Every other file of this folder reaches the context through this one.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use num_complex::Complex64;

use super::operand::{Operand, Rotations};
use crate::checks::SLACK;
use crate::claims::Bound;
use crate::series::Basis;
use crate::{
    BootstrapKeys, Bootstrapper, Cancelled, Ciphertext, Context, Error, Method, Plaintext, Progress, SlotType, Units,
};

/// A context's bootstrapper and the keys of one secret, for circuits.
#[derive(Debug)]
pub struct Circuits<'a> {
    bootstrapper: &'a Bootstrapper,
    keys: BootstrapKeys<'a>,
    bootstraps: AtomicUsize,
}

impl<'a> Circuits<'a> {
    /// Circuits with these keys: of any kind for polynomials and refreshes, lossy or small ones for signs.
    pub fn new(bootstrapper: &'a Bootstrapper, keys: BootstrapKeys<'a>) -> Self {
        Self { bootstrapper, keys, bootstraps: AtomicUsize::new(0) }
    }

    /// The context.
    pub fn context(&self) -> &'a Context {
        self.bootstrapper.context()
    }

    /// The bootstrapper.
    pub(super) fn bootstrapper(&self) -> &'a Bootstrapper {
        self.bootstrapper
    }

    /// The keys.
    pub fn keys(&self) -> BootstrapKeys<'a> {
        self.keys
    }

    /// Bootstraps done so far; one of two merged ciphertexts counts once.
    pub fn bootstrap_count(&self) -> usize {
        self.bootstraps.load(Ordering::Relaxed)
    }

    /// The level after a bootstrap with SlotsToCoeffs last: `max_level − stage_count`.
    pub fn level_out(&self) -> usize {
        self.context().max_level() - self.keys.bootstrap.stage_count()
    }

    /// The level after a usual bootstrap of a ciphertext at a level.
    pub fn level_after(&self, level: usize, slot_type: SlotType) -> usize {
        let first = self.bootstrapper.first_level(self.keys.bootstrap, slot_type);
        if first.is_some_and(|first| level >= first) { self.context().max_level() } else { self.level_out() }
    }

    /// A circuit's run, with a guess of how many bootstraps it takes.
    pub(super) fn run<'r>(&'r self, op: &'static str, bootstraps: usize, progress: Progress<'r>) -> Run<'r> {
        Run { op, circuits: self, progress, expected: Cell::new(bootstraps.max(1)), done: Cell::new(0) }
    }
}

/// One run of a circuit: its operations, on each unit, and the progress of its bootstraps.
pub(super) struct Run<'r> {
    pub op: &'static str,
    pub circuits: &'r Circuits<'r>,
    progress: Progress<'r>,
    expected: Cell<usize>,
    done: Cell<usize>,
}

/// A vector of units, which have one estimate.
fn alike(units: Vec<Ciphertext>) -> Units<Ciphertext> {
    let estimate = units[0].estimate().clone();
    let units = units.into_iter().map(|unit| unit.with_estimate(estimate.clone())).collect();
    Units::new(units).unwrap_or_else(|| unreachable!("a result for each unit"))
}

/// A vector, or what was wrong.
type Vector = Result<Units<Ciphertext>, Error>;

impl Run<'_> {
    pub fn ctx(&self) -> &Context {
        self.circuits.context()
    }

    pub fn stage_count(&self) -> usize {
        self.circuits.keys.bootstrap.stage_count()
    }

    /// Refuses what belongs elsewhere, before any work.
    pub fn check(&self, x: &Units<Ciphertext>) -> Result<(), Error> {
        self.circuits.keys.check(self.op, self.ctx(), x.first())
    }

    /// Refuses values that are declared to be larger than a sign was asked for.
    pub fn check_bound(&self, x: &Units<Ciphertext>, bound: f64) -> Result<(), Error> {
        let (op, found, level) = (self.op, x.bound(), x.first().level());
        self.ctx().check_room(op, found, (level, bound * (1.0 + SLACK)), Vec::new).map_err(|_| Error::SignBound {
            op,
            found: found.size(),
            bound,
            level,
        })
    }

    /// The largest size that a value of an operand may have.
    pub fn largest(&self, operand: Operand) -> Result<f64, Error> {
        let larger = |most: f64, size: f64| most.max(size);
        match operand {
            Operand::Ciphertext(ciphertext) => Ok(ciphertext.bound().size()),
            Operand::Plaintext(plaintext) => {
                // Values of a file's plaintext are decoded, and may exceed what they were encoded from by a rounding.
                let declared = |unit: &Plaintext| unit.bound.map_or(f64::INFINITY, Bound::size);
                let size = |unit: &_| self.ctx().values(unit).map(|values| values.largest().min(declared(unit)));
                Ok(plaintext.try_map(size)?.all().iter().copied().fold(0.0, larger))
            }
            Operand::Values(values) => Ok(values.iter().map(|v| v.abs()).fold(0.0, larger)),
            Operand::Number(number) => Ok(number.abs()),
        }
    }

    /// As [`Run::check`], for circuits of sign bootstraps.
    pub fn check_lossy(&self, x: &Units<Ciphertext>) -> Result<(), Error> {
        self.check(x)?;
        self.circuits.keys.bootstrap.check_first(self.op)
    }

    /// One bootstrap, whose progress is part of the circuit's.
    fn bootstrapping<T>(&self, bootstrap: impl FnOnce(Progress) -> Result<T, Error>) -> Result<T, Error> {
        let (at, count) = (self.done.get(), self.expected.get().max(self.done.get() + 1));
        let progress = self.progress;
        let of_all = |done: usize, total: usize| -> ControlFlow<()> { progress(at * total + done, count * total) };
        let result = bootstrap(&of_all).map_err(|error| match error {
            Error::Cancelled(Cancelled { done, total, .. }) => {
                Cancelled { op: self.op, done: at * total + done, total: count * total }.into()
            }
            error => error,
        })?;
        self.done.set(at + 1);
        self.expected.set(count);
        self.circuits.bootstraps.fetch_add(1, Ordering::Relaxed);
        Ok(result)
    }

    /// So many bootstraps are still to come.
    pub fn expect(&self, bootstraps: usize) {
        self.expected.set(self.done.get() + bootstraps);
    }

    pub fn bootstrap(&self, method: Method, slot_type: SlotType, x: &Units<Ciphertext>) -> Vector {
        let (bootstrapper, keys) = (self.circuits.bootstrapper, self.circuits.keys);
        let many = |units: &[&_], p: Progress| bootstrapper.bootstrap_many(method, units, keys, slot_type, p);
        self.bootstrapping(|p| x.try_together(|units| many(units, p)))
    }

    /// Two real vectors, unit by unit, in one bootstrap for each pair.
    pub fn merge_bootstrap(
        &self,
        method: Method,
        a: &Units<Ciphertext>,
        b: &Units<Ciphertext>,
    ) -> Result<[Units<Ciphertext>; 2], Error> {
        let merged = |(a, b): &(&_, &_), p: Progress| {
            self.circuits.bootstrapper.merge_bootstrap(method, a, b, self.circuits.keys, p).map(Vec::from)
        };
        let both = self.bootstrapping(|p| a.zip(self.op, b)?.try_map_reporting(p, merged))?.transposed();
        both.try_into().map_err(|_| unreachable!("a merge has two results"))
    }

    /// Real units to a level, two in each bootstrap, and an odd one by itself.
    pub fn bootstrap_in_pairs(&self, method: Method, level: usize, x: &Units<Ciphertext>) -> Vector {
        let (bootstrapper, keys) = (self.circuits.bootstrapper.to_level(Some(level)), self.circuits.keys);
        let units: Vec<&Ciphertext> = x.all().iter().collect();
        let (pairs, odd) = units.split_at(units.len() / 2 * 2);
        let pairs: Vec<[&Ciphertext; 2]> = pairs.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        let mut results: Vec<Ciphertext> = Vec::with_capacity(units.len());
        if !pairs.is_empty() {
            let both = self.bootstrapping(|p| bootstrapper.merge_bootstraps(method, &pairs, keys, p))?;
            results.extend(both.into_iter().flatten());
        }
        if !odd.is_empty() {
            let one = |p: Progress| bootstrapper.bootstrap_many(method, odd, keys, SlotType::Real, p);
            results.extend(self.bootstrapping(one)?);
        }
        Ok(alike(results))
    }

    /// Quarter waves, at a level, of so many units that are coefficients of ciphertexts over the base prime.
    pub fn quarter_waves(&self, level: usize, all: (&[Ciphertext], usize)) -> Vector {
        let (bootstrapper, keys) = (self.circuits.bootstrapper.to_level(Some(level)), self.circuits.keys);
        self.bootstrapping(|p| bootstrapper.quarter_waves(self.op, all, keys, p)).map(alike)
    }

    pub fn add(&self, a: &Units<Ciphertext>, b: &Units<Ciphertext>) -> Vector {
        a.try_zip(self.op, b, |a, b| self.ctx().add(a, b))
    }

    pub fn negate(&self, a: &Units<Ciphertext>) -> Vector {
        a.try_map(|unit| self.ctx().negate(unit))
    }

    pub fn subtract(&self, a: &Units<Ciphertext>, b: &Units<Ciphertext>) -> Vector {
        a.try_zip(self.op, b, |a, b| self.ctx().subtract(a, b))
    }

    /// `x + factor·operand`, for a factor of 1 or −1.
    pub fn add_operand(&self, x: &Units<Ciphertext>, operand: Operand, factor: f64) -> Vector {
        match operand {
            Operand::Ciphertext(y) if factor < 0.0 => self.subtract(x, y),
            Operand::Ciphertext(y) => self.add(x, y),
            // x − p = −(p − x): negating is exact.
            Operand::Plaintext(_) if factor < 0.0 => self.negate(&self.add_operand(&self.negate(x)?, operand, 1.0)?),
            Operand::Plaintext(p) => x.try_zip(self.op, p, |x, p| self.ctx().add_plain(x, p)),
            Operand::Number(c) => self.add_scalar(x, factor * c),
            Operand::Values(values) => {
                let values: Vec<Complex64> = values.iter().map(|v| Complex64::new(factor * v, 0.0)).collect();
                x.try_zip(self.op, &self.ctx().per_unit(&values), |x, values| self.ctx().add_array(x, values))
            }
        }
    }

    /// `x` and the same values for each unit, of which those left out are 0.
    pub fn add_values(&self, x: &Units<Ciphertext>, values: &[f64]) -> Vector {
        let values: Vec<Complex64> = values.iter().map(|v| Complex64::new(*v, 0.0)).collect();
        x.try_map(|unit| self.ctx().add_array(unit, &values))
    }

    /// `x` times the same values for each unit, of which those left out are 0.
    pub fn multiply_values(&self, x: &Units<Ciphertext>, values: &[f64]) -> Vector {
        let values: Vec<Complex64> = values.iter().map(|v| Complex64::new(*v, 0.0)).collect();
        x.try_map(|unit| self.ctx().multiply_array(unit, &values))
    }

    pub fn add_scalar(&self, a: &Units<Ciphertext>, c: f64) -> Vector {
        a.try_map(|unit| self.ctx().add_scalar(unit, Complex64::new(c, 0.0)))
    }

    pub fn multiply(&self, a: &Units<Ciphertext>, b: &Units<Ciphertext>) -> Vector {
        a.try_zip(self.op, b, |a, b| self.ctx().multiply(a, b, self.circuits.keys.relinearization))
    }

    pub fn square(&self, a: &Units<Ciphertext>) -> Vector {
        a.try_map(|unit| self.ctx().square(unit, Some(self.circuits.keys.relinearization)))
    }

    /// Two polynomials, of three or of two.
    pub fn relinearized(&self, a: &Units<Ciphertext>) -> Vector {
        a.try_map(|unit| self.ctx().relinearize(unit, self.circuits.keys.relinearization))
    }

    pub fn multiply_scalar(&self, a: &Units<Ciphertext>, c: f64) -> Vector {
        a.try_map(|unit| self.ctx().multiply_scalar(unit, Complex64::new(c, 0.0)))
    }

    pub fn conjugate(&self, a: &Units<Ciphertext>) -> Vector {
        a.try_map(|unit| self.ctx().conjugate(unit, self.circuits.keys.conjugation))
    }

    /// Slots moved right by `delta`.
    pub fn rotate(&self, a: &Units<Ciphertext>, rotations: Rotations, delta: i64) -> Vector {
        self.ctx().rotate_units(self.op, a, rotations, delta)
    }

    /// Polynomials of one vector, which share its powers.
    pub fn polynomials(
        &self,
        x: &Units<Ciphertext>,
        basis: Basis,
        polynomials: &[&[f64]],
    ) -> Result<Vec<Units<Ciphertext>>, Error> {
        let key = self.circuits.keys.relinearization;
        x.try_map(|unit| self.ctx().evaluate_polynomials(unit, basis, polynomials, key)).map(Units::transposed)
    }

    pub fn basis_element(&self, x: &Units<Ciphertext>, basis: Basis, k: usize) -> Vector {
        let key = self.circuits.keys.relinearization;
        x.try_map(|unit| self.ctx().basis_element(unit, basis, k, key))
    }
}
