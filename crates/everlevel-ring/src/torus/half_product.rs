//! Half external products over the torus, stage by stage: the composed form of the steps that a blind rotation fuses
//! (`everlevel_math::fft::ExternalProduct`), and the product of GLWE key switches.

use everlevel_math::fft::Digits;

use super::{TorusRing, TorusWord};
use crate::{HalfProduct, WordGadget};

/// The transformed rows of a half product: a matrix of a row for each digit and a column for each mask and the body.
#[derive(Debug, Clone)]
pub struct TorusRows<T: TorusWord> {
    columns: usize,
    matrix: Vec<T::Key>,
}

impl<T: TorusWord> TorusRing<T> {
    /// Writes the transform of one polynomial of a row into a matrix of `(rows, columns)`, at `(row, column)`.
    ///
    /// # Panics
    /// If a length or a place doesn't fit.
    pub fn prepare_column(
        &self,
        matrix: &mut [T::Key],
        (row, column): (usize, usize),
        (rows, columns): (usize, usize),
        poly: &[T],
    ) {
        let (fft, n) = (self.fft(), self.fft().n());
        let mut transform = vec![0.0; n];
        fft.forward_torus(&mut transform, poly);
        let key = transform.iter().map(|&x| T::to_key(x, n));
        fft.interleave(matrix, (row, column), (rows, columns), key);
    }

    /// The rows of a key, each its masks and then its body, transformed.
    pub fn prepare(&self, rows: &[Vec<Vec<T>>]) -> TorusRows<T>
    where
        T::Key: Default,
    {
        let columns = rows.first().map_or(0, Vec::len);
        let mut matrix = vec![T::Key::default(); rows.len() * columns * self.fft().n()];
        for (r, row) in rows.iter().enumerate() {
            for (column, poly) in row.iter().enumerate() {
                self.prepare_column(&mut matrix, (r, column), (rows.len(), columns), poly);
            }
        }
        TorusRows { columns, matrix }
    }
}

impl<T: TorusWord> HalfProduct for TorusRing<T> {
    /// A transform for each digit.
    type Digits = Vec<f64>;
    type Rows = TorusRows<T>;
    /// A transform for each column, in units of the stored key.
    type Sum = Vec<f64>;

    fn digits(&self, gadget: &WordGadget, polys: &[&Vec<T>]) -> Vec<Vec<f64>> {
        let digits = Digits::from(*gadget);
        let transformed = |poly: &&Vec<T>| {
            let mut out = vec![0.0; gadget.digits as usize * poly.len()];
            self.fft().forward_digits(&mut out, poly, digits);
            out
        };
        polys.iter().map(transformed).collect()
    }

    fn multiply(&self, digits: &[&Vec<f64>], rows: &TorusRows<T>) -> Vec<Vec<f64>> {
        let product = |digits: &&Vec<f64>| {
            let mut sum = vec![0.0; rows.columns * self.fft().n()];
            self.fft().multiply(&mut sum, digits, &rows.matrix);
            sum
        };
        digits.iter().map(product).collect()
    }

    fn finish(&self, sums: Vec<Vec<f64>>, _: &WordGadget, (): &()) -> Vec<Vec<Vec<T>>> {
        let n = self.fft().n();
        let column = |x: &mut [f64]| {
            let mut out = vec![T::default(); n];
            self.fft().inverse_add_scaled(&mut out, x, T::log2_key_unit(n));
            out
        };
        sums.into_iter().map(|mut sum| sum.chunks_exact_mut(n).map(column).collect()).collect()
    }
}
