//! Products of transforms: by a scalar, by a prepared matrix, and of two vectors.

use std::ops::{Deref, DerefMut};

use everlevel_math::{Factors, Modulus, SLIDING_OUTPUTS, Slide, Slides, packed};
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

/// Slides of one second factor each, joined where neighbours go to the same outputs, in runs of at most
/// [`Slides::TERMS`] products for each output.
fn runs(slides: impl Iterator<Item = Slide>) -> Vec<Slides> {
    let (mut runs, mut terms) = (vec![Vec::new()], [0; SLIDING_OUTPUTS]);
    for slide in slides {
        if terms[slide.from..slide.to].contains(&Slides::TERMS) {
            runs.push(Vec::new());
            terms.fill(0);
        }
        terms[slide.from..slide.to].iter_mut().for_each(|terms| *terms += 1);
        let run: &mut Vec<Slide> = runs.last_mut().unwrap_or_else(|| unreachable!("one at first"));
        if !run.last_mut().is_some_and(|last| last.joins(&slide)) {
            run.push(slide);
        }
    }
    runs.into_iter().map(Slides::new).collect()
}

impl Module {
    fn word_nbytes(&self) -> usize {
        if matches!(self.kind, Kind::Doubles(_)) { 8 } else { 6 }
    }

    fn block_len(&self) -> usize {
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
                    (from < to).then_some(Slide::new(row * digit + start, y, from..to))
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
                    gather(operands, len, x.iter().skip(part).step_by(width), block);
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
                        scatter(&mut outs[(first * columns + column) * width + part..], columns * width, &sums);
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
    fn slide_words(
        &self,
        part: usize,
        (sums, rest): (&mut [u64], &mut [u64]),
        runs: &[Slides],
        (x, y): (&[u64], &[u64]),
    ) {
        match &self.kind {
            Kind::Doubles(fft) => {
                let len = sums.len() / SLIDING_OUTPUTS;
                for (t, out) in sums.chunks_exact_mut(len).enumerate() {
                    let here = || runs.iter().flat_map(|run| run.of_output(t));
                    let place = |at: usize| at * len..(at + 1) * len;
                    let x: Vec<&[f64]> = here().map(|(i, _)| bytemuck::cast_slice(&x[place(i)])).collect();
                    let y: Vec<&[f64]> = here().map(|(_, j)| bytemuck::cast_slice(&y[place(j)])).collect();
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

    /// `out_k = Σ_{i + j = k + offset} a_i·b_j` of transforms, sums over several pairs `(a, b)`: the product of
    /// polynomials in `Y = 2^−K`, without its first `offset` coefficients.
    pub fn convolve(&self, out: &mut [&mut [u64]], offset: usize, pairs: &[[&[&[u64]]; 2]]) {
        let (width, len) = (self.width(), self.block_len());
        // The place of each pair's factors, one pair after another.
        let mut places = Vec::new();
        let (mut a_end, mut b_end) = (0, 0);
        for [a, b] in pairs {
            let (a_count, b_count) = (a.len() / width, b.len() / width);
            places.push(Place { a: a_end, a_count, b: b_end, b_count });
            (a_end, b_end) = (a_end + a_count, b_end + b_count);
        }
        let tiles = convolution(&places, offset, out.len() / width);
        let work = blocks_mut(out.iter_mut().map(|out| &mut **out), len);
        work.into_par_iter().enumerate().for_each(|(block, mut out)| {
            let (mut x, mut y) = (vec![0; a_end * len], vec![0; b_end * len]);
            let [mut sums, mut rest] = [(); 2].map(|()| vec![0; SLIDING_OUTPUTS * len]);
            for part in 0..width {
                for (side, words) in [&mut x, &mut y].into_iter().enumerate() {
                    let limbs = pairs.iter().flat_map(|pair| pair[side].iter().skip(part).step_by(width));
                    gather(words, len, limbs, block);
                }
                for (first, runs) in &tiles {
                    self.slide_words(part, (&mut sums, &mut rest), runs, (&x, &y));
                    scatter(&mut out[first * width + part..], width, &sums);
                }
            }
        });
    }

    /// Products as of [`Module::convolve`]: `x_0·y_0`, `x_0·y_1 + x_1·y_0` and `x_1·y_1`, whose factors are read from
    /// memory once for all three. There is one product for both in the middle: `(x_0 + x_1)·(y_0 + y_1)` less the
    /// others.
    pub(super) fn tensor(&self, out: [&mut [&mut [u64]]; 3], offset: usize, x: [&[&[u64]]; 2], y: [&[&[u64]]; 2]) {
        let [first, middle, last] = out;
        let Kind::Primes { ntts, .. } = &self.kind else {
            // Differences of sums would have rounding errors of their own.
            self.convolve(first, offset, &[[x[0], y[0]]]);
            self.convolve(middle, offset, &[[x[0], y[1]], [x[1], y[0]]]);
            self.convolve(last, offset, &[[x[1], y[1]]]);
            return;
        };
        let (width, len, count) = (self.width(), self.block_len(), first.len() / self.width());
        let [a_count, b_count] = [x, y].map(|z| z[0].len() / width);
        let tiles = convolution(&[Place { a: 0, a_count, b: 0, b_count }], offset, count);
        let outs = [first, last, middle].map(|out| blocks_mut(out.iter_mut().map(|out| &mut **out), len));
        let [first, last, middle] = outs.map(IntoIterator::into_iter);
        let work: Vec<_> = first.zip(last).zip(middle).map(|((first, last), middle)| [first, last, middle]).collect();
        work.into_par_iter().enumerate().for_each(|(block, mut out)| {
            let mut x_words = [(); 3].map(|()| vec![0; a_count * len]);
            let mut y_words = [(); 3].map(|()| vec![0; b_count * len]);
            let mut sums = [(); 3].map(|()| vec![0; SLIDING_OUTPUTS * len]);
            let mut rest = vec![0; SLIDING_OUTPUTS * len];
            for part in 0..width {
                let m = ntts[part].modulus();
                for (words, z) in [(&mut x_words, x), (&mut y_words, y)] {
                    let [first, last, both] = words;
                    gather(first, len, z[0].iter().skip(part).step_by(width), block);
                    gather(last, len, z[1].iter().skip(part).step_by(width), block);
                    both.copy_from_slice(first);
                    m.add_assign(both, last);
                }
                for (at, runs) in &tiles {
                    for ((sums, x), y) in sums.iter_mut().zip(&x_words).zip(&y_words) {
                        self.slide_words(part, (sums, &mut rest), runs, (x, y));
                    }
                    let [first, last, middle] = &mut sums;
                    m.sub_assign(middle, first);
                    m.sub_assign(middle, last);
                    for (out, sums) in out.iter_mut().zip(&sums) {
                        scatter(&mut out[at * width + part..], width, sums);
                    }
                }
            }
        });
    }
}

/// Where the factors of a convolution lie.
struct Place {
    a: usize,
    a_count: usize,
    b: usize,
    b_count: usize,
}

/// The slides of a sum of convolutions, for each few of `count` outputs from coefficient `offset` on.
fn convolution(places: &[Place], offset: usize, count: usize) -> Vec<(usize, Vec<Slides>)> {
    let tile = |first: usize| {
        let slides = places.iter().flat_map(move |place| {
            (0..place.b_count).filter_map(move |j| {
                // Output t has i = t + first + offset − j.
                let from = j.saturating_sub(first + offset);
                let to = (place.a_count + j).saturating_sub(first + offset).min(count - first).min(SLIDING_OUTPUTS);
                (from < to).then(|| Slide::new(place.a + from + first + offset - j, place.b + j, from..to))
            })
        });
        (first, runs(slides))
    };
    (0..count).step_by(SLIDING_OUTPUTS).map(tile).collect()
}

/// A block of each limb, one after another.
fn gather<'a>(words: &mut [u64], len: usize, limbs: impl Iterator<Item = &'a &'a [u64]>, block: usize) {
    for (words, limb) in words.chunks_exact_mut(len).zip(limbs) {
        words.copy_from_slice(&limb[block * len..][..len]);
    }
}

/// Sums of a few outputs to their places, `step` apart.
fn scatter(out: &mut [&mut [u64]], step: usize, sums: &[u64]) {
    let len = sums.len() / SLIDING_OUTPUTS;
    out.iter_mut().step_by(step).zip(sums.chunks_exact(len)).for_each(|(out, sum)| out.copy_from_slice(sum));
}

/// The sum of what `of_run` writes for each run.
fn in_runs(
    m: &Modulus,
    (sums, rest): (&mut [u64], &mut [u64]),
    runs: &[Slides],
    of_run: impl Fn(&Modulus, &mut [u64], &Slides, usize),
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
