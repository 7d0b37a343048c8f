//! Linear maps on slots: baby steps and giant steps, hoisted twice.
//!
//! `M·z = Σ_d diag_d ⊙ rot_d(z)` with `d = giant + baby`, so
//! `M·z = Σ_giant rot_giant(Σ_baby diag'_{giant,baby} ⊙ rot_baby(z))`, where `diag'` is the diagonal moved back by the
//! giant step. The digits of the input are computed once for all baby steps, and the division by `P` is put off until a
//! giant step needs the mask, and for the sum until the very end, where it is merged with the rescaling. (Bossuat,
//! Troncoso-Pastoriza, Hubaux, eprint 2021/1203 does both hoistings; we add the block order below.)

use everlevel_ring::{BabySteps, Diagonal, GiantSteps, PrimeSet, Ring, RnsGadget};

use crate::{Rlwe, SwitchingKey};

/// A linear map for ciphertexts of one modulus, and of its factors that keep all primes of what is divided by.
#[derive(Debug)]
pub struct LinearTransform {
    /// Primes of the input.
    pub source: PrimeSet,
    /// Primes of the output, after the merged rescaling.
    pub target: PrimeSet,
    /// Left rotations of the baby steps.
    pub babies: Vec<i64>,
    /// Left rotations of the giant steps.
    pub giants: Vec<i64>,
    /// `diagonals[giant][baby]`.
    pub diagonals: Vec<Vec<Option<Diagonal>>>,
}

impl LinearTransform {
    /// Every nonzero rotation that needs a key.
    pub fn rotations(&self) -> Vec<i64> {
        let mut all: Vec<i64> = self.babies.iter().chain(&self.giants).copied().filter(|&r| r != 0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Bytes of the diagonals.
    pub fn nbytes(&self) -> usize {
        self.diagonals.iter().flatten().flatten().map(Diagonal::nbytes).sum()
    }

    /// This map with diagonals of full length held as residues over the source and the special primes of its keys: six
    /// bytes for each coefficient and prime in place of eight a coefficient, and no transforms at each use. None where
    /// no diagonal is of full length.
    pub fn lifted(&self, ring: &Ring, special: &PrimeSet) -> Option<Self> {
        let all = || self.diagonals.iter().flatten().flatten();
        if !all().any(|d| d.is_whole(ring)) {
            return None;
        }
        let set = self.source.union(special);
        let row = |row: &Vec<Option<Diagonal>>| row.iter().map(|d| Some(d.as_ref()?.lifted(ring, &set))).collect();
        Some(Self {
            source: self.source.clone(),
            target: self.target.clone(),
            babies: self.babies.clone(),
            giants: self.giants.clone(),
            diagonals: self.diagonals.iter().map(row).collect(),
        })
    }

    /// The target of ciphertexts over `source`, which lack some of the primes that the map leaves as they are.
    pub(crate) fn target_of(&self, source: &PrimeSet) -> PrimeSet {
        let lacking = self.source.difference(source);
        debug_assert!(source.is_subset(&self.source) && lacking.is_subset(&self.target));
        self.target.difference(&lacking)
    }

    /// `M` applied to the slots of ciphertexts, divided by the ratio of `source` to `target`. Several ciphertexts share
    /// the traffic of keys and diagonals. Ciphertexts may be over fewer primes, without some of those that are both in
    /// `source` and `target`; so are the results.
    ///
    /// `key(r)` gives the key of the rotation by `r`; all keys have the same gadget.
    pub fn apply<'k>(&self, ring: &Ring, cts: &[Rlwe], key: impl Fn(i64) -> &'k SwitchingKey + Sync) -> Vec<Rlwe> {
        let Some(source) = cts.first().map(Rlwe::set) else { return Vec::new() };
        debug_assert!(cts.iter().all(|ct| ct.set() == source));
        let nothing = || RnsGadget { digits: Vec::new(), special: PrimeSet::new([]) };
        let gadget = self.rotations().first().map_or_else(nothing, |&r| key(r).gadget().clone());
        let rotations = self.babies.iter().map(|&r| (r, (r != 0).then(|| key(r).rows()))).collect();
        let steps = BabySteps { source, gadget: &gadget, rotations, diagonals: &self.diagonals };
        let parts: Vec<_> = cts.iter().map(|ct| [&ct.c0, &ct.c1]).collect();
        let sums = ring.baby_sums(&steps, &parts);
        let rotations = self.giants.iter().map(|&r| (r, (r != 0).then(|| key(r).rows()))).collect();
        let accs = ring.giant_sums(&GiantSteps { source, gadget: &gadget, rotations }, sums);
        let accs = accs.into_iter().map(Rlwe::from).collect();
        Rlwe::rescale_many(accs, ring, &self.target_of(source))
    }
}
