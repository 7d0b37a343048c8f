//! GGSW encryptions of bits, with a gadget for the masks and another for the body, and their external product.
//!
//! A GGSW encryption of `m` is one half product's key for each polynomial of a GLWE ciphertext: rows of phase `−S_i·m·B_a^(−j)` take mask `i`'s digits,
//! rows of phase `m·B_b^(−j)` the body's. Together they turn `(A, B)` into an encryption of `m` times its phase. The rounding of the masks is multiplied
//! by the secret, that of the body is not: so the body needs fewer digits, and each digit spared is a transform and a row.
//!
//! Masks are uniform and come from a seed; what a row encrypts is in its body alone, so that a key is stored as a seed and bodies.

use everlevel_math::fft::{Digits, Fft};
use everlevel_math::monomial;
use everlevel_rand::{Domain, Seed, sampler::Gaussian};
use zeroize::Zeroizing;

use crate::buffer::Buffer;
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
}

impl Shape {
    pub(crate) fn new(params: &Params) -> Self {
        Self {
            n: params.n(),
            extension: params.extension(),
            rank: params.rank,
            mask: params.mask_gadget,
            body: params.body_gadget,
        }
    }

    pub(crate) fn rows(self) -> usize {
        self.rank * self.mask.digits as usize + self.body.digits as usize
    }

    pub(crate) fn columns(self) -> usize {
        self.rank + 1
    }

    /// Stages of an external product: the decomposition of each column, the products, the inverse transform of each column.
    pub(crate) fn stages(self) -> usize {
        2 * self.columns() + 1
    }

    /// Words of a transformed GGSW ciphertext: row by row, the columns of a row, `n` words each.
    pub(crate) fn key_len(self) -> usize {
        self.rows() * self.columns() * self.n
    }

    /// For a row: the mask that it takes digits of (`None` for the body), and log2 of the digit's unit as a part of the torus, negated.
    fn row(self, row: usize) -> (Option<usize>, u32) {
        let digits = self.mask.digits as usize;
        if row < self.rank * digits {
            (Some(row / digits), self.mask.base_log2 * (row % digits + 1) as u32)
        } else {
            (None, self.body.base_log2 * (row - self.rank * digits + 1) as u32)
        }
    }
}

/// The uniform masks of row `row`, counted over the whole key, `rank·n` leading bits of words; a 32-bit torus keeps the upper half of each.
pub(crate) fn masks<T: Torus>(shape: Shape, seed: &Seed, row: usize) -> Vec<u64> {
    let mut words = vec![0; shape.rank * shape.n];
    seed.stream(Domain::Mask, row as u64).fill_u64(&mut words);
    words.iter_mut().for_each(|w| *w = T::from_leading(*w).to_leading());
    words
}

/// The body of one row of an encryption of `bit`: `Σ A_i·S_i + E`, and `−S_i·bit` or `bit` in the digit's unit. `seed` must be secret.
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

/// Writes the transforms of one row, its masks and its body, in the form that [`external_product_add`] reads.
pub(crate) fn prepare_row<T: Torus>(fft: &Fft, out: &mut [T::Key], masks: &[u64], body: &[u64]) {
    let n = fft.n();
    let (mut words, mut transform) = (vec![T::default(); n], vec![0.0; n]);
    for (out, from) in out.chunks_exact_mut(n).zip(masks.chunks_exact(n).chain([body])) {
        words.iter_mut().zip(from).for_each(|(w, &x)| *w = T::from_leading(x));
        fft.forward_torus(&mut transform, &words);
        out.iter_mut().zip(&transform).for_each(|(key, &x)| *key = T::to_key(x, n));
    }
}

/// What one thread's external products work in.
#[derive(Debug)]
pub(crate) struct Scratch<T: Torus> {
    /// What is to be multiplied: for each part of an accumulator, `(rank + 1)·n` words.
    pub glwe: Buffer<T>,
    /// The transforms of its digits.
    digits: Buffer<f64>,
    /// The transforms of the product.
    product: Buffer<f64>,
}

impl<T: Torus> Scratch<T> {
    pub(crate) fn new(shape: Shape) -> Self {
        Self {
            glwe: Buffer::zeroed(shape.extension * shape.columns() * shape.n),
            digits: Buffer::zeroed(shape.rows() * shape.n),
            product: Buffer::zeroed(shape.columns() * shape.n),
        }
    }

    /// Sets what is to be multiplied to `(Y^exponent − 1)·acc`, where `Y^E = X`: with `exponent = E·q + r`, part `i` of the rotation is `X^q` times
    /// part `i − r`, or `X^(q+1)` times part `i − r + E`.
    pub(crate) fn load_difference(&mut self, shape: Shape, acc: &[T], exponent: usize) {
        let (extension, len, n) = (shape.extension, shape.columns() * shape.n, shape.n);
        let (q, r) = (exponent / extension, exponent % extension);
        for (i, (out, own)) in self.glwe.chunks_exact_mut(len).zip(acc.chunks_exact(len)).enumerate() {
            let (from, power) = if i >= r { (i - r, q) } else { (i + extension - r, (q + 1) % (2 * n)) };
            let from = &acc[from * len..(from + 1) * len];
            for ((out, own), from) in out.chunks_exact_mut(n).zip(own.chunks_exact(n)).zip(from.chunks_exact(n)) {
                monomial::rotate_minus(out, from, power, own);
            }
        }
    }

    /// `acc += GGSW ⊡ glwe`, of part `part` of an accumulator; `before` runs ahead of each of the [`Shape::stages`], for prefetches.
    pub(crate) fn external_product_add(
        &mut self,
        fft: &Fft,
        shape: Shape,
        (part, acc): (usize, &mut [T]),
        key: &[T::Key],
        before: impl Fn(usize),
    ) {
        let n = shape.n;
        let mut rest = &mut self.digits[..];
        let glwe = &self.glwe[part * shape.columns() * n..(part + 1) * shape.columns() * n];
        for (column, glwe) in glwe.chunks_exact(n).enumerate() {
            before(column);
            let gadget = if column < shape.rank { shape.mask } else { shape.body };
            let (out, after) = rest.split_at_mut(gadget.digits as usize * n);
            rest = after;
            fft.forward_digits(out, glwe, Digits { log2_base: gadget.base_log2, levels: gadget.digits });
        }
        before(shape.columns());
        fft.multiply(&mut self.product, &self.digits, key);
        for (column, (acc, product)) in acc.chunks_exact_mut(n).zip(self.product.chunks_exact_mut(n)).enumerate() {
            before(shape.columns() + 1 + column);
            T::inverse_add(fft, acc, product);
        }
    }
}
