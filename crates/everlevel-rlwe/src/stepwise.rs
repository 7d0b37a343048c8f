//! Linear maps with two keys: each baby step is a rotation of the one before, and giant steps are taken in Horner's
//! order.
//!
//! `M·z = Σ_j rot_G^j(Σ_i diag'_{j,i} ⊙ rot_g^i(z))` needs the rotations by `g` and `G` alone (minimum key switching:
//! Kim et al., "ARK", arXiv 2205.00922). Nothing is hoisted: a rotation here is a whole key switch, about three times
//! the work of a hoisted baby step. In return, everything between the rotations is over the source's primes without the
//! special ones.

use everlevel_ring::{PackedPoly, Ring};
use rayon::prelude::*;

use crate::diagonal::{Lifted, Scratch, inner_products};
use crate::{Diagonal, LinearTransform, Rlwe, SwitchingKey};

/// Residues of a block: the blocks of sixteen terms, expanded, fit the second cache.
const BLOCK: usize = 2048;

impl LinearTransform {
    /// The rotations that [`LinearTransform::apply_stepwise`] needs keys for: one baby and one giant step.
    pub fn step_rotations(&self) -> Vec<i64> {
        [&self.babies, &self.giants].iter().filter_map(|steps| steps.get(1).copied()).collect()
    }

    /// As [`LinearTransform::apply`], with the keys of [`LinearTransform::step_rotations`] only, whatever their
    /// gadgets. Steps must be `0, g, 2g, …`.
    ///
    /// Noise: one rounding for each baby step before the product, and one for each giant step after it.
    pub fn apply_stepwise<'k>(&self, ring: &Ring, ct: &Rlwe, key: impl Fn(i64) -> &'k SwitchingKey) -> Rlwe {
        let mut one = self.apply_stepwise_many(ring, std::slice::from_ref(ct), key);
        one.pop().unwrap_or_else(|| unreachable!("one ciphertext in, one out"))
    }

    /// As [`LinearTransform::apply_stepwise`], for several ciphertexts that share the traffic of keys and the lifting
    /// of diagonals.
    pub fn apply_stepwise_many<'k>(
        &self,
        ring: &Ring,
        cts: &[Rlwe],
        key: impl Fn(i64) -> &'k SwitchingKey,
    ) -> Vec<Rlwe> {
        debug_assert!(cts.iter().all(|ct| ct.set() == &self.source));
        debug_assert!([&self.babies, &self.giants].iter().all(|steps| {
            steps.iter().enumerate().all(|(i, &step)| step == i as i64 * steps.get(1).copied().unwrap_or(0))
        }));
        // A seeded key's masks are expanded once for all of its steps.
        let expanded = |steps: &[i64]| {
            let key = key(*steps.get(1)?);
            (!key.is_expanded()).then(|| key.expanded_masks(ring))
        };
        let rotate = |cts: &[Rlwe], step: i64, masks: &Option<Vec<PackedPoly>>| {
            let key = key(step);
            key.automorphism_many_with(ring, cts, ring.rotation_elt(step), masks.as_deref().or(key.masks()))
        };
        let masks = expanded(&self.babies);
        let mut rotated: Vec<Vec<Rlwe>> = vec![cts.to_vec()];
        for _ in 1..self.babies.len() {
            rotated.push(rotate(&rotated[rotated.len() - 1], self.babies[1], &masks));
        }
        let masks = expanded(&self.giants);
        let mut accs: Option<Vec<Rlwe>> = None;
        for row in self.diagonals.iter().rev() {
            accs = accs.map(|accs| rotate(&accs, self.giants[1], &masks));
            if row.iter().all(Option::is_none) {
                continue;
            }
            let sums = self.row_sums(ring, row, &rotated);
            match &mut accs {
                Some(accs) => accs.iter_mut().zip(&sums).for_each(|(acc, sum)| acc.add_assign(ring, sum)),
                None => accs = Some(sums),
            }
        }
        let zero = || Rlwe { c0: ring.zero(&self.source), c1: ring.zero(&self.source) };
        let sums = accs.unwrap_or_else(|| cts.iter().map(|_| zero()).collect());
        Rlwe::rescale_many(sums, ring, &self.target)
    }

    /// For each ciphertext `Σ_i diagonal_i ⊙ rotated_i`, from its rotation by each baby step.
    fn row_sums(&self, ring: &Ring, row: &[Option<Diagonal>], rotated: &[Vec<Rlwe>]) -> Vec<Rlwe> {
        let sum = |_| Rlwe { c0: ring.uninit(&self.source), c1: ring.uninit(&self.source) };
        let mut sums: Vec<Rlwe> = rotated[0].iter().map(sum).collect();
        Rlwe::limbs_by_prime(&mut sums).into_par_iter().zip(self.source.indices()).for_each(|(outs, &prime)| {
            let lifted: Vec<(&Vec<Rlwe>, Lifted)> =
                row.iter().zip(rotated).filter_map(|(d, cts)| Some((cts, d.as_ref()?.lift(ring, prime)))).collect();
            let mut scratch = Scratch::default();
            for (ct, [o0, o1]) in outs.into_iter().enumerate() {
                for (block, (o0, o1)) in o0.chunks_mut(BLOCK).zip(o1.chunks_mut(BLOCK)).enumerate() {
                    let at = block * BLOCK;
                    let range = at..at + o0.len();
                    let terms: Vec<_> = lifted
                        .iter()
                        .map(|(cts, d)| (d, [&cts[ct].c0, &cts[ct].c1].map(|c| &c.limb(prime)[range.clone()])))
                        .collect();
                    inner_products(ring.modulus(prime), at, [o0, o1], &terms, &mut scratch);
                }
            }
        });
        sums
    }
}
