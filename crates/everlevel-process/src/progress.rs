//! Progress of operations that take long: who is told of their steps, and how the answer cancels them.

use std::ops::ControlFlow;

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
