//! The key switch from the large secret to the small one.
//!
//! The small side is always 32-bit words: its noise is far above `2^-32`, and its only use is a modulus switch.
//!
//! A key row is a GLWE sample of degree `R` ([`crate::params::KeySwitch::ring`]) under the small secret cut into
//! polynomials of `R` bits. It serves the `R` coefficients of one block of the large mask: with digits `d_r` of the
//! block's coefficient `r`, the polynomial `Σ_r d_r·X^(−r)` times the row has `Σ_r d_r·s_r` in its constant
//! coefficient, which is all that is extracted. With `R = 1` this is the LWE key switch.

use everlevel_math::fft::Rows;
use everlevel_math::{Simd, lwe_rows};
use everlevel_rand::{Domain, Seed};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::Error;
use crate::params::{Gadget, Params};
use crate::secret::{SecretKey, gaussian};

/// Rows, block by block, and digit by digit in a block.
#[derive(Debug)]
pub struct KeySwitchKey {
    gadget: Gadget,
    ring: usize,
    big_dim: usize,
    small_dim: usize,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// LWE samples: mask and body of each row.
    Lwe(Vec<u32>),
    /// Samples over a ring.
    Ring(Rows),
}

/// The same as a seed and the bodies.
#[derive(Debug, Clone)]
pub struct SeededKeySwitchKey {
    /// The masks' seed.
    pub mask_seed: Seed,
    /// For each row, `R` words.
    pub bodies: Vec<u32>,
}

/// The masks of one row: `len` words, two to a word of the stream, the low half first.
fn mask(seed: &Seed, row: usize, len: usize) -> Vec<u32> {
    let mut words = vec![0u64; len.div_ceil(2)];
    seed.stream(Domain::Mask, row as u64).fill_u64(&mut words);
    words.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).take(len).collect()
}

impl SeededKeySwitchKey {
    /// The key of a secret; `seed` must be secret and fresh.
    ///
    /// # Errors
    /// [`Error::Random`] if the deviation is outside the sampler's range.
    pub fn generate(secret: &SecretKey, seed: &Seed) -> Result<Self, Error> {
        let params = secret.params();
        let (ring, gadget) = (params.key_switch.ring, params.key_switch.gadget);
        let digits = gadget.digits as usize;
        let mask_seed = seed.derive(Domain::Mask, 0);
        let error = gaussian(params.lwe_log2_std_dev, 32)?;
        let mut bodies = vec![0u32; params.big_dim() * digits];
        bodies.par_chunks_mut(ring).enumerate().for_each(|(row, body)| {
            let mut noise = Zeroizing::new(vec![0i64; ring]);
            error.sample(&mut seed.stream(Domain::KeyNoise, row as u64), &mut noise);
            let (block, digit) = (row / digits, row % digits);
            let unit = 1u32 << (32 - gadget.base_log2 * (digit as u32 + 1));
            let bits = &secret.big()[block * ring..(block + 1) * ring];
            for ((b, &e), &bit) in body.iter_mut().zip(noise.iter()).zip(bits) {
                *b = (e as u32).wrapping_add(unit & u32::from(bit).wrapping_neg());
            }
            let masks = mask(&mask_seed, row, params.lwe_dim);
            for (a, s) in masks.chunks(ring).zip(secret.small().chunks(ring)) {
                for (i, &bit) in s.iter().enumerate() {
                    let select = u32::from(bit).wrapping_neg();
                    for (m, &a) in a.iter().enumerate() {
                        let a = if m + i < ring { a } else { a.wrapping_neg() };
                        let b = &mut body[(m + i) % ring];
                        *b = b.wrapping_add(a & select);
                    }
                }
            }
        });
        Ok(Self { mask_seed, bodies })
    }

    /// The key ready for use.
    pub fn prepare(&self, params: &Params) -> KeySwitchKey {
        let (ring, dim) = (params.key_switch.ring, params.lwe_dim);
        let count = self.bodies.len() / ring;
        let row = |index: usize, out: &mut [u32]| {
            out[..dim].copy_from_slice(&mask(&self.mask_seed, index, dim));
            out[dim..].copy_from_slice(&self.bodies[index * ring..(index + 1) * ring]);
        };
        let form = if ring == 1 {
            let mut rows = vec![0u32; count * (dim + 1)];
            rows.par_chunks_mut(dim + 1).enumerate().for_each(|(index, out)| row(index, out));
            Form::Lwe(rows)
        } else {
            let mut rows = Rows::new(Simd::best(), ring, dim / ring, count);
            rows.set(row);
            Form::Ring(rows)
        };
        KeySwitchKey { gadget: params.key_switch.gadget, ring, big_dim: params.big_dim(), small_dim: dim, form }
    }
}

impl KeySwitchKey {
    /// Bytes held in memory.
    pub fn nbytes(&self) -> usize {
        match &self.form {
            Form::Lwe(rows) => size_of_val(&rows[..]),
            Form::Ring(rows) => rows.nbytes(),
        }
    }

    /// For each of some ciphertexts under the large secret, mask and body, one of the same under the small secret. One
    /// pass over the key serves all of them where rows are LWE samples.
    ///
    /// # Panics
    /// If lengths differ from the dimensions plus one.
    pub fn switch(&self, inputs: &[&[u64]]) -> Vec<Vec<u32>> {
        let (ring, levels) = (self.ring, self.gadget.digits as usize);
        // Digits of −a, so that rows are added; those of a block by levels.
        let mut digits = vec![0u32; inputs.len() * self.big_dim * levels];
        for (digits, big) in digits.chunks_exact_mut(self.big_dim * levels).zip(inputs) {
            assert_eq!(big.len(), self.big_dim + 1);
            for (digits, a) in digits.chunks_exact_mut(ring * levels).zip(big.chunks_exact(ring)) {
                for (r, &a) in a.iter().enumerate() {
                    decompose(a.wrapping_neg(), self.gadget, |level, digit| digits[level * ring + r] = digit);
                }
            }
        }
        let len = self.small_dim + 1;
        let mut out = vec![0; inputs.len() * len];
        match &self.form {
            Form::Lwe(rows) => lwe_rows::add_products(&mut out, &digits, rows, len),
            Form::Ring(rows) => {
                let digits = digits.chunks_exact(self.big_dim * levels);
                out.chunks_exact_mut(len).zip(digits).for_each(|(out, digits)| rows.multiply(out, digits));
            }
        }
        let with_body = out.chunks_exact_mut(len).zip(inputs).map(|(out, big)| {
            // Rounded to 32 bits.
            let body = (big[self.big_dim].wrapping_add(1 << 31) >> 32) as u32;
            out[self.small_dim] = out[self.small_dim].wrapping_add(body);
            out.to_vec()
        });
        with_body.collect()
    }
}

/// Balanced digits of a torus element, rounded to what the gadget covers; level 0 is the most significant.
#[inline(always)]
fn decompose(a: u64, gadget: Gadget, mut put: impl FnMut(usize, u32)) {
    let (base_log2, levels) = (gadget.base_log2, gadget.digits as usize);
    let half = 1u64 << (base_log2 - 1);
    let shift = 64 - base_log2 * gadget.digits;
    let mut rest = (a.wrapping_add(1 << (shift - 1))) >> shift;
    for level in (0..levels).rev() {
        let digit = (rest.wrapping_add(half) & ((1 << base_log2) - 1)).wrapping_sub(half);
        rest = rest.wrapping_sub(digit) >> base_log2;
        put(level, digit as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_recompose_to_the_nearest_multiple() {
        let mut x = 1u64;
        for gadget in [Gadget::new(2, 5), Gadget::new(1, 12), Gadget::new(4, 4), Gadget::new(3, 8)] {
            for i in 0..2000u64 {
                x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(i | 1);
                let mut sum = 0u64;
                let half = 1i64 << (gadget.base_log2 - 1);
                decompose(x, gadget, |level, digit| {
                    assert!((-half..half).contains(&i64::from(digit as i32)), "{gadget:?} {digit}");
                    let unit = 1u64 << (64 - gadget.base_log2 * (level as u32 + 1));
                    sum = sum.wrapping_add(unit.wrapping_mul(i64::from(digit as i32) as u64));
                });
                let error = sum.wrapping_sub(x) as i64;
                assert!(error.unsigned_abs() <= 1 << (63 - gadget.bits()), "{gadget:?} {x:x} {sum:x}");
            }
        }
    }
}
