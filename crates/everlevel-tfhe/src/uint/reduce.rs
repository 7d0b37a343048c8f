//! One integer of many: sums, the smallest and the largest, and where they are.
//!
//! An array is taken as rows of equal length, and the rows are combined, element by element.

use std::cmp::Ordering;

use super::columns::{Columns, Place};
use super::{BoolArray, Integers, UintArray, Width};
use crate::Error;

/// Which of two is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extreme {
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

impl Integers<'_> {
    /// The sum of all rows modulo `2^width`: digits are added up in columns, and carries propagated once.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] for elements that make no whole rows, [`Error::ForeignObject`], [`Error::NoiseExhausted`].
    ///
    /// # Panics
    /// If there are no rows.
    pub fn sum_rows(&self, a: &UintArray, rows: usize) -> Result<UintArray, Error> {
        let op = "sum_rows";
        let len = self.row_len(op, a, rows)?;
        let mut columns = Columns::new(len, a.per, None);
        let places = (0..a.blocks.len()).map(|i| Place::Column(i % (len * a.per))).collect();
        // Three copies of a term make a group.
        columns.put(places, self.settled(op, &a.blocks, 3)?);
        Ok(self.total(op, a, columns)?.0)
    }

    /// Whether any truth value of each column is set, which holds one of each row.
    ///
    /// # Errors
    /// As [`Integers::sum_rows`].
    ///
    /// # Panics
    /// If there are no rows.
    pub fn any_row(&self, a: &BoolArray, rows: usize) -> Result<BoolArray, Error> {
        let op = "any_row";
        self.check_all(op, "operand", &a.0)?;
        let len = a.len() / rows;
        crate::gates::same_length(op, a.len(), rows * len)?;
        self.any(op, (0..len).map(|i| a.0.iter().skip(i).step_by(len).cloned().collect()).collect())
    }

    /// The smallest or largest of all rows, by a tournament of neighbours.
    ///
    /// # Errors
    /// As [`Integers::sum_rows`].
    ///
    /// # Panics
    /// If there are no rows.
    pub fn extreme_row(&self, a: &UintArray, rows: usize, extreme: Extreme) -> Result<UintArray, Error> {
        Ok(self.tournament("extreme_row", a, None, rows, extreme)?.0)
    }

    /// The number of the first row that holds the smallest or largest one, as integers of a width that holds the number of rows.
    ///
    /// # Errors
    /// As [`Integers::sum_rows`].
    ///
    /// # Panics
    /// If there are no rows.
    pub fn place_of_extreme(&self, a: &UintArray, rows: usize, extreme: Extreme) -> Result<UintArray, Error> {
        let op = "place_of_extreme";
        let len = self.row_len(op, a, rows)?;
        let width = Width::ALL.into_iter().find(|&width| rows as u64 - 1 <= Width::max(width)).unwrap_or(Width::U64);
        let numbers: Vec<u64> = (0..a.len()).map(|i| (i / len) as u64).collect();
        let (_, places) = self.tournament(op, a, Some(self.constants(width, &numbers)?), rows, extreme)?;
        Ok(places.unwrap_or_else(|| unreachable!("asked for")))
    }

    /// Rounds of comparisons of neighbouring rows, whose winners bring along what belongs to them. The former of equal ones wins.
    fn tournament(
        &self,
        op: &'static str,
        a: &UintArray,
        mut beside: Option<UintArray>,
        rows: usize,
        extreme: Extreme,
    ) -> Result<(UintArray, Option<UintArray>), Error> {
        let len = self.row_len(op, a, rows)?;
        let (mut best, mut rows) = (a.clone(), rows);
        while rows > 1 {
            let places = |parity: usize| {
                let rows = (0..rows / 2).map(|pair| 2 * pair + parity);
                rows.flat_map(|row| row * len..(row + 1) * len).collect::<Vec<_>>()
            };
            let (former, latter) = (places(0), places(1));
            let wins = match extreme {
                Extreme::Min => Ordering::is_le,
                Extreme::Max => Ordering::is_ge,
            };
            let wins = self.order(op, &best.take(&former), &best.take(&latter), wins)?;
            // A last row without a neighbour stays.
            let alone = rows / 2 * 2 * len..rows * len;
            let winners = |all: &UintArray| {
                let kept = self.select_blocks(op, &wins, &all.take(&former), &all.take(&latter))?;
                UintArray::join(&[&kept, &all.slice(alone.clone())])
            };
            beside = beside.as_ref().map(winners).transpose()?;
            best = winners(&best)?;
            rows = rows.div_ceil(2);
        }
        Ok((best, beside))
    }

    /// Elements of a row.
    fn row_len(&self, op: &'static str, a: &UintArray, rows: usize) -> Result<usize, Error> {
        self.check_all(op, "operand", &a.blocks)?;
        let len = a.len() / rows;
        crate::gates::same_length(op, a.len(), rows * len)?;
        Ok(len)
    }
}
