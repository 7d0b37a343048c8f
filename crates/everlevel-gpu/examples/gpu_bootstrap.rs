//! A whole bootstrap on a device, beside the CPU's: bits, times, launches by kernel, memory.
//!
//! `cargo run --release -p everlevel-gpu --features host --example gpu_bootstrap -- [log_n] [small|medium|large]`

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use everlevel_ckks::{
    BootstrapKeySize, BootstrapKeys, Bootstrapper, Ciphertext, Complex64, Context, Form, Method, Options, Params,
    ParamsLiteral, SlotType, Units, no_progress,
};
use everlevel_gpu::{Arena, Argument, Arithmetic, Capacity, Device, Host, Memory, Order};
use everlevel_ring::device::DeviceRing;

/// Launches, jobs and time of each kernel.
type Kernels = BTreeMap<String, (usize, u64, Duration)>;

/// A device whose launches are counted and timed.
struct Counted<D> {
    device: D,
    kernels: Arc<Mutex<Kernels>>,
}

impl<D: Device> Device for Counted<D> {
    type Buffer = D::Buffer;
    type Stream = D::Stream;

    fn alloc(&self, nbytes: usize) -> Result<D::Buffer, everlevel_gpu::Error> {
        self.device.alloc(nbytes)
    }

    fn stream(&self) -> Result<D::Stream, everlevel_gpu::Error> {
        self.device.stream()
    }

    fn upload(
        &self,
        stream: &D::Stream,
        to: &mut D::Buffer,
        at: usize,
        bytes: &[u8],
    ) -> Result<(), everlevel_gpu::Error> {
        self.device.upload(stream, to, at, bytes)
    }

    fn download(
        &self,
        stream: &D::Stream,
        out: &mut [u8],
        from: &D::Buffer,
        at: usize,
    ) -> Result<(), everlevel_gpu::Error> {
        self.device.download(stream, out, from, at)
    }

    unsafe fn launch(
        &self,
        stream: &D::Stream,
        kernel: &str,
        grid: [u32; 2],
        arguments: &mut [Argument<'_, D::Buffer>],
    ) -> Result<(), everlevel_gpu::Error> {
        let start = Instant::now();
        // SAFETY: the caller's promise is the same.
        unsafe { self.device.launch(stream, kernel, grid, arguments)? };
        let mut kernels = self.kernels.lock().expect("no panic");
        let entry = kernels.entry(kernel.to_owned()).or_default();
        entry.0 += 1;
        entry.1 += u64::from(grid[1]);
        entry.2 += start.elapsed();
        Ok(())
    }
}

fn bits(ctx: &Context, ct: &Ciphertext) -> Result<Vec<u8>, Box<dyn Error>> {
    Ok(ctx.to_container(&Units::from(ct.clone()), Form::Expanded)?.to_bytes())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let log_n: u32 = arguments.first().map_or(Ok(16), |n| n.parse())?;
    let size = match arguments.get(1).map(String::as_str) {
        Some("small") => return Err("small keys are not in this example".into()),
        Some("large") => BootstrapKeySize::Large,
        _ => BootstrapKeySize::Medium,
    };
    let limb_count = arguments.get(2).map_or(Ok(5000), |n| n.parse())?;
    let packed_count = arguments.get(3).map_or(Ok(900), |n| n.parse::<u64>())? << 20;
    let literal = match log_n {
        16 => ParamsLiteral::bootstrap(),
        _ => ParamsLiteral::insecure_bootstrap(log_n),
    };
    let threads = std::thread::available_parallelism()?.get();
    let options = Options { thread_count: threads, seeded_keys: true, ..Options::default() };
    let ctx = Context::with_options(Params::try_from(literal)?, options)?;
    let bootstrapper = Bootstrapper::new(&ctx)?;
    let start = Instant::now();
    let secret = ctx.secret_key()?;
    let relinearization = ctx.relinearization_key(&secret, &no_progress)?;
    let conjugation = ctx.conjugation_key(&secret, &no_progress)?;
    let key = bootstrapper.bootstrap_key(&secret, 3, size, &no_progress)?;
    println!("keys in {:.1?}", start.elapsed());
    let message: Vec<Complex64> = (0..ctx.slot_count()).map(|i| Complex64::new((i as f64).sin(), 0.5)).collect();
    let a = ctx.encrypt_with_secret(&ctx.encode(&message, 0)?, &secret)?;
    let keys = BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap: (&key).into() };
    let bootstrap = |a: &Ciphertext| -> Result<Ciphertext, Box<dyn Error>> {
        let all = bootstrapper.bootstrap_many(Method::Regular, &[a], keys, SlotType::Complex, &no_progress)?;
        Ok(all.into_iter().next().ok_or("one result")?)
    };
    let start = Instant::now();
    let expected = bootstrap(&a)?;
    println!("CPU, {threads} threads, first: {:.2?}", start.elapsed());
    let expected = bits(&ctx, &expected)?;

    let kernels = Arc::new(Mutex::new(Kernels::new()));
    let device = Counted { device: Host::new(Memory::Plain, Order::Forward), kernels: Arc::clone(&kernels) };
    let arena = Arena::new(device, ctx.ring(), Arithmetic::Doubles, Capacity { limb_count, packed_count })?;
    let there: Arc<dyn DeviceRing> = Arc::clone(&arena) as _;
    let there = ctx.to_device(&a, &there)?;
    for run in 0..2 {
        kernels.lock().expect("no panic").clear();
        let start = Instant::now();
        let got = bootstrap(&there)?;
        let elapsed = start.elapsed();
        let same = bits(&ctx, &got)? == expected;
        println!("run {run}: {elapsed:.3?}, equal bits: {same}");
        if !same {
            return Err("other bits than the CPU's".into());
        }
    }
    println!("free: {} of {limb_count} limbs, {:?}", arena.free_limb_count(), arena.usage());
    println!("{:<32} {:>8} {:>9} {:>10}", "kernel", "launches", "jobs", "ms");
    let kernels = kernels.lock().expect("no panic");
    for (kernel, (launches, jobs, time)) in &*kernels {
        println!("{kernel:<32} {launches:>8} {jobs:>9} {:>10.3}", time.as_secs_f64() * 1e3);
    }
    println!("{:<32} {:>8}", "all", kernels.values().map(|(launches, _, _)| launches).sum::<usize>());
    Ok(())
}
