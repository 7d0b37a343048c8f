//! Bounds of the sizes of slots, how they are known, and whether the values are real.

use num_complex::Complex64;

use crate::Error;

/// The one who vouches for a bound, from the weakest word to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BoundKind {
    /// Nobody: nothing was said when the values were encrypted.
    Assumed,
    /// The caller of an operation, as of values that a polynomial is fitted for.
    Claimed,
    /// The encryptor.
    Declared,
}

impl BoundKind {
    /// The kind in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Claimed => "claimed",
            Self::Declared => "declared",
        }
    }
}

/// A bound of `|z|` of every slot of a message, and whether all of them are real numbers. It is public, and so never
/// taken from encrypted values: it is declared by whoever encrypts, claimed by whoever computes, or assumed where
/// nothing was said. A result's bound is of the weakest kind of its operands'.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    size: f64,
    kind: BoundKind,
    is_real: bool,
}

impl Bound {
    /// The bound of a message of which nothing was said: 1, of complex values.
    pub const ASSUMED: Self = Self { size: 1.0, kind: BoundKind::Assumed, is_real: false };

    /// A bound that the encryptor vouches for, of complex values.
    ///
    /// # Errors
    /// A size that is negative, NaN or infinite.
    pub fn declared(size: f64) -> Result<Self, Error> {
        if size.is_finite() && size >= 0.0 {
            return Ok(Self { size, kind: BoundKind::Declared, is_real: false });
        }
        Err(Error::parameter("bound", size, "a finite number, at least 0: the largest size of a value"))
    }

    /// The bound that the caller of an operation vouches for.
    ///
    /// # Errors
    /// As [`Bound::declared`].
    pub fn claimed(size: f64) -> Result<Self, Error> {
        Ok(Self { kind: BoundKind::Claimed, ..Self::declared(size)? })
    }

    /// This bound of values that are real, or that may not be.
    #[must_use]
    pub fn on_reals(self, is_real: bool) -> Self {
        Self { is_real, ..self }
    }

    /// The bound of real values that the caller of an operation vouches for, where nobody stronger declared less.
    pub(crate) fn claimed_within(self, size: f64) -> Self {
        Self { size: self.size.min(size), kind: self.kind.min(BoundKind::Claimed), is_real: true }
    }

    /// This bound on another word.
    pub(crate) fn vouched(self, kind: BoundKind) -> Self {
        Self { kind, ..self }
    }

    /// As it stands in a file.
    pub(crate) fn read(size: f64, kind: BoundKind) -> Self {
        Self { size, kind, is_real: false }
    }

    /// The largest size that a slot may have.
    pub fn size(self) -> f64 {
        self.size
    }

    /// The one who vouches for it.
    pub fn kind(self) -> BoundKind {
        self.kind
    }

    /// Whether somebody vouches for it: it was declared or claimed, and not assumed.
    pub fn is_declared(self) -> bool {
        self.kind != BoundKind::Assumed
    }

    /// Whether all values are real numbers.
    pub fn is_real(self) -> bool {
        self.is_real
    }

    /// Bound of values made of both operands' values, with this size.
    pub(crate) fn joined(self, other: Self, size: f64) -> Self {
        Self { size, kind: self.kind.min(other.kind), is_real: self.is_real && other.is_real }
    }

    /// Bound of values that were multiplied with a number, or that a number was added to.
    pub(crate) fn by_number(self, c: Complex64) -> Self {
        self.on_reals(self.is_real && c.im == 0.0)
    }

    /// Bound of values made of these by real numbers, with this size.
    pub(crate) fn resized(self, size: f64) -> Self {
        Self { size, ..self }
    }
}
