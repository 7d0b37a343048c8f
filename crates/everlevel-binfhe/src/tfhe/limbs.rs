//! Blind rotations over limbs in base `2^K`, whose external products are one product of a vector and a matrix each.
//!
//! The parts of an accumulator have `L` limbs, as few as hold the key's errors. A step takes the first limbs of the
//! rotated accumulator less itself, for each part as many as its gadget has digits, multiplies them, part after part,
//! with the matrix of one bit, and carries the products onto the accumulator. A matrix has the rows of `k + 1` half
//! products, as [`super::ggsw`]'s; but over limbs a phase is the body *plus* the masks times the secret.

use everlevel_math::monomial;
use everlevel_ring::base2k::{Error as BaseError, PreparedMatrix, Transform, coefficients};
use everlevel_ring::{Limb, LimbGadget, LimbRing, Limbs, Representation, WordBuffer};
use everlevel_rlwe::{Encryptor, Lwe, Randomness, RowAddress, lwe};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::blind_rotation::BlindStep;
use crate::common::{gaussian, refuse};
use crate::secret::SecretKey;
use crate::{Error, ParamsLiteral};

/// A transformed key over limbs.
#[derive(Debug)]
pub(crate) struct LimbRotation {
    ring: LimbRing,
    /// Digits of each part of a sample, the masks and then the body.
    digits: Vec<usize>,
    /// Limbs of each part.
    limbs: usize,
    big_dim: usize,
    /// The matrices, one for each bit of the small secret.
    key: WordBuffer<u8>,
}

/// The base, and the limbs of a sample: the fewest in whose units the errors are as wide as those of words have to be.
fn base_and_limbs(l: &ParamsLiteral) -> Result<(u32, usize), Error> {
    let log2_base = l.mask_gadget.log2_base;
    for (what, found, needed) in [
        ("body_gadget.log2_base", l.body_gadget.log2_base, log2_base),
        ("bits_per_step", l.bits_per_step as u32, 1),
        ("log2_extension", l.log2_extension, 0),
    ] {
        if found != needed {
            return refuse(what, found, format!("{needed} over limbs in base 2^{log2_base}"));
        }
    }
    let limbs = ((2.0 - l.glwe_log2_std_dev) / f64::from(log2_base)).ceil() as usize;
    match limbs * log2_base as usize {
        ..=62 => Ok((log2_base, limbs)),
        bits => refuse("mask_gadget.log2_base", log2_base, format!("such that {limbs} limbs have 62 bits, not {bits}")),
    }
}

impl LimbRotation {
    /// The key of a secret, with digits in the base of the parameters' gadgets.
    pub(crate) fn generate(
        params: &ParamsLiteral,
        secret: &SecretKey,
        transform: Transform,
        randomness: &Randomness,
    ) -> Result<Self, Error> {
        let (log2_base, limbs) = base_and_limbs(params)?;
        let mut digits = vec![params.mask_gadget.digits as usize; params.rank];
        digits.push(params.body_gadget.digits as usize);
        let ring = match LimbRing::new(params.log_n, transform, log2_base, params.rows().max(limbs)) {
            Ok(ring) => ring,
            Err(BaseError::BaseTooLarge { max, .. }) => {
                return refuse("mask_gadget.log2_base", log2_base, format!("at most {max} with this transform"));
            }
            Err(_) => return refuse("mask_gadget.log2_base", log2_base, "2 to 62"),
        };
        let mut rotation = Self { ring, digits, limbs, big_dim: params.big_dim(), key: WordBuffer::zeroed(0) };
        let nbytes = rotation.matrix_nbytes();
        let mut key = WordBuffer::zeroed(nbytes * params.lwe_dim);
        let ring = &rotation.ring;
        let error = gaussian(params.glwe_log2_std_dev, log2_base * limbs as u32)?;
        let big = everlevel_rlwe::SecretKey::from_coeffs(ring, secret.id(), secret.big_key().coeffs().to_vec());
        let encryptor = Encryptor { ring, secret: big.prepared(), error: &error };
        let matrices = key.par_chunks_exact_mut(nbytes).zip(secret.small()).enumerate();
        matrices.for_each(|(i, (out, &bit))| rotation.encrypt((&encryptor, big.coeffs()), (i, bit), randomness, out));
        rotation.key = key;
        Ok(rotation)
    }

    /// Rows and columns of a matrix.
    fn shape(&self) -> (usize, usize) {
        (self.digits.iter().sum(), self.limbs * self.digits.len())
    }

    fn matrix_nbytes(&self) -> usize {
        let (rows, columns) = self.shape();
        self.ring.module().matrix_nbytes(rows, columns).next_multiple_of(64)
    }

    /// A matrix in memory of its own.
    fn matrix<B: std::ops::Deref<Target = [u8]>>(&self, bytes: B) -> PreparedMatrix<B> {
        let (rows, columns) = self.shape();
        self.ring.module().matrix_in(bytes, rows, columns)
    }

    /// The matrix of a bit, the one with this index, by an encryptor of the secret with these coefficients.
    fn encrypt(
        &self,
        (encryptor, coeffs): (&Encryptor<'_, LimbRing>, &[i8]),
        (index, bit): (usize, i8),
        randomness: &Randomness,
        out: &mut [u8],
    ) {
        let (ring, (rows, columns)) = (&self.ring, self.shape());
        let nbytes = ring.module().matrix_nbytes(rows, columns);
        let mut matrix = self.matrix(&mut out[..nbytes]);
        let places = self.digits.iter().enumerate().flat_map(|(part, &digits)| (0..digits).map(move |j| (part, j)));
        for (row, (part, digit)) in places.enumerate() {
            let mut message = Zeroizing::new(vec![0; ring.degree()]);
            match coeffs.chunks_exact(ring.degree()).nth(part) {
                Some(s) => message.iter_mut().zip(s).for_each(|(m, &s)| *m = i64::from(s * bit)),
                None => message[0] = i64::from(bit),
            }
            let message = Zeroizing::new(ring.small(&1, &message));
            let gadget = LimbGadget { digit_limbs: 1, digits: self.digits[part], limbs: self.limbs };
            let at = RowAddress { gadget: &gadget, digit, index: (index * rows + row) as u64 };
            let (masks, body) = encryptor.row(at, &message, randomness);
            let limbs = masks.iter().chain([&body]).flat_map(Limbs::views);
            limbs.enumerate().for_each(|(column, limb)| ring.module().prepare(&mut matrix, (row, column), limb));
        }
    }

    /// `acc += (X^exponent − 1)·acc·bit`, for the bit of a matrix.
    fn add_product(&self, acc: &mut Limbs, exponent: usize, matrix: &PreparedMatrix<&[u8]>, scratch: &mut Scratch) {
        let (ring, module, width) = (&self.ring, self.ring.module(), self.ring.module().width());
        let Scratch { difference, digits, transforms, products, next } = scratch;
        let mut first = digits.views_mut();
        let mut first = first.iter_mut().map(|limb| &mut **limb);
        for (part, &count) in acc.views().chunks_exact(self.limbs).zip(&self.digits) {
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
        let sums = sums.chunks_exact_mut(self.limbs).zip(products.chunks_exact_mut(self.limbs * width));
        for ((sum, products), part) in sums.zip(parts.chunks_exact(self.limbs)) {
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
        8 * self.shape().1 * self.ring.degree()
    }

    fn memory(&self, tile: usize) -> Memory {
        let (ring, (rows, columns)) = (&self.ring, self.shape());
        let width = ring.module().width();
        let scratch = Scratch {
            difference: ring.zero(self.limbs),
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
        let (masks, body) = limbs.split_at_mut(self.shape().1 - self.limbs);
        masks.iter_mut().for_each(|limb| limb.fill(0));
        coefficients::shift_into(base, body, &[table], i64::from(base.log2()) - 62);
    }

    fn steps(&self, _: &[Vec<u32>], _: bool) -> usize {
        self.key.len() / self.matrix_nbytes()
    }

    fn step(&self, memory: &mut Memory, inputs: &[Vec<u32>], i: usize, _: bool) {
        let ((rows, columns), stride) = (self.shape(), self.matrix_nbytes());
        let matrix = self.matrix(&self.key[i * stride..][..self.ring.module().matrix_nbytes(rows, columns)]);
        for (acc, input) in memory.accumulators.iter_mut().zip(inputs) {
            self.add_product(acc, input[i] as usize, &matrix, &mut memory.scratch);
        }
    }

    fn extract(&self, memory: &Memory, place: usize, h: usize) -> Lwe {
        let acc = &memory.accumulators[place];
        let (base, n, body) = (self.ring.base().log2() as usize, self.ring.degree(), self.digits.len() - 1);
        let mut words = vec![0u64; self.digits.len() * n];
        for (i, (words, part)) in words.chunks_exact_mut(n).zip(acc.views().chunks_exact(self.limbs)).enumerate() {
            for (j, limb) in part.iter().enumerate() {
                let shift = 64 - (j + 1) * base;
                words.iter_mut().zip(*limb).for_each(|(word, &x)| *word = word.wrapping_add((x as u64) << shift));
            }
            if i < body {
                words.iter_mut().for_each(|word| *word = word.wrapping_neg());
            }
        }
        lwe::extract(&words, n, h, self.big_dim)
    }
}
