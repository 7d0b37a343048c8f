//! The check for whoever has a GPU: its results beside the CPU's, bit for bit, and the time that they take.
//!
//! `gpu_check [cuda|host] [log_n] [all|kernels]`: bootstraps of every method in a small ring; at `2^log_n` a regular
//! and a lossy one with medium keys, first and repeated; and the time of each kernel of the regular one, launched by
//! itself. `kernels` is the last part alone, with the longest launches, for a profiler.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use everlevel_ckks::{
    BootstrapKey, BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Ciphertext, Complex64,
    ConjugationKey, Context, Form, Method, Options, Params, ParamsLiteral, RelinearizationKey, SecretKey, SlotType,
    Units, no_progress,
};
use everlevel_gpu::{Arena, Argument, Arithmetic, Capacity, Counters, Device};
use everlevel_ring::device::DeviceRing;

type Outcome<T> = Result<T, Box<dyn Error>>;
type GpuResult<T> = Result<T, everlevel_gpu::Error>;

/// Kernel, jobs and time of each launch.
type Launches = Vec<(String, u32, Duration)>;

/// A device that runs what it should record, launch by launch, and takes its time. Its results are of no use.
#[derive(Debug)]
struct Timed<D> {
    device: D,
    launches: Arc<Mutex<Launches>>,
    is_recording: Mutex<bool>,
}

impl<D: Device> Device for Timed<D> {
    type Buffer = D::Buffer;
    type Stream = D::Stream;
    type Graph = ();

    fn place(&self) -> String {
        self.device.place()
    }

    fn alloc(&self, nbytes: usize) -> GpuResult<D::Buffer> {
        self.device.alloc(nbytes)
    }

    fn stream(&self) -> GpuResult<D::Stream> {
        self.device.stream()
    }

    fn upload(&self, stream: &D::Stream, to: &mut D::Buffer, at: usize, bytes: &[u8]) -> GpuResult<()> {
        self.device.upload(stream, to, at, bytes)
    }

    fn download(&self, stream: &D::Stream, out: &mut [u8], from: &D::Buffer, at: usize) -> GpuResult<()> {
        self.device.download(stream, out, from, at)
    }

    unsafe fn launch(
        &self,
        stream: &D::Stream,
        kernel: &str,
        grid: [u32; 2],
        arguments: &mut [Argument<'_, D::Buffer>],
    ) -> GpuResult<()> {
        if !*self.is_recording.lock().expect("no panic") {
            // SAFETY: the caller vouches for the arguments, which are those of the kernel, and for indices within their
            // memory.
            return unsafe { self.device.launch(stream, kernel, grid, arguments) };
        }
        // A download waits for what was launched before.
        let wait = |arguments: &[Argument<'_, D::Buffer>]| match arguments.first() {
            Some(Argument::Written(buffer)) => self.device.download(stream, &mut [0; 8], buffer, 0),
            _ => Ok(()),
        };
        let mut best = Duration::MAX;
        for _ in 0..3 {
            wait(arguments)?;
            let start = Instant::now();
            wait(arguments)?;
            let waiting = start.elapsed();
            let start = Instant::now();
            // SAFETY: the caller vouches for the arguments, which are those of the kernel, and for indices within their
            // memory.
            unsafe { self.device.launch(stream, kernel, grid, arguments)? };
            wait(arguments)?;
            best = best.min(start.elapsed().saturating_sub(waiting));
        }
        self.launches.lock().expect("no panic").push((kernel.to_owned(), grid[1], best));
        Ok(())
    }

    fn begin_recording(&self, _: &D::Stream) -> GpuResult<()> {
        *self.is_recording.lock().expect("no panic") = true;
        Ok(())
    }

    fn end_recording(&self, _: &D::Stream) -> GpuResult<()> {
        *self.is_recording.lock().expect("no panic") = false;
        Ok(())
    }

    unsafe fn replay(&self, _: &D::Stream, (): &()) -> GpuResult<()> {
        Ok(())
    }

    fn node_count(&self, (): &()) -> usize {
        0
    }

    fn counters(&self, stream: &D::Stream) -> Counters {
        self.device.counters(stream)
    }
}

/// A context and its keys but for bootstraps'.
struct Party {
    ctx: Context,
    bootstrapper: Bootstrapper,
    secret: SecretKey,
    relinearization: RelinearizationKey,
    conjugation: ConjugationKey,
}

impl Party {
    fn new(log_n: u32) -> Outcome<Self> {
        let literal = match log_n {
            16 => ParamsLiteral::bootstrap(),
            _ => ParamsLiteral::insecure_bootstrap(log_n),
        };
        let threads = std::thread::available_parallelism()?.get();
        let options = Options { thread_count: threads, ..Options::default() };
        let ctx = Context::with_options(Params::try_from(literal)?, options)?;
        let secret = ctx.secret_key()?;
        Ok(Self {
            bootstrapper: Bootstrapper::new(&ctx)?,
            relinearization: ctx.relinearization_key(&secret, &no_progress)?,
            conjugation: ctx.conjugation_key(&secret, &no_progress)?,
            secret,
            ctx,
        })
    }

    fn key(&self, kind: BootstrapKind, size: BootstrapKeySize) -> Outcome<BootstrapKey> {
        Ok(self.bootstrapper.bootstrap_key_of(kind, &self.secret, 3, size, &no_progress)?)
    }

    fn encrypt(&self, value: impl Fn(usize) -> Complex64, level: usize) -> Outcome<Ciphertext> {
        let message: Vec<Complex64> = (0..self.ctx.slot_count()).map(value).collect();
        Ok(self.ctx.encrypt_with_secret(&self.ctx.encode(&message, level)?, &self.secret)?)
    }

    fn bootstrap(&self, (method, slot_type): Kind, keys: BootstrapKeyRef, a: &Ciphertext) -> Outcome<Ciphertext> {
        let keys =
            BootstrapKeys { relinearization: &self.relinearization, conjugation: &self.conjugation, bootstrap: keys };
        let all = self.bootstrapper.bootstrap_many(method, &[a], keys, slot_type, &no_progress)?;
        Ok(all.into_iter().next().ok_or("one result")?)
    }

    fn bits(&self, ct: &Ciphertext) -> Outcome<Vec<u8>> {
        Ok(self.ctx.to_container(&Units::from(ct.clone()), Form::Expanded)?.to_bytes())
    }

    /// Room for a bootstrap of three stages with medium keys.
    fn roomy_arena<D: Device>(&self, device: D) -> Outcome<Arc<Arena<D>>> {
        self.arena(device, 12_000, 24_000 * self.ctx.ring().n() as u64)
    }

    fn arena<D: Device>(&self, device: D, limb_count: u32, packed_count: u64) -> Outcome<Arc<Arena<D>>> {
        Ok(Arena::new(device, self.ctx.ring(), Arithmetic::Doubles, Capacity { limb_count, packed_count })?)
    }

    fn there<D: Device>(&self, a: &Ciphertext, arena: &Arc<Arena<D>>) -> Outcome<Ciphertext> {
        let device: Arc<dyn DeviceRing> = Arc::clone(arena) as _;
        Ok(self.ctx.to_device(a, &device)?)
    }
}

type Kind = (Method, SlotType);

fn wave(i: usize) -> Complex64 {
    Complex64::new((i as f64).sin(), (0.3 * i as f64).cos())
}

fn signs(i: usize) -> Complex64 {
    Complex64::new(if i.is_multiple_of(3) { 0.98 } else { -1.01 }, 0.0)
}

fn verdict(same: bool) -> &'static str {
    if same { "equal bits" } else { "OTHER BITS" }
}

/// Every method, in a small ring.
fn methods<D: Device>(device: D) -> Outcome<bool> {
    let party = Party::new(12)?;
    let arena = party.arena(device, 8000, 256 << 20)?;
    let medium = party.key(BootstrapKind::Both, BootstrapKeySize::Medium)?;
    let large = party.key(BootstrapKind::Both, BootstrapKeySize::Large)?;
    let rotation = party.ctx.rotation_key(&party.secret, &no_progress)?;
    let small = party.bootstrapper.small_bootstrap_key(&party.secret, &no_progress)?;
    let small = BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count: 3 };
    let (complex, sign) = (party.encrypt(wave, 4)?, party.encrypt(signs, 3)?);
    let mut all_same = true;
    for (name, keys) in [("medium", (&medium).into()), ("large", (&large).into()), ("small", small)] {
        for kind in [
            (Method::Regular, SlotType::Complex),
            (Method::Lossy, SlotType::Complex),
            (Method::Lossy, SlotType::Real),
            (Method::Sign, SlotType::Real),
        ] {
            let a = if kind.1 == SlotType::Real { &sign } else { &complex };
            let expected = party.bits(&party.bootstrap(kind, keys, a)?)?;
            let there = party.there(a, &arena)?;
            let mut same = true;
            for _ in 0..2 {
                same &= party.bits(&party.bootstrap(kind, keys, &there)?)? == expected;
            }
            println!("2^12, {name} keys, {kind:?}: {}", verdict(same));
            all_same &= same;
        }
    }
    Ok(all_same)
}

/// Whole bootstraps at full size.
fn full_size<D: Device>(log_n: u32, party: &Party, key: &BootstrapKey, device: D) -> Outcome<bool> {
    let arena = party.roomy_arena(device)?;
    let (complex, low) = (party.encrypt(wave, 3)?, party.encrypt(wave, 0)?);
    let sign = party.encrypt(signs, 3)?;
    let mut all_same = true;
    for (kind, a) in [
        ((Method::Regular, SlotType::Complex), &low),
        ((Method::Lossy, SlotType::Complex), &complex),
        ((Method::Sign, SlotType::Real), &sign),
    ] {
        all_same &= repeated(&format!("2^{log_n}, {kind:?}, level {}", a.level()), party, kind, key.into(), a, &arena)?;
    }
    println!("  memory: {:?}", arena.usage());
    let rotation = party.ctx.rotation_key(&party.secret, &no_progress)?;
    let small = party.bootstrapper.small_bootstrap_key(&party.secret, &no_progress)?;
    let small = BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count: 3 };
    let kind = (Method::Regular, SlotType::Complex);
    Ok(all_same & repeated(&format!("2^{log_n}, {kind:?}, small keys"), party, kind, small, &low, &arena)?)
}

/// A bootstrap on the CPU, then on the device, first and repeated, with its times.
fn repeated<D: Device>(
    name: &str,
    party: &Party,
    kind: Kind,
    key: BootstrapKeyRef,
    a: &Ciphertext,
    arena: &Arc<Arena<D>>,
) -> Outcome<bool> {
    let start = Instant::now();
    let expected = party.bits(&party.bootstrap(kind, key, a)?)?;
    let cpu = start.elapsed();
    let there = party.there(a, arena)?;
    let start = Instant::now();
    party.bits(&party.bootstrap(kind, key, &there)?)?;
    let first = start.elapsed();
    let before = arena.device().counters(arena.stream());
    let mut times = Vec::new();
    let mut got = None;
    for _ in 0..12 {
        let start = Instant::now();
        got = Some(party.bootstrap(kind, key, &there)?);
        // A copy of eight bytes waits.
        arena.wait()?;
        times.push(start.elapsed());
    }
    let after = arena.device().counters(arena.stream());
    let same = party.bits(&got.ok_or("a result")?)? == expected;
    times.sort();
    println!("{name}: {}; CPU once {cpu:.2?}; device first {first:.2?}", verdict(same));
    println!("  then min {:.3?}, median {:.3?}, max {:.3?}", times[0], times[6], times[11]);
    let count = times.len() as u64;
    let each = |f: fn(&Counters) -> u64| (f(&after) - f(&before)) / count;
    println!(
        "  each: {} launches in {} graphs, {} bytes up, {} bytes down",
        each(|c| c.launches),
        each(|c| c.replays),
        each(|c| c.uploaded_nbytes),
        each(|c| c.downloaded_nbytes)
    );
    Ok(same)
}

/// The time of each kernel of a regular bootstrap, and of the launches that take longest.
fn kernels<D: Device>(party: &Party, key: &BootstrapKey, device: D, longest: usize) -> Outcome<()> {
    let launches = Arc::new(Mutex::new(Launches::new()));
    let timed = Timed { device, launches: Arc::clone(&launches), is_recording: Mutex::new(false) };
    let arena = party.roomy_arena(timed)?;
    let there = party.there(&party.encrypt(wave, 0)?, &arena)?;
    party.bootstrap((Method::Regular, SlotType::Complex), key.into(), &there)?;
    let mut launches = std::mem::take(&mut *launches.lock().expect("no panic"));
    let mut kernels: BTreeMap<&str, (usize, u64, Duration)> = BTreeMap::new();
    for (kernel, jobs, time) in &launches {
        let entry = kernels.entry(kernel).or_default();
        *entry = (entry.0 + 1, entry.1 + u64::from(*jobs), entry.2 + *time);
    }
    println!("{:<28} {:>8} {:>8} {:>9} {:>9}", "kernel", "launches", "jobs", "ms", "us/job");
    let mut sum = 0.0;
    for (kernel, (launches, jobs, time)) in &kernels {
        let ms = time.as_secs_f64() * 1e3;
        sum += ms;
        println!("{kernel:<28} {launches:>8} {jobs:>8} {ms:>9.3} {:>9.3}", ms * 1e3 / *jobs as f64);
    }
    println!("{:<28} {:>8} {:>8} {sum:>9.3}", "all", launches.len(), "");
    launches.sort_by_key(|(_, _, time)| std::cmp::Reverse(*time));
    for (kernel, jobs, time) in launches.iter().take(longest) {
        println!("{kernel:<28} {:>8} {jobs:>8} {:>9.3}", 1, time.as_secs_f64() * 1e3);
    }
    Ok(())
}

fn check<D: Device>(log_n: u32, parts: &str, device: impl Fn() -> Outcome<D>) -> Outcome<()> {
    let is_whole = parts != "kernels";
    let mut same = !is_whole || methods(device()?)?;
    let start = Instant::now();
    let party = Party::new(log_n)?;
    let key = party.key(BootstrapKind::Both, BootstrapKeySize::Medium)?;
    println!("2^{log_n}: keys in {:.1?}", start.elapsed());
    if is_whole {
        same &= full_size(log_n, &party, &key, device()?)?;
    }
    kernels(&party, &key, device()?, if is_whole { 0 } else { 30 })?;
    if same { Ok(()) } else { Err("other bits than the CPU's".into()) }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let log_n = arguments.get(1).map_or(Ok(16), |n| n.parse())?;
    let parts = arguments.get(2).map_or("all", String::as_str);
    match arguments.first().map_or("cuda", String::as_str) {
        #[cfg(feature = "host")]
        "host" => {
            use everlevel_gpu::{Host, Memory, Order};
            check(log_n, parts, || Ok(Host::new(Memory::Plain, Order::Forward)))
        }
        #[cfg(feature = "cuda")]
        "cuda" => {
            let device = everlevel_gpu::Cuda::new(0)?;
            println!("{}, {} bytes free", device.name(), device.free_nbytes()?);
            check(log_n, parts, || Ok(everlevel_gpu::Cuda::new(0)?))
        }
        other => Err(format!("no device {other} in this build").into()),
    }
}
