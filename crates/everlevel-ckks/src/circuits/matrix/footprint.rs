//! The memory of matrices, of the keys of their products, and of products.

use everlevel_ring::{Footprint, PackedPoly, Symmetry};
use everlevel_rlwe::{Gadget, SwitchingKey};

use crate::circuits::matrix::apply::{GIANTS_TOGETHER, VECTORS_TOGETHER};
use crate::circuits::matrix::encode::TOGETHER;
use crate::circuits::matrix::plan::{Plan, shortest};
use crate::core::Core;
use crate::{Context, Error};

/// The form of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixForm {
    /// [`crate::PlainMatrix`].
    Plain,
    /// [`crate::LightPlainMatrix`].
    Light,
    /// [`crate::Entries`], which are encoded on the way.
    Entries,
}

impl Core {
    pub(super) fn plain_matrix_footprint(&self, diagonal_count: usize, level: usize, symmetry: Symmetry) -> Footprint {
        let (n, slots, primes) = (self.ring.n(), self.encoder.slots(), self.ladder.sets[level].len());
        // Slots and coefficients of some diagonals, and the integers and residues of one.
        let coefficients = if self.is_wide() { 32 } else { 16 };
        let some = TOGETHER.min(diagonal_count) * (16 + coefficients) * slots;
        let work = some as u64 + self.limbs(3 + primes);
        Footprint { held: PackedPoly::nbytes_of(symmetry.held(n), diagonal_count * primes) as u64, work }
    }

    pub(super) fn light_matrix_footprint(
        &self,
        diagonal_count: usize,
        symmetry: Symmetry,
        thread_count: usize,
    ) -> Footprint {
        // Of every diagonal as many coefficients as slots have parts: doubles, or two doubles each.
        let nbytes = if self.is_wide() { 16 } else { 8 } * symmetry.held(2 * self.encoder.slots());
        let at_once = (thread_count * TOGETHER).min(diagonal_count);
        Footprint { held: (nbytes * diagonal_count) as u64, work: (nbytes * at_once) as u64 }
    }

    /// The memory of a product with vectors of so many units in all, some of them together.
    pub(super) fn product_footprint(
        &self,
        (plan, level): (&Plan, usize),
        (gadget, unit_count): (&Gadget, usize),
        form: MatrixForm,
    ) -> Footprint {
        let source = self.ladder.sets[level].len();
        let key_switch = SwitchingKey::switch_limbs(gadget, &self.ladder.sets[level]);
        let columns = plan.block_columns;
        let babies: usize = (0..columns).map(|column| plan.babies(column, |_| false).len()).sum();
        let together = |row| plan.by_giant(row).into_values().map(|steps| steps.iter().map(|s| s.babies.len()).sum());
        let terms: usize = (0..plan.block_rows()).flat_map(together).max().unwrap_or(0);
        let giants = (0..plan.block_rows()).map(|row| plan.by_giant(row).len()).max().unwrap_or(0);
        let diagonals = match form {
            // Sums of giant steps that wait for their rotation.
            MatrixForm::Plain => 2 * source * giants.min(GIANTS_TOGETHER).saturating_sub(1),
            MatrixForm::Light => terms * source,
            // Their coefficients beside their residues.
            MatrixForm::Entries => terms * source + terms * 2 * self.encoder.slots() / self.ring.n() + 2 * TOGETHER,
        };
        let together = if form == MatrixForm::Plain { 1 } else { VECTORS_TOGETHER.min(unit_count / columns) };
        let work = 2 * source * (columns + babies + 2) * together + diagonals + key_switch;
        let results = unit_count / columns * plan.block_rows();
        Footprint { held: self.limbs(2 * (source - 1) * results), work: self.limbs(work) }
    }
}

impl Context {
    /// The memory of [`Context::matrix_multiplication_key`].
    ///
    /// # Errors
    /// A level that does not exist.
    pub fn matrix_multiplication_key_footprint(&self, level: usize) -> Result<Footprint, Error> {
        self.check_level("matrix_multiplication_key_footprint", level)?;
        self.core.footprint_of(&self.core.matrix_amounts(), level)
    }

    /// The memory of a matrix of these dimensions without zeros, of real or other entries, and of encoding it.
    ///
    /// # Errors
    /// A level that does not exist; no rows or columns.
    pub fn matrix_footprint(
        &self,
        dimensions: (usize, usize),
        level: usize,
        (form, is_real): (MatrixForm, bool),
    ) -> Result<Footprint, Error> {
        let plan = self.dense_plan("matrix_footprint", dimensions, level)?;
        let count = plan.diagonals.len();
        let symmetry = Symmetry::of_slots(is_real);
        Ok(match form {
            MatrixForm::Plain => self.core.plain_matrix_footprint(count, level, symmetry),
            MatrixForm::Light => self.core.light_matrix_footprint(count, symmetry, self.thread_count()),
            MatrixForm::Entries => {
                let entry_nbytes = if is_real { 8 } else { 16 };
                Footprint { held: entry_nbytes * (dimensions.0 * dimensions.1) as u64, work: 0 }
            }
        })
    }

    /// The memory of a product of a matrix of these dimensions without zeros with a vector.
    ///
    /// # Errors
    /// A level that does not exist; no rows or columns.
    pub fn matrix_product_footprint(
        &self,
        dimensions: (usize, usize),
        level: usize,
        form: MatrixForm,
    ) -> Result<Footprint, Error> {
        let plan = self.dense_plan("matrix_product_footprint", dimensions, level)?;
        let gadget = self.core.level_gadget(level)?;
        Ok(self.core.product_footprint((&plan, level), (&gadget, plan.block_columns), form))
    }

    fn dense_plan(&self, op: &'static str, (rows, columns): (usize, usize), level: usize) -> Result<Plan, Error> {
        self.check_level(op, level)?;
        if level == 0 || rows == 0 || columns == 0 {
            let found = format!("{rows}×{columns} at level {level}");
            let needed = "at least one row and one column, at level 1 or above".into();
            return Err(Error::Parameter { what: "matrix", found, needed });
        }
        let slots = self.slot_count();
        let parts = |all: usize| (0..all.div_ceil(slots)).map(move |k| slots.min(all - k * slots) as i64);
        let of_block = |(rows, columns): (i64, i64)| {
            let mut all: Vec<i64> = (1 - rows..columns).map(|d| shortest(d, slots)).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let blocks: Vec<_> =
            parts(rows).flat_map(|rows| parts(columns).map(move |columns| of_block((rows, columns)))).collect();
        Ok(Plan::new(&blocks, columns.div_ceil(slots), slots))
    }
}
