//! GGSW ciphertexts of encrypted bits: the circuit bootstrap itself.
//!
//! *Rows.* In level `j` of base `B`, the row of the body has the phase `m·B^(−j)`, and that of the mask `−S·m·B^(−j)`:
//! of a row `(A, C)` of the body, with phase `C − A·S`, it is `(C, 0) + A·S²`, where the second is a half product with
//! the key of the secret's square.
//!
//! *Bits of a digit.* A digit `m = 2h + l` fills the whole circle, so that a table is the negative of itself half a
//! circle on. That of `h` is, and so is that of `l XOR h`, but that of `l` isn't: a digit's bits are these two
//! ([`gray`] takes indices to theirs).

use everlevel_ring::TorusRing;
use everlevel_rlwe::{Lwe, lwe};

use super::expansion::expand;
use super::key::CircuitKey;
use super::params::CircuitParams;
use crate::eval_keys::map;
use crate::{Error, FailureBound, Lut, NoiseSum};

/// GGSW ciphertexts of the bits of an index, from the least significant, transformed.
#[derive(Debug)]
pub struct EncryptedBits {
    matrices: Vec<f64>,
    /// The first word of a matrix, which begins a cache line: the allocator recycles memory, and doesn't align it.
    start: usize,
    len: usize,
    failures: FailureBound,
}

impl EncryptedBits {
    /// The number of bits.
    #[allow(clippy::len_without_is_empty)] // An index has a bit at least.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bootstraps that led to the bits.
    pub fn failures(&self) -> &FailureBound {
        &self.failures
    }

    /// A bit's matrix, of the rows of the mask and then those of the body.
    pub(super) fn matrix(&self, bit: usize) -> &[f64] {
        let len = (self.matrices.len() - LINE) / self.len;
        &self.matrices[self.start + bit * len..][..len]
    }
}

/// Words of a cache line.
const LINE: usize = 8;

/// Operands that circuit bootstraps make bits of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// A message that is 0 or 1.
    Bit,
    /// A message of two bits.
    Digit,
}

impl Source {
    /// Bits of the message.
    pub(super) fn bits(self) -> usize {
        match self {
            Self::Bit => 1,
            Self::Digit => 2,
        }
    }

    /// The factor that makes messages fill the circle.
    fn factor(self, space_bits: u32) -> i64 {
        1 << (space_bits + 1 - self.bits() as u32)
    }

    /// The table of each bit in each level, for messages on the whole circle: half a unit, or its negative.
    fn lut(self, params: &CircuitParams) -> Lut {
        let of_level = |level: u32| half_unit(level).wrapping_neg();
        let table = |bit: usize, level: u32| match (self, bit) {
            (Self::Digit, 0) => vec![of_level(level), half_unit(level)],
            (Self::Digit, _) => vec![of_level(level); 2],
            (Self::Bit, _) => vec![of_level(level)],
        };
        let levels = 1..=CircuitParams::TREE.digits;
        let tables: Vec<Vec<u64>> =
            (0..self.bits()).flat_map(|bit| levels.clone().map(move |level| table(bit, level))).collect();
        Lut::from_torus(params.rotation(), self.bits() as u32 - 1, &tables).expect("tables that the ring holds")
    }
}

/// Half the unit of a level.
fn half_unit(level: u32) -> u64 {
    1 << (63 - CircuitParams::TREE.log2_base * level)
}

/// The bits of digits of two bits, as circuit bootstraps give them, of an index's usual ones.
pub(super) fn gray(index: usize) -> usize {
    index ^ (index >> 1 & 0x5555)
}

impl CircuitKey {
    /// The bits of some indices, each of messages from the least significant: circuit bootstraps, whose rotations go
    /// over the key together.
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`] where a message has too much noise.
    pub(super) fn encrypted_bits(
        &self,
        op: &'static str,
        source: Source,
        indices: &[Vec<(Lwe, NoiseSum)>],
    ) -> Result<Vec<EncryptedBits>, Error> {
        let (params, rotations) = (self.params(), self.rotations());
        let (lut, factor) = (source.lut(params), source.factor(params.space_bits()));
        let scaled = |(lwe, noise): &(Lwe, NoiseSum)| {
            let mut scaled = Lwe::trivial(lwe.dim(), 0);
            scaled.add_multiple(lwe, factor);
            (scaled, NoiseSum::combination([(factor as f64, noise)]))
        };
        let inputs: Vec<(Lwe, NoiseSum)> = indices.iter().flatten().map(scaled).collect();
        for (_, noise) in &inputs {
            rotations.check_noise(op, noise.variance_torus(), lut.log2_stride())?;
        }
        let rotated = rotations.rotate(&inputs, &vec![&lut; inputs.len()]);
        let failures: Vec<&FailureBound> = rotated.iter().map(|outputs| outputs[0].1.failures()).collect();
        let mut places = 0..;
        let each = indices.iter().map(|index| {
            let all: Vec<usize> = places.by_ref().take(index.len()).collect();
            let failures = FailureBound::union(all.iter().map(|&i| failures[i]));
            (all, failures)
        });
        let each: Vec<(Vec<usize>, FailureBound)> = each.collect();
        let threads = rayon::current_num_threads();
        let rows =
            map(threads, rotated.len(), |i| self.with_scratch(|scratch| self.rows(source, &rotated[i], scratch)));
        let gather = |i: usize| {
            let (places, failures) = &each[i];
            let (len, matrix_len) = (places.len() * source.bits(), self.product().matrix_len());
            let mut matrices = vec![0.0; len * matrix_len + LINE];
            let start = matrices.as_ptr().align_offset(size_of::<[f64; LINE]>()).min(LINE);
            let bits = places.iter().flat_map(|&place| &rows[place]);
            let each = matrices[start..].chunks_exact_mut(matrix_len).zip(bits);
            each.for_each(|(matrix, rows)| self.transform(matrix, rows));
            EncryptedBits { matrices, start, len, failures: failures.clone() }
        };
        Ok(map(threads, indices.len(), gather))
    }

    /// For each bit of a message its rows, those of the mask and then those of the body, of what one rotation gave.
    fn rows(&self, source: Source, rotated: &[(Lwe, NoiseSum)], scratch: &mut [f64]) -> Vec<Vec<Vec<u64>>> {
        let (n, levels) = (self.params().n(), CircuitParams::TREE.digits as usize);
        // The ciphertext that all of them were extracted from, without the coefficients that nobody wants.
        let mut glwe = lwe::embed(&rotated[0].0, n);
        for (place, (lwe, _)) in rotated.iter().enumerate() {
            glwe[n + place] = lwe.body().wrapping_add(half_unit((place % levels) as u32 + 1));
        }
        let body_rows = expand(self.automorphisms(), glwe, rotated.len().ilog2() as usize, scratch);
        let of_mask = |row: &Vec<u64>| [&row[n..], &vec![0; n]].concat();
        let mut mask_rows: Vec<Vec<u64>> = body_rows.iter().map(of_mask).collect();
        let masks: Vec<Vec<u64>> = body_rows.iter().map(|row| row[..n].to_vec()).collect();
        self.multiply_by_square(&mut mask_rows, &masks, scratch);
        let body_levels = CircuitParams::TREE_BODY.digits as usize;
        let of_bit = |(mask, body): (&[Vec<u64>], &[Vec<u64>])| [mask, &body[..body_levels]].concat();
        debug_assert_eq!(body_rows.len(), source.bits() * levels);
        mask_rows.chunks(levels).zip(body_rows.chunks(levels)).map(of_bit).collect()
    }

    /// Transforms the rows of a GGSW ciphertext into its matrix.
    fn transform(&self, matrix: &mut [f64], rows: &[Vec<u64>]) {
        let ring: &TorusRing<u64> = self.ring();
        let (n, shape) = (self.params().n(), (self.product().rows(), self.product().columns()));
        for (i, row) in rows.iter().enumerate() {
            for (column, poly) in row.chunks_exact(n).enumerate() {
                ring.prepare_column(matrix, (i, column), shape, poly);
            }
        }
    }
}
