//! Look-ups of encrypted values of up to 16 bits in public tables.

use std::ops::Range;

use everlevel_objects::require_secret;
use everlevel_rlwe::lwe;

use super::ggsw::{EncryptedBits, Source, gray};
use super::key::CircuitKey;
use super::params::CircuitParams;
use super::tree::Packed;
use crate::common::refuse;
use crate::eval_keys::map;
use crate::uint::Radix;
use crate::{Ciphertext, Error, EvalKeys, Lwe, NoiseSum, UintArray, Width};

/// Encrypted values that select from a table.
#[derive(Debug, Clone, Copy)]
pub enum Indices<'a> {
    /// Messages of the parameters' space.
    Messages(&'a [Ciphertext]),
    /// Integers, of which the lower bits count.
    Uints(&'a UintArray),
}

impl Indices<'_> {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Messages(all) => all.len(),
            Self::Uints(all) => all.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Results of a function of neighbouring values.
    pub(crate) fn at<R>(&self, places: Range<usize>, f: impl FnOnce(Indices<'_>) -> R) -> R {
        match self {
            Self::Messages(all) => f(Indices::Messages(&all[places])),
            Self::Uints(all) => f(Indices::Uints(&all.slice(places))),
        }
    }

    fn blocks(&self) -> &[Ciphertext] {
        match self {
            Self::Messages(all) => all,
            Self::Uints(all) => all.blocks(),
        }
    }
}

impl CircuitKey {
    /// Circuit bootstraps of messages that are 0 or 1, each to an index of one bit.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::ValueOutOfSpace`] for a message that may be above 1,
    /// [`Error::NoiseExhausted`].
    pub fn circuit_bootstrap(&self, bits: &[Ciphertext]) -> Result<Vec<EncryptedBits>, Error> {
        let op = "circuit_bootstrap";
        for (index, x) in bits.iter().enumerate() {
            require_secret(op, "operand", x.key(), self.id())?;
            if x.max_value > 1 {
                return Err(Error::ValueOutOfSpace { op, index, value: x.max_value, max: 1 });
            }
        }
        let each: Vec<_> = bits.iter().map(|x| vec![(x.lwe.clone(), x.noise.clone())]).collect();
        self.encrypted_bits(op, Source::Bit, &each)
    }

    /// `one` where the bit of a circuit bootstrap is set, and `zero` elsewhere, with the noise of a CMux: torus
    /// elements, as leading bits, for each coefficient of a polynomial, of which those at some places are returned.
    ///
    /// # Panics
    /// Unless there is one bit, both have the polynomials' degree, and there are such places.
    pub fn select(&self, bit: &EncryptedBits, [zero, one]: [&[u64]; 2], places: &[usize]) -> Vec<Lwe> {
        assert_eq!((bit.len(), zero.len(), one.len()), (1, self.params().n(), self.params().n()));
        let n = self.params().n();
        let (mut out, difference) = (vec![0; 2 * n], one.iter().zip(zero).map(|(x, y)| x.wrapping_sub(*y)));
        out[n..].copy_from_slice(zero);
        let difference: Vec<u64> = vec![0; n].into_iter().chain(difference).collect();
        let product = self.product();
        self.with_scratch(|scratch| {
            product.add([(&mut out, &difference)], bit.matrix(0), &mut scratch[..product.scratch_len()], &[]);
        });
        places.iter().map(|&h| lwe::extract(&out, n, h, n)).collect()
    }

    /// Messages of the parameters' space from a table of `2^in_bits` entries.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`], [`Error::TableLength`], [`Error::ValueOutOfSpace`] for an entry that no
    /// message holds or an index that may be behind the table, [`Error::Parameter`] for `in_bits` that the values don't
    /// have, [`Error::NoiseExhausted`].
    pub fn lookup_messages(
        &self,
        keys: &EvalKeys,
        indices: Indices<'_>,
        in_bits: u32,
        table: &[u64],
    ) -> Result<Vec<Ciphertext>, Error> {
        let op = "lookup";
        let bits = self.check(op, keys, indices, in_bits, table)?;
        let max = keys.params().space.max();
        if let Some((index, &value)) = table.iter().enumerate().find(|&(_, &value)| value > max) {
            return Err(Error::ValueOutOfSpace { op, index, value, max });
        }
        self.select_blocks(op, keys, (indices, bits), table, (1, self.params().space_bits()))
    }

    /// Integers of a width from a table of `2^in_bits` entries.
    ///
    /// # Errors
    /// As [`CircuitKey::lookup_messages`], with [`Error::ValueTooLarge`] for an entry that the width doesn't hold.
    pub fn lookup_uints(
        &self,
        keys: &EvalKeys,
        indices: Indices<'_>,
        in_bits: u32,
        table: &[u64],
        width: Width,
    ) -> Result<UintArray, Error> {
        let op = "lookup";
        let bits = self.check(op, keys, indices, in_bits, table)?;
        if let Some(&value) = table.iter().find(|&&value| value > width.max()) {
            return Err(Error::ValueTooLarge { op, value, bits: width.bits() });
        }
        let radix = Radix::of(op, keys.params().space)?;
        let shape = ((width.bits() / radix.digit_bits()) as usize, radix.digit_bits());
        let blocks = self.select_blocks(op, keys, (indices, bits), table, shape)?;
        keys.integers()?.uints_from_blocks(width, blocks)
    }

    /// Refuses keys, indices and tables that don't belong together; gives the bits of an index, rounded up to whole
    /// digits of two.
    fn check(
        &self,
        op: &'static str,
        keys: &EvalKeys,
        indices: Indices<'_>,
        in_bits: u32,
        table: &[u64],
    ) -> Result<u32, Error> {
        require_secret(op, "look-up key", self.id(), keys.id())?;
        indices.blocks().iter().try_for_each(|block| keys.check(op, "operand", block))?;
        let most = match indices {
            Indices::Messages(_) => self.params().space_bits(),
            Indices::Uints(all) => all.width().bits().min(CircuitParams::MAX_BITS),
        };
        if !(1..=most).contains(&in_bits) {
            return refuse(
                "in_bits",
                in_bits,
                format!("1 to {most}, the bits that values have, up to {}", CircuitParams::MAX_BITS),
            );
        }
        if table.len() != 1 << in_bits {
            return Err(Error::TableLength { op, index: 0, found: table.len(), needed: 1 << in_bits });
        }
        let (max, is_message) = ((1 << in_bits) - 1, matches!(indices, Indices::Messages(_)));
        if let Some((index, x)) = indices.blocks().iter().enumerate().find(|(_, x)| is_message && x.max_value > max) {
            return Err(Error::ValueOutOfSpace { op, index, value: x.max_value, max });
        }
        Ok(in_bits.next_multiple_of(2))
    }

    /// The digits of two bits of each index: those of integers, or one table each of what has more bits.
    fn digits(&self, keys: &EvalKeys, indices: Indices<'_>, bits: u32) -> Result<Vec<Vec<(Lwe, NoiseSum)>>, Error> {
        let raw = |x: &Ciphertext| (x.lwe.clone(), x.noise.clone());
        let (block_bits, per) = match indices {
            Indices::Messages(_) => (self.params().space_bits().next_multiple_of(2), 1),
            Indices::Uints(all) => {
                let block_bits = Radix::of("lookup", keys.params().space)?.digit_bits();
                (block_bits, (all.width().bits() / block_bits) as usize)
            }
        };
        let count = bits.div_ceil(block_bits) as usize;
        let wanted: Vec<Ciphertext> =
            indices.blocks().chunks_exact(per).flat_map(|blocks| blocks[..count].iter().cloned()).collect();
        let digits_of_block = block_bits.min(bits).div_ceil(2) as usize;
        let narrow = wanted.iter().all(|x| x.max_value < 4);
        let all: Vec<(Lwe, NoiseSum)> = if block_bits == 2 || (digits_of_block == 1 && narrow) {
            wanted.iter().map(raw).collect()
        } else {
            let max = keys.params().space.max();
            let table = |digit: usize| (0..=max).map(|x| x >> (2 * digit) & 3).collect();
            let tables: Vec<Vec<u64>> = (0..digits_of_block).map(table).collect();
            keys.tables(&wanted, &tables)?.iter().flatten().map(raw).collect()
        };
        let digits = (bits / 2) as usize;
        Ok(all.chunks(count * digits_of_block).map(|all| all[..digits].to_vec()).collect())
    }

    /// `blocks` blocks of `block_bits` bits of each index's entry.
    fn select_blocks(
        &self,
        op: &'static str,
        keys: &EvalKeys,
        (indices, bits): (Indices<'_>, u32),
        table: &[u64],
        (blocks, block_bits): (usize, u32),
    ) -> Result<Vec<Ciphertext>, Error> {
        if indices.is_empty() {
            return Ok(Vec::new());
        }
        let n = self.params().n();
        let entry = |index: usize, block: usize| {
            table[index & (table.len() - 1)] >> (block as u32 * block_bits) & ((1 << block_bits) - 1)
        };
        // An index's bits are those of digits, where each upper one has changed the lower.
        let space = keys.params().space;
        let packed = Packed::new(n, bits as usize, blocks, |index, block| space.encode(entry(gray(index), block)));
        let most = |block| (0..table.len()).map(|index| entry(index, block)).max().unwrap_or(0);
        let most: Vec<u64> = (0..blocks).map(most).collect();
        let bits_of_each = self.encrypted_bits(op, Source::Digit, &self.digits(keys, indices, bits)?)?;
        let variance = self.noise().output(bits as usize);
        let selected = map(rayon::current_num_threads(), bits_of_each.len(), |i| {
            let bits = &bits_of_each[i];
            let glwe = self.with_scratch(|scratch| packed.select(self.product(), bits, scratch));
            let block = |block: usize| {
                let lwe = lwe::extract(&glwe, n, packed.place(block), n);
                let noise = NoiseSum::of(&lwe, variance).after(bits.failures().clone());
                Ciphertext { lwe, key: keys.id(), noise, max_value: most[block] }
            };
            (0..blocks).map(block).collect::<Vec<_>>()
        });
        Ok(selected.into_iter().flatten().collect())
    }
}
