//! Errors that unwind: operations in whose midst they occur return no results.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Leaves the work that an error is in the middle of, up to [`caught`].
pub(crate) fn unwind(error: impl Any + Send) -> ! {
    resume_unwind(Box::new(error))
}

/// Runs `work`, where the errors of one type that unwind from it become errors. What else unwinds goes on.
pub(crate) fn caught<T, E: Any>(work: impl FnOnce() -> T) -> Result<T, E> {
    // What the work was changing is not seen again: results are made whole or not at all.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<E>() {
        Ok(error) => *error,
        Err(payload) => resume_unwind(payload),
    })
}
