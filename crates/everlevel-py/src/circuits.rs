//! Signs, deep polynomials, and who is bootstrapped: circuits of the core, each with its count of bootstraps.

use everlevel_ckks as ckks;
use everlevel_ckks::Basis;
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::argmax::{Place, PlaceKeys};
use everlevel_ckks::circuits::deep::{self, First, Imaginary, Split};
use everlevel_ckks::circuits::refresh::{self, Shape};
use everlevel_ckks::circuits::sign::{self as signs, SignPlan, SignPrecision};
use pyo3::prelude::*;

use crate::call::{Report, run, run_reporting};
use crate::context::{Context, Keys, bootstrap_keys};
use crate::error::to_py;
use crate::objects::{Ciphertext, MatrixMultiplicationKey, RelinearizationKey, RotationKey};

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

fn basis(is_chebyshev: bool) -> Basis {
    if is_chebyshev { Basis::Chebyshev } else { Basis::Power }
}

fn circuits<'a>(context: &'a Context, keys: ckks::BootstrapKeys<'a>) -> PyResult<Circuits<'a>> {
    context.bootstrapper("bootstrap").map(|bootstrapper| Circuits::new(bootstrapper, keys)).map_err(to_py)
}

/// Coefficients of the odd polynomial that is nearest to 1 on `[gap, 1]`, and its distance.
#[pyfunction]
pub fn minimax(gap: f64, depth: usize) -> (Vec<f64>, f64) {
    let signs::Minimax { coefficients, distance } = signs::Minimax::new(gap, depth);
    (coefficients, distance)
}

/// The places of the largest errors between changes of sign.
#[pyfunction]
pub fn alternating_extrema(errors: Vec<f64>, count: usize) -> Option<Vec<usize>> {
    signs::alternating_extrema(&errors, count)
}

/// A plan's rounds, its factor and its error.
#[pyfunction]
pub fn plan_sign(
    py: Python<'_>,
    precision: Precision,
    levels: usize,
    next_levels: usize,
) -> PyResult<(Vec<Vec<Step>>, f64, f64)> {
    let plan = run(py, || SignPlan::new("sign", precision.into(), levels, next_levels))?;
    let step = |step: &signs::Step| (step.coefficients.clone(), step.basis == Basis::Chebyshev);
    let rounds = plan.rounds.iter().map(|steps| steps.iter().map(step).collect());
    Ok((rounds.collect(), plan.factor, plan.error))
}

/// Signs, and the bootstraps that they took.
#[pyfunction]
pub fn sign(
    py: Python<'_>,
    context: &Context,
    ciphertext: &Ciphertext,
    keys: Keys<'_>,
    precision: Precision,
    report: Report,
) -> PyResult<(Ciphertext, usize)> {
    let circuits = circuits(context, bootstrap_keys(&keys))?;
    let signs = run_reporting(py, report, |p| circuits.sign(&ciphertext.0, precision.into(), p))?;
    Ok((Ciphertext(signs), circuits.bootstrap_count()))
}

/// Ciphertexts bootstrapped where a sign from their levels would take more rounds than from the highest; none where it
/// wouldn't.
#[pyfunction]
pub fn raised_for_sign(
    py: Python<'_>,
    context: &Context,
    ciphertexts: Vec<PyRef<'_, Ciphertext>>,
    keys: Keys<'_>,
    precision: Precision,
    report: Report,
) -> PyResult<Option<Vec<Ciphertext>>> {
    let circuits = circuits(context, bootstrap_keys(&keys))?;
    let operands: Vec<&ckks::Units<ckks::Ciphertext>> = ciphertexts.iter().map(|ct| &ct.0).collect();
    let fresh = run_reporting(py, report, |p| circuits.raised_for_sign(&operands, precision.into(), p))?;
    Ok(fresh.map(|all| all.into_iter().map(Ciphertext).collect()))
}

/// Places of extrema: the largest ones or the smallest, an index or a vector of one 1; and the bootstraps.
#[pyfunction]
pub fn argument_of_slots(
    py: Python<'_>,
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
    let places = run_reporting(py, report, |p| match largest {
        true => circuits.argmax_of_slots(x, keys, count, place, precision, p),
        false => circuits.argmin_of_slots(x, keys, count, place, precision, p),
    })?;
    Ok((Ciphertext(places), circuits.bootstrap_count()))
}

/// The levels of a split's pieces, those that put them together, and what comes first.
type SplitParts = (usize, usize, &'static str);

/// The split of the fewest bootstraps.
#[pyfunction]
pub fn split_polynomial(depth: usize, level: usize, level_out: usize, makes_real: bool) -> Option<SplitParts> {
    let Split { inner, outer, first } = Split::plan(depth, level, level_out, makes_real)?;
    let first = match first {
        First::Nothing => "nothing",
        First::Conjugation => "conjugation",
        First::Bootstrap => "bootstrap",
    };
    Some((inner, outer, first))
}

/// A polynomial taken apart.
#[pyfunction]
pub fn polynomial_pieces(coefficients: Vec<f64>, inner: usize, outer: usize, is_chebyshev: bool) -> Vec<Vec<f64>> {
    Split { inner, outer, first: First::Nothing }.pieces(basis(is_chebyshev), &coefficients)
}

/// A bound of a polynomial's values.
#[pyfunction]
pub fn polynomial_size(coefficients: Vec<f64>, is_chebyshev: bool) -> f64 {
    deep::size_bound(basis(is_chebyshev), &coefficients)
}

/// The least power of two, from 1 up, that a size divided by is at most 1.
#[pyfunction]
pub fn power_of_two_above(size: f64) -> f64 {
    deep::power_of_two_above(size)
}

/// What the imaginary parts of a ciphertext are.
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
    py: Python<'_>,
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
    let values = run_reporting(py, report, |p| circuits.evaluate_polynomials(ciphertext, imaginary, basis, &all, p))?;
    Ok((values.into_iter().map(Ciphertext).collect(), circuits.bootstrap_count()))
}

/// Level, whether it is real, and whether it was bootstrapped before.
type Operand<'py> = (PyRef<'py, Ciphertext>, bool, bool);

fn shapes(operands: &[Operand<'_>]) -> Vec<Shape> {
    let shape = |(ciphertext, is_real, is_remembered): &Operand<'_>| Shape {
        level: ciphertext.0.first().level(),
        is_real: *is_real,
        unit_count: ciphertext.0.count(),
        secret_id: ciphertext.0.first().secret_id(),
        is_remembered: *is_remembered,
    };
    operands.iter().map(shape).collect()
}

/// Which operands are bootstrapped, in which groups, for an operation that needs a level.
#[pyfunction]
pub fn due_bootstraps(operands: Vec<Operand<'_>>, needed: usize, level_out: usize) -> Vec<Vec<usize>> {
    refresh::due(&shapes(&operands), needed, level_out)
}
