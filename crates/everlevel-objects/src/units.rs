//! Units of vectors longer than the slots: each is a ciphertext's worth, and operands have equally many.

use crate::Error;

/// Refuses operands of different numbers of units.
///
/// # Errors
/// [`Error::UnitCount`].
pub fn require_units(op: &'static str, left: usize, right: usize) -> Result<(), Error> {
    if left == right { Ok(()) } else { Err(Error::UnitCount { op, left, right }) }
}
