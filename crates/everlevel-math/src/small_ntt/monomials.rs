//! Monomials in the transform domain.
//!
//! At a place with the exponent `k` of `ψ`, `X^e` is `ψ^(k·e)`. Exponents are sums of one for each sixteen places and
//! one for the place among them.

use super::float::{Consts, Number};
use super::plan::{self, ROW};
use super::vector::Vector;
use crate::Modulus;

/// The exponents of the places, and the powers of `ψ`.
#[derive(Debug, Clone)]
pub(super) struct Points<F> {
    /// `ψ^i` for `i` in `0..2n`.
    roots: Vec<F>,
    /// The exponent of the first of each sixteen places.
    firsts: Vec<usize>,
    lanes: [usize; ROW],
}

impl<F: Number> Points<F> {
    /// The points of a modulus, of `ψ`, and of the exponents of all places.
    pub(super) fn new(modulus: &Modulus, psi: u64, k: Vec<usize>, integers: bool) -> Self {
        let two_n = 2 * k.len();
        let lanes = std::array::from_fn(|lane| (k[lane] + two_n - k[0]) % two_n);
        debug_assert!((0..k.len()).all(|i| k[i] == (k[i / ROW * ROW] + lanes[i % ROW]) % two_n));
        let roots = roots(modulus, psi, two_n);
        let roots = if integers { plan::words(&roots) } else { roots };
        Self { roots, firsts: k.into_iter().step_by(ROW).collect(), lanes }
    }

    /// `k·e` modulo `2n`, a power of two.
    #[inline(always)]
    fn power(&self, k: usize, e: usize) -> usize {
        k.wrapping_mul(e) & (self.roots.len() - 1)
    }

    /// The part of a monomial that belongs to the place among sixteen.
    #[inline(always)]
    pub(super) fn lanes(&self, e: usize) -> [F; ROW] {
        std::array::from_fn(|lane| self.roots[self.power(self.lanes[lane], e)])
    }

    /// `X^e` at sixteen places, or some of them, whose lanes' part of it is a factor.
    ///
    /// # Safety
    /// The contract of [`Vector`].
    #[inline(always)]
    pub(super) unsafe fn monomial<V: Vector<Float = F>>(
        &self,
        e: usize,
        sixteen: usize,
        lanes: V::Factor,
        c: &Consts<V>,
    ) -> V {
        let root = &raw const self.roots[self.power(self.firsts[sixteen], e)];
        // SAFETY: the caller vouches for `V`'s instructions, and `root` points to an entry of `roots`, which is one
        // float to read.
        unsafe { V::splat_value(root).product(lanes, c) }
    }
}

fn roots<F: Number>(modulus: &Modulus, psi: u64, count: usize) -> Vec<F> {
    let powers = std::iter::successors(Some(1), |&power| Some(modulus.mul(power, psi)));
    powers.take(count).map(|power| super::plan::centred(modulus, power)).collect()
}
