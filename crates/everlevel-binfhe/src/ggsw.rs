//! GGSW encryptions of bits, with a gadget for the masks and another for the body, and their external product.
//!
//! A GGSW encryption of `m` is one half product's key for each polynomial of a GLWE ciphertext: rows of phase
//! `−S_i·m·B_a^(−j)` take mask `i`'s digits, rows of phase `m·B_b^(−j)` the body's. Together they turn `(A, B)` into an
//! encryption of `m` times its phase. The rounding of the masks is multiplied by the secret, that of the body is not:
//! so the body needs fewer digits, and each digit spared is a transform and a row.
//!
//! Masks are uniform and come from a seed; what a row encrypts is in its body alone, so that a key is stored as a seed
//! and bodies.

use everlevel_math::fft::{Digits, ExternalProduct, Fft};
use everlevel_math::monomial;
use everlevel_rand::{Domain, Seed, sampler::Gaussian};
use zeroize::Zeroizing;

use crate::params::{Gadget, Params};
use crate::secret::SecretKey;
use crate::torus::Torus;

/// The shape of a GGSW ciphertext and of what it multiplies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub n: usize,
    pub extension: usize,
    pub rank: usize,
    pub mask: Gadget,
    pub body: Gadget,
    pub bits_per_step: usize,
}

impl Shape {
    pub(crate) fn new(params: &Params) -> Self {
        Self {
            n: params.n(),
            extension: params.extension(),
            rank: params.rank,
            mask: params.mask_gadget,
            body: params.body_gadget,
            bits_per_step: params.bits_per_step,
        }
    }

    pub(crate) fn rows(self) -> usize {
        self.rank * self.mask.digits as usize + self.body.digits as usize
    }

    pub(crate) fn columns(self) -> usize {
        self.rank + 1
    }

    /// The external product with transformed keys.
    pub(crate) fn product<T: Torus>(self, fft: Fft) -> ExternalProduct {
        let digits = |gadget: Gadget| Digits { log2_base: gadget.base_log2, levels: gadget.digits };
        let mut gadgets = vec![digits(self.mask); self.rank];
        gadgets.push(digits(self.body));
        let product = ExternalProduct::new::<T>(fft, &gadgets, T::log2_key_unit(self.n));
        if self.bits_per_step == 2 { product.of_two_bits() } else { product }
    }

    /// For a row: the mask that it takes digits of (`None` for the body), and log2 of the digit's unit as a part of the
    /// torus, negated.
    fn row(self, row: usize) -> (Option<usize>, u32) {
        let digits = self.mask.digits as usize;
        if row < self.rank * digits {
            (Some(row / digits), self.mask.base_log2 * (row % digits + 1) as u32)
        } else {
            (None, self.body.base_log2 * (row - self.rank * digits + 1) as u32)
        }
    }
}

/// The uniform masks of row `row`, counted over the whole key, `rank·n` leading bits of words; a 32-bit torus keeps the
/// upper half of each.
pub(crate) fn masks<T: Torus>(shape: Shape, seed: &Seed, row: usize) -> Vec<u64> {
    let mut words = vec![0; shape.rank * shape.n];
    seed.stream(Domain::Mask, row as u64).fill_u64(&mut words);
    words.iter_mut().for_each(|w| *w = T::from_leading(*w).to_leading());
    words
}

/// The body of one row of an encryption of `bit`: `Σ A_i·S_i + E`, and `−S_i·bit` or `bit` in the digit's unit. `seed`
/// must be secret.
pub(crate) fn encrypt_row<T: Torus>(
    secret: &SecretKey,
    error: &Gaussian,
    bit: u8,
    (seed, mask_seed): (&Seed, &Seed),
    (index, row): (usize, usize),
) -> Vec<u64> {
    let shape = Shape::new(secret.params());
    let row_index = index * shape.rows() + row;
    let mut noise = Zeroizing::new(vec![0i64; shape.n]);
    error.sample(&mut seed.stream(Domain::KeyNoise, row_index as u64), &mut noise);
    let mut body: Vec<u64> = noise.iter().map(|&e| (e as u64) << (64 - T::BITS)).collect();
    let (mask, unit) = shape.row(row);
    let message = (1u64 << (64 - unit)) & u64::from(bit).wrapping_neg();
    match mask {
        None => body[0] = body[0].wrapping_add(message),
        Some(i) => {
            for (b, &s) in body.iter_mut().zip(&secret.big()[i * shape.n..(i + 1) * shape.n]) {
                *b = b.wrapping_sub(message & u64::from(s).wrapping_neg());
            }
        }
    }
    secret.ring.multiply_add(&mut body, &masks::<T>(shape, mask_seed, row_index), &secret.big_prepared);
    body
}

/// Writes the transforms of one row, its masks and its body, into a GGSW ciphertext for [`ExternalProduct`].
pub(crate) fn prepare_row<T: Torus>(
    product: &ExternalProduct,
    out: &mut [T::Key],
    row: usize,
    (masks, body): (&[u64], &[u64]),
) {
    let fft = product.fft();
    let n = fft.n();
    let (mut words, mut transform) = (vec![T::default(); n], vec![0.0; n]);
    for (column, from) in masks.chunks_exact(n).chain([body]).enumerate() {
        words.iter_mut().zip(from).for_each(|(w, &x)| *w = T::from_leading(x));
        fft.forward_torus(&mut transform, &words);
        let key = transform.iter().map(|&x| T::to_key(x, n));
        fft.interleave(out, (row, column), (product.rows(), product.columns()), key);
    }
}

/// What is to be multiplied for `(Y^exponent − 1)·acc`, where `Y^E = X`: with `exponent = E·q + r`, part `i` of the
/// rotation is `X^q` times part `i − r`, or `X^(q+1)` times part `i − r + E`.
pub(crate) fn load_differences<T: Torus>(shape: Shape, out: &mut [T], acc: &[T], exponent: usize) {
    let (extension, len, n) = (shape.extension, shape.columns() * shape.n, shape.n);
    let (q, r) = (exponent / extension, exponent % extension);
    for (i, (out, own)) in out.chunks_exact_mut(len).zip(acc.chunks_exact(len)).enumerate() {
        let (from, power) = if i >= r { (i - r, q) } else { (i + extension - r, (q + 1) % (2 * n)) };
        let from = &acc[from * len..(from + 1) * len];
        for ((out, own), from) in out.chunks_exact_mut(n).zip(own.chunks_exact(n)).zip(from.chunks_exact(n)) {
            monomial::rotate_minus(out, from, power, own);
        }
    }
}
