//! The clocks of what is timed, on machines that may be shared: time that other processes take doesn't count.

use std::hint::black_box;

/// A clock of processor time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The clock of the calling thread.
    Thread,
    /// The clock of all threads of the process.
    Process,
}

impl Clock {
    /// Seconds of processor time until now.
    pub fn seconds(self) -> f64 {
        let clock = match self {
            Self::Thread => libc::CLOCK_THREAD_CPUTIME_ID,
            Self::Process => libc::CLOCK_PROCESS_CPUTIME_ID,
        };
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the clock writes to the structure that it is given.
        unsafe { libc::clock_gettime(clock, &mut time) };
        time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
    }

    /// Seconds that a call takes, and what it gives.
    pub fn time<R>(self, call: impl FnOnce() -> R) -> (f64, R) {
        let start = self.seconds();
        let result = black_box(call());
        (self.seconds() - start, result)
    }
}

/// The least and the median of some times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// The least.
    pub least: f64,
    /// The median: the larger of the middle two, if there are two.
    pub median: f64,
}

impl Times {
    /// Statistics of times in any order, one or more.
    pub fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self { least: times[0], median: times[times.len() / 2] }
    }

    /// Statistics of `repeats` calls after a first one, which brings into memory what is not there yet; this thread's
    /// time.
    pub fn of_calls<R>(repeats: usize, mut call: impl FnMut() -> R) -> Self {
        black_box(call());
        Self::of((0..repeats).map(|_| Clock::Thread.time(&mut call).0).collect())
    }

    /// The statistics in another unit, or for each of several: all times times a factor.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { least: self.least * factor, median: self.median * factor }
    }
}
