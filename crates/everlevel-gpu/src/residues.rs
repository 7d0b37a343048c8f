//! The operations of a ring on the limbs of an arena.

use everlevel_ring::ResidueRows;
use std::any::Any;
use std::sync::Arc;

use everlevel_ring::Ring;
use everlevel_ring::device::{
    Conversion, DeviceError, DeviceLimb, DeviceMemory, DeviceRing, DiagonalSums, Halves, KeyProduct, Lift, Operands,
    Pointwise, Scaling, Tensor, Transform,
};

use crate::{Arena, Device, Error};

/// The operations of a ring on the limbs of an arena.
///
/// The jobs of one call run at once: none may write a limb that another one touches.
#[derive(Debug, Clone, Copy)]
pub struct Residues<'a, D: Device> {
    pub(crate) ring: &'a Ring,
    pub(crate) arena: &'a Arena<D>,
}

fn of_device<T>(result: Result<T, Error>) -> Result<T, DeviceError> {
    result.map_err(|error| DeviceError(Box::new(error)))
}

impl<D: Device> DeviceMemory for Arena<D> {
    fn id(&self) -> u64 {
        self.id()
    }

    fn take(&self, count: usize) -> Result<Vec<DeviceLimb>, DeviceError> {
        of_device(self.take(count))
    }

    fn release(&self, limbs: &[DeviceLimb]) {
        self.release(limbs);
    }

    fn copy(&self, pairs: &[[DeviceLimb; 2]]) -> Result<(), DeviceError> {
        of_device(self.copy_limbs(pairs))
    }

    fn clear(&self, limbs: &[DeviceLimb]) -> Result<(), DeviceError> {
        of_device(self.clear_limbs(limbs))
    }

    fn operations(self: Arc<Self>) -> Box<dyn Any> {
        Box::new(self as Arc<dyn DeviceRing>)
    }
}

impl<D: Device> DeviceRing for Arena<D> {
    fn write(&self, _: &Ring, to: DeviceLimb, residues: &[u64]) -> Result<(), DeviceError> {
        of_device(self.write(to, residues))
    }

    fn read(&self, _: &Ring, out: &mut [u64], from: DeviceLimb) -> Result<(), DeviceError> {
        of_device(self.read(out, from))
    }

    fn forward(&self, ring: &Ring, transforms: &[Transform]) -> Result<(), DeviceError> {
        of_device(self.on(ring).forward(transforms))
    }

    fn inverse_scaled(&self, ring: &Ring, transforms: &[Transform], constants: &[u64]) -> Result<(), DeviceError> {
        of_device(self.on(ring).inverse_scaled(transforms, constants))
    }

    fn pointwise(&self, ring: &Ring, operation: Pointwise, all: &[Operands]) -> Result<(), DeviceError> {
        of_device(self.on(ring).pointwise(operation, all))
    }

    fn scaling(&self, ring: &Ring, op: Scaling, all: &[Operands], factors: &[u64]) -> Result<(), DeviceError> {
        of_device(self.on(ring).scaling(op, all, factors))
    }

    fn halves(
        &self,
        ring: &Ring,
        operation: Halves,
        all: &[(usize, DeviceLimb)],
        residues: &[[u64; 2]],
    ) -> Result<(), DeviceError> {
        of_device(self.on(ring).halves(operation, all, residues))
    }

    fn tensor(&self, ring: &Ring, all: &[Tensor]) -> Result<(), DeviceError> {
        of_device(self.on(ring).tensor(all))
    }

    fn convert(&self, ring: &Ring, conversions: &[Conversion<'_>]) -> Result<(), DeviceError> {
        of_device(self.on(ring).convert(conversions))
    }

    fn lift(&self, ring: &Ring, lifts: &[Lift]) -> Result<(), DeviceError> {
        of_device(self.on(ring).lift(lifts))
    }

    fn automorphism(&self, ring: &Ring, all: &[Operands], galois_elt: u64) -> Result<(), DeviceError> {
        of_device(self.on(ring).automorphism(all, galois_elt))
    }

    fn key_products(&self, ring: &Ring, products: &[KeyProduct<'_>]) -> Result<(), DeviceError> {
        of_device(self.on(ring).key_products(products))
    }

    fn diagonal_sums(&self, ring: &Ring, sums: &[DiagonalSums<'_>]) -> Result<(), DeviceError> {
        of_device(self.on(ring).diagonal_sums(sums))
    }

    fn hold_rows(&self, ring: &Ring, rows: &ResidueRows) -> Result<(), DeviceError> {
        of_device(self.on(ring).rows(rows).map(drop))
    }

    fn enter(&self) {
        self.turn().enter();
    }

    fn leave(&self) {
        self.turn().leave();
    }

    fn begin_recording(&self) -> Result<(), DeviceError> {
        of_device(Arena::begin_recording(self))
    }

    fn end_recording(&self) -> Result<Arc<dyn Any + Send + Sync>, DeviceError> {
        of_device(Arena::end_recording(self).map(|recorded| Arc::new(recorded) as _))
    }

    fn replay(&self, recording: &(dyn Any + Send + Sync)) -> Result<(), DeviceError> {
        of_device(Arena::replay(self, recording.downcast_ref().expect("a recording of this kind of device")))
    }
}
