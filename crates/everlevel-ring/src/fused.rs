//! Operations that schemes compose, each in one pass over the limbs: Gaussian integers, tensor products, inner
//! products.

use std::ops::Range;

use everlevel_math::Modulus;
use rayon::prelude::*;

use crate::device::Halves;
use crate::poly::any_there;
use crate::{Eval, Poly, PrimeSet, Ring};

/// Most terms of an inner product that a kernel takes.
pub(crate) const MOST_TERMS: usize = 64;

/// Residues of a tensor product that are worked on together: its seven pieces stay in the second-level cache.
const TENSOR_BLOCK: usize = 4096;

impl Ring {
    /// `p *= re + im·i`, for integers.
    pub fn mul_gaussian_assign(&self, p: &mut Poly<Eval>, re: i128, im: i128) {
        if p.is_there() {
            return self.halves_there(Halves::Scale, p, |m, index| self.gaussian_residues(m, index, re, im));
        }
        self.each_limb(p, |m, limb, index| {
            let (low, high) = limb.split_at_mut(self.n() / 2);
            let [a, b] = self.gaussian_residues(m, index, re, im);
            m.mul_scalar_assign(low, a);
            m.mul_scalar_assign(high, b);
        });
    }

    /// `p += re + im·i`, for integers.
    pub fn add_gaussian_assign(&self, p: &mut Poly<Eval>, re: i128, im: i128) {
        if p.is_there() {
            return self.halves_there(Halves::Add, p, |m, index| self.gaussian_residues(m, index, re, im));
        }
        self.each_limb(p, |m, limb, index| {
            let (low, high) = limb.split_at_mut(self.n() / 2);
            let [a, b] = self.gaussian_residues(m, index, re, im);
            m.add_scalar_assign(low, a);
            m.add_scalar_assign(high, b);
        });
    }

    /// The residues of `re + im·i` at the two halves of the transform domain: `i` is `X^(n/2)`, whose value is the root
    /// of −1 at exponents that are 1 modulo 4 (the first half) and its negative at the others.
    fn gaussian_residues(&self, m: &Modulus, index: usize, re: i128, im: i128) -> [u64; 2] {
        let (re, im) = (m.reduce_i128(re), m.reduce_i128(im));
        if im == 0 {
            return [re, re];
        }
        let i_times = m.mul(im, self.ntt(index).root_of_minus_one());
        [m.add(re, i_times), m.sub(re, i_times)]
    }

    /// The coefficients of `1, s, s²` in `times·(a0 + a1·s)·(b0 + b1·s)`, for polynomials over the same primes.
    pub fn tensor(&self, [a0, a1]: [&Poly<Eval>; 2], [b0, b1]: [&Poly<Eval>; 2], times: u8) -> [Poly<Eval>; 3] {
        if any_there([a0, a1, b0, b1]) {
            return self.times_there(self.tensor_there([a0, a1], [b0, b1]), times);
        }
        self.three(&a0.set, times, |m, i, at, d| {
            m.tensor_into(d, [a0, a1].map(|a| &a.limb(i)[at.clone()]), [b0, b1].map(|b| &b.limb(i)[at.clone()]));
        })
    }

    /// The coefficients of `1, s, s²` in `times·(a0 + a1·s)²`.
    pub fn tensor_square(&self, [a0, a1]: [&Poly<Eval>; 2], times: u8) -> [Poly<Eval>; 3] {
        if any_there([a0, a1]) {
            return self.times_there(self.tensor_there([a0, a1], [a0, a1]), times);
        }
        self.three(&a0.set, times, |m, i, at, d| m.tensor_square_into(d, [a0, a1].map(|a| &a.limb(i)[at.clone()])))
    }

    fn times_there(&self, mut products: [Poly<Eval>; 3], times: u8) -> [Poly<Eval>; 3] {
        if times > 1 {
            products.iter_mut().for_each(|part| self.mul_residues_assign(part, |_| times.into()));
        }
        products
    }

    /// Three polynomials, filled prime by prime and stretch by stretch, each of which is multiplied in cache.
    fn three(
        &self,
        set: &PrimeSet,
        times: u8,
        fill: impl Fn(&Modulus, usize, Range<usize>, [&mut [u64]; 3]) + Sync,
    ) -> [Poly<Eval>; 3] {
        let mut d = [self.uninit::<Eval>(set), self.uninit(set), self.uninit(set)];
        let [d0, d1, d2] = d.each_mut().map(Poly::limbs_mut);
        d0.par_iter_mut().zip(d1).zip(d2).zip(set.indices()).for_each(|(((l0, l1), l2), &prime)| {
            let m = self.modulus(prime);
            for at in (0..self.n()).step_by(TENSOR_BLOCK).map(|first| first..self.n().min(first + TENSOR_BLOCK)) {
                let mut d = [&mut l0[at.clone()], &mut l1[at.clone()], &mut l2[at.clone()]];
                fill(m, prime, at, d.each_mut().map(|d| &mut **d));
                if times > 1 {
                    d.into_iter().for_each(|d| m.mul_scalar_assign(d, times.into()));
                }
            }
        });
        d
    }

    /// `Σ_k c_k·x_k` of pairs of polynomials over `set`, where what lacks a prime counts as zero there: `c_k` is
    /// `factor(k, modulus)`.
    pub fn combine(
        &self,
        set: &PrimeSet,
        terms: &[[&Poly<Eval>; 2]],
        factor: impl Fn(usize, &Modulus) -> u64 + Sync,
    ) -> [Poly<Eval>; 2] {
        if let Some(beside) = terms.iter().flatten().find(|poly| poly.is_there()) {
            let mut sums = [Poly::zero_there(beside, set), Poly::zero_there(beside, set)];
            for (k, term) in terms.iter().enumerate() {
                let each = sums.iter_mut().zip(term);
                each.for_each(|(sum, x)| self.mul_residues_add_assign(sum, x, |m| factor(k, m)));
            }
            return sums;
        }
        let mut sums = [self.uninit::<Eval>(set), self.uninit(set)];
        let [c0, c1] = sums.each_mut().map(Poly::limbs_mut);
        c0.par_iter_mut().zip(c1).zip(set.indices()).for_each(|((l0, l1), &prime)| {
            let m = self.modulus(prime);
            let there = |k: &usize| terms[*k][0].set.contains(prime);
            let all: Vec<usize> = (0..terms.len()).filter(there).collect();
            for (at, some) in all.chunks(MOST_TERMS).enumerate() {
                let factors: Vec<[u64; 1]> = some.iter().map(|&k| [factor(k, m)]).collect();
                let y: Vec<&[u64]> = factors.iter().map(|factor| &factor[..]).collect();
                let [x0, x1] = [0, 1].map(|part| some.iter().map(|&k| terms[k][part].limb(prime)).collect::<Vec<_>>());
                let sums_into =
                    |outs: [&mut [u64]; 2]| m.inner_product_pair_by_runs_into(outs, [&x0, &x1], &y, self.log_n());
                if at == 0 {
                    sums_into([l0, l1]);
                } else {
                    let mut more = [self.scratch_limb(), self.scratch_limb()];
                    sums_into(more.each_mut().map(|limb| &mut limb[..]));
                    m.add_assign(l0, &more[0]);
                    m.add_assign(l1, &more[1]);
                }
            }
            if all.is_empty() {
                l0.fill(0);
                l1.fill(0);
            }
        });
        sums
    }

    /// `Σ_k x_k·y_k` over `set`, of which every operand has the primes.
    pub fn inner_product(&self, set: &PrimeSet, x: &[&Poly<Eval>], y: &[&Poly<Eval>]) -> Poly<Eval> {
        assert_eq!(x.len(), y.len(), "inner product: as many factors on both sides");
        if let Some(beside) = x.iter().chain(y).find(|poly| poly.is_there()) {
            let mut sum = Poly::zero_there(beside, set);
            x.iter().zip(y).for_each(|(x, y)| self.mul_add_assign(&mut sum, x, y));
            return sum;
        }
        let mut sum = self.uninit::<Eval>(set);
        self.each_limb(&mut sum, |m, limb, prime| {
            let mut more = (x.len() > MOST_TERMS).then(|| self.scratch_limb());
            for (at, (x, y)) in x.chunks(MOST_TERMS).zip(y.chunks(MOST_TERMS)).enumerate() {
                let x: Vec<&[u64]> = x.iter().map(|x| x.limb(prime)).collect();
                let y: Vec<&[u64]> = y.iter().map(|y| y.limb(prime)).collect();
                match (at, &mut more) {
                    (1.., Some(more)) => {
                        m.inner_product_into(more, &x, &y);
                        m.add_assign(limb, more);
                    }
                    _ => m.inner_product_into(limb, &x, &y),
                }
            }
        });
        sum
    }
}
