//! The steps of blind rotations on words: external products with transformed keys.

use everlevel_math::fft::{ExternalProduct, Together};
use everlevel_ring::{Representation, TorusRing, TorusWord, WordBuffer};
use everlevel_rlwe::{Lwe, lwe};
use rayon::prelude::*;

use super::ggsw::{self, Shape};
use crate::ParamsLiteral;
use crate::blind_rotation::{BlindStep, OneOrTwo, SeededBootstrapKey, in_pairs};

/// A transformed key.
#[derive(Debug)]
pub(crate) struct Prepared<T: TorusWord> {
    product: ExternalProduct,
    shape: Shape,
    words: WordBuffer<T::Key>,
}

/// Memory of a thread's rotations: scratch, and the accumulators of a tile.
#[derive(Debug)]
pub(crate) struct Memory<T: TorusWord> {
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
        Self { product, shape, words }
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

    /// Bits of a step.
    fn bits(&self, alone: bool) -> usize {
        if alone && self.by_bits_alone() { 1 } else { self.shape.together.map_or(1, Together::bits) }
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
}

impl<T: TorusWord> BlindStep for Prepared<T> {
    type Word = T;
    type Memory = Memory<T>;

    const TILE_BYTES: usize = 512 << 10;

    fn nbytes(&self) -> usize {
        size_of_val(&self.words[..])
    }

    fn accumulator_nbytes(&self) -> usize {
        self.accumulator_len() * size_of::<T>()
    }

    fn memory(&self, tile: usize) -> Memory<T> {
        Memory {
            scratch: WordBuffer::zeroed(self.product.scratch_len()),
            differences: WordBuffer::zeroed(if self.shape.extension > 1 { self.accumulator_len() } else { 0 }),
            accumulators: WordBuffer::zeroed(tile * self.accumulator_len()),
        }
    }

    fn word(&self, x: u64) -> T {
        T::from_leading(x)
    }

    /// Coefficient `h` of a table is that of part `h % E`.
    fn load(&self, memory: &mut Memory<T>, place: usize, table: &[T]) {
        let (n, extension, len) = (self.shape.n, self.shape.extension, self.glwe_len());
        let acc = &mut memory.accumulators[place * self.accumulator_len()..][..self.accumulator_len()];
        acc.fill(T::default());
        for (i, part) in acc.chunks_exact_mut(len).enumerate() {
            let body = part[len - n..].iter_mut();
            body.zip(table[i..].iter().step_by(extension)).for_each(|(out, &x)| *out = x);
        }
    }

    fn steps(&self, inputs: &[Vec<u32>], alone: bool) -> usize {
        (inputs[0].len() - 1) / self.bits(alone)
    }

    fn step(&self, memory: &mut Memory<T>, inputs: &[Vec<u32>], i: usize, alone: bool) {
        let bits = self.bits(alone);
        // Each product asks for a part of the next step's rows.
        let (key, ahead) = (self.matrices(i, bits), self.matrices(i + 1, bits));
        let (product, len) = (&self.product, self.accumulator_len());
        let Memory { scratch, differences, accumulators } = memory;
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
                    OneOrTwo::One(a) => product.add(a, key, scratch, ahead),
                    OneOrTwo::Two(ab) => product.add(ab, key, scratch, ahead),
                });
            }
        } else if bits == 1 {
            let exponents: Vec<usize> = inputs.iter().map(|input| input[i] as usize).collect();
            in_pairs(accs, &exponents, ahead, |accs, ahead| match accs {
                OneOrTwo::One(a) => product.rotate_add(a, key, scratch, ahead),
                OneOrTwo::Two(ab) => product.rotate_add(ab, key, scratch, ahead),
            });
        } else {
            let of_step = inputs.iter().flat_map(|input| &input[bits * i..bits * (i + 1)]);
            let exponents: Vec<usize> = of_step.map(|&exponent| exponent as usize).collect();
            let exponents: Vec<&[usize]> = exponents.chunks_exact(bits).collect();
            in_pairs(accs, &exponents, ahead, |accs, ahead| match accs {
                OneOrTwo::One(a) => product.rotate_add_bits(a, key, scratch, ahead),
                OneOrTwo::Two(ab) => product.rotate_add_bits(ab, key, scratch, ahead),
            });
        }
    }

    fn extract(&self, memory: &Memory<T>, place: usize, h: usize) -> Lwe {
        let (part, len) = (place * self.shape.extension + h % self.shape.extension, self.glwe_len());
        let part = &memory.accumulators[part * len..(part + 1) * len];
        lwe::extract(part, self.shape.n, h / self.shape.extension, self.shape.big_dim)
    }
}
