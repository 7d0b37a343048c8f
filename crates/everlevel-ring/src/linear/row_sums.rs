//! Sums of rotated ciphertexts times the diagonals of one giant step.

use rayon::prelude::*;

use super::diagonal::{Lifted, Scratch, inner_products};
use crate::residues::limbs_by_prime;
use crate::{Diagonal, Eval, Poly, PrimeSet, Ring};

/// Residues of a block: the blocks of sixteen terms, expanded, fit the second cache.
const BLOCK: usize = 2048;

impl Ring {
    /// For each ciphertext, body and mask, `Σ_i diagonal_i ⊙ rotated_i`, where `rotated[i]` has all ciphertexts'
    /// rotations by baby step `i`.
    pub fn row_sums(
        &self,
        source: &PrimeSet,
        row: &[Option<Diagonal>],
        rotated: &[Vec<[&Poly<Eval>; 2]>],
    ) -> Vec<[Poly<Eval>; 2]> {
        if rotated[0].iter().flatten().any(|part| part.is_there()) {
            return self.row_sums_there(source, row, rotated);
        }
        let mut sums: Vec<[Poly<Eval>; 2]> =
            rotated[0].iter().map(|_| [self.uninit(source), self.uninit(source)]).collect();
        limbs_by_prime(&mut sums).into_par_iter().zip(source.indices()).for_each(|(outs, &prime)| {
            let lifted: Vec<(&Vec<[&Poly<Eval>; 2]>, Lifted)> =
                row.iter().zip(rotated).filter_map(|(d, cts)| Some((cts, d.as_ref()?.lift(self, prime)))).collect();
            let mut scratch = Scratch::default();
            for (ct, [o0, o1]) in outs.into_iter().enumerate() {
                for (block, (o0, o1)) in o0.chunks_mut(BLOCK).zip(o1.chunks_mut(BLOCK)).enumerate() {
                    let at = block * BLOCK;
                    let range = at..at + o0.len();
                    let terms: Vec<_> =
                        lifted.iter().map(|(cts, d)| (d, cts[ct].map(|c| &c.limb(prime)[range.clone()]))).collect();
                    inner_products(self.modulus(prime), at, [o0, o1], &terms, &mut scratch);
                }
            }
        });
        sums
    }
}
