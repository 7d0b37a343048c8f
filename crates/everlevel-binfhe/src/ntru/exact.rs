//! Blind rotation of one-polynomial accumulators, stage by stage on integers: the model that the fused one is tested
//! against, and that hardware may be built after.
//!
//! Every step is a product of the accumulator's digits with rows of one key, or of a few keys that are turned by
//! monomials, which are numbers at each point of the transform: with `d` the digits of the accumulator,
//!
//! ```text
//! one product           ACC = d ⊡ k
//! sequential            ACC += d' ⊡ s,  d' the digits of (X^a − 1)·ACC
//! ternary, sequential   ACC += d' ⊡ (k_(s=1) − X^(−a)·k_(s=−1))
//! two bits, four keys   ACC = d ⊡ (k_00 + X^b·k_01 + X^a·(k_10 + X^b·k_11))
//! two bits, three keys  ACC += d ⊡ (X^(a+b) − 1)·k_11 + (X^a − 1)·k_10 + (X^b − 1)·k_01
//! one-hot block         ACC = d ⊡ Σ X^(a_i − a_0)·k_i, and X^(a_0) is moved to the body
//! bucket                ACC = d ⊡ (Σ X^(a_i)·k_i + k_none)
//! automorphism          ACC = φ_t(d) ⊡ k
//! ```

use everlevel_math::{Modulus, Ntt};
use everlevel_rlwe::Lwe;
use rayon::prelude::*;

use super::counts::Rotation;
use super::orders::{self, Order};
use super::params::NtruLiteral;
use super::torus;
use crate::blind_rotation::SeededBootstrapKey;
use crate::lut::Lut;

/// A bootstrapping key for rotations whose stages are values: digits, sums of products, what they are finished to.
///
/// Residues are integers below `Q`; digits are [`PrimeGadget`](everlevel_ring::PrimeGadget)'s, transforms
/// [`Ntt`](everlevel_math::Ntt)'s. It gives the bits of [`BootstrapKey`](crate::BootstrapKey), slowly.
#[derive(Debug)]
pub struct ExactRotation {
    literal: NtruLiteral,
    ntt: Ntt,
    /// For each vector ciphertext its rows.
    keys: Vec<Vec<Vec<u64>>>,
    /// `X^1`, transformed, to every power below `2N`.
    monomials: Vec<Vec<u64>>,
}

impl ExactRotation {
    /// The model of a stored key.
    ///
    /// # Panics
    /// If the numbers are not those of checked parameters.
    pub fn new(stored: &SeededBootstrapKey, literal: &NtruLiteral) -> Self {
        let (q, n) = (u64::from(literal.modulus), literal.n());
        let ntt =
            Modulus::new(q).and_then(|q| Ntt::new(literal.log_n, q)).expect("parameters hold the transform's sizes");
        let digits = literal.gadget.digits as usize;
        let transform = |mut poly: Vec<u64>| {
            ntt.forward(&mut poly);
            poly
        };
        let row = |body: &[u64]| transform(body.iter().map(|&x| x >> 32).collect());
        let key = |bodies: &[u64]| bodies.chunks_exact(n).map(row).collect();
        let keys = stored.bodies.par_chunks_exact(digits * n).map(key).collect();
        let monomial = |e: usize| {
            let mut poly = vec![0; n];
            poly[e % n] = if e < n { 1 } else { q - 1 };
            transform(poly)
        };
        let monomials = (0..2 * n).map(monomial).collect();
        Self { literal: literal.clone(), ntt, keys, monomials }
    }

    /// `X^(−body)` times a table, in units of `1/Q`.
    fn table(&self, lut: &Lut, body: u32) -> Vec<u64> {
        let n = self.literal.n();
        let q = self.ntt.modulus();
        let words: Vec<u64> = lut.coeffs().iter().map(|&x| torus::switched(x, q.q())).collect();
        self.rotated(&words, (2 * n - body as usize) % (2 * n))
    }

    /// `X^exponent·a`.
    fn rotated(&self, a: &[u64], exponent: usize) -> Vec<u64> {
        self.moved(a, |i| i + exponent)
    }

    /// `φ_t(a)`.
    fn turned(&self, a: &[u64], t: usize) -> Vec<u64> {
        self.moved(a, |i| i * t)
    }

    /// The polynomial with each `X^i` replaced by `X^to(i)`.
    fn moved(&self, a: &[u64], to: impl Fn(usize) -> usize) -> Vec<u64> {
        let (n, q) = (a.len(), self.ntt.modulus());
        let mut out = vec![0; n];
        for (i, &x) in a.iter().enumerate() {
            let place = to(i) % (2 * n);
            out[place % n] = if place < n { x } else { q.neg(x) };
        }
        out
    }

    /// The digits of the residues nearest to zero, transformed.
    fn digits(&self, acc: &[u64]) -> Vec<Vec<u64>> {
        let (modulus, gadget) = (self.ntt.modulus(), self.literal.gadget);
        let mut digits = vec![vec![0; acc.len()]; gadget.digits as usize];
        for (i, &x) in acc.iter().enumerate() {
            let nearest = if x > modulus.q() / 2 { x as i64 - modulus.q() as i64 } else { x as i64 };
            gadget.decompose(nearest, |row, digit| digits[row][i] = modulus.reduce_i64(digit));
        }
        digits.iter_mut().for_each(|digit| self.ntt.forward(digit));
        digits
    }

    /// Digits times one key, transformed.
    fn sum(&self, digits: &[Vec<u64>], key: usize) -> Vec<u64> {
        let mut sum = vec![0; self.literal.n()];
        digits.iter().zip(&self.keys[key]).for_each(|(x, row)| self.ntt.modulus().mul_add_assign(&mut sum, x, row));
        sum
    }

    fn finish(&self, mut sum: Vec<u64>) -> Vec<u64> {
        self.ntt.inverse(&mut sum);
        sum
    }

    fn product(&self, acc: &[u64], key: usize) -> Vec<u64> {
        self.finish(self.sum(&self.digits(acc), key))
    }

    /// `acc += out`.
    fn add(&self, acc: &mut [u64], out: &[u64]) {
        acc.iter_mut().zip(out).for_each(|(x, &y)| *x = self.ntt.modulus().add(*x, y));
    }

    fn subtract(&self, acc: &mut [u64], out: &[u64]) {
        acc.iter_mut().zip(out).for_each(|(x, &y)| *x = self.ntt.modulus().sub(*x, y));
    }

    /// Sums, each turned by its monomial, added up.
    fn bundle(&self, sums: &[(Vec<u64>, usize)]) -> Vec<u64> {
        let mut out = vec![0; self.literal.n()];
        let two_n = 2 * self.literal.n();
        sums.iter().for_each(|(sum, e)| self.ntt.modulus().mul_add_assign(&mut out, sum, &self.monomials[e % two_n]));
        out
    }

    /// Products and automorphisms of an order.
    fn in_order(&self, acc: &[u64], order: Order) -> Vec<u64> {
        let mut acc = self.turned(acc, order.first);
        for step in order.steps {
            acc = self.product(&if step.t == 1 { acc } else { self.turned(&acc, step.t) }, step.key);
        }
        acc
    }

    /// `X^(−phase)` times a table, as residues: the accumulator after its last step.
    ///
    /// # Panics
    /// If lengths are not the parameters'.
    pub fn rotate(&self, input: &[u32], lut: &Lut) -> Vec<u64> {
        let input = self.relative(input);
        let (body, mask) = input.split_last().expect("a mask and a body");
        self.steps(mask, self.table(lut, *body))
    }

    /// The exponents that [`steps`](Self::steps) and the table take for those of an input: of one-hot blocks, relative
    /// to each block's first one.
    ///
    /// # Panics
    /// If `input` is empty.
    pub fn relative(&self, input: &[u32]) -> Vec<u32> {
        self.literal.shape().relative(input)
    }

    /// An accumulator after the steps of a mask.
    ///
    /// # Panics
    /// If lengths are not the parameters'.
    pub fn steps(&self, mask: &[u32], mut acc: Vec<u64>) -> Vec<u64> {
        let n = self.literal.n();
        let shape = self.literal.shape();
        let adds = shape.rotation == Rotation::ThreeKeys;
        if adds || shape.rotation == Rotation::Sequential {
            acc = self.product(&acc, 0);
        }
        match shape.rotation {
            Rotation::Sequential => {
                for (i, &a) in mask.iter().enumerate().filter(|(_, a)| **a != 0) {
                    let a = a as usize;
                    let mut difference = self.rotated(&acc, a);
                    self.subtract(&mut difference, &acc);
                    let digits = self.digits(&difference);
                    let keys = if shape.is_signed() { vec![0, 3 * n - a] } else { vec![0] };
                    let sums = keys.iter().enumerate();
                    let sums = sums.map(|(k, &e)| (self.sum(&digits, 1 + keys.len() * i + k), e));
                    let sum = self.bundle(&sums.collect::<Vec<_>>());
                    self.add(&mut acc, &self.finish(sum));
                }
            }
            Rotation::ThreeKeys
            | Rotation::FourKeys
            | Rotation::EightKeys
            | Rotation::Blocks
            | Rotation::Buckets { .. } => {
                for bundle in shape.bundles() {
                    let digits = self.digits(&acc);
                    let turned = bundle.exponents(mask, 2 * n).enumerate().flat_map(|(k, e)| {
                        let sum = self.sum(&digits, bundle.keys[k]);
                        // X^e, or X^e − 1.
                        if adds { vec![(sum.clone(), e), (sum, n)] } else { vec![(sum, e)] }
                    });
                    let out = self.finish(self.bundle(&turned.collect::<Vec<_>>()));
                    if adds { self.add(&mut acc, &out) } else { acc = out }
                }
            }
            other => acc = self.in_order(&acc, orders::of(other, mask, n)),
        }
        acc
    }

    /// Coefficient `h` of the product with the secret, as an LWE ciphertext under the secret's coefficients.
    ///
    /// # Panics
    /// If `acc` has not the ring's `N` residues, or `h` is not below `N`.
    pub fn extract(&self, acc: &[u64], h: usize) -> Lwe {
        torus::extract(acc.iter().copied(), self.ntt.modulus().q(), h)
    }
}
