//! GPUs of NVIDIA, by the library of their driver.
//!
//! The library is looked for when a device is made: nothing of CUDA is linked. Kernels are those that
//! `make gpu-kernels` had compiled when this crate was built, or that were compiled since, of the sources in it.

mod code;
mod driver;
mod memory;

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{self, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUmodule, CUresult};

pub use self::code::LackingKernels;
pub(crate) use self::code::name_of;
use self::driver::{Context, checked};
use self::memory::{Memory, Piece};
use crate::device::{Queue, range};
use crate::{Argument, Arithmetic, Counters, Device, Error};

/// Threads of a block.
const THREADS: u32 = 256;

/// A GPU of NVIDIA.
#[derive(Debug)]
pub struct Cuda {
    context: Arc<Context>,
    memory: Arc<Memory>,
    module: Module,
    stream: CudaStream,
}

/// Memory of a GPU.
#[derive(Debug)]
pub struct CudaBuffer {
    piece: Arc<Piece>,
    nbytes: usize,
}

/// The queue of all work of a GPU: every stream of a device is this one.
#[derive(Debug, Clone)]
pub struct CudaStream(Arc<Queue<Recording>>);

/// Launches of a graph that is being recorded.
struct Recording {
    graph: CUgraph,
    last: CUgraphNode,
    node_count: usize,
    kept: Vec<Arc<Piece>>,
}

/// Launches that were recorded.
pub struct CudaGraph {
    executable: CUgraphExec,
    node_count: usize,
    /// The memory that its kernels name.
    _kept: Vec<Arc<Piece>>,
    context: Arc<Context>,
}

/// The kernels of a device.
struct Module {
    module: CUmodule,
    /// Each kernel that was asked for, with its number of parameters.
    functions: Mutex<HashMap<String, (CUfunction, usize)>>,
    context: Arc<Context>,
}

// SAFETY: handles of the driver are valid in every thread, and its functions may be called by several at once.
unsafe impl Send for Module {}
// SAFETY: what is found in the module is under a lock; the rest is never changed.
unsafe impl Sync for Module {}
// SAFETY: a graph's handles are valid in every thread.
unsafe impl Send for CudaGraph {}
// SAFETY: an executable graph is launched alone through a shared reference, which the driver allows to several threads
// one after another, and a device's queue is one.
unsafe impl Sync for CudaGraph {}
// SAFETY: a recording is only touched under its queue's lock, and its handles are valid in every thread.
unsafe impl Send for Recording {}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").finish_non_exhaustive()
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("node_count", &self.node_count).finish_non_exhaustive()
    }
}

impl fmt::Debug for CudaGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaGraph").field("node_count", &self.node_count).finish_non_exhaustive()
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.idle() {
            // SAFETY: no kernel of the module runs any more.
            unsafe { sys::cuModuleUnload(self.module) };
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // SAFETY: the graph is this recording's; executable graphs that were made of it don't need it.
        unsafe { sys::cuGraphDestroy(self.graph) };
    }
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        if let Ok(_entered) = self.context.idle() {
            // SAFETY: no launch of the graph runs any more.
            unsafe { sys::cuGraphExecDestroy(self.executable) };
        }
    }
}

impl Module {
    fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let image = code::cubin(context)?;
        let _entered = context.enter()?;
        // The driver reads words.
        let mut words = vec![0u64; image.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..image.len()].copy_from_slice(&image);
        let mut module = ptr::null_mut();
        // SAFETY: the image is a whole cubin; the function writes to the place that it is given.
        checked("cuModuleLoadData", unsafe { sys::cuModuleLoadData(&raw mut module, words.as_ptr().cast()) })?;
        Ok(Self { module, functions: Mutex::default(), context: Arc::clone(context) })
    }

    fn function(&self, kernel: &str) -> Result<(CUfunction, usize), Error> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&found) = functions.get(kernel) {
            return Ok(found);
        }
        let unknown = || Error::UnknownKernel { name: kernel.to_owned() };
        let name = CString::new(kernel).map_err(|_| unknown())?;
        let (mut function, mut parameters) = (ptr::null_mut(), 0);
        // SAFETY: the module is loaded, and the name ends with a zero; each function writes to the places that it is
        // given.
        unsafe {
            match sys::cuModuleGetFunction(&raw mut function, self.module, name.as_ptr()) {
                CUresult::CUDA_ERROR_NOT_FOUND => return Err(unknown()),
                result => checked("cuModuleGetFunction", result)?,
            }
            let (mut offset, mut size) = (0, 0);
            loop {
                match sys::cuFuncGetParamInfo(function, parameters, &raw mut offset, &raw mut size) {
                    // There is no parameter of this number.
                    CUresult::CUDA_ERROR_INVALID_VALUE => break,
                    result => checked("cuFuncGetParamInfo", result)?,
                }
                parameters += 1;
            }
        }
        functions.insert(kernel.to_owned(), (function, parameters));
        Ok((function, parameters))
    }
}

impl Cuda {
    /// GPU `device_id` of the driver's.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::OldDriver`], [`Error::NoSuchDevice`], [`Error::NoKernels`], [`Error::Driver`].
    pub fn new(device_id: usize) -> Result<Self, Error> {
        let context = Arc::new(Context::new(device_id)?);
        let memory = Memory::new(Arc::clone(&context));
        let module = Module::new(&context)?;
        Ok(Self { context, memory, module, stream: CudaStream(Arc::default()) })
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.context.name
    }

    /// The faster arithmetic of transforms: doubles where they have half the rate of single precision or more.
    pub(crate) fn best_arithmetic(&self) -> Arithmetic {
        match self.context.capability {
            [8..=10, 0] => Arithmetic::Doubles,
            _ => Arithmetic::Integers,
        }
    }

    /// Bytes of its memory that nobody has.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn free_nbytes(&self) -> Result<usize, Error> {
        self.context.free_nbytes()
    }
}

impl Device for Cuda {
    type Buffer = CudaBuffer;
    type Stream = CudaStream;
    type Graph = CudaGraph;

    fn place(&self) -> String {
        format!("gpu:{}", self.context.id)
    }

    fn alloc(&self, nbytes: usize) -> Result<CudaBuffer, Error> {
        Ok(CudaBuffer { piece: Arc::new(self.memory.alloc(nbytes)?), nbytes })
    }

    fn stream(&self) -> Result<CudaStream, Error> {
        Ok(self.stream.clone())
    }

    fn upload(&self, stream: &CudaStream, to: &mut CudaBuffer, at: usize, bytes: &[u8]) -> Result<(), Error> {
        let range = range(at, bytes.len(), to.nbytes)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let _entered = self.context.enter()?;
        let to = to.piece.address + range.start as u64;
        // SAFETY: the range lies in the piece. The bytes are pageable memory, which the driver has copied when it
        // returns. What runs before in the stream is done before the range is written.
        let copied = unsafe { sys::cuMemcpyHtoDAsync_v2(to, bytes.as_ptr().cast(), bytes.len(), self.context.stream) };
        checked("cuMemcpyHtoDAsync", copied)?;
        stream.0.counters().uploaded_nbytes += bytes.len() as u64;
        Ok(())
    }

    fn download(&self, stream: &CudaStream, out: &mut [u8], from: &CudaBuffer, at: usize) -> Result<(), Error> {
        let range = range(at, out.len(), from.nbytes)?;
        stream.0.waits("a download")?;
        if out.is_empty() {
            return Ok(());
        }
        let _entered = self.context.enter()?;
        let from = from.piece.address + range.start as u64;
        // SAFETY: the range lies in the piece, and `out` is borrowed until the stream has been waited for.
        let copied =
            unsafe { sys::cuMemcpyDtoHAsync_v2(out.as_mut_ptr().cast(), from, out.len(), self.context.stream) };
        checked("cuMemcpyDtoHAsync", copied)?;
        self.context.wait()?;
        stream.0.counters().downloaded_nbytes += out.len() as u64;
        Ok(())
    }

    unsafe fn launch(
        &self,
        stream: &CudaStream,
        kernel: &str,
        grid: [u32; 2],
        arguments: &mut [Argument<'_, CudaBuffer>],
    ) -> Result<(), Error> {
        let (function, parameters) = self.module.function(kernel)?;
        if parameters != arguments.len() {
            return Err(Error::OtherArguments { name: kernel.to_owned(), count: arguments.len() });
        }
        let buffer = |argument: &Argument<'_, CudaBuffer>| match argument {
            Argument::Written(buffer) => Some(Arc::clone(&buffer.piece)),
            Argument::Read(buffer) => Some(Arc::clone(&buffer.piece)),
            Argument::Word(_) => None,
        };
        // Words of 32 bits are the low halves of these.
        let mut values: Vec<u64> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Word(word) => u64::from(*word),
                argument => buffer(argument).map_or(0, |piece| piece.address),
            })
            .collect();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| ptr::from_mut(value).cast()).collect();
        let _entered = self.context.enter()?;
        let mut recording = stream.0.recording();
        let Some(recording) = &mut *recording else {
            // SAFETY: the function is the module's, and there is a value for each of its parameters, whose types are
            // the caller's promise, as is that it stays in its memory.
            let launched = unsafe {
                let (x, y) = (grid[0], grid[1]);
                let (stream, pointers) = (self.context.stream, pointers.as_mut_ptr());
                sys::cuLaunchKernel(function, x, y, 1, THREADS, 1, 1, 0, stream, pointers, ptr::null_mut())
            };
            checked("cuLaunchKernel", launched)?;
            stream.0.counters().launches += 1;
            return Ok(());
        };
        let node = sys::CUDA_KERNEL_NODE_PARAMS {
            func: function,
            gridDimX: grid[0],
            gridDimY: grid[1],
            gridDimZ: 1,
            blockDimX: THREADS,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: pointers.as_mut_ptr(),
            extra: ptr::null_mut(),
            kern: ptr::null_mut(),
            ctx: ptr::null_mut(),
        };
        let (last, mut added) = (recording.last, ptr::null_mut());
        // SAFETY: the graph is the recording's, and so is the node that this one comes after; the values are copied.
        let result = unsafe {
            let before = if last.is_null() { ptr::null() } else { &raw const last };
            let count = usize::from(!last.is_null());
            sys::cuGraphAddKernelNode_v2(&raw mut added, recording.graph, before, count, &raw const node)
        };
        checked("cuGraphAddKernelNode", result)?;
        recording.last = added;
        recording.node_count += 1;
        recording.kept.extend(arguments.iter().filter_map(buffer));
        Ok(())
    }

    fn begin_recording(&self, stream: &CudaStream) -> Result<(), Error> {
        let mut recording = stream.0.recording();
        if recording.is_some() {
            return Err(Error::Recording { operation: "another recording" });
        }
        let _entered = self.context.enter()?;
        let mut graph = ptr::null_mut();
        // SAFETY: the function writes to the place that it is given.
        checked("cuGraphCreate", unsafe { sys::cuGraphCreate(&raw mut graph, 0) })?;
        *recording = Some(Recording { graph, last: ptr::null_mut(), node_count: 0, kept: Vec::new() });
        Ok(())
    }

    fn end_recording(&self, stream: &CudaStream) -> Result<CudaGraph, Error> {
        let mut recording = stream.0.recording().take().ok_or(Error::NotRecording)?;
        let _entered = self.context.enter()?;
        let mut executable = ptr::null_mut();
        // SAFETY: the graph is whole; the function writes to the place that it is given.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, recording.graph, 0) };
        match made {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                return Err(Error::OutOfMemory { nbytes: 0, free: self.context.free_nbytes().ok() });
            }
            result => checked("cuGraphInstantiate", result)?,
        }
        let mut kept = std::mem::take(&mut recording.kept);
        kept.sort_unstable_by_key(|piece| piece.address);
        kept.dedup_by_key(|piece| piece.address);
        Ok(CudaGraph { executable, node_count: recording.node_count, _kept: kept, context: Arc::clone(&self.context) })
    }

    unsafe fn replay(&self, stream: &CudaStream, graph: &CudaGraph) -> Result<(), Error> {
        stream.0.waits("a replay")?;
        let _entered = self.context.enter()?;
        // SAFETY: the graph's kernels have their memory, which it keeps; that they stay in it is the caller's promise.
        checked("cuGraphLaunch", unsafe { sys::cuGraphLaunch(graph.executable, self.context.stream) })?;
        stream.0.replayed(graph.node_count);
        Ok(())
    }

    fn node_count(&self, graph: &CudaGraph) -> usize {
        graph.node_count
    }

    fn counters(&self, stream: &CudaStream) -> Counters {
        *stream.0.counters()
    }
}
