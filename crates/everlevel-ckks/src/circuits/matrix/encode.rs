//! From matrices to diagonals.

use std::collections::BTreeSet;
use std::ops::Range;

use everlevel_ring::{PackedPoly, Symmetry};
use rayon::prelude::*;

use crate::circuits::matrix::plan::{Plan, most_babies};
use crate::circuits::matrix::scan::{NoNumber, Scan, Side};
use crate::circuits::matrix::{Entries, LightPlainMatrix, PlainMatrix, Shape};
use crate::core::Core;
use crate::encoder::Coefficients;
use crate::keys::{MatrixMultiplicationKey, SecretKey};
use crate::{Context, Error, Progress};

/// Diagonals that are found together.
pub(super) const TOGETHER: usize = 32;

impl Core {
    /// The coefficients of a block's diagonals at consecutive positions: halved, where entries are real.
    pub(crate) fn diagonal_coeffs(
        &self,
        entries: Entries,
        shape: &Shape,
        block: usize,
        positions: Range<usize>,
    ) -> Vec<Coefficients> {
        let all = &shape.plan.diagonals[positions];
        let some = |some: &[i64]| entries.diagonals(shape.layout(), block, some);
        let one = |slots: Vec<_>| match self.coefficients(&slots) {
            coeffs if shape.symmetry == Symmetry::Conjugate => coeffs.halved(),
            coeffs => coeffs,
        };
        all.chunks(TOGETHER).flat_map(some).map(one).collect()
    }
}

/// Each block's diagonals, [`TOGETHER`] at a time.
fn stretches(plan: &Plan) -> Vec<(usize, Range<usize>)> {
    let of_block = |(block, all): (usize, Range<usize>)| {
        all.clone().step_by(TOGETHER).map(move |at| (block, at..all.end.min(at + TOGETHER)))
    };
    plan.blocks().into_iter().enumerate().flat_map(of_block).collect()
}

impl Context {
    /// Checks a matrix and finds its diagonals: those that are asked for, or else those that are not zero.
    pub(crate) fn matrix_shape(
        &self,
        op: &'static str,
        entries: Entries,
        (rows, columns): (usize, usize),
        level: usize,
        diagonals: Option<&[i64]>,
    ) -> Result<Shape, Error> {
        self.check_level(op, level)?;
        let slots = self.slot_count();
        if level == 0 {
            let needed = "at least 1 for a product; choose a higher level".into();
            return Err(Error::Parameter { what: "level of the matrix", found: "0".into(), needed });
        }
        let misshapen = |needed| {
            let found = format!("{rows}×{columns}");
            Error::Parameter { what: "shape of the matrix", found, needed }
        };
        entries.check((rows, columns), slots).map_err(misshapen)?;
        let asked = diagonals.map(|diagonals| Scan::amounts(diagonals, slots));
        if asked.as_ref().is_some_and(BTreeSet::is_empty) {
            let needed = "at least one; leave them out for all that are not zero".into();
            return Err(Error::Parameter { what: "diagonal_indices", found: "none".into(), needed });
        }
        let scan = Scan::new(entries, (rows, columns), (slots, Side::Left), asked.as_ref())
            .map_err(|NoNumber(index)| Error::NotFinite { op, index, value: entries.get(index).to_string() })?;
        let Scan { plan, row_norm, row_sum, mean_size, row_repeats, is_real, .. } = scan;
        self.check_size(op, mean_size, level - 1)?;
        let (slot_count, fingerprint) = (slots, self.core.fingerprint);
        let symmetry = Symmetry::of_slots(is_real);
        Ok(Shape {
            rows,
            columns,
            level,
            plan,
            row_norm,
            row_sum,
            mean_size,
            row_repeats,
            is_real,
            symmetry,
            slot_count,
            fingerprint,
        })
    }

    /// Encodes a matrix without its primes. `diagonals` are differences of column and row, modulo the slots: entries
    /// elsewhere are left out. Without them, every diagonal is taken that is not zero.
    ///
    /// # Errors
    /// No entries, or as many as the dimensions do not say; NaN or infinity, entries too large for the level, level 0.
    pub fn encode_light_matrix(
        &self,
        entries: Entries,
        dimensions: (usize, usize),
        level: usize,
        diagonals: Option<&[i64]>,
    ) -> Result<LightPlainMatrix, Error> {
        let op = "encode_to_light_plain_matrix";
        let shape = self.matrix_shape(op, entries, dimensions, level, diagonals)?;
        let footprint =
            self.core.light_matrix_footprint(shape.plan.diagonals.len(), shape.symmetry, self.thread_count());
        let diagonals = self.install_large(op, footprint, |core| {
            let some = |(block, at)| core.diagonal_coeffs(entries, &shape, block, at);
            let all: Vec<Coefficients> = stretches(&shape.plan).into_par_iter().flat_map(some).collect();
            all.iter().try_for_each(|coeffs| core.check_fits(op, coeffs, level))?;
            Ok(all)
        })?;
        Ok(LightPlainMatrix { shape, diagonals })
    }

    /// Encodes a matrix at a level.
    ///
    /// # Errors
    /// As [`Context::encode_light_matrix`].
    pub fn encode_matrix(
        &self,
        entries: Entries,
        dimensions: (usize, usize),
        level: usize,
        diagonals: Option<&[i64]>,
    ) -> Result<PlainMatrix, Error> {
        let op = "encode_to_plain_matrix";
        let shape = self.matrix_shape(op, entries, dimensions, level, diagonals)?;
        let footprint = self.core.plain_matrix_footprint(shape.plan.diagonals.len(), level, shape.symmetry);
        let diagonals = self.install_large(op, footprint, |core| {
            let some = |(block, at)| core.diagonal_coeffs(entries, &shape, block, at);
            let mut all = stretches(&shape.plan).into_iter().flat_map(some);
            let (set, count) = (&core.ladder.sets[level], shape.plan.diagonals.len());
            PackedPoly::many(&core.ring, set, shape.symmetry, count, |_| {
                let coeffs = all.next().unwrap_or_default();
                Ok::<_, Error>(core.expand(op, &coeffs, level)?.poly)
            })
        })?;
        Ok(PlainMatrix { shape, diagonals })
    }

    /// This matrix for products at another level, lower or higher.
    ///
    /// # Errors
    /// A matrix of other parameters; a level that does not exist, level 0, or one too small for the entries.
    pub fn change_matrix_level(&self, matrix: &LightPlainMatrix, level: usize) -> Result<LightPlainMatrix, Error> {
        let op = "change_level";
        self.check_matrix(op, &matrix.shape)?;
        self.check_level(op, level)?;
        self.check_new_level(op, &matrix.shape, level)?;
        matrix.diagonals.iter().try_for_each(|coeffs| self.core.check_fits(op, coeffs, level))?;
        let shape = Shape { level, ..matrix.shape.clone() };
        Ok(LightPlainMatrix { shape, diagonals: matrix.diagonals.clone() })
    }

    /// This matrix for products at a lower level.
    ///
    /// # Errors
    /// A matrix of other parameters; a level above its own, or level 0.
    pub fn level_down_matrix(&self, matrix: &PlainMatrix, level: usize) -> Result<PlainMatrix, Error> {
        let op = "level_down";
        self.check_matrix(op, &matrix.shape)?;
        if level > matrix.shape.level {
            return Err(Error::LevelOutOfRange { op, level, max_level: matrix.shape.level });
        }
        self.check_new_level(op, &matrix.shape, level)?;
        let (count, symmetry) = (matrix.diagonals.len(), matrix.shape.symmetry);
        let footprint = self.core.plain_matrix_footprint(count, level, symmetry);
        let diagonals = self.install_large(op, footprint, |core| {
            PackedPoly::many(&core.ring, &core.ladder.sets[level], symmetry, count, |at| {
                Ok::<_, Error>(core.rescaled_plain(&matrix.diagonals[at], matrix.shape.level, level))
            })
        })?;
        Ok(PlainMatrix { shape: Shape { level, ..matrix.shape.clone() }, diagonals })
    }

    fn check_new_level(&self, op: &'static str, shape: &Shape, level: usize) -> Result<(), Error> {
        if level == 0 {
            let needed = "at least 1 for a product; choose a higher level".into();
            return Err(Error::Parameter { what: "level of the matrix", found: "0".into(), needed });
        }
        self.check_size(op, shape.mean_size, level - 1)
    }

    pub(crate) fn check_matrix(&self, op: &'static str, shape: &Shape) -> Result<(), Error> {
        self.check_fingerprint(op, "matrix", shape.fingerprint)?;
        self.check_slots("slot_count of the matrix", shape.slot_count)
    }

    /// Keys for products with matrices, at levels up to `level`.
    ///
    /// # Errors
    /// A foreign secret key; a level that does not exist; no randomness; no memory; a cancellation.
    pub fn matrix_multiplication_key(
        &self,
        secret: &SecretKey,
        level: usize,
        progress: Progress,
    ) -> Result<MatrixMultiplicationKey, Error> {
        let (op, amounts) = ("create_matrix_multiplication_key", self.core.matrix_amounts());
        Ok(MatrixMultiplicationKey {
            origin: secret.origin,
            keys: self.keys_of(op, &amounts, secret, level, progress)?,
        })
    }
}

impl Core {
    /// The left rotations of a matrix multiplication key, ascending.
    pub(crate) fn matrix_amounts(&self) -> Vec<i64> {
        let babies = 1..most_babies(self.encoder.slots());
        self.rotation_amounts().into_iter().chain(babies).collect::<BTreeSet<_>>().into_iter().collect()
    }
}
