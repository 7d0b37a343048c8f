//! Matrices, whatever multiplies with them: their diagonals, and the sizes that bounds and errors are made of.

use std::collections::BTreeSet;

use num_complex::Complex64;

use crate::circuits::matrix::plan::{Plan, shortest};
use crate::circuits::matrix::{Entries, Places};

/// The places of entries in blocks of so many rows and columns as there are slots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout<'p> {
    pub rows: usize,
    pub columns: usize,
    pub slots: usize,
    pub plan: &'p Plan,
    /// The direction of the plan's rotations.
    pub side: Side,
}

/// The direction of a plan's rotations: those that there are keys for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    /// The left rotation that an amount of the plan stands for.
    pub fn left(self, amount: i64) -> i64 {
        match self {
            Self::Left => amount,
            Self::Right => -amount,
        }
    }
}

/// The rotations and the sizes of a matrix.
#[derive(Debug)]
pub(crate) struct Scan {
    pub plan: Plan,
    /// Largest Euclidean norm of a row.
    pub row_norm: f64,
    /// The largest sum of the sizes of a row's entries.
    pub row_sum: f64,
    /// Sum of the entries' sizes in a row of blocks, the largest, divided by the slots.
    pub mean_size: f64,
    /// The size of the largest entry.
    pub largest: f64,
    /// The largest number of entries of a row that are equal to the first one or to their neighbours.
    pub row_repeats: usize,
    /// Whether all entries are real numbers.
    pub is_real: bool,
}

/// An entry that is no number: its index.
#[derive(Debug)]
pub(crate) struct NoNumber(pub usize);

impl Scan {
    /// Looks at all entries, of which there are as many as rows and columns say: on the diagonals that are asked for,
    /// to the left, or else on those that are not zero.
    ///
    /// # Errors
    /// An entry that is no number.
    pub fn new(
        entries: Entries,
        (rows, columns): (usize, usize),
        (slots, side): (usize, Side),
        asked: Option<&BTreeSet<i64>>,
    ) -> Result<Self, NoNumber> {
        let place = |d: i64| d.rem_euclid(slots as i64) as usize;
        let mut is_taken = vec![asked.is_none(); slots];
        asked.into_iter().flatten().for_each(|&d| is_taken[place(d)] = true);
        let (block_rows, block_columns) = (rows.div_ceil(slots), columns.div_ceil(slots));
        let mut is_found = vec![vec![false; slots]; block_rows * block_columns];
        let (mut row_norm, mut row_sum, mut totals) = (0.0f64, 0.0f64, vec![0.0f64; block_rows]);
        let (mut is_real, mut row_repeats, mut largest) = (true, 1, 0.0f64);
        for row in 0..rows {
            let (mut square, mut sum) = (0.0, 0.0);
            let (mut first, mut last, mut as_first, mut as_last) = (None, None, 0, 1);
            entries.of_row(row, columns, slots, |column, index| {
                let value = entries.get(index);
                if !value.re.is_finite() || !value.im.is_finite() {
                    return Err(NoNumber(index));
                }
                let d = place(column as i64 - row as i64);
                if value == Complex64::default() || !is_taken[d] {
                    return Ok(());
                }
                is_found[row / slots * block_columns + column / slots][d] = true;
                is_real &= value.im == 0.0;
                as_first += usize::from(*first.get_or_insert(value) == value);
                as_last += usize::from(last.replace(value) == Some(value));
                square += value.norm_sqr();
                sum += value.norm();
                largest = largest.max(value.norm());
                Ok(())
            })?;
            totals[row / slots] += sum;
            row_norm = row_norm.max(square.sqrt());
            row_sum = row_sum.max(sum);
            row_repeats = row_repeats.max(as_first).max(as_last);
        }
        let half = slots as i64 / 2;
        let ascending = -half..(slots as i64 - half);
        let of_block = |found: &Vec<bool>| match asked {
            Some(asked) => asked.iter().copied().collect(),
            None => ascending.clone().filter(|&d| found[place(side.left(d))]).collect(),
        };
        let blocks: Vec<Vec<i64>> = is_found.iter().map(of_block).collect();
        Ok(Self {
            plan: Plan::new(&blocks, block_columns, slots),
            row_norm,
            row_sum,
            mean_size: totals.into_iter().fold(0.0, f64::max) / slots as f64,
            largest,
            row_repeats,
            is_real,
        })
    }

    /// Diagonals as amounts of the shortest way round.
    pub fn amounts(diagonals: &[i64], slots: usize) -> BTreeSet<i64> {
        diagonals.iter().map(|&d| shortest(d, slots)).collect()
    }
}

impl Entries<'_> {
    /// Checks that entries are those of so many rows and columns.
    ///
    /// # Errors
    /// Words on what is needed, where there are no rows or columns, or, row by row, another number of entries; where
    /// diagonals are out of order or outside the matrix, or have fewer or more entries than there are slots.
    pub(crate) fn check(&self, (rows, columns): (usize, usize), slots: usize) -> Result<(), String> {
        let count = self.len();
        let Some(places) = self.places() else {
            let fits = rows > 0 && columns > 0 && rows.checked_mul(columns) == Some(count);
            return if fits { Ok(()) } else { Err(format!("at least one row and one column, of {count} entries")) };
        };
        let blocks = rows.div_ceil(slots).saturating_mul(columns.div_ceil(slots));
        let is_within = places.iter().all(|&(block, amount)| block < blocks && amount < slots);
        let is_ordered = places.windows(2).all(|pair| pair[0] < pair[1]);
        if rows == 0 || columns == 0 || !is_within || !is_ordered || places.len().checked_mul(slots) != Some(count) {
            let lengths = format!("{} diagonals of {slots} entries each, ascending", places.len());
            return Err(format!("at least one row and one column, with {lengths} within its blocks"));
        }
        Ok(())
    }

    fn len(&self) -> usize {
        match self {
            Self::Real(x) | Self::RealDiagonals(_, x) => x.len(),
            Self::Complex(z) | Self::ComplexDiagonals(_, z) => z.len(),
        }
    }

    fn places(&self) -> Option<Places<'_>> {
        match self {
            Self::Real(_) | Self::Complex(_) => None,
            Self::RealDiagonals(places, _) | Self::ComplexDiagonals(places, _) => Some(places),
        }
    }

    /// The entry of an index, as they were given.
    pub(crate) fn get(&self, at: usize) -> Complex64 {
        match self {
            Self::Real(x) | Self::RealDiagonals(_, x) => x[at].into(),
            Self::Complex(z) | Self::ComplexDiagonals(_, z) => z[at],
        }
    }

    /// Visits the column and the index of each entry of a row that is given, by ascending columns.
    fn of_row<E>(
        &self,
        row: usize,
        columns: usize,
        slots: usize,
        mut visit: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(places) = self.places() else {
            return (0..columns).try_for_each(|column| visit(column, row * columns + column));
        };
        let (block_columns, inner) = (columns.div_ceil(slots), row % slots);
        for block_column in 0..block_columns {
            let block = row / slots * block_columns + block_column;
            let start = |amount: usize| places.partition_point(|&place| place < (block, amount));
            // The first of the columns is the first slot from which on amounts come round.
            let (first, wrapped, end) = (start(0), start(slots - inner), start(slots));
            for k in (wrapped..end).chain(first..wrapped) {
                let column = block_column * slots + (inner + places[k].1) % slots;
                if column < columns {
                    visit(column, k * slots + inner)?;
                }
            }
        }
        Ok(())
    }

    /// The index of a diagonal's first entry; none where none is given.
    fn start(&self, block: usize, amount: usize, slots: usize) -> Option<usize> {
        self.places()?.binary_search(&(block, amount)).ok().map(|k| k * slots)
    }

    /// Diagonals of a block filled up to `slots` rows and columns, moved back by their giant steps:
    /// `out[i] = M[i − giant][i − giant + d]`. Neighbours are found together: they are neighbours in every row.
    pub(crate) fn diagonals(&self, layout: Layout<'_>, block: usize, diagonals: &[i64]) -> Vec<Vec<Complex64>> {
        let Layout { rows, columns, slots, plan, side } = layout;
        let (top, left) = (block / plan.block_columns * slots, block % plan.block_columns * slots);
        let turned = |row: usize, by: i64| (row as i64 + by).rem_euclid(slots as i64) as usize;
        let mut out = vec![vec![Complex64::default(); slots]; diagonals.len()];
        let taken = |d: i64| d.rem_euclid(slots as i64) as usize;
        // Where entries are given diagonal by diagonal, each diagonal's first.
        let starts: Vec<Option<usize>> =
            diagonals.iter().map(|&d| self.start(block, taken(side.left(d)), slots)).collect();
        for row in 0..slots.min(rows - top) {
            for ((out, &d), start) in out.iter_mut().zip(diagonals).zip(&starts) {
                let column = left + turned(row, side.left(d));
                if column < columns {
                    let value = match (start, self.places()) {
                        (Some(start), _) => self.get(start + row),
                        (None, Some(_)) => continue,
                        (None, None) => self.get((top + row) * columns + column),
                    };
                    out[turned(row, side.left(plan.giant(d)))] = value;
                }
            }
        }
        out
    }
}
