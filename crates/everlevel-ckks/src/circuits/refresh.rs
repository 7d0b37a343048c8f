//! Bootstraps of an evaluator's own accord.
//!
//! An operation that lacks levels is refused before any work, with the level that it needs. [`AutoBootstrap`]
//! bootstraps the operands that are too low, and calls the operation again. There is nothing else to know of an
//! operation.
//!
//! A bootstrapped operand is remembered beside the original, in its [`Value`]: an operand that is used again is not
//! bootstrapped again. Sums and rotations, which need no levels, take [`Value`]s for that reason alone.

use std::sync::{Mutex, OnceLock, PoisonError};

use everlevel_rlwe::SecretId;
use num_complex::Complex64;

use super::deep::Imaginary;
use super::evaluator::{Circuits, Rotations, Run};
use crate::circuits::polynomial::{Basis, polynomial_depth};
use crate::{Ciphertext, Error, Method, Progress, SlotType, Units, no_progress};

/// The properties of an operand that decide whether and with which other one it is bootstrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Its level.
    pub level: usize,
    /// Whether its imaginary parts are noise.
    pub is_real: bool,
    /// Ciphertexts in it.
    pub unit_count: usize,
    /// Its secret.
    pub secret_id: SecretId,
    /// Whether it was bootstrapped before.
    pub is_remembered: bool,
}

/// Which operands of an operation that needs a level are bootstrapped, two real ones together: those below the level,
/// and those of the others that gain by it. Of two real ciphertexts in one bootstrap, the second is free; an operand
/// that is low is due soon, and is due once.
pub fn due(operands: &[Shape], needed: usize, level_out: usize) -> Vec<Vec<usize>> {
    let (low, others): (Vec<usize>, Vec<usize>) = (0..operands.len()).partition(|&at| operands[at].level < needed);
    let mut low: Vec<usize> = low.into_iter().filter(|&at| !operands[at].is_remembered).collect();
    match low[..] {
        [] => {}
        [one] if operands[one].is_real => {
            let fits = |other: &Shape| other.is_real && other.unit_count == operands[one].unit_count;
            low.extend(others.into_iter().find(|&at| fits(&operands[at]) && operands[at].level < level_out));
        }
        _ => low.extend(others.into_iter().filter(|&at| 2 * operands[at].level < level_out)),
    }
    pairs(operands, &low)
}

/// Real operands of one secret and as many units two by two, in their order; the others alone, before them.
fn pairs(operands: &[Shape], which: &[usize]) -> Vec<Vec<usize>> {
    let (real, complex): (Vec<usize>, Vec<usize>) = which.iter().partition(|&&at| operands[at].is_real);
    let mut groups: Vec<Vec<usize>> = complex.into_iter().map(|at| vec![at]).collect();
    let kind = |at: usize| (operands[at].secret_id, operands[at].unit_count);
    let mut rest = real;
    while let Some(&first) = rest.first() {
        let (alike, others): (Vec<usize>, Vec<usize>) = rest.iter().partition(|&&at| kind(at) == kind(first));
        groups.extend(alike.chunks(2).map(<[usize]>::to_vec));
        rest = others;
    }
    groups
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(level: usize, is_real: bool) -> Shape {
        Shape { level, is_real, unit_count: 1, secret_id: SecretId(7), is_remembered: false }
    }

    #[test]
    fn a_real_operand_takes_the_next_one_along() {
        assert_eq!(due(&[shape(0, true), shape(9, true)], 1, 10), [vec![0, 1]]);
        assert_eq!(due(&[shape(0, true), shape(10, true)], 1, 10), [vec![0]]);
        assert_eq!(due(&[shape(0, true), shape(9, false)], 1, 10), [vec![0]]);
        assert_eq!(due(&[shape(0, true), Shape { unit_count: 2, ..shape(3, true) }], 1, 10), [vec![0]]);
    }

    #[test]
    fn others_go_along_if_they_gain_more_than_they_have() {
        assert_eq!(due(&[shape(0, false), shape(4, false)], 1, 10), [vec![0], vec![1]]);
        assert_eq!(due(&[shape(0, false), shape(5, false)], 1, 10), [vec![0]]);
        assert_eq!(due(&[shape(0, true), shape(0, true), shape(2, true)], 1, 10), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn what_is_remembered_is_not_due_again() {
        let remembered = Shape { is_remembered: true, ..shape(0, true) };
        assert!(due(&[remembered], 1, 10).is_empty());
        assert_eq!(due(&[remembered, shape(0, true)], 1, 10), [vec![1]]);
    }

    #[test]
    fn pairs_are_of_one_secret() {
        let other = Shape { secret_id: SecretId(8), ..shape(0, true) };
        let all = [shape(0, true), other, shape(0, false), shape(0, true), other];
        assert_eq!(pairs(&all, &[0, 1, 2, 3, 4]), [vec![2], vec![0, 3], vec![1, 4]]);
    }
}
