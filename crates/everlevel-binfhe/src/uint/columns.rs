//! Sums of many terms, for products and for sums of arrays: columns of digits, added up in parallel, digits and carries
//! apart.

use super::Arithmetic;
use super::array::Uints;
use super::blocks::{Block, Blocks};

/// The terms of several integers of `per` blocks, in a column for each block of each integer; and bits that tell of
/// losses above the last blocks, where such bits are asked for.
pub(super) struct Columns<C> {
    per: usize,
    terms: Vec<Vec<C>>,
    overflow: Option<Overflow<C>>,
}

/// For each integer, bits of which one is set if something beyond the integer's last block was not zero.
pub(super) type Overflow<C> = Vec<Vec<C>>;

/// [`Overflow`] of a scheme's blocks.
pub(super) type Losses<B> = Overflow<<B as Blocks>::Block>;

/// The destination of a table's outcome: a column, or the bits that tell of losses above an integer.
pub(super) enum Place {
    Column(usize),
    Overflow(usize),
}

/// The fate of a column's last terms, which are fewer than one table could add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// These terms wait for more.
    Waits,
    /// These terms are added up like all others, if the column's sum is too large otherwise.
    IsAdded,
}

impl<C: Block> Columns<C> {
    pub(super) fn new(len: usize, per: usize, overflow: Option<Overflow<C>>) -> Self {
        Self { per, terms: vec![Vec::new(); len * per], overflow }
    }

    /// Puts each value at its place. Values that are known to be zero are dropped.
    pub(super) fn put(&mut self, places: Vec<Place>, values: impl IntoIterator<Item = C>) {
        for (place, value) in places.into_iter().zip(values).filter(|(_, value)| value.max_value() > 0) {
            match place {
                Place::Column(i) => self.terms[i].push(value),
                Place::Overflow(i) => self.overflow.iter_mut().for_each(|overflow| overflow[i].push(value.clone())),
            }
        }
    }

    /// The destination of a carry out of column `i`; `None` if the carry is lost and nobody asks for it.
    pub(super) fn above(&self, i: usize) -> Option<Place> {
        match (i + 1).is_multiple_of(self.per) {
            false => Some(Place::Column(i + 1)),
            true => self.overflow.is_some().then_some(Place::Overflow(i / self.per)),
        }
    }
}

impl<B: Blocks> Arithmetic<B> {
    /// The columns' sums as integers like `a`, and bits that tell of losses above the last blocks, none where such bits
    /// aren't asked for.
    pub(super) fn total(
        &self,
        op: &'static str,
        a: &Uints<B>,
        mut columns: Columns<B::Block>,
    ) -> Result<(Uints<B>, Losses<B>), B::Error> {
        let sums = self.column_sums(op, &mut columns)?;
        let carry = columns.overflow.is_some().then(|| self.carry_table());
        let (blocks, carries) = self.propagate(op, sums, a.per, carry.as_ref())?;
        let mut overflow = columns.overflow.unwrap_or_default();
        overflow.iter_mut().zip(carries).for_each(|(overflow, carry)| overflow.push(carry));
        Ok((a.with(blocks), overflow))
    }

    /// The columns' sums, before carries.
    pub(super) fn column_sums(
        &self,
        op: &'static str,
        columns: &mut Columns<B::Block>,
    ) -> Result<Vec<B::Block>, B::Error> {
        self.compress(op, columns, Rest::IsAdded)?;
        columns.terms.iter().map(|terms| self.sum(terms)).collect()
    }

    /// Adds terms up, as many at once as the space and the noise allow, until each column's sum is at most `2M − 2`,
    /// with noise that leaves room for a carry. Three terms with the same error must be quiet together, so that every
    /// group has three terms or more.
    pub(super) fn compress(
        &self,
        op: &'static str,
        columns: &mut Columns<B::Block>,
        rest: Rest,
    ) -> Result<(), B::Error> {
        let base = self.radix.base();
        let digit = self.table(|sum| sum % base);
        let carry = self.table(|sum| sum / base);
        let lost = self.table(|sum| u64::from(sum >= base));
        loop {
            let (mut jobs, mut places) = (Vec::new(), Vec::new());
            for i in 0..columns.terms.len() {
                let terms = &columns.terms[i];
                if largest(terms) <= 2 * base - 2 && self.blocks.takes(&terms.iter().collect::<Vec<_>>(), 1) {
                    continue;
                }
                let groups = self.groups(std::mem::take(&mut columns.terms[i]));
                let last = groups.len() - 1;
                for (place, group) in groups.into_iter().enumerate() {
                    // In spaces of more than 4 bits, carries may be larger than digits, and two terms be too large.
                    let is_left = group.len() < 3 && largest(&group) <= 2 * base - 2;
                    if is_left || (place == last && rest == Rest::Waits) {
                        columns.terms[i].extend(group);
                        continue;
                    }
                    let sum = self.sum(&group)?;
                    if sum.max_value() >= base
                        && let Some(place) = columns.above(i)
                    {
                        let table = if matches!(place, Place::Overflow(_)) { &lost } else { &carry };
                        jobs.push((sum.clone(), table));
                        places.push(place);
                    }
                    jobs.push((sum, &digit));
                    places.push(Place::Column(i));
                }
            }
            if jobs.is_empty() {
                return Ok(());
            }
            let values = self.look_up(op, &jobs)?;
            columns.put(places, values);
        }
    }
}

/// The largest sum that the terms may have.
fn largest<C: Block>(terms: &[C]) -> u64 {
    terms.iter().map(Block::max_value).sum()
}
