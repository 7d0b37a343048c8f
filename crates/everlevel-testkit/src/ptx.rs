//! An interpreter of PTX: the kernels of a GPU as their compiler wrote them, run on the CPU.
//!
//! *Vocabulary.* A [`Module`] is the text of a compilation, decoded once; a launch runs one of its kernels block by
//! block. A block's threads go in warps of 32 lanes, each up to the next barrier; the lanes of a warp that are at the
//! same instruction, the earliest one, do it together, so that branches may part them.
//!
//! *Checks.* An instruction that the interpreter doesn't know is an error that names it, when the module is decoded.
//! Every access has to be aligned and inside of an argument's memory or of the block's shared memory. Two threads race
//! where both touch a shared word, one of them writes it, and no barrier is between; a shared word has to be written
//! before it is read.
//!
//! *Non-goals.* Races of blocks, atomic operations, floats of 32 bits, calls, local memory: no kernel of this library
//! has them.

mod decode;
mod memory;
mod run;

use std::collections::BTreeMap;

use decode::Kernel;

/// Threads of a block.
pub const THREADS: usize = 256;

/// Kernels of one compilation.
#[derive(Debug)]
pub struct Module {
    kernels: BTreeMap<String, Kernel>,
}

/// An argument of a kernel.
#[derive(Debug, Clone, Copy)]
pub enum Argument {
    /// Memory: its place in the list that a launch has.
    Memory(usize),
    /// A word.
    Word(u32),
}

/// An error of the interpreter: of a text that it doesn't know, or of a kernel that misuses its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// An instruction, or a directive, or an operand, that the interpreter doesn't know.
    Unknown {
        /// The kernel.
        kernel: String,
        /// The statement.
        statement: String,
    },
    /// No kernel has this name.
    NoKernel,
    /// The kernel has another number of parameters.
    OtherArguments,
    /// A misuse of memory.
    Fault(Fault),
}

/// A misuse of memory, and where it was noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// The shared memory's name, or the argument's place.
    pub memory: String,
    /// Index of the word, in words of the access.
    pub index: u64,
    /// Words of the memory.
    pub length: u64,
    /// Place of the block in the grid.
    pub block: [u32; 2],
    /// Phase between two barriers, from 1.
    pub phase: u32,
    /// Thread of the block.
    pub thread: u32,
}

/// A kind of misuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// An index is not below the memory's length, or the address is in no memory.
    OutOfBounds,
    /// Two threads touch a shared word without a barrier between, and one of them writes it.
    Race,
    /// A shared word is read that no thread of the block has written.
    Uninitialised,
    /// The address is no multiple of the word's size.
    Misaligned,
    /// A barrier that not all threads of the block come to.
    Barrier,
}

impl Module {
    /// Decodes all kernels of a text.
    ///
    /// # Errors
    /// [`Error::Unknown`] for whatever the interpreter doesn't know.
    pub fn new(text: &str) -> Result<Self, Error> {
        Ok(Self { kernels: decode::kernels(text)? })
    }

    /// Names of the kernels.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.kernels.keys().map(String::as_str)
    }

    /// Runs a kernel on `grid[0]·grid[1]` blocks of 256 threads.
    ///
    /// # Errors
    /// [`Error::NoKernel`], [`Error::OtherArguments`], and [`Error::Fault`] at the first misuse of memory, after which
    /// memory has what was written up to there.
    pub fn run(
        &self,
        kernel: &str,
        grid: [u32; 2],
        arguments: &[Argument],
        memory: &mut [&mut [u8]],
    ) -> Result<(), Error> {
        let kernel = self.kernels.get(kernel).ok_or(Error::NoKernel)?;
        if kernel.parameter_count != arguments.len() {
            return Err(Error::OtherArguments);
        }
        run::launch(kernel, grid, arguments, memory).map_err(Error::Fault)
    }
}
