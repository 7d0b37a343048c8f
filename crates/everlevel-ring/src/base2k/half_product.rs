//! Half external products over limbs.
//!
//! A digit `A_r = Σ_i a_(rD+i)·2^((D−1−i)·K)` is its limbs; its product with a row is that of each limb with the row,
//! shifted up by `D−1−i` limbs. So limb `j` of the sum is `Σ_(r,i) a_(rD+i)·row_r[j + D−1−i]`, in which what is above
//! the point vanishes modulo 1, and nothing is computed for it.

use super::products::Shape;
use super::ring::{GUARD, LimbTensor, Onto, words, words_mut};
use super::{LimbGadget, LimbRing, Limbs, Operands, PreparedMatrix, Transform};
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

impl LimbSum {
    /// The transforms of each mask and of the body.
    fn into_columns(self, width: usize) -> Vec<Vec<Limb>> {
        let mut columns: Vec<Vec<Limb>> = (0..self.columns).map(|_| Vec::new()).collect();
        for (at, limb) in self.limbs.into_iter().enumerate() {
            columns[at / width % self.columns].push(limb);
        }
        columns
    }
}

impl LimbRing {
    /// The elements of a sum, rounded to `limbs` limbs, each plus that of `onto` where there is one.
    pub fn finish_onto(&self, sum: LimbSum, limbs: usize, onto: &[Option<&Limbs>]) -> Vec<Limbs> {
        let onto = onto.iter().map(|onto| onto.map_or(Onto::Nothing, Onto::Limbs));
        let columns = sum.into_columns(self.module().width()).into_iter();
        let onto = onto.chain(std::iter::repeat(Onto::Nothing));
        columns.zip(onto).map(|(mut column, onto)| self.carried_onto(&mut column, limbs, onto)).collect()
    }

    /// A product of ciphertexts, `d0 + d1·s + d2·s²`, as one of the secret, from the rows of a key of `s²`: `[c1, c0]`.
    ///
    /// The transforms of `d0` and `d1` are added to those of the half product, which spares their inverses, where the
    /// sum of both is right.
    ///
    /// # Panics
    /// If the rows aren't those of a mask and a body.
    pub fn relinearize(&self, tensor: LimbTensor, rows: &LimbRows) -> [Limbs; 2] {
        let LimbTensor { limbs, terms, sums: [d0, d1, d2] } = tensor;
        let d2 = self.carried(d2, limbs);
        let digits = self.digits(&rows.gadget, &[&d2]);
        let sum = self.multiply(&[&digits[0]], rows).remove(0);
        // The half product's sums have a product for each limb of the digits.
        let is_exact = self.module().transform() != Transform::Doubles;
        let parts = if is_exact && self.require_base(terms + limbs, Operands::Chosen).is_ok() {
            let both = sum.into_columns(self.module().width()).into_iter().zip([d1, d0]);
            let longest_first = both.map(|(sum, d)| if d.len() > sum.len() { (d, sum) } else { (sum, d) });
            longest_first.map(|(mut sum, other)| self.carried_onto(&mut sum, limbs, Onto::Transforms(&other))).collect()
        } else {
            let [d1, d0] = [d1, d0].map(|d| self.carried(d, limbs));
            self.finish_onto(sum, limbs, &[Some(&d1), Some(&d0)])
        };
        <[Limbs; 2]>::try_from(parts).unwrap_or_else(|_| panic!("rows of a mask and a body"))
    }
}
