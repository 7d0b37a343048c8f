//! The number of decryptions that a secret key gives away.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Error;

/// The number of decryptions that a key gives away, and how many it has given.
#[derive(Debug)]
pub struct ReleaseBudget {
    limit: u64,
    used: AtomicU64,
}

impl ReleaseBudget {
    /// Decryptions that a key gives away where nothing else is asked for.
    pub const DEFAULT: u64 = 1024;

    /// A budget of a number of releases.
    pub fn new(limit: u64) -> Self {
        Self { limit, used: AtomicU64::new(0) }
    }

    /// Releases in all.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Releases so far.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Counts one release, if there is one left.
    pub(crate) fn take(&self, op: &'static str) -> Result<(), Error> {
        let next = |used: u64| (used < self.limit).then_some(used + 1);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) {
            Ok(_) => Ok(()),
            Err(used) => Err(Error::BudgetSpent { op, used, limit: self.limit }),
        }
    }
}

impl Default for ReleaseBudget {
    fn default() -> Self {
        Self::new(Self::DEFAULT)
    }
}
