//! Arguments of launches, and the errors that launches end with.

/// Threads of a block.
pub(super) const THREADS: usize = 256;

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
    /// The kind.
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
