//! Variances that a key fixes, as they spread over keys, and how often keys are drawn.

/// How often a secret, or the key switch of a secret, is drawn at most.
pub(crate) const DRAWS: u64 = 128;

/// A variance that a key fixes, over keys.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OverKeys {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl OverKeys {
    /// So many deviations above the mean.
    pub fn at(self, deviations: f64) -> f64 {
        self.mean + deviations * self.deviation
    }

    /// The sum of two that are independent of each other.
    pub fn plus(self, other: Self) -> Self {
        Self { mean: self.mean + other.mean, deviation: self.deviation.hypot(other.deviation) }
    }
}
