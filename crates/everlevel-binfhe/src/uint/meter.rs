//! The cost of an operation on integers, counted in bootstraps before any is done, and the operation's progress.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use everlevel_ring::report;

use crate::{Error, Progress};

/// The cost of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Bootstraps, all elements together.
    pub bootstraps: usize,
    /// Rounds of bootstraps, each of which waits for the one before.
    pub rounds: usize,
}

/// Counts the bootstraps of an operation, whether they are done or not.
#[derive(Default)]
pub(super) struct Meter<'k> {
    /// Whether bootstraps are only counted, and none is done.
    pub(super) dry: bool,
    /// The callback that is told of progress, and the number of bootstraps in all.
    pub(super) progress: Option<(Progress<'k>, usize)>,
    pub(super) bootstraps: AtomicUsize,
    pub(super) rounds: AtomicUsize,
}

impl fmt::Debug for Meter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").field("dry", &self.dry).field("bootstraps", &self.bootstraps).finish_non_exhaustive()
    }
}

impl Meter<'_> {
    pub(super) fn start_round(&self) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts bootstraps and reports them: those that were just done, or in a dry run those that would be done.
    pub(super) fn add(&self, op: &'static str, bootstraps: usize) -> Result<(), Error> {
        let counted = self.bootstraps.fetch_add(bootstraps, Ordering::Relaxed) + bootstraps;
        let done = if self.dry { 0 } else { counted };
        let Some((progress, total)) = self.progress else { return Ok(()) };
        Ok(report(op, progress, done, if self.dry { counted } else { total })?)
    }
}
