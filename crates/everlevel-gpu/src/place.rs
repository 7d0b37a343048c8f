//! Places of devices, as users write them.

use std::fmt;

/// A place of devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A GPU, by its number among the driver's.
    Gpu(usize),
    /// The host device, which tests have.
    Host,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gpu(device_id) => write!(f, "gpu:{device_id}"),
            Self::Host => f.write_str("gpu:host"),
        }
    }
}

impl Place {
    /// Kind of the devices at the place.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Gpu(_) => "GPUs",
            Self::Host => "host device",
        }
    }
}
