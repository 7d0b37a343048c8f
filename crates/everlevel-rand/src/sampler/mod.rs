//! Samplers: each takes words from a [`Stream`] in an order that its documentation fixes.
//!
//! Two calls on one stream take consecutive words; where a sampler takes part of a word, the rest is dropped at the end
//! of the call.

mod gaussian;
mod secret;
mod uniform;

pub use gaussian::{Gaussian, gaussian};
pub use secret::{Ternary, binary, binary_weight, fixed_weight, one_hot, ternary};
pub use uniform::uniform_mod;

use crate::Stream;

/// A distribution of errors.
pub trait Errors: Sync {
    /// Fills `out` with independent samples.
    fn sample(&self, stream: &mut Stream, out: &mut [i64]);
}

impl Errors for Gaussian {
    fn sample(&self, stream: &mut Stream, out: &mut [i64]) {
        self.sample(stream, out);
    }
}
