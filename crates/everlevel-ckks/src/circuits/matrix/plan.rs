//! The rotations that a matrix needs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Price of a giant step's key switch, in baby steps'. Baby steps share digits.
const GIANT_PRICE: usize = 2;

/// The diagonals of a matrix's blocks, each split into a giant step and a baby step. Blocks are counted row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// A power of two: baby steps are `0 .. baby_count`.
    pub(crate) baby_count: i64,
    /// Blocks in a row.
    pub(crate) block_columns: usize,
    /// Left rotations, one block after the other: ascending in each, from `−slots/2` up.
    pub(crate) diagonals: Vec<i64>,
    /// The number of diagonals of each block.
    pub(crate) block_sizes: Vec<usize>,
}

/// The diagonals of one block and one giant step.
#[derive(Debug)]
pub(crate) struct Steps {
    pub(crate) block: usize,
    /// Their baby steps.
    pub(crate) babies: Vec<i64>,
    /// Their positions among all diagonals.
    pub(crate) positions: Range<usize>,
}

/// The largest number of baby steps, of which a matrix multiplication key has every one: the power of two at or below
/// the root.
pub(crate) fn most_babies(slots: usize) -> i64 {
    1 << (slots.trailing_zeros() / 2)
}

/// An amount as the shortest way round, in `−slots/2 .. slots/2`.
pub(crate) fn shortest(amount: i64, slots: usize) -> i64 {
    let (slots, half) = (slots as i64, slots as i64 / 2);
    (amount.rem_euclid(slots) + half) % slots - half
}

impl Plan {
    /// The cheapest split of these diagonals of each block, given as [`shortest`] amounts, ascending.
    pub(crate) fn new(blocks: &[Vec<i64>], block_columns: usize, slots: usize) -> Self {
        let of = |baby_count| Self {
            baby_count,
            block_columns,
            diagonals: blocks.concat(),
            block_sizes: blocks.iter().map(Vec::len).collect(),
        };
        let counts = std::iter::successors(Some(1), |b| Some(2 * b)).take_while(|b| *b <= most_babies(slots));
        counts.map(of).min_by_key(Self::price).unwrap_or_else(|| of(1))
    }

    fn price(&self) -> usize {
        let babies: usize = (0..self.block_columns).map(|column| self.babies(column).len()).sum();
        let giants: usize = (0..self.block_rows()).map(|row| self.by_giant(row).len()).sum();
        babies + GIANT_PRICE * giants
    }

    pub(crate) fn block_rows(&self) -> usize {
        self.block_sizes.len() / self.block_columns
    }

    /// The positions of each block's diagonals.
    pub(crate) fn blocks(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let next = |&size| {
            end += size;
            end - size..end
        };
        self.block_sizes.iter().map(next).collect()
    }

    /// The baby steps of a column of blocks, and those that they are children of.
    pub(crate) fn babies(&self, column: usize) -> BTreeSet<i64> {
        let mut all = BTreeSet::from([0]);
        let blocks = self.blocks().into_iter().skip(column).step_by(self.block_columns);
        for baby in blocks.flat_map(|block| &self.diagonals[block]).map(|d| d.rem_euclid(self.baby_count)) {
            let ancestors = std::iter::successors(Some(baby), |b| (*b > 0).then(|| b & (b - (1 << b.ilog2()))));
            all.extend(ancestors.take_while(|b| *b > 0));
        }
        all
    }

    /// The steps of each giant step in a row of blocks, in order: of one block after the other.
    pub(crate) fn by_giant(&self, row: usize) -> BTreeMap<i64, Vec<Steps>> {
        let mut giants: BTreeMap<i64, Vec<Steps>> = BTreeMap::new();
        let all = self.blocks();
        for block in row * self.block_columns..(row + 1) * self.block_columns {
            for at in all[block].clone() {
                let diagonal = self.diagonals[at];
                let giant = self.giant(diagonal);
                let steps = giants.entry(giant).or_default();
                // Diagonals of one giant step are neighbours, since they ascend.
                match steps.last_mut().filter(|last| last.block == block) {
                    Some(last) => {
                        last.babies.push(diagonal - giant);
                        last.positions.end = at + 1;
                    }
                    None => steps.push(Steps { block, babies: vec![diagonal - giant], positions: at..at + 1 }),
                }
            }
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
        let some: [Vec<i64>; 6] =
            [vec![0], vec![-3, 5, 17], (-32..32).collect(), vec![-32, 31], (-7..8).collect(), vec![]];
        for (blocks, columns) in
            [(&some[..1], 1), (&some[1..2], 1), (&some[2..3], 1), (&some[..], 3), (&some[..], 1), (&some[..], 6)]
        {
            let plan = Plan::new(blocks, columns, 64);
            assert!(plan.baby_count <= most_babies(64));
            assert_eq!(plan.block_rows(), blocks.len() / columns);
            let mut seen = vec![Vec::new(); blocks.len()];
            for row in 0..plan.block_rows() {
                for (giant, blocks) in plan.by_giant(row) {
                    for steps in blocks {
                        let babies = plan.babies(steps.block % columns);
                        assert_eq!((steps.babies.len(), steps.block / columns), (steps.positions.len(), row));
                        for (baby, at) in steps.babies.into_iter().zip(steps.positions) {
                            assert_eq!(giant + baby, plan.diagonals[at]);
                            assert_eq!(plan.giant(plan.diagonals[at]), giant);
                            assert!(babies.contains(&baby) && (0..plan.baby_count).contains(&baby));
                            seen[steps.block].push(plan.diagonals[at]);
                        }
                    }
                }
            }
            assert_eq!(seen, blocks);
            for column in 0..columns {
                let babies = plan.babies(column);
                for baby in babies.iter().filter(|b| **b > 0) {
                    assert!(babies.contains(&0) && babies.contains(&(baby - (1 << baby.ilog2()))));
                }
            }
        }
    }

    #[test]
    fn a_dense_matrix_has_about_the_root_of_each() {
        let plan = Plan::new(&[(-512..512).collect()], 1, 1024);
        assert_eq!((plan.babies(0).len(), plan.by_giant(0).len()), (32, 32));
        let dense: Vec<Vec<i64>> = vec![(-512..512).collect(); 4];
        let plan = Plan::new(&dense, 2, 1024);
        assert_eq!((plan.babies(1).len(), plan.by_giant(1).len(), plan.block_rows()), (32, 32, 2));
    }
}
