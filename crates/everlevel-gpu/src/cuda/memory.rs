//! Memory of a GPU: large pieces by themselves, small ones from slabs, again and again.
//!
//! All work of a device is in one stream. So a small piece is used again as soon as it is dropped: what is written to
//! it then comes after what was still to be read.

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{self, CUdeviceptr, CUresult};

use super::driver::{Context, checked};
use crate::Error;

/// Pieces up to this size are from slabs.
const LARGEST_SMALL: usize = 1 << 20;
const SMALLEST: usize = 256;
/// Sizes of small pieces: powers of two.
const SIZES: usize = (LARGEST_SMALL / SMALLEST).ilog2() as usize + 1;
const SLAB: usize = 16 << 20;

/// The memory of a device.
#[derive(Debug)]
pub(super) struct Memory {
    context: Arc<Context>,
    small: Mutex<Small>,
}

/// Small pieces that nobody holds.
#[derive(Debug, Default)]
struct Small {
    slabs: Vec<CUdeviceptr>,
    /// The rest of the last slab: its address and its bytes.
    rest: (CUdeviceptr, usize),
    free: [Vec<CUdeviceptr>; SIZES],
}

/// A piece of memory.
#[derive(Debug)]
pub(super) struct Piece {
    pub address: CUdeviceptr,
    nbytes: usize,
    memory: Arc<Memory>,
}

fn size_of(nbytes: usize) -> usize {
    (nbytes.max(SMALLEST).next_power_of_two() / SMALLEST).ilog2() as usize
}

impl Memory {
    pub fn new(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self { context, small: Mutex::default() })
    }

    pub fn alloc(self: &Arc<Self>, nbytes: usize) -> Result<Piece, Error> {
        let address = if nbytes > LARGEST_SMALL { self.large(nbytes)? } else { self.small(size_of(nbytes))? };
        Ok(Piece { address, nbytes, memory: Arc::clone(self) })
    }

    fn large(&self, nbytes: usize) -> Result<CUdeviceptr, Error> {
        let _entered = self.context.enter()?;
        let mut address = 0;
        // SAFETY: a context is current; the function writes to the place that it is given.
        match unsafe { sys::cuMemAlloc_v2(&raw mut address, nbytes) } {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Err(Error::OutOfMemory { nbytes, free: self.context.free_nbytes().ok() })
            }
            result => checked("cuMemAlloc", result).map(|()| address),
        }
    }

    fn small(&self, size: usize) -> Result<CUdeviceptr, Error> {
        let mut small = self.small.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = small.free[size].pop() {
            return Ok(address);
        }
        let nbytes = SMALLEST << size;
        if small.rest.1 < nbytes {
            // What was left is smaller than a piece of this size: it stays unused.
            let slab = self.large(SLAB)?;
            small.slabs.push(slab);
            small.rest = (slab, SLAB);
        }
        let (address, left) = small.rest;
        small.rest = (address + nbytes as CUdeviceptr, left - nbytes);
        Ok(address)
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if self.nbytes <= LARGEST_SMALL {
            let mut small = self.memory.small.lock().unwrap_or_else(PoisonError::into_inner);
            small.free[size_of(self.nbytes)].push(self.address);
            return;
        }
        // Nobody is left to be told of an error. What users had there is overwritten first; freeing waits for all work.
        if let Ok(_entered) = self.memory.context.enter() {
            // SAFETY: the piece is this one's alone, of this size.
            unsafe {
                sys::cuMemsetD8Async(self.address, 0, self.nbytes, self.memory.context.stream);
                sys::cuStreamSynchronize(self.memory.context.stream);
                sys::cuMemFree_v2(self.address);
            }
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let slabs = std::mem::take(&mut self.small.get_mut().unwrap_or_else(PoisonError::into_inner).slabs);
        if let Ok(_entered) = self.context.idle() {
            for slab in slabs {
                // SAFETY: no piece of the slab is held, since pieces hold the memory.
                unsafe { sys::cuMemFree_v2(slab) };
            }
        }
    }
}
