//! The threads that calls run on.

use std::iter::successors;
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
    /// That of a child, in the child.
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
                Box::new(link.unwrap_or_else(|| OutOfMemory::refused(STACK).unwind()))
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
