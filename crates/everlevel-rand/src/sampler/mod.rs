//! Samplers: each takes words from a [`Stream`](crate::Stream) in an order that its documentation fixes.
//!
//! Two calls on one stream take consecutive words; where a sampler takes part of a word, the rest is dropped at the end
//! of the call.

mod gaussian;
mod secret;
mod uniform;

pub use gaussian::{Gaussian, gaussian};
pub use secret::{binary, fixed_weight, ternary};
pub use uniform::uniform_mod;
