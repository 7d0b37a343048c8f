//! What an operation costs, counted before it is done; and its progress.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Integers;
use crate::{Error, Progress};

/// What an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Bootstraps, all elements together.
    pub bootstraps: usize,
    /// Rounds of bootstraps one after another.
    pub rounds: usize,
}

/// Counts bootstraps, done or not.
#[derive(Default)]
pub(super) struct Meter<'k> {
    /// Whether they are only counted.
    pub(super) dry: bool,
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

    /// Counts bootstraps that were done, and reports them.
    pub(super) fn add(&self, op: &'static str, bootstraps: usize) -> Result<(), Error> {
        let done = self.bootstraps.fetch_add(bootstraps, Ordering::Relaxed) + bootstraps;
        match self.progress {
            Some((progress, total)) if progress(done, total) == ControlFlow::Break(()) => {
                Err(Error::Cancelled { op, done, total })
            }
            _ => Ok(()),
        }
    }
}

impl<'k> Integers<'k> {
    /// What an operation costs on this number of threads. None of its bootstraps is done, so that what it returns holds nothing; but all that it
    /// would refuse is refused.
    ///
    /// # Errors
    /// The operation's.
    pub fn cost<R>(&self, operation: impl FnOnce(&Integers<'k>) -> Result<R, Error>) -> Result<Cost, Error> {
        let counting = Self { meter: Meter { dry: true, ..Meter::default() }, ..*self };
        operation(&counting)?;
        let Meter { bootstraps, rounds, .. } = counting.meter;
        Ok(Cost { bootstraps: bootstraps.into_inner(), rounds: rounds.into_inner() })
    }

    /// An operation with a step for each of its bootstraps, reported after each pass over the key.
    ///
    /// # Errors
    /// The operation's, all before the first bootstrap, and [`Error::Cancelled`].
    pub fn reporting<R>(
        &self,
        progress: Progress<'_>,
        operation: impl Fn(&Integers<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let total = self.cost(&operation)?.bootstraps;
        let meter = Meter { progress: Some((progress, total)), ..Meter::default() };
        operation(&Integers { keys: self.keys, radix: self.radix, meter })
    }
}
