//! Blind rotation with a transformed key: step by step of the key, accumulator by accumulator.

use std::sync::{Mutex, PoisonError};

use everlevel_math::fft::{ExternalProduct, Fft};
use everlevel_math::monomial;
use rayon::prelude::*;

use crate::Lwe;
use crate::bootstrap_key::SeededBootstrapKey;
use crate::buffer::Buffer;
use crate::ggsw::{self, Shape};
use crate::lut::Lut;
use crate::params::Params;
use crate::torus::Torus;

/// Accumulators of one pass over the key, in bytes: half of a second-level cache of 1 MiB.
const TILE_BYTES: usize = 512 << 10;

/// A transformed key.
#[derive(Debug)]
pub(crate) struct Prepared<T: Torus> {
    product: ExternalProduct,
    shape: Shape,
    words: Buffer<T::Key>,
    /// Scratch of threads that are not in a rotation.
    free: Mutex<Vec<Working<T>>>,
}

/// What a thread works in.
#[derive(Debug)]
struct Working<T: Torus> {
    /// The transforms of digits and products.
    scratch: Buffer<f64>,
    /// What is multiplied where an accumulator has several parts.
    differences: Buffer<T>,
    accumulators: Buffer<T>,
}

impl<T: Torus> Prepared<T> {
    pub(crate) fn new(seeded: &SeededBootstrapKey, params: &Params) -> Self {
        let shape = Shape::new(params);
        let fft = Fft::new(shape.n).expect("parameters hold the transform's sizes");
        let product = shape.product::<T>(fft);
        let mut words: Buffer<T::Key> = Buffer::zeroed(params.ggsws() * product.matrix_len());
        let (rows, n) = (shape.rows(), shape.n);
        let ggsws = words.par_chunks_mut(product.matrix_len()).zip(seeded.bodies.par_chunks(rows * n));
        ggsws.enumerate().for_each(|(i, (out, bodies))| {
            for (row, body) in bodies.chunks_exact(n).enumerate() {
                let masks = ggsw::masks::<T>(shape, &seeded.mask_seed, i * rows + row);
                ggsw::prepare_row::<T>(&product, out, row, (&masks, body));
            }
        });
        Self { product, shape, words, free: Mutex::new(Vec::new()) }
    }

    /// Bytes of the key.
    pub(crate) fn nbytes(&self) -> usize {
        size_of_val(&self.words[..])
    }

    /// Words of an accumulator's part.
    fn glwe_len(&self) -> usize {
        self.shape.columns() * self.shape.n
    }

    fn accumulator_len(&self) -> usize {
        self.shape.extension * self.glwe_len()
    }

    /// Inputs that one pass over the key serves.
    pub(crate) fn tile(&self) -> usize {
        (TILE_BYTES / (self.accumulator_len() * size_of::<T>())).max(1)
    }

    /// See [`BootstrapKey::blind_rotate`](crate::BootstrapKey::blind_rotate).
    pub(crate) fn blind_rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], threads: usize) -> Vec<Vec<Lwe>> {
        let tile = self.tile().min(inputs.len().div_ceil(threads.max(1))).max(1);
        let bits = if inputs.len() == 1 && self.by_bits_alone() { 1 } else { self.shape.bits_per_step };
        let work = |(inputs, luts): (&[Vec<u32>], &[&Lut])| self.rotate_tile(inputs, luts, bits);
        if threads > 1 && inputs.len() > 1 {
            inputs.par_chunks(tile).zip(luts.par_chunks(tile)).flat_map_iter(work).collect()
        } else {
            inputs.chunks(tile).zip(luts.chunks(tile)).flat_map(work).collect()
        }
    }

    /// Whether a single input takes the bits of a step one after the other: that is two thirds of the key, and a single
    /// input waits for the key. With more products than transforms the wait is the longer of the two.
    fn by_bits_alone(&self) -> bool {
        self.product.rows() * self.product.columns() > self.product.rows() + self.product.columns()
    }

    /// Rotations of inputs whose accumulators fit a cache together, taking `bits` of a step at a time.
    fn rotate_tile(&self, inputs: &[Vec<u32>], luts: &[&Lut], bits: usize) -> Vec<Vec<Lwe>> {
        let mut working = self.take();
        let len = self.accumulator_len();
        self.load_tables(&mut working.accumulators, inputs, luts);
        for i in 0..(inputs[0].len() - 1) / bits {
            // The next step's rows come meanwhile, each product asking for a part.
            self.step(&mut working, inputs, (i, bits), self.matrices(i, bits), self.matrices(i + 1, bits));
        }
        let extract = |(acc, lut): (&[T], &&Lut)| lut.places().iter().map(|&place| self.extract(acc, place)).collect();
        let out = working.accumulators.chunks_exact(len).zip(luts).map(extract).collect();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(working);
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

    /// What step `i` reads of the key, nothing after the last.
    fn matrices(&self, i: usize, bits: usize) -> &[T::Key] {
        let (first, count) = match (bits, self.shape.bits_per_step) {
            (2, _) => (3 * i, 3),
            (_, 2) => (i / 2 * 3 + i % 2, 1),
            _ => (i, 1),
        };
        let len = self.product.matrix_len();
        self.words.get(first * len..(first + count) * len).unwrap_or(&[])
    }

    /// Step `i` of all inputs, with its part of the key, bringing the next step's `ahead`.
    fn step(
        &self,
        working: &mut Working<T>,
        inputs: &[Vec<u32>],
        (i, bits): (usize, usize),
        key: &[T::Key],
        ahead: &[T::Key],
    ) {
        let (product, len) = (&self.product, self.accumulator_len());
        let Working { scratch, differences, accumulators } = working;
        let accs = &mut accumulators[..inputs.len() * len];
        if self.shape.extension > 1 {
            let part = |j: usize| j * ahead.len() / inputs.len();
            for (j, (acc, input)) in accs.chunks_exact_mut(len).zip(inputs).enumerate() {
                ggsw::load_differences(self.shape, differences, acc, input[i] as usize);
                let parts: Vec<&[T]> = differences.chunks_exact(self.glwe_len()).collect();
                in_twos(acc, &parts, &ahead[part(j)..part(j + 1)], |accs, ahead| match accs {
                    Twos::One(a) => product.add([a], key, scratch, ahead),
                    Twos::Two(ab) => product.add(ab, key, scratch, ahead),
                });
            }
        } else if bits == 1 {
            let exponents: Vec<usize> = inputs.iter().map(|input| input[i] as usize).collect();
            in_twos(accs, &exponents, ahead, |accs, ahead| match accs {
                Twos::One(a) => product.rotate_add([a], key, scratch, ahead),
                Twos::Two(ab) => product.rotate_add(ab, key, scratch, ahead),
            });
        } else {
            let both = |input: &Vec<u32>| [input[2 * i] as usize, input[2 * i + 1] as usize];
            let exponents: Vec<[usize; 2]> = inputs.iter().map(both).collect();
            in_twos(accs, &exponents, ahead, |accs, ahead| match accs {
                Twos::One(a) => product.rotate_add_two([a], key, scratch, ahead),
                Twos::Two(ab) => product.rotate_add_two(ab, key, scratch, ahead),
            });
        }
    }

    /// Coefficient `h` of an accumulator, of all its `E·N`.
    fn extract(&self, acc: &[T], h: usize) -> Lwe {
        let (part, len) = (h % self.shape.extension, self.glwe_len());
        extract(&acc[part * len..(part + 1) * len], self.shape.n, h / self.shape.extension)
    }

    fn take(&self) -> Working<T> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| Working {
            scratch: Buffer::zeroed(self.product.scratch_len()),
            differences: Buffer::zeroed(if self.shape.extension > 1 { self.accumulator_len() } else { 0 }),
            accumulators: Buffer::zeroed(self.tile() * self.accumulator_len()),
        })
    }
}

/// One accumulator or two, and what each is multiplied by.
enum Twos<'a, T, X> {
    One((&'a mut [T], X)),
    Two([(&'a mut [T], X); 2]),
}

/// Accumulators two at a time, so that a product reads its key once for both; each time with a part of what to bring
/// into a cache.
fn in_twos<T, X: Copy, K>(accs: &mut [T], with: &[X], ahead: &[K], mut step: impl FnMut(Twos<'_, T, X>, &[K])) {
    let len = accs.len() / with.len();
    let part = |j: usize| j * ahead.len() / with.len();
    for (j, (accs, with)) in accs.chunks_mut(2 * len).zip(with.chunks(2)).enumerate() {
        let ahead = &ahead[part(2 * j)..part(2 * j + with.len())];
        match *with {
            [x, y] => {
                let (a, b) = accs.split_at_mut(len);
                step(Twos::Two([(a, x), (b, y)]), ahead);
            }
            _ => step(Twos::One((accs, with[0])), ahead),
        }
    }
}

/// Coefficient `h` of a GLWE ciphertext of degree `n` as an LWE ciphertext under the secret's coefficients: mask word
/// `(i, j)` is `A_i[h − j]`, negated where the index wraps.
fn extract<T: Torus>(glwe: &[T], n: usize, h: usize) -> Lwe {
    let (masks, body) = glwe.split_at(glwe.len() - n);
    let mut words = Vec::with_capacity(masks.len() + 1);
    for a in masks.chunks_exact(n) {
        words.extend(a[..=h].iter().rev().map(|&x| x.to_leading()));
        words.extend(a[h + 1..].iter().rev().map(|&x| x.neg().to_leading()));
    }
    words.push(body[h].to_leading());
    Lwe::from_words(words)
}
