//! Progress reports and cancellation of operations that take long.

use std::ops::ControlFlow;

use crate::Error;

/// Called with (steps done, steps in all) by operations that take long. An answer of [`ControlFlow::Break`] cancels the
/// operation, which then returns [`Error::Cancelled`] and nothing else. The number of steps in all may grow while they
/// are being counted.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) -> ControlFlow<()> + Sync);

/// Reports to nobody, and never cancels.
pub fn no_progress(_done: usize, _total: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Reports a step; an error if the answer is to stop.
pub(crate) fn report(op: &'static str, progress: Progress, done: usize, total: usize) -> Result<(), Error> {
    match progress(done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Cancelled { op, done, total }),
    }
}
