//! Blind rotations over limbs in base `2^K`, whose external products are one product of a vector and a matrix each.
//!
//! The parts of an accumulator have `L` limbs, as few as hold the key's errors. A step takes the first limbs of the
//! rotated accumulator less itself, for each part as many as its gadget has digits, multiplies them, part after part,
//! with the matrix of one bit, and carries the products onto the accumulator. A matrix has the rows of `k + 1` half
//! products, as [`super::ggsw`]'s; but over limbs a phase is the body *plus* the masks times the secret.

use std::sync::atomic::{AtomicUsize, Ordering};

use everlevel_math::monomial;
use everlevel_ring::base2k::{PreparedMatrix, coefficients};
use everlevel_ring::{Limb, LimbGadget, LimbRing, Limbs, Representation, WordBuffer, report};
use everlevel_rlwe::{Encryptor, Lwe, Randomness, RowAddress, lwe};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::limb_params::{LimbsLiteral, Shape};
use crate::blind_rotation::{BlindStep, SeededBootstrapKey};
use crate::common::gaussian;
use crate::secret::SecretKey;
use crate::{Error, Progress};

/// The bodies of a key's rows, as leading bits: the limbs of a coefficient fit a word.
pub(super) fn bodies(
    literal: &LimbsLiteral,
    secret: &SecretKey,
    randomness: &Randomness,
    progress: Progress<'_>,
) -> Result<Vec<u64>, Error> {
    let (ring, shape) = (literal.ring()?, Shape::new(literal));
    let error = gaussian(literal.words.glwe_log2_std_dev, literal.bits())?;
    let big = everlevel_rlwe::SecretKey::from_coeffs(&ring, secret.id(), secret.big_key().coeffs().to_vec());
    let encryptor = Encryptor { ring: &ring, secret: big.prepared(), error: &error };
    let (rows, n) = (shape.rows(), ring.degree());
    let places: Vec<(usize, usize)> = shape.places().collect();
    let mut bodies = vec![0; literal.words.lwe_dim * rows * n];
    let (total, done) = (bodies.len() / n, AtomicUsize::new(0));
    bodies.par_chunks_mut(n).enumerate().try_for_each(|(index, out)| {
        let (bit, (part, digit)) = (secret.small()[index / rows], places[index % rows]);
        let mut message = Zeroizing::new(vec![0; n]);
        match big.coeffs().chunks_exact(n).nth(part) {
            Some(s) => message.iter_mut().zip(s).for_each(|(m, &s)| *m = i64::from(s * bit)),
            None => message[0] = i64::from(bit),
        }
        let message = Zeroizing::new(ring.small(&1, &message));
        let gadget = LimbGadget { digit_limbs: 1, digits: shape.digits[part], limbs: shape.limbs };
        let (_, body) = encryptor.row(RowAddress { gadget: &gadget, digit, index: index as u64 }, &message, randomness);
        add_leading(out, &body.views(), literal.log2_base());
        report("generate", progress, done.fetch_add(1, Ordering::Relaxed) + 1, total)
    })?;
    Ok(bodies)
}

/// Adds limbs as leading bits of words.
fn add_leading(words: &mut [u64], limbs: &[&[i64]], log2_base: u32) {
    for (j, limb) in (1..).zip(limbs) {
        words
            .iter_mut()
            .zip(*limb)
            .for_each(|(word, &x)| *word = word.wrapping_add((x as u64) << (64 - j * log2_base)));
    }
}

/// A transformed key over limbs.
#[derive(Debug)]
pub(crate) struct LimbRotation {
    ring: LimbRing,
    shape: Shape,
    big_dim: usize,
    /// The matrices, one for each bit of the small secret.
    key: WordBuffer<u8>,
}

impl LimbRotation {
    /// A stored key made ready for use.
    pub(super) fn new(stored: &SeededBootstrapKey, literal: &LimbsLiteral) -> Self {
        let (ring, shape) = (literal.ring().expect("checked parameters"), Shape::new(literal));
        let (nbytes, rows, n) = (shape.matrix_nbytes(&ring), shape.rows(), ring.degree());
        let (bits, log2_base) = (literal.bits(), i64::from(literal.log2_base()));
        let mut key = WordBuffer::zeroed(nbytes * literal.words.lwe_dim);
        let matrices = key.par_chunks_exact_mut(nbytes).zip(stored.bodies.par_chunks_exact(rows * n)).enumerate();
        matrices.for_each(|(i, (out, bodies))| {
            let len = ring.module().matrix_nbytes(rows, shape.columns());
            let mut matrix = shape.matrix(&ring, &mut out[..len]);
            for (row, words) in bodies.chunks_exact(n).enumerate() {
                let mut parts =
                    ring.uniform(&shape.limbs, literal.words.rank, &stored.mask_seed, (i * rows + row) as u64);
                let units: Vec<i64> = words.iter().map(|&word| word as i64 >> (64 - bits)).collect();
                let mut body = ring.zero(shape.limbs);
                coefficients::shift_into(ring.base(), &mut body.views_mut(), &[&units], log2_base - i64::from(bits));
                parts.push(body);
                let limbs = parts.iter().flat_map(Limbs::views);
                limbs.enumerate().for_each(|(column, limb)| ring.module().prepare(&mut matrix, (row, column), limb));
            }
        });
        Self { ring, shape, big_dim: literal.words.big_dim(), key }
    }

    fn matrix_nbytes(&self) -> usize {
        self.shape.matrix_nbytes(&self.ring)
    }

    /// `acc += (X^exponent − 1)·acc·bit`, for the bit of a matrix.
    fn add_product(&self, acc: &mut Limbs, exponent: usize, matrix: &PreparedMatrix<&[u8]>, scratch: &mut Scratch) {
        let (ring, module, width) = (&self.ring, self.ring.module(), self.ring.module().width());
        let (limbs, Scratch { difference, digits, transforms, products, next }) = (self.shape.limbs, scratch);
        let mut first = digits.views_mut();
        let mut first = first.iter_mut().map(|limb| &mut **limb);
        for (part, &count) in acc.views().chunks_exact(limbs).zip(&self.shape.digits) {
            for (out, limb) in difference.views_mut().into_iter().zip(part) {
                monomial::rotate_minus(out, limb, exponent, limb);
            }
            let mut first: Vec<&mut [i64]> = first.by_ref().take(count).collect();
            coefficients::shift_into(ring.base(), &mut first, &difference.views(), 0);
        }
        let mut products: Vec<&mut [u64]> = products.iter_mut().map(|words| &mut words[..]).collect();
        module.forward(&mut transforms.iter_mut().map(|words| &mut words[..]).collect::<Vec<_>>(), &digits.views());
        let transforms: Vec<&[u64]> = transforms.iter().map(|words| &words[..]).collect();
        module.multiply_matrix(&mut products, &transforms, matrix);
        let (parts, mut sums) = (acc.views(), next.views_mut());
        let sums = sums.chunks_exact_mut(limbs).zip(products.chunks_exact_mut(limbs * width));
        for ((sum, products), part) in sums.zip(parts.chunks_exact(limbs)) {
            module.carry(ring.base(), sum, products, &[], part);
        }
        std::mem::swap(acc, next);
    }
}

/// Memory of a thread's rotations: scratch, and the accumulators of a tile.
#[derive(Debug)]
pub(crate) struct Memory {
    accumulators: Vec<Limbs>,
    scratch: Scratch,
}

/// Scratch of one product.
#[derive(Debug)]
struct Scratch {
    difference: Limbs,
    digits: Limbs,
    transforms: Vec<Limb>,
    products: Vec<Limb>,
    next: Limbs,
}

impl BlindStep for LimbRotation {
    /// A torus element's leading 62 bits: no limb has the last two.
    type Word = i64;
    type Memory = Memory;

    const TILE_BYTES: usize = 512 << 10;

    fn nbytes(&self) -> usize {
        self.key.len()
    }

    fn accumulator_nbytes(&self) -> usize {
        8 * self.shape.columns() * self.ring.degree()
    }

    fn memory(&self, tile: usize) -> Memory {
        let (ring, rows, columns) = (&self.ring, self.shape.rows(), self.shape.columns());
        let width = ring.module().width();
        let scratch = Scratch {
            difference: ring.zero(self.shape.limbs),
            digits: ring.zero(rows),
            transforms: ring.module().scratch(rows * width),
            products: ring.module().scratch(columns * width),
            next: ring.zero(columns),
        };
        Memory { accumulators: (0..tile).map(|_| ring.zero(columns)).collect(), scratch }
    }

    fn word(&self, x: u64) -> i64 {
        x as i64 >> 2
    }

    fn load(&self, memory: &mut Memory, place: usize, table: &[i64]) {
        let (base, mut limbs) = (self.ring.base(), memory.accumulators[place].views_mut());
        let (masks, body) = limbs.split_at_mut(self.shape.columns() - self.shape.limbs);
        masks.iter_mut().for_each(|limb| limb.fill(0));
        coefficients::shift_into(base, body, &[table], i64::from(base.log2()) - 62);
    }

    fn steps(&self, _: &[Vec<u32>], _: bool) -> usize {
        self.key.len() / self.matrix_nbytes()
    }

    fn step(&self, memory: &mut Memory, inputs: &[Vec<u32>], i: usize, _: bool) {
        let (len, stride) =
            (self.ring.module().matrix_nbytes(self.shape.rows(), self.shape.columns()), self.matrix_nbytes());
        let matrix = self.shape.matrix(&self.ring, &self.key[i * stride..][..len]);
        for (acc, input) in memory.accumulators.iter_mut().zip(inputs) {
            self.add_product(acc, input[i] as usize, &matrix, &mut memory.scratch);
        }
    }

    fn extract(&self, memory: &Memory, place: usize, h: usize) -> Lwe {
        let acc = &memory.accumulators[place];
        let (n, limbs, body) = (self.ring.degree(), self.shape.limbs, self.shape.digits.len() - 1);
        let mut words = vec![0u64; self.shape.digits.len() * n];
        for (i, (words, part)) in words.chunks_exact_mut(n).zip(acc.views().chunks_exact(limbs)).enumerate() {
            add_leading(words, part, self.ring.base().log2());
            if i < body {
                words.iter_mut().for_each(|word| *word = word.wrapping_neg());
            }
        }
        lwe::extract(&words, n, h, self.big_dim)
    }
}
