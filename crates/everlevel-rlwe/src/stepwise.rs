//! Linear maps with two keys: each baby step is a rotation of the one before, and giant steps are taken in Horner's
//! order.
//!
//! `M·z = Σ_j rot_G^j(Σ_i diag'_{j,i} ⊙ rot_g^i(z))` needs the rotations by `g` and `G` alone (minimum key switching:
//! Kim et al., "ARK", arXiv 2205.00922). Nothing is hoisted: a rotation here is a whole key switch, about three times
//! the work of a hoisted baby step. In return, everything between the rotations is over the source's primes without the
//! special ones.

use everlevel_ring::Ring;

use crate::{LinearTransform, Rlwe, SwitchingKey};

impl LinearTransform {
    /// The rotations that [`LinearTransform::apply_stepwise`] needs keys for: one baby and one giant step.
    pub fn step_rotations(&self) -> Vec<i64> {
        [&self.babies, &self.giants].iter().filter_map(|steps| steps.get(1).copied()).collect()
    }

    /// As [`LinearTransform::apply`], with the keys of [`LinearTransform::step_rotations`] only, whatever their
    /// gadgets. Steps must be `0, g, 2g, …`.
    ///
    /// Noise: one rounding for each baby step before the product, and one for each giant step after it.
    pub fn apply_stepwise<'k>(&self, ring: &Ring, cts: &[Rlwe], key: impl Fn(i64) -> &'k SwitchingKey) -> Vec<Rlwe> {
        let Some(source) = cts.first().map(Rlwe::set) else { return Vec::new() };
        debug_assert!(cts.iter().all(|ct| ct.set() == source));
        debug_assert!([&self.babies, &self.giants].iter().all(|steps| {
            steps.iter().enumerate().all(|(i, &step)| step == i as i64 * steps.get(1).copied().unwrap_or(0))
        }));
        // A seeded key's masks are expanded once for all of its steps; a device holds them.
        let on_host = cts[0].c0.device().is_none();
        let expanded = |steps: &[i64]| on_host.then(|| key(*steps.get(1)?).expanded(ring)).flatten();
        let rotate = |cts: &[Rlwe], step: i64, expanded: &Option<SwitchingKey>| {
            let key = expanded.as_ref().unwrap_or_else(|| key(step));
            key.automorphism_many(ring, cts, ring.rotation_elt(step))
        };
        let of_babies = expanded(&self.babies);
        let mut rotated: Vec<Vec<Rlwe>> = vec![cts.to_vec()];
        for _ in 1..self.babies.len() {
            rotated.push(rotate(&rotated[rotated.len() - 1], self.babies[1], &of_babies));
        }
        drop(of_babies);
        let of_giants = expanded(&self.giants);
        let mut accs: Option<Vec<Rlwe>> = None;
        for row in self.diagonals.iter().rev() {
            accs = accs.map(|accs| rotate(&accs, self.giants[1], &of_giants));
            if row.iter().all(Option::is_none) {
                continue;
            }
            let rotated: Vec<Vec<_>> =
                rotated.iter().map(|cts| cts.iter().map(|ct| [&ct.c0, &ct.c1]).collect()).collect();
            let sums = ring.row_sums(source, row, &rotated);
            let sums: Vec<Rlwe> = sums.into_iter().map(Rlwe::from).collect();
            match &mut accs {
                Some(accs) => accs.iter_mut().zip(&sums).for_each(|(acc, sum)| acc.add_assign(ring, sum)),
                None => accs = Some(sums),
            }
        }
        let zero = |ct: &Rlwe| ct.zero_beside(ring, source);
        let sums = accs.unwrap_or_else(|| cts.iter().map(zero).collect());
        Rlwe::rescale_many(sums, ring, &self.target_of(source))
    }
}
