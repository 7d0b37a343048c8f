//! The errors of seeds and samplers.

/// A failure to draw randomness, or a distribution that can't be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system gave no entropy.
    #[error("seed: the operating system gave no entropy ({0}); nothing was generated, retry or check the sandbox")]
    Entropy(#[from] getrandom::Error),
    /// More nonzero entries were asked for than there are entries.
    #[error("fixed_weight: weight {weight} exceeds the {len} entries; choose a weight of at most {len}")]
    WeightExceedsLength {
        /// The rejected weight.
        weight: usize,
        /// Number of entries.
        len: usize,
    },
    /// The standard deviation is not in the supported range.
    #[error("gaussian: standard deviation {sigma} is outside {min}..={max}")]
    BadSigma {
        /// The rejected standard deviation, in integer units.
        sigma: f64,
        /// Smallest accepted value.
        min: f64,
        /// Largest accepted value.
        max: f64,
    },
}
