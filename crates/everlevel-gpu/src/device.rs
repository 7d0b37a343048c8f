//! The interface of devices: memory, streams, launches.

use crate::Error;

/// A device: what it holds, and what it runs.
///
/// Work in a stream is done in the order in which it was given. A launch may return before its work is done; an upload
/// has copied its bytes, and a download has written its own, when they return. A buffer may be dropped while work that
/// was given before uses it. Errors of work that was under way are those of the next call.
pub trait Device {
    /// Memory of the device.
    type Buffer;
    /// A queue of work.
    type Stream;
    /// Launches that were recorded.
    type Graph;

    /// Memory with arbitrary contents, at an address that is a multiple of 64 bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    fn alloc(&self, nbytes: usize) -> Result<Self::Buffer, Error>;

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
    /// [`Error::OutOfRange`] where they leave the buffer.
    fn download(&self, stream: &Self::Stream, out: &mut [u8], from: &Self::Buffer, at: usize) -> Result<(), Error>;

    /// Runs a kernel on `grid[0]·grid[1]` blocks of 256 threads.
    ///
    /// # Safety
    /// The arguments are of the types that the kernel takes, in its order, and what it reads in its tables keeps it
    /// inside of its memory.
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

    fn begin_recording(&self, stream: &Self::Stream) -> Result<(), Error>;

    fn end_recording(&self, stream: &Self::Stream) -> Result<Self::Graph, Error>;

    fn replay(&self, stream: &Self::Stream, graph: &Self::Graph) -> Result<(), Error>;
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
