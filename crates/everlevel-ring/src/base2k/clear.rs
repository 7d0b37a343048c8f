//! Sums of products of elements with polynomials in the clear, as linear maps have them by the dozen.
//!
//! A polynomial of integers is one transform, whatever the precision of what it multiplies: a few megabytes stand for
//! the diagonals of a map at every budget. The transforms of elements are the large operands, which are read once for
//! several sums.

use rayon::prelude::*;

use super::layout::blocks_mut;
use super::ring::Onto;
use super::{LimbDigits, LimbRing, Limbs, Transform};
use crate::Limb;

/// Words of a block: those of an operand of thirty-two terms, and of four polynomials for each, fit the second cache.
const CLEAR_BLOCK: usize = 512;

/// Most terms of a sum of products that is reduced once.
const MOST_TERMS: usize = 64;

/// A polynomial of integers, transformed modulo primes.
#[derive(Debug)]
pub struct ClearPoly {
    transforms: Vec<Limb>,
    /// log2 of the sum of its coefficients' sizes.
    log2_size: f64,
}

/// Sums of products, as transforms whose limbs aren't carried yet.
#[derive(Debug)]
pub struct ClearSum(pub(super) Vec<Run>);

/// A sum that is right modulo the primes.
#[derive(Debug)]
pub(super) struct Run {
    pub transforms: Vec<Limb>,
    /// log2 of a bound of its coefficients.
    pub log2_size: f64,
}

impl ClearPoly {
    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        self.transforms.iter().map(|limb| 8 * limb.len()).sum()
    }
}

impl LimbRing {
    /// The transform of a polynomial of integers.
    ///
    /// # Panics
    /// In doubles.
    pub fn clear_poly(&self, coeffs: &[i64]) -> ClearPoly {
        assert!(self.module().transform() != Transform::Doubles, "transforms modulo primes");
        let size: f64 = coeffs.iter().map(|&c| c.unsigned_abs() as f64).sum();
        ClearPoly { transforms: self.transformed(&[coeffs]), log2_size: size.max(1.0).log2() }
    }

    /// The transforms of an element, for [`LimbRing::clear_sums`].
    pub fn operand(&self, a: &Limbs) -> LimbDigits {
        LimbDigits { count: a.count(), transforms: self.transformed(&a.views()) }
    }

    /// Bytes of an operand of so many limbs.
    pub fn operand_nbytes(&self, limbs: usize) -> usize {
        8 * self.module().n() * self.module().width() * limbs
    }

    /// `Σ_k clear_(j,k)·x_k` for each row `j`, of which `x` has all operands, of one precision: those are read once for
    /// all rows.
    ///
    /// # Panics
    /// If operands differ in precision, or a row isn't as long as `x`.
    pub fn clear_sums(&self, x: &[&LimbDigits], rows: &[Vec<Option<&ClearPoly>>]) -> Vec<ClearSum> {
        let (module, width, n) = (self.module(), self.module().width(), self.module().n());
        let count = x.first().map_or(0, |x| x.count);
        assert!(x.iter().all(|x| x.count == count) && rows.iter().all(|row| row.len() == x.len()));
        // What is carried at once stays below half of the product of primes.
        let runs: Vec<Vec<Vec<(usize, &ClearPoly)>>> = rows.iter().map(|row| self.runs(row)).collect();
        let run = |terms: &[(usize, &ClearPoly)]| Run {
            transforms: module.scratch(count * width),
            log2_size: terms.iter().map(|(_, y)| y.log2_size.exp2()).sum::<f64>().log2()
                + f64::from(self.base().log2() - 1),
        };
        let sum = |runs: &Vec<Vec<_>>| match &runs[..] {
            [] => ClearSum(vec![run(&[])]),
            runs => ClearSum(runs.iter().map(|terms| run(terms)).collect()),
        };
        let mut sums: Vec<ClearSum> = runs.iter().map(sum).collect();
        let outs = sums.iter_mut().flat_map(|sum| &mut sum.0).flat_map(|run| &mut run.transforms);
        let outs = outs.map(|limb| &mut limb[..]);
        let len = CLEAR_BLOCK.min(n);
        let all: Vec<&[(usize, &ClearPoly)]> = runs
            .iter()
            .flat_map(|runs| if runs.is_empty() { vec![&[][..]] } else { runs.iter().map(|run| &run[..]).collect() })
            .collect();
        blocks_mut(outs, len).into_par_iter().enumerate().for_each(|(block, mut outs)| {
            let here = block * len..(block + 1) * len;
            let mut part_sum = vec![0; len];
            for part in 0..width {
                let m = module.modulus(part);
                for limb in 0..count {
                    let at = limb * width + part;
                    for (run, &terms) in all.iter().enumerate() {
                        let out = &mut *outs[run * count * width + at];
                        for (k, some) in terms.chunks(MOST_TERMS).enumerate() {
                            let left: Vec<&[u64]> =
                                some.iter().map(|(i, _)| &x[*i].transforms[at][here.clone()]).collect();
                            let right: Vec<&[u64]> =
                                some.iter().map(|(_, y)| &y.transforms[part][here.clone()]).collect();
                            if k == 0 {
                                m.inner_product_into(out, &left, &right);
                            } else {
                                m.inner_product_into(&mut part_sum, &left, &right);
                                m.add_assign(out, &part_sum);
                            }
                        }
                        if terms.is_empty() {
                            out.fill(0);
                        }
                    }
                }
            }
        });
        sums
    }

    /// The terms of a row, in runs whose sums of products with balanced limbs are right.
    fn runs<'a>(&self, row: &[Option<&'a ClearPoly>]) -> Vec<Vec<(usize, &'a ClearPoly)>> {
        let log2_modulus: f64 = (0..self.module().width()).map(|i| self.module().modulus(i).log2()).sum();
        // Σ_k |y_k|·2^(K − 1), what is left out of a modulus for the last digit, and room for what is added besides.
        let most = (log2_modulus - 2.5 - f64::from(self.base().log2() - 1)).exp2();
        let (mut runs, mut size) = (Vec::<Vec<_>>::new(), f64::INFINITY);
        for (i, y) in row.iter().enumerate().filter_map(|(i, y)| Some((i, (*y)?))) {
            size += y.log2_size.exp2();
            if size > most {
                runs.push(Vec::new());
                size = y.log2_size.exp2();
            }
            runs.last_mut().unwrap_or_else(|| unreachable!("begun")).push((i, y));
        }
        runs
    }

    /// The limbs of a sum plus another element of as many limbs, normalised.
    pub fn finish_clear(&self, sum: ClearSum, onto: Option<&Limbs>) -> Limbs {
        let width = self.module().width();
        let mut all = onto.cloned();
        for Run { mut transforms, .. } in sum.0 {
            let count = transforms.len() / width;
            all = Some(self.carried_onto(&mut transforms, count, all.as_ref().map_or(Onto::Nothing, Onto::Limbs)));
        }
        all.unwrap_or_else(|| unreachable!("a run at least"))
    }
}
