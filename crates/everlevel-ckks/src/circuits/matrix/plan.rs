//! The rotations that a matrix needs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Price of a giant step's key switch, in baby steps'. Baby steps share digits.
const GIANT_PRICE: usize = 2;

/// The diagonals of a matrix's blocks, each split into a giant step and a baby step. Blocks are counted row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// A power of two, up to the slots: baby steps are some of `0 .. baby_count`.
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

/// The largest number of baby steps, all below which have keys in a matrix multiplication key: the power of two at or
/// below the root.
pub(crate) fn most_babies(slots: usize) -> i64 {
    1 << (slots.trailing_zeros() / 2)
}

/// The left rotations of a product with a matrix of one block that has these diagonals, by a key for each: baby steps,
/// and the distances between giant steps, which may be equal.
pub fn rotations_of_diagonals(diagonals: &[i64], slots: usize) -> (Vec<i64>, Vec<i64>) {
    let all: BTreeSet<i64> = diagonals.iter().map(|&d| shortest(d, slots)).collect();
    let plan = Plan::new(&[all.into_iter().collect()], 1, slots);
    (plan.baby_rotations(), plan.giant_rotations(slots))
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
        let counts = std::iter::successors(Some(1), |b| Some(2 * b)).take_while(|b| *b <= slots as i64);
        // Far diagonals may be baby steps, too, where there are as few of them as a dense matrix has: all are in
        // memory.
        let most = block_columns * most_babies(slots) as usize;
        let price =
            |(babies, giants): (usize, usize)| if babies <= most { babies + GIANT_PRICE * giants } else { usize::MAX };
        counts.map(of).min_by_key(|plan| price(plan.step_counts())).unwrap_or_else(|| of(1))
    }

    /// The numbers of [`Plan::babies`] and of giant steps: splits are tried by the thousand.
    fn step_counts(&self) -> (usize, usize) {
        let blocks = self.blocks();
        let diagonals = |start: usize, step: usize, count: usize| {
            let some = blocks.iter().skip(start).step_by(step).take(count);
            some.flat_map(|block| &self.diagonals[block.clone()])
        };
        let babies_of = |column: usize| {
            let (mut seen, mut count) = (vec![false; self.baby_count as usize], 1);
            for diagonal in diagonals(column, self.block_columns, usize::MAX) {
                let mut step = diagonal.rem_euclid(self.baby_count) as usize;
                while step > 0 && !std::mem::replace(&mut seen[step], true) {
                    count += 1;
                    step -= 1 << step.ilog2();
                }
            }
            count
        };
        let giants_of = |row: usize| {
            let some = diagonals(row * self.block_columns, 1, self.block_columns);
            let mut giants: Vec<i64> = some.map(|&diagonal| self.giant(diagonal)).collect();
            giants.sort_unstable();
            giants.dedup();
            giants.len()
        };
        ((0..self.block_columns).map(babies_of).sum(), (0..self.block_rows()).map(giants_of).sum())
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

    /// The baby steps of a column of blocks, and those that they are children of: without keys of their own, the steps
    /// without their highest binary digits.
    pub(crate) fn babies(&self, column: usize, has_key: impl Fn(i64) -> bool) -> BTreeSet<i64> {
        let mut all = BTreeSet::from([0]);
        let blocks = self.blocks().into_iter().skip(column).step_by(self.block_columns);
        for baby in blocks.flat_map(|block| &self.diagonals[block]).map(|d| d.rem_euclid(self.baby_count)) {
            let mut step = baby;
            while step > 0 && all.insert(step) && !has_key(step) {
                step -= 1 << step.ilog2();
            }
        }
        all
    }

    /// Key switches on the way to a baby step, at most: one for each binary digit.
    pub(crate) fn longest_way(&self) -> u32 {
        self.diagonals.iter().map(|d| d.rem_euclid(self.baby_count).count_ones()).max().unwrap_or(0)
    }

    /// The left rotations of baby steps that have a key each, of every column of blocks.
    pub(crate) fn baby_rotations(&self) -> Vec<i64> {
        let all = (0..self.block_columns).flat_map(|column| self.babies(column, |_| true));
        all.filter(|&left| left != 0).collect()
    }

    /// The left rotations by the distances between giant steps of every row of blocks, from the outermost inwards.
    pub(crate) fn giant_rotations(&self, slots: usize) -> Vec<i64> {
        let of_row = |row| {
            let giants: Vec<i64> = self.by_giant(row).into_keys().rev().collect();
            let last = giants.last().map(|last| last.rem_euclid(slots as i64));
            giants.windows(2).map(|pair| pair[0] - pair[1]).chain(last).collect::<Vec<_>>()
        };
        (0..self.block_rows()).flat_map(of_row).filter(|&left| left != 0).collect()
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
            assert!(plan.baby_count <= 64);
            assert_eq!(plan.block_rows(), blocks.len() / columns);
            let babies: usize = (0..columns).map(|column| plan.babies(column, |_| false).len()).sum();
            let giants: usize = (0..plan.block_rows()).map(|row| plan.by_giant(row).len()).sum();
            assert_eq!(plan.step_counts(), (babies, giants));
            assert!(babies <= columns * most_babies(64) as usize);
            let mut seen = vec![Vec::new(); blocks.len()];
            for row in 0..plan.block_rows() {
                for (giant, blocks) in plan.by_giant(row) {
                    for steps in blocks {
                        let babies = plan.babies(steps.block % columns, |_| false);
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
                let babies = plan.babies(column, |_| false);
                for baby in babies.iter().filter(|b| **b > 0) {
                    assert!(babies.contains(&0) && babies.contains(&(baby - (1 << baby.ilog2()))));
                }
                assert!(plan.babies(column, |_| true).is_subset(&babies));
            }
        }
    }

    #[test]
    fn amounts_are_those_of_babies_and_of_distances_between_giants() {
        let plan = Plan::new(&[vec![-32, -30, -16, -14, 0, 2, 3]], 1, 64);
        assert_eq!(plan.baby_count, 4);
        assert_eq!((plan.baby_rotations(), plan.giant_rotations(64)), (vec![2, 3], vec![16, 16, 32]));
        assert_eq!(rotations_of_diagonals(&[2, 3, 0, 50, 48, 34, 32], 64), (vec![2, 3], vec![16, 16, 32]));
        assert_eq!(rotations_of_diagonals(&[0], 64), (vec![], vec![]));
        assert_eq!(rotations_of_diagonals(&[-1], 64), (vec![], vec![63]));
    }

    #[test]
    fn a_dense_matrix_has_about_the_root_of_each() {
        let plan = Plan::new(&[(-512..512).collect()], 1, 1024);
        assert_eq!((plan.babies(0, |_| false).len(), plan.by_giant(0).len()), (32, 32));
        let dense: Vec<Vec<i64>> = vec![(-512..512).collect(); 4];
        let plan = Plan::new(&dense, 2, 1024);
        assert_eq!((plan.babies(1, |_| false).len(), plan.by_giant(1).len(), plan.block_rows()), (32, 32, 2));
    }
}
