//! The error of bootstraps' sines.

use super::{Certainty, Worst};

/// The error of a sine in place of the identity, for a number of a size: less than `cubic·size³`, up to where the sine
/// falls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SineError {
    cubic: f64,
    /// The size where the sine falls.
    pub peak: f64,
    /// The factor of a second bootstrap of what the first one left out.
    residual: Option<f64>,
    /// Bounds of what the approximation of the sine errs by.
    approximation: Worst,
}

/// Accurate sines err by less than this share of their argument.
const ACCURATE: f64 = 1.0 / 1024.0;

impl SineError {
    /// The sine of a period of `message_ratio`, up to an error of its own, with a second one of what the first left out
    /// where it has a factor.
    pub fn new(message_ratio: f64, residual: Option<f64>, rare_error: Worst) -> Self {
        let cubic = (2.0 * std::f64::consts::PI / message_ratio).powi(2) / 6.0;
        let gain = message_ratio / (2.0 * std::f64::consts::PI) / residual.unwrap_or(1.0);
        let approximation = rare_error.map(|error, _| error * gain);
        Self { cubic, peak: message_ratio / 4.0, residual, approximation }
    }

    /// The error of a number.
    pub fn at(self, x: f64) -> f64 {
        let error = self.cubic * x.powi(3);
        self.residual.map_or(error, |gain| self.cubic * (gain * error).powi(3) / gain)
    }

    /// The bound of the errors of numbers up to a size.
    pub fn largest(self, size: f64, certainty: Certainty) -> f64 {
        if size < self.peak { self.at(size) + self.approximation.at(certainty) } else { f64::INFINITY }
    }

    /// The largest size of accurate results.
    pub fn accurate(self) -> f64 {
        let one = (ACCURATE / self.cubic).sqrt();
        // Where the error is the residual's: cubic⁴·gain²·size⁸ of the size.
        self.residual.map_or(one, |gain| (ACCURATE / (self.cubic.powi(4) * gain * gain)).powf(0.125)).min(self.peak)
    }
}
