//! GGSW encryptions of bits, with a gadget for the masks and another for the body, and their external product.
//!
//! A GGSW encryption of `m` is one half product's key for each polynomial of a GLWE ciphertext: rows of phase
//! `−S_i·m·B_a^(−j)` take mask `i`'s digits, rows of phase `m·B_b^(−j)` the body's. Together they turn `(A, B)` into an
//! encryption of `m` times its phase. The rounding of the masks is multiplied by the secret, that of the body is not:
//! so the body needs fewer digits, and each digit spared is a transform and a row.
//!
//! Masks are uniform and come from a seed; what a row encrypts is in its body alone, so that a key is stored as a seed
//! and bodies.

use everlevel_math::fft::{Digits, ExternalProduct, Fft, Together};
use everlevel_math::monomial;
use everlevel_rand::sampler::Gaussian;
use everlevel_ring::{Representation, TorusRing, TorusWord, WordGadget};
use everlevel_rlwe::{Encryptor, Randomness, RowAddress};
use zeroize::Zeroizing;

use crate::ParamsLiteral;
use crate::secret::SecretKey;

/// The shape of a GGSW ciphertext and of what it multiplies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub n: usize,
    pub extension: usize,
    pub rank: usize,
    /// Coefficients of the secret that are not zero by construction.
    pub big_dim: usize,
    pub mask: WordGadget,
    pub body: WordGadget,
    /// The bits that a step takes at once, if it takes several.
    pub together: Option<Together>,
}

impl Shape {
    pub(crate) fn new(params: &ParamsLiteral) -> Self {
        Self {
            n: params.n(),
            extension: params.extension(),
            rank: params.rank,
            big_dim: params.big_dim(),
            mask: params.mask_gadget,
            body: params.body_gadget,
            together: params.together(),
        }
    }

    pub(crate) fn rows(self) -> usize {
        self.rank * self.mask.digits as usize + self.body.digits as usize
    }

    pub(crate) fn columns(self) -> usize {
        self.rank + 1
    }

    /// The external product with transformed keys.
    pub(crate) fn product<T: TorusWord>(self, fft: Fft) -> ExternalProduct {
        let mut gadgets = vec![Digits::from(self.mask); self.rank];
        gadgets.push(self.body.into());
        let product = ExternalProduct::new::<T>(fft, &gadgets, T::log2_key_unit(self.n));
        match self.together {
            Some(together) => product.of_bits(together, self.extension),
            None => product,
        }
    }

    /// The half product that a row belongs to, by the mask whose digits it multiplies (`None` for the body), its gadget
    /// and its digit.
    fn half_product(&self, row: usize) -> (Option<usize>, &WordGadget, usize) {
        let digits = self.mask.digits as usize;
        if row < self.rank * digits {
            (Some(row / digits), &self.mask, row % digits)
        } else {
            (None, &self.body, row - self.rank * digits)
        }
    }
}

/// The body of one row of an encryption of `bit`, the GGSW ciphertext `index` of a key: a row of one of its half
/// products, of the message `−S_i·bit` for mask `i`, or `bit` for the body.
pub(crate) fn encrypt_row<T: TorusWord>(
    (shape, secret): (Shape, &SecretKey),
    error: &Gaussian,
    bit: i8,
    randomness: &Randomness,
    (index, row): (usize, usize),
) -> Vec<T> {
    let ring: TorusRing<T> = secret.ring.with_words();
    let (mask, gadget, digit) = shape.half_product(row);
    let mut message = Zeroizing::new(vec![0i64; shape.n]);
    match mask {
        None => message[0] = i64::from(bit),
        Some(i) => {
            let s = &secret.big_key().coeffs()[i * shape.n..(i + 1) * shape.n];
            message.iter_mut().zip(s).for_each(|(m, &s)| *m = -i64::from(s * bit));
        }
    }
    let encryptor = Encryptor { ring: &ring, secret: secret.big_key().prepared(), error };
    let at = RowAddress { gadget, digit, index: (index * shape.rows() + row) as u64 };
    let (_, body) = encryptor.row(at, &ring.small(&(), &message), randomness);
    body
}

/// Loads `(Y^exponent − 1)·acc`, which is to be multiplied, where `Y^E = X`: with `exponent = E·q + r`, part `i` of the
/// rotation is `X^q` times part `i − r`, or `X^(q+1)` times part `i − r + E`.
pub(crate) fn load_differences<T: TorusWord>(shape: Shape, out: &mut [T], acc: &[T], exponent: usize) {
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
