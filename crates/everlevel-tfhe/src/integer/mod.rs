//! Encrypted unsigned integers of 8, 16, 32 and 64 bits, on blocks of a few bits with room for carries.
//!
//! *Representation.* With messages of `p` bits a **block** holds a digit in radix `M = 2^m`, where `m` is the largest power of two that is at most `p/2`: two
//! digits fit one table as `M·a + b`. An integer is its blocks, least significant first. Between operations every block is below `M`; carries are
//! propagated before an operation returns, so that operations may follow one another in any number.
//!
//! *Noise.* Blocks are fresh or come out of one bootstrap, or are a sum of two where a selection made them; an operation that multiplies such a sum
//! bootstraps it first. Combinations are checked before each bootstrap, as everywhere: what would fail more often than the set allows is refused.
//!
//! *Overflow* wraps, as in Rust's `wrapping_add`. The `checked_` forms also give an encrypted flag.
//!
//! *Map.* `table` bootstraps of many blocks in one pass over the key · `carry` · `arith` add, subtract, negate · `mul` · `compare` · `bits` · `shift`.
//!
//! ```
//! use std::sync::Arc;
//! use everlevel_tfhe::{EvalKeys, SecretKey, Width};
//! # use everlevel_tfhe::{Gadget, KeySwitch, Order, Params, ParamsLiteral, Space};
//!
//! # fn main() -> Result<(), everlevel_tfhe::Error> {
//! // In earnest: `sets::find("integer-4-128")?.params()?`.
//! # let toy = ParamsLiteral {
//! #     torus_bits: 64, lwe_dim: 32, lwe_log2_std_dev: -24.0, rank: 1, log_n: 9, log2_extension: 0, glwe_log2_std_dev: -40.0, mask_gadget: Gadget::new(9, 3),
//! #     body_gadget: Gadget::new(9, 2), key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring: 32 }, order: Order::KeySwitchFirst,
//! #     space: Space::Integer { bits: 4 }, norm2: 25.0, max_log2_p_fail: -40.0, insecure: true };
//! # let params = Params::try_from(toy)?;
//! let secret = SecretKey::generate(Arc::new(params))?;
//! let keys = EvalKeys::generate(&secret)?;
//! let integers = keys.integers()?;
//! let (a, b) = (secret.encrypt_uint(Width::U16, 50_000)?, secret.encrypt_uint(Width::U16, 20_000)?);
//! let (sum, overflow) = integers.checked_add(&a, &b)?;
//! assert_eq!((secret.decrypt_uint(&sum)?, secret.decrypt_flag(&overflow)?), (70_000 - 65_536, true));
//! let larger = integers.max(&a, &b)?;
//! assert_eq!(secret.decrypt_uint(&larger)?, 50_000);
//! # Ok(())
//! # }
//! ```

mod arith;
mod bits;
mod carry;
mod compare;
mod mul;
mod shift;
mod table;

use everlevel_rlwe::SecretId;

use crate::ciphertext::wrong_space;
use crate::params::Space;
use crate::{Ciphertext, Error, EvalKeys, Lwe, SecretKey};

/// Number of bits of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Width {
    U8,
    U16,
    U32,
    U64,
}

impl Width {
    /// Every width.
    pub const ALL: [Self; 4] = [Self::U8, Self::U16, Self::U32, Self::U64];

    /// The number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 => 8,
            Self::U16 => 16,
            Self::U32 => 32,
            Self::U64 => 64,
        }
    }

    /// The largest integer.
    pub const fn max(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The width of a number of bits.
    ///
    /// # Errors
    /// [`Error::UnknownWidth`] unless it is 8, 16, 32 or 64.
    pub fn from_bits(bits: u32) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|width| width.bits() == bits).ok_or(Error::UnknownWidth { bits })
    }
}

/// An encrypted unsigned integer: blocks in radix `M`, least significant first.
#[derive(Debug, Clone, PartialEq)]
pub struct EncryptedUint {
    width: Width,
    blocks: Vec<Ciphertext>,
}

impl EncryptedUint {
    /// The number of bits.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The blocks, least significant first.
    pub fn blocks(&self) -> &[Ciphertext] {
        &self.blocks
    }

    /// The key that it belongs to.
    pub fn key(&self) -> SecretId {
        self.blocks[0].key()
    }
}

/// An encrypted truth value: 0 or 1 in one block.
#[derive(Debug, Clone, PartialEq)]
pub struct EncryptedBool(Ciphertext);

impl EncryptedBool {
    /// The block.
    pub fn ciphertext(&self) -> &Ciphertext {
        &self.0
    }
}

/// The digits of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Radix {
    /// `p`: a message is below `2^p`.
    space_bits: u32,
    /// `m`: bits of a digit.
    bits: u32,
}

impl Radix {
    fn of(op: &'static str, space: Space) -> Result<Self, Error> {
        match space {
            Space::Integer { bits: space_bits @ 4.. } => Ok(Self { space_bits, bits: 1 << (space_bits / 2).ilog2() }),
            _ => Err(wrong_space(op, space, "integers of 4 bits or more")),
        }
    }

    /// `M`.
    fn base(self) -> u64 {
        1 << self.bits
    }

    /// The largest message.
    fn max(self) -> u64 {
        (1 << self.space_bits) - 1
    }

    fn blocks(self, width: Width) -> usize {
        (width.bits() / self.bits) as usize
    }

    fn digits(self, width: Width, value: u64) -> Vec<u64> {
        (0..self.blocks(width)).map(|i| value >> (i as u32 * self.bits) & (self.base() - 1)).collect()
    }
}

impl SecretKey {
    /// Encrypts an integer.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of bits or of integers below 4 bits, [`Error::ValueTooLarge`] for a value that the width does not hold,
    /// [`Error::Random`] without entropy.
    pub fn encrypt_uint(&self, width: Width, value: u64) -> Result<EncryptedUint, Error> {
        let radix = Radix::of("encrypt_uint", self.params().space)?;
        check_value("encrypt_uint", width, value)?;
        let blocks = self.encrypt_integers(&radix.digits(width, value), radix.base() - 1)?;
        Ok(EncryptedUint { width, blocks })
    }

    /// Decrypts an integer.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`Error::ForeignObject`], [`Error::NoiseExhausted`].
    pub fn decrypt_uint(&self, integer: &EncryptedUint) -> Result<u64, Error> {
        let radix = Radix::of("decrypt_uint", self.params().space)?;
        let digits = self.decrypt_integers(&integer.blocks)?;
        Ok(digits.iter().rev().fold(0, |value: u64, digit| (value << radix.bits).wrapping_add(*digit))
            & integer.width.max())
    }

    /// Encrypts a truth value for [`Integers::select`] and its like; bits for gates are [`SecretKey::encrypt_bits`].
    ///
    /// # Errors
    /// As [`SecretKey::encrypt_uint`].
    pub fn encrypt_flag(&self, value: bool) -> Result<EncryptedBool, Error> {
        Radix::of("encrypt_flag", self.params().space)?;
        Ok(EncryptedBool(self.encrypt_integers(&[u64::from(value)], 1)?.remove(0)))
    }

    /// Decrypts a truth value.
    ///
    /// # Errors
    /// As [`SecretKey::decrypt_uint`].
    pub fn decrypt_flag(&self, flag: &EncryptedBool) -> Result<bool, Error> {
        Ok(self.decrypt_integers(std::slice::from_ref(&flag.0))?[0] != 0)
    }
}

fn check_value(op: &'static str, width: Width, value: u64) -> Result<(), Error> {
    if value <= width.max() {
        return Ok(());
    }
    Err(Error::ValueTooLarge { op, value, bits: width.bits() })
}

/// Arithmetic on encrypted integers with the keys of one secret.
#[derive(Debug, Clone, Copy)]
pub struct Integers<'k> {
    keys: &'k EvalKeys,
    radix: Radix,
}

impl EvalKeys {
    /// Arithmetic on integers of 8 to 64 bits.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of bits or of integers below 4 bits.
    pub fn integers(&self) -> Result<Integers<'_>, Error> {
        Ok(Integers { keys: self, radix: Radix::of("integers", self.params().space)? })
    }
}

impl Integers<'_> {
    /// Bits of a block.
    pub fn block_bits(&self) -> u32 {
        self.radix.bits
    }

    /// A public integer as an operand: no noise, no mask, anybody can read it.
    ///
    /// # Errors
    /// [`Error::ValueTooLarge`].
    pub fn constant(&self, width: Width, value: u64) -> Result<EncryptedUint, Error> {
        check_value("constant", width, value)?;
        let blocks = self.radix.digits(width, value).into_iter().map(|digit| self.plain(digit)).collect();
        Ok(EncryptedUint { width, blocks })
    }

    /// An integer from its blocks, least significant first: for files and for what tables make.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] for a number of blocks that is not the width's, [`Error::ForeignObject`], and [`Error::ValueOutOfSpace`] for a block
    /// that may hold more than a digit.
    pub fn uint_from_blocks(&self, width: Width, blocks: Vec<Ciphertext>) -> Result<EncryptedUint, Error> {
        let op = "uint_from_blocks";
        crate::gates::same_length(op, blocks.len(), self.radix.blocks(width))?;
        for (index, block) in blocks.iter().enumerate() {
            self.check_block(op, index, block, self.radix.base() - 1)?;
        }
        Ok(EncryptedUint { width, blocks })
    }

    /// A truth value from its block.
    ///
    /// # Errors
    /// [`Error::ForeignObject`], [`Error::ValueOutOfSpace`] for a block that may hold more than 1.
    pub fn flag_from_block(&self, block: Ciphertext) -> Result<EncryptedBool, Error> {
        self.check_block("flag_from_block", 0, &block, 1)?;
        Ok(EncryptedBool(block))
    }

    fn check_block(&self, op: &'static str, index: usize, block: &Ciphertext, max: u64) -> Result<(), Error> {
        self.keys.check(op, "block", block)?;
        if block.max_value > max {
            return Err(Error::ValueOutOfSpace { op, index, value: block.max_value, max });
        }
        Ok(())
    }

    /// A block that anybody can read.
    fn plain(&self, digit: u64) -> Ciphertext {
        let params = self.keys.params();
        let lwe = Lwe::trivial(params.ciphertext_dim(), digit << (63 - self.radix.space_bits));
        Ciphertext { lwe, key: self.keys.id(), variance: 0.0, max_value: digit }
    }

    fn check(&self, op: &'static str, a: &EncryptedUint) -> Result<(), Error> {
        a.blocks.iter().try_for_each(|block| self.keys.check(op, "operand", block))
    }

    /// Refuses operands of other keys and of different widths.
    fn check_pair(&self, op: &'static str, a: &EncryptedUint, b: &EncryptedUint) -> Result<(), Error> {
        self.check(op, a)?;
        self.check(op, b)?;
        if a.width != b.width {
            return Err(Error::WidthMismatch { op, left: a.width.bits(), right: b.width.bits() });
        }
        Ok(())
    }
}
