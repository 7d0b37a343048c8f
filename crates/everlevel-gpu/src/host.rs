//! The host device: kernels compiled as C++, run on the CPU thread by thread, for tests.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::{mem, ptr, slice};

use bytemuck::{Pod, Zeroable};

use crate::device::{Queue, range};
use crate::{Argument, Counters, Device, Error, Fault, FaultKind};

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
    /// The only kernel that runs on this memory, if not all do.
    only: Option<&'static str>,
}

/// Bytes of a line: kernels load factors of sixteen bytes at once.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// Lines that kernels write while others may name them.
struct Lines(Box<[UnsafeCell<Line>]>);

// SAFETY: the lines are touched by calls of the device alone, and those who make them promise, of launches and replays,
// that no other call touches the same lines meanwhile.
unsafe impl Sync for Lines {}

impl Lines {
    fn bytes(&self) -> *mut u8 {
        self.0.as_ptr().cast_mut().cast()
    }
}

/// Memory of the host device.
pub struct HostBuffer {
    lines: Arc<Lines>,
    nbytes: usize,
}

impl std::fmt::Debug for HostBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBuffer").field("nbytes", &self.nbytes).finish_non_exhaustive()
    }
}

/// A stream of the host device.
#[derive(Debug, Default)]
pub struct HostStream(Queue<HostGraph>);

/// Launches that a stream of the host device recorded.
#[derive(Debug, Default)]
pub struct HostGraph {
    launches: Vec<Recorded>,
}

/// A launch, with its memory.
#[derive(Debug)]
struct Recorded {
    kernel: String,
    grid: [u32; 2],
    arguments: Vec<Kept>,
}

/// An argument that is kept.
#[derive(Debug)]
enum Kept {
    Memory(HostBuffer),
    Word(u32),
}

impl Kept {
    fn new(argument: &Argument<'_, HostBuffer>) -> Self {
        let memory =
            |buffer: &HostBuffer| Self::Memory(HostBuffer { lines: Arc::clone(&buffer.lines), nbytes: buffer.nbytes });
        match argument {
            Argument::Written(buffer) => memory(buffer),
            Argument::Read(buffer) => memory(buffer),
            Argument::Word(word) => Self::Word(*word),
        }
    }

    fn raw(&self) -> RawArgument {
        match self {
            Self::Memory(buffer) => RawArgument { memory: buffer.lines.bytes(), nbytes: buffer.nbytes as u64, word: 0 },
            Self::Word(word) => RawArgument { memory: ptr::null_mut(), nbytes: 0, word: u64::from(*word) },
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
        Self { memory, order, only: None }
    }

    /// This device for one kernel; every other kernel runs on plain memory.
    #[must_use]
    pub const fn only(self, kernel: &'static str) -> Self {
        Self { only: Some(kernel), ..self }
    }

    /// Runs a kernel.
    ///
    /// # Safety
    /// The promise of [`Device::launch`].
    unsafe fn run(self, kernel: &str, grid: [u32; 2], arguments: &[Kept]) -> Result<(), Error> {
        let raw: Vec<RawArgument> = arguments.iter().map(Kept::raw).collect();
        let memory = if self.only.is_none_or(|only| only == kernel) { self.memory } else { Memory::Plain };
        let launch: Launch = match memory {
            Memory::Plain => everlevel_gpu_plain_launch,
            Memory::Checked | Memory::CheckedWithoutBarriers => everlevel_gpu_checked_launch,
        };
        let barriers = u32::from(memory != Memory::CheckedWithoutBarriers);
        let mut fault = RawFault::zeroed();
        // SAFETY: the name and the arguments are slices with their lengths, and `fault` is a place for one fault. The
        // arguments hold the kernel's memory, and that it stays within it, and nobody else touches it meanwhile, is the
        // caller's promise.
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
            _ => Err(Error::OutOfMemory {
                nbytes: raw.iter().map(|argument| argument.nbytes as usize).sum(),
                free: None,
            }),
        }
    }
}

impl Device for Host {
    type Buffer = HostBuffer;
    type Stream = HostStream;
    type Graph = HostGraph;

    fn place(&self) -> String {
        "gpu:host".into()
    }

    fn alloc(&self, nbytes: usize) -> Result<HostBuffer, Error> {
        // Nobody may count on zeros.
        let count = nbytes.div_ceil(mem::size_of::<Line>());
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { nbytes, free: None })?;
        lines.resize_with(count, || UnsafeCell::new(Line([0xa5a5_a5a5_a5a5_a5a5; 8])));
        Ok(HostBuffer { lines: Arc::new(Lines(lines.into_boxed_slice())), nbytes })
    }

    fn stream(&self) -> Result<HostStream, Error> {
        Ok(HostStream::default())
    }

    fn upload(&self, stream: &HostStream, to: &mut HostBuffer, at: usize, bytes: &[u8]) -> Result<(), Error> {
        let range = range(at, bytes.len(), to.nbytes)?;
        // SAFETY: the range lies in the buffer, which is this call's alone, but for graphs, of which their callers
        // promise that none is replayed meanwhile.
        unsafe { slice::from_raw_parts_mut(to.lines.bytes().add(range.start), range.len()) }.copy_from_slice(bytes);
        stream.0.counters().uploaded_nbytes += bytes.len() as u64;
        Ok(())
    }

    fn download(&self, stream: &HostStream, out: &mut [u8], from: &HostBuffer, at: usize) -> Result<(), Error> {
        stream.0.waits("a download")?;
        let range = range(at, out.len(), from.nbytes)?;
        // SAFETY: the range lies in the buffer, which nobody writes while it is borrowed, as above.
        out.copy_from_slice(unsafe { slice::from_raw_parts(from.lines.bytes().add(range.start), range.len()) });
        stream.0.counters().downloaded_nbytes += out.len() as u64;
        Ok(())
    }

    unsafe fn launch(
        &self,
        stream: &HostStream,
        kernel: &str,
        grid: [u32; 2],
        arguments: &mut [Argument<'_, HostBuffer>],
    ) -> Result<(), Error> {
        let arguments: Vec<Kept> = arguments.iter().map(Kept::new).collect();
        if let Some(graph) = &mut *stream.0.recording() {
            graph.launches.push(Recorded { kernel: kernel.to_owned(), grid, arguments });
            return Ok(());
        }
        stream.0.counters().launches += 1;
        // SAFETY: the caller vouches for the arguments, which are those of the kernel, and for indices within their
        // memory.
        unsafe { self.run(kernel, grid, &arguments) }
    }

    fn begin_recording(&self, stream: &HostStream) -> Result<(), Error> {
        stream.0.waits("the beginning of another recording")?;
        *stream.0.recording() = Some(HostGraph::default());
        Ok(())
    }

    fn end_recording(&self, stream: &HostStream) -> Result<HostGraph, Error> {
        stream.0.recording().take().ok_or(Error::NotRecording)
    }

    unsafe fn replay(&self, stream: &HostStream, graph: &HostGraph) -> Result<(), Error> {
        stream.0.waits("a replay")?;
        stream.0.replayed(graph.launches.len());
        for Recorded { kernel, grid, arguments } in &graph.launches {
            // SAFETY: the caller vouches for the arguments of every launch of the graph, and for indices within their
            // memory.
            unsafe { self.run(kernel, *grid, arguments) }?;
        }
        Ok(())
    }

    fn node_count(&self, graph: &HostGraph) -> usize {
        graph.launches.len()
    }

    fn counters(&self, stream: &HostStream) -> Counters {
        *stream.0.counters()
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
