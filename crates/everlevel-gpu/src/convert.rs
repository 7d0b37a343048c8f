//! Conversions of integers between sets of primes.

use std::collections::HashMap;

use everlevel_math::Modulus;
use everlevel_ring::PrimeSet;
use everlevel_ring::device::{Conversion, DeviceLimb};

use crate::arena::Table;
use crate::{Arena, Device, Error};

/// Targets that a thread makes together, and residues that it converts in turn: as in sums.h.
const TARGETS_TOGETHER: usize = 4;
const RESIDUES_IN_TURN: usize = 4;

/// For each target `t`, `D/d_j mod t` for each source, then `−D mod t`, where `D = ∏ d_j`; and `1/d_j`.
fn weights_of(moduli: &[Modulus], from: &PrimeSet, to: &PrimeSet) -> (Vec<u64>, Vec<f64>) {
    let mut weights = Vec::with_capacity(to.len() * (from.len() + 1));
    for &t in to.indices() {
        let product =
            |others: &[usize]| others.iter().fold(1, |acc, &i| moduli[t].mul(acc, moduli[t].reduce(moduli[i].q())));
        for k in 0..from.len() {
            let (before, after) = (&from.indices()[..k], &from.indices()[k + 1..]);
            weights.push(moduli[t].mul(product(before), product(after)));
        }
        weights.push(moduli[t].neg(product(from.indices())));
    }
    (weights, from.indices().iter().map(|&j| 1.0 / moduli[j].q() as f64).collect())
}

impl<D: Device> Arena<D> {
    /// Conversions between sets of primes.
    ///
    /// # Errors
    /// The device's.
    ///
    /// # Panics
    /// If a conversion's limbs are not one for each prime, or it has no source, or more than 60.
    pub fn convert(&self, conversions: &[Conversion]) -> Result<(), Error> {
        let mut known: HashMap<(&PrimeSet, &PrimeSet), [usize; 2]> = HashMap::new();
        let (mut weights, mut reciprocals): (Vec<u64>, Vec<f64>) = Default::default();
        let (mut lists, mut jobs): (Vec<u32>, Vec<u32>) = Default::default();
        for Conversion { from, to, sources, targets } in conversions {
            assert!(sources.len() == from.len() && targets.len() == to.len(), "one limb for each prime");
            assert!((1..=60).contains(&sources.len()), "conversions have 1 to 60 sources");
            let [weights_at, reciprocals_at] = *known.entry((from, to)).or_insert_with(|| {
                let at = [weights.len(), reciprocals.len()];
                let (w, r) = weights_of(self.moduli(), from, to);
                weights.extend(w);
                reciprocals.extend(r);
                at
            });
            let sources_at = lists.len();
            lists.extend(sources.iter().map(|&limb| self.word_of(limb)));
            let targets: Vec<(usize, DeviceLimb)> = to.indices().iter().copied().zip(targets.iter().copied()).collect();
            for (group, targets) in targets.chunks(TARGETS_TOGETHER).enumerate() {
                let first = weights_at + group * TARGETS_TOGETHER * (sources.len() + 1);
                let words = [sources_at, sources.len(), lists.len(), targets.len(), first, reciprocals_at];
                jobs.extend(words.map(|word| word as u32));
                let words = |&(prime, limb)| [self.word_of(limb), self.word_of_prime(prime)];
                lists.extend(targets.iter().flat_map(words));
            }
        }
        let [lists, weights, reciprocals] = [
            self.table(bytemuck::cast_slice(&lists))?,
            self.table(bytemuck::cast_slice(&weights))?,
            self.table(bytemuck::cast_slice(&reciprocals))?,
        ];
        let tables = [
            Table::Primes,
            Table::Jobs,
            Table::Of(&lists),
            Table::Of(&weights),
            Table::Of(&reciprocals),
            Table::Word(self.n() as u32),
        ];
        self.launch("convert", self.blocks() / RESIDUES_IN_TURN, (&jobs, 6), &tables)
    }
}
