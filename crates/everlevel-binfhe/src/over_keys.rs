//! Variances that a key fixes, as they spread over keys, and how often keys are drawn.

/// The largest number of draws of a secret, or of the key switches of one.
pub(crate) const DRAWS: u64 = 128;

/// A variance that a key fixes, over keys.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OverKeys {
    /// The variance's mean over keys.
    pub mean: f64,
    /// The variance's standard deviation over keys.
    pub deviation: f64,
}

impl OverKeys {
    /// The variance that lies so many deviations above the mean.
    pub fn at(self, deviations: f64) -> f64 {
        self.mean + deviations * self.deviation
    }

    /// The sum of two variances that are independent of each other.
    pub fn plus(self, other: Self) -> Self {
        Self { mean: self.mean + other.mean, deviation: self.deviation.hypot(other.deviation) }
    }
}
