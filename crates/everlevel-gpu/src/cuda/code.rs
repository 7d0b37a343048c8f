//! Machine code of the kernels: what this build embeds, and what was compiled on this machine from the sources.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use super::driver::Context;
use crate::Error;

/// Cubins of all kernels, each with ten times the compute capability's major number plus its minor one; and sources of
/// the kernels, by file.
mod embedded {
    include!(concat!(env!("OUT_DIR"), "/code.rs"));
}

/// Cubins that were compiled on this machine.
static PROVIDED: Mutex<Vec<(u32, Vec<u8>)>> = Mutex::new(Vec::new());

/// Kernels of which a GPU lacks machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LackingKernels {
    /// Ten times the compute capability's major number, plus the minor one.
    pub sm: u32,
}

impl LackingKernels {
    /// The lack of a GPU, if it has one.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::OldDriver`], [`Error::NoSuchDevice`], [`Error::Driver`].
    pub fn of(device_id: usize) -> Result<Option<Self>, Error> {
        let context = Context::new(device_id)?;
        let [major, minor] = context.capability;
        Ok(cubin(&context).is_err().then_some(Self { sm: 10 * major + minor }))
    }

    /// The sources to compile, `kernels.h` with the options of `scripts/gpu_kernels.py`, by file.
    pub fn sources() -> &'static [(&'static str, &'static str)] {
        embedded::SOURCES
    }

    /// Gives the machine code that was lacking, for all devices of the architecture from now on.
    pub fn provide(self, cubin: Vec<u8>) {
        PROVIDED.lock().unwrap_or_else(PoisonError::into_inner).push((self.sm, cubin));
    }
}

/// The name of a GPU, with where its kernels are from if they aren't in this build.
pub(crate) fn name_of(device_id: usize) -> Result<String, Error> {
    let context = Context::new(device_id)?;
    let source = if cubin(&context).is_ok() { "" } else { ", with kernels from NVIDIA's compiler" };
    Ok(format!("{}{source}", context.name))
}

/// Machine code for a GPU: it runs on later devices of the same major number.
pub(super) fn cubin(context: &Context) -> Result<Cow<'static, [u8]>, Error> {
    let found @ [major, minor] = context.capability;
    let fits = |sm: u32| sm / 10 == major && sm % 10 <= minor;
    if let Some((_, code)) = embedded::CUBINS.iter().filter(|(sm, _)| fits(*sm)).max_by_key(|(sm, _)| sm) {
        return Ok(Cow::Borrowed(code));
    }
    let provided = PROVIDED.lock().unwrap_or_else(PoisonError::into_inner);
    match provided.iter().find(|(sm, _)| fits(*sm)) {
        Some((_, code)) => Ok(Cow::Owned(code.clone())),
        None => Err(Error::NoKernels { found, supported: embedded::CUBINS.iter().map(|(sm, _)| *sm).collect() }),
    }
}
