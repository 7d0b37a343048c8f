//! The process that work runs in: its memory, its threads, and whom its steps are reported to.
//!
//! *Vocabulary.* A [`Footprint`] is the memory of work, told before it begins; [`memory::require`] compares it with the
//! process's limits. A [`Pool`] is a number of threads, which a fork has its own of. A [`Progress`] is told of steps,
//! and its answer may cancel the work.
//!
//! *Map.* `memory` limits and their refusal · `device` errors of devices · `unwinding` how both leave work · `pool`
//! threads · `progress` reports and cancellation.
//!
//! *Non-goals.* Buffers, and whatever is computed: nothing here knows of rings.

pub mod device;
pub mod memory;
mod pool;
mod progress;
mod unwinding;

pub use device::DeviceError;
pub use memory::{Footprint, OutOfMemory};
pub use pool::Pool;
pub use progress::{Cancelled, Progress, no_progress, report};
