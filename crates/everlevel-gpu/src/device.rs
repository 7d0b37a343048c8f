//! The interface of devices: memory, streams, launches, graphs.

use std::fmt::Debug;
#[cfg(any(feature = "host", feature = "cuda"))]
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Error;

/// A device: what it holds, and what it runs.
///
/// Work in a stream is done in the order in which it was given. A launch may return before its work is done; an upload
/// has read its bytes, and a download has written its own, when they return. A buffer may be dropped while work that
/// was given before uses it. Errors of work that was under way are those of the next call.
///
/// *Graphs.* Between [`Device::begin_recording`] and [`Device::end_recording`] the launches of a stream don't run: they
/// become the nodes of a graph, each after the one before it, which [`Device::replay`] runs as often as one likes.
/// Uploads are no nodes: while a stream records they are done at once, so that the tables which they fill are there for
/// every replay. A graph keeps each buffer that its launches name until it is dropped, at its address, whoever else
/// drops it; so a buffer may be dropped while a stream records, and between replays. What a buffer *contains* is not
/// kept: a replay reads what is there then.
pub trait Device: Debug + Send + Sync + 'static {
    /// Memory of the device.
    type Buffer: Debug + Send + Sync + 'static;
    /// A queue of work.
    type Stream: Debug + Send + Sync + 'static;
    /// Launches that were recorded.
    type Graph: Debug + Send + Sync + 'static;

    /// Memory with arbitrary contents, at an address that is a multiple of 64 bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    fn alloc(&self, nbytes: usize) -> Result<Self::Buffer, Error>;

    /// Place of the device, as users write it.
    fn place(&self) -> String;

    /// A stream of its own.
    ///
    /// # Errors
    /// A device that is lost.
    fn stream(&self) -> Result<Self::Stream, Error>;

    /// Copies bytes into a buffer, from byte `at` on.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where they leave the buffer.
    fn upload(&self, stream: &Self::Stream, to: &mut Self::Buffer, at: usize, bytes: &[u8]) -> Result<(), Error>;

    /// Copies bytes out of a buffer, from byte `at` on, after the stream's work so far.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where they leave the buffer; [`Error::Recording`] while the stream records.
    fn download(&self, stream: &Self::Stream, out: &mut [u8], from: &Self::Buffer, at: usize) -> Result<(), Error>;

    /// Runs a kernel on `grid[0]·grid[1]` blocks of 256 threads, or records that while the stream records.
    ///
    /// # Safety
    /// The arguments are of the types that the kernel takes, in its order, and what it reads in its tables keeps it
    /// inside of its memory; of a launch that is recorded, whenever it is replayed.
    ///
    /// # Errors
    /// [`Error::UnknownKernel`], [`Error::OtherArguments`], and on memory that is checked [`Error::Fault`].
    unsafe fn launch(
        &self,
        stream: &Self::Stream,
        kernel: &str,
        grid: [u32; 2],
        arguments: &mut [Argument<'_, Self::Buffer>],
    ) -> Result<(), Error>;

    /// From here on the stream's launches are recorded.
    ///
    /// # Errors
    /// [`Error::Recording`] if they are already.
    fn begin_recording(&self, stream: &Self::Stream) -> Result<(), Error>;

    /// The launches that were recorded; the next ones run again. A graph that isn't wanted, after an error, is dropped.
    ///
    /// # Errors
    /// [`Error::NotRecording`] without [`Device::begin_recording`]; [`Error::OutOfMemory`], after which the recording
    /// has ended as well.
    fn end_recording(&self, stream: &Self::Stream) -> Result<Self::Graph, Error>;

    /// Runs the launches of a graph, of whichever stream of this device it was recorded in.
    ///
    /// # Safety
    /// The promises of the recorded launches hold for the buffers' contents now, and no other stream or thread touches
    /// the buffers until this stream's work so far is done.
    ///
    /// # Errors
    /// [`Error::Recording`] while the stream records, and those of launches.
    unsafe fn replay(&self, stream: &Self::Stream, graph: &Self::Graph) -> Result<(), Error>;

    /// Launches of a graph.
    fn node_count(&self, graph: &Self::Graph) -> usize;

    /// Transfers and launches of a stream since it was made.
    fn counters(&self, stream: &Self::Stream) -> Counters;
}

/// An argument of a kernel.
#[derive(Debug)]
pub enum Argument<'a, B> {
    /// Memory that the kernel writes, and may read.
    Written(&'a mut B),
    /// Memory that the kernel reads.
    Read(&'a B),
    /// A word.
    Word(u32),
}

/// Transfers and launches of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Bytes copied to the device.
    pub uploaded_nbytes: u64,
    /// Bytes copied from the device.
    pub downloaded_nbytes: u64,
    /// Kernels run, each node of each replay among them; recorded launches are not.
    pub launches: u64,
    /// Replays of graphs.
    pub replays: u64,
}

/// A stream's recording, if it records, and its counters.
#[cfg(any(feature = "host", feature = "cuda"))]
#[derive(Debug)]
pub(crate) struct Queue<R> {
    recording: Mutex<Option<R>>,
    counters: Mutex<Counters>,
}

#[cfg(any(feature = "host", feature = "cuda"))]
impl<R> Default for Queue<R> {
    fn default() -> Self {
        Self { recording: Mutex::default(), counters: Mutex::default() }
    }
}

#[cfg(any(feature = "host", feature = "cuda"))]
impl<R> Queue<R> {
    pub(crate) fn recording(&self) -> MutexGuard<'_, Option<R>> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses an operation while the stream records.
    pub(crate) fn waits(&self, operation: &'static str) -> Result<(), Error> {
        if self.recording().is_some() { Err(Error::Recording { operation }) } else { Ok(()) }
    }

    pub(crate) fn counters(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn replayed(&self, nodes: usize) {
        let mut counters = self.counters();
        counters.launches += nodes as u64;
        counters.replays += 1;
    }
}

/// The range of `len` bytes at byte `at` of a buffer.
#[cfg(any(feature = "host", feature = "cuda"))]
pub(crate) fn range(at: usize, len: usize, nbytes: usize) -> Result<std::ops::Range<usize>, Error> {
    match at.checked_add(len) {
        Some(end) if end <= nbytes => Ok(at..end),
        _ => Err(Error::OutOfRange { at, len, nbytes }),
    }
}
