//! The key switch of LWE ciphertexts from a large secret to a small one.
//!
//! The small side is always 32-bit words: its noise is far above `2^-32`, and its only use is a modulus switch.
//!
//! A key row is a GLWE sample of the small ring of degree `R` ([`SmallTorusRing`]) under the small secret cut into
//! polynomials of `R` coefficients. It serves the `R` coefficients of one block of the large mask: with digits `d_r` of
//! the block's coefficient `r`, the polynomial `Σ_r d_r·X^(−r)` times the row has `Σ_r d_r·s_r` in its constant
//! coefficient, which is all that is extracted. With `R = 1` this is the LWE key switch. So the key is a half product's
//! for each block, and the loop over blocks is one driver over two kernels: rows of words for `R = 1`, and transformed
//! rows.
//!
//! Coefficients that the small secret has in common with the large one, the first of both, keep their words of the mask
//! and have no rows (a *shrinking* switch). Where blocks don't come out even, the last has zeros.

use everlevel_math::fft::Rows;
use everlevel_math::{Simd, lwe_rows};
use everlevel_rand::sampler::Gaussian;
use everlevel_rand::{Domain, Seed};
use everlevel_ring::{Representation, SmallTorusRing, WordGadget};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::{Encryptor, Randomness, RowAddress, SecretKey};

/// The shape of a key switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchShape {
    /// The gadget.
    pub gadget: WordGadget,
    /// Degree `R` of the small ring.
    pub degree: usize,
    /// Dimension of the large secret.
    pub from_dim: usize,
    /// Dimension of the small secret.
    pub to_dim: usize,
    /// Coefficients that both secrets begin with.
    pub shared: usize,
}

impl SwitchShape {
    /// Coefficients that are switched: those of the large secret that are not shared.
    pub fn switched_dim(self) -> usize {
        self.from_dim - self.shared
    }

    /// Rows of a key: the digits of each block of coefficients that are switched.
    pub fn rows(self) -> usize {
        self.switched_dim().div_ceil(self.degree) * self.gadget.digits as usize
    }

    /// Words of all rows' bodies.
    pub fn body_len(self) -> usize {
        self.rows() * self.degree
    }

    /// Polynomials of the small secret.
    fn masks(self) -> usize {
        self.to_dim.div_ceil(self.degree)
    }
}

/// A key-switch key as a seed and bodies.
#[derive(Debug, Clone)]
pub struct SeededKeySwitchKey {
    /// The masks' seed.
    pub mask_seed: Seed,
    /// For each row, `R` words; rows block by block, and digit by digit in a block.
    pub bodies: Vec<u32>,
}

/// A key-switch key ready for use.
#[derive(Debug)]
pub struct KeySwitchKey {
    shape: SwitchShape,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// LWE samples: mask and body of each row.
    Lwe(Vec<u32>),
    /// Samples over a ring.
    Ring(Rows),
}

impl SeededKeySwitchKey {
    /// The key from a large secret's coefficients, those that are switched, to a small secret, with errors in units of
    /// `2^-32`.
    pub fn generate(
        ring: SmallTorusRing,
        from: &[i8],
        to: &SecretKey<SmallTorusRing>,
        (gadget, error): (WordGadget, &Gaussian),
        randomness: impl Into<Randomness>,
    ) -> Self {
        let (degree, digits, randomness) = (ring.degree(), gadget.digits as usize, randomness.into());
        let encryptor = Encryptor { ring: &ring, secret: to.prepared(), error };
        let blocks: Vec<&[i8]> = from.chunks(degree).collect();
        let mut bodies = vec![0u32; blocks.len() * digits * degree];
        bodies.par_chunks_mut(degree).enumerate().for_each(|(row, out)| {
            let (block, digit) = (row / digits, row % digits);
            let mut message = Zeroizing::new(vec![0u32; degree]);
            message.iter_mut().zip(blocks[block]).for_each(|(out, &s)| *out = s as u32);
            let at = RowAddress { gadget: &gadget, digit, index: row as u64 };
            let (_, body) = encryptor.row(at, &message, &randomness);
            out.copy_from_slice(&body);
        });
        Self { mask_seed: randomness.masks().clone(), bodies }
    }

    /// The errors of the rows that [`SeededKeySwitchKey::generate`] makes of this randomness, as many as the bodies
    /// have words: whoever makes the key may look at them before it is made, and nobody else.
    pub fn errors(shape: SwitchShape, error: &Gaussian, randomness: &Randomness) -> Zeroizing<Vec<i64>> {
        let mut errors = Zeroizing::new(vec![0; shape.body_len()]);
        let rows = errors.par_chunks_mut(shape.degree).enumerate();
        rows.for_each(|(row, out)| randomness.errors(error, Domain::KeyNoise, row as u64, out));
        errors
    }

    /// The key ready for use.
    ///
    /// # Panics
    /// If there are not as many bodies as the shape says.
    pub fn prepare(&self, shape: SwitchShape) -> KeySwitchKey {
        let (degree, masks, count) = (shape.degree, shape.masks(), shape.rows());
        let dim = masks * degree;
        assert_eq!(self.bodies.len(), shape.body_len(), "a body for each row");
        let ring = SmallTorusRing::new(degree);
        let row = |index: usize, out: &mut [u32]| {
            let (mask, body) = out.split_at_mut(dim);
            let uniform = ring.uniform(&(), masks, &self.mask_seed, index as u64);
            mask.chunks_exact_mut(degree).zip(&uniform).for_each(|(out, mask)| out.copy_from_slice(mask));
            body.copy_from_slice(&self.bodies[index * degree..(index + 1) * degree]);
        };
        let form = if degree == 1 {
            let mut rows = vec![0u32; count * (dim + 1)];
            rows.par_chunks_mut(dim + 1).enumerate().for_each(|(index, out)| row(index, out));
            Form::Lwe(rows)
        } else {
            let mut rows = Rows::new(Simd::best(), degree, masks, count);
            rows.set(row);
            Form::Ring(rows)
        };
        KeySwitchKey { shape, form }
    }
}

impl KeySwitchKey {
    /// Bytes of a key of a shape.
    pub fn nbytes_of(shape: SwitchShape) -> usize {
        match shape.degree {
            1 => 4 * shape.rows() * (shape.to_dim + 1),
            degree => Rows::nbytes_of(degree, shape.masks(), shape.rows()),
        }
    }

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
        let SwitchShape { gadget, degree, from_dim, to_dim, shared } = self.shape;
        let (levels, digits_len, padded_dim) =
            (gadget.digits as usize, self.shape.body_len(), self.shape.masks() * degree);
        // Digits of −a, so that rows are added; those of a block by levels.
        let mut digits = vec![0u32; inputs.len() * digits_len];
        for (digits, big) in digits.chunks_exact_mut(digits_len).zip(inputs) {
            assert_eq!(big.len(), from_dim + 1);
            let blocks = big[shared..from_dim].chunks(degree);
            for (digits, a) in digits.chunks_exact_mut(degree * levels).zip(blocks) {
                for (r, &a) in a.iter().enumerate() {
                    gadget.decompose(a.wrapping_neg(), |level, digit| digits[level * degree + r] = digit);
                }
            }
        }
        let len = padded_dim + 1;
        let mut out = vec![0; inputs.len() * len];
        match &self.form {
            Form::Lwe(rows) => lwe_rows::add_products(&mut out, &digits, rows, len),
            Form::Ring(rows) => {
                let digits = digits.chunks_exact(digits_len);
                out.chunks_exact_mut(len).zip(digits).for_each(|(out, digits)| rows.multiply(out, digits));
            }
        }
        let with_kept = out.chunks_exact(len).zip(inputs).map(|(sums, big)| {
            // What is kept, rounded to 32 bits.
            let round = |word: u64| (word.wrapping_add(1 << 31) >> 32) as u32;
            let mut out = sums[..=to_dim].to_vec();
            out.iter_mut().zip(&big[..shared]).for_each(|(out, &a)| *out = out.wrapping_add(round(a)));
            out[to_dim] = sums[padded_dim].wrapping_add(round(big[from_dim]));
            out
        });
        with_kept.collect()
    }
}
