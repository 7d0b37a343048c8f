//! The host device: kernels compiled as C++, run on the CPU thread by thread, for tests.

use std::mem;

use bytemuck::{Pod, Zeroable};

use crate::{Argument, Device, Error, Fault, FaultKind};

/// Order in which the threads of a phase run, and the blocks of a launch. Results of a right kernel don't depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Ascending.
    Forward,
    /// Descending.
    Backward,
    /// A fixed permutation without runs.
    Shuffled,
}

impl Order {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::Forward, Self::Backward, Self::Shuffled];
}

/// The memory that kernels compute on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Plain.
    Plain,
    /// Checked: races, accesses out of bounds and reads of shared words that nobody wrote are errors.
    Checked,
    /// Checked as if no barrier stood between a kernel's phases: a kernel that needs one has a fault.
    CheckedWithoutBarriers,
}

/// The device that runs kernels on the CPU, on the caller's thread.
#[derive(Debug, Clone, Copy)]
pub struct Host {
    memory: Memory,
    order: Order,
}

/// Bytes of a line: kernels load factors of sixteen bytes at once.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// Memory of the host device.
pub struct HostBuffer {
    lines: Vec<Line>,
    nbytes: usize,
}

impl std::fmt::Debug for HostBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBuffer").field("nbytes", &self.nbytes).finish_non_exhaustive()
    }
}

impl HostBuffer {
    fn range(&self, at: usize, len: usize) -> Result<std::ops::Range<usize>, Error> {
        match at.checked_add(len) {
            Some(end) if end <= self.nbytes => Ok(at..end),
            _ => Err(Error::OutOfRange { at, len, nbytes: self.nbytes }),
        }
    }
}

/// `Argument` of memory.h.
#[repr(C)]
struct RawArgument {
    memory: *mut u8,
    nbytes: u64,
    word: u64,
}

/// `Fault` of memory.h.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RawFault {
    kind: u32,
    block: [u32; 2],
    phase: u32,
    thread: u32,
    other: u32,
    index: u64,
    length: u64,
    memory: [u8; 32],
}

type Launch =
    unsafe extern "C" fn(*const u8, usize, *const RawArgument, usize, u32, u32, u32, u32, *mut RawFault) -> u32;

// SAFETY: the signatures are those of host.cpp, which build.rs compiles for this feature.
unsafe extern "C" {
    fn everlevel_gpu_plain_launch(
        name: *const u8,
        name_len: usize,
        arguments: *const RawArgument,
        count: usize,
        grid_x: u32,
        grid_y: u32,
        order: u32,
        barriers: u32,
        fault: *mut RawFault,
    ) -> u32;
    fn everlevel_gpu_checked_launch(
        name: *const u8,
        name_len: usize,
        arguments: *const RawArgument,
        count: usize,
        grid_x: u32,
        grid_y: u32,
        order: u32,
        barriers: u32,
        fault: *mut RawFault,
    ) -> u32;
}

impl Host {
    /// The device on this memory, with threads in this order.
    pub const fn new(memory: Memory, order: Order) -> Self {
        Self { memory, order }
    }
}

impl Device for Host {
    type Buffer = HostBuffer;
    type Stream = ();

    fn alloc(&self, nbytes: usize) -> Result<HostBuffer, Error> {
        // Nobody may count on zeros.
        let count = nbytes.div_ceil(mem::size_of::<Line>());
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { nbytes })?;
        lines.resize(count, Line([0xa5a5_a5a5_a5a5_a5a5; 8]));
        Ok(HostBuffer { lines, nbytes })
    }

    fn stream(&self) -> Result<(), Error> {
        Ok(())
    }

    fn upload(&self, (): &(), to: &mut HostBuffer, at: usize, bytes: &[u8]) -> Result<(), Error> {
        let range = to.range(at, bytes.len())?;
        bytemuck::cast_slice_mut::<Line, u8>(&mut to.lines)[range].copy_from_slice(bytes);
        Ok(())
    }

    fn download(&self, (): &(), out: &mut [u8], from: &HostBuffer, at: usize) -> Result<(), Error> {
        let range = from.range(at, out.len())?;
        out.copy_from_slice(&bytemuck::cast_slice::<Line, u8>(&from.lines)[range]);
        Ok(())
    }

    unsafe fn launch(
        &self,
        (): &(),
        kernel: &str,
        grid: [u32; 2],
        arguments: &mut [Argument<'_, HostBuffer>],
    ) -> Result<(), Error> {
        let raw: Vec<RawArgument> = arguments
            .iter_mut()
            .map(|argument| match argument {
                Argument::Written(buffer) => {
                    RawArgument { memory: buffer.lines.as_mut_ptr().cast(), nbytes: buffer.nbytes as u64, word: 0 }
                }
                // Kernels take what they only read as such.
                Argument::Read(buffer) => RawArgument {
                    memory: buffer.lines.as_ptr().cast_mut().cast(),
                    nbytes: buffer.nbytes as u64,
                    word: 0,
                },
                Argument::Word(word) => RawArgument { memory: std::ptr::null_mut(), nbytes: 0, word: u64::from(*word) },
            })
            .collect();
        let launch: Launch = match self.memory {
            Memory::Plain => everlevel_gpu_plain_launch,
            Memory::Checked | Memory::CheckedWithoutBarriers => everlevel_gpu_checked_launch,
        };
        let barriers = u32::from(self.memory != Memory::CheckedWithoutBarriers);
        let mut fault = RawFault::zeroed();
        // SAFETY: the name and the arguments are slices with their lengths, and `fault` is a place for one fault. The
        // kernel's memory is borrowed for the call, exclusively where it writes, and that the kernel stays within it is
        // the caller's promise.
        let outcome = unsafe {
            launch(
                kernel.as_ptr(),
                kernel.len(),
                raw.as_ptr(),
                raw.len(),
                grid[0],
                grid[1],
                self.order as u32,
                barriers,
                &raw mut fault,
            )
        };
        let name = kernel.to_owned();
        match outcome {
            0 => Ok(()),
            1 => Err(Error::UnknownKernel { name }),
            2 => Err(Error::OtherArguments { name, count: raw.len() }),
            3 => Err(Error::Fault { name, fault: fault.into() }),
            _ => Err(Error::OutOfMemory { nbytes: raw.iter().map(|argument| argument.nbytes as usize).sum() }),
        }
    }
}

impl From<RawFault> for Fault {
    fn from(raw: RawFault) -> Self {
        let kind = match raw.kind {
            1 => FaultKind::OutOfBounds,
            2 => FaultKind::Race,
            _ => FaultKind::Uninitialised,
        };
        let name = raw.memory.split(|&byte| byte == 0).next().unwrap_or_default();
        let memory = String::from_utf8_lossy(name).into_owned();
        let RawFault { index, length, block, phase, thread, .. } = raw;
        Self { kind, memory, index, length, block, phase, thread }
    }
}
