//! The claims of a ciphertext: its level, its scale and its error estimate.
//!
//! Every operation states all claims of its result: there is no default, no change of one claim alone, and so no claim
//! that an operation passes on without saying so.

/// The level, scale and error estimate of a ciphertext.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Claims {
    level: usize,
    scale: f64,
    error: f64,
}

impl Claims {
    /// Claims of a level, its scale, and the estimated standard deviation of the error of a slot's real part, in units
    /// of the message.
    pub fn new(level: usize, scale: f64, error: f64) -> Self {
        Self { level, scale, error }
    }

    /// Multiplications left before a bootstrap.
    pub fn level(self) -> usize {
        self.level
    }

    /// The factor between the message and the slots of the polynomial.
    pub fn scale(self) -> f64 {
        self.scale
    }

    /// Estimated standard deviation of the error of a slot's real part, in units of the message.
    pub fn error(self) -> f64 {
        self.error
    }
}
