//! Integers of many digits over bulk's vectors of integers: the circuits of `everlevel-binfhe`, whose blocks the façade
//! computes with, since it knows what these may hold and how much they err.

use everlevel_binfhe::{Arithmetic, Block, Blocks, BoolArray, Error, Extreme, Table, UintArray, Width};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::error;
use crate::integers::{
    GATES, binary, compare, named, of_sign, reduce, shift, signed_binary, signed_compare, signed_reduce, signed_shift,
};

/// An exception of the façade, or of a circuit.
struct Raised(PyErr);

impl From<Error> for Raised {
    fn from(error: Error) -> Self {
        Self(error::to_py(error))
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<Raised> for PyErr {
    fn from(Raised(error): Raised) -> Self {
        error
    }
}

/// A vector of digits: what the façade holds, which is an integer where it is in the clear and the same everywhere; the
/// largest value that is held, and its error; and how much more is held than meant, where that may be below zero.
#[derive(Debug, Clone)]
struct Vector<'py> {
    held: Bound<'py, PyAny>,
    max_value: u64,
    error: f64,
    below: u64,
}

/// Vectors of a reduction that are combined in one round: as many as there are.
const ROWS: usize = 1 << 16;

/// A vector as the façade passes it.
type Passed<'py> = (Bound<'py, PyAny>, u64, f64);

impl<'py> Vector<'py> {
    fn new((held, max_value, error): Passed<'py>, below: u64) -> Self {
        Self { held, max_value, error, below }
    }

    fn passed(self) -> Passed<'py> {
        (self.held, self.max_value, self.error)
    }
}

impl Block for Vector<'_> {
    fn max_value(&self) -> u64 {
        self.max_value
    }

    fn at_most(self, max_value: u64) -> Self {
        Self { max_value: self.max_value.min(max_value), ..self }
    }
}

/// Constants of a set and of an operation: attributes of the façade's object, whose methods compute.
#[derive(Debug, FromPyObject)]
struct Settings {
    space_bits: u32,
    /// Ciphertexts of a vector.
    unit_count: usize,
    /// Time of a look-up of two ciphertexts, and of one.
    times: [f64; 2],
    /// Error of a fresh digit.
    fresh_error: f64,
    /// Largest error of an input that digits are as good as fresh after.
    max_error: f64,
}

/// Operations of the façade on vectors.
#[derive(Debug)]
struct Vectors<'py> {
    object: Bound<'py, PyAny>,
    settings: Settings,
}

impl<'py> Vectors<'py> {
    fn new(object: Bound<'py, PyAny>) -> PyResult<Arithmetic<Self>> {
        let settings = object.extract()?;
        Arithmetic::new(Self { object, settings }).map_err(error::to_py)
    }

    /// `constant + below + Σ factor·x`, for what is meant by each `x`.
    fn sum(&self, terms: &[(i64, &Vector<'py>)], constant: i64, below: u64) -> Result<Vector<'py>, Raised> {
        let held = |(factor, x): &(i64, &Vector<'py>)| (*factor, x.held.clone(), x.max_value);
        let more: i64 = terms.iter().map(|(factor, x)| factor * x.below as i64).sum();
        let constant = constant + below as i64 - more;
        let passed = (terms.iter().map(held).collect::<Vec<_>>(), constant);
        Ok(Vector::new(self.object.call_method1("linear", passed)?.extract()?, below))
    }
}

impl<'py> Blocks for Vectors<'py> {
    type Block = Vector<'py>;
    type Error = Raised;

    const HAS_PRODUCTS: bool = true;

    fn space_bits(&self) -> u32 {
        self.settings.space_bits
    }

    fn check(&self, _: &'static str, _: &'static str, _: &Vector<'py>) -> Result<(), Raised> {
        // The façade's operands are of one secret.
        Ok(())
    }

    fn plain(&self, value: u64) -> Vector<'py> {
        let Ok(held) = value.into_pyobject(self.object.py());
        Vector::new((held.into_any(), value, 0.0), 0)
    }

    fn public(&self, block: &Vector<'py>) -> Option<u64> {
        let held = block.held.is_exact_instance_of::<PyInt>().then(|| block.held.extract::<u64>().ok()).flatten();
        held.filter(|_| block.below == 0)
    }

    fn linear(&self, terms: &[(i64, &Vector<'py>)], constant: i64) -> Result<Vector<'py>, Raised> {
        self.sum(terms, constant, 0)
    }

    fn signed_sum(&self, terms: &[(i64, &Vector<'py>)], constant: i64) -> Result<Vector<'py>, Raised> {
        let least = |(factor, x): &(i64, &Vector<'py>)| {
            let (low, high) = (-(x.below as i64), x.max_value as i64 - x.below as i64);
            factor * if *factor < 0 { high } else { low }
        };
        let least = constant + terms.iter().map(least).sum::<i64>();
        self.sum(terms, constant, least.min(0).unsigned_abs())
    }

    fn max_signed(&self) -> u64 {
        (1 << (self.settings.space_bits - 1)) - 1
    }

    fn look_up(&self, _: &'static str, jobs: &[(Vector<'py>, &Table)]) -> Result<Vec<Vector<'py>>, Raised> {
        // Each input with its tables, and what is held of each outcome's more than meant.
        let mut inputs: Vec<(Bound<'py, PyAny>, u64, Vec<Vec<i64>>)> = Vec::new();
        let mut below = Vec::with_capacity(jobs.len());
        for (i, (x, table)) in jobs.iter().enumerate() {
            let entries = (0..=x.max_value).map(|held| table.outcome(held as i64 - x.below as i64));
            let mut entries: Vec<i64> = entries.collect();
            let least = entries.iter().copied().min().unwrap_or(0).min(0);
            entries.iter_mut().for_each(|entry| *entry -= least);
            below.push(least.unsigned_abs());
            let is_last = |last: &Vector<'py>| last.held.is(&x.held) && last.max_value == x.max_value;
            match inputs.last_mut() {
                Some((_, _, tables)) if i > 0 && is_last(&jobs[i - 1].0) => tables.push(entries),
                _ => inputs.push((x.held.clone(), x.max_value, vec![entries])),
            }
        }
        let found: Vec<Passed<'py>> = self.object.call_method1("look_up", (inputs,))?.extract()?;
        if found.len() != jobs.len() {
            return Err(PyTypeError::new_err("an outcome for each table is needed").into());
        }
        Ok(found.into_iter().zip(below).map(|(found, below)| Vector::new(found, below)).collect())
    }

    fn takes(&self, terms: &[&Vector<'py>], fresh: u32) -> bool {
        let errors: f64 = terms.iter().map(|term| term.error).sum();
        errors + f64::from(fresh) * self.settings.fresh_error <= self.settings.max_error
    }

    fn is_settled(&self, block: &Vector<'py>, factor: u64) -> bool {
        let fresh = self.settings.fresh_error;
        block.error <= fresh || factor as f64 * block.error + fresh <= self.settings.max_error
    }

    fn choose(&self, _: &'static str, bit: &Vector<'py>, options: [&Vector<'py>; 2]) -> Result<Vector<'py>, Raised> {
        let [bit, a, b] = [bit, options[0], options[1]].map(|x| (x.held.clone(), x.max_value));
        Ok(Vector::new(self.object.call_method1("choose", (bit, a, b))?.extract()?, 0))
    }

    fn mirrored(&self, _: &Vector<'py>, _: &[&Vector<'py>]) -> Result<Vector<'py>, Raised> {
        unreachable!("products choose")
    }

    fn slice_len(&self) -> usize {
        ROWS
    }

    fn round_time(&self, jobs: usize) -> f64 {
        let (units, [pair, single]) = (jobs * self.settings.unit_count, self.settings.times);
        (units / 2) as f64 * pair + (units % 2) as f64 * single
    }

    fn chain_len(&self, per: usize) -> usize {
        // Two chains at once, where a digit has no pairs of its own.
        if self.settings.unit_count % 2 == 1 { per.div_ceil(2) } else { per }
    }
}

type Integers<'py> = Arithmetic<Vectors<'py>>;
type Uints<'py> = UintArray<Vector<'py>>;
type Bools<'py> = BoolArray<Vector<'py>>;

type Binary = for<'py> fn(&Integers<'py>, &Uints<'py>, &Uints<'py>) -> Result<Uints<'py>, Raised>;
type Compare = for<'py> fn(&Integers<'py>, &Uints<'py>, &Uints<'py>) -> Result<Bools<'py>, Raised>;
type Shift = for<'py> fn(&Integers<'py>, &Uints<'py>, u32) -> Result<Uints<'py>, Raised>;
type Reduce = for<'py> fn(&Integers<'py>, &Uints<'py>, usize) -> Result<Uints<'py>, Raised>;

const BINARY: &[(&str, Binary)] = binary!();
const COMPARE: &[(&str, Compare)] = compare!();
const SHIFT: &[(&str, Shift)] = shift! {
    ("widen", |int, a, width| int.with_width(a, Width::from_bits(width)?)),
};
const REDUCE: &[(&str, Reduce)] = reduce!();

const SIGNED_BINARY: &[(&str, Binary)] = signed_binary!();
const SIGNED_COMPARE: &[(&str, Compare)] = signed_compare!();
const SIGNED_SHIFT: &[(&str, Shift)] = signed_shift! {
    ("widen", |int, a, width| int.signed().with_width(a, Width::from_bits(width)?)),
};
const SIGNED_REDUCE: &[(&str, Reduce)] = signed_reduce!();

fn uints<'py>(int: &Integers<'py>, digits: Vec<Passed<'py>>) -> Result<Uints<'py>, Raised> {
    let width = digits.len() as u32 * int.block_bits();
    let digits = digits.into_iter().map(|digit| Vector::new(digit, 0)).collect();
    int.uints_from_blocks(Width::from_bits(width)?, digits)
}

fn bools<'py>(int: &Integers<'py>, values: Passed<'py>) -> Result<Bools<'py>, Raised> {
    int.bools_from_blocks(vec![Vector::new(values, 0)])
}

fn passed<'py>(blocks: &[Vector<'py>]) -> Vec<Passed<'py>> {
    blocks.iter().cloned().map(Vector::passed).collect()
}

/// An operation of a kind on vectors of integers, each of which is its digits, with a public amount where it takes one.
/// Each result is its digits, or the one vector of truth values.
#[pyfunction]
pub fn bulk_integers<'py>(
    vectors: Bound<'py, PyAny>,
    of: (String, String, bool),
    operands: Vec<Vec<Passed<'py>>>,
    amount: u32,
) -> PyResult<Vec<Vec<Passed<'py>>>> {
    let (int, (kind, name, signed)) = (Vectors::new(vectors)?, (&of.0[..], &of.1[..], of.2));
    let operands = operands.into_iter().map(|digits| uints(&int, digits)).collect::<Result<Vec<_>, _>>()?;
    let of_uints = |found: Uints<'py>| vec![passed(found.blocks())];
    let found = match (kind, &operands[..]) {
        ("binary", [a, b]) => of_uints(of_sign(signed, SIGNED_BINARY, BINARY, name)?(&int, a, b)?),
        ("shift", [a]) => of_uints(of_sign(signed, SIGNED_SHIFT, SHIFT, name)?(&int, a, amount)?),
        ("compare", [a, b]) => vec![passed(of_sign(signed, SIGNED_COMPARE, COMPARE, name)?(&int, a, b)?.blocks())],
        ("divide", [a, b]) => {
            let (quotients, rests) = if signed { int.signed().div_rem(a, b) } else { int.div_rem(a, b) }?;
            vec![passed(quotients.blocks()), passed(rests.blocks())]
        }
        ("reduce", [first, ..]) => {
            let rows = operands.iter().flat_map(|row| row.blocks().iter().cloned()).collect();
            let rows = int.uints_from_blocks(first.width(), rows)?;
            of_uints(of_sign(signed, SIGNED_REDUCE, REDUCE, name)?(&int, &rows, operands.len())?)
        }
        _ => return Err(PyKeyError::new_err(format!("{kind} of {} operands", operands.len()))),
    };
    Ok(found)
}

/// One of two vectors of integers by truth values.
#[pyfunction]
pub fn bulk_select<'py>(
    vectors: Bound<'py, PyAny>,
    condition: Passed<'py>,
    a: Vec<Passed<'py>>,
    b: Vec<Passed<'py>>,
) -> PyResult<Vec<Passed<'py>>> {
    let int = Vectors::new(vectors)?;
    let chosen = int.select(&bools(&int, condition)?, &uints(&int, a)?, &uints(&int, b)?);
    Ok(passed(chosen?.blocks()))
}

/// A gate of two vectors of truth values.
#[pyfunction]
pub fn bulk_gate<'py>(
    vectors: Bound<'py, PyAny>,
    name: &str,
    a: Passed<'py>,
    b: Passed<'py>,
) -> PyResult<Vec<Passed<'py>>> {
    let int = Vectors::new(vectors)?;
    Ok(passed(int.combine_bools(&bools(&int, a)?, &bools(&int, b)?, named(&GATES, name)?)?.blocks()))
}

/// The negation of a vector of truth values.
#[pyfunction]
pub fn bulk_invert<'py>(vectors: Bound<'py, PyAny>, a: Passed<'py>) -> PyResult<Vec<Passed<'py>>> {
    let int = Vectors::new(vectors)?;
    Ok(passed(int.not_bools(&bools(&int, a)?)?.blocks()))
}
