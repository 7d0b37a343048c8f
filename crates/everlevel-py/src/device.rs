//! GPUs: the one that an engine asks for, and machine code that is compiled for it.

use everlevel_ckks as ckks;
use everlevel_gpu::{LackingKernels, Opened, Place, open};
use everlevel_process::DeviceError;
use pyo3::prelude::*;

/// The device that an engine asks for: a GPU's number, or none for the one that runs kernels on the CPU, and bytes of
/// its memory, or none for four fifths of those that are free.
#[derive(FromPyObject)]
pub struct Wanted(Option<usize>, Option<u64>);

impl Wanted {
    pub fn open(&self, context: &ckks::Context) -> Result<Opened, ckks::Error> {
        let place = self.0.map_or(Place::Host, Place::Gpu);
        open(place, context.ring(), self.1)
            .map_err(|error| everlevel_objects::Error::of_device("Engine", &DeviceError::from(error)).into())
    }
}

/// Kernels' sources, each with its file's name.
type Sources = Vec<(&'static str, &'static str)>;

/// The architecture of a GPU that this build has no machine code for; none where it has, or where there is no such GPU.
#[pyfunction]
pub fn lacking_kernels(device_id: usize) -> Option<u32> {
    Some(LackingKernels::of(device_id).ok().flatten()?.sm)
}

/// Gives the machine code of an architecture.
#[pyfunction]
pub fn provide_kernels(sm: u32, cubin: Vec<u8>) {
    LackingKernels { sm }.provide(cubin);
}

/// Sources of the kernels, each with its file's name.
#[pyfunction]
pub fn kernel_sources() -> Sources {
    LackingKernels::sources().to_vec()
}
