//! Kernels on residues for GPUs, and the interface of devices that run them.
//!
//! *Vocabulary.* A **kernel** is a function of `kernels/`, in a dialect of CUDA C++ that is plain C++ as well. A
//! [`Device`] has memory, and streams in which it runs kernels: a launch is a grid of blocks of 256 threads, of which
//! each does a list of phases with barriers between them. An [`Arena`] has the limbs that a device holds for a ring,
//! and is an [`everlevel_ring::device::DeviceRing`]: each of its operations gives the bits of the CPU's.
//!
//! *Batches.* Every operation takes many limbs, of any primes, and launches each kernel once: a **job** is what it does
//! to one of them, and a table of jobs goes to the device before the launch.
//!
//! *Devices.* The feature `host` has one, which runs kernels on the CPU, on plain memory or on memory that finds races
//! and accesses out of bounds. It is for tests: no product has it. The feature `cuda` has GPUs of NVIDIA, whose driver
//! is looked for when a device is made.
//!
//! *Map.* `device` the interface of devices · `host`, `cuda` both · `constants` what kernels know of primes · `arena`
//! limbs, tables and launches, with limbs that are `free`, the `planes` of packed residues, and threads in `turn` ·
//! `transform`, `pointwise`, `convert`, `sums` operations, by kernel · `ring` their interface · `open` devices by their
//! places. The kernels'
//! mathematics, and their ranges: `docs/notes/gpu-kernels.md`.
//!
//! *Non-goals.* Ciphertexts, keys' secrets, plans of memory.

mod arena;
mod constants;
mod convert;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod ends;
mod error;
mod free;
#[cfg(feature = "host")]
mod host;
mod open;
mod place;
mod planes;
mod pointwise;
mod ring;
mod sums;
mod together;
mod transform;
mod turn;

pub use arena::{Arena, Capacity};
pub use constants::Arithmetic;
#[cfg(feature = "cuda")]
pub use cuda::{Cuda, CudaBuffer, CudaGraph, CudaStream, LackingKernels};
pub use device::{Argument, Counters, Device};
pub use error::{Error, Fault, FaultKind};
#[cfg(feature = "host")]
pub use host::{Host, HostBuffer, HostGraph, HostStream, Memory, Order};
pub use open::{Opened, open, summary};
pub use place::Place;
