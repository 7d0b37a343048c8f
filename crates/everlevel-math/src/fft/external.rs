//! The step of a blind rotation: digits of the columns of a GLWE ciphertext times a matrix, transforms included, in one
//! sweep.
//!
//! The first passes write the digits of every column; then each child of the first pass is finished, multiplied and
//! brought back while it is in the first-level cache, in place of the digits; the last passes add to the accumulator.
//! The operations and so the bits are those of [`monomial::rotate_sub`](crate::monomial::rotate_sub),
//! [`Fft::forward_digits`], [`Fft::multiply`] and [`Fft::inverse_add`].
//!
//! A step of several bits has a matrix for each, and one more for any two bits; their products are turned by monomials
//! and added up before they are brought back ([`super::turns`]).

use std::slice;

use arrayvec::ArrayVec;

use super::digits::{Digits, Extraction};
use super::operation::{self, Operation};
use super::passes::InPlace;
use super::products::{self, KeyWord};
use super::rotation::{self, DifferenceDigitsOf};
use super::rounding::Rounding;
use super::torus::{AddTo, DigitsOf, Torus};
use super::transform::Fft;
use super::turns::{self, Points, Turn};
use super::vector::Vector;
use crate::prefetch::Ahead;
use crate::{Simd, monomial};

/// The shape of an external product: a gadget for each column, and the unit of the matrix.
#[derive(Debug, Clone)]
pub struct ExternalProduct {
    fft: Fft,
    torus_bits: u32,
    /// Columns of what is multiplied, with a gadget each.
    inputs: usize,
    columns: usize,
    rows: Vec<Row>,
    rounding: Rounding,
    /// The bits of a step, and the points' exponents, for steps of several bits.
    together: Option<(Together, Points)>,
}

/// The bits that a step of a blind rotation takes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// Any two bits, with three matrices: of the first, of the second, and of their product.
    Pair,
    /// Four bits of which one at most is set, with a matrix of each.
    Block,
}

impl Together {
    /// Bits of a step.
    pub fn bits(self) -> usize {
        match self {
            Self::Pair => 2,
            Self::Block => 4,
        }
    }

    /// Matrices of a step.
    pub fn matrices(self) -> usize {
        match self {
            Self::Pair => 3,
            Self::Block => 4,
        }
    }
}

/// The digit that a row of the matrix multiplies.
#[derive(Debug, Clone, Copy)]
struct Row {
    column: usize,
    /// Set for the only digit of its column: then the difference is made while the digit is taken, not once for
    /// all of them.
    alone: bool,
    extraction: Extraction,
}

impl ExternalProduct {
    /// The shape for columns of torus words `T` with these gadgets, and a matrix of `columns` columns and a row for
    /// each digit, in units of `2^log2_unit`.
    ///
    /// # Panics
    /// Unless there are 1 to 9 gadgets, whose digits a word `T` has (see [`Digits`]).
    pub fn new<T: Factor>(fft: Fft, gadgets: &[Digits], log2_unit: u32) -> Self {
        Self::of_columns::<T>(fft, gadgets, gadgets.len(), log2_unit)
    }

    /// The shape of a half product: columns of torus words `T` with these gadgets, and a matrix of `columns` columns
    /// and a row for each digit, in units of `2^log2_unit`. Only [`ExternalProduct::add`] takes it.
    ///
    /// # Panics
    /// Unless a word `T` has such digits (see [`Digits`]), and there are 1 to 9 columns, no fewer than gadgets and no
    /// more than digits.
    pub fn half<T: Factor>(fft: Fft, gadgets: &[Digits], columns: usize, log2_unit: u32) -> Self {
        let digits: u32 = gadgets.iter().map(|digits| digits.levels).sum();
        let fits = (gadgets.len()..=digits as usize).contains(&columns);
        assert!(fits, "{columns} columns in the place of {gadgets:?}");
        Self::of_columns::<T>(fft, gadgets, columns, log2_unit)
    }

    fn of_columns<T: Factor>(fft: Fft, gadgets: &[Digits], columns: usize, log2_unit: u32) -> Self {
        assert!((1..=products::MAX_COLUMNS_IN_PLACE).contains(&columns), "{columns} columns");
        assert!(gadgets.iter().all(|digits| digits.fit(T::BITS)), "{gadgets:?}");
        let rows = gadgets.iter().enumerate().flat_map(|(column, digits)| {
            let alone = digits.levels == 1;
            (1..=digits.levels).map(move |level| Row { column, alone, extraction: digits.extraction(T::BITS, level) })
        });
        let rounding = Rounding::in_units(T::BITS, fft.n() / 2, log2_unit);
        let (rows, inputs) = (rows.collect(), gadgets.len());
        Self { torus_bits: T::BITS, rows, inputs, columns, rounding, fft, together: None }
    }

    /// The shape made ready for [`ExternalProduct::rotate_add_bits`], too, of accumulators of so many parts.
    ///
    /// # Panics
    /// Unless there are 1, 2, 4, 8 or 16 parts.
    #[must_use]
    pub fn of_bits(self, together: Together, parts: usize) -> Self {
        Self { together: Some((together, Points::new(&self.fft, parts))), ..self }
    }

    /// Parts of an accumulator that a step of several bits takes.
    fn parts(&self) -> usize {
        self.together.as_ref().map_or(1, |(_, points)| points.parts)
    }

    /// The transform.
    pub fn fft(&self) -> &Fft {
        &self.fft
    }

    /// Rows of the matrix: digits of all columns.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Columns of an accumulator and of the matrix.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Words of a matrix.
    pub fn matrix_len(&self) -> usize {
        self.rows.len() * self.columns * self.fft.n()
    }

    /// Distance from one row of scratch to the next: rows a power of two apart would meet in the same sets of a cache.
    fn stride(&self) -> usize {
        self.fft.n() + PADDING
    }

    /// Doubles of scratch.
    pub fn scratch_len(&self) -> usize {
        MAX_TOGETHER.max(self.parts()) * (self.set_len() + self.stride())
    }

    /// Doubles of an accumulator's rows, and of its sums if they don't take the rows' place.
    fn set_len(&self) -> usize {
        (self.rows.len() + if self.together.is_some() { self.columns } else { 0 }) * self.stride()
    }

    /// `acc += digits(x)·key`, column by column, for each `(acc, x)`, with a key as [`Fft::interleave`] lays it out, of
    /// which each word is read once for all of them. `ahead` is brought into the second-level cache meanwhile.
    ///
    /// # Panics
    /// If the lengths aren't [`ExternalProduct::matrix_len`], [`ExternalProduct::scratch_len`] and `n` for each column
    /// of `acc` and each of `x`, which has fewer in a half product, there are more than two, or `T` is not the word of
    /// the shape.
    pub fn add<T: Factor, const A: usize>(
        &self,
        accs: [(&mut [T], &[T]); A],
        key: &[T::Key],
        scratch: &mut [f64],
        ahead: &[T::Key],
    ) {
        let sets = accs.map(|(acc, x)| {
            assert_eq!(x.len(), self.inputs * self.fft.n());
            (acc, DigitsFrom::Words(x.as_ptr()))
        });
        self.sweep(sets, None, key, scratch, ahead);
    }

    /// `acc += digits((X^exponent − 1)·acc)·key` for each `(acc, exponent)`, exponents in `0..2n`: the step of a blind
    /// rotation, else as [`ExternalProduct::add`].
    ///
    /// # Panics
    /// As [`ExternalProduct::add`], and if an exponent is too large.
    pub fn rotate_add<T: Factor, const A: usize>(
        &self,
        accs: [(&mut [T], usize); A],
        key: &[T::Key],
        scratch: &mut [f64],
        ahead: &[T::Key],
    ) {
        let n = self.fft.n();
        let sets = accs.map(|(acc, exponent)| {
            assert!(exponent < 2 * n && acc.len() == self.columns * n && self.inputs == self.columns);
            let mut seams = [[acc[0]; 8]; products::MAX_COLUMNS_IN_PLACE];
            seams.iter_mut().zip(acc.chunks_exact(n)).for_each(|(seam, a)| *seam = rotation::seam(a, exponent % n));
            (acc, DigitsFrom::Rotation { exponent, seams })
        });
        self.sweep(sets, None, key, scratch, ahead);
    }

    /// `acc += (X^a − 1)·d·K_0 + (X^b − 1)·d·K_1 + (X^a − 1)·(X^b − 1)·d·K_2` with `d = digits(acc)` and the key's
    /// matrices `K`, one after the other, for each `(acc, [a, b])`, exponents in `0..2n`: a step of a
    /// [`Together::Pair`], else as [`ExternalProduct::add`]. Where the matrices encrypt two bits and their product,
    /// that is the two bits' [`ExternalProduct::rotate_add`]. For a [`Together::Block`] the sum is
    /// `(X^a − 1)·d·K_0 + (X^b − 1)·d·K_1 + …`, for four.
    ///
    /// Accumulators have `E` parts, one after another; part `i` has the coefficients of `Y^(E·j + i)` of polynomials
    /// in `Y`, `Y^E = X`. Then exponents are those of `Y`, in `0..2En`, and there is one accumulator.
    ///
    /// # Panics
    /// As [`ExternalProduct::add`] with so many matrices, if an exponent is too large or their number isn't that of the
    /// bits, if there are two accumulators of several parts, and unless made by [`ExternalProduct::of_bits`].
    pub fn rotate_add_bits<T: Factor, const A: usize>(
        &self,
        accs: [(&mut [T], &[usize]); A],
        key: &[T::Key],
        scratch: &mut [f64],
        ahead: &[T::Key],
    ) {
        assert_eq!(self.inputs, self.columns, "not a half product");
        let (together, points) = self.together.as_ref().expect("a product of several bits");
        assert!(accs.iter().all(|(_, exponents)| exponents.len() == together.bits()), "exponents of {together:?}");
        let turns = accs.each_ref().map(|(_, exponents)| points.turn(exponents));
        let turns = turns.each_ref();
        let sets = accs.map(|(acc, _)| {
            let x = acc.as_ptr();
            (acc, DigitsFrom::Words(x))
        });
        self.sweep(sets, Some((*together, points, &turns)), key, scratch, ahead);
    }

    fn sweep<T: Factor, const A: usize>(
        &self,
        sets: [(&mut [T], DigitsFrom<T>); A],
        turns: Option<(Together, &Points, &[&Turn; A])>,
        key: &[T::Key],
        scratch: &mut [f64],
        ahead: &[T::Key],
    ) {
        let parts = if turns.is_some() { self.parts() } else { 1 };
        assert!((1..=if parts > 1 { 1 } else { MAX_TOGETHER }).contains(&A), "{A} together, of {parts} parts");
        let key_len = self.matrix_len() * turns.map_or(1, |(together, ..)| together.matrices());
        assert_eq!((key.len(), scratch.len()), (key_len, self.scratch_len()));
        let sets = sets.map(|(acc, from)| {
            assert!(acc.len() == parts * self.columns * self.fft.n() && T::BITS == self.torus_bits);
            (acc.as_mut_ptr(), from)
        });
        let (key, scratch) = (key.as_ptr(), scratch.as_mut_ptr());
        let sets = sets.into_iter().collect();
        let turns = turns.map(|(together, points, turns)| (together, points, [turns[0], turns[A - 1]]));
        T::run(self.fft.simd(), Sweep { shape: self, sets, turns, key, scratch, ahead });
    }
}

/// A torus word that external products are made for.
pub trait Factor: Torus {
    /// A word of a matrix that torus words are multiplied with: 32-bit integers lose less than the errors of 32-bit
    /// torus words hide, and halve what a product reads.
    type Key: KeyWord;

    /// Runs an external product. The lengths were checked; compiled in this crate, once for each word.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn run(simd: Simd, sweep: Sweep<'_, Self>);
}

macro_rules! factor {
    ($word:ident, $key:ident) => {
        impl Factor for $word {
            type Key = $key;

            #[allow(private_interfaces)]
            fn run(simd: Simd, sweep: Sweep<'_, Self>) {
                // SAFETY: `ExternalProduct::sweep`, the only maker of sweeps, checked the lengths of accumulators, key
                // and scratch, and that the word is the shape's.
                unsafe { sweep.run(simd) };
            }
        }
    };
}
factor!(u32, i32);
factor!(u64, f64);

/// Accumulators that are taken together, at most.
const MAX_TOGETHER: usize = 2;

/// Doubles between rows of scratch: a few lines.
const PADDING: usize = 32;

/// The words that digits are taken of.
enum DigitsFrom<T> {
    /// As many words as the accumulator has, from here on.
    Words(*const T),
    /// The accumulator, rotated, less itself; with the [`rotation::seam`] of each column.
    Rotation { exponent: usize, seams: [[T; 8]; products::MAX_COLUMNS_IN_PLACE] },
}

/// An accumulator, with the words that are multiplied for it.
type Set<T> = (*mut T, DigitsFrom<T>);

/// A product, whose maker has checked all lengths.
struct Sweep<'a, T: Factor> {
    shape: &'a ExternalProduct,
    sets: ArrayVec<Set<T>, MAX_TOGETHER>,
    /// The monomials of each accumulator, for a step of several bits.
    turns: Option<(Together, &'a Points, [&'a Turn; MAX_TOGETHER])>,
    key: *const T::Key,
    scratch: *mut f64,
    ahead: &'a [T::Key],
}

impl<T: Factor> Sweep<'_, T> {
    /// Runs the product, by one bit or several: each case is a function of its own, which compiles faster than all in
    /// one.
    ///
    /// # Safety
    /// The lengths are those of the shape.
    unsafe fn run(self, simd: Simd) {
        // SAFETY: the caller vouches that all lengths are those of the shape, for one accumulator or two; `turns` tells
        // how many matrices the key has, which was checked by the same number. `operation::run` picks vectors of this
        // CPU.
        unsafe {
            match self.turns.map(|turns| turns.0) {
                None => operation::run(simd, Product::<T, 1, 1>(self)),
                Some(Together::Pair) => operation::run(simd, Product::<T, 2, 3>(self)),
                Some(Together::Block) => operation::run(simd, Product::<T, 4, 4>(self)),
            }
        }
    }
}

/// A product for a step of `BITS` bits.
struct Product<'a, T: Factor, const BITS: usize, const MATRICES: usize>(Sweep<'a, T>);

impl<T: Factor, const BITS: usize, const MATRICES: usize> Operation for Product<'_, T, BITS, MATRICES> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        let Sweep { shape, sets, turns, key, scratch, ahead } = self.0;
        let ExternalProduct { fft, columns, rows, rounding, .. } = shape;
        let (n, half, columns, passes, stride) = (fft.n(), fft.n() / 2, *columns, fft.passes(), shape.stride());
        let (rows_len, set) = (rows.len() * stride, shape.set_len());
        // Until their products, parts are treated as accumulators of their own.
        let parts = if BITS > 1 { shape.parts() } else { 1 };
        let count = sets.len() * parts;
        let row = |a: usize, r: usize| InPlace(scratch.wrapping_add(a * set + r * stride));
        // Sums take the rows' place, of which there are at least as many, or have their own.
        let sums = scratch.wrapping_add(if BITS > 1 { rows_len } else { 0 });
        let sum = |a: usize, c: usize| InPlace(sums.wrapping_add(a * set + c * stride));
        let difference = scratch.wrapping_add(count * set).cast::<T>();
        let of_products = if BITS > 1 { columns * n / 16 } else { 0 };
        let mut ahead = Ahead::new(ahead, count * (rows.len() + columns) * passes.steps() + of_products);
        let mut between = || ahead.step();
        // SAFETY: the caller vouches for `V`'s instructions. `ExternalProduct::sweep` checked the rest: an accumulator
        // has `parts·columns·n` words; scratch has `count` sets of rows and sums, `set` doubles each, `n` of them for
        // each row and sum, and behind these `n` words for a difference; the key has `rows·columns·n` words for each
        // matrix. Rows and sums are apart, or sums take the rows' place in `products::multiply`, which allows that.
        // `difference` is aligned for a word, as doubles are, overlaps no row, and its slice ends before it is read
        // through a pointer.
        unsafe {
            for a in 0..count {
                let ((acc, from), part) = (&sets[a / parts], a % parts * columns * n);
                let mut held = columns;
                for (r, &Row { column, alone, extraction }) in rows.iter().enumerate() {
                    let acc = acc.add(part + column * n).cast_const();
                    let x = match from {
                        DigitsFrom::Words(x) => x.add(part + column * n),
                        DigitsFrom::Rotation { .. } if BITS > 1 => unreachable!("a step of several bits takes words"),
                        DigitsFrom::Rotation { exponent, seams } if alone => {
                            let (shift, turned, seam) = (exponent % n, *exponent >= n, seams[column].as_ptr());
                            let src = DifferenceDigitsOf { a: acc, half, shift, turned, seam, extraction };
                            passes.forward_first::<V, _>(src, row(a, r), &mut between);
                            continue;
                        }
                        DigitsFrom::Rotation { exponent, .. } => {
                            if held != column {
                                let difference = slice::from_raw_parts_mut(difference, n);
                                monomial::rotate_sub(difference, slice::from_raw_parts(acc, n), *exponent);
                                held = column;
                            }
                            difference.cast_const()
                        }
                    };
                    passes.forward_first::<V, _>(DigitsOf { x, half, extraction }, row(a, r), &mut between);
                }
            }
            for child in 0..passes.children() {
                for a in 0..count {
                    for r in 0..rows.len() {
                        passes.forward_middle::<V>(row(a, r), child);
                    }
                }
                for groups in passes.groups(child) {
                    for a in 0..count {
                        for r in 0..rows.len() {
                            groups.forward_blocks::<V>(row(a, r), &mut between);
                        }
                        for r in 0..rows.len() {
                            groups.forward_lanes::<V>(row(a, r), &mut between);
                        }
                    }
                    let (start, len) = (groups.start, passes.groups_len());
                    let (x, out) = (scratch.add(start), sums.add(start));
                    let (lengths, matrix) = ((len, stride, set), (rows.len(), columns));
                    let key = key.add(start * rows.len() * columns);
                    if const { BITS == 1 } {
                        products::multiply::<V, T::Key>(sets.len(), lengths, matrix, out, x, key);
                    } else {
                        let (_, points, turns) = turns.expect("turns of several bits");
                        let matrix = (rows.len(), columns, rows.len() * columns * n);
                        let data = (out, x.cast_const(), key);
                        if parts > 1 {
                            turns::multiply_parts::<V, T::Key, BITS, MATRICES>(
                                start,
                                lengths,
                                matrix,
                                data,
                                (points, turns[0]),
                                &mut between,
                            );
                        } else {
                            turns::multiply::<V, T::Key, BITS, MATRICES>(
                                start,
                                lengths,
                                matrix,
                                data,
                                (points, &turns[..sets.len()]),
                                &mut between,
                            );
                        }
                    }
                    for a in 0..count {
                        for c in 0..columns {
                            groups.inverse_lanes::<V>(sum(a, c), &mut between);
                        }
                        for c in 0..columns {
                            groups.inverse_blocks::<V>(sum(a, c), &mut between);
                        }
                    }
                }
                for a in 0..count {
                    for c in 0..columns {
                        passes.inverse_middle::<V>(sum(a, c), child);
                    }
                }
            }
            for a in 0..count {
                let acc = sets[a / parts].0.add(a % parts * columns * n);
                for c in 0..columns {
                    let out = AddTo { acc: acc.add(c * n), half, rounding: *rounding };
                    passes.inverse_last::<V, _>(sum(a, c), out, &mut between);
                }
            }
        }
    }
}
