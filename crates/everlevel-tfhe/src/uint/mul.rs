//! Multiplication: products of digits, columns added up in parallel, one propagation of carries.

use super::{EncryptedBool, EncryptedUint, Integers};
use crate::{Ciphertext, Error};

/// Terms of each power of `M`, and bits that say that something beyond the last was not zero, where they are asked for.
struct Columns {
    terms: Vec<Vec<Ciphertext>>,
    spilt: Option<Vec<Ciphertext>>,
}

/// Where the outcome of a table goes.
enum Place {
    Column(usize),
    Spilt,
}

impl Columns {
    fn put(&mut self, places: Vec<Place>, values: Vec<Ciphertext>) {
        for (place, value) in places.into_iter().zip(values) {
            match place {
                Place::Column(i) => self.terms[i].push(value),
                Place::Spilt => self.spilt.iter_mut().for_each(|spilt| spilt.push(value.clone())),
            }
        }
    }

    /// Where a carry out of column `i` goes, if it is of interest.
    fn above(&self, i: usize) -> Option<Place> {
        match i + 1 < self.terms.len() {
            true => Some(Place::Column(i + 1)),
            false => self.spilt.is_some().then_some(Place::Spilt),
        }
    }
}

impl Integers<'_> {
    /// `a·b` modulo `2^width`.
    ///
    /// # Errors
    /// [`Error::WidthMismatch`], [`Error::ForeignObject`], [`Error::NoiseExhausted`].
    pub fn mul(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<EncryptedUint, Error> {
        self.check_pair("mul", a, b)?;
        let (product, _) = self.product("mul", a, b, None)?;
        Ok(product)
    }

    /// `a·b` modulo `2^width`, and whether the product is `2^width` or more.
    ///
    /// # Errors
    /// As [`Integers::mul`].
    pub fn checked_mul(&self, a: &EncryptedUint, b: &EncryptedUint) -> Result<(EncryptedUint, EncryptedBool), Error> {
        let op = "checked_mul";
        self.check_pair(op, a, b)?;
        let spilt = self.high_products(op, a, b)?;
        let (product, spilt) = self.product(op, a, b, Some(spilt))?;
        Ok((product, self.any(op, spilt)?))
    }

    /// The product, and `spilt` with what was lost above it.
    fn product(
        &self,
        op: &'static str,
        a: &EncryptedUint,
        b: &EncryptedUint,
        spilt: Option<Vec<Ciphertext>>,
    ) -> Result<(EncryptedUint, Vec<Ciphertext>), Error> {
        let (base, len, checked) = (self.radix.base(), a.blocks.len(), spilt.is_some());
        let mut columns = Columns { terms: vec![Vec::new(); len], spilt };
        let settled = self.settled(op, a)?;
        let low = self.table2(|a, b| a * b % base)?;
        let high = self.table2(|a, b| a * b / base)?;
        let lost = self.table2(|a, b| u64::from(a * b >= base))?;
        let (mut jobs, mut places) = (Vec::new(), Vec::new());
        for i in 0..len {
            for j in 0..len - i {
                let pair = self.pair(&settled[i], &b.blocks[j])?;
                if let Some(place) = columns.above(i + j) {
                    let table = if matches!(place, Place::Spilt) { &lost } else { &high };
                    jobs.push((pair.clone(), table));
                    places.push(place);
                }
                jobs.push((pair, &low));
                places.push(Place::Column(i + j));
            }
        }
        let values = self.look_up(op, &jobs)?;
        columns.put(places, values);
        self.compress(op, &mut columns)?;
        let sums = columns.terms.iter().map(|terms| self.sum(terms)).collect::<Result<_, _>>()?;
        let (blocks, carry) = self.propagate(op, sums, checked)?;
        let mut spilt = columns.spilt.unwrap_or_default();
        spilt.extend(carry);
        Ok((EncryptedUint { width: a.width, blocks }, spilt))
    }

    /// Adds terms up, as many at once as the space and the noise allow, digits and carries apart, until each column's sum is at most `2M − 2`.
    fn compress(&self, op: &'static str, columns: &mut Columns) -> Result<(), Error> {
        let base = self.radix.base();
        let digit = self.table(|sum| sum % base)?;
        let carry = self.table(|sum| sum / base)?;
        let lost = self.table(|sum| u64::from(sum >= base))?;
        loop {
            let (mut jobs, mut places) = (Vec::new(), Vec::new());
            for i in 0..columns.terms.len() {
                if total(&columns.terms[i]) <= 2 * base - 2 {
                    continue;
                }
                for group in self.groups(std::mem::take(&mut columns.terms[i])) {
                    if group.len() < 3 {
                        columns.terms[i].extend(group);
                        continue;
                    }
                    let sum = self.sum(&group)?;
                    if sum.max_value >= base
                        && let Some(place) = columns.above(i)
                    {
                        let table = if matches!(place, Place::Spilt) { &lost } else { &carry };
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

    /// Terms in groups whose sums are messages.
    fn groups(&self, terms: Vec<Ciphertext>) -> Vec<Vec<Ciphertext>> {
        let (max, fan_in) = (self.radix.max(), self.fan_in());
        let mut groups: Vec<Vec<Ciphertext>> = Vec::new();
        for term in terms {
            match groups.last_mut() {
                Some(group) if group.len() < fan_in && total(group) + term.max_value <= max => group.push(term),
                _ => groups.push(vec![term]),
            }
        }
        groups
    }

    /// For each digit of `a` but the first, whether it and some digit of `b` have a product above the width.
    fn high_products(&self, op: &'static str, a: &EncryptedUint, b: &EncryptedUint) -> Result<Vec<Ciphertext>, Error> {
        let len = a.blocks.len();
        let set = self.table(|x| u64::from(x > 0))?;
        let bits = self.map(op, a.blocks[1..].iter().chain(&b.blocks[1..]).cloned().collect(), &set)?;
        let (bits_a, bits_b) = bits.split_at(len - 1);
        // `above[j]`: whether any digit of `b` from `j + 1` on is set.
        let mut above: Vec<Ciphertext> = Vec::new();
        for bits in bits_b.rchunks(self.fan_in() - 1) {
            let mut sums: Vec<Ciphertext> = Vec::new();
            for bit in bits.iter().rev() {
                let sum =
                    sums.last().or(above.last()).map_or_else(|| Ok(bit.clone()), |known| self.sum([known, bit]))?;
                sums.push(sum);
            }
            above.extend(self.map(op, sums, &set)?);
        }
        above.reverse();
        let both = self.table(|count| u64::from(count == 2))?;
        let pairs = (1..len).map(|i| self.sum([&bits_a[i - 1], &above[len - i - 1]])).collect::<Result<_, _>>()?;
        self.map(op, pairs, &both)
    }
}

fn total(terms: &[Ciphertext]) -> u64 {
    terms.iter().map(|term| term.max_value).sum()
}
