//! Bounds of the sizes of slots, and how they are known.

use crate::Error;

/// A bound of `|z|` of every slot of a message. It is public, and so never taken from encrypted values: it is declared
/// by whoever encrypts, or assumed where nothing was said. A result's bound is assumed if an operand's is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    size: f64,
    is_declared: bool,
}

impl Bound {
    /// The bound of a message of which nothing was said: 1.
    pub const ASSUMED: Self = Self { size: 1.0, is_declared: false };

    /// A bound that the caller vouches for.
    ///
    /// # Errors
    /// A size that is negative, NaN or infinite.
    pub fn declared(size: f64) -> Result<Self, Error> {
        if size.is_finite() && size >= 0.0 {
            return Ok(Self { size, is_declared: true });
        }
        Err(Error::parameter("bound", size, "a finite number, at least 0: the largest size of a value"))
    }

    /// As it stands in a file.
    pub(crate) fn read(size: f64, is_declared: bool) -> Self {
        Self { size, is_declared }
    }

    /// The largest size that a slot may have.
    pub fn size(self) -> f64 {
        self.size
    }

    /// Whether it was declared, and not assumed.
    pub fn is_declared(self) -> bool {
        self.is_declared
    }

    /// Of values made of both operands' values, with this size.
    pub(crate) fn joined(self, other: Self, size: f64) -> Self {
        Self { size, is_declared: self.is_declared && other.is_declared }
    }

    /// Of values made of these, with this size.
    pub(crate) fn resized(self, size: f64) -> Self {
        Self { size, ..self }
    }
}
