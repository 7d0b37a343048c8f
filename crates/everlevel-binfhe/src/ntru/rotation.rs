//! Blind rotation of one-polynomial accumulators.
//!
//! Every step is a product of the accumulator's digits with rows of one key, or of a few keys that are turned by
//! monomials, which are numbers at each point of the transform: with `d` the digits of the accumulator,
//!
//! ```text
//! one product           ACC = d ⊡ k
//! sequential            ACC += d' ⊡ s,  d' the digits of (X^a − 1)·ACC
//! ternary               ACC += d' ⊡ (k_+ − X^(−a)·k_−)
//! two bits, four keys   ACC = d ⊡ (k_00 + X^b·k_01 + X^a·(k_10 + X^b·k_11))
//! two bits, three keys  ACC += d ⊡ (X^(a+b) − 1)·k_11 + (X^a − 1)·k_10 + (X^b − 1)·k_01
//! automorphism          ACC = φ_t(d) ⊡ k
//! ```

use everlevel_ring::{HalfProduct, PrimeRing};
use everlevel_rlwe::{Lwe, lwe};
use rayon::prelude::*;

use super::counts::Rotation;
use super::orders::{self, Order};
use super::params::NtruLiteral;
use crate::blind_rotation::{BlindRotate, SeededBootstrapKey};
use crate::lut::Lut;

/// A transformed key.
#[derive(Debug)]
pub(crate) struct Prepared {
    literal: NtruLiteral,
    ring: PrimeRing,
    /// For each vector ciphertext its rows.
    keys: Vec<Vec<Vec<u64>>>,
    /// `X^1`, transformed, to every power below `2N`.
    monomials: Vec<Vec<u64>>,
}

impl Prepared {
    pub(crate) fn new(stored: &SeededBootstrapKey, literal: &NtruLiteral) -> Self {
        let (ring, n) = (literal.ring(), literal.n());
        let digits = literal.gadget.digits as usize;
        let row = |body: &[u64]| ring.transform(&body.iter().map(|&x| x >> 32).collect::<Vec<_>>());
        let key = |bodies: &[u64]| bodies.chunks_exact(n).map(row).collect();
        let keys = stored.bodies.par_chunks_exact(digits * n).map(key).collect();
        let monomial = |e: usize| {
            let mut poly = vec![0; n];
            poly[e % n] = if e < n { 1 } else { ring.modulus().q() - 1 };
            ring.transform(&poly)
        };
        let monomials = (0..2 * n).map(monomial).collect();
        Self { literal: literal.clone(), ring, keys, monomials }
    }

    /// `X^(−body)` times a table, in units of `1/Q`.
    fn table(&self, lut: &Lut, body: u32) -> Vec<u64> {
        let n = self.literal.n();
        let q = self.ring.modulus();
        let words: Vec<u64> = lut.coeffs().iter().map(|&x| switched(x, q.q())).collect();
        self.rotated(&words, (2 * n - body as usize) % (2 * n))
    }

    /// `X^exponent·a`.
    fn rotated(&self, a: &[u64], exponent: usize) -> Vec<u64> {
        let (n, q) = (a.len(), self.ring.modulus());
        let mut out = vec![0; n];
        for (i, &x) in a.iter().enumerate() {
            let place = (i + exponent) % (2 * n);
            out[place % n] = if place < n { x } else { q.neg(x) };
        }
        out
    }

    /// `φ_t(a)`.
    fn turned(&self, a: &[u64], t: usize) -> Vec<u64> {
        let (n, q) = (a.len(), self.ring.modulus());
        let mut out = vec![0; n];
        for (i, &x) in a.iter().enumerate() {
            let place = i * t % (2 * n);
            out[place % n] = if place < n { x } else { q.neg(x) };
        }
        out
    }

    fn digits(&self, acc: &Vec<u64>) -> Vec<Vec<u64>> {
        self.ring.digits(&self.literal.gadget, &[acc]).swap_remove(0)
    }

    /// Digits times one key, transformed.
    fn sum(&self, digits: &Vec<Vec<u64>>, key: usize) -> Vec<u64> {
        self.ring.multiply(&[digits], &self.keys[key]).swap_remove(0)
    }

    fn finish(&self, sum: Vec<u64>) -> Vec<u64> {
        self.ring.finish(vec![sum], &self.literal.gadget, &()).swap_remove(0).swap_remove(0)
    }

    fn product(&self, acc: &Vec<u64>, key: usize) -> Vec<u64> {
        self.finish(self.sum(&self.digits(acc), key))
    }

    /// `acc += out`.
    fn add(&self, acc: &mut [u64], out: &[u64]) {
        acc.iter_mut().zip(out).for_each(|(x, &y)| *x = self.ring.modulus().add(*x, y));
    }

    fn subtract(&self, acc: &mut [u64], out: &[u64]) {
        acc.iter_mut().zip(out).for_each(|(x, &y)| *x = self.ring.modulus().sub(*x, y));
    }

    /// Sums, each turned by its monomial, added up.
    fn bundle(&self, sums: &[(Vec<u64>, usize)]) -> Vec<u64> {
        let mut out = vec![0; self.literal.n()];
        let two_n = 2 * self.literal.n();
        sums.iter().for_each(|(sum, e)| self.ring.add_turned(&mut out, sum, &self.monomials[e % two_n]));
        out
    }

    /// Rotations by whole exponents, one after the other.
    fn rotate_one(&self, input: &[u32], lut: &Lut) -> Vec<u64> {
        let (body, mask) = input.split_last().expect("a mask and a body");
        let mut acc = self.table(lut, *body);
        let (n, two_n) = (self.literal.n(), 2 * self.literal.n());
        let order = |order: Order| {
            let mut acc = self.turned(&acc, order.first);
            for step in order.steps {
                acc = self.product(&if step.t == 1 { acc } else { self.turned(&acc, step.t) }, step.key);
            }
            acc
        };
        match self.literal.rotation {
            Rotation::Sequential | Rotation::Ternary => {
                let ternary = self.literal.rotation == Rotation::Ternary;
                acc = self.product(&acc, 0);
                for (i, &a) in mask.iter().enumerate().filter(|(_, a)| **a != 0) {
                    let mut difference = self.rotated(&acc, a as usize);
                    self.subtract(&mut difference, &acc);
                    let digits = self.digits(&difference);
                    let sum = if ternary {
                        let minus = self.sum(&digits, 2 + 2 * i);
                        self.bundle(&[(self.sum(&digits, 1 + 2 * i), 0), (minus, n + two_n - a as usize)])
                    } else {
                        self.sum(&digits, 1 + i)
                    };
                    self.add(&mut acc, &self.finish(sum));
                }
            }
            Rotation::ThreeKeys => {
                acc = self.product(&acc, 0);
                for (i, pair) in mask.chunks_exact(2).enumerate() {
                    let (digits, (a, b)) = (self.digits(&acc), (pair[0] as usize, pair[1] as usize));
                    let sums = [a + b, a, b].into_iter().enumerate().flat_map(|(k, e)| {
                        let sum = self.sum(&digits, 1 + 3 * i + k);
                        [(sum.clone(), e), (sum, n)]
                    });
                    let sum = self.bundle(&sums.collect::<Vec<_>>());
                    self.add(&mut acc, &self.finish(sum));
                }
            }
            Rotation::FourKeys => {
                for (i, pair) in mask.chunks_exact(2).enumerate() {
                    let (digits, (a, b)) = (self.digits(&acc), (pair[0] as usize, pair[1] as usize));
                    let sums = [a + b, a, b, 0].into_iter().enumerate();
                    let sums = sums.map(|(k, e)| (self.sum(&digits, 4 * i + k), e));
                    acc = self.finish(self.bundle(&sums.collect::<Vec<_>>()));
                }
            }
            Rotation::Automorphisms => acc = order(orders::one_by_one(mask, n)),
            Rotation::TwoSweeps { window } => acc = order(orders::two_sweeps(mask, n, window)),
            Rotation::OneSweep { window } => acc = order(orders::one_sweep(mask, n, window)),
        }
        acc
    }

    /// Coefficient `h` of the product with the secret, as an LWE ciphertext under the secret's coefficients.
    fn extract(&self, acc: &[u64], h: usize) -> Lwe {
        let q = self.ring.modulus().q();
        // The phase is the body less the masks times the secret, and there is no body.
        let mut glwe: Vec<u64> = acc.iter().map(|&x| widened(x, q).wrapping_neg()).collect();
        glwe.resize(2 * acc.len(), 0);
        lwe::extract(&glwe, acc.len(), h)
    }
}

impl BlindRotate for Prepared {
    fn nbytes(&self) -> usize {
        self.keys.iter().flatten().map(|row| size_of_val(&row[..])).sum()
    }

    fn tile(&self) -> usize {
        64
    }

    fn rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], _: bool) -> Vec<Vec<Lwe>> {
        let one = |(input, lut): (&Vec<u32>, &&Lut)| {
            let acc = self.rotate_one(input, lut);
            lut.places().iter().map(|&place| self.extract(&acc, place)).collect()
        };
        inputs.iter().zip(luts).map(one).collect()
    }
}

/// A torus element in units of `1/Q`: the nearest residue.
fn switched(x: u64, q: u64) -> u64 {
    let product = u128::from(x) * u128::from(q) + (1 << 63);
    ((product >> 64) as u64) % q
}

/// A residue as a torus element: the nearest to `x/Q`.
fn widened(x: u64, q: u64) -> u64 {
    (((u128::from(x) << 64) + u128::from(q / 2)) / u128::from(q)) as u64
}
