//! Shifts and rotations of arrays of integers, operations of [`Arithmetic`]: by public amounts and by encrypted ones.
//!
//! Each of them is a move to the left by a signed number of bits, with or without wrapping round. With
//! `left = q·m + r`, `0 ≤ r < m`, block `i` of the result has `x << r` of block `i − q` and `x >> (m − r)` of block
//! `i − q − 1`.

use super::array::{Bools, Uints};
use super::blocks::{Blocks, Table};
use super::{Arithmetic, UintArray};
use crate::Error;

/// The fate of bits that leave an integer at one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// The bits are lost, and zeros come in at the other end.
    Open,
    /// The bits come in at the other end.
    Joined,
    /// The bits are lost, and copies of the sign come in above, zeros below.
    Signed,
}

/// The condition of a stage whose integers are shifted by the width or more. Two digits fit one table, and digits have
/// two bits or more, so that conditions may be as large.
const TOO_FAR: u64 = 2;

impl<B: Blocks> Arithmetic<B> {
    /// `a << amount`; bits that leave are lost.
    ///
    /// # Errors
    /// [`Error::ShiftTooLarge`] for an amount of the width or more, [`crate::ObjectError::OtherSecret`],
    /// [`Error::NoiseExhausted`].
    pub fn shl(&self, a: &Uints<B>, amount: u32) -> Result<Uints<B>, B::Error> {
        check_amount("shl", a, amount)?;
        self.shift("shl", a, i64::from(amount), Ends::Open)
    }

    /// `a >> amount`.
    ///
    /// # Errors
    /// As [`Arithmetic::shl`].
    pub fn shr(&self, a: &Uints<B>, amount: u32) -> Result<Uints<B>, B::Error> {
        check_amount("shr", a, amount)?;
        self.shift("shr", a, -i64::from(amount), Ends::Open)
    }

    /// A rotation to the left by `amount` modulo the width.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`].
    pub fn rotate_left(&self, a: &Uints<B>, amount: u32) -> Result<Uints<B>, B::Error> {
        self.shift("rotate_left", a, i64::from(amount % a.width.bits()), Ends::Joined)
    }

    /// A rotation to the right by `amount` modulo the width.
    ///
    /// # Errors
    /// As [`Arithmetic::rotate_left`].
    pub fn rotate_right(&self, a: &Uints<B>, amount: u32) -> Result<Uints<B>, B::Error> {
        self.shift("rotate_right", a, -i64::from(amount % a.width.bits()), Ends::Joined)
    }

    /// `a << amount` for an encrypted amount, which may have any width: 0 for amounts of the width of `a` or more, as
    /// in Rust's `unbounded_shl`.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`crate::ObjectError::OtherSecret`], [`Error::NoiseExhausted`].
    pub fn shl_by(&self, a: &Uints<B>, amount: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.shift_by("shl_by", a, amount, 1, Ends::Open)
    }

    /// `a >> amount` for an encrypted amount: 0 for amounts of the width or more.
    ///
    /// # Errors
    /// As [`Arithmetic::shl_by`].
    pub fn shr_by(&self, a: &Uints<B>, amount: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.shift_by("shr_by", a, amount, -1, Ends::Open)
    }

    /// A rotation to the left by an encrypted amount modulo the width.
    ///
    /// # Errors
    /// As [`Arithmetic::shl_by`].
    pub fn rotate_left_by(&self, a: &Uints<B>, amount: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.shift_by("rotate_left_by", a, amount, 1, Ends::Joined)
    }

    /// A rotation to the right by an encrypted amount modulo the width.
    ///
    /// # Errors
    /// As [`Arithmetic::shl_by`].
    pub fn rotate_right_by(&self, a: &Uints<B>, amount: &Uints<B>) -> Result<Uints<B>, B::Error> {
        self.shift_by("rotate_right_by", a, amount, -1, Ends::Joined)
    }

    /// A move to the left by less than the width in either direction.
    pub(super) fn shift(&self, op: &'static str, a: &Uints<B>, left: i64, ends: Ends) -> Result<Uints<B>, B::Error> {
        self.check_all(op, "operand", &a.blocks)?;
        let (bits, mask, len) = (self.radix.bits, self.radix.base() - 1, a.blocks.len());
        let (whole, rest) = split(left, bits);
        // The block so many places below block `i` of the same integer.
        let at = |blocks: &[B::Block], i, down| source(i, down, a.per, ends).map(|i| blocks[i].clone());
        let signs_come_in = ends == Ends::Signed && left < 0;
        if rest == 0 {
            let incoming = match signs_come_in {
                true => self.sign_blocks(op, a)?,
                false => vec![self.plain(0); a.len()],
            };
            let block = |i| at(&a.blocks, i, whole).unwrap_or_else(|| incoming[i / a.per].clone());
            return Ok(a.with((0..len).map(block).collect()));
        }
        let settled = self.settled(op, &a.blocks, self.radix.base())?;
        let table = self.table2(|high, low| high << rest & mask | low >> (bits - rest));
        let last = self.table(|x| (x | self.sign_of(x) << bits) >> (bits - rest) & mask);
        let sign = self.table(|x| self.sign_of(x));
        let mut blocks = vec![self.plain(0); len];
        let (mut places, mut jobs) = (Vec::new(), Vec::new());
        for i in 0..len {
            let end = (i / a.per + 1) * a.per;
            match (at(&settled, i, whole), at(&a.blocks, i, whole + 1)) {
                // The last block, and then its sign: two tables of one input, which share a bootstrap.
                (None, Some(low)) if signs_come_in => {
                    jobs.push((low.clone(), &last));
                    places.push(i..i + 1);
                    if i + 1 < end {
                        jobs.push((low, &sign));
                        places.push(i + 1..end);
                    }
                }
                (None, None) => {}
                (high, low) => {
                    let zero = || self.plain(0);
                    jobs.push((self.pair(&high.unwrap_or_else(zero), &low.unwrap_or_else(zero))?, &table));
                    places.push(i..i + 1);
                }
            }
        }
        places.into_iter().zip(self.look_up(op, &jobs)?).for_each(|(places, block)| blocks[places].fill(block));
        Ok(a.with(blocks))
    }

    /// `M − 1` for last blocks of negative integers, and 0 for others.
    pub(super) fn sign_of(&self, last: u64) -> u64 {
        let base = self.radix.base();
        if last >= base / 2 { base - 1 } else { 0 }
    }

    /// For each integer the block that goes on above its last one.
    pub(super) fn sign_blocks(&self, op: &'static str, a: &Uints<B>) -> Result<Vec<B::Block>, B::Error> {
        self.map(op, a.last_blocks(), &self.table(|x| self.sign_of(x)))
    }

    /// A stage for each bit of an amount below the width, which moves by `2^bit` or not at all. Signed integers are
    /// moved by the width less 1 where the amount is larger: each stage moves then.
    pub(super) fn shift_by(
        &self,
        op: &'static str,
        a: &Uints<B>,
        amount: &Uints<B>,
        sign: i64,
        ends: Ends,
    ) -> Result<Uints<B>, B::Error> {
        self.check_all(op, "operand", &a.blocks)?;
        self.check_all(op, "amount", &amount.blocks)?;
        crate::gates::same_length(op, a.len(), amount.len())?;
        let bits = self.radix.bits;
        let last = a.width.bits().ilog2() - 1;
        let place = |bit: u32| ((bit / bits) as usize, bit % bits);
        let (top, shift) = place(last);
        let above = match ends {
            Ends::Joined => vec![self.plain(0); a.len()],
            Ends::Open => self.settled(op, &self.any_digit(op, amount, top + 1, 0)?.0, self.radix.base())?,
            Ends::Signed => self.settled(op, &self.any_digit(op, amount, top, shift + 1)?.0, self.radix.base())?,
        };
        let is_each = ends == Ends::Signed;
        let tables =
            (0..bits).map(|bit| self.table2(move |above, x| if is_each && above > 0 { 1 } else { x >> bit & 1 }));
        let tables = tables.collect::<Vec<_>>();
        // Amounts of the width or more clear the integer in the last stage, whose condition is `TOO_FAR` then.
        let last_table = self.table2(|above, digit| {
            let too_far = ends == Ends::Open && (above > 0 || digit >> (shift + 1) > 0);
            if too_far { TOO_FAR } else { digit >> shift & 1 }
        });
        let mut jobs = Vec::with_capacity((last as usize + 1) * a.len());
        for bit in 0..=last {
            let (digit, bit_of_digit) = place(bit);
            let table = if bit == last && !is_each { &last_table } else { &tables[bit_of_digit as usize] };
            for (i, above) in above.iter().enumerate() {
                let digit = &amount.integer(i)[digit];
                let input = if bit == last || is_each { self.pair(above, digit)? } else { digit.clone() };
                jobs.push((input, table));
            }
        }
        let conditions = self.look_up(op, &jobs)?;
        let mut blocks = a.blocks.clone();
        for (bit, conditions) in conditions.chunks(a.len().max(1)).enumerate() {
            blocks = self.stage(op, &blocks, conditions, sign << bit, ends)?;
        }
        Ok(a.with(blocks))
    }

    /// Whether any digit from a place on, without the lowest bits of the first one, is set.
    fn any_digit(&self, op: &'static str, x: &Uints<B>, place: usize, bit: u32) -> Result<Bools<B>, B::Error> {
        let mut rows: Vec<_> = (0..x.len()).map(|i| x.integer(i)[place..].to_vec()).collect();
        if bit > 0 {
            let first = rows.iter().map(|digits| digits[0].clone()).collect();
            let first = self.map(op, first, &self.table(|x| x >> bit))?;
            rows.iter_mut().zip(first).for_each(|(digits, first)| digits[0] = first);
        }
        self.any(op, rows)
    }

    /// Moves each integer by `left`, a power of two or its negative, where its condition holds. A block of the result
    /// is the sum of two tables: one of the same block, and one of the block that moves there.
    fn stage(
        &self,
        op: &'static str,
        blocks: &[B::Block],
        conditions: &[B::Block],
        left: i64,
        ends: Ends,
    ) -> Result<Vec<B::Block>, B::Error> {
        let (bits, mask, per) = (self.radix.bits, self.radix.base() - 1, blocks.len() / conditions.len());
        let (whole, rest) = split(left, bits);
        let high = |x: u64| x << rest & mask;
        let low = |x: u64| x >> (bits - rest);
        // Distances below a block are moves by 0 or −1 blocks: one of the parts is the block's own.
        let (own, other, from): (Table, Table, i64) = match (rest, whole) {
            (0, _) => (self.moved(|x| x, |_| 0), self.moved(|_| 0, |x| x), whole),
            (_, 0) => (self.moved(|x| x, high), self.moved(|_| 0, low), 1),
            _ => (self.moved(|x| x, low), self.moved(|_| 0, high), whole),
        };
        // The last block of a signed integer knows the sign, which comes in above.
        let sign = |x: u64| self.sign_of(x);
        let last = match rest {
            0 => self.moved(|x| x, sign),
            _ => self.moved(|x| x, |x| (x | sign(x) << bits) >> (bits - rest) & mask),
        };
        let incoming = self.moved(|_| 0, sign);
        let signs_come_in = ends == Ends::Signed && left < 0;
        let (mut jobs, mut places) = (Vec::new(), Vec::new());
        for (i, block) in blocks.iter().enumerate() {
            let pair = self.pair(&conditions[i / per], block)?;
            if let Some(above) = source(i, -from, per, ends) {
                jobs.push((pair.clone(), &other));
                places.push(above..above + 1);
            }
            let is_last = signs_come_in && (i + 1).is_multiple_of(per);
            if is_last && -whole > 1 {
                jobs.push((pair.clone(), &incoming));
                places.push((i + 1).saturating_add_signed(whole as isize)..i);
            }
            jobs.push((pair, if is_last { &last } else { &own }));
            places.push(i..i + 1);
        }
        let mut parts = vec![Vec::new(); blocks.len()];
        for (places, part) in places.into_iter().zip(self.look_up(op, &jobs)?) {
            parts[places].iter_mut().for_each(|parts| parts.push(part.clone()));
        }
        parts.iter().map(|parts| self.digit_sum(parts)).collect()
    }

    /// The table of a condition and a block: `stays` of the block where the condition is 0, `moves` of the block where
    /// it is 1, and 0 where it is [`TOO_FAR`].
    fn moved(&self, stays: impl Fn(u64) -> u64, moves: impl Fn(u64) -> u64) -> Table {
        self.table2(|condition, x| match condition {
            0 => stays(x),
            1 => moves(x),
            _ => 0,
        })
    }
}

/// A move as whole blocks and the remaining bits.
fn split(left: i64, bits: u32) -> (i64, u32) {
    (left.div_euclid(i64::from(bits)), left.rem_euclid(i64::from(bits)) as u32)
}

/// The index of the block `down` places below block `i` of the same integer of `per` blocks (above it where `down` is
/// negative); `None` if there is no such block.
fn source(i: usize, down: i64, per: usize, ends: Ends) -> Option<usize> {
    let (first, place) = (i / per * per, (i % per) as i64 - down);
    match ends {
        Ends::Joined => Some(first + place.rem_euclid(per as i64) as usize),
        Ends::Open | Ends::Signed => {
            usize::try_from(place).ok().filter(|&place| place < per).map(|place| first + place)
        }
    }
}

pub(super) fn check_amount<C: Clone>(op: &'static str, a: &UintArray<C>, amount: u32) -> Result<(), Error> {
    let bits = a.width.bits();
    if amount < bits { Ok(()) } else { Err(Error::ShiftTooLarge { op, amount, bits }) }
}
