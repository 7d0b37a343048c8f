//! Names of operations on integers of many digits, as the façade has them, for every scheme whose blocks have the
//! circuits.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

/// Operations on two arrays of integers, and further ones.
macro_rules! binary {
    ($($more:tt)*) => {
        &[
            ("add", |int, a, b| int.add(a, b)),
            ("subtract", |int, a, b| int.sub(a, b)),
            ("multiply", |int, a, b| int.mul(a, b)),
            ("floor_divide", |int, a, b| int.div(a, b)),
            ("remainder", |int, a, b| int.rem(a, b)),
            ("and", |int, a, b| int.bitand(a, b)),
            ("or", |int, a, b| int.bitor(a, b)),
            ("xor", |int, a, b| int.bitxor(a, b)),
            ("minimum", |int, a, b| int.min(a, b)),
            ("maximum", |int, a, b| int.max(a, b)),
            ("left_shift", |int, a, b| int.shl_by(a, b)),
            ("right_shift", |int, a, b| int.shr_by(a, b)),
            ("rotate_left", |int, a, b| int.rotate_left_by(a, b)),
            ("rotate_right", |int, a, b| int.rotate_right_by(a, b)),
            $($more)*
        ]
    };
}

/// Comparisons of two arrays of integers.
macro_rules! compare {
    () => {
        &[
            ("equal", |int, a, b| int.eq(a, b)),
            ("not_equal", |int, a, b| int.ne(a, b)),
            ("less", |int, a, b| int.lt(a, b)),
            ("less_equal", |int, a, b| int.le(a, b)),
            ("greater", |int, a, b| int.gt(a, b)),
            ("greater_equal", |int, a, b| int.ge(a, b)),
        ]
    };
}

/// Operations on one array of integers, which may have a public amount, and further ones.
macro_rules! shift {
    ($($more:tt)*) => {
        &[
            ("negate", |int, a, _| int.neg(a)),
            ("invert", |int, a, _| int.not(a)),
            ("left_shift", |int, a, amount| int.shl(a, amount)),
            ("right_shift", |int, a, amount| int.shr(a, amount)),
            ("rotate_left", |int, a, amount| int.rotate_left(a, amount)),
            ("rotate_right", |int, a, amount| int.rotate_right(a, amount)),
            $($more)*
        ]
    };
}

/// Reductions of rows of integers.
macro_rules! reduce {
    () => {
        &[
            ("sum", |int, a, rows| int.sum_rows(a, rows)),
            ("min", |int, a, rows| int.extreme_row(a, rows, Extreme::Min)),
            ("max", |int, a, rows| int.extreme_row(a, rows, Extreme::Max)),
            ("argmin", |int, a, rows| int.place_of_extreme(a, rows, Extreme::Min)),
            ("argmax", |int, a, rows| int.place_of_extreme(a, rows, Extreme::Max)),
        ]
    };
}

/// Operations that take the same arrays as signed integers, beside those above, which are the same for both; and
/// further ones.
macro_rules! signed_binary {
    ($($more:tt)*) => {
        &[
            ("floor_divide", |int, a, b| int.signed().div(a, b)),
            ("remainder", |int, a, b| int.signed().rem(a, b)),
            ("minimum", |int, a, b| int.signed().min(a, b)),
            ("maximum", |int, a, b| int.signed().max(a, b)),
            ("right_shift", |int, a, b| int.signed().shr_by(a, b)),
            $($more)*
        ]
    };
}

/// Comparisons of signed integers.
macro_rules! signed_compare {
    () => {
        &[
            ("less", |int, a, b| int.signed().lt(a, b)),
            ("less_equal", |int, a, b| int.signed().le(a, b)),
            ("greater", |int, a, b| int.signed().gt(a, b)),
            ("greater_equal", |int, a, b| int.signed().ge(a, b)),
        ]
    };
}

/// Operations on one array of signed integers, and further ones.
macro_rules! signed_shift {
    ($($more:tt)*) => {
        &[
            ("absolute", |int, a, _| int.signed().abs(a)),
            ("right_shift", |int, a, amount| int.signed().shr(a, amount)),
            $($more)*
        ]
    };
}

/// Reductions of rows of signed integers.
macro_rules! signed_reduce {
    () => {
        &[
            ("min", |int, a, rows| int.signed().extreme_row(a, rows, Extreme::Min)),
            ("max", |int, a, rows| int.signed().extreme_row(a, rows, Extreme::Max)),
            ("argmin", |int, a, rows| int.signed().place_of_extreme(a, rows, Extreme::Min)),
            ("argmax", |int, a, rows| int.signed().place_of_extreme(a, rows, Extreme::Max)),
        ]
    };
}

pub(crate) use {binary, compare, reduce, shift, signed_binary, signed_compare, signed_reduce, signed_shift};

/// Gate of two truth values.
pub type Gate = fn(bool, bool) -> bool;

pub const GATES: [(&str, Gate); 3] = [("and", |a, b| a & b), ("or", |a, b| a | b), ("xor", |a, b| a ^ b)];

/// The operation of a name, among those of signed integers first where they are such.
pub fn of_sign<F: Copy>(signed: bool, of_signed: &[(&str, F)], of_both: &[(&str, F)], name: &str) -> PyResult<F> {
    if signed { named(of_signed, name).or_else(|_| named(of_both, name)) } else { named(of_both, name) }
}

/// The operation of a name.
pub fn named<F: Copy>(table: &[(&str, F)], name: &str) -> PyResult<F> {
    let found = table.iter().find(|(known, _)| *known == name);
    found.map(|(_, f)| *f).ok_or_else(|| PyKeyError::new_err(name.to_string()))
}
