//! Half external products over limbs.
//!
//! A digit `A_r = Σ_i a_(rD+i)·2^((D−1−i)·K)` is its limbs; its product with a row is that of each limb with the row,
//! shifted up by `D−1−i` limbs. So limb `j` of the sum is `Σ_(r,i) a_(rD+i)·row_r[j + D−1−i]`, in which what is above
//! the point vanishes modulo 1, and nothing is computed for it.

use super::products::Shape;
use super::ring::{GUARD, words, words_mut};
use super::{LimbGadget, LimbRing, Limbs, PreparedMatrix};
use crate::{HalfProduct, Limb};

/// The transforms of an element's limbs.
#[derive(Debug)]
pub struct LimbDigits {
    count: usize,
    transforms: Vec<Limb>,
}

/// The rows of a key, prepared: a column for each limb of each mask and of the body, side by side.
#[derive(Debug)]
pub struct LimbRows {
    gadget: LimbGadget,
    matrix: PreparedMatrix,
}

impl LimbRows {
    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        self.matrix.nbytes()
    }
}

/// Transforms of a sum's limbs, each with those of all columns.
#[derive(Debug)]
pub struct LimbSum {
    columns: usize,
    limbs: Vec<Limb>,
}

impl LimbRing {
    /// Rows of zeros, for samples of some rank; [`LimbRing::prepare_row`] fills them.
    pub fn zero_rows(&self, gadget: &LimbGadget, rank: usize) -> LimbRows {
        LimbRows { gadget: *gadget, matrix: self.module().zero_matrix(gadget.digits, gadget.limbs * (rank + 1)) }
    }

    /// Bytes of the rows of a key.
    pub fn rows_nbytes(&self, gadget: &LimbGadget, rank: usize) -> usize {
        self.module().matrix_nbytes(gadget.digits, gadget.limbs * (rank + 1))
    }

    /// Transforms a row, its masks and then its body.
    ///
    /// # Panics
    /// If these aren't as many elements, of as many limbs, as the rows have.
    pub fn prepare_row(&self, rows: &mut LimbRows, row: usize, sample: &[&Limbs]) {
        let columns = sample.len();
        assert_eq!(rows.matrix.shape().1, rows.gadget.limbs * columns);
        for (column, poly) in sample.iter().enumerate() {
            assert_eq!(poly.count(), rows.gadget.limbs);
            for (j, limb) in poly.views().into_iter().enumerate() {
                self.module().prepare(&mut rows.matrix, (row, j * columns + column), limb);
            }
        }
    }

    /// An element of a row, a mask or the body, as [`LimbRing::prepare_row`] took it: its inverse transforms.
    ///
    /// # Panics
    /// If there is none at this place.
    pub fn row_element(&self, rows: &LimbRows, row: usize, column: usize) -> Limbs {
        let (limbs, width) = (rows.gadget.limbs, self.module().width());
        let columns = rows.matrix.shape().1 / limbs;
        let mut transforms = self.module().scratch(limbs * width);
        for (j, transform) in transforms.chunks_exact_mut(width).enumerate() {
            self.module().entry(&mut words_mut(transform), &rows.matrix, (row, j * columns + column));
        }
        self.carried(transforms, limbs)
    }
}

impl HalfProduct for LimbRing {
    type Digits = LimbDigits;
    type Rows = LimbRows;
    type Sum = LimbSum;

    /// # Panics
    /// If an element has more limbs than the digits.
    fn digits(&self, gadget: &LimbGadget, polys: &[&Limbs]) -> Vec<LimbDigits> {
        let digits = |poly: &&Limbs| {
            assert!(poly.count() <= gadget.digits * gadget.digit_limbs && poly.count() <= self.max_limbs());
            LimbDigits { count: poly.count(), transforms: self.transformed(&poly.views()) }
        };
        polys.iter().map(digits).collect()
    }

    /// # Panics
    /// If the operands don't have the same number of limbs.
    fn multiply(&self, digits: &[&LimbDigits], rows: &LimbRows) -> Vec<LimbSum> {
        let Some(first) = digits.first() else { return Vec::new() };
        assert!(digits.iter().all(|d| d.count == first.count), "operands of one precision");
        let LimbGadget { digit_limbs, limbs, .. } = rows.gadget;
        let columns = rows.matrix.shape().1 / limbs;
        let count = limbs.min(first.count + GUARD);
        let module = self.module();
        let sum = || LimbSum { columns, limbs: module.scratch(count * columns * module.width()) };
        let mut sums: Vec<LimbSum> = digits.iter().map(|_| sum()).collect();
        let inputs: Vec<Vec<&[u64]>> = digits.iter().map(|digits| words(&digits.transforms)).collect();
        let inputs: Vec<&[&[u64]]> = inputs.iter().map(Vec::as_slice).collect();
        let mut outs: Vec<Vec<&mut [u64]>> = sums.iter_mut().map(|sum| words_mut(&mut sum.limbs)).collect();
        let shape = Shape { digit: digit_limbs, columns };
        module.multiply_shifted(&mut outs, &inputs, &rows.matrix, shape);
        drop(outs);
        sums
    }

    fn finish(&self, sums: Vec<LimbSum>, _: &LimbGadget, to: &usize) -> Vec<Vec<Limbs>> {
        sums.into_iter().map(|sum| self.finish_onto(sum, *to, &[])).collect()
    }
}

impl LimbRing {
    /// The elements of a sum, rounded to `limbs` limbs, each plus that of `onto` where there is one.
    pub fn finish_onto(&self, sum: LimbSum, limbs: usize, onto: &[Option<&Limbs>]) -> Vec<Limbs> {
        let width = self.module().width();
        let mut columns: Vec<Vec<Limb>> = (0..sum.columns).map(|_| Vec::new()).collect();
        for (at, limb) in sum.limbs.into_iter().enumerate() {
            columns[at / width % sum.columns].push(limb);
        }
        let onto = onto.iter().copied().chain(std::iter::repeat(None));
        columns.iter_mut().zip(onto).map(|(column, onto)| self.carried_onto(column, limbs, onto)).collect()
    }
}
