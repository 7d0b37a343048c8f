//! Errors of devices, which unwind as a lack of memory does: operations in their midst return no results.

use std::error::Error;

use crate::{OutOfMemory, unwinding};

/// The error of a device in the middle of work.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// A lack of the device's memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// Another error.
    #[error(transparent)]
    Other(Box<dyn Error + Send + Sync>),
}

impl DeviceError {
    /// Leaves the work that it is in the middle of, up to [`caught`].
    pub fn unwind(self) -> ! {
        unwinding::unwind(self)
    }
}

/// Runs `work`, whose device's error becomes an error.
///
/// # Errors
/// [`DeviceError`].
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, DeviceError> {
    unwinding::caught(work)
}
