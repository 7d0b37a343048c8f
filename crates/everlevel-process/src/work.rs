//! Long work: the threads that it runs on, the errors that leave it, and whom its steps are reported to.

use std::any::Any;
use std::error::Error;
use std::iter::successors;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::{mem, process};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::memory::{OutOfMemory, STACK};

/// A number of threads, which every process has its own of.
///
/// A fork copies one thread, the one that forks, so that a child that gave work to its parent's threads would wait for
/// ever. It starts threads of its own at its first call instead. What it has of its parent's pool it leaks: to drop it
/// is to wake threads that aren't there, by locks that another thread may have held in the fork.
///
/// *Invariant.* A link's pool is used and dropped in the process that made it alone.
#[derive(Debug)]
pub struct Pool(Link);

#[derive(Debug)]
struct Link {
    process: u32,
    /// Empty while it is dropped.
    pool: Option<ThreadPool>,
    /// Pool of a child, in the child.
    child: OnceLock<Box<Link>>,
}

impl Pool {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the system doesn't give that many.
    pub fn new(thread_count: usize) -> Result<Self, ThreadPoolBuildError> {
        Link::new(thread_count).map(Self)
    }

    /// How many they are.
    pub fn thread_count(&self) -> usize {
        self.0.threads().current_num_threads()
    }

    /// Runs `f`, and all that it does in parallel, on the threads of this process: fewer, in a child of the process
    /// that made the pool, where the system gives no more. Unwinds with [`OutOfMemory`] where it gives none.
    pub fn install<T: Send>(&self, f: impl FnOnce() -> T + Send) -> T {
        self.0.of_this_process().threads().install(f)
    }
}

impl Link {
    fn new(thread_count: usize) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(thread_count).build()?;
        Ok(Self { process: process::id(), pool: Some(pool), child: OnceLock::new() })
    }

    fn of_this_process(&self) -> &Link {
        let mut link = self;
        while link.process != process::id() {
            link = link.child.get_or_init(|| {
                let fewer = |count: &usize| (*count > 1).then_some(count / 2);
                let mut counts = successors(Some(self.threads().current_num_threads()), fewer);
                let link = counts.find_map(|count| Link::new(count).ok());
                Box::new(link.unwrap_or_else(|| unwind(OutOfMemory::refused(STACK))))
            });
        }
        link
    }

    fn threads(&self) -> &ThreadPool {
        self.pool.as_ref().unwrap_or_else(|| unreachable!("only a drop takes it"))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if self.process != process::id() {
            mem::forget(self.pool.take());
        }
    }
}

/// The error of a device in the middle of work.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// A lack of the device's memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// Another error.
    #[error(transparent)]
    Other(Box<dyn Error + Send + Sync>),
}

/// Leaves the work that an error is in the middle of, up to [`caught`]: the work returns no results.
pub fn unwind(error: impl Any + Send) -> ! {
    resume_unwind(Box::new(error))
}

/// Runs `work`, where errors of one type that unwind from it become errors. Whatever else unwinds goes on.
///
/// # Errors
/// The error that unwound.
pub fn caught<T, E: Any>(work: impl FnOnce() -> T) -> Result<T, E> {
    // What the work was changing is not seen again: results are made whole or not at all.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<E>() {
        Ok(error) => *error,
        Err(payload) => resume_unwind(payload),
    })
}

/// Called with (steps done, steps in all), from any thread, by operations that take long. An answer of
/// [`ControlFlow::Break`] cancels the operation, which then returns [`Cancelled`] and nothing else. The number of steps
/// in all may grow while they are being counted.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) -> ControlFlow<()> + Sync);

/// Reports to nobody, and never cancels.
pub fn no_progress(_done: usize, _total: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// An operation that its caller cancelled by the answer to a [`Progress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{op}: cancelled after step {done} of {total}; nothing was changed, call it again to start over")]
pub struct Cancelled {
    /// The operation.
    pub op: &'static str,
    /// Steps that were done.
    pub done: usize,
    /// Steps in all.
    pub total: usize,
}

/// Reports a step.
///
/// # Errors
/// [`Cancelled`] if the answer is to stop.
pub fn report(op: &'static str, progress: Progress, done: usize, total: usize) -> Result<(), Cancelled> {
    match progress(done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Cancelled { op, done, total }),
    }
}
