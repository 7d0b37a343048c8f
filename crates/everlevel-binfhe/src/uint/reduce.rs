//! Reductions of arrays of integers, operations of [`Arithmetic`]: sums, smallest and largest integers, and the places
//! of these.
//!
//! An array is taken as rows of equal length, and the rows are combined, element by element.
//!
//! *Memory.* An operation holds the inputs and the outputs of its bootstraps of one round. So columns are taken in
//! slices of [`Blocks::slice_len`], and rows in slices of as many elements or a few times as many, whose outcomes are
//! combined in turn. So the memory beside the array is that of a few such slices, however many rows there are. A
//! tournament holds the winners of its slices, too, and [`Arithmetic::any_row`] a ciphertext for each group of truth
//! values that one table takes.

use std::cmp::Ordering;

use super::array::{Bools, Uints};
use super::blocks::Blocks;
use super::columns::{Columns, Place, Rest};
use super::signed::Sign;
use super::{Arithmetic, UintArray, Width};

/// The one of two integers that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extreme {
    /// The smaller integer.
    Min,
    /// The larger integer.
    Max,
}

/// The one that is kept, and how integers are ordered.
pub(super) type Kept = (Extreme, Sign);

/// Integers that are kept, and those that stood beside them.
type Winners<B> = (Uints<B>, Option<Uints<B>>);

impl<B: Blocks> Arithmetic<B> {
    /// The sum of all rows modulo `2^width`: digits are added up in columns, and carries propagated once.
    ///
    /// # Errors
    /// [`crate::Error::LengthMismatch`] for elements that make no whole rows, [`crate::ObjectError::OtherSecret`],
    /// [`crate::Error::NoiseExhausted`].
    ///
    /// # Panics
    /// If there are no rows.
    pub fn sum_rows(&self, a: &Uints<B>, rows: usize) -> Result<Uints<B>, B::Error> {
        let op = "sum_rows";
        let len = self.row_len(op, a, rows)?;
        self.in_columns(a, len, |a, len| {
            let mut columns = Columns::new(len, a.per, None);
            // A bootstrap or two are for a group of terms, and not for each term: slices may be longer.
            let slice = (4 * self.blocks.slice_len()).next_multiple_of(len);
            for first in (0..a.len()).step_by(slice) {
                let part = a.slice(first..a.len().min(first + slice));
                let places = (0..part.blocks.len()).map(|i| Place::Column(i % (len * a.per))).collect();
                // Three copies of a term make a group.
                columns.put(places, self.settled(op, &part.blocks, 3)?);
                if first + slice < a.len() {
                    self.compress(op, &mut columns, Rest::Waits)?;
                }
            }
            Ok(self.total(op, a, columns)?.0)
        })
    }

    /// For each column, whether any of its truth values is set. A column has one truth value of each row.
    ///
    /// # Errors
    /// As [`Arithmetic::sum_rows`].
    ///
    /// # Panics
    /// If there are no rows.
    pub fn any_row(&self, a: &Bools<B>, rows: usize) -> Result<Bools<B>, B::Error> {
        let op = "any_row";
        self.check_all(op, "operand", &a.0)?;
        let len = a.len() / rows;
        crate::gates::same_length(op, a.len(), rows * len)?;
        self.any(op, (0..len).map(|i| a.0.iter().skip(i).step_by(len).cloned().collect()).collect())
    }

    /// For each column its smallest or largest integer, by a tournament of neighbouring rows.
    ///
    /// # Errors
    /// As [`Arithmetic::sum_rows`].
    ///
    /// # Panics
    /// If there are no rows.
    pub fn extreme_row(&self, a: &Uints<B>, rows: usize, extreme: Extreme) -> Result<Uints<B>, B::Error> {
        self.extreme_row_of(a, rows, (extreme, Sign::Unsigned))
    }

    pub(super) fn extreme_row_of(&self, a: &Uints<B>, rows: usize, kept: Kept) -> Result<Uints<B>, B::Error> {
        let op = "extreme_row";
        let len = self.row_len(op, a, rows)?;
        self.in_columns(a, len, |a, len| Ok(self.tournament(op, a, None, len, kept)?.0))
    }

    /// For each column the number of the first row that holds the column's smallest or largest integer. The numbers are
    /// integers of the least width that holds them.
    ///
    /// # Errors
    /// As [`Arithmetic::sum_rows`].
    ///
    /// # Panics
    /// If there are no rows.
    pub fn place_of_extreme(&self, a: &Uints<B>, rows: usize, extreme: Extreme) -> Result<Uints<B>, B::Error> {
        self.place_of_extreme_of(a, rows, (extreme, Sign::Unsigned))
    }

    pub(super) fn place_of_extreme_of(&self, a: &Uints<B>, rows: usize, kept: Kept) -> Result<Uints<B>, B::Error> {
        let op = "place_of_extreme";
        let len = self.row_len(op, a, rows)?;
        let width = Width::ALL.into_iter().find(|&width| rows as u64 - 1 <= Width::max(width)).unwrap_or(Width::U64);
        if a.is_empty() {
            return self.constants(width, &[]);
        }
        self.in_columns(a, len, |a, len| {
            let numbers: Vec<u64> = (0..a.len()).map(|i| (i / len) as u64).collect();
            let numbers = self.constants(width, &numbers)?;
            let (_, places) = self.tournament(op, a, Some(numbers), len, kept)?;
            Ok(places.unwrap_or_else(|| unreachable!("asked for")))
        })
    }

    /// A tournament within each slice of rows, and then among the slices' winners. Integers that stand `beside` the
    /// rows go with the winners.
    fn tournament(
        &self,
        op: &'static str,
        a: &Uints<B>,
        mut beside: Option<Uints<B>>,
        len: usize,
        kept: Kept,
    ) -> Result<Winners<B>, B::Error> {
        let (mut best, slice) = (a.clone(), (2 * self.blocks.slice_len()).next_multiple_of(2 * len));
        while best.len() > len {
            let winners = (0..best.len()).step_by(slice).map(|first| {
                let places = first..best.len().min(first + slice);
                let beside = beside.as_ref().map(|all| all.slice(places.clone()));
                self.knockout(op, best.slice(places), beside, len, kept)
            });
            let (winners, with): (Vec<_>, Vec<_>) = winners.collect::<Result<Vec<_>, B::Error>>()?.into_iter().unzip();
            best = UintArray::concatenated(&winners.iter().collect::<Vec<_>>());
            let with: Vec<&Uints<B>> = with.iter().flatten().collect();
            beside = if with.is_empty() { None } else { Some(UintArray::concatenated(&with)) };
        }
        Ok((best, beside))
    }

    /// Rounds of comparisons of neighbouring rows. The winners bring along the integers that stand `beside` them, and
    /// of equal integers the former wins.
    fn knockout(
        &self,
        op: &'static str,
        mut best: Uints<B>,
        mut beside: Option<Uints<B>>,
        len: usize,
        kept: Kept,
    ) -> Result<Winners<B>, B::Error> {
        let (extreme, sign) = kept;
        let wins = match extreme {
            Extreme::Min => Ordering::is_le,
            Extreme::Max => Ordering::is_ge,
        };
        while best.len() > len {
            let rows = best.len() / len;
            let places = |parity: usize| {
                let rows = (0..rows / 2).map(|pair| 2 * pair + parity);
                rows.flat_map(|row| row * len..(row + 1) * len).collect::<Vec<_>>()
            };
            let (former, latter) = (places(0), places(1));
            let wins = self.order(op, &best.take(&former), &best.take(&latter), sign, wins)?;
            // A last row without a neighbour stays.
            let alone = rows / 2 * 2 * len..rows * len;
            let winners = |all: &Uints<B>| {
                let kept = self.select_blocks(op, &wins, &all.take(&former), &all.take(&latter))?;
                Ok::<_, B::Error>(UintArray::concatenated(&[&kept, &all.slice(alone.clone())]))
            };
            beside = beside.as_ref().map(winners).transpose()?;
            best = winners(&best)?;
        }
        Ok((best, beside))
    }

    /// Reduces rows of `len` elements, one slice of their columns after another.
    fn in_columns(
        &self,
        a: &Uints<B>,
        len: usize,
        reduce: impl Fn(&Uints<B>, usize) -> Result<Uints<B>, B::Error>,
    ) -> Result<Uints<B>, B::Error> {
        let slice = self.blocks.slice_len();
        if len == 0 {
            return Ok(a.clone());
        }
        if len <= slice {
            return reduce(a, len);
        }
        let of_columns = |first: usize| {
            let columns = first..len.min(first + slice);
            let places: Vec<usize> = (0..a.len()).filter(|i| columns.contains(&(i % len))).collect();
            reduce(&a.take(&places), columns.len())
        };
        let parts = (0..len).step_by(slice).map(of_columns).collect::<Result<Vec<_>, _>>()?;
        Ok(UintArray::concatenated(&parts.iter().collect::<Vec<_>>()))
    }

    /// The number of elements of a row.
    fn row_len(&self, op: &'static str, a: &Uints<B>, rows: usize) -> Result<usize, B::Error> {
        self.check_all(op, "operand", &a.blocks)?;
        let len = a.len() / rows;
        crate::gates::same_length(op, a.len(), rows * len)?;
        Ok(len)
    }
}
