//! Guards of operations: parameter fingerprints and secret ids of keys and ciphertexts, units of long vectors, and
//! memory of work that takes much of it.

use everlevel_process::{Footprint, OutOfMemory, caught, memory};
use everlevel_rlwe::SecretId;

use crate::Error;

/// The parameters and the secret of an object. Both are public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The fingerprint of the parameters.
    pub fingerprint: u64,
    /// The secret's id.
    pub secret_id: SecretId,
}

impl Origin {
    /// Refuses an argument of other parameters, or of another secret, than this object's.
    ///
    /// # Errors
    /// [`Error::OtherParameters`], [`Error::OtherSecret`].
    pub fn require(&self, op: &'static str, what: &'static str, found: Self) -> Result<(), Error> {
        require_parameters(op, what, found.fingerprint, self.fingerprint)?;
        require_secret(op, what, found.secret_id, self.secret_id)
    }
}

/// Refuses an argument of other parameters.
///
/// # Errors
/// [`Error::OtherParameters`].
pub fn require_parameters(op: &'static str, what: &'static str, found: u64, expected: u64) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::OtherParameters { op, what, found, expected }) }
}

/// Refuses an argument of another secret.
///
/// # Errors
/// [`Error::OtherSecret`].
pub fn require_secret(op: &'static str, what: &'static str, found: SecretId, expected: SecretId) -> Result<(), Error> {
    let (SecretId(found), SecretId(expected)) = (found, expected);
    if found == expected { Ok(()) } else { Err(Error::OtherSecret { op, what, found, expected }) }
}

/// Refuses operands of different numbers of units: a vector longer than the slots is units of a ciphertext's worth.
///
/// # Errors
/// [`Error::UnitCount`].
pub fn require_units(op: &'static str, left: usize, right: usize) -> Result<(), Error> {
    if left == right { Ok(()) } else { Err(Error::UnitCount { op, left, right }) }
}

/// Refuses work for which there is no memory.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn require_memory(op: &'static str, footprint: Footprint) -> Result<(), Error> {
    memory::require(footprint.peak()).map_err(|lack| Error::out_of_memory(op, lack))
}

/// Runs work whose memory is looked for first.
///
/// # Errors
/// [`Error::OutOfMemory`] before the work, or during it if others took the memory meanwhile; the work's own.
pub fn with_memory<T, E: From<Error>>(
    op: &'static str,
    footprint: Footprint,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    with_memory_found(op, || memory::require(footprint.peak()), work)
}

/// As [`with_memory`], for memory that a scheme finds by itself, as in a ring's free limbs.
///
/// # Errors
/// As [`with_memory`].
pub fn with_memory_found<T, E: From<Error>>(
    op: &'static str,
    find: impl FnOnce() -> Result<(), OutOfMemory>,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    find().map_err(|lack| Error::out_of_memory(op, lack))?;
    caught(|| with_device(op, work)).map_err(|lack| Error::out_of_memory(op, lack))?
}

/// Runs work in whose midst a device may fail.
///
/// # Errors
/// [`Error::OutOfMemory`] of the device, [`Error::Device`]; the work's own.
pub fn with_device<T, E: From<Error>>(op: &'static str, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    caught(work).map_err(|error| Error::of_device(op, &error))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_parameters_are_told_before_other_secrets() {
        let ours = Origin { fingerprint: 0x12, secret_id: SecretId(0x34) };
        assert!(ours.require("add", "second ciphertext", ours).is_ok());
        let refusal = |found| ours.require("add", "second ciphertext", found).expect_err("refused").to_string();
        let parameters = refusal(Origin { fingerprint: 0x56, secret_id: SecretId(0x78) });
        assert!(
            parameters.starts_with("add: second ciphertext belongs to parameters 0x0000000000000056,"),
            "{parameters}"
        );
        assert!(parameters.contains("0x0000000000000012; "), "{parameters}");
        let secret = refusal(Origin { secret_id: SecretId(0x78), ..ours });
        assert!(secret.starts_with("add: second ciphertext belongs to secret 0x0000000000000078,"), "{secret}");
        assert!(secret.contains("0x0000000000000034 is needed; "), "{secret}");
    }
}
