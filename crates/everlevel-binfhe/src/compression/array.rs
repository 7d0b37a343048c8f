//! The arrays that lists hold.

use crate::uint::Radix;
use crate::{BoolArray, Ciphertext, Error, Params, UintArray, Width};

/// An array of ciphertexts of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyArray {
    /// Bits for gates, or integers of a few bits.
    Messages(Vec<Ciphertext>),
    /// Integers of 8 to 256 bits.
    Uints(UintArray),
    /// Truth values.
    Bools(BoolArray),
}

/// The kind of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Messages,
    Uints(Width),
    Bools,
}

impl AnyArray {
    /// The ciphertexts: messages, or blocks.
    pub fn ciphertexts(&self) -> &[Ciphertext] {
        match self {
            Self::Messages(all) => all,
            Self::Uints(all) => all.blocks(),
            Self::Bools(all) => all.blocks(),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Messages(_) => Kind::Messages,
            Self::Uints(all) => Kind::Uints(all.width()),
            Self::Bools(_) => Kind::Bools,
        }
    }
}

impl Kind {
    /// Ciphertexts of an element.
    pub(crate) fn per(self, op: &'static str, params: &Params) -> Result<usize, Error> {
        Ok(match self {
            Self::Uints(width) => Radix::of(op, params.space)?.blocks(width),
            Self::Messages | Self::Bools => 1,
        })
    }

    /// The largest value that a ciphertext may hold.
    pub(crate) fn max_value(self, op: &'static str, params: &Params) -> Result<u64, Error> {
        match self {
            Self::Messages => Ok(params.space.max()),
            Self::Uints(_) => Ok(Radix::of(op, params.space)?.base() - 1),
            Self::Bools => Radix::of(op, params.space).map(|_| 1),
        }
    }

    /// The array of these ciphertexts.
    ///
    /// # Errors
    /// [`Error::WrongSpace`], [`Error::ValueOutOfSpace`] and [`Error::LengthMismatch`] for ciphertexts that make none.
    pub(crate) fn array(self, op: &'static str, params: &Params, all: Vec<Ciphertext>) -> Result<AnyArray, Error> {
        Ok(match self {
            Self::Messages => AnyArray::Messages(all),
            Self::Uints(width) => {
                AnyArray::Uints(UintArray::from_blocks(op, Radix::of(op, params.space)?, width, all)?)
            }
            Self::Bools => {
                Radix::of(op, params.space)?;
                AnyArray::Bools(BoolArray::from_blocks(op, all)?)
            }
        })
    }
}
