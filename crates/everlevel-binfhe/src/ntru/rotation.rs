//! The steps of blind rotations of one-polynomial accumulators with transformed keys. What they compute is in `exact`,
//! stage by stage.

use everlevel_math::small_ntt::{Float, KeyWord, NtruProduct};
use everlevel_ring::WordBuffer;
use everlevel_rlwe::Lwe;
use rayon::prelude::*;

use super::counts::{Bundle, Rotation, Shape};
use super::orders::{self, Order};
use super::params::NtruLiteral;
use super::torus;
use crate::blind_rotation::{BlindStep, OneOrTwo, SeededBootstrapKey, in_pairs};

/// Inputs from which on a step's keys are expanded before.
const EXPANDED: usize = 5;

/// A transformed key.
#[derive(Debug)]
pub(super) struct Prepared<F: Word> {
    product: NtruProduct<F>,
    shape: Shape,
    bundles: Vec<Bundle>,
    /// The first key of each bundle, and the end of the last.
    firsts: Vec<usize>,
    keys: WordBuffer<u8>,
}

/// A float that holds residues.
pub(super) trait Word: Float + KeyWord<Self> + bytemuck::Pod {}
impl Word for f32 {}
impl Word for f64 {}

/// Memory of a thread's rotations: scratch, and the accumulators of a tile.
#[derive(Debug)]
pub(super) struct Memory<F: Word> {
    scratch: WordBuffer<F>,
    /// A step's keys, expanded.
    expanded: WordBuffer<F>,
    accumulators: WordBuffer<F>,
    /// An accumulator's image under an automorphism.
    turned: WordBuffer<F>,
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
                    let mut row: Vec<F> = body.iter().map(|&x| F::from_i64(centred(x >> 32, q.into()))).collect();
                    product.prepare_row(part, (place, digit), &mut row);
                }
            }
        });
        let bundles = shape.bundles();
        let mut firsts = vec![usize::from(shape.rotation == Rotation::ThreeKeys)];
        bundles.iter().for_each(|bundle| firsts.push(firsts[firsts.len() - 1] + bundle.turns.len()));
        Self { product, shape, bundles, firsts, keys }
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

    /// The first product, which encrypts plain tables, with key 0.
    fn encrypt(&self, accumulators: &mut [F], count: usize, scratch: &mut [F]) {
        in_pairs(accumulators, &vec![(); count], self.keys(1, 1), |accs, ahead| match accs {
            OneOrTwo::One(a) => self.product.multiply(a.map(|(a, ())| a), self.keys(0, 1), scratch, ahead),
            OneOrTwo::Two(ab) => self.product.multiply(ab.map(|(a, ())| a), self.keys(0, 1), scratch, ahead),
        });
    }

    /// Step `i`, of one coefficient: a product of the accumulator turned and less itself.
    fn difference_step(&self, accumulators: &mut [F], inputs: &[Vec<u32>], i: usize, scratch: &mut [F]) {
        let (n, count) = (self.n(), self.shape.keys_per_step());
        let key = self.keys(1 + count * i, count);
        let ahead = self.keys(1 + count * (i + 1), count);
        let exponents: Vec<usize> = inputs.iter().map(|input| input[i] as usize).collect();
        // The factor of the key for −1 is −X^(−a).
        let turns = |a: usize| [0, (3 * n - a) % (2 * n)];
        in_pairs(accumulators, &exponents, ahead, |accs, ahead| match (accs, count) {
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

    /// Step `i`, of one bundle of keys.
    fn bundle_step(
        &self,
        accumulators: &mut [F],
        inputs: &[Vec<u32>],
        i: usize,
        (scratch, expanded): (&mut [F], &mut [F]),
    ) {
        let (bundle, two_n) = (&self.bundles[i], 2 * self.n());
        let keys = self.keys(self.firsts[i], bundle.turns.len());
        let ahead = self.bundles.get(i + 1).map_or(&[][..], |next| self.keys(self.firsts[i + 1], next.turns.len()));
        let exponents: Vec<usize> = inputs.iter().flat_map(|input| bundle.exponents(input, two_n)).collect();
        let exponents: Vec<&[usize]> = exponents.chunks_exact(bundle.turns.len()).collect();
        if inputs.len() < EXPANDED {
            self.multiply_bundle(accumulators, &exponents, (keys, ahead), scratch);
        } else {
            let words = &mut expanded[..bundle.turns.len() * self.product.words()];
            self.product.expand(keys, words);
            self.multiply_bundle(accumulators, &exponents, (&*words, ahead), scratch);
        }
    }

    /// A product with a bundle of keys.
    fn multiply_bundle<K: KeyWord<F>>(
        &self,
        accumulators: &mut [F],
        exponents: &[&[usize]],
        (keys, ahead): (&[K], &[u8]),
        scratch: &mut [F],
    ) {
        let adds = self.shape.rotation == Rotation::ThreeKeys;
        in_pairs(accumulators, exponents, ahead, |accs, ahead| match (accs, adds) {
            (OneOrTwo::One(a), false) => self.product.multiply_bundle(a, keys, scratch, ahead),
            (OneOrTwo::Two(ab), false) => self.product.multiply_bundle(ab, keys, scratch, ahead),
            (OneOrTwo::One(a), true) => self.product.add_bundle(a, keys, scratch, ahead),
            (OneOrTwo::Two(ab), true) => self.product.add_bundle(ab, keys, scratch, ahead),
        });
    }

    /// All products and automorphisms of one input, whose order no other one has.
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
}

impl<F: Word> BlindStep for Prepared<F> {
    /// A residue, nearest to zero.
    type Word = i64;
    type Memory = Memory<F>;

    const TILE_BYTES: usize = 256 << 10;

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

    fn accumulator_nbytes(&self) -> usize {
        self.n() * size_of::<F>()
    }

    fn memory(&self, tile: usize) -> Memory<F> {
        Memory {
            scratch: WordBuffer::zeroed(self.product.scratch_len()),
            expanded: WordBuffer::zeroed(self.shape.keys_per_step() * self.product.words()),
            accumulators: WordBuffer::zeroed(tile * self.n()),
            turned: WordBuffer::zeroed(self.n()),
        }
    }

    fn exponents(&self, input: &[u32]) -> Vec<u32> {
        self.shape.relative(input)
    }

    fn word(&self, x: u64) -> i64 {
        centred(torus::switched(x, self.q()), self.q())
    }

    fn load(&self, memory: &mut Memory<F>, place: usize, table: &[i64]) {
        let acc = &mut memory.accumulators[place * self.n()..][..self.n()];
        acc.iter_mut().zip(table).for_each(|(out, &x)| *out = F::from_i64(x));
    }

    fn steps(&self, inputs: &[Vec<u32>], _: bool) -> usize {
        match self.shape.rotation {
            Rotation::Sequential => 1 + self.shape.dim,
            Rotation::ThreeKeys => 1 + self.bundles.len(),
            Rotation::FourKeys | Rotation::EightKeys | Rotation::Blocks | Rotation::Buckets { .. } => {
                self.bundles.len()
            }
            Rotation::Automorphisms | Rotation::TwoSweeps { .. } | Rotation::OneSweep { .. } => inputs.len(),
        }
    }

    fn step(&self, memory: &mut Memory<F>, inputs: &[Vec<u32>], i: usize, _: bool) {
        let (n, count) = (self.n(), inputs.len());
        let Memory { scratch, expanded, accumulators, turned } = memory;
        let accumulators = &mut accumulators[..count * n];
        match self.shape.rotation {
            Rotation::Sequential | Rotation::ThreeKeys if i == 0 => self.encrypt(accumulators, count, scratch),
            Rotation::Sequential => self.difference_step(accumulators, inputs, i - 1, scratch),
            Rotation::ThreeKeys => self.bundle_step(accumulators, inputs, i - 1, (scratch, expanded)),
            Rotation::FourKeys | Rotation::EightKeys | Rotation::Blocks | Rotation::Buckets { .. } => {
                self.bundle_step(accumulators, inputs, i, (scratch, expanded));
            }
            Rotation::Automorphisms | Rotation::TwoSweeps { .. } | Rotation::OneSweep { .. } => {
                let order = orders::of(self.shape.rotation, &inputs[i][..inputs[i].len() - 1], n);
                self.in_order(&mut accumulators[i * n..][..n], turned, &order, scratch);
            }
        }
    }

    fn extract(&self, memory: &Memory<F>, place: usize, h: usize) -> Lwe {
        let acc = &memory.accumulators[place * self.n()..][..self.n()];
        torus::extract(acc.iter().map(|x| self.residue(x)), self.q(), h)
    }
}

/// A residue as the representative nearest to zero.
fn centred(x: u64, q: u64) -> i64 {
    if x > q / 2 { x as i64 - q as i64 } else { x as i64 }
}

/// Coefficient `exponent` of a polynomial modulo `X^n + 1`, `n` a power of two, for any exponent.
fn put<F: Float>(poly: &mut [F], exponent: usize, x: F) {
    let n = poly.len();
    // No zero has a sign.
    poly[exponent & (n - 1)] = if exponent & n == 0 { x } else { F::from_i64(-x.to_i64()) };
}
