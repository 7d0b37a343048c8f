//! Products of transforms: by a scalar, by a prepared matrix, and of two vectors.

use std::ops::{Deref, DerefMut};

use everlevel_math::packed;
use rayon::prelude::*;

use super::Module;
use super::blocks::{blocks, blocks_mut};
use super::module::Kind;
use crate::WordBuffer;

/// Words of a block of a product: those of a dozen operands stay in the second-level cache.
pub(super) const PRODUCT_BLOCK: usize = 512;

/// Terms whose sum a kernel takes at once.
const TERMS: usize = 64;

/// A matrix of polynomials, transformed, in the order in which products read it: for each prime and each block of
/// words, column by column, the block of each row. Residues have six bytes, doubles eight.
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

/// A term of a column's sum: the operand, and the row and the group of columns of the matrix's entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub operand: usize,
    pub row: usize,
    pub group: usize,
}

impl Module {
    fn word_nbytes(&self) -> usize {
        if matches!(self.kind, Kind::Doubles(_)) { 8 } else { 6 }
    }

    fn block_len(&self) -> usize {
        PRODUCT_BLOCK.min(self.n())
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
        let blocks = self.n() / self.block_len();
        (((part * blocks + block) * columns + column) * rows + row) * self.entry_nbytes()
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
        let rows = matrix.rows.min(x.len() / self.width());
        let terms = |column: usize| -> Vec<Term> {
            let rows = if column < matrix.columns { rows } else { 0 };
            (0..rows).map(|row| Term { operand: row, row, group: column }).collect()
        };
        self.multiply_terms::<1, B>(&mut [out.iter_mut().map(|out| &mut **out).collect()], &[x], matrix, &terms);
    }

    /// Sums of `terms(g)` for each group `g` of `GROUP` columns of `out`, for several vectors of operands: each block
    /// of the matrix is read from memory once for all of them.
    pub(super) fn multiply_terms<const GROUP: usize, B: Deref<Target = [u8]> + Sync>(
        &self,
        out: &mut [Vec<&mut [u64]>],
        x: &[&[&[u64]]],
        matrix: &PreparedMatrix<B>,
        terms: &(dyn Fn(usize) -> Vec<Term> + Sync),
    ) {
        let (width, len) = (self.width(), self.block_len());
        let groups = out.first().map_or(0, |out| out.len() / (width * GROUP));
        let terms: Vec<Vec<Term>> = (0..groups).map(terms).collect();
        // By part and block: the block of every operand, and of every result.
        let inputs: Vec<Vec<Vec<&[u64]>>> = x.iter().map(|x| blocks(x.iter().copied(), len)).collect();
        let mut work: Vec<Vec<Vec<&mut [u64]>>> = (0..self.n() / len).map(|_| Vec::new()).collect();
        for out in out {
            for (block, out) in blocks_mut(out.iter_mut().map(|out| &mut **out), len).into_iter().enumerate() {
                work[block].push(out);
            }
        }
        let step = self.entry_nbytes();
        work.par_iter_mut().enumerate().for_each(|(block, outs)| {
            for part in 0..width {
                for (group, terms) in terms.iter().enumerate() {
                    let entries = |column: usize| -> Vec<&[u8]> {
                        let entry = |term: &Term| {
                            let place = (term.row, term.group * GROUP + column);
                            let at = self.entry_at(matrix.shape(), (part, block), place);
                            &matrix.bytes[at..at + step + packed::byte_len(0)]
                        };
                        terms.iter().map(entry).collect()
                    };
                    let y: [Vec<&[u8]>; GROUP] = std::array::from_fn(entries);
                    for (outs, input) in outs.iter_mut().zip(&inputs) {
                        let x: Vec<&[u64]> =
                            terms.iter().map(|term| input[block][term.operand * width + part]).collect();
                        let mut out: Vec<&mut [u64]> = outs
                            .iter_mut()
                            .skip(group * GROUP * width + part)
                            .step_by(width)
                            .take(GROUP)
                            .map(|out| &mut **out)
                            .collect();
                        self.sums_of_packed(part, &mut out, &x, &y);
                    }
                }
            }
        });
    }

    /// `out_c = Σ_k x_k·y_(c,k)` at one part of transforms, with entries of a matrix.
    fn sums_of_packed<const GROUP: usize>(
        &self,
        part: usize,
        out: &mut [&mut [u64]],
        x: &[&[u64]],
        y: &[Vec<&[u8]>; GROUP],
    ) {
        match &self.kind {
            Kind::Doubles(_) => {
                for (out, y) in out.iter_mut().zip(y) {
                    let len = 8 * out.len();
                    let y: Vec<&[u64]> = y.iter().map(|y| bytemuck::cast_slice(&y[..len])).collect();
                    self.inner_product(part, out, x, &y);
                }
            }
            Kind::Primes { ntts, .. } => {
                let m = ntts[part].modulus();
                let whole = x.len().min(TERMS);
                match (&mut *out, y.as_slice()) {
                    ([a, b], [y0, y1]) => {
                        m.inner_product_packed_pair_into(a, b, &x[..whole], &y0[..whole], &y1[..whole])
                    }
                    _ => {
                        for (out, y) in out.iter_mut().zip(y) {
                            m.inner_product_packed_into(out, &x[..whole], &y[..whole]);
                        }
                    }
                }
                let mut rest = [0; PRODUCT_BLOCK];
                for first in (whole..x.len()).step_by(TERMS) {
                    let range = first..(first + TERMS).min(x.len());
                    for (out, y) in out.iter_mut().zip(y) {
                        let rest = &mut rest[..out.len()];
                        m.inner_product_packed_into(rest, &x[range.clone()], &y[range.clone()]);
                        m.add_assign(out, rest);
                    }
                }
            }
        }
    }

    /// `out = Σ_k x_k·y_k` at one part of transforms, for a block of words.
    fn inner_product(&self, part: usize, out: &mut [u64], x: &[&[u64]], y: &[&[u64]]) {
        match &self.kind {
            Kind::Doubles(fft) => {
                let x: Vec<&[f64]> = x.iter().map(|x| bytemuck::cast_slice::<u64, f64>(x)).collect();
                let y: Vec<&[f64]> = y.iter().map(|y| bytemuck::cast_slice::<u64, f64>(y)).collect();
                fft.inner_product_into(bytemuck::cast_slice_mut(out), &x, &y);
            }
            Kind::Primes { ntts, .. } => {
                let m = ntts[part].modulus();
                let whole = x.len().min(TERMS);
                m.inner_product_into(out, &x[..whole], &y[..whole]);
                let mut rest = [0; PRODUCT_BLOCK];
                for first in (whole..x.len()).step_by(TERMS) {
                    let range = first..(first + TERMS).min(x.len());
                    let rest = &mut rest[..out.len()];
                    m.inner_product_into(rest, &x[range.clone()], &y[range]);
                    m.add_assign(out, rest);
                }
            }
        }
    }

    /// `out_j = s·x_j` of transforms; those that `x` lacks are 0.
    pub fn multiply_scalar(&self, out: &mut [&mut [u64]], scalar: &[&[u64]], x: &[&[u64]]) {
        let width = self.width();
        assert!(scalar.len() == width && out.len().is_multiple_of(width));
        out.par_iter_mut().enumerate().for_each(|(at, out)| match x.get(at) {
            None => out.fill(0),
            Some(x) => {
                let scalar = scalar[at % width];
                for ((out, s), x) in
                    out.chunks_mut(PRODUCT_BLOCK).zip(scalar.chunks(PRODUCT_BLOCK)).zip(x.chunks(PRODUCT_BLOCK))
                {
                    self.inner_product(at % width, out, &[s], &[x]);
                }
            }
        });
    }

    /// `out_k = Σ_{i + j = k + offset} a_i·b_j` of transforms, sums over several pairs `(a, b)`: the product of
    /// polynomials in `Y = 2^−K`, without its first `offset` coefficients.
    pub fn convolve(&self, out: &mut [&mut [u64]], offset: usize, pairs: &[[&[&[u64]]; 2]]) {
        let (width, len) = (self.width(), self.block_len());
        let count = out.len() / width;
        let inputs: Vec<[Vec<Vec<&[u64]>>; 2]> =
            pairs.iter().map(|pair| pair.map(|x| blocks(x.iter().copied(), len))).collect();
        let work = blocks_mut(out.iter_mut().map(|out| &mut **out), len);
        work.into_par_iter().enumerate().for_each(|(block, mut out)| {
            for part in 0..width {
                for k in 0..count {
                    let (mut x, mut y): (Vec<&[u64]>, Vec<&[u64]>) = (Vec::new(), Vec::new());
                    for ([a_blocks, b_blocks], [a, b]) in inputs.iter().zip(pairs) {
                        let (a_count, b_count) = (a.len() / width, b.len() / width);
                        let sum = k + offset;
                        for i in (sum + 1).saturating_sub(b_count)..a_count.min(sum + 1) {
                            x.push(a_blocks[block][i * width + part]);
                            y.push(b_blocks[block][(sum - i) * width + part]);
                        }
                    }
                    self.inner_product(part, &mut *out[k * width + part], &x, &y);
                }
            }
        });
    }
}
