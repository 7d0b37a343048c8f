//! Bootstraps of an evaluator's own accord.
//!
//! An operation that lacks levels is refused before any work, with the level that it needs. [`AutoBootstrap`]
//! bootstraps the operands that are too low, and calls the operation again. There is nothing else to know of an
//! operation.
//!
//! A bootstrapped operand is remembered beside the original, in its [`Value`]: an operand that is used again is not
//! bootstrapped again. Sums and rotations, which need no levels, take [`Value`]s for that reason alone.

mod due;

use std::sync::{Mutex, OnceLock, PoisonError};

use num_complex::Complex64;

use super::deep::Imaginary;
use super::evaluator::{Circuits, Run};
use super::operand::Rotations;
use crate::circuits::elements::polynomial_depth;
use crate::series::Basis;
use crate::{Ciphertext, Error, Method, Progress, SlotType, Units, no_progress};

pub use due::{Shape, due};

/// An operand of [`AutoBootstrap`], and what it was bootstrapped to, if it was.
#[derive(Debug)]
pub struct Value {
    original: Units<Ciphertext>,
    is_real: bool,
    fresh: OnceLock<Units<Ciphertext>>,
}

impl Value {
    /// A real message, whose imaginary parts are noise: two of them share a bootstrap.
    pub fn real(ciphertext: impl Into<Units<Ciphertext>>) -> Self {
        Self::new(ciphertext.into(), true)
    }

    /// A complex message.
    pub fn complex(ciphertext: impl Into<Units<Ciphertext>>) -> Self {
        Self::new(ciphertext.into(), false)
    }

    fn new(original: Units<Ciphertext>, is_real: bool) -> Self {
        Self { original, is_real, fresh: OnceLock::new() }
    }

    /// The ciphertext of the highest level: what it was bootstrapped to, or itself.
    pub fn ciphertext(&self) -> &Units<Ciphertext> {
        self.fresh.get().filter(|fresh| fresh.first().level() > self.original.first().level()).unwrap_or(&self.original)
    }

    /// Whether the message is real.
    pub fn is_real(&self) -> bool {
        self.is_real
    }

    /// The level of [`Value::ciphertext`].
    pub fn level(&self) -> usize {
        self.ciphertext().first().level()
    }

    fn shape(&self) -> Shape {
        Shape {
            level: self.original.first().level(),
            is_real: self.is_real,
            unit_count: self.original.count(),
            secret_id: self.original.first().secret_id(),
            is_remembered: self.fresh.get().is_some(),
        }
    }
}

/// An evaluator of programs of any depth.
pub struct AutoBootstrap<'a> {
    circuits: Circuits<'a>,
    progress: Progress<'a>,
    /// Threads that need the same operand wait for one bootstrap of it.
    turn: Mutex<()>,
}

impl<'a> AutoBootstrap<'a> {
    /// An evaluator with a context and keys.
    pub fn new(circuits: Circuits<'a>) -> Self {
        Self { circuits, progress: &no_progress, turn: Mutex::new(()) }
    }

    /// Reports every operation's bootstraps, and is cancelled by them.
    pub fn reporting(self, progress: Progress<'a>) -> Self {
        Self { progress, ..self }
    }

    /// The circuits that it is made of, with their count of bootstraps.
    pub fn circuits(&self) -> &Circuits<'a> {
        &self.circuits
    }

    /// `a + b`.
    ///
    /// # Errors
    /// Operands of other parameters, secrets or numbers of units.
    pub fn add(&self, a: &Value, b: &Value) -> Result<Value, Error> {
        self.apply("add", [a, b], |run, [a, b]| run.add(a, b)).map(|sum| Value::new(sum, a.is_real && b.is_real))
    }

    /// `a − b`.
    ///
    /// # Errors
    /// As [`AutoBootstrap::add`].
    pub fn subtract(&self, a: &Value, b: &Value) -> Result<Value, Error> {
        let difference = self.apply("subtract", [a, b], |run, [a, b]| run.subtract(a, b))?;
        Ok(Value::new(difference, a.is_real && b.is_real))
    }

    /// `a + c` in every slot.
    ///
    /// # Errors
    /// NaN or infinity, or a number too large for the level.
    pub fn add_scalar(&self, a: &Value, c: Complex64) -> Result<Value, Error> {
        let sum = self.apply("add", [a], |run, [a]| a.try_map(|unit| run.ctx().add_scalar(unit, c)))?;
        Ok(Value::new(sum, a.is_real && c.im == 0.0))
    }

    /// `a·b`, relinearized.
    ///
    /// # Errors
    /// As [`AutoBootstrap::add`]; keys of another secret; three polynomials; a cancellation.
    pub fn multiply(&self, a: &Value, b: &Value) -> Result<Value, Error> {
        let product = self.apply("multiply", [a, b], |run, [a, b]| run.multiply(a, b))?;
        Ok(Value::new(product, a.is_real && b.is_real))
    }

    /// `a²`, relinearized.
    ///
    /// # Errors
    /// As [`AutoBootstrap::multiply`].
    pub fn square(&self, a: &Value) -> Result<Value, Error> {
        self.apply("square", [a], |run, [a]| run.square(a)).map(|square| Value::new(square, a.is_real))
    }

    /// `c·a`.
    ///
    /// # Errors
    /// NaN or infinity, a number too large for the level; a cancellation.
    pub fn multiply_scalar(&self, a: &Value, c: Complex64) -> Result<Value, Error> {
        let product = self.apply("multiply", [a], |run, [a]| a.try_map(|unit| run.ctx().multiply_scalar(unit, c)))?;
        Ok(Value::new(product, a.is_real && c.im == 0.0))
    }

    /// `a` times an array, of up to `slot_count` values for each unit.
    ///
    /// # Errors
    /// NaN or infinity, more values than slots; a cancellation.
    pub fn multiply_array(&self, a: &Value, values: &[Complex64]) -> Result<Value, Error> {
        let product = self.apply("multiply", [a], |run, [a]| {
            a.try_zip("multiply", &run.ctx().per_unit(values), |a, values| run.ctx().multiply_array(a, values))
        })?;
        Ok(Value::new(product, a.is_real && values.iter().all(|z| z.im == 0.0)))
    }

    /// The complex conjugate of every slot.
    ///
    /// # Errors
    /// A key of another secret.
    pub fn conjugate(&self, a: &Value) -> Result<Value, Error> {
        self.apply("conjugate", [a], |run, [a]| run.conjugate(a)).map(|out| Value::new(out, a.is_real))
    }

    /// Slots moved right by `delta`, cyclically.
    ///
    /// # Errors
    /// A rotation that there is no key for.
    pub fn rotate<'k>(&self, a: &Value, rotations: impl Into<Rotations<'k>>, delta: i64) -> Result<Value, Error> {
        let rotations = rotations.into();
        let moved = self.apply("rotate", [a], |run, [a]| run.rotate(a, rotations, delta))?;
        Ok(Value::new(moved, a.is_real))
    }

    /// `Σ coefficients[k]·B_k(a)`, for a degree of any size: as [`Circuits::evaluate_polynomial`], but that what a
    /// polynomial within a bootstrap's levels is evaluated on is remembered.
    ///
    /// # Errors
    /// As [`Circuits::evaluate_polynomial`].
    pub fn evaluate_polynomial(&self, a: &Value, basis: Basis, coefficients: &[f64]) -> Result<Value, Error> {
        let needed = polynomial_depth(coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0));
        let imaginary = if a.is_real { Imaginary::Noise } else { Imaginary::Message };
        if a.level() < needed && needed <= self.circuits.level_out() {
            self.refresh("evaluate_polynomial", &[a], needed)?;
        }
        self.circuits
            .evaluate_polynomial(a.ciphertext(), imaginary, basis, coefficients, self.progress)
            .map(|value| Value::new(value, a.is_real))
    }

    /// An operation on the highest that is known of its operands; once more after a bootstrap where levels lacked.
    fn apply<const N: usize>(
        &self,
        op: &'static str,
        operands: [&Value; N],
        operation: impl Fn(&Run, [&Units<Ciphertext>; N]) -> Result<Units<Ciphertext>, Error>,
    ) -> Result<Units<Ciphertext>, Error> {
        let run = self.circuits.run(op, 1, self.progress);
        match operation(&run, operands.map(Value::ciphertext)) {
            Err(Error::LevelExhausted { needed, .. }) => self.refresh(op, &operands, needed)?,
            result => return result,
        }
        operation(&run, operands.map(Value::ciphertext))
    }

    fn refresh(&self, op: &'static str, operands: &[&Value], needed: usize) -> Result<(), Error> {
        let mut distinct: Vec<&Value> = Vec::new();
        for operand in operands {
            if !distinct.iter().any(|known| std::ptr::eq(*known, *operand)) {
                distinct.push(operand);
            }
        }
        let level_out = self.circuits.level_out();
        if needed > level_out {
            let (stage_count, level) = (self.circuits.keys().bootstrap.stage_count(), operands[0].level());
            return Err(Error::BeyondBootstrap { op, needed, level, level_out, stage_count });
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let shapes: Vec<Shape> = distinct.iter().map(|value| value.shape()).collect();
        let groups = due(&shapes, needed, level_out);
        let run = self.circuits.run(op, groups.len(), self.progress);
        for group in groups {
            let operands: Vec<&Value> = group.iter().map(|&at| distinct[at]).collect();
            let ready =
                operands.iter().map(|value| run.relinearized(&value.original)).collect::<Result<Vec<_>, _>>()?;
            let fresh = match &ready[..] {
                [a, b] => run.merge_bootstrap(Method::Regular, a, b)?.into(),
                alone => vec![run.bootstrap(Method::Regular, SlotType::Complex, &alone[0])?],
            };
            operands.iter().zip(fresh).for_each(|(value, fresh)| drop(value.fresh.set(fresh)));
        }
        Ok(())
    }
}
