//! Blind rotation with a transformed key: step by step of the key, accumulator by accumulator.

use std::sync::{Mutex, PoisonError};

use everlevel_math::fft::{ExternalProduct, Together};
use everlevel_math::monomial;
use everlevel_ring::{Representation, TorusRing, TorusWord, WordBuffer};
use everlevel_rlwe::{Lwe, lwe};
use rayon::prelude::*;

use super::ggsw::{self, Shape};
use crate::ParamsLiteral;
use crate::blind_rotation::{BlindRotate, SeededBootstrapKey};
use crate::lut::Lut;

/// Accumulators of one pass over the key, in bytes: half of a second-level cache of 1 MiB.
pub(super) const TILE_BYTES: usize = 512 << 10;

/// A transformed key.
#[derive(Debug)]
pub(crate) struct Prepared<T: TorusWord> {
    product: ExternalProduct,
    shape: Shape,
    words: WordBuffer<T::Key>,
    /// Scratch of threads that are not in a rotation.
    free: Mutex<Vec<Workspace<T>>>,
}

/// The memory that a thread's rotations need.
#[derive(Debug)]
struct Workspace<T: TorusWord> {
    /// The transforms of digits and products.
    scratch: WordBuffer<f64>,
    /// The rotated accumulator less itself, where an accumulator has several parts.
    differences: WordBuffer<T>,
    accumulators: WordBuffer<T>,
}

impl<T: TorusWord> Prepared<T> {
    pub(crate) fn new(seeded: &SeededBootstrapKey, params: &ParamsLiteral) -> Self {
        let shape = Shape::new(params);
        let ring = TorusRing::<T>::new(params.log_n).expect("parameters hold the transform's sizes");
        let product = shape.product::<T>(ring.fft().clone());
        let mut words: WordBuffer<T::Key> = WordBuffer::zeroed(params.ggsws() * product.matrix_len());
        let (rows, n) = (shape.rows(), shape.n);
        let place = (product.rows(), product.columns());
        let ggsws = words.par_chunks_mut(product.matrix_len()).zip(seeded.bodies.par_chunks(rows * n));
        ggsws.enumerate().for_each(|(i, (out, bodies))| {
            for (row, body) in bodies.chunks_exact(n).enumerate() {
                let body = body.iter().map(|&x| T::from_leading(x)).collect();
                let masks = ring.uniform(&(), shape.rank, &seeded.mask_seed, (i * rows + row) as u64);
                for (column, poly) in masks.iter().chain([&body]).enumerate() {
                    ring.prepare_column(out, (row, column), place, poly);
                }
            }
        });
        Self { product, shape, words, free: Mutex::new(Vec::new()) }
    }

    /// Words of an accumulator's part.
    fn glwe_len(&self) -> usize {
        self.shape.columns() * self.shape.n
    }

    fn accumulator_len(&self) -> usize {
        self.shape.extension * self.glwe_len()
    }

    /// Whether a single input takes the bits of a pair one after the other: that is two thirds of the key, and a single
    /// input waits for the key. With more products than transforms the wait is the longer of the two, unless several
    /// parts of the accumulator share it.
    fn by_bits_alone(&self) -> bool {
        self.shape.together == Some(Together::Pair)
            && self.shape.extension == 1
            && self.product.rows() * self.product.columns() > self.product.rows() + self.product.columns()
    }

    /// Rotations of inputs whose accumulators fit a cache together, taking `bits` of a step at a time.
    fn rotate_tile(&self, inputs: &[Vec<u32>], luts: &[&Lut], bits: usize) -> Vec<Vec<Lwe>> {
        let mut workspace = self.take();
        let len = self.accumulator_len();
        self.load_tables(&mut workspace.accumulators, inputs, luts);
        for i in 0..(inputs[0].len() - 1) / bits {
            // The next step's rows come meanwhile, each product asking for a part.
            self.step(&mut workspace, inputs, (i, bits), self.matrices(i, bits), self.matrices(i + 1, bits));
        }
        let extract = |(acc, lut): (&[T], &&Lut)| lut.places().iter().map(|&place| self.extract(acc, place)).collect();
        let out = workspace.accumulators.chunks_exact(len).zip(luts).map(extract).collect();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
        out
    }

    /// `Y^(−body)` times each input's table, as accumulators.
    fn load_tables(&self, accumulators: &mut [T], inputs: &[Vec<u32>], luts: &[&Lut]) {
        let (n, extension) = (self.shape.n, self.shape.extension);
        let order = 2 * extension * n;
        let mut words = vec![T::default(); order];
        let (table, rotated) = words.split_at_mut(extension * n);
        for ((acc, input), lut) in accumulators.chunks_exact_mut(self.accumulator_len()).zip(inputs).zip(luts) {
            acc.fill(T::default());
            table.iter_mut().zip(lut.coeffs()).for_each(|(word, &x)| *word = T::from_leading(x));
            monomial::rotate(rotated, table, (order - input[input.len() - 1] as usize) % order);
            for (i, part) in acc.chunks_exact_mut(self.glwe_len()).enumerate() {
                let body = &mut part[self.glwe_len() - n..];
                body.iter_mut().zip(rotated[i..].iter().step_by(extension)).for_each(|(out, &x)| *out = x);
            }
        }
    }

    /// The matrices of the key that step `i` reads; none after the last step.
    fn matrices(&self, i: usize, bits: usize) -> &[T::Key] {
        let (first, count) = match self.shape.together {
            Some(Together::Pair) if bits == 1 => (i / 2 * 3 + i % 2, 1),
            Some(together) => (together.matrices() * i, together.matrices()),
            None => (i, 1),
        };
        let len = self.product.matrix_len();
        self.words.get(first * len..(first + count) * len).unwrap_or(&[])
    }

    /// Step `i` of all inputs, with its part of the key, bringing the next step's `ahead`.
    fn step(
        &self,
        workspace: &mut Workspace<T>,
        inputs: &[Vec<u32>],
        (i, bits): (usize, usize),
        key: &[T::Key],
        ahead: &[T::Key],
    ) {
        let (product, len) = (&self.product, self.accumulator_len());
        let Workspace { scratch, differences, accumulators } = workspace;
        let accs = &mut accumulators[..inputs.len() * len];
        let part = |j: usize| j * ahead.len() / inputs.len();
        let each = accs.chunks_exact_mut(len).zip(inputs).enumerate();
        if self.shape.extension > 1 && bits > 1 {
            for (j, (acc, input)) in each {
                let exponents = input[bits * i..bits * (i + 1)].iter().map(|&exponent| exponent as usize);
                let exponents: Vec<usize> = exponents.collect();
                product.rotate_add_bits([(acc, &exponents[..])], key, scratch, &ahead[part(j)..part(j + 1)]);
            }
        } else if self.shape.extension > 1 {
            for (j, (acc, input)) in each {
                ggsw::load_differences(self.shape, differences, acc, input[i] as usize);
                let parts: Vec<&[T]> = differences.chunks_exact(self.glwe_len()).collect();
                in_pairs(acc, &parts, &ahead[part(j)..part(j + 1)], |accs, ahead| match accs {
                    OneOrTwo::One(a) => product.add([a], key, scratch, ahead),
                    OneOrTwo::Two(ab) => product.add(ab, key, scratch, ahead),
                });
            }
        } else if bits == 1 {
            let exponents: Vec<usize> = inputs.iter().map(|input| input[i] as usize).collect();
            in_pairs(accs, &exponents, ahead, |accs, ahead| match accs {
                OneOrTwo::One(a) => product.rotate_add([a], key, scratch, ahead),
                OneOrTwo::Two(ab) => product.rotate_add(ab, key, scratch, ahead),
            });
        } else {
            let of_step = inputs.iter().flat_map(|input| &input[bits * i..bits * (i + 1)]);
            let exponents: Vec<usize> = of_step.map(|&exponent| exponent as usize).collect();
            let exponents: Vec<&[usize]> = exponents.chunks_exact(bits).collect();
            in_pairs(accs, &exponents, ahead, |accs, ahead| match accs {
                OneOrTwo::One(a) => product.rotate_add_bits([a], key, scratch, ahead),
                OneOrTwo::Two(ab) => product.rotate_add_bits(ab, key, scratch, ahead),
            });
        }
    }

    /// Coefficient `h` of an accumulator, of all its `E·N`.
    fn extract(&self, acc: &[T], h: usize) -> Lwe {
        let (part, len) = (h % self.shape.extension, self.glwe_len());
        lwe::extract(&acc[part * len..(part + 1) * len], self.shape.n, h / self.shape.extension, self.shape.big_dim)
    }

    fn take(&self) -> Workspace<T> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| Workspace {
            scratch: WordBuffer::zeroed(self.product.scratch_len()),
            differences: WordBuffer::zeroed(if self.shape.extension > 1 { self.accumulator_len() } else { 0 }),
            accumulators: WordBuffer::zeroed(self.tile() * self.accumulator_len()),
        })
    }
}

impl<T: TorusWord> BlindRotate for Prepared<T> {
    fn nbytes(&self) -> usize {
        size_of_val(&self.words[..])
    }

    fn tile(&self) -> usize {
        (TILE_BYTES / (self.accumulator_len() * size_of::<T>())).max(1)
    }

    fn rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], alone: bool) -> Vec<Vec<Lwe>> {
        let of_step = self.shape.together.map_or(1, Together::bits);
        let bits = if alone && self.by_bits_alone() { 1 } else { of_step };
        self.rotate_tile(inputs, luts, bits)
    }
}

/// One accumulator or two, each with its factor: exponents, or digits' polynomials.
enum OneOrTwo<'a, T, X> {
    One((&'a mut [T], X)),
    Two([(&'a mut [T], X); 2]),
}

/// Accumulators two at a time, so that a product reads its key once for both; each time with a part of what to bring
/// into a cache.
fn in_pairs<T, X: Copy, K>(accs: &mut [T], with: &[X], ahead: &[K], mut step: impl FnMut(OneOrTwo<'_, T, X>, &[K])) {
    let len = accs.len() / with.len();
    let part = |j: usize| j * ahead.len() / with.len();
    for (j, (accs, with)) in accs.chunks_mut(2 * len).zip(with.chunks(2)).enumerate() {
        let ahead = &ahead[part(2 * j)..part(2 * j + with.len())];
        match *with {
            [x, y] => {
                let (a, b) = accs.split_at_mut(len);
                step(OneOrTwo::Two([(a, x), (b, y)]), ahead);
            }
            _ => step(OneOrTwo::One((accs, with[0])), ahead),
        }
    }
}
