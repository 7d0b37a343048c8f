//! The step of a blind rotation: digits of the columns of a GLWE ciphertext times a matrix, transforms included, in one sweep.
//!
//! The first passes write the digits of every column; then each child of the first pass is finished, multiplied and brought back while
//! it is in the first-level cache; the last passes add to the accumulator. The operations and so the bits are those of
//! [`monomial::rotate_sub`](crate::monomial::rotate_sub), [`Fft::forward_digits`], [`Fft::multiply`] and [`Fft::inverse_add`].

use std::slice;

use super::Fft;
use super::operations::{self, AddTo, DifferenceDigitsOf, DigitsOf, Operation};
use super::passes::InPlace;
use super::products::{self, KeyWord};
use super::torus::{Digits, Extraction, Rounding, Torus};
use super::vector::Vector;
use crate::monomial;
use crate::prefetch::Ahead;

/// The shape of an external product: a gadget for each column, and the unit of the matrix.
#[derive(Debug, Clone)]
pub struct ExternalProduct {
    fft: Fft,
    torus_bits: u32,
    columns: usize,
    rows: Vec<Row>,
    rounding: Rounding,
}

/// What a row of the matrix multiplies.
#[derive(Debug, Clone, Copy)]
struct Row {
    column: usize,
    /// Whether it is the only digit of its column: then the difference is made while the digit is taken, not once for all of them.
    alone: bool,
    extraction: Extraction,
}

impl ExternalProduct {
    /// For columns of torus words `T` with these gadgets, and a matrix of `columns` columns and a row for each digit, in units of `2^log2_unit`.
    ///
    /// # Panics
    /// Unless there are 1 to 9 gadgets, each valid for `T` (see [`Digits::validate`]).
    pub fn new<T: Torus>(fft: Fft, gadgets: &[Digits], log2_unit: u32) -> Self {
        assert!((1..=products::MAX_COLUMNS_IN_PLACE).contains(&gadgets.len()), "{} columns", gadgets.len());
        assert!(gadgets.iter().all(|digits| digits.validate::<T>().is_ok()), "{gadgets:?}");
        let rows = gadgets.iter().enumerate().flat_map(|(column, digits)| {
            let alone = digits.levels == 1;
            (1..=digits.levels).map(move |level| Row { column, alone, extraction: digits.extraction::<T>(level) })
        });
        let rounding = Rounding::in_units::<T>(fft.n() / 2, log2_unit);
        Self { torus_bits: T::BITS, rows: rows.collect(), columns: gadgets.len(), rounding, fft }
    }

    /// The transform.
    pub fn fft(&self) -> &Fft {
        &self.fft
    }

    /// Rows of the matrix: digits of all columns.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Words of the matrix.
    pub fn key_len(&self) -> usize {
        self.rows.len() * self.columns * self.fft.n
    }

    /// Doubles of scratch.
    pub fn scratch_len(&self) -> usize {
        (self.rows.len() + 1) * self.fft.n
    }

    /// `acc += digits(x)·key`, column by column, with a key as [`Fft::interleave`] lays it out. `ahead` is brought into the second-level cache
    /// meanwhile.
    ///
    /// # Panics
    /// If the lengths aren't [`ExternalProduct::key_len`], [`ExternalProduct::scratch_len`] and `n` for each column of `acc` and `x`, or `T` is not the
    /// word of the shape.
    pub fn add<T: Torus, K: KeyWord>(&self, acc: &mut [T], x: &[T], key: &[K], scratch: &mut [f64], ahead: &[K]) {
        assert_eq!(x.len(), acc.len());
        self.sweep(acc, DigitsFrom::Words(x.as_ptr()), key, scratch, ahead);
    }

    /// `acc += digits((X^exponent − 1)·acc)·key` for an exponent in `0..2n`: the step of a blind rotation, else as [`ExternalProduct::add`].
    ///
    /// # Panics
    /// As [`ExternalProduct::add`], and if the exponent is too large.
    pub fn rotate_add<T: Torus, K: KeyWord>(
        &self,
        acc: &mut [T],
        exponent: usize,
        key: &[K],
        scratch: &mut [f64],
        ahead: &[K],
    ) {
        let n = self.fft.n;
        assert!(exponent < 2 * n && acc.len() == self.columns * n);
        let mut seams = [[acc[0]; 8]; products::MAX_COLUMNS_IN_PLACE];
        seams.iter_mut().zip(acc.chunks_exact(n)).for_each(|(seam, a)| *seam = operations::seam(a, exponent % n));
        self.sweep(acc, DigitsFrom::Rotation { exponent, seams: &seams }, key, scratch, ahead);
    }

    fn sweep<T: Torus, K: KeyWord>(
        &self,
        acc: &mut [T],
        from: DigitsFrom<'_, T>,
        key: &[K],
        scratch: &mut [f64],
        ahead: &[K],
    ) {
        assert!(acc.len() == self.columns * self.fft.n && T::BITS == self.torus_bits);
        assert_eq!((key.len(), scratch.len()), (self.key_len(), self.scratch_len()));
        let (acc, key, scratch) = (acc.as_mut_ptr(), key.as_ptr(), scratch.as_mut_ptr());
        // SAFETY: the lengths were checked.
        unsafe { self.fft.run(Sweep { shape: self, acc, from, key, scratch, ahead }) };
    }
}

/// What the digits are of.
enum DigitsFrom<'a, T> {
    /// As many words as the accumulator has.
    Words(*const T),
    /// The accumulator, rotated, less itself; with what [`operations::seam`] gives for each column.
    Rotation { exponent: usize, seams: &'a [[T; 8]] },
}

struct Sweep<'a, T, K> {
    shape: &'a ExternalProduct,
    acc: *mut T,
    from: DigitsFrom<'a, T>,
    key: *const K,
    scratch: *mut f64,
    ahead: &'a [K],
}

impl<T: Torus, K: KeyWord> Operation for Sweep<'_, T, K> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        let Self { shape, acc, from, key, scratch, ahead } = self;
        let ExternalProduct { fft, columns, rows, rounding, .. } = shape;
        let (n, columns, passes) = (fft.n, *columns, fft.passes());
        let row = |r: usize| InPlace(scratch.wrapping_add(r * n));
        let mut ahead = Ahead::new(ahead, (rows.len() + columns) * passes.steps());
        let mut between = || ahead.step();
        // SAFETY: the caller's contract; there are at least as many rows as columns.
        unsafe {
            let mut held = columns;
            for (r, &Row { column, alone, extraction }) in rows.iter().enumerate() {
                let (a, half) = (acc.add(column * n).cast_const(), n / 2);
                let x = match from {
                    DigitsFrom::Words(x) => x.add(column * n),
                    DigitsFrom::Rotation { exponent, seams } if alone => {
                        let (shift, turned, seam) = (exponent % n, exponent >= n, seams[column].as_ptr());
                        let src = DifferenceDigitsOf { a, half, shift, turned, seam, extraction };
                        passes.forward_first::<V, _>(src, row(r), &mut between);
                        continue;
                    }
                    DigitsFrom::Rotation { exponent, .. } => {
                        let x = scratch.add(rows.len() * n).cast::<T>();
                        if held != column {
                            let (x, a) = (slice::from_raw_parts_mut(x, n), slice::from_raw_parts(a, n));
                            monomial::rotate_sub(x, a, exponent);
                            held = column;
                        }
                        x.cast_const()
                    }
                };
                passes.forward_first::<V, _>(DigitsOf { x, half, extraction }, row(r), &mut between);
            }
            for child in 0..passes.children() {
                for r in 0..rows.len() {
                    passes.forward_middle::<V>(row(r), child);
                }
                for groups in passes.groups(child) {
                    for r in 0..rows.len() {
                        groups.forward_blocks::<V>(row(r), &mut between);
                    }
                    for r in 0..rows.len() {
                        groups.forward_lanes::<V>(row(r), &mut between);
                    }
                    let (x, key) = (scratch.add(groups.start), key.add(groups.start * rows.len() * columns));
                    products::multiply::<V, K, false>((passes.groups_len(), n), (rows.len(), columns), x, x, key);
                    for c in 0..columns {
                        groups.inverse_lanes::<V>(row(c), &mut between);
                    }
                    for c in 0..columns {
                        groups.inverse_blocks::<V>(row(c), &mut between);
                    }
                }
                for c in 0..columns {
                    passes.inverse_middle::<V>(row(c), child);
                }
            }
            for c in 0..columns {
                let out = AddTo { acc: acc.add(c * n), half: n / 2, rounding: *rounding };
                passes.inverse_last::<V, _>(row(c), out, &mut between);
            }
        }
    }
}
