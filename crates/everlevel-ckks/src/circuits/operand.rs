//! Arguments of circuits beside a ciphertext: other operands, and keys of rotations.

use crate::{Ciphertext, FixedRotationKey, Plaintext, RotationKey, Units};

/// An operand that a ciphertext is combined with, slot by slot. All values are real.
#[derive(Debug, Clone, Copy)]
pub enum Operand<'a> {
    /// Encrypted values.
    Ciphertext(&'a Units<Ciphertext>),
    /// Encoded values.
    Plaintext(&'a Units<Plaintext>),
    /// A value for each slot of each unit; missing ones are 0.
    Values(&'a [f64]),
    /// One value for all slots.
    Number(f64),
}

impl<'a> From<&'a Units<Ciphertext>> for Operand<'a> {
    fn from(ciphertext: &'a Units<Ciphertext>) -> Self {
        Self::Ciphertext(ciphertext)
    }
}

impl<'a> From<&'a [f64]> for Operand<'a> {
    fn from(values: &'a [f64]) -> Self {
        Self::Values(values)
    }
}

impl From<f64> for Operand<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<'a> Operand<'a> {
    pub(super) fn ciphertext(self) -> Option<&'a Units<Ciphertext>> {
        match self {
            Self::Ciphertext(ciphertext) => Some(ciphertext),
            _ => None,
        }
    }
}

/// Keys for rotations by some amounts or by any.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rotations<'a> {
    /// For any amount.
    pub any: Option<&'a RotationKey>,
    /// For one amount each, which go first.
    pub fixed: &'a [&'a FixedRotationKey],
}

impl<'a> From<&'a RotationKey> for Rotations<'a> {
    fn from(any: &'a RotationKey) -> Self {
        Self { any: Some(any), fixed: &[] }
    }
}
