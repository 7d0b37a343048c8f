//! Which rotations a matrix needs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Price of a giant step's key switch, in baby steps'. Baby steps share digits.
const GIANT_PRICE: usize = 2;

/// The diagonals of a matrix, each split into a giant step and a baby step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// A power of two: baby steps are `0 .. baby_count`.
    pub(crate) baby_count: i64,
    /// Left rotations, ascending, from `−slots/2` up.
    pub(crate) diagonals: Vec<i64>,
}

/// The diagonals of one giant step.
#[derive(Debug)]
pub(crate) struct Steps {
    /// Their baby steps.
    pub(crate) babies: Vec<i64>,
    /// Their positions among all diagonals.
    pub(crate) positions: Range<usize>,
}

/// The largest number of baby steps, of which a matrix multiplication key has every one: the power of two at or below the root.
pub(crate) fn most_babies(slots: usize) -> i64 {
    1 << (slots.trailing_zeros() / 2)
}

/// An amount as the shortest way round, in `−slots/2 .. slots/2`.
pub(crate) fn shortest(amount: i64, slots: usize) -> i64 {
    let (slots, half) = (slots as i64, slots as i64 / 2);
    (amount.rem_euclid(slots) + half) % slots - half
}

impl Plan {
    /// The cheapest split of these diagonals, given as [`shortest`] amounts.
    pub(crate) fn new(diagonals: impl IntoIterator<Item = i64>, slots: usize) -> Self {
        let diagonals: BTreeSet<i64> = diagonals.into_iter().collect();
        let of = |baby_count| Self { baby_count, diagonals: diagonals.iter().copied().collect() };
        let counts = std::iter::successors(Some(1), |b| Some(2 * b)).take_while(|b| *b <= most_babies(slots));
        counts.map(of).min_by_key(Self::price).unwrap_or_else(|| of(1))
    }

    fn price(&self) -> usize {
        self.babies().len() + GIANT_PRICE * self.by_giant().len()
    }

    /// The baby steps, and those that they are children of.
    pub(crate) fn babies(&self) -> BTreeSet<i64> {
        let mut all = BTreeSet::from([0]);
        for baby in self.diagonals.iter().map(|d| d.rem_euclid(self.baby_count)) {
            let ancestors = std::iter::successors(Some(baby), |b| (*b > 0).then(|| b & (b - (1 << b.ilog2()))));
            all.extend(ancestors.take_while(|b| *b > 0));
        }
        all
    }

    /// The steps of each giant step, in order.
    pub(crate) fn by_giant(&self) -> BTreeMap<i64, Steps> {
        let mut giants: BTreeMap<i64, Steps> = BTreeMap::new();
        for (at, &d) in self.diagonals.iter().enumerate() {
            let giant = self.giant(d);
            // Diagonals of one giant step are neighbours, since they ascend.
            let steps = giants.entry(giant).or_insert(Steps { babies: Vec::new(), positions: at..at });
            steps.babies.push(d - giant);
            steps.positions.end = at + 1;
        }
        giants
    }

    /// The giant step of a diagonal.
    pub(crate) fn giant(&self, diagonal: i64) -> i64 {
        diagonal.div_euclid(self.baby_count) * self.baby_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_the_shortest_way_round() {
        let all: Vec<i64> = (-8..16).map(|d| shortest(d, 8)).collect();
        assert_eq!(all[8..16], [0, 1, 2, 3, -4, -3, -2, -1]);
        assert_eq!((&all[..8], &all[16..]), (&all[8..16], &all[8..16]));
    }

    #[test]
    fn every_diagonal_is_a_giant_and_a_baby_whose_ancestors_are_there() {
        for diagonals in [vec![0], vec![-3, 5, 17], (-32..32).collect(), vec![-32, 31], (-7..8).collect()] {
            let plan = Plan::new(diagonals.clone(), 64);
            let babies = plan.babies();
            assert!(babies.contains(&0) && plan.baby_count <= most_babies(64));
            let mut seen = Vec::new();
            for (giant, steps) in plan.by_giant() {
                assert_eq!(steps.babies.len(), steps.positions.len());
                for (baby, at) in steps.babies.into_iter().zip(steps.positions) {
                    assert_eq!(giant + baby, plan.diagonals[at]);
                    assert_eq!(plan.giant(plan.diagonals[at]), giant);
                    assert!(babies.contains(&baby) && (0..plan.baby_count).contains(&baby));
                    seen.push(plan.diagonals[at]);
                }
            }
            assert_eq!(seen, diagonals);
            for baby in babies.iter().filter(|b| **b > 0) {
                assert!(babies.contains(&(baby - (1 << baby.ilog2()))));
            }
        }
    }

    #[test]
    fn a_dense_matrix_has_about_the_root_of_each() {
        let plan = Plan::new(-512..512, 1024);
        assert_eq!((plan.babies().len(), plan.by_giant().len()), (32, 32));
    }
}
