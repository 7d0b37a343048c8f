//! Automorphisms with key switches, which leave single coefficients of a ciphertext, each in a ciphertext of its own.
//!
//! With `σ_i: X ↦ X^(N/2^i + 1)` a ciphertext of a polynomial in `X^(2^i)` is the sum of a half that `σ_i` keeps, and
//! one whose sign it changes: `c + σ_i(c)` is twice the one, and `X^(−2^i)·(c − σ_i(c))` twice the other, moved. For
//! `2^t` coefficients the first `t` steps take both halves, and the others the first alone: the trace. So a step's
//! ciphertexts are few where they are large, and what comes out is `N` times the coefficient. Input is divided by `N`
//! first, which takes the integers that its phase wraps around by to multiples of `1/N`, and these back to integers.

use everlevel_math::fft::{Digits, ExternalProduct};
use everlevel_math::monomial;
use everlevel_ring::WordBuffer;

use super::params::CircuitParams;

/// The keys of the automorphisms, transformed.
#[derive(Debug)]
pub(super) struct Expansion {
    pub product: ExternalProduct,
    pub keys: WordBuffer<f64>,
}

/// The automorphism of step `i`.
pub(super) fn galois_elt(n: usize, i: usize) -> u64 {
    (n as u64 >> i) + 1
}

/// `acc += digits(x)·key` for each, two at a time.
pub(super) fn add_each(
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

impl Expansion {
    pub(super) fn product(fft: everlevel_math::fft::Fft) -> ExternalProduct {
        ExternalProduct::half::<u64>(fft, Digits::from(CircuitParams::EXPANSION), 2, 0)
    }

    /// The images of ciphertexts under `σ_i`, encrypted under the secret itself.
    fn moved(&self, i: usize, all: &[Vec<u64>], scratch: &mut [f64]) -> Vec<Vec<u64>> {
        let n = self.product.fft().n();
        let (element, len) = (galois_elt(n, i), self.product.matrix_len());
        let moved = |poly: &[u64], out: &mut [u64]| monomial::automorphism(out, poly, element);
        let (mut images, mut masks) = (vec![vec![0; 2 * n]; all.len()], vec![vec![0; n]; all.len()]);
        for ((image, mask), glwe) in images.iter_mut().zip(&mut masks).zip(all) {
            moved(&glwe[..n], mask);
            moved(&glwe[n..], &mut image[n..]);
        }
        add_each(&self.product, &mut images, &masks, &self.keys[i * len..(i + 1) * len], scratch);
        images
    }

    /// The first `2^log2_count` coefficients of a ciphertext's phase, each the only one of a ciphertext, mask and then
    /// body.
    pub(super) fn expand(&self, mut glwe: Vec<u64>, log2_count: usize, scratch: &mut [f64]) -> Vec<Vec<u64>> {
        let n = self.product.fft().n();
        let steps = n.ilog2();
        glwe.iter_mut().for_each(|x| *x = (x.wrapping_add(n as u64 / 2) as i64 >> steps) as u64);
        let mut all = vec![glwe];
        for i in 0..steps as usize {
            let images = self.moved(i, &all, scratch);
            if i < log2_count {
                let odd = |(own, image): (&Vec<u64>, &Vec<u64>)| {
                    let mut out = vec![0; 2 * n];
                    let difference: Vec<u64> = own.iter().zip(image).map(|(x, y)| x.wrapping_sub(*y)).collect();
                    for (out, x) in out.chunks_exact_mut(n).zip(difference.chunks_exact(n)) {
                        monomial::rotate(out, x, 2 * n - (1 << i));
                    }
                    out
                };
                let odd: Vec<Vec<u64>> = all.iter().zip(&images).map(odd).collect();
                add_images(&mut all, &images);
                all.extend(odd);
            } else {
                add_images(&mut all, &images);
            }
        }
        all
    }
}

fn add_images(all: &mut [Vec<u64>], images: &[Vec<u64>]) {
    for (own, image) in all.iter_mut().zip(images) {
        own.iter_mut().zip(image).for_each(|(x, y)| *x = x.wrapping_add(*y));
    }
}
