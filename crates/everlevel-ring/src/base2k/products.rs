//! Products of transforms: by a scalar, by a prepared matrix, and of two vectors.

use std::ops::{Deref, DerefMut, Range};

use everlevel_math::{Factors, Modulus, PastCaches, SLIDING_OUTPUTS, Simd, Slide, Slides, packed, sliding_words};
use rayon::prelude::*;

use super::Module;
use super::layout::{AlignedWords, blocks_mut, items_of_a_task};
use super::module::Kind;
use crate::WordBuffer;

/// Words of a block of a product, whose operands are gathered at once: pages of 4 KiB.
const PRODUCT_BLOCK: usize = 512;

/// A matrix of polynomials, transformed, in the order in which products read it: for each block of words, each prime
/// and each stretch of the block, column by column, the stretch of each row. Residues have six bytes, doubles eight.
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

/// Shape of a product of a vector and a matrix: output `j` in each of `columns` columns is
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
        self.n().min(PRODUCT_BLOCK)
    }

    /// Words of a block that are multiplied at once, side by side.
    fn stretch_len(&self) -> usize {
        if matches!(self.kind, Kind::Doubles(_)) { self.block_len() } else { self.n().min(sliding_words(Simd::best())) }
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

    /// Bytes from one entry's stretch to the next.
    fn entry_nbytes(&self) -> usize {
        self.stretch_len() * self.word_nbytes()
    }

    /// The first byte of the stretch of an entry in which a word of a part is.
    fn entry_at(
        &self,
        (rows, columns): (usize, usize),
        (part, word): (usize, usize),
        (row, column): (usize, usize),
    ) -> usize {
        let stretches = self.block_len() / self.stretch_len();
        let (block, stretch) = (word / self.block_len(), word % self.block_len() / self.stretch_len());
        let stretch = (block * self.width() + part) * stretches + stretch;
        ((stretch * columns + column) * rows + row) * self.entry_nbytes()
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
        let mut packed_words = vec![0; packed::byte_len(self.stretch_len())];
        for (part, limb) in transform.iter().enumerate() {
            for (stretch, words) in limb.chunks_exact(self.stretch_len()).enumerate() {
                let at = self.entry_at(matrix.shape(), (part, stretch * self.stretch_len()), (row, column));
                let bytes = &mut matrix.bytes[at..at + self.entry_nbytes()];
                match self.kind {
                    Kind::Doubles(_) => bytes.copy_from_slice(bytemuck::cast_slice(words)),
                    Kind::Primes { .. } => {
                        packed::pack(&mut packed_words, words);
                        bytes.copy_from_slice(&packed_words[..bytes.len()]);
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
            for (stretch, words) in limb.chunks_exact_mut(self.stretch_len()).enumerate() {
                let at = self.entry_at(matrix.shape(), (part, stretch * self.stretch_len()), (row, column));
                match self.kind {
                    Kind::Doubles(_) => {
                        bytemuck::cast_slice_mut(words).copy_from_slice(&matrix.bytes[at..at + self.entry_nbytes()]);
                    }
                    Kind::Primes { .. } => {
                        packed::unpack(words, &matrix.bytes[at..at + packed::byte_len(self.stretch_len())]);
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
        self.multiply_shifted(&mut [out], &[x], &[matrix], Shape { digit: 1, columns: 1 });
    }

    /// Products of a [`Shape`]. With one matrix, those of several vectors of operands: each block of it is read from
    /// memory once for all of them. With a matrix for each vector, all of one shape, the sum of their products, which
    /// is written once. Operands have at most as many entries as rows have digits.
    pub(super) fn multiply_shifted<B: Deref<Target = [u8]> + Sync>(
        &self,
        out: &mut [Vec<&mut [u64]>],
        x: &[&[&[u64]]],
        matrices: &[&PreparedMatrix<B>],
        Shape { digit, columns }: Shape,
    ) {
        let Some((matrix, others)) = matrices.split_first() else { return };
        let is_sum = !others.is_empty();
        assert!(others.iter().all(|other| other.shape() == matrix.shape()), "matrices of one shape");
        assert!(if is_sum { out.len() == 1 && x.len() == matrices.len() } else { out.len() == x.len() });
        let (width, len, rows) = (self.width(), self.block_len(), matrix.rows);
        let count = x.first().map_or(0, |x| x.len() / width);
        assert!(count <= rows * digit && x.iter().all(|x| x.len() == count * width));
        let outputs = out.first().map_or(0, |out| out.len() / (width * columns));
        let shifts = matrix.columns / columns;
        let out_count = out.len();
        let mut work: Vec<Vec<Vec<&mut [u64]>>> = (0..self.n() / len).map(|_| Vec::new()).collect();
        for out in out {
            for (block, out) in blocks_mut(out.iter_mut().map(|out| &mut **out), len).into_iter().enumerate() {
                work[block].push(out);
            }
        }
        let Kind::Primes { ntts, .. } = &self.kind else {
            return self.multiply_doubles(work, x, matrices, Shape { digit, columns });
        };
        // For each few outputs and each column: what is multiplied, and the place of the first sum.
        let places = outputs.next_multiple_of(SLIDING_OUTPUTS);
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
            (column * places + first, runs(slides))
        };
        let tiles: Vec<_> = (0..outputs)
            .step_by(SLIDING_OUTPUTS)
            .flat_map(|first| (0..columns).map(move |column| (first, column)))
            .map(|(first, column)| tile(first, column))
            .collect();
        let stretch = self.stretch_len();
        // Entries of a stretch, of which each tile asks for its share of the next stretch's.
        let whole = self.entry_nbytes() * rows * shifts.min(outputs + digit - 1) * columns;
        let step = self.entry_nbytes() * rows * matrix.columns;
        let share = |tile: usize| step + whole * tile / tiles.len();
        let each = work.par_iter_mut().enumerate().with_min_len(items_of_a_task(len * rows * matrix.columns * width));
        let memory = || {
            let some =
                |how_many: usize, len: usize| (0..how_many).map(|_| AlignedWords::zeroed(len)).collect::<Vec<_>>();
            let sums = some(out_count, columns * places * stretch);
            (some(x.len(), count * len), sums, AlignedWords::zeroed(SLIDING_OUTPUTS * stretch))
        };
        each.for_each_init(memory, |(operands, sums, rest), (block, outs)| {
            let past = self.past_caches(out_count * outputs * columns);
            for part in 0..width {
                for (x, operands) in x.iter().zip(&mut *operands) {
                    gather(operands, stretch, x.iter().skip(part).step_by(width), block * len);
                }
                for word in (0..len).step_by(stretch) {
                    let at = self.entry_at(matrix.shape(), (part, block * len + word), (0, 0));
                    for (index, (first, runs)) in tiles.iter().enumerate() {
                        for (k, x) in operands.iter().enumerate() {
                            let (result, matrix) = if is_sum { (0, k) } else { (k, 0) };
                            let here = &matrices[matrix].bytes[at..];
                            // A matrix is brought nearer once.
                            let ahead = match is_sum || k == 0 {
                                true => &here[share(index).min(here.len())..share(index + 1).min(here.len())],
                                false => &[],
                            };
                            let sums = &mut sums[result][first * stretch..][..SLIDING_OUTPUTS * stretch];
                            let x = &x[count * word..][..count * stretch];
                            let (m, is_onto) = (ntts[part].modulus(), is_sum && k > 0);
                            in_runs(m, (sums, rest), (runs, is_onto), |m, out, run, k| {
                                let ahead = if k == 0 { ahead } else { &[] };
                                m.sliding_sums_into(out, run, x, Factors::Packed(here), ahead);
                            });
                        }
                    }
                    for (outs, sums) in outs.iter_mut().zip(&*sums) {
                        for (column, sums) in sums.chunks_exact(places * stretch).enumerate() {
                            let outs = &mut outs[column * width + part..];
                            scatter(outs, columns * width, word..word + stretch, sums, past.as_ref());
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
        matrices: &[&PreparedMatrix<B>],
        Shape { digit, columns }: Shape,
    ) {
        let Kind::Doubles(fft) = &self.kind else { unreachable!("doubles") };
        let (len, matrix, is_sum) = (self.block_len(), matrices[0], matrices.len() > 1);
        let (rows, shifts) = (matrix.rows, matrix.columns / columns);
        let each = work.par_iter_mut().enumerate().with_min_len(items_of_a_task(len * rows * matrix.columns));
        each.for_each(|(block, outs)| {
            let at = self.entry_at(matrix.shape(), (0, block * len), (0, 0));
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for (j, column) in (0..outs[0].len()).map(|at| (at / columns, at % columns)) {
                for (result, outs) in outs.iter_mut().enumerate() {
                    left.clear();
                    right.clear();
                    let terms = if is_sum { 0..x.len() } else { result..result + 1 };
                    for (x, matrix) in terms.map(|k| (x[k], matrices[if is_sum { k } else { 0 }])) {
                        let bytes = &matrix.bytes[at..][..rows * matrix.columns * 8 * len];
                        let entries = bytemuck::cast_slice::<u8, f64>(bytes);
                        for shift in j..shifts.min(j + digit) {
                            // Limb i of each digit, as far as there are limbs.
                            let limbs = x.iter().skip(j + digit - 1 - shift).step_by(digit);
                            left.extend(limbs.map(|x| bytemuck::cast_slice::<u64, f64>(&x[block * len..][..len])));
                            let of_column = entries.chunks_exact(len).skip((shift * columns + column) * rows);
                            right.extend(of_column.take(left.len() - right.len()));
                        }
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
                in_runs(ntts[part].modulus(), (sums, rest), (runs, false), |m, out, run, _| {
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
        let (width, len, stretch) = (self.width(), self.block_len(), self.stretch_len());
        // The place of each pair's factors, one pair after another.
        let mut places = Vec::new();
        let (mut a_end, mut b_end) = (0, 0);
        for [a, b] in pairs {
            let (a_count, b_count) = (a.len() / width, b.len() / width);
            places.push(Place { a: a_end, a_count, b: b_end, b_count });
            (a_end, b_end) = (a_end + a_count, b_end + b_count);
        }
        let count = out.len() / width;
        let tiles = convolution(&places, offset, count);
        let work = blocks_mut(out.iter_mut().map(|out| &mut **out), len);
        let of_sums = count.next_multiple_of(SLIDING_OUTPUTS) * stretch;
        let memory = || [a_end * len, b_end * len, of_sums, SLIDING_OUTPUTS * stretch].map(AlignedWords::zeroed);
        work.into_par_iter().enumerate().for_each_init(memory, |[x, y, sums, rest], (block, mut out)| {
            let past = self.past_caches(count);
            for part in 0..width {
                for (side, words) in [&mut *x, &mut *y].into_iter().enumerate() {
                    let limbs = pairs.iter().flat_map(|pair| pair[side].iter().skip(part).step_by(width));
                    gather(words, stretch, limbs, block * len);
                }
                for word in (0..len).step_by(stretch) {
                    let (x, y) = (&x[a_end * word..][..a_end * stretch], &y[b_end * word..][..b_end * stretch]);
                    for (first, runs) in &tiles {
                        let sums = &mut sums[first * stretch..][..SLIDING_OUTPUTS * stretch];
                        self.slide_words(part, (sums, rest), runs, (x, y));
                    }
                    scatter(&mut out[part..], width, word..word + stretch, sums, past.as_ref());
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
        let (width, len, stretch) = (self.width(), self.block_len(), self.stretch_len());
        let count = first.len() / width;
        let [a_count, b_count] = [x, y].map(|z| z[0].len() / width);
        let tiles = convolution(&[Place { a: 0, a_count, b: 0, b_count }], offset, count);
        let outs = [first, last, middle].map(|out| blocks_mut(out.iter_mut().map(|out| &mut **out), len));
        let [first, last, middle] = outs.map(IntoIterator::into_iter);
        let work: Vec<_> = first.zip(last).zip(middle).map(|((first, last), middle)| [first, last, middle]).collect();
        let of_sums = count.next_multiple_of(SLIDING_OUTPUTS) * stretch;
        let memory = || {
            let each = [a_count * len, b_count * len, of_sums].map(|len| [(); 3].map(|()| AlignedWords::zeroed(len)));
            (each, AlignedWords::zeroed(SLIDING_OUTPUTS * stretch))
        };
        let each = work.into_par_iter().enumerate();
        each.for_each_init(memory, |([x_words, y_words, sums], rest), (block, mut out)| {
            let past = self.past_caches(3 * count);
            for part in 0..width {
                let m = ntts[part].modulus();
                for (words, z) in [(&mut *x_words, x), (&mut *y_words, y)] {
                    let [first, last, both] = words;
                    gather(first, stretch, z[0].iter().skip(part).step_by(width), block * len);
                    gather(last, stretch, z[1].iter().skip(part).step_by(width), block * len);
                    both.copy_from_slice(first);
                    m.add_assign(both, last);
                }
                for word in (0..len).step_by(stretch) {
                    let place = |count: usize| count * word..count * (word + stretch);
                    for (first, runs) in &tiles {
                        for ((sums, x), y) in sums.iter_mut().zip(&*x_words).zip(&*y_words) {
                            let sums = &mut sums[first * stretch..][..SLIDING_OUTPUTS * stretch];
                            self.slide_words(part, (sums, rest), runs, (&x[place(a_count)], &y[place(b_count)]));
                        }
                    }
                    let [first, last, middle] = &mut *sums;
                    m.sub_assign(middle, first);
                    m.sub_assign(middle, last);
                    for (out, sums) in out.iter_mut().zip(&*sums) {
                        scatter(&mut out[part..], width, word..word + stretch, sums, past.as_ref());
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

/// A block of limbs from word `from` on, stretch by stretch: that of each limb, one after another.
fn gather<'a>(words: &mut [u64], stretch: usize, limbs: impl Iterator<Item = &'a &'a [u64]> + Clone, from: usize) {
    let count = limbs.clone().count();
    let len = words.len() / count.max(1);
    for (i, limb) in limbs.enumerate() {
        for (j, piece) in limb[from..from + len].chunks_exact(stretch).enumerate() {
            words[(j * count + i) * stretch..][..stretch].copy_from_slice(piece);
        }
    }
}

/// Sums of outputs to their places, `step` apart, and some words of these.
///
/// Nobody reads or writes the places before copies past the caches have ended.
fn scatter(out: &mut [&mut [u64]], step: usize, words: Range<usize>, sums: &[u64], past: Option<&PastCaches>) {
    for (out, sum) in out.iter_mut().step_by(step).zip(sums.chunks_exact(words.len())) {
        let out = &mut out[words.clone()];
        match past {
            // SAFETY: these copies end with the task that has the places.
            Some(past) => unsafe { past.copy(out, sum) },
            None => out.copy_from_slice(sum),
        }
    }
}

/// The sum of what `of_run` writes for each run, and of what there is where it `is_onto`.
fn in_runs(
    m: &Modulus,
    (sums, rest): (&mut [u64], &mut [u64]),
    (runs, is_onto): (&[Slides], bool),
    of_run: impl Fn(&Modulus, &mut [u64], &Slides, usize),
) {
    for (k, run) in runs.iter().enumerate() {
        if k == 0 && !is_onto {
            of_run(m, sums, run, k);
        } else {
            of_run(m, rest, run, k);
            m.add_assign(sums, rest);
        }
    }
}
