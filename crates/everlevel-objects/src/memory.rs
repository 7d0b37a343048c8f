//! The guard of work that takes much memory, or runs on a device.

use everlevel_process::{Footprint, OutOfMemory, caught, memory};

use crate::Error;

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
