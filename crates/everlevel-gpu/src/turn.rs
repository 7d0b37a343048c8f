//! Whose turn it is: one thread's at a time, as often as it enters.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// The thread whose turn it is, and how often it has entered.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    holder: Mutex<Option<(ThreadId, usize)>>,
    left: Condvar,
}

/// A turn, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Held<'a>(&'a Turn);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Turn {
    fn lock(&self) -> MutexGuard<'_, Option<(ThreadId, usize)>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other thread has the turn.
    pub fn enter(&self) {
        let me = thread::current().id();
        let other = |holder: &mut Option<(ThreadId, usize)>| holder.is_some_and(|(thread, _)| thread != me);
        let mut holder = self.left.wait_while(self.lock(), other).unwrap_or_else(PoisonError::into_inner);
        let depth = holder.map_or(0, |(_, depth)| depth);
        *holder = Some((me, depth + 1));
    }

    /// Ends what [`Turn::enter`] began.
    pub fn leave(&self) {
        let mut holder = self.lock();
        *holder = holder.and_then(|(thread, depth)| (depth > 1).then_some((thread, depth - 1)));
        if holder.is_none() {
            self.left.notify_all();
        }
    }

    /// A turn as long as what is returned.
    pub fn held(&self) -> Held<'_> {
        self.enter();
        Held(self)
    }
}
