//! The cost of an operation on integers, counted in bootstraps before any is done, and the operation's progress.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Integers;
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
    progress: Option<(Progress<'k>, usize)>,
    bootstraps: AtomicUsize,
    rounds: AtomicUsize,
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
        match self.progress.map(|(progress, total)| (progress, if self.dry { counted } else { total })) {
            Some((progress, total)) if progress(done, total) == ControlFlow::Break(()) => {
                Err(Error::Cancelled { op, done, total })
            }
            _ => Ok(()),
        }
    }
}

impl Integers<'_> {
    /// The cost of an operation on the current number of threads. None of its bootstraps is done, so that its result
    /// has no meaning; but whatever the operation would refuse is refused.
    ///
    /// # Errors
    /// The operation's.
    pub fn cost<R>(&self, operation: impl FnOnce(&Integers<'_>) -> Result<R, Error>) -> Result<Cost, Error> {
        self.count(None, operation)
    }

    fn count<R>(
        &self,
        progress: Option<(Progress<'_>, usize)>,
        operation: impl FnOnce(&Integers<'_>) -> Result<R, Error>,
    ) -> Result<Cost, Error> {
        let meter = Meter { dry: true, progress, ..Meter::default() };
        let counting = Integers { keys: self.keys, radix: self.radix, meter };
        operation(&counting)?;
        let Meter { bootstraps, rounds, .. } = counting.meter;
        Ok(Cost { bootstraps: bootstraps.into_inner(), rounds: rounds.into_inner() })
    }

    /// Runs an operation, and reports its progress after each pass over the key, with a step for each bootstrap.
    /// Bootstraps are counted first: meanwhile none is done, and the number of steps in all grows.
    ///
    /// # Errors
    /// The operation's, all before the first bootstrap, and [`Error::Cancelled`].
    pub fn reporting<R>(
        &self,
        progress: Progress<'_>,
        operation: impl Fn(&Integers<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let total = self.count(Some((progress, 0)), &operation)?.bootstraps;
        let meter = Meter { progress: Some((progress, total)), ..Meter::default() };
        operation(&Integers { keys: self.keys, radix: self.radix, meter })
    }
}
