//! Half external products over limbs.
//!
//! A digit `A_r = Σ_i a_(rD+i)·2^((D−1−i)·K)` is its limbs; its product with a row is that of each limb with the row,
//! shifted up by `D−1−i` limbs. So limb `j` of the sum is `Σ_(r,i) a_(rD+i)·row_r[j + D−1−i]`, in which what is above
//! the point vanishes modulo 1, and nothing is computed for it.

use std::convert::Infallible;

use super::products::Shape;
use super::ring::{GUARD, LimbTensor, Onto, words, words_mut};
use super::{LimbDigits, LimbGadget, LimbRing, Limbs, Operands, PreparedMatrix, Transform, TurnedSum};
use everlevel_rand::Seed;

use crate::{HalfProduct, Limb, Representation};

/// A row's elements: a mask and a body.
const COLUMNS: usize = 2;

/// The rows of a key: prepared, a column for each limb of the mask and of the body side by side, or seeded, bodies as
/// they are. A seeded key has 2/9 of the bytes with three primes, and each use prepares what it needs of it.
#[derive(Debug)]
pub struct LimbRows {
    gadget: LimbGadget,
    mask_seed: Seed,
    held: Held,
}

#[derive(Debug)]
enum Held {
    Prepared(PreparedMatrix),
    Bodies(Vec<Limbs>),
}

impl LimbRows {
    /// Whether the bodies are held alone.
    pub fn is_seeded(&self) -> bool {
        matches!(self.held, Held::Bodies(_))
    }
}

/// Transforms of a sum's limbs, each with the mask's and then the body's.
#[derive(Debug)]
pub struct LimbSum(Vec<Limb>);

impl LimbRing {
    /// Bytes of the rows of a key of this gadget.
    pub fn key_nbytes(&self, gadget: &LimbGadget) -> usize {
        self.module().matrix_nbytes(gadget.digits, gadget.limbs * COLUMNS)
    }

    /// Bytes of the rows of a seeded key of this gadget.
    pub fn seeded_key_nbytes(&self, gadget: &LimbGadget) -> usize {
        size_of::<Seed>() + 8 * self.module().n() * gadget.digits * gadget.limbs
    }

    /// So many limbs of the rows of so many digits, prepared.
    fn prepared<E>(
        &self,
        (digits, limbs): (usize, usize),
        mut row: impl FnMut(usize) -> Result<[Limbs; COLUMNS], E>,
    ) -> Result<PreparedMatrix, E> {
        let mut matrix = self.module().zero_matrix(digits, limbs * COLUMNS);
        for digit in 0..digits {
            for (column, part) in row(digit)?.iter().enumerate() {
                for (j, limb) in part.views().into_iter().take(limbs).enumerate() {
                    self.module().prepare(&mut matrix, (digit, j * COLUMNS + column), limb);
                }
            }
        }
        Ok(matrix)
    }

    /// The corner of a seeded key that products of digits of so many limbs read.
    fn corner(&self, rows: &LimbRows, count: usize) -> Option<PreparedMatrix> {
        let Held::Bodies(bodies) = &rows.held else { return None };
        let LimbGadget { digits, digit_limbs, limbs, .. } = rows.gadget;
        let (digits, limbs) = (digits.min(count.div_ceil(digit_limbs)), limbs.min(count + GUARD + digit_limbs - 1));
        let row = |digit: usize| {
            let mask = self.uniform(&limbs, 1, &rows.mask_seed, digit as u64).remove(0);
            Ok::<_, Infallible>([mask, bodies[digit].clone()])
        };
        let Ok(matrix) = self.prepared((digits, limbs), row);
        Some(matrix)
    }

    /// The body of a row: the inverse of its transforms.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_body(&self, rows: &LimbRows, row: usize) -> Limbs {
        let matrix = match &rows.held {
            Held::Prepared(matrix) => matrix,
            Held::Bodies(bodies) => return bodies[row].clone(),
        };
        let (limbs, width) = (rows.gadget.limbs, self.module().width());
        let mut transforms = self.module().scratch(limbs * width);
        for (j, transform) in transforms.chunks_exact_mut(width).enumerate() {
            self.module().entry(&mut words_mut(transform), matrix, (row, j * COLUMNS + 1));
        }
        self.carried(transforms, limbs)
    }
}

impl HalfProduct for LimbRing {
    type Digits = LimbDigits;
    type Rows = LimbRows;
    type Sum = LimbSum;
    type Tensor = LimbTensor;

    /// Transforms are held of masks and bodies alike, or else bodies alone.
    fn rows<E>(
        &self,
        gadget: &LimbGadget,
        masks: &Seed,
        expanded: bool,
        mut row: impl FnMut(usize) -> Result<[Limbs; COLUMNS], E>,
    ) -> Result<LimbRows, E> {
        let mut checked = |digit: usize| {
            let row = row(digit)?;
            assert!(row.iter().all(|part| part.count() == gadget.limbs), "rows of a key's limbs");
            Ok(row)
        };
        let held = match expanded {
            true => Held::Prepared(self.prepared((gadget.digits, gadget.limbs), checked)?),
            false => {
                let bodies = (0..gadget.digits).map(|digit| checked(digit).map(|[_, body]| body));
                Held::Bodies(bodies.collect::<Result<_, _>>()?)
            }
        };
        Ok(LimbRows { gadget: *gadget, mask_seed: masks.clone(), held })
    }

    fn mask_seed(rows: &LimbRows) -> &Seed {
        &rows.mask_seed
    }

    fn rows_nbytes(rows: &LimbRows) -> usize {
        match &rows.held {
            Held::Prepared(matrix) => matrix.nbytes(),
            Held::Bodies(bodies) => {
                let limbs = bodies.iter().flat_map(Limbs::views).map(size_of_val).sum::<usize>();
                size_of::<Seed>() + limbs
            }
        }
    }

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
        self.products(digits, &[rows], digits.len())
    }

    fn finish_onto(&self, sums: Vec<LimbSum>, bodies: &[&Limbs]) -> Vec<[Limbs; 2]> {
        let finish = |(sum, body): (LimbSum, &&Limbs)| self.finish_pair(sum, body.count(), [Some(*body), None]);
        sums.into_iter().zip(bodies).map(finish).collect()
    }

    /// The transforms of `d0` and `d1` are added to those of the half product, which spares their inverses, where the
    /// sum of both is right.
    fn relinearize(
        &self,
        tensors: Vec<LimbTensor>,
        gadget: &LimbGadget,
        rows: &LimbRows,
        to: &usize,
    ) -> Vec<[Limbs; 2]> {
        tensors.into_iter().map(|tensor| self.relinearize_one(tensor, gadget, rows, *to)).collect()
    }
}

impl LimbSum {
    /// The transforms of the mask's limbs and of the body's.
    fn into_pair(self, width: usize) -> [Vec<Limb>; 2] {
        let mut pair = [(); 2].map(|()| Vec::new());
        self.0.into_iter().enumerate().for_each(|(at, limb)| pair[at / width % 2].push(limb));
        pair
    }
}

impl LimbRing {
    /// So many results: products of digits with one key, or the sum of the products with a key each.
    fn products(&self, digits: &[&LimbDigits], keys: &[&LimbRows], results: usize) -> Vec<LimbSum> {
        let (Some(first), Some(key)) = (digits.first(), keys.first()) else { return Vec::new() };
        assert!(digits.iter().all(|d| d.count == first.count), "operands of one precision");
        assert!(keys.iter().all(|other| other.gadget == key.gadget), "keys of one gadget");
        let LimbGadget { digit_limbs, limbs, .. } = key.gadget;
        let count = limbs.min(first.count + GUARD);
        let module = self.module();
        let sum = || LimbSum(module.scratch(count * COLUMNS * module.width()));
        let mut sums: Vec<LimbSum> = (0..results).map(|_| sum()).collect();
        let inputs: Vec<Vec<&[u64]>> = digits.iter().map(|digits| words(&digits.transforms)).collect();
        let inputs: Vec<&[&[u64]]> = inputs.iter().map(Vec::as_slice).collect();
        let mut outs: Vec<Vec<&mut [u64]>> = sums.iter_mut().map(|sum| words_mut(&mut sum.0)).collect();
        let corners: Vec<Option<PreparedMatrix>> = keys.iter().map(|rows| self.corner(rows, first.count)).collect();
        let matrices = keys.iter().zip(&corners).filter_map(|(rows, corner)| match &rows.held {
            Held::Prepared(matrix) => Some(matrix),
            Held::Bodies(_) => corner.as_ref(),
        });
        let matrices: Vec<&PreparedMatrix> = matrices.collect();
        module.multiply_shifted(&mut outs, &inputs, &matrices, Shape { digit: digit_limbs, columns: COLUMNS });
        drop(outs);
        sums
    }

    /// `Σ_k digits_k·key_k`, of digits of one precision and keys of one gadget, plus `body` and `mask`: body and mask
    /// of one half product, whose transforms go back once for all. Carries alone of no digits.
    ///
    /// # Panics
    /// If precisions or gadgets differ.
    pub fn finish_sum(
        &self,
        digits: &[LimbDigits],
        keys: &[&LimbRows],
        [body, mask]: [TurnedSum; 2],
        limbs: usize,
    ) -> [Limbs; 2] {
        let count = digits.first().map_or(1, |digits| digits.count);
        // As many products as the transforms are right for.
        let is_right = |products: usize| self.require_base(products * count, Operands::Uniform).is_ok();
        // A seeded key is prepared while no other one is.
        let most = if keys.iter().any(|rows| rows.is_seeded()) { digits.len().min(1) } else { digits.len() };
        let at_once = (1..=most).rev().find(|&products| is_right(products)).unwrap_or(1);
        let digits: Vec<&LimbDigits> = digits.iter().collect();
        let sums = digits.chunks(at_once).zip(keys.chunks(at_once));
        let sums = sums.flat_map(|(digits, keys)| self.products(digits, keys, 1));
        let width = self.module().width();
        let log2_size = self.log2_products(at_once * count);
        let (mut bodies, mut masks) = (body, mask);
        for sum in sums {
            let [of_mask, of_body] = sum.into_pair(width);
            bodies.add_transforms(self, of_body, log2_size, limbs);
            masks.add_transforms(self, of_mask, log2_size, limbs);
        }
        [bodies, masks].map(|sum| sum.finish(self, limbs))
    }

    /// Body and mask of a sum, rounded to `limbs` limbs, each plus that of `onto` where there is one.
    fn finish_pair(&self, sum: LimbSum, limbs: usize, [body, mask]: [Option<&Limbs>; 2]) -> [Limbs; 2] {
        let [of_mask, of_body] = sum.into_pair(self.module().width());
        [(of_body, body), (of_mask, mask)]
            .map(|(mut sum, onto)| self.carried_onto(&mut sum, limbs, onto.map_or(Onto::Nothing, Onto::Limbs)))
    }

    /// [`HalfProduct::relinearize`] of one product.
    fn relinearize_one(&self, tensor: LimbTensor, gadget: &LimbGadget, rows: &LimbRows, to: usize) -> [Limbs; 2] {
        let LimbTensor { limbs, terms, sums: [d0, d1, d2] } = tensor;
        let d2 = self.carried(d2, limbs);
        let digits = self.digits(gadget, &[&d2]);
        let sum = self.multiply(&[&digits[0]], rows).remove(0);
        // The half product's sums have a product for each limb of the digits.
        let is_exact = self.module().transform() != Transform::Doubles;
        if is_exact && self.require_base(terms + limbs, Operands::Chosen).is_ok() {
            let [mask, body] = sum.into_pair(self.module().width());
            [(body, d0), (mask, d1)].map(|(sum, d)| {
                let (mut longest, other) = if d.len() > sum.len() { (d, sum) } else { (sum, d) };
                self.carried_onto(&mut longest, to, Onto::Transforms(&other))
            })
        } else {
            let [d0, d1] = [d0, d1].map(|d| self.carried(d, limbs));
            self.finish_pair(sum, to, [Some(&d0), Some(&d1)])
        }
    }
}
