//! An arena as the device of a ring.

use std::any::Any;
use std::sync::Arc;

use everlevel_math::Modulus;
use everlevel_ring::OutOfMemory;
use everlevel_ring::device::{Call, DeviceError, DeviceLimb, DeviceMemory, DevicePacked, DeviceRing, HeldPieces};
use everlevel_ring::memory::Limit;

use crate::{Arena, Device, Error};

impl From<Error> for DeviceError {
    fn from(error: Error) -> Self {
        match error {
            Error::OutOfMemory { nbytes, free } => {
                let available = free.map_or(0, |free| free as u64);
                Self::Memory(OutOfMemory { needed: nbytes as u64, available, limit: Limit::Device })
            }
            error => Self::Other(Box::new(error)),
        }
    }
}

impl<D: Device> Arena<D> {
    /// Bytes of limbs.
    fn nbytes(&self, limb_count: usize) -> u64 {
        (limb_count as u64 * size_of::<u64>() as u64) << self.log_n()
    }
}

impl<D: Device> DeviceRing for Arena<D> {
    fn id(&self) -> u64 {
        self.id()
    }

    fn log_n(&self) -> u32 {
        self.log_n()
    }

    fn moduli(&self) -> &[Modulus] {
        self.moduli()
    }

    fn place(&self) -> &str {
        self.place()
    }

    fn memory(&self) -> DeviceMemory {
        let (all, free) = (self.nbytes(self.limb_count()), self.nbytes(self.free_limb_count()));
        DeviceMemory { limbs: [all - free, all], packed: self.planes.held_nbytes() }
    }

    fn take(&self, count: usize) -> Result<Vec<DeviceLimb>, DeviceError> {
        self.take(count).map_err(|error| match error {
            Error::OutOfLimbs { wanted, free } => DeviceError::Memory(OutOfMemory {
                needed: self.nbytes(wanted),
                available: self.nbytes(free),
                limit: Limit::DeviceLimbs,
            }),
            error => error.into(),
        })
    }

    fn release(&self, limbs: &[DeviceLimb]) {
        self.free().give(limbs);
    }

    fn write(&self, to: DeviceLimb, residues: &[u64]) -> Result<(), DeviceError> {
        Ok(self.write(to, residues)?)
    }

    fn read(&self, out: &mut [u64], from: DeviceLimb) -> Result<(), DeviceError> {
        Ok(self.read(out, from)?)
    }

    fn hold(&self, count: usize, len: usize) -> Result<Box<dyn HeldPieces>, DeviceError> {
        Ok(Box::new(self.planes.take(count, len)?))
    }

    fn fill(&self, to: DevicePacked, residues: &[u64]) -> Result<(), DeviceError> {
        Ok(self.planes.fill(self.device(), self.stream(), to, residues)?)
    }

    fn keep(&self, held: Arc<dyn Any + Send + Sync>) {
        self.keep(held);
    }

    fn run(&self, call: Call) -> Result<(), DeviceError> {
        Ok(Arena::run(self, call)?)
    }

    fn enter(&self) {
        self.turn().enter();
    }

    fn leave(&self) {
        self.turn().leave();
    }

    fn begin_recording(&self) -> Result<(), DeviceError> {
        Ok(Arena::begin_recording(self)?)
    }

    fn end_recording(&self) -> Result<Arc<dyn Any + Send + Sync>, DeviceError> {
        Ok(Arc::new(Arena::end_recording(self)?))
    }

    fn replay(&self, recording: &(dyn Any + Send + Sync)) -> Result<(), DeviceError> {
        Ok(Arena::replay(self, recording.downcast_ref().expect("a recording of this kind of device"))?)
    }
}
