//! Elements modulo a product of primes as limbs, and back: both are numbers on the torus, and each is rounded to the
//! other's precision.

use everlevel_math::base2k::split_wide;
use rayon::prelude::*;

use super::layout::{BLOCK, blocks, blocks_mut};
use super::{LimbRing, Limbs};
use crate::{Coeff, Poly, PrimeSet, Ring};

impl LimbRing {
    /// `a/Q` modulo 1, normalised, and rounded to `limbs` limbs, for an element modulo the product `Q` of its primes:
    /// the sum of `y_i/q_i` with `y_i = a·(Q/q_i)^−1 mod q_i`.
    pub fn of_residues(&self, ring: &Ring, a: &Poly<Coeff>, limbs: usize) -> Limbs {
        let (base, set) = (self.base(), a.set());
        let mut y = a.clone();
        ring.each_limb(&mut y, |modulus, limb, index| {
            let rest = set.difference(&PrimeSet::new([index]));
            let inverse = modulus.inv(ring.product_mod(&rest, index));
            limb.iter_mut().for_each(|x| *x = modulus.mul(*x, inverse));
        });
        // Sums of up to 2^8 products of 48 bits with what is left out of 1/q_i are below a quarter of a unit.
        let count = limbs + 58usize.div_ceil(base.log2() as usize);
        let inverse = |&index: &usize| -> Vec<i64> {
            let q = u128::from(ring.modulus(index).q());
            let mut rest = 1u128;
            let digit = |_| {
                let shifted = rest << base.log2();
                rest = shifted % q;
                (shifted / q) as i64
            };
            (0..count).map(digit).collect()
        };
        let inverses: Vec<Vec<i64>> = set.indices().iter().map(inverse).collect();
        let mut out = self.zero(limbs);
        let sources = blocks(y.limbs().iter().map(|limb| &limb[..]), BLOCK);
        let targets = blocks_mut(out.views_mut(), BLOCK);
        sources.into_par_iter().zip(targets).for_each(|(y, mut out)| {
            let mut carry = [0i128; BLOCK];
            for j in (0..count).rev() {
                for (i, carry) in carry.iter_mut().enumerate().take(y[0].len()) {
                    let products = y.iter().zip(&inverses).map(|(y, f)| i128::from(y[i]) * i128::from(f[j]));
                    let (digit, above) = split_wide(products.sum::<i128>() + *carry, base.log2());
                    *carry = above;
                    if let Some(out) = out.get_mut(j) {
                        out[i] = digit as i64;
                    }
                }
            }
        });
        out
    }

    /// `a·Q`, rounded to integers, modulo the product `Q` of a set's primes.
    pub fn to_residues(&self, ring: &Ring, set: &PrimeSet, a: &Limbs) -> Poly<Coeff> {
        let (base, limbs) = (self.base().log2(), a.count());
        let product = digits_of_product(ring, set, base);
        let count = limbs + product.len();
        // By prime: 2^K, which Horner's rule goes by.
        let powers: Vec<u64> = set.indices().iter().map(|&index| ring.modulus(index).reduce(1 << base)).collect();
        let mut out = ring.zero::<Coeff>(set);
        let sources = blocks(a.views(), BLOCK);
        let targets = blocks_mut(out.limbs_mut().iter_mut().map(|limb| &mut limb[..]), BLOCK);
        sources.into_par_iter().zip(targets).for_each(|(a, mut out)| {
            let mut digits = vec![0i128; count];
            for i in 0..a[0].len() {
                let mut carry = 0i128;
                for (k, digit) in digits.iter_mut().enumerate() {
                    // Digit k of the product, of weight 2^((k − limbs)·K).
                    let terms = (k + 1).saturating_sub(product.len())..limbs.min(k + 1);
                    let sum = terms.map(|j| i128::from(a[limbs - 1 - j][i]) * i128::from(product[k - j])).sum::<i128>();
                    (*digit, carry) = split_wide(sum + carry, base);
                }
                for ((out, &index), &power) in out.iter_mut().zip(set.indices()).zip(&powers) {
                    let modulus = ring.modulus(index);
                    let step = |x: u64, digit: &i128| modulus.add(modulus.mul(x, power), modulus.reduce_i128(*digit));
                    out[i] = digits[limbs..].iter().rev().fold(modulus.reduce_i128(carry), step);
                }
            }
        });
        out
    }
}

/// The balanced digits of a product of primes in base `2^log2_base`, the least significant first.
fn digits_of_product(ring: &Ring, set: &PrimeSet, log2_base: u32) -> Vec<i64> {
    let mut digits = vec![1i64];
    for &index in set.indices() {
        let (q, mut carry) = (i128::from(ring.modulus(index).q()), 0i128);
        for digit in &mut digits {
            let (low, above) = split_wide(i128::from(*digit) * q + carry, log2_base);
            (*digit, carry) = (low as i64, above);
        }
        while carry != 0 {
            let (low, above) = split_wide(carry, log2_base);
            digits.push(low as i64);
            carry = above;
        }
    }
    digits
}
