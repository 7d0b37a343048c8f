//! The errors of devices and of operations on them.

use std::fmt;

use crate::Place;

/// An error of a device, or of an operation on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device has no memory left.
    #[error(
        "device: no memory for {nbytes} more bytes{}; drop what is held there, or take a smaller set",
        free.map_or_else(String::new, |free| format!(", {free} are free"))
    )]
    OutOfMemory {
        /// Bytes that were asked for.
        nbytes: usize,
        /// Bytes that are free, where the device says so.
        free: Option<usize>,
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
    /// An operation that waits for results, of a stream that records.
    #[error("device: {operation} while the stream records; end the recording first")]
    Recording {
        /// The operation.
        operation: &'static str,
    },
    /// The end of a recording that nobody began.
    #[error("device: the stream records nothing; begin a recording first")]
    NotRecording,
    /// This library was built without the devices of a place.
    #[error("device: this build has no {}; install one that has, or compute on the CPU", place.kind())]
    NotInThisBuild {
        /// The place.
        place: Place,
    },
    /// A device that is open for equal parameters, with other memory.
    #[error(
        "device: {place} is open for these parameters with {open} bytes of its memory, and {wanted} are asked for; leave the size out, or let the engine that opened it go first"
    )]
    OtherMemory {
        /// The place.
        place: Place,
        /// Bytes that it was opened with.
        open: u64,
        /// Bytes that are asked for.
        wanted: u64,
    },
    /// There is no driver of CUDA.
    #[error("device: the library of NVIDIA's driver isn't found; install the driver, or compute on the CPU")]
    NoDriver,
    /// The driver of CUDA is too old.
    #[error(
        "device: the driver has CUDA {}.{}, and {}.{} is the oldest that suffices; install a newer driver",
        found[0], found[1], needed[0], needed[1]
    )]
    OldDriver {
        /// The driver's version of CUDA, major and minor.
        found: [u32; 2],
        /// The oldest one.
        needed: [u32; 2],
    },
    /// There is no device of this number.
    #[error("device: device_id = {device_id}, and the driver has {count} devices, from 0 on; choose another, if any")]
    NoSuchDevice {
        /// The number.
        device_id: usize,
        /// Devices that there are.
        count: usize,
    },
    /// There are no kernels for the device's architecture.
    #[error(
        "device: this build has kernels for compute capabilities [{}], and this device has {}.{}; install \
         NVIDIA's compiler, pip install nvidia-cuda-nvrtc-cu12, or build with the cubins of `make gpu-kernels`",
        supported.iter().map(|sm| format!("{}.{}", sm / 10, sm % 10)).collect::<Vec<_>>().join(", "), found[0], found[1]
    )]
    NoKernels {
        /// The device's compute capability, major and minor.
        found: [u32; 2],
        /// The capabilities that this build has kernels for: ten times the major number, plus the minor one.
        supported: Vec<u32>,
    },
    /// A call of the driver fails: the device is lost, or a kernel that was under way failed.
    #[error("device: {operation}: {name}: {text}; make a new device, since what this one holds may be lost")]
    Driver {
        /// The driver's function.
        operation: &'static str,
        /// CUDA's name of the error.
        name: String,
        /// CUDA's words for it.
        text: String,
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
    /// The kind.
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
