//! Signs, deep polynomials, and who is bootstrapped: circuits of the core, each with its count of bootstraps.

use everlevel_ckks as ckks;
use everlevel_ckks::Basis;
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::argmax::{Place, PlaceKeys};
use everlevel_ckks::circuits::deep::{Imaginary, Split};
use everlevel_ckks::circuits::refresh::{self, Shape};
use everlevel_ckks::circuits::sign::{self as signs, SignPlan, SignPrecision};
use pyo3::prelude::*;

use crate::call::{Report, basis, run, run_reporting};
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

fn circuits<'a>(context: &'a Context, keys: ckks::BootstrapKeys<'a>) -> PyResult<Circuits<'a>> {
    context.bootstrapper("bootstrap").map(|bootstrapper| Circuits::new(bootstrapper, keys)).map_err(to_py)
}

/// A plan's rounds, its factor and its error.
#[pyfunction]
pub fn plan_sign(precision: Precision, levels: usize, next_levels: usize) -> PyResult<(Vec<Vec<Step>>, f64, f64)> {
    let plan = run(|| SignPlan::new("sign", precision.into(), levels, next_levels))?;
    let step = |step: &signs::Step| (step.coefficients.clone(), step.basis == Basis::Chebyshev);
    let rounds = plan.rounds.iter().map(|steps| steps.iter().map(step).collect());
    Ok((rounds.collect(), plan.factor, plan.error))
}

/// Signs, and the bootstraps that they took.
#[pyfunction]
pub fn sign(
    context: &Context,
    ciphertext: &Ciphertext,
    keys: Keys<'_>,
    precision: Precision,
    report: Report,
) -> PyResult<(Ciphertext, usize)> {
    let circuits = circuits(context, bootstrap_keys(&keys))?;
    let signs = run_reporting(report, |p| circuits.sign(&ciphertext.0, precision.into(), p))?;
    Ok((Ciphertext(signs), circuits.bootstrap_count()))
}

/// Ciphertexts bootstrapped where a sign from their levels would take more rounds than from the highest; none where it
/// wouldn't.
#[pyfunction]
pub fn raised_for_sign(
    context: &Context,
    ciphertexts: Vec<PyRef<'_, Ciphertext>>,
    keys: Keys<'_>,
    precision: Precision,
    report: Report,
) -> PyResult<Option<Vec<Ciphertext>>> {
    let circuits = circuits(context, bootstrap_keys(&keys))?;
    let operands: Vec<&ckks::Units<ckks::Ciphertext>> = ciphertexts.iter().map(|ct| &ct.0).collect();
    let fresh = run_reporting(report, |p| circuits.raised_for_sign(&operands, precision.into(), p))?;
    Ok(fresh.map(|all| all.into_iter().map(Ciphertext).collect()))
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
    let places = run_reporting(report, |p| match largest {
        true => circuits.argmax_of_slots(x, keys, count, place, precision, p),
        false => circuits.argmin_of_slots(x, keys, count, place, precision, p),
    })?;
    Ok((Ciphertext(places), circuits.bootstrap_count()))
}

/// The split of the fewest bootstraps: the levels of its pieces, and those that put them together.
#[pyfunction]
pub fn split_polynomial(depth: usize, level: usize, level_out: usize, makes_real: bool) -> Option<(usize, usize)> {
    Split::plan(depth, level, level_out, makes_real).map(|split| (split.inner, split.outer))
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
