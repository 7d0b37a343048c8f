//! An arena as the device of a ring.

use std::any::Any;
use std::sync::Arc;

use everlevel_math::Modulus;
use everlevel_ring::device::{Call, DeviceError, DeviceLimb, DevicePacked, DeviceRing, HeldPieces};

use crate::{Arena, Device, Error};

impl From<Error> for DeviceError {
    fn from(error: Error) -> Self {
        Self(Box::new(error))
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

    fn take(&self, count: usize) -> Result<Vec<DeviceLimb>, DeviceError> {
        Ok(self.take(count)?)
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
