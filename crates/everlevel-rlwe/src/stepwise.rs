//! Linear maps with two keys: each baby step is a rotation of the one before, and giant steps are taken in Horner's order.
//!
//! `M·z = Σ_j rot_G^j(Σ_i diag'_{j,i} ⊙ rot_g^i(z))` needs the rotations by `g` and `G` alone (minimum key switching: Kim et al.,
//! "ARK", arXiv 2205.00922). Nothing is hoisted: a rotation here is a whole key switch, about three times the work of a
//! hoisted baby step. In return, everything between the rotations is over the source's primes without the special ones.

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

    /// As [`LinearTransform::apply`], with the keys of [`LinearTransform::step_rotations`] only, whatever their gadgets. Steps must be
    /// `0, g, 2g, …`.
    ///
    /// Noise: one rounding for each baby step before the product, and one for each giant step after it.
    pub fn apply_stepwise<'k>(&self, ring: &Ring, ct: &Rlwe, key: impl Fn(i64) -> &'k SwitchingKey) -> Rlwe {
        debug_assert_eq!(ct.set(), &self.source);
        debug_assert!([&self.babies, &self.giants].iter().all(|steps| {
            steps.iter().enumerate().all(|(i, &step)| step == i as i64 * steps.get(1).copied().unwrap_or(0))
        }));
        // A seeded key's masks are expanded once for all of its steps.
        let expanded = |steps: &[i64]| {
            let key = key(*steps.get(1)?);
            (!key.is_expanded()).then(|| key.expanded_masks(ring))
        };
        let rotate = |ct: &Rlwe, step: i64, masks: &Option<Vec<PackedPoly>>| {
            let key = key(step);
            key.automorphism_with(ring, ct, ring.rotation_elt(step), masks.as_deref().or(key.masks()))
        };
        let masks = expanded(&self.babies);
        let mut rotated: Vec<Rlwe> = vec![ct.clone()];
        for _ in 1..self.babies.len() {
            rotated.push(rotate(&rotated[rotated.len() - 1], self.babies[1], &masks));
        }
        let masks = expanded(&self.giants);
        let mut acc: Option<Rlwe> = None;
        for row in self.diagonals.iter().rev() {
            acc = acc.map(|acc| rotate(&acc, self.giants[1], &masks));
            if row.iter().all(Option::is_none) {
                continue;
            }
            let sum = self.row_sum(ring, row, &rotated);
            match &mut acc {
                Some(acc) => acc.add_assign(ring, &sum),
                None => acc = Some(sum),
            }
        }
        let zero = || Rlwe { c0: ring.zero(&self.source), c1: ring.zero(&self.source) };
        acc.unwrap_or_else(zero).rescale(ring, &self.target)
    }

    /// `Σ_i diagonal_i ⊙ rotated_i`.
    fn row_sum(&self, ring: &Ring, row: &[Option<Diagonal>], rotated: &[Rlwe]) -> Rlwe {
        let mut sum = Rlwe { c0: ring.uninit(&self.source), c1: ring.uninit(&self.source) };
        let limbs = sum.c0.limbs_mut().par_iter_mut().zip(sum.c1.limbs_mut()).zip(self.source.indices());
        limbs.for_each(|((o0, o1), &prime)| {
            let lifted: Vec<(Lifted, &Rlwe)> =
                row.iter().zip(rotated).filter_map(|(d, ct)| Some((d.as_ref()?.lift(ring, prime), ct))).collect();
            let mut scratch = Scratch::default();
            for (block, (o0, o1)) in o0.chunks_mut(BLOCK).zip(o1.chunks_mut(BLOCK)).enumerate() {
                let at = block * BLOCK;
                let range = at..at + o0.len();
                let terms: Vec<_> = lifted
                    .iter()
                    .map(|(d, ct)| (d, [&ct.c0.limb(prime)[range.clone()], &ct.c1.limb(prime)[range.clone()]]))
                    .collect();
                inner_products(ring.modulus(prime), at, [o0, o1], &terms, &mut scratch);
            }
        });
        sum
    }
}
