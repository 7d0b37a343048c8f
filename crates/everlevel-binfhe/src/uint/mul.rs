//! Multiplication of arrays of integers, element by element: products of digits, columns added up in parallel, one
//! propagation of carries.

use super::Arithmetic;
use super::array::{Bools, Uints};
use super::blocks::Blocks;
use super::columns::{Columns, Losses, Place};

impl<B: Blocks> Arithmetic<B> {
    /// `a·b` modulo `2^width`.
    ///
    /// # Errors
    /// [`crate::Error::WidthMismatch`], [`crate::Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`],
    /// [`crate::Error::NoiseExhausted`].
    pub fn mul(&self, a: &Uints<B>, b: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.check_pair("mul", a, b)?;
        let (product, _) = self.product("mul", a, b, None)?;
        Ok(product)
    }

    /// `a·b` modulo `2^width`, and whether each product is `2^width` or more.
    ///
    /// # Errors
    /// As [`Arithmetic::mul`].
    pub fn checked_mul(&self, a: &Uints<B>, b: &Uints<B>) -> Result<(Uints<B>, Bools<B>), B::Error> {
        self.flagged_product("checked_mul", a, b)
    }

    /// The products modulo `2^width`, and whether each one is `2^width` or more.
    pub(super) fn flagged_product(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
    ) -> Result<(Uints<B>, Bools<B>), B::Error> {
        self.check_pair(op, a, b)?;
        let overflow = self.high_products(op, a, b)?;
        let (product, overflow) = self.product(op, a, b, Some(overflow))?;
        Ok((product, self.any(op, overflow)?))
    }

    /// The products modulo `2^width`, and `overflow` with further bits, which tell of losses above the width.
    pub(super) fn product(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        overflow: Option<Losses<B>>,
    ) -> Result<(Uints<B>, Losses<B>), B::Error> {
        let columns = self.digit_products(op, a, b, overflow)?;
        self.total(op, a, columns)
    }

    /// The products of digits, in the columns of the product; and `overflow` with further bits.
    pub(super) fn digit_products(
        &self,
        op: &'static str,
        a: &Uints<B>,
        b: &Uints<B>,
        overflow: Option<Losses<B>>,
    ) -> Result<Columns<B::Block>, B::Error> {
        let (base, per) = (self.radix.base(), a.per);
        let mut columns = Columns::new(a.len(), per, overflow);
        // Where `a` is a public zero, all tables of `M·a + b` are known without a bootstrap: a public factor comes
        // first.
        let (a, b) = if b.blocks.iter().all(|block| self.public(block).is_some()) { (b, a) } else { (a, b) };
        let settled = self.settled(op, &a.blocks, self.radix.base())?;
        let low = self.table2(|a, b| a * b % base);
        let high = self.table2(|a, b| a * b / base);
        let lost = self.table2(|a, b| u64::from(a * b >= base));
        let (mut jobs, mut places) = (Vec::new(), Vec::new());
        for (i, digit) in settled.iter().enumerate() {
            let place = i % per;
            for (j, other) in b.integer(i / per)[..per - place].iter().enumerate() {
                let pair = self.pair(digit, other)?;
                if let Some(place) = columns.above(i + j) {
                    let table = if matches!(place, Place::Overflow(_)) { &lost } else { &high };
                    jobs.push((pair.clone(), table));
                    places.push(place);
                }
                jobs.push((pair, &low));
                places.push(Place::Column(i + j));
            }
        }
        let values = self.look_up(op, &jobs)?;
        columns.put(places, values);
        Ok(columns)
    }

    /// For each integer and each digit of its `a` but the first, whether that digit and some digit of `b` have a
    /// product above the width.
    pub(super) fn high_products(&self, op: &'static str, a: &Uints<B>, b: &Uints<B>) -> Result<Losses<B>, B::Error> {
        let (high, len) = (a.per - 1, a.len());
        let set = self.table(|x| u64::from(x > 0));
        // All digits of each integer but the first.
        let upper = |x: &Uints<B>| (0..len).flat_map(|i| x.integer(i)[1..].to_vec()).collect::<Vec<_>>();
        let bits = self.map(op, [upper(a), upper(b)].concat(), &set)?;
        let (bits_a, bits_b) = bits.split_at(len * high);
        let above = self.any_above(op, bits_b, high)?;
        let both = self.table(|count| u64::from(count == 2));
        // Digit `j + 1` of `a` and any of the last `j + 1` digits of `b`.
        let last = |i: usize| &above[i / high * high + high - 1 - i % high];
        let pairs = bits_a.iter().enumerate().map(|(i, bit)| self.sum([bit, last(i)]));
        let found = self.map(op, pairs.collect::<Result<_, _>>()?, &both)?;
        Ok(found.chunks(high).map(<[_]>::to_vec).collect())
    }
}
