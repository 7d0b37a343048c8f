//! The driver's calls with their errors, and the context that all memory and kernels of a device belong to.

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::marker::PhantomData;
use std::ptr;

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUdevice_attribute, CUresult, CUstream};

use crate::Error;

/// The oldest driver that has the functions which are used here.
const OLDEST: [u32; 2] = [12, 4];

/// The outcome of a call of the driver.
pub(super) fn checked(operation: &'static str, result: CUresult) -> Result<(), Error> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let text = |get: unsafe fn(CUresult, *mut *const c_char) -> CUresult| {
        let mut text = ptr::null();
        // SAFETY: the driver is there, since it gave the result; it writes a pointer to a string of its own, or none.
        unsafe {
            get(result, &raw mut text);
            if text.is_null() { "?".into() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        }
    };
    Err(Error::Driver { operation, name: text(sys::cuGetErrorName), text: text(sys::cuGetErrorString) })
}

/// The device's context, its only stream, and its properties.
pub(super) struct Context {
    /// Number of the device among the driver's.
    pub id: usize,
    device: CUdevice,
    context: CUcontext,
    pub stream: CUstream,
    pub name: String,
    pub capability: [u32; 2],
    pub total_nbytes: usize,
}

/// The time in which a context is that of a thread's calls; after it the thread has the one from before again.
pub(super) struct Entered<'a>(PhantomData<(&'a Context, *const ())>);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut left = ptr::null_mut();
        // SAFETY: this thread has entered a context, since this can't be sent to others; the function writes to the
        // place that it is given.
        unsafe { sys::cuCtxPopCurrent_v2(&raw mut left) };
    }
}

// SAFETY: handles of the driver are valid in every thread, and its functions may be called by several at once.
unsafe impl Send for Context {}
// SAFETY: as for sending: nothing is changed through a shared reference but by the driver's own functions.
unsafe impl Sync for Context {}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, capability: [major, minor], total_nbytes, .. } = self;
        let capability = format_args!("{major}.{minor}").to_string();
        let mut debug = f.debug_struct("Context");
        debug
            .field("name", name)
            .field("capability", &capability)
            .field("total_nbytes", total_nbytes)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// The primary context of a device.
    pub fn new(device_id: usize) -> Result<Self, Error> {
        // SAFETY: looking for a library loads it, and runs what it does when it is loaded.
        if !unsafe { sys::is_culib_present() } {
            return Err(Error::NoDriver);
        }
        let (mut version, mut count): (c_int, c_int) = (0, 0);
        // SAFETY: the driver is there; each function writes to the place that it is given.
        unsafe {
            checked("cuDriverGetVersion", sys::cuDriverGetVersion(&raw mut version))?;
            let found = [version as u32 / 1000, version as u32 % 1000 / 10];
            if found < OLDEST {
                return Err(Error::OldDriver { found, needed: OLDEST });
            }
            match sys::cuInit(0) {
                CUresult::CUDA_ERROR_NO_DEVICE => {}
                result => {
                    checked("cuInit", result)?;
                    checked("cuDeviceGetCount", sys::cuDeviceGetCount(&raw mut count))?;
                }
            }
        }
        let count = count.max(0) as usize;
        if device_id >= count {
            return Err(Error::NoSuchDevice { device_id, count });
        }
        let (mut device, mut context, mut stream) = (0, ptr::null_mut(), ptr::null_mut());
        let (mut name, mut total_nbytes) = ([0 as c_char; 256], 0);
        // SAFETY: the driver is initialised and has this device; each function writes to the place that it is given,
        // and ends the name with a zero within its length.
        unsafe {
            checked("cuDeviceGet", sys::cuDeviceGet(&raw mut device, device_id as c_int))?;
            checked("cuDeviceGetName", sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device))?;
            checked("cuDeviceTotalMem", sys::cuDeviceTotalMem_v2(&raw mut total_nbytes, device))?;
        }
        let attribute = |attribute: CUdevice_attribute| {
            let mut value = 0;
            // SAFETY: the device is the driver's; the function writes to the place that it is given.
            checked("cuDeviceGetAttribute", unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, device) })?;
            Ok(value as u32)
        };
        // SAFETY: the driver has ended the name with a zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let capability = [
            attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ];
        // SAFETY: the device is the driver's; the function writes to the place that it is given.
        checked("cuDevicePrimaryCtxRetain", unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut context, device) })?;
        // From here on the context is released where this is dropped.
        let mut this = Self { id: device_id, device, context, stream, name, capability, total_nbytes };
        let entered = this.enter()?;
        // SAFETY: the context is current; the function writes to the place that it is given. One is the flag of streams
        // that don't wait for the default stream.
        checked("cuStreamCreate", unsafe { sys::cuStreamCreate(&raw mut stream, 1) })?;
        drop(entered);
        this.stream = stream;
        Ok(this)
    }

    /// Makes this the context of the thread's calls, as long as what is returned.
    pub fn enter(&self) -> Result<Entered<'_>, Error> {
        // SAFETY: the context is retained as long as this is alive.
        checked("cuCtxPushCurrent", unsafe { sys::cuCtxPushCurrent_v2(self.context) })?;
        Ok(Entered(PhantomData))
    }

    /// Waits for all work.
    pub fn wait(&self) -> Result<(), Error> {
        self.idle().map(drop)
    }

    /// Enters the context once all its work is done.
    pub fn idle(&self) -> Result<Entered<'_>, Error> {
        let entered = self.enter()?;
        // SAFETY: the stream is this context's.
        checked("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream) })?;
        Ok(entered)
    }

    /// Bytes of memory that nobody has.
    pub(super) fn free_nbytes(&self) -> Result<usize, Error> {
        let _entered = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: a context is current; the function writes to the places that it is given.
        checked("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) })?;
        Ok(free)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // Nobody is left to be told of an error.
        let entered = self.idle();
        // SAFETY: nothing of this context is in use any more: whatever is, holds it.
        unsafe {
            if !self.stream.is_null() {
                sys::cuStreamDestroy_v2(self.stream);
            }
            drop(entered);
            sys::cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}
