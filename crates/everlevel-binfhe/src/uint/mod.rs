//! Encrypted unsigned integers of 8, 16, 32 and 64 bits, for whoever computes with [`EvalKeys::integers`]: arrays of
//! integers in blocks of a few bits, with room for carries.
//!
//! *Representation.* With messages of `p` bits a **block** holds a digit in radix `M = 2^m`, where `m` is the largest
//! power of two that is at most `p/2`: two digits fit one table as `M·a + b`. An integer is its blocks, least
//! significant first. Between operations every block is below `M`; carries are propagated before an operation returns,
//! so that operations may follow one another in any number.
//!
//! *Noise.* Blocks are fresh or come out of one bootstrap, or are a sum of two where a selection made them; an
//! operation that multiplies such a sum bootstraps it first. Combinations are checked before each bootstrap, as
//! everywhere: one whose bootstrap would fail more often than the parameter set allows is refused.
//!
//! *Overflow* wraps, as in Rust's `wrapping_add`. The `checked_` forms also give an encrypted flag.
//!
//! *Map.* `array` integers and truth values · `encryption` · `table` bootstraps of many blocks in one pass over the key
//! · `meter` the cost of operations, and their progress · `carry` · `arith` add, subtract, negate · `columns` sums of
//! many terms · `mul` · `div`, `div_public`, `long_division` · `compare` · `bits` · `shift` · `reduce` sum and maximum
//! of an array.
//!
//! ```
//! use std::sync::Arc;
//! use everlevel_binfhe::{EvalKeys, SecretKey, Width};
//! # use everlevel_binfhe::{Gadget, KeySwitch, Order, Params, ParamsLiteral, Space};
//!
//! # fn main() -> Result<(), everlevel_binfhe::Error> {
//! // In earnest: `sets::find("integer-4-128")?.params()?`.
//! # let toy = ParamsLiteral {
//! #     torus_bits: 64, lwe_dim: 32, lwe_log2_std_dev: -24.0, rank: 1, log_n: 9, log2_extension: 0, bits_per_step: 1, glwe_log2_std_dev: -40.0, mask_gadget: Gadget::new(9, 3),
//! #     body_gadget: Gadget::new(9, 2), key_switch: KeySwitch { gadget: Gadget::new(3, 5), ring: 32 }, order: Order::KeySwitchFirst,
//! #     space: Space::Integer { bits: 4 }, norm2: 25.0, max_log2_p_fail: -40.0, insecure: true };
//! # let params = Params::try_from(toy)?;
//! let secret = SecretKey::generate(Arc::new(params))?;
//! let keys = EvalKeys::generate(&secret)?;
//! let integers = keys.integers()?;
//! let a = secret.encrypt_uints(Width::U16, &[50_000, 1])?;
//! let b = secret.encrypt_uints(Width::U16, &[20_000, 2])?;
//! let (sum, overflow) = integers.checked_add(&a, &b)?;
//! assert_eq!(secret.decrypt_uints(&sum)?, [70_000 - 65_536, 3]);
//! assert_eq!(secret.decrypt_bools(&overflow)?, [true, false]);
//! assert_eq!(secret.decrypt_uints(&integers.max(&a, &b)?)?, [50_000, 2]);
//! # Ok(())
//! # }
//! ```

mod arith;
mod array;
mod bits;
mod carry;
mod columns;
mod compare;
mod div;
mod div_public;
mod encryption;
mod long_division;
mod meter;
mod mul;
mod reduce;
mod shift;
mod table;

pub use array::{BoolArray, UintArray};
pub use meter::Cost;
pub use reduce::Extreme;

use crate::ciphertext::wrong_space;
use crate::params::Space;
use crate::{Error, EvalKeys};
use meter::Meter;

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

/// How integers are cut into digits, in a message space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Radix {
    /// `p`: a message is below `2^p`.
    space_bits: u32,
    /// `m`: bits of a digit.
    bits: u32,
}

impl Radix {
    pub(crate) fn of(op: &'static str, space: Space) -> Result<Self, Error> {
        match space {
            Space::Integer { bits: space_bits @ 4.. } => Ok(Self { space_bits, bits: 1 << (space_bits / 2).ilog2() }),
            _ => Err(wrong_space(op, space, "integers of 4 bits or more")),
        }
    }

    /// `M`.
    fn base(self) -> u64 {
        1 << self.bits
    }

    /// Number of messages.
    fn size(self) -> usize {
        1 << self.space_bits
    }

    /// The largest message.
    fn max(self) -> u64 {
        (1 << self.space_bits) - 1
    }

    fn blocks(self, width: Width) -> usize {
        (width.bits() / self.bits) as usize
    }

    fn digits(self, width: Width, value: u64) -> impl Iterator<Item = u64> {
        (0..self.blocks(width)).map(move |i| value >> (i as u32 * self.bits) & (self.base() - 1))
    }

    /// The digits of all values, which the width must hold.
    fn all_digits(self, op: &'static str, width: Width, values: &[u64]) -> Result<Vec<u64>, Error> {
        if let Some(&value) = values.iter().find(|&&value| value > width.max()) {
            return Err(Error::ValueTooLarge { op, value, bits: width.bits() });
        }
        Ok(values.iter().flat_map(|&value| self.digits(width, value)).collect())
    }
}

/// Arithmetic on arrays of encrypted integers with the keys of one secret, element by element.
///
/// Each operation goes over the key once for each of its rounds, and not once for each element: the bootstraps of all
/// elements that don't wait for each other are done together. An operation holds a round's bootstraps in memory, which
/// is much for long arrays: cut these into slices of [`Integers::slice_len`] elements, and into shorter ones for
/// products. Reductions cut their arrays themselves.
#[derive(Debug)]
pub struct Integers<'k> {
    keys: &'k EvalKeys,
    radix: Radix,
    meter: Meter<'k>,
}

impl EvalKeys {
    /// Arithmetic on integers of 8 to 64 bits.
    ///
    /// # Errors
    /// [`Error::WrongSpace`] for parameters of bits or of integers below 4 bits, [`Error::Parameter`] where their
    /// `norm2` is too small for `M·a + b`.
    pub fn integers(&self) -> Result<Integers<'_>, Error> {
        let radix = Radix::of("integers", self.params().space)?;
        let (found, needed) = (self.params().norm2, ((radix.base() + 1) as f64).powi(2));
        if found < needed {
            let needed = format!("{needed} or more, for tables of two digits of {} bits", radix.bits);
            return Err(Error::Parameter { what: "norm2", found: found.to_string(), needed });
        }
        Ok(Integers { keys: self, radix, meter: Meter::default() })
    }
}

impl Integers<'_> {
    /// The number of elements whose bootstraps of one round give every thread of the current pool a whole pass over the
    /// key.
    pub fn slice_len(&self) -> usize {
        self.keys.bootstrap_key().batch_len() * rayon::current_num_threads()
    }

    /// Bits of a block.
    pub fn block_bits(&self) -> u32 {
        self.radix.bits
    }
}
