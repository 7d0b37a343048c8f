//! The ways to rotate an accumulator, with their numbers of keys, products and automorphisms.

use serde::{Deserialize, Serialize};

/// How an accumulator is turned by the small secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Rotation {
    /// A product for each bit: `ACC += (X^a − 1)·ACC ⊡ s`.
    Sequential,
    /// A product for each two bits, with encryptions of `s·t`, `s·(1 − t)` and `(1 − s)·t`.
    ThreeKeys,
    /// A product for each two bits, with encryptions of these and of `(1 − s)·(1 − t)`: less noise, and more keys.
    FourKeys,
    /// A product for each coefficient and an automorphism between any two (XZD+23).
    Automorphisms,
    /// Automorphisms in order of the exponents' logarithms, one sweep for either sign, in steps of at most `window`
    /// (LMKCDEY).
    TwoSweeps {
        /// The longest step.
        window: usize,
    },
    /// The same in a single sweep, with two keys for each coefficient (LLW+24's hybrid window).
    OneSweep {
        /// The longest step.
        window: usize,
    },
}

impl Rotation {
    /// log2 of what exponents are multiples of: automorphisms take odd ones, less one.
    pub(super) fn log2_exponent_step(self) -> u32 {
        match self {
            Self::Sequential | Self::ThreeKeys | Self::FourKeys => 0,
            Self::Automorphisms | Self::TwoSweeps { .. } | Self::OneSweep { .. } => 1,
        }
    }

    /// Coefficients of the small secret that a step takes.
    pub(super) fn per_step(self) -> usize {
        if matches!(self, Self::ThreeKeys | Self::FourKeys) { 2 } else { 1 }
    }

    /// Keys that a step reads.
    pub(super) fn keys_per_step(self) -> usize {
        match self {
            Self::ThreeKeys => 3,
            Self::FourKeys => 4,
            _ => 1,
        }
    }

    /// Vector ciphertexts of a bootstrapping key, for `dim` coefficients and degree `n`.
    pub(super) fn keys(self, dim: usize, n: usize) -> usize {
        match self {
            Self::Sequential => 1 + dim,
            Self::ThreeKeys => 1 + 3 * dim / 2,
            Self::FourKeys => 2 * dim,
            // Automorphisms by every odd number but 1.
            Self::Automorphisms => dim + n,
            Self::TwoSweeps { window } => dim + 2 + window,
            Self::OneSweep { window } => 2 * dim + 1 + window,
        }
    }

    /// Products, and automorphisms on average. Of rotations by automorphisms of uniform exponents, a class has
    /// coefficients with probability `p`, so that gaps between such classes are geometric, and one takes
    /// `1/(1 − (1 − p)^w)` steps.
    pub(super) fn mean_steps(self, dim: usize, n: usize) -> (f64, f64) {
        let (dim, n) = (dim as f64, n as f64);
        let sweeps = |classes: f64, window: usize| {
            let filled = 1.0 - (1.0 - 1.0 / classes).powf(dim);
            classes * filled / (1.0 - (1.0 - filled).powf(window as f64))
        };
        match self {
            Self::FourKeys => (dim / 2.0, 0.0),
            Self::ThreeKeys => (dim / 2.0 + 1.0, 0.0),
            Self::Sequential => (dim + 1.0, 0.0),
            Self::Automorphisms => (dim + 1.0, dim * (1.0 - 1.0 / n)),
            Self::TwoSweeps { window } => (dim + 1.0, sweeps(n, window) + 1.0),
            Self::OneSweep { window } => (dim + 1.0, sweeps(n / 2.0, window)),
        }
    }
}
