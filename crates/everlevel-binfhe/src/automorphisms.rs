//! Automorphisms of ciphertexts of polynomials, with key switches back to the secret.
//!
//! With `σ_i: X ↦ X^(N/2^i + 1)` a polynomial in `X^(2^i)` is the sum of a half that `σ_i` keeps and one whose sign it
//! changes: sums and differences with the image tell them apart. Circuit bootstraps take ciphertexts apart by that, and
//! compression puts them together.

use everlevel_math::fft::{Digits, ExternalProduct, Fft};
use everlevel_math::monomial;
use everlevel_rand::Seed;
use everlevel_ring::{Representation, TorusRing, WordBuffer, WordGadget as Gadget};
use everlevel_rlwe::{Encryptor, Randomness, RowAddress};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::common::{Common, gaussian};
use crate::{Error, SecretKey};

/// The automorphism of step `i`.
fn galois_elt(n: usize, i: usize) -> u64 {
    (n as u64 >> i) + 1
}

/// Rows of the keys of all automorphisms: a step's for each polynomial of the secret, digit by digit.
pub(crate) fn rows(c: &Common, gadget: Gadget) -> usize {
    c.log_n as usize * c.rank() * gadget.digits as usize
}

/// The bodies of these rows, of which each hides a polynomial's image in its digit's unit.
pub(crate) fn bodies(secret: &SecretKey, gadget: Gadget, randomness: &Randomness) -> Result<Vec<u64>, Error> {
    let (ring, params): (&TorusRing<u64>, _) = (&secret.ring, secret.params());
    let (n, digits) = (params.n(), gadget.digits as usize);
    let error = gaussian(params.big_log2_std_dev, u64::BITS)?;
    let own: Zeroizing<Vec<i64>> = Zeroizing::new(secret.big_key().coeffs().iter().map(|&s| i64::from(s)).collect());
    let encryptor = Encryptor { ring, secret: secret.big_key().prepared(), error: &error };
    let mut bodies = vec![0; rows(params, gadget) * n];
    bodies.par_chunks_mut(n).enumerate().for_each(|(index, body)| {
        let (step, part) = (index / (digits * params.rank()), index / digits % params.rank());
        let mut image = Zeroizing::new(vec![0; n]);
        monomial::automorphism(&mut image, &own[part * n..][..n], galois_elt(n, step));
        image.iter_mut().for_each(|s| *s = -*s);
        let message = Zeroizing::new(ring.small(&(), &image));
        let at = RowAddress { gadget: &gadget, digit: index % digits, index: index as u64 };
        let (_, row) = encryptor.row(at, &message, randomness);
        body.copy_from_slice(&row);
    });
    Ok(bodies)
}

/// Transforms the rows of a half product into its matrix: bodies from row `first` on, and their masks.
pub(crate) fn prepare(
    ring: &TorusRing<u64>,
    product: &ExternalProduct,
    matrix: &mut [f64],
    (mask_seed, bodies, first): (&Seed, &[u64], usize),
) {
    let (n, shape) = (ring.degree(), (product.rows(), product.columns()));
    for row in 0..product.rows() {
        let body = bodies[(first + row) * n..][..n].to_vec();
        let masks = ring.uniform(&(), product.columns() - 1, mask_seed, (first + row) as u64);
        for (column, poly) in masks.iter().chain([&body]).enumerate() {
            ring.prepare_column(matrix, (row, column), shape, poly);
        }
    }
}

/// `acc += digits(x)·key` for each, two at a time.
pub(crate) fn add_each(
    product: &ExternalProduct,
    accs: &mut [Vec<u64>],
    xs: &[Vec<u64>],
    key: &[f64],
    scratch: &mut [f64],
) {
    let scratch = &mut scratch[..product.scratch_len()];
    for (accs, xs) in accs.chunks_mut(2).zip(xs.chunks(2)) {
        match (accs, xs) {
            ([a, b], [x, y]) => product.add([(a, x), (b, y)], key, scratch, &[]),
            (accs, xs) => accs.iter_mut().zip(xs).for_each(|(a, x)| product.add([(a, x)], key, scratch, &[])),
        }
    }
}

/// `all += others`, each.
pub(crate) fn add_to_each(all: &mut [Vec<u64>], others: &[Vec<u64>]) {
    for (own, other) in all.iter_mut().zip(others) {
        own.iter_mut().zip(other).for_each(|(x, y)| *x = x.wrapping_add(*y));
    }
}

/// The keys of all automorphisms, transformed.
#[derive(Debug)]
pub(crate) struct Automorphisms {
    product: ExternalProduct,
    keys: WordBuffer<f64>,
}

impl Automorphisms {
    /// The keys of rows with these masks and [`bodies`].
    pub(crate) fn new(ring: &TorusRing<u64>, c: &Common, gadget: Gadget, mask_seed: &Seed, bodies: &[u64]) -> Self {
        let digits = vec![Digits::from(gadget); c.rank()];
        let product = ExternalProduct::half::<u64>(ring.fft().clone(), &digits, c.rank() + 1, 0);
        let mut keys = WordBuffer::zeroed(c.log_n as usize * product.matrix_len());
        for (i, matrix) in keys.chunks_exact_mut(product.matrix_len()).enumerate() {
            prepare(ring, &product, matrix, (mask_seed, bodies, i * product.rows()));
        }
        Self { product, keys }
    }

    /// Bytes held.
    pub(crate) fn nbytes(&self) -> usize {
        size_of_val(&self.keys[..])
    }

    /// Doubles of scratch that images take.
    pub(crate) fn scratch_len(&self) -> usize {
        self.product.scratch_len()
    }

    fn fft(&self) -> &Fft {
        self.product.fft()
    }

    /// Automorphisms that there are.
    pub(crate) fn steps(&self) -> usize {
        self.fft().n().ilog2() as usize
    }

    /// `1/N` of a ciphertext's words. Of its phase and the integer that this wraps around by that makes multiples of
    /// `1/N`, of which `N` sums with images make integers again.
    pub(crate) fn divide(&self, glwe: &mut [u64]) {
        let half = self.fft().n() as u64 / 2;
        glwe.iter_mut().for_each(|x| *x = (x.wrapping_add(half) as i64 >> self.steps()) as u64);
    }

    /// The images of ciphertexts, masks and then body, under `σ_i`, encrypted under the secret itself.
    pub(crate) fn images(&self, i: usize, all: &[Vec<u64>], scratch: &mut [f64]) -> Vec<Vec<u64>> {
        let n = self.fft().n();
        let masks_len = (self.product.columns() - 1) * n;
        let (element, len) = (galois_elt(n, i), self.product.matrix_len());
        let (mut images, mut masks) = (vec![vec![0; masks_len + n]; all.len()], vec![vec![0; masks_len]; all.len()]);
        for ((image, masks), glwe) in images.iter_mut().zip(&mut masks).zip(all) {
            for (out, poly) in masks.chunks_exact_mut(n).zip(glwe.chunks_exact(n)) {
                monomial::automorphism(out, poly, element);
            }
            monomial::automorphism(&mut image[masks_len..], &glwe[masks_len..], element);
        }
        add_each(&self.product, &mut images, &masks, &self.keys[i * len..(i + 1) * len], scratch);
        images
    }
}
