//! The clocks of the examples that time, on machines that may be shared.

/// Seconds that a clock shows: of this thread or of the process, [`libc::CLOCK_THREAD_CPUTIME_ID`] or
/// [`libc::CLOCK_PROCESS_CPUTIME_ID`].
pub fn cpu_seconds(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock writes to the structure that it is given.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// The least and the median of some times.
pub fn least_and_median(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}
