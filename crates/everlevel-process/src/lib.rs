//! The process that work runs in: its memory, its threads, and whom its steps are reported to.
//!
//! *Vocabulary.* A [`Footprint`] is the memory of work, told before it begins; [`memory::require`] compares it with the
//! process's limits. A [`Pool`] is a number of threads, which a fork has its own of. A [`Progress`] is told of steps,
//! and its answer may cancel the work.
//!
//! *Map.* `memory` limits and their refusal · `work` threads, errors that leave it, reports and cancellation.
//!
//! *Non-goals.* Buffers, and whatever is computed: nothing here knows of rings.

pub mod memory;
mod work;

pub use memory::{Footprint, OutOfMemory};
pub use work::{Cancelled, DeviceError, Pool, Progress, caught, no_progress, report, unwind};
