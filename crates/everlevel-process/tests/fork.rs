//! Pools after a fork. One test to this file: no other thread may hold a lock when the process forks.
#![cfg(unix)]

use std::sync::atomic::{AtomicUsize, Ordering};

use everlevel_process::Pool;
use rayon::prelude::*;

/// Whether work on a pool is done by as many threads as it has.
fn works(pool: &Pool) -> bool {
    let threads = AtomicUsize::new(0);
    let sum: usize = pool.install(|| {
        rayon::broadcast(|_| threads.fetch_add(1, Ordering::Relaxed));
        (0..1000).into_par_iter().sum()
    });
    threads.into_inner() == pool.thread_count() && sum == 499_500
}

#[test]
fn every_process_has_threads_of_its_own() {
    for thread_count in [1, 3] {
        let pool = Pool::new(thread_count).unwrap();
        assert_eq!(pool.thread_count(), thread_count);
        assert!(works(&pool));
        // SAFETY: the child does nothing but what follows, and ends without the parent's destructors.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: a child that hangs is ended by a signal, and the test fails.
            unsafe { libc::alarm(1800) };
            let right = works(&pool) && works(&pool);
            drop(pool);
            // SAFETY: ends the process.
            unsafe { libc::_exit(if right { 0 } else { 1 }) }
        }
        assert!(works(&pool));
        let mut status = -1;
        // SAFETY: the pointer is to a local.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
    }
}
