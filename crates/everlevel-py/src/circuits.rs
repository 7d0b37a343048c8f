//! Signs, extrema, deep polynomials and automatic bootstraps: circuits of the core, each with its count of bootstraps.

use everlevel_ckks as ckks;
use everlevel_ckks::Basis;
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::argmax::{Place, PlaceKeys};
use everlevel_ckks::circuits::deep::{Imaginary, Split};
use everlevel_ckks::circuits::extrema::Extremum;
use everlevel_ckks::circuits::refresh::RefreshOperand;
use everlevel_ckks::circuits::sign::{self as signs, SignPlan, SignPrecision};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::call::{Report, basis, run, run_reporting};
use crate::context::{Context, Keys, bootstrap_keys};
use crate::error::{Of, to_py};
use crate::objects::{
    Ciphertext, MatrixMultiplicationKey, Plaintext, RelinearizationKey, RotationKey, Rotations, fixed_keys,
};

/// A step's coefficients, and whether they are of a Chebyshev series.
type Step = (Vec<f64>, bool);

/// Gap, error and bound.
#[derive(FromPyObject)]
pub struct Precision(f64, f64, f64);

impl From<Precision> for SignPrecision {
    fn from(Precision(gap, error, bound): Precision) -> Self {
        Self { gap, error, bound }
    }
}

fn circuits<'a>(context: &'a Context, keys: ckks::BootstrapKeys<'a>) -> PyResult<Circuits<'a>> {
    context.bootstrapper("bootstrap").map(|bootstrapper| Circuits::new(bootstrapper, keys)).map_err(to_py)
}

/// A plan's rounds, its factor and its error.
#[pyfunction]
pub fn plan_sign(precision: Precision, levels: usize, next_levels: usize) -> PyResult<(Vec<Vec<Step>>, f64, f64)> {
    let plan = run(|| SignPlan::new("plan_sign", precision.into(), levels, next_levels))?;
    let step = |step: &signs::Step| (step.coefficients.clone(), step.basis == Basis::Chebyshev);
    let rounds = plan.rounds.iter().map(|steps| steps.iter().map(step).collect());
    Ok((rounds.collect(), plan.factor, plan.error))
}

/// A circuit of one vector, `sign`, `relu` or `abs`, and the bootstraps that it took.
#[pyfunction]
pub fn of_sign(
    context: &Context,
    operation: &str,
    x: &Ciphertext,
    keys: Keys<'_>,
    precision: Precision,
    report: Report,
) -> PyResult<(Ciphertext, usize)> {
    let (circuits, x, precision) = (circuits(context, bootstrap_keys(&keys))?, &x.0, precision.into());
    let result = run_reporting(report, |p| match operation {
        "relu" => circuits.relu(x, precision, p),
        "abs" => circuits.abs(x, precision, p),
        _ => circuits.sign(x, precision, p),
    })?;
    Ok((Ciphertext(result), circuits.bootstrap_count()))
}

/// Real values that a ciphertext is compared with.
#[derive(FromPyObject)]
pub enum Operand<'py> {
    Ciphertext(PyRef<'py, Ciphertext>),
    Plaintext(PyRef<'py, Plaintext>),
    /// Before numbers, one of which an array of one value could be taken for.
    Values(PyReadonlyArray1<'py, f64>),
    Number(f64),
}

/// A circuit of two vectors, `maximum`, `minimum`, `compare` or `compare_less`, and the bootstraps that it took.
#[pyfunction]
pub fn of_difference(
    context: &Context,
    operation: &str,
    operands: (PyRef<'_, Ciphertext>, Operand<'_>),
    keys: Keys<'_>,
    precision: Precision,
    report: Report,
) -> PyResult<(Ciphertext, usize)> {
    let (circuits, left, precision) = (circuits(context, bootstrap_keys(&keys))?, &operands.0.0, precision.into());
    let right = match &operands.1 {
        Operand::Ciphertext(ciphertext) => ckks::circuits::Operand::Ciphertext(&ciphertext.0),
        Operand::Plaintext(plaintext) => ckks::circuits::Operand::Plaintext(&plaintext.0),
        Operand::Number(number) => ckks::circuits::Operand::Number(*number),
        Operand::Values(values) => ckks::circuits::Operand::Values(values.as_slice()?),
    };
    let result = run_reporting(report, |p| match operation {
        "maximum" => circuits.extremum(Extremum::Max, left, right, precision, p),
        "minimum" => circuits.extremum(Extremum::Min, left, right, precision, p),
        "compare_less" => circuits.compare_less(left, right, precision, p),
        _ => circuits.compare(left, right, precision, p),
    })?;
    Ok((Ciphertext(result), circuits.bootstrap_count()))
}

fn which(largest: bool) -> Extremum {
    if largest { Extremum::Max } else { Extremum::Min }
}

/// The largest or the smallest of the first slots, and the bootstraps.
#[pyfunction]
pub fn extremum_of_slots(
    context: &Context,
    x: &Ciphertext,
    keys: (Keys<'_>, Rotations<'_>),
    search: (usize, bool),
    precision: Precision,
    report: Report,
) -> PyResult<(Ciphertext, usize)> {
    let fixed = fixed_keys(&keys.1);
    let rotations = ckks::circuits::Rotations { any: keys.1.0.as_ref().map(|key| &key.0), fixed: &fixed };
    let (circuits, x, precision) = (circuits(context, bootstrap_keys(&keys.0))?, &x.0, precision.into());
    let (count, which) = (search.0, which(search.1));
    let extremum = run_reporting(report, |p| circuits.extremum_of_slots(which, x, rotations, count, precision, p))?;
    Ok((Ciphertext(extremum), circuits.bootstrap_count()))
}

/// Places of extrema: the largest ones or the smallest, an index or a vector of one 1; and the bootstraps.
#[pyfunction]
pub fn argument_of_slots(
    context: &Context,
    ciphertext: &Ciphertext,
    keys: (Keys<'_>, PyRef<'_, RotationKey>, Option<PyRef<'_, MatrixMultiplicationKey>>),
    search: (usize, bool, bool),
    precision: Precision,
    report: Report,
) -> PyResult<(Ciphertext, usize)> {
    let circuits = circuits(context, bootstrap_keys(&keys.0))?;
    let matrices = keys.2.as_deref().map(|key| &key.0);
    let keys = PlaceKeys { rotation: &keys.1.0, matrices };
    let ((count, largest, one_hot), x, precision) = (search, &ciphertext.0, precision.into());
    let place = if one_hot { Place::OneHot } else { Place::Index };
    let (search, which) = ((count, place), which(largest));
    let places = run_reporting(report, |p| circuits.argument_of_slots(which, x, keys, search, precision, p))?;
    Ok((Ciphertext(places), circuits.bootstrap_count()))
}

/// The split of the fewest bootstraps: the levels of its pieces, and those that put them together.
#[pyfunction]
pub fn split_polynomial(depth: usize, level: usize, level_out: usize, makes_real: bool) -> Option<(usize, usize)> {
    Split::plan(depth, level, level_out, makes_real).map(|split| (split.inner, split.outer))
}

/// Relinearizations, products, multiples and rescalings of a Chebyshev series, at each level from its argument's down.
#[pyfunction]
pub fn polynomial_steps(coefficients: Vec<f64>) -> Vec<(usize, usize, usize, usize)> {
    let of_level = |steps: ckks::PolynomialSteps| (steps.switches, steps.products, steps.multiples, steps.rescalings);
    ckks::polynomial_steps(&coefficients).into_iter().map(of_level).collect()
}

/// The role of a ciphertext's imaginary parts.
fn imaginary(name: &str) -> Imaginary {
    match name {
        "message" => Imaginary::Message,
        "noise" => Imaginary::Noise,
        _ => Imaginary::Zero,
    }
}

/// Whether a series is one of Chebyshev polynomials, and its coefficients, of several polynomials.
type Polynomials = (bool, Vec<Vec<f64>>);

/// Real polynomials of any depth, and the bootstraps that they took. `x` is a ciphertext and its imaginary parts.
#[pyfunction]
pub fn deep_polynomials(
    context: &Context,
    x: (PyRef<'_, Ciphertext>, String),
    polynomials: Polynomials,
    keys: (PyRef<'_, RelinearizationKey>, Keys<'_>),
    report: Report,
) -> PyResult<(Vec<Ciphertext>, usize)> {
    let keys = ckks::BootstrapKeys { relinearization: &keys.0.0, ..bootstrap_keys(&keys.1) };
    let (circuits, ciphertext) = (circuits(context, keys)?, &x.0.0);
    let (imaginary, basis) = (imaginary(&x.1), basis(polynomials.0));
    let all: Vec<&[f64]> = polynomials.1.iter().map(Vec::as_slice).collect();
    let values = run_reporting(report, |p| circuits.evaluate_polynomials(ciphertext, imaginary, basis, &all, p))?;
    Ok((values.into_iter().map(Ciphertext).collect(), circuits.bootstrap_count()))
}

/// A ciphertext, whether it is real, and whether it was bootstrapped before.
type Known<'py> = (PyRef<'py, Ciphertext>, bool, bool);

/// Operands bootstrapped for an operation that needs a level, by their places, and the bootstraps that they took.
#[pyfunction]
pub fn refresh(
    context: &Context,
    operation: &str,
    operands: Vec<Known<'_>>,
    needed: usize,
    keys: Keys<'_>,
    report: Report,
) -> PyResult<(Vec<(usize, Ciphertext)>, usize)> {
    let circuits = circuits(context, bootstrap_keys(&keys))?;
    let operands: Vec<RefreshOperand> = operands
        .iter()
        .map(|(ciphertext, is_real, is_remembered)| RefreshOperand {
            ciphertext: &ciphertext.0,
            is_real: *is_real,
            is_remembered: *is_remembered,
        })
        .collect();
    let named = |error| match error {
        ckks::Error::BeyondBootstrap { .. } => Of(operation, error),
        error => Of("bootstrap", error),
    };
    let fresh = run_reporting(report, |p| circuits.refresh("refresh", &operands, needed, p).map_err(named))?;
    let fresh = fresh.into_iter().map(|(place, ciphertext)| (place, Ciphertext(ciphertext)));
    Ok((fresh.collect(), circuits.bootstrap_count()))
}
