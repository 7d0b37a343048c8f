//! Many ciphertexts in one, by automorphisms.
//!
//! Of `2^l` ciphertexts those at even and at odd places are packed first, and then each other: in `a` and `b` the
//! wanted coefficients are those of multiples of `N/2^(l−1)`, and in `a + X^(N/2^l)·b + σ(a − X^(N/2^l)·b)` those of
//! multiples of `N/2^l`, with `σ: X ↦ X^(2^l + 1)`. They are twice what they were, and what was at other places of
//! these multiples is gone. Automorphisms of further steps take the rest away where there are fewer than `N`. So all
//! come out `N` times as large, and are divided by `N` first (Chen, Dai, Kim and Song, ePrint 2020/015).

use everlevel_math::monomial;
use everlevel_rlwe::{Lwe, lwe};

use crate::automorphisms::{Automorphisms, add_to_each};

/// Ciphertexts that one thread packs by itself, as a power of two.
const LOG2_ALONE: usize = 5;

/// Ciphertexts on their way into one.
pub(crate) struct Packing<'a> {
    pub(crate) automorphisms: &'a Automorphisms,
    pub(crate) all: &'a [&'a Lwe],
}

impl Packing<'_> {
    /// log2 of the number of places: coefficients of multiples of `N/2^l` have one each.
    fn log2_len(&self) -> usize {
        self.all.len().next_power_of_two().ilog2() as usize
    }

    /// Masks and body of a ciphertext with the phase of each at its place, in [`places`]' order.
    pub(crate) fn pack(&self) -> Vec<u64> {
        let mut packed = self.node(self.log2_len(), 0);
        let mut scratch = self.scratch();
        for level in self.log2_len() + 1..=self.automorphisms.steps() {
            self.trace(&mut packed, level, &mut scratch);
        }
        packed
    }

    fn scratch(&self) -> Vec<f64> {
        vec![0.0; self.automorphisms.scratch_len()]
    }

    fn n(&self) -> usize {
        1 << self.automorphisms.steps()
    }

    /// The ciphertexts at places `first + 2^(l − level)·i`, for `2^level` of them, where there are such.
    fn node(&self, level: usize, first: usize) -> Vec<u64> {
        if level <= LOG2_ALONE {
            return self.alone(level, first, &mut self.scratch());
        }
        let other = first + (1 << (self.log2_len() - level));
        let odd = || (other < self.all.len()).then(|| self.node(level - 1, other));
        let (even, odd) = rayon::join(|| self.node(level - 1, first), odd);
        self.merged(even, odd, level, &mut self.scratch())
    }

    /// [`Packing::node`] on the calling thread.
    fn alone(&self, level: usize, first: usize, scratch: &mut [f64]) -> Vec<u64> {
        if level == 0 {
            let mut glwe = lwe::embed(self.all[first], self.n());
            self.automorphisms.divide(&mut glwe);
            return glwe;
        }
        let other = first + (1 << (self.log2_len() - level));
        let even = self.alone(level - 1, first, scratch);
        let odd = (other < self.all.len()).then(|| self.alone(level - 1, other, scratch));
        self.merged(even, odd, level, scratch)
    }

    fn merged(&self, mut even: Vec<u64>, odd: Option<Vec<u64>>, level: usize, scratch: &mut [f64]) -> Vec<u64> {
        let Some(odd) = odd else {
            self.trace(&mut even, level, scratch);
            return even;
        };
        let n = self.n();
        let (mut turned, mut difference) = (vec![0; odd.len()], vec![0; odd.len()]);
        for (out, poly) in turned.chunks_exact_mut(n).zip(odd.chunks_exact(n)) {
            monomial::rotate(out, poly, n >> level);
        }
        for ((out, x), y) in difference.iter_mut().zip(&mut even).zip(&turned) {
            *out = x.wrapping_sub(*y);
            *x = x.wrapping_add(*y);
        }
        self.add_image(&mut even, difference, level, scratch);
        even
    }

    /// `x += σ(x)`.
    fn trace(&self, x: &mut Vec<u64>, level: usize, scratch: &mut [f64]) {
        let own = x.clone();
        self.add_image(x, own, level, scratch);
    }

    /// `x += σ(y)` with `σ: X ↦ X^(2^level + 1)`.
    fn add_image(&self, x: &mut Vec<u64>, y: Vec<u64>, level: usize, scratch: &mut [f64]) {
        let images = self.automorphisms.images(self.automorphisms.steps() - level, &[y], scratch);
        add_to_each(std::slice::from_mut(x), &images);
    }
}

/// The coefficients where so many ciphertexts are, in their order.
pub(crate) fn places(n: usize, len: usize) -> impl Iterator<Item = usize> {
    (0..len).map(move |i| i * (n / len.next_power_of_two()))
}
