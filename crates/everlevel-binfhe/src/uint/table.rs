//! Look-up tables of blocks, the only bootstraps that operations on integers do: many inputs, each with its own table,
//! in one round.
//!
//! **Signed** inputs are sums that may be below zero ([`Blocks::signed_sum`]), by less than the number of messages.
//! Their tables are **mirrored** or **odd**: a mirrored one gives one outcome above zero, another below, and any at
//! zero; an odd one gives `f(x)`, and `−f` below zero, as a signed input of the next. `f` is that of as much less than
//! the number of messages then.

use std::cmp::Ordering;

use super::array::Uints;
use super::blocks::{Block, Blocks, Form, Table};
use super::integers::Arithmetic;

impl<B: Blocks> Arithmetic<B> {
    /// The table of `f`, whose values must be messages for every message, reachable or not.
    pub(super) fn table(&self, f: impl Fn(u64) -> u64) -> Table {
        Table { entries: (0..=self.radix.max()).map(f).collect(), form: Form::Plain }
    }

    /// The table of a condition as half a turn of the torus.
    pub(super) fn half_table(&self, f: impl Fn(u64) -> bool) -> Table {
        Table { form: Form::Half, ..self.table(|x| u64::from(f(x))) }
    }

    /// The table of `f`, and of `sum − f` for signed inputs below zero and for inputs with a half whose condition is 1.
    pub(super) fn mirrored_table(&self, sum: u64, f: impl Fn(u64) -> u64) -> Table {
        Table { form: Form::Mirrored { sum }, ..self.table(f) }
    }

    /// The table of `f`, and of `−f` for signed inputs below zero and for inputs with a half whose condition is 1.
    pub(super) fn odd_table(&self, f: impl Fn(u64) -> u64) -> Table {
        Table { form: Form::Odd, ..self.table(f) }
    }

    /// The table of a signed input's sign, times a weight.
    pub(super) fn sign_table(&self, weight: u64) -> Table {
        self.odd_table(|x| if x == 0 { 0 } else { weight })
    }

    /// The table of what an order with zero comes to, for signed inputs.
    pub(super) fn order_table(&self, outcome: impl Fn(Ordering) -> u64) -> Table {
        let (zero, above) = (outcome(Ordering::Equal), outcome(Ordering::Greater));
        self.mirrored_table(above + outcome(Ordering::Less), |x| if x == 0 { zero } else { above })
    }

    /// The table of `f(a, b)` for inputs that [`Arithmetic::pair`] makes.
    pub(super) fn table2(&self, f: impl Fn(u64, u64) -> u64) -> Table {
        let base = self.radix.base();
        self.table(|x| if x < base * base { f(x / base, x % base) } else { 0 })
    }

    /// [`Blocks::look_up`].
    pub(super) fn look_up(&self, op: &'static str, jobs: &[(B::Block, &Table)]) -> Result<Vec<B::Block>, B::Error> {
        self.blocks.look_up(op, jobs)
    }

    /// One table for every input.
    pub(super) fn map(
        &self,
        op: &'static str,
        inputs: Vec<B::Block>,
        table: &Table,
    ) -> Result<Vec<B::Block>, B::Error> {
        self.look_up(op, &inputs.into_iter().map(|x| (x, table)).collect::<Vec<_>>())
    }

    /// Every table's outcome for each input, table by table: those that fit side by side share a bootstrap.
    pub(super) fn map_all<const N: usize>(
        &self,
        op: &'static str,
        inputs: &[B::Block],
        tables: [&Table; N],
    ) -> Result<[Vec<B::Block>; N], B::Error> {
        let jobs: Vec<_> = inputs.iter().flat_map(|x| tables.map(|table| (x.clone(), table))).collect();
        let found = self.look_up(op, &jobs)?;
        Ok(std::array::from_fn(|place| found.iter().skip(place).step_by(N).cloned().collect()))
    }

    /// [`Blocks::linear`].
    pub(super) fn linear(&self, terms: &[(i64, &B::Block)], constant: i64) -> Result<B::Block, B::Error> {
        self.blocks.linear(terms, constant)
    }

    /// [`Blocks::signed_sum`].
    pub(super) fn signed_sum(&self, terms: &[(i64, &B::Block)], constant: i64) -> Result<B::Block, B::Error> {
        self.blocks.signed_sum(terms, constant)
    }

    /// `M·a + b`.
    pub(super) fn pair(&self, a: &B::Block, b: &B::Block) -> Result<B::Block, B::Error> {
        self.linear(&[(self.radix.base() as i64, a), (1, b)], 0)
    }

    /// `M·a + b` of all blocks.
    pub(super) fn pairs(&self, op: &'static str, a: &Uints<B>, b: &Uints<B>) -> Result<Vec<B::Block>, B::Error> {
        self.settled(op, &a.blocks, self.radix.base())?.iter().zip(&b.blocks).map(|(a, b)| self.pair(a, b)).collect()
    }

    /// `Σ x`.
    pub(super) fn sum<'a>(&self, terms: impl IntoIterator<Item = &'a B::Block>) -> Result<B::Block, B::Error>
    where
        B::Block: 'a,
    {
        self.linear(&terms.into_iter().map(|x| (1, x)).collect::<Vec<_>>(), 0)
    }

    /// A sum that is known to be a digit.
    pub(super) fn digit_sum(&self, terms: &[B::Block]) -> Result<B::Block, B::Error> {
        Ok(self.sum(terms)?.at_most(self.radix.base() - 1))
    }

    /// The terms in groups whose sums are messages and have no more noise than a table takes.
    pub(super) fn groups(&self, terms: Vec<B::Block>) -> Vec<Vec<B::Block>> {
        let mut groups: Vec<Vec<B::Block>> = Vec::new();
        for term in terms {
            if let Some(group) = groups.last_mut() {
                let all: Vec<&B::Block> = group.iter().chain([&term]).collect();
                let max_value: u64 = all.iter().map(|block| block.max_value()).sum();
                if max_value <= self.radix.max() && self.blocks.takes(&all, 0) {
                    group.push(term);
                    continue;
                }
            }
            groups.push(vec![term]);
        }
        groups
    }

    /// The blocks, after bootstraps of those whose noise, multiplied by `factor`, would be too much beside another
    /// block's.
    pub(super) fn settled(
        &self,
        op: &'static str,
        blocks: &[B::Block],
        factor: u64,
    ) -> Result<Vec<B::Block>, B::Error> {
        let which: Vec<usize> = (0..blocks.len()).filter(|&i| !self.blocks.is_settled(&blocks[i], factor)).collect();
        let mut blocks = blocks.to_vec();
        let fresh = self.map(op, which.iter().map(|&i| blocks[i].clone()).collect(), &self.table(|x| x))?;
        which.into_iter().zip(fresh).for_each(|(i, block)| blocks[i] = block);
        Ok(blocks)
    }
}
