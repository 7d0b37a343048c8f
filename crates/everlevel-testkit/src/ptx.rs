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
mod interface;
mod memory;
mod run;

use std::collections::BTreeMap;

use decode::Kernel;
pub use interface::{Argument, Error, Fault, FaultKind};

/// Kernels of one compilation.
#[derive(Debug)]
pub struct Module {
    kernels: BTreeMap<String, Kernel>,
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
