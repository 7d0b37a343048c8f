//! Products of transforms: by a scalar, and by a prepared matrix.

use std::ops::{Deref, DerefMut};

use everlevel_math::{Factors, Modulus, SLIDING_OUTPUTS, Slide, packed};
use rayon::prelude::*;

use super::Module;
use super::blocks::{blocks_mut, items_of_a_task};
use super::module::Kind;
use crate::WordBuffer;

/// Words of a block of a product: those of an operand of two dozen limbs stay in the first-level cache, modulo a
/// prime.
const PRODUCT_BLOCK: usize = 128;

/// The same for doubles.
const DOUBLES_BLOCK: usize = 512;

/// Terms whose sum a kernel takes at once.
const TERMS: usize = 64;

/// A matrix of polynomials, transformed, in the order in which products read it: for each block of words and each
/// prime, column by column, the block of each row. Residues have six bytes, doubles eight.
#[derive(Debug)]
pub struct PreparedMatrix<B = WordBuffer<u8>> {
    rows: usize,
    columns: usize,
    bytes: B,
}

impl<B: Deref<Target = [u8]>> PreparedMatrix<B> {
    /// How many rows and columns there are.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        self.bytes.len()
    }
}

/// What a product of a vector and a matrix is: output `j` in each of `columns` columns is
/// `Σ x_(rD + i)·matrix_(r, (j + D − 1 − i)·columns + column)`, over all rows `r` and all `i < D`.
///
/// So a row is multiplied with `D` entries of the vector, as polynomials in an unknown whose powers are the outputs:
/// with digits of several limbs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// `D`.
    pub digit: usize,
    /// Columns of each output.
    pub columns: usize,
}

/// Slides of [`SLIDING_OUTPUTS`] outputs, in runs of at most [`TERMS`] products for each.
pub(super) fn runs(slides: impl Iterator<Item = Slide>) -> Vec<Vec<Slide>> {
    let (mut runs, mut terms) = (vec![Vec::new()], [0; SLIDING_OUTPUTS]);
    for slide in slides {
        if terms[slide.from..slide.to].contains(&TERMS) {
            runs.push(Vec::new());
            terms.fill(0);
        }
        terms[slide.from..slide.to].iter_mut().for_each(|terms| *terms += 1);
        runs.last_mut().unwrap_or_else(|| unreachable!("one at first")).push(slide);
    }
    runs
}

impl Module {
    fn word_nbytes(&self) -> usize {
        if matches!(self.kind, Kind::Doubles(_)) { 8 } else { 6 }
    }

    pub(super) fn block_len(&self) -> usize {
        self.n().min(if matches!(self.kind, Kind::Doubles(_)) { DOUBLES_BLOCK } else { PRODUCT_BLOCK })
    }

    /// Bytes of a prepared matrix.
    pub fn matrix_nbytes(&self, rows: usize, columns: usize) -> usize {
        self.width() * rows * columns * self.n() * self.word_nbytes() + packed::byte_len(0)
    }

    /// A matrix of zeros.
    pub fn zero_matrix(&self, rows: usize, columns: usize) -> PreparedMatrix {
        PreparedMatrix { rows, columns, bytes: WordBuffer::zeroed(self.matrix_nbytes(rows, columns)) }
    }

    /// A matrix in memory of the caller's, which is what it holds: zeros, or a matrix of this module and shape.
    ///
    /// # Panics
    /// If there aren't [`Module::matrix_nbytes`].
    pub fn matrix_in<B: Deref<Target = [u8]>>(&self, bytes: B, rows: usize, columns: usize) -> PreparedMatrix<B> {
        assert_eq!(bytes.len(), self.matrix_nbytes(rows, columns));
        PreparedMatrix { rows, columns, bytes }
    }

    /// Bytes from one entry's block to the next.
    fn entry_nbytes(&self) -> usize {
        self.block_len() * self.word_nbytes()
    }

    /// The first byte of the block of an entry.
    fn entry_at(
        &self,
        (rows, columns): (usize, usize),
        (part, block): (usize, usize),
        (row, column): (usize, usize),
    ) -> usize {
        (((block * self.width() + part) * columns + column) * rows + row) * self.entry_nbytes()
    }

    /// Puts a polynomial into a matrix, at `(row, column)`.
    ///
    /// # Panics
    /// If the place is outside, or the polynomial doesn't have `n` words.
    pub fn prepare<B: DerefMut<Target = [u8]>>(
        &self,
        matrix: &mut PreparedMatrix<B>,
        (row, column): (usize, usize),
        polynomial: &[i64],
    ) {
        assert!(row < matrix.rows && column < matrix.columns && polynomial.len() == self.n());
        let mut transform = self.scratch(self.width());
        let mut views: Vec<&mut [u64]> = transform.iter_mut().map(|limb| &mut limb[..]).collect();
        self.forward(&mut views, &[polynomial]);
        let mut packed_block = vec![0; packed::byte_len(self.block_len())];
        for (part, limb) in transform.iter().enumerate() {
            for (block, words) in limb.chunks_exact(self.block_len()).enumerate() {
                let at = self.entry_at(matrix.shape(), (part, block), (row, column));
                let bytes = &mut matrix.bytes[at..at + self.entry_nbytes()];
                match self.kind {
                    Kind::Doubles(_) => bytes.copy_from_slice(bytemuck::cast_slice(words)),
                    Kind::Primes { .. } => {
                        packed::pack(&mut packed_block, words);
                        bytes.copy_from_slice(&packed_block[..bytes.len()]);
                    }
                }
            }
        }
    }

    /// The transform of the polynomial at `(row, column)`, which [`Module::prepare`] put there.
    ///
    /// # Panics
    /// If the place is outside.
    pub(super) fn entry<B: Deref<Target = [u8]>>(
        &self,
        out: &mut [&mut [u64]],
        matrix: &PreparedMatrix<B>,
        (row, column): (usize, usize),
    ) {
        assert!(row < matrix.rows && column < matrix.columns && out.len() == self.width());
        for (part, limb) in out.iter_mut().enumerate() {
            for (block, words) in limb.chunks_exact_mut(self.block_len()).enumerate() {
                let at = self.entry_at(matrix.shape(), (part, block), (row, column));
                match self.kind {
                    Kind::Doubles(_) => {
                        bytemuck::cast_slice_mut(words).copy_from_slice(&matrix.bytes[at..at + self.entry_nbytes()]);
                    }
                    Kind::Primes { .. } => {
                        packed::unpack(words, &matrix.bytes[at..at + packed::byte_len(self.block_len())]);
                    }
                }
            }
        }
    }

    /// `out_c = Σ_r x_r·matrix_(r,c)` of transforms: rows beyond the operand's count are left out, as are columns that
    /// `out` has no place for; missing columns are 0.
    pub fn multiply_matrix<B: Deref<Target = [u8]> + Sync>(
        &self,
        out: &mut [&mut [u64]],
        x: &[&[u64]],
        matrix: &PreparedMatrix<B>,
    ) {
        let x = &x[..x.len().min(matrix.rows * self.width())];
        let out = out.iter_mut().map(|out| &mut **out).collect();
        self.multiply_shifted(&mut [out], &[x], matrix, Shape { digit: 1, columns: 1 });
    }

    /// Products of a [`Shape`], for several vectors of operands: each block of the matrix is read from memory once for
    /// all of them. Operands have at most as many entries as rows have digits.
    pub(super) fn multiply_shifted<B: Deref<Target = [u8]> + Sync>(
        &self,
        out: &mut [Vec<&mut [u64]>],
        x: &[&[&[u64]]],
        matrix: &PreparedMatrix<B>,
        Shape { digit, columns }: Shape,
    ) {
        let (width, len, rows) = (self.width(), self.block_len(), matrix.rows);
        let count = x.first().map_or(0, |x| x.len() / width);
        assert!(count <= rows * digit && x.iter().all(|x| x.len() == count * width));
        let outputs = out.first().map_or(0, |out| out.len() / (width * columns));
        let shifts = matrix.columns / columns;
        let mut work: Vec<Vec<Vec<&mut [u64]>>> = (0..self.n() / len).map(|_| Vec::new()).collect();
        for out in out {
            for (block, out) in blocks_mut(out.iter_mut().map(|out| &mut **out), len).into_iter().enumerate() {
                work[block].push(out);
            }
        }
        let Kind::Primes { ntts, .. } = &self.kind else {
            return self.multiply_doubles(work, x, matrix, Shape { digit, columns });
        };
        // For each few outputs and each column: what is multiplied, and which entries the next few need besides.
        let tile = |first: usize, column: usize| {
            let last = outputs.min(first + SLIDING_OUTPUTS) - first;
            let slides = (first..shifts.min(first + last + digit - 1)).flat_map(move |shift| {
                (0..rows).filter_map(move |row| {
                    // Output t has i = t + first + D − 1 − shift.
                    let from = (shift + 1).saturating_sub(first + digit);
                    let start = from + first + digit - 1 - shift;
                    let to = last.min(shift + 1 - first).min((from + count).saturating_sub(row * digit + start));
                    let y = (shift * columns + column) * rows + row;
                    (from < to).then_some(Slide { x: row * digit + start, y, from, to })
                })
            });
            let end = |first: usize| shifts.min(first + SLIDING_OUTPUTS + digit - 1) * columns * rows;
            let next = first + SLIDING_OUTPUTS;
            // After the last ones come those of the next part, or the next block.
            let whole = rows * matrix.columns;
            let needed = if next < outputs { end(first)..end(next) } else { whole..whole + end(0) };
            let share = |column: usize| needed.start + needed.len() * column / columns;
            (first, column, runs(slides), share(column)..share(column + 1))
        };
        let tiles: Vec<_> = (0..outputs)
            .step_by(SLIDING_OUTPUTS)
            .flat_map(|first| (0..columns).map(move |column| (first, column)))
            .map(|(first, column)| tile(first, column))
            .collect();
        let step = self.entry_nbytes();
        let each = work.par_iter_mut().enumerate().with_min_len(items_of_a_task(len * rows * matrix.columns * width));
        each.for_each(|(block, outs)| {
            let mut operands = vec![vec![0; count * len]; x.len()];
            let (mut sums, mut rest) = (vec![0; SLIDING_OUTPUTS * len], vec![0; SLIDING_OUTPUTS * len]);
            for part in 0..width {
                for (x, operands) in x.iter().zip(&mut operands) {
                    let limbs = x.iter().skip(part).step_by(width);
                    for (x, operand) in limbs.zip(operands.chunks_exact_mut(len)) {
                        operand.copy_from_slice(&x[block * len..][..len]);
                    }
                }
                let at = self.entry_at(matrix.shape(), (part, block), (0, 0));
                let here = &matrix.bytes[at..];
                for (first, column, runs, next) in &tiles {
                    let mut ahead = &here[(next.start * step).min(here.len())..(next.end * step).min(here.len())];
                    for (outs, x) in outs.iter_mut().zip(&operands) {
                        in_runs(ntts[part].modulus(), (&mut sums, &mut rest), runs, |m, out, run, k| {
                            m.sliding_sums_into(out, run, x, Factors::Packed(here), if k == 0 { ahead } else { &[] });
                        });
                        ahead = &[];
                        let targets = outs.iter_mut().skip((first * columns + column) * width + part);
                        for (out, sum) in targets.step_by(columns * width).zip(sums.chunks_exact(len)) {
                            out.copy_from_slice(sum);
                        }
                    }
                }
            }
        });
    }

    /// [`Module::multiply_shifted`] in doubles, block by block: outputs have nothing to share but what they read, which
    /// needs no copy.
    fn multiply_doubles<B: Deref<Target = [u8]> + Sync>(
        &self,
        mut work: Vec<Vec<Vec<&mut [u64]>>>,
        x: &[&[&[u64]]],
        matrix: &PreparedMatrix<B>,
        Shape { digit, columns }: Shape,
    ) {
        let Kind::Doubles(fft) = &self.kind else { unreachable!("doubles") };
        let (len, rows, shifts) = (self.block_len(), matrix.rows, matrix.columns / columns);
        let each = work.par_iter_mut().enumerate().with_min_len(items_of_a_task(len * rows * matrix.columns));
        each.for_each(|(block, outs)| {
            let at = self.entry_at(matrix.shape(), (0, block), (0, 0));
            let entries = bytemuck::cast_slice::<u8, f64>(&matrix.bytes[at..][..rows * matrix.columns * 8 * len]);
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for (j, column) in (0..outs[0].len()).map(|at| (at / columns, at % columns)) {
                for (outs, x) in outs.iter_mut().zip(x) {
                    left.clear();
                    right.clear();
                    for shift in j..shifts.min(j + digit) {
                        // Limb i of each digit, as far as there are limbs.
                        let limbs = x.iter().skip(j + digit - 1 - shift).step_by(digit);
                        left.extend(limbs.map(|x| bytemuck::cast_slice::<u64, f64>(&x[block * len..][..len])));
                        let of_column = entries.chunks_exact(len).skip((shift * columns + column) * rows);
                        right.extend(of_column.take(left.len() - right.len()));
                    }
                    fft.inner_product_into(bytemuck::cast_slice_mut(&mut *outs[j * columns + column]), &left, &right);
                }
            }
        });
    }

    /// The sums of all runs at one part of transforms.
    pub(super) fn slide_words(
        &self,
        part: usize,
        (sums, rest): (&mut [u64], &mut [u64]),
        runs: &[Vec<Slide>],
        (x, y): (&[u64], &[u64]),
    ) {
        match &self.kind {
            Kind::Doubles(fft) => {
                let len = sums.len() / SLIDING_OUTPUTS;
                for (t, out) in sums.chunks_exact_mut(len).enumerate() {
                    let here = || runs.iter().flatten().filter(|s| (s.from..s.to).contains(&t));
                    let x: Vec<&[f64]> =
                        here().map(|s| bytemuck::cast_slice(&x[(s.x + t - s.from) * len..][..len])).collect();
                    let y: Vec<&[f64]> = here().map(|s| bytemuck::cast_slice(&y[s.y * len..][..len])).collect();
                    fft.inner_product_into(bytemuck::cast_slice_mut(out), &x, &y);
                }
            }
            Kind::Primes { ntts, .. } => {
                in_runs(ntts[part].modulus(), (sums, rest), runs, |m, out, run, _| {
                    m.sliding_sums_into(out, run, x, Factors::Words(y), &[]);
                });
            }
        }
    }

    /// `out_j = s·x_j` of transforms; those that `x` lacks are 0.
    pub fn multiply_scalar(&self, out: &mut [&mut [u64]], scalar: &[&[u64]], x: &[&[u64]]) {
        let (width, len) = (self.width(), self.block_len());
        assert!(scalar.len() == width && out.len().is_multiple_of(width));
        let each = out.par_iter_mut().enumerate().with_min_len(items_of_a_task(self.n()));
        each.for_each(|(at, out)| match x.get(at) {
            None => out.fill(0),
            Some(x) => {
                let scalar = scalar[at % width];
                for ((out, s), x) in out.chunks_mut(len).zip(scalar.chunks(len)).zip(x.chunks(len)) {
                    match &self.kind {
                        Kind::Doubles(fft) => {
                            let [s, x] = [s, x].map(bytemuck::cast_slice::<u64, f64>);
                            fft.inner_product_into(bytemuck::cast_slice_mut(out), &[s], &[x]);
                        }
                        Kind::Primes { ntts, .. } => ntts[at % width].modulus().inner_product_into(out, &[s], &[x]),
                    }
                }
            }
        });
    }
}

/// The sum of what `of_run` writes for each run.
fn in_runs(
    m: &Modulus,
    (sums, rest): (&mut [u64], &mut [u64]),
    runs: &[Vec<Slide>],
    of_run: impl Fn(&Modulus, &mut [u64], &[Slide], usize),
) {
    for (k, run) in runs.iter().enumerate() {
        if k == 0 {
            of_run(m, sums, run, k);
        } else {
            of_run(m, rest, run, k);
            m.add_assign(sums, rest);
        }
    }
}
