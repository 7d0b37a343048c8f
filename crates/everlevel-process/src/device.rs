//! Errors of devices, which unwind as a lack of memory does: operations in their midst return no results.

use std::error::Error;
use std::fmt;

use crate::unwinding;

/// The error of a device in the middle of work.
#[derive(Debug)]
pub struct DeviceError(pub Box<dyn Error + Send + Sync>);

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for DeviceError {}

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
