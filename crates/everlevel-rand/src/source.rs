//! Sources of fresh seeds, for the makers of keys and ciphertexts.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Domain, Error, Seed};

/// The source of fresh seeds: the operating system, or, for tests alone, one seed that decides them all.
#[derive(Debug, Default)]
pub struct SeedSource(Option<(Seed, AtomicU64)>);

impl SeedSource {
    /// The operating system's randomness: the source of everything that is to stay secret.
    pub fn os() -> Self {
        Self(None)
    }

    /// The children of a seed, one after another: the same calls in the same order give the same keys and ciphertexts.
    /// For golden tests: whoever knows the seed knows every secret.
    pub fn insecure(seed: Seed) -> Self {
        Self(Some((seed, AtomicU64::new(0))))
    }

    /// The next seed.
    ///
    /// # Errors
    /// [`Error::Entropy`] if the operating system gives none.
    pub fn next(&self) -> Result<Seed, Error> {
        match &self.0 {
            None => Seed::from_os(),
            Some((seed, taken)) => Ok(seed.derive(Domain::Derive, taken.fetch_add(1, Ordering::Relaxed))),
        }
    }
}
