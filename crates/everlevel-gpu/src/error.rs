//! The errors of devices and of operations on them.

use std::fmt;

/// An error of a device, or of an operation on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device has no memory left.
    #[error("device: no memory for {nbytes} more bytes; drop what is held there, or take a smaller set")]
    OutOfMemory {
        /// Bytes that were asked for.
        nbytes: usize,
    },
    /// The arena has no limbs left.
    #[error("device: {wanted} limbs are wanted and {free} are free; release some, or make a larger arena")]
    OutOfLimbs {
        /// Limbs that were asked for.
        wanted: usize,
        /// Limbs that nobody holds.
        free: usize,
    },
    /// A transfer leaves its buffer.
    #[error("device: {len} bytes at byte {at} leave a buffer of {nbytes} bytes")]
    OutOfRange {
        /// First byte.
        at: usize,
        /// Bytes to be copied.
        len: usize,
        /// Bytes of the buffer.
        nbytes: usize,
    },
    /// Residues were to be copied while work is recorded.
    #[error("device: residues can't be copied in work that is recorded; copy them before or after it")]
    Recording,
    /// The degree is none that the kernels are made for.
    #[error("device: log_n = {log_n} is outside 10..=17")]
    BadSize {
        /// The rejected size.
        log_n: u32,
    },
    /// The device has no kernel of this name.
    #[error("device: no kernel is named {name}; the device's kernels are of another version")]
    UnknownKernel {
        /// The name.
        name: String,
    },
    /// The kernel has another number of parameters.
    #[error("device: kernel {name} doesn't take {count} arguments; the device's kernels are of another version")]
    OtherArguments {
        /// The kernel.
        name: String,
        /// Arguments that were given.
        count: usize,
    },
    /// A kernel misuses its memory.
    #[error("device: kernel {name}: {fault}")]
    Fault {
        /// The kernel.
        name: String,
        /// The misuse.
        fault: Fault,
    },
}

/// A misuse of memory by a kernel, and where it was noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// The shared memory's name, or the argument's place.
    pub memory: String,
    /// Index of the word.
    pub index: u64,
    /// Words of the memory.
    pub length: u64,
    /// Place of the block in the grid.
    pub block: [u32; 2],
    /// Phase, from 1.
    pub phase: u32,
    /// Thread of the block.
    pub thread: u32,
}

/// A kind of misuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// An index is not below the memory's length.
    OutOfBounds,
    /// Two threads touch a word without a barrier between, and one of them writes it.
    Race,
    /// A word of shared memory is read that no thread of the block has written.
    Uninitialised,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, memory, index, length, block, phase, thread } = self;
        let what = match kind {
            FaultKind::OutOfBounds => "access out of bounds",
            FaultKind::Race => "race",
            FaultKind::Uninitialised => "word that nobody wrote",
        };
        write!(f, "{what} at {memory}[{index}] of {length}, block {block:?}, phase {phase}, thread {thread}")
    }
}
