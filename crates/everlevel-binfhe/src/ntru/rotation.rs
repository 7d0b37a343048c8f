//! Blind rotation with a transformed key: step by step of the key, accumulator by accumulator, two at a time.
//!
//! What the steps compute is in `exact`, stage by stage.

use std::sync::{Mutex, PoisonError};

use everlevel_math::small_ntt::{Float, KeyWord, NtruProduct};
use everlevel_ring::WordBuffer;
use everlevel_rlwe::Lwe;
use rayon::prelude::*;

use super::counts::{Bundle, Rotation, Shape};
use super::orders::{self, Order};
use super::params::NtruLiteral;
use super::torus;
use crate::blind_rotation::{BlindRotate, SeededBootstrapKey};
use crate::lut::Lut;

/// Accumulators of one pass over the key, in bytes: what is left of a second-level cache of 1 MiB beside two steps'
/// keys.
const TILE_BYTES: usize = 256 << 10;

/// Inputs from which on a step's keys are expanded before.
const EXPANDED: usize = 5;

/// A transformed key.
#[derive(Debug)]
pub(super) struct Prepared<F: Word> {
    product: NtruProduct<F>,
    shape: Shape,
    bundles: Vec<Bundle>,
    keys: WordBuffer<u8>,
    /// Scratch of threads that are not in a rotation.
    free: Mutex<Vec<Workspace<F>>>,
}

/// A float that holds residues.
pub(super) trait Word: Float + KeyWord<Self> + bytemuck::Pod {}
impl Word for f32 {}
impl Word for f64 {}

/// The memory that a thread's rotations need.
#[derive(Debug)]
struct Workspace<F: Word> {
    scratch: WordBuffer<F>,
    /// A step's keys, expanded.
    expanded: WordBuffer<F>,
    /// Accumulators, and one more polynomial.
    accumulators: WordBuffer<F>,
}

impl<F: Word> Prepared<F> {
    pub(super) fn new(stored: &SeededBootstrapKey, literal: &NtruLiteral) -> Self {
        let product = literal.product::<F>().expect("checked parameters");
        let (len, n, q) = (product.key_len(), literal.n(), literal.modulus);
        let rows = literal.gadget.digits as usize * n;
        let mut keys: WordBuffer<u8> = WordBuffer::zeroed(stored.bodies.len() / rows * len);
        let (shape, mut rest, mut parts) = (literal.shape(), &mut keys[..], Vec::new());
        for group in shape.groups() {
            let (part, others) = rest.split_at_mut(group.len() * len);
            parts.push((part, group));
            rest = others;
        }
        parts.into_par_iter().for_each(|(part, group)| {
            for (place, key) in group.into_iter().enumerate() {
                for (digit, body) in stored.bodies[key * rows..][..rows].chunks_exact(n).enumerate() {
                    let mut row: Vec<F> = body.iter().map(|&x| centred(x >> 32, q.into())).collect();
                    product.prepare_row(part, (place, digit), &mut row);
                }
            }
        });
        Self { product, shape, bundles: shape.bundles(), keys, free: Mutex::new(Vec::new()) }
    }

    fn n(&self) -> usize {
        self.product.ntt().n()
    }

    fn q(&self) -> u64 {
        self.product.ntt().modulus().q()
    }

    fn residue(&self, x: &F) -> u64 {
        (x.to_i64() + if x.to_i64() < 0 { self.q() as i64 } else { 0 }) as u64
    }

    /// Keys from `first` on; none behind the last.
    fn keys(&self, first: usize, count: usize) -> &[u8] {
        let len = self.product.key_len();
        self.keys.get(first * len..(first + count) * len).unwrap_or(&[])
    }

    /// `X^(−body)` times each input's table, as residues.
    fn load_tables(&self, accumulators: &mut [F], inputs: &[Vec<u32>], luts: &[&Lut]) {
        let (n, q) = (self.n(), self.q());
        for ((acc, input), lut) in accumulators.chunks_exact_mut(n).zip(inputs).zip(luts) {
            let by = (2 * n - self.shape.relative(input)[input.len() - 1] as usize) % (2 * n);
            for (i, &x) in lut.coeffs().iter().enumerate() {
                let x = centred::<F>(torus::switched(x, q), q);
                put(acc, i + by, x);
            }
        }
    }

    /// A step of all inputs, two at a time: `exponents` of an input go beside its accumulator.
    fn in_pairs<X: Copy>(
        &self,
        accumulators: &mut [F],
        exponents: &[X],
        ahead: &[u8],
        mut step: impl FnMut(OneOrTwo<'_, F, X>, &[u8]),
    ) {
        let n = self.n();
        let part = |j: usize| j * ahead.len() / exponents.len();
        for (j, (accs, with)) in accumulators.chunks_mut(2 * n).zip(exponents.chunks(2)).enumerate() {
            let ahead = &ahead[part(2 * j)..part(2 * j + with.len())];
            match *with {
                [x, y] => {
                    let (a, b) = accs.split_at_mut(n);
                    step(OneOrTwo::Two([(a, x), (b, y)]), ahead);
                }
                _ => step(OneOrTwo::One([(&mut accs[..n], with[0])]), ahead),
            }
        }
    }

    /// The first product, which encrypts plain tables, with key 0.
    fn encrypt(&self, accumulators: &mut [F], count: usize, scratch: &mut [F]) {
        self.in_pairs(accumulators, &vec![(); count], self.keys(1, 1), |accs, ahead| match accs {
            OneOrTwo::One(a) => self.product.multiply(a.map(|(a, ())| a), self.keys(0, 1), scratch, ahead),
            OneOrTwo::Two(ab) => self.product.multiply(ab.map(|(a, ())| a), self.keys(0, 1), scratch, ahead),
        });
    }

    /// A product for each coefficient, of the accumulator turned and less itself.
    fn one_by_one(&self, accumulators: &mut [F], inputs: &[Vec<u32>], scratch: &mut [F]) {
        let (n, count) = (self.n(), self.shape.keys_per_step());
        self.encrypt(accumulators, inputs.len(), scratch);
        for i in 0..self.shape.dim {
            let key = self.keys(1 + count * i, count);
            let ahead = self.keys(1 + count * (i + 1), count);
            let exponents: Vec<usize> = inputs.iter().map(|input| input[i] as usize).collect();
            // The factor of the key for −1 is −X^(−a).
            let turns = |a: usize| [0, (3 * n - a) % (2 * n)];
            self.in_pairs(accumulators, &exponents, ahead, |accs, ahead| match (accs, count) {
                (OneOrTwo::One(a), 1) => self.product.rotate_add(a, key, scratch, ahead),
                (OneOrTwo::Two(ab), 1) => self.product.rotate_add(ab, key, scratch, ahead),
                (OneOrTwo::One([(acc, a)]), _) => {
                    self.product.rotate_add_bundle([(acc, a, &turns(a)[..])], key, scratch, ahead);
                }
                (OneOrTwo::Two([(x, a), (y, b)]), _) => {
                    let both = [(x, a, &turns(a)[..]), (y, b, &turns(b)[..])];
                    self.product.rotate_add_bundle(both, key, scratch, ahead);
                }
            });
        }
    }

    /// A product for each bundle of keys.
    fn in_bundles(&self, accumulators: &mut [F], inputs: &[Vec<u32>], (scratch, expanded): (&mut [F], &mut [F])) {
        let two_n = 2 * self.n();
        if self.shape.rotation == Rotation::ThreeKeys {
            self.encrypt(accumulators, inputs.len(), scratch);
        }
        let inputs: Vec<Vec<u32>> = inputs.iter().map(|input| self.shape.relative(input)).collect();
        let mut exponents = Vec::with_capacity(inputs.len() * self.shape.keys_per_step());
        let mut first = usize::from(self.shape.rotation == Rotation::ThreeKeys);
        for (i, bundle) in self.bundles.iter().enumerate() {
            let keys = self.keys(first, bundle.turns.len());
            first += bundle.turns.len();
            let ahead = self.bundles.get(i + 1).map_or(&[][..], |next| self.keys(first, next.turns.len()));
            exponents.clear();
            inputs.iter().for_each(|input| exponents.extend(bundle.exponents(input, two_n)));
            let exponents: Vec<&[usize]> = exponents.chunks_exact(bundle.turns.len()).collect();
            if inputs.len() < EXPANDED {
                self.bundle_step(accumulators, &exponents, (keys, ahead), scratch);
            } else {
                let words = &mut expanded[..bundle.turns.len() * self.product.words()];
                self.product.expand(keys, words);
                self.bundle_step(accumulators, &exponents, (&*words, ahead), scratch);
            }
        }
    }

    /// A step with a bundle of keys.
    fn bundle_step<K: KeyWord<F>>(
        &self,
        accumulators: &mut [F],
        exponents: &[&[usize]],
        (keys, ahead): (&[K], &[u8]),
        scratch: &mut [F],
    ) {
        let adds = self.shape.rotation == Rotation::ThreeKeys;
        self.in_pairs(accumulators, exponents, ahead, |accs, ahead| match (accs, adds) {
            (OneOrTwo::One(a), false) => self.product.multiply_bundle(a, keys, scratch, ahead),
            (OneOrTwo::Two(ab), false) => self.product.multiply_bundle(ab, keys, scratch, ahead),
            (OneOrTwo::One(a), true) => self.product.add_bundle(a, keys, scratch, ahead),
            (OneOrTwo::Two(ab), true) => self.product.add_bundle(ab, keys, scratch, ahead),
        });
    }

    /// Each input by itself, since orders differ.
    fn in_order(&self, acc: &mut [F], turned: &mut [F], order: &Order, scratch: &mut [F]) {
        self.turn(acc, turned, order.first);
        for (i, step) in order.steps.iter().enumerate() {
            if step.t != 1 {
                self.turn(acc, turned, step.t);
            }
            let ahead = order.steps.get(i + 1).map_or(&[][..], |next| self.keys(next.key, 1));
            self.product.multiply([&mut *acc], self.keys(step.key, 1), scratch, ahead);
        }
    }

    /// `acc ← φ_t(acc)`.
    fn turn(&self, acc: &mut [F], turned: &mut [F], t: usize) {
        acc.iter().enumerate().for_each(|(i, &x)| put(turned, i * t, x));
        acc.copy_from_slice(turned);
    }

    fn take(&self) -> Workspace<F> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| Workspace {
            scratch: WordBuffer::zeroed(self.product.scratch_len()),
            expanded: WordBuffer::zeroed(self.shape.keys_per_step() * self.product.words()),
            accumulators: WordBuffer::zeroed((self.tile() + 1) * self.n()),
        })
    }
}

impl<F: Word> BlindRotate for Prepared<F> {
    fn nbytes(&self) -> usize {
        size_of_val(&self.keys[..])
    }

    /// Transforms over a prime are exact.
    fn bodies(&self) -> Option<Vec<u64>> {
        let (product, n, len) = (&self.product, self.n(), self.product.key_len());
        let rows = product.gadget().digits as usize * n;
        let mut bodies = vec![0; self.keys.len() / len * rows];
        let (mut rest, mut polynomial) = (&self.keys[..], vec![F::from_i64(0); n]);
        for group in self.shape.groups() {
            let (part, others) = rest.split_at(group.len() * len);
            rest = others;
            for (place, key) in group.into_iter().enumerate() {
                for (digit, body) in bodies[key * rows..][..rows].chunks_exact_mut(n).enumerate() {
                    product.restore_row(part, (place, digit), &mut polynomial);
                    body.iter_mut().zip(&polynomial).for_each(|(body, x)| *body = self.residue(x) << 32);
                }
            }
        }
        Some(bodies)
    }

    fn tile(&self) -> usize {
        (TILE_BYTES / (self.n() * size_of::<F>())).max(1)
    }

    fn rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], _: bool) -> Vec<Vec<Lwe>> {
        let (mut workspace, n, q) = (self.take(), self.n(), self.q());
        let Workspace { scratch, expanded, accumulators: all } = &mut workspace;
        let (accumulators, rest) = all.split_at_mut(inputs.len() * n);
        self.load_tables(accumulators, inputs, luts);
        match self.shape.rotation {
            Rotation::Sequential => self.one_by_one(accumulators, inputs, scratch),
            Rotation::ThreeKeys
            | Rotation::FourKeys
            | Rotation::EightKeys
            | Rotation::Blocks
            | Rotation::Buckets { .. } => {
                self.in_bundles(accumulators, inputs, (scratch, expanded));
            }
            Rotation::Automorphisms | Rotation::TwoSweeps { .. } | Rotation::OneSweep { .. } => {
                for (acc, input) in accumulators.chunks_exact_mut(n).zip(inputs) {
                    let order = orders::of(self.shape.rotation, &input[..input.len() - 1], n);
                    self.in_order(acc, &mut rest[..n], &order, scratch);
                }
            }
        }
        let residue = |x: &F| self.residue(x);
        let extract = |(acc, lut): (&[F], &&Lut)| {
            lut.places().iter().map(|&place| torus::extract(acc.iter().map(residue), q, place)).collect()
        };
        let out = accumulators.chunks_exact(n).zip(luts).map(extract).collect();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        out
    }
}

/// One accumulator or two, each with its exponents.
enum OneOrTwo<'a, F, X> {
    One([(&'a mut [F], X); 1]),
    Two([(&'a mut [F], X); 2]),
}

/// A residue as the representative nearest to zero.
fn centred<F: Float>(x: u64, q: u64) -> F {
    F::from_i64(if x > q / 2 { x as i64 - q as i64 } else { x as i64 })
}

/// Coefficient `exponent` of a polynomial modulo `X^n + 1`, `n` a power of two, for any exponent.
fn put<F: Float>(poly: &mut [F], exponent: usize, x: F) {
    let n = poly.len();
    // No zero has a sign.
    poly[exponent & (n - 1)] = if exponent & n == 0 { x } else { F::from_i64(-x.to_i64()) };
}
