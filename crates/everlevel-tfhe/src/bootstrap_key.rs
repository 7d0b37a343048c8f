//! The bootstrapping key: GGSW encryptions of the small secret's bits under the large one, and blind rotation with it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use everlevel_math::fft::{ExternalProduct, Fft};
use everlevel_rand::{Domain, Seed};
use rayon::prelude::*;

use crate::buffer::Buffer;
use crate::ggsw::{self, Shape};
use crate::lut::Lut;
use crate::params::Params;
use crate::secret::{SecretKey, gaussian};
use crate::torus::Torus;
use crate::{Error, Lwe, Progress};

/// A bootstrapping key as a seed and bodies.
#[derive(Debug, Clone)]
pub struct SeededBootstrapKey {
    /// The masks' seed.
    pub mask_seed: Seed,
    /// For each GGSW ciphertext and each row, `N` leading bits.
    pub bodies: Vec<u64>,
}

impl SeededBootstrapKey {
    /// The key of a secret; `seed` must be secret and fresh.
    ///
    /// # Errors
    /// [`Error::Random`] if the deviation is outside the sampler's range.
    pub fn generate(secret: &SecretKey, seed: &Seed) -> Result<Self, Error> {
        Self::generate_reporting(secret, seed, &|_, _| ControlFlow::Continue(()))
    }

    /// As [`SeededBootstrapKey::generate`], with a step for each row.
    ///
    /// # Errors
    /// [`Error::Cancelled`] besides.
    pub fn generate_reporting(secret: &SecretKey, seed: &Seed, progress: Progress<'_>) -> Result<Self, Error> {
        match secret.params().torus_bits {
            32 => Self::generate_on::<u32>(secret, seed, progress),
            _ => Self::generate_on::<u64>(secret, seed, progress),
        }
    }

    fn generate_on<T: Torus>(secret: &SecretKey, seed: &Seed, progress: Progress<'_>) -> Result<Self, Error> {
        let shape = Shape::new(secret.params());
        let error = gaussian(secret.params().glwe_log2_std_dev, T::BITS)?;
        let mask_seed = seed.derive(Domain::Mask, 0);
        let rows = shape.rows();
        let mut bodies = vec![0; secret.params().ggsws() * rows * shape.n];
        let (total, done) = (bodies.len() / shape.n, AtomicUsize::new(0));
        bodies.par_chunks_mut(shape.n).enumerate().try_for_each(|(i, body)| {
            let row = ggsw::encrypt_row::<T>(
                secret,
                &error,
                encrypted_bit(secret, i / rows),
                (seed, &mask_seed),
                (i / rows, i % rows),
            );
            body.copy_from_slice(&row);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            match progress(done, total) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Error::Cancelled { op: "generate", done, total }),
            }
        })?;
        Ok(Self { mask_seed, bodies })
    }

    /// The key ready for use.
    pub fn prepare(&self, params: &Params) -> BootstrapKey {
        match params.torus_bits {
            32 => BootstrapKey(Words::Bits32(Prepared::new(self, params))),
            _ => BootstrapKey(Words::Bits64(Prepared::new(self, params))),
        }
    }
}

/// What the GGSW ciphertext `index` of a bootstrapping key encrypts: a bit of the small secret; or for each two bits, these and their product.
fn encrypted_bit(secret: &SecretKey, index: usize) -> u8 {
    let bits = secret.small();
    if secret.params().bits_per_step == 1 {
        return bits[index];
    }
    let (first, second) = (bits[index / 3 * 2], bits[index / 3 * 2 + 1]);
    match index % 3 {
        0 => first,
        1 => second,
        _ => first & second,
    }
}

/// A bootstrapping key ready for use: transformed, on huge pages.
#[derive(Debug)]
pub struct BootstrapKey(Words);

#[derive(Debug)]
enum Words {
    Bits32(Prepared<u32>),
    Bits64(Prepared<u64>),
}

impl BootstrapKey {
    /// Bytes of the transformed key.
    pub fn nbytes(&self) -> usize {
        match &self.0 {
            Words::Bits32(key) => size_of_val(&key.words[..]),
            Words::Bits64(key) => size_of_val(&key.words[..]),
        }
    }

    /// Inputs that one pass over the key serves.
    pub fn batch_len(&self) -> usize {
        match &self.0 {
            Words::Bits32(key) => key.tile(),
            Words::Bits64(key) => key.tile(),
        }
    }

    /// For each input, `Y^(−phase)` times its table, of which the extracted LWE ciphertexts, one for each table of the input's [`Lut`], are returned.
    ///
    /// `inputs` are exponents modulo `2EN`, mask and then body. One pass over the key serves all of them that fit the second-level cache together;
    /// `threads` of the current rayon pool take equal parts.
    pub fn blind_rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], threads: usize) -> Vec<Vec<Lwe>> {
        assert_eq!(inputs.len(), luts.len(), "one table for each input");
        match &self.0 {
            Words::Bits32(key) => key.blind_rotate(inputs, luts, threads),
            Words::Bits64(key) => key.blind_rotate(inputs, luts, threads),
        }
    }
}

/// Accumulators of one pass over the key, in bytes: half of a second-level cache of 1 MiB.
const TILE_BYTES: usize = 512 << 10;

#[derive(Debug)]
struct Prepared<T: Torus> {
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
    fn new(seeded: &SeededBootstrapKey, params: &Params) -> Self {
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

    /// Words of an accumulator's part.
    fn glwe_len(&self) -> usize {
        self.shape.columns() * self.shape.n
    }

    fn accumulator_len(&self) -> usize {
        self.shape.extension * self.glwe_len()
    }

    fn tile(&self) -> usize {
        (TILE_BYTES / (self.accumulator_len() * size_of::<T>())).max(1)
    }

    fn blind_rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], threads: usize) -> Vec<Vec<Lwe>> {
        let tile = self.tile().min(inputs.len().div_ceil(threads.max(1))).max(1);
        let alone = inputs.len() == 1;
        let work = |(inputs, luts): (&[Vec<u32>], &[&Lut])| self.rotate_tile(inputs, luts, alone);
        if threads > 1 && inputs.len() > 1 {
            inputs.par_chunks(tile).zip(luts.par_chunks(tile)).flat_map_iter(work).collect()
        } else {
            inputs.chunks(tile).zip(luts.chunks(tile)).flat_map(work).collect()
        }
    }

    /// Whether a single input takes the bits of a step one after the other: that is two thirds of the key, and a single input waits for the key. With more
    /// products than transforms the wait is the longer of the two.
    fn by_bits_alone(&self) -> bool {
        self.product.rows() * self.product.columns() > self.product.rows() + self.product.columns()
    }

    fn rotate_tile(&self, inputs: &[Vec<u32>], luts: &[&Lut], alone: bool) -> Vec<Vec<Lwe>> {
        let mut working = self.take();
        let (n, extension, len) = (self.shape.n, self.shape.extension, self.accumulator_len());
        let Working { scratch, differences, accumulators } = &mut working;
        let dim = inputs[0].len() - 1;
        let mut start = vec![T::default(); 2 * extension * n];
        for ((acc, input), lut) in accumulators.chunks_exact_mut(len).zip(inputs).zip(luts) {
            acc.fill(T::default());
            let (table, rotated) = start.split_at_mut(extension * n);
            table.iter_mut().zip(lut.coeffs()).for_each(|(word, &x)| *word = T::from_leading(x));
            let order = 2 * extension * n;
            everlevel_math::monomial::rotate(rotated, table, (order - input[dim] as usize) % order);
            for (i, part) in acc.chunks_exact_mut(self.glwe_len()).enumerate() {
                let body = &mut part[self.glwe_len() - n..];
                body.iter_mut().zip(rotated[i..].iter().step_by(extension)).for_each(|(out, &x)| *out = x);
            }
        }
        let matrix_len = self.product.matrix_len();
        let bits = if alone && self.by_bits_alone() { 1 } else { self.shape.bits_per_step };
        // Where a step's matrices begin in the key, and how many they are.
        let step = |i: usize| match (bits, self.shape.bits_per_step) {
            (1, 2) => (i / 2 * 3 + i % 2, 1),
            (2, _) => (3 * i, 3),
            _ => (i, 1),
        };
        let key_of = |i: usize| {
            let (first, matrices) = step(i);
            self.words.get(first * matrix_len..(first + matrices) * matrix_len).unwrap_or(&[])
        };
        for i in 0..dim / bits {
            // The next step's rows come meanwhile, each product asking for a part.
            let (key, next) = (key_of(i), key_of(i + 1));
            let accs = &mut accumulators[..inputs.len() * len];
            if extension > 1 {
                let part = |j: usize| j * next.len() / inputs.len();
                for (j, (acc, input)) in accs.chunks_exact_mut(len).zip(inputs).enumerate() {
                    ggsw::load_differences(self.shape, differences, acc, input[i] as usize);
                    let parts: Vec<&[T]> = differences.chunks_exact(self.glwe_len()).collect();
                    in_twos(acc, &parts, &next[part(j)..part(j + 1)], |accs, ahead| match accs {
                        Twos::One(a) => self.product.add([a], key, scratch, ahead),
                        Twos::Two(ab) => self.product.add(ab, key, scratch, ahead),
                    });
                }
            } else if bits == 1 {
                let exponents: Vec<usize> = inputs.iter().map(|input| input[i] as usize).collect();
                in_twos(accs, &exponents, next, |accs, ahead| match accs {
                    Twos::One(a) => self.product.rotate_add([a], key, scratch, ahead),
                    Twos::Two(ab) => self.product.rotate_add(ab, key, scratch, ahead),
                });
            } else {
                let exponents: Vec<[usize; 2]> =
                    inputs.iter().map(|input| [input[2 * i] as usize, input[2 * i + 1] as usize]).collect();
                in_twos(accs, &exponents, next, |accs, ahead| match accs {
                    Twos::One(a) => self.product.rotate_add_two([a], key, scratch, ahead),
                    Twos::Two(ab) => self.product.rotate_add_two(ab, key, scratch, ahead),
                });
            }
        }
        let out = accumulators
            .chunks_exact(len)
            .zip(luts)
            .map(|(acc, lut)| lut.places().iter().map(|&place| self.extract(acc, place)).collect());
        let out = out.take(inputs.len()).collect();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(working);
        out
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

/// Accumulators two at a time, so that a product reads its key once for both; each time with a part of what to bring into a cache.
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

/// Coefficient `h` of a GLWE ciphertext of degree `n` as an LWE ciphertext under the secret's coefficients: mask word `(i, j)` is `A_i[h − j]`, negated
/// where the index wraps.
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
