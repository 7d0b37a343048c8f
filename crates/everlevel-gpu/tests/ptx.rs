//! The device that interprets what the compiler of CUDA wrote: kernels as PTX, where `make gpu-kernels` made it.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use everlevel_gpu::{Argument, Counters, Device, Error, Fault, FaultKind};
use everlevel_testkit::ptx::{self, Module};

/// The architectures whose compilers write different texts.
const ARCHITECTURES: [u32; 2] = [90, 120];

/// Kernels of kernels.h.
const KERNEL_COUNT: usize = 56;

/// The interpreter on one text.
#[derive(Clone)]
pub struct Ptx {
    name: &'static str,
    module: Arc<Module>,
}

impl fmt::Debug for Ptx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Memory of the interpreter.
pub type Bytes = Arc<Mutex<Vec<u8>>>;

/// Counters of a stream, and its recording.
#[derive(Debug, Default)]
pub struct Stream(Mutex<(Counters, Option<Vec<Launch>>)>);

/// A launch that is recorded.
#[derive(Debug)]
pub struct Launch {
    kernel: String,
    grid: [u32; 2],
    arguments: Vec<Kept>,
}

#[derive(Debug)]
enum Kept {
    Memory(Bytes),
    Word(u32),
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A device for each text that there is.
pub fn interpreters() -> Vec<Ptx> {
    static ALL: LazyLock<Vec<Ptx>> = LazyLock::new(|| texts("everlevel"));
    ALL.clone()
}

/// A device for each text of the kernels with planted faults.
pub fn interpreters_of_faults() -> Vec<Ptx> {
    static ALL: LazyLock<Vec<Ptx>> = LazyLock::new(|| texts("faults"));
    ALL.clone()
}

/// Texts of these kernels as they stand; whoever has none is told so, past the capture of tests' output.
fn texts(of: &str) -> Vec<Ptx> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/gpu");
    if std::fs::read(folder.join("ptx.txt")).ok() != Some(sources()) {
        let words = "gpu: kernels aren't tested as PTX: there is none of these sources (make gpu-kernels)\n";
        std::io::stderr().write_all(words.as_bytes()).expect("a stream for errors");
        return Vec::new();
    }
    ARCHITECTURES.iter().map(|architecture| Ptx::read(&folder, &format!("{of}_sm_{architecture}.ptx"))).collect()
}

/// The kernels' headers, one after another, as scripts/gpu_kernels.py keeps those that it compiled.
fn sources() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let files = std::fs::read_dir(folder).expect("the kernels").map(|entry| entry.expect("a file").path());
    let mut headers: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "h")).collect();
    headers.sort();
    headers.iter().flat_map(|path| std::fs::read(path).expect("a header")).collect()
}

impl Ptx {
    fn read(folder: &Path, name: &str) -> Self {
        let text = std::fs::read_to_string(folder.join(name)).expect("a text beside its sources");
        Self::new(name, &text)
    }

    fn new(name: &str, text: &str) -> Self {
        let module = Module::new(text).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        Self { name: name.to_owned().leak(), module: Arc::new(module) }
    }

    pub fn module(&self) -> &Module {
        &self.module
    }

    /// These kernels, as if no barriers stood in them.
    pub fn without_barriers(&self) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/gpu");
        let text = std::fs::read_to_string(folder.join(self.name)).expect("a text");
        Self::new(self.name, &text.replace("bar.sync", "//"))
    }

    fn run(&self, kernel: &str, grid: [u32; 2], arguments: &[Kept]) -> Result<(), Error> {
        // A buffer that is two arguments is locked once.
        let mut buffers: Vec<&Bytes> = Vec::new();
        let argument = |argument| match argument {
            &Kept::Word(word) => ptx::Argument::Word(word),
            Kept::Memory(buffer) => {
                let known = buffers.iter().position(|known| Arc::ptr_eq(known, buffer));
                ptx::Argument::Memory(known.unwrap_or_else(|| {
                    buffers.push(buffer);
                    buffers.len() - 1
                }))
            }
        };
        let arguments: Vec<ptx::Argument> = arguments.iter().map(argument).collect();
        let mut locks: Vec<_> = buffers.iter().map(|&buffer| locked(buffer)).collect();
        let mut memory: Vec<&mut [u8]> = locks.iter_mut().map(|lock| &mut lock[..]).collect();
        let name = kernel.to_owned();
        self.module.run(kernel, grid, &arguments, &mut memory).map_err(|error| match error {
            ptx::Error::NoKernel => Error::UnknownKernel { name },
            ptx::Error::OtherArguments => Error::OtherArguments { name, count: arguments.len() },
            ptx::Error::Fault(fault) => Error::Fault { name, fault: fault_of(fault) },
            error @ ptx::Error::Unknown { .. } => panic!("{error:?}"),
        })
    }
}

fn fault_of(fault: ptx::Fault) -> Fault {
    let kind = match fault.kind {
        ptx::FaultKind::OutOfBounds => FaultKind::OutOfBounds,
        ptx::FaultKind::Race => FaultKind::Race,
        ptx::FaultKind::Uninitialised => FaultKind::Uninitialised,
        ptx::FaultKind::Misaligned | ptx::FaultKind::Barrier => panic!("{fault:?}"),
    };
    let ptx::Fault { memory, index, length, block, phase, thread, .. } = fault;
    Fault { kind, memory, index, length, block, phase, thread }
}

impl Device for Ptx {
    type Buffer = Bytes;
    type Stream = Stream;
    type Graph = Vec<Launch>;

    fn place(&self) -> String {
        "gpu:ptx".into()
    }

    fn alloc(&self, nbytes: usize) -> Result<Bytes, Error> {
        Ok(Arc::new(Mutex::new(vec![0xa5; nbytes])))
    }

    fn stream(&self) -> Result<Stream, Error> {
        Ok(Stream::default())
    }

    fn upload(&self, stream: &Stream, to: &mut Bytes, at: usize, bytes: &[u8]) -> Result<(), Error> {
        locked(to)[at..at + bytes.len()].copy_from_slice(bytes);
        locked(&stream.0).0.uploaded_nbytes += bytes.len() as u64;
        Ok(())
    }

    fn download(&self, stream: &Stream, out: &mut [u8], from: &Bytes, at: usize) -> Result<(), Error> {
        let mut stream = locked(&stream.0);
        if stream.1.is_some() {
            return Err(Error::Recording { operation: "a download" });
        }
        out.copy_from_slice(&locked(from)[at..at + out.len()]);
        stream.0.downloaded_nbytes += out.len() as u64;
        Ok(())
    }

    unsafe fn launch(
        &self,
        stream: &Stream,
        kernel: &str,
        grid: [u32; 2],
        arguments: &mut [Argument<'_, Bytes>],
    ) -> Result<(), Error> {
        let kept = |argument: &Argument<'_, Bytes>| match argument {
            Argument::Written(buffer) => Kept::Memory(Arc::clone(buffer)),
            Argument::Read(buffer) => Kept::Memory(Arc::clone(buffer)),
            Argument::Word(word) => Kept::Word(*word),
        };
        let arguments: Vec<Kept> = arguments.iter().map(kept).collect();
        {
            let mut stream = locked(&stream.0);
            if let Some(launches) = &mut stream.1 {
                launches.push(Launch { kernel: kernel.to_owned(), grid, arguments });
                return Ok(());
            }
            stream.0.launches += 1;
        }
        self.run(kernel, grid, &arguments)
    }

    fn begin_recording(&self, stream: &Stream) -> Result<(), Error> {
        locked(&stream.0).1 = Some(Vec::new());
        Ok(())
    }

    fn end_recording(&self, stream: &Stream) -> Result<Vec<Launch>, Error> {
        locked(&stream.0).1.take().ok_or(Error::NotRecording)
    }

    unsafe fn replay(&self, stream: &Stream, graph: &Vec<Launch>) -> Result<(), Error> {
        let mut counted = locked(&stream.0);
        counted.0.launches += graph.len() as u64;
        counted.0.replays += 1;
        drop(counted);
        graph.iter().try_for_each(|Launch { kernel, grid, arguments }| self.run(kernel, *grid, arguments))
    }

    fn node_count(&self, graph: &Vec<Launch>) -> usize {
        graph.len()
    }

    fn counters(&self, stream: &Stream) -> Counters {
        locked(&stream.0).0
    }
}

/// Every kernel has instructions that the interpreter knows, and it finds what is planted.
#[test]
fn every_kernel_is_known_and_planted_faults_are_found() {
    for device in interpreters() {
        assert_eq!(device.module().names().count(), KERNEL_COUNT, "{device:?}");
    }
    for device in interpreters_of_faults() {
        let run = |device: &Ptx, kernel: &str| {
            let (stream, mut buffer) = (device.stream()?, device.alloc(8 * 512)?);
            // SAFETY: the interpreter checks every access.
            unsafe { device.launch(&stream, kernel, [2, 1], &mut [Argument::Written(&mut buffer)]) }?;
            let mut bytes = vec![0; 8 * 512];
            device.download(&stream, &mut bytes, &buffer, 0)?;
            Ok::<Vec<u64>, Error>(bytes.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap())).collect())
        };
        assert_eq!(run(&device, "planted_none"), Ok((0..512).map(|i| (i + 1) % 256).collect()));
        let found = |device: &Ptx, kernel: &str| match run(device, kernel) {
            Err(Error::Fault { fault, .. }) => (fault.kind, fault.memory, fault.index, fault.length),
            other => panic!("{device:?}, {kernel}: {other:?}"),
        };
        let race = found(&device.without_barriers(), "planted_none");
        assert_eq!((race.0, &*race.1), (FaultKind::Race, "words"));
        for kernel in ["planted_missing_barrier", "planted_race"] {
            let race = found(&device, kernel);
            assert_eq!((race.0, &*race.1), (FaultKind::Race, "words"), "{kernel}");
        }
        let uninitialised = found(&device, "planted_uninitialised");
        assert_eq!((uninitialised.0, &*uninitialised.1), (FaultKind::Uninitialised, "words"));
        let beyond = found(&device, "planted_out_of_bounds");
        assert_eq!(beyond, (FaultKind::OutOfBounds, "words".to_owned(), 256, 256));
        let beyond = found(&device, "planted_beyond_memory");
        assert_eq!(beyond, (FaultKind::OutOfBounds, "argument 0".to_owned(), 512, 512));
    }
}
