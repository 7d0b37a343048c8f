//! A device that is lost in the middle of work: who called gets a typed error, and what the host holds stays good.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use everlevel_ckks::{
    BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Ciphertext, Complex64, Context, Form, Method,
    Options, Params, ParamsLiteral, SlotType, Units, no_progress,
};
use everlevel_gpu::{Arena, Argument, Arithmetic, Capacity, Counters, Device, Error, Host, Memory, Order};
use everlevel_ring::device::{DeviceError, DeviceRing};

/// The host device up to some number of calls, and from then on one whose driver fails.
#[derive(Debug)]
struct Lost {
    host: Host,
    calls_left: AtomicU64,
}

impl Lost {
    fn after(calls: u64) -> Self {
        Self { host: Host::new(Memory::Plain, Order::Forward), calls_left: AtomicU64::new(calls) }
    }

    fn called(&self, operation: &'static str) -> Result<(), Error> {
        let less = |left: u64| left.checked_sub(1);
        match self.calls_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::Driver { operation, name: "CUDA_ERROR_UNKNOWN".into(), text: "a lost device".into() }),
        }
    }
}

impl Device for Lost {
    type Buffer = <Host as Device>::Buffer;
    type Stream = <Host as Device>::Stream;
    type Graph = <Host as Device>::Graph;

    fn place(&self) -> String {
        self.host.place()
    }

    fn alloc(&self, nbytes: usize) -> Result<Self::Buffer, Error> {
        self.called("cuMemAlloc")?;
        self.host.alloc(nbytes)
    }

    fn stream(&self) -> Result<Self::Stream, Error> {
        self.called("cuStreamCreate")?;
        self.host.stream()
    }

    fn upload(&self, stream: &Self::Stream, to: &mut Self::Buffer, at: usize, bytes: &[u8]) -> Result<(), Error> {
        self.called("cuMemcpyHtoDAsync")?;
        self.host.upload(stream, to, at, bytes)
    }

    fn download(&self, stream: &Self::Stream, out: &mut [u8], from: &Self::Buffer, at: usize) -> Result<(), Error> {
        self.called("cuMemcpyDtoHAsync")?;
        self.host.download(stream, out, from, at)
    }

    unsafe fn launch(
        &self,
        stream: &Self::Stream,
        kernel: &str,
        grid: [u32; 2],
        arguments: &mut [Argument<'_, Self::Buffer>],
    ) -> Result<(), Error> {
        self.called("cuLaunchKernel")?;
        // SAFETY: the caller's promise is that of the host device, which it was made for.
        unsafe { self.host.launch(stream, kernel, grid, arguments) }
    }

    fn begin_recording(&self, stream: &Self::Stream) -> Result<(), Error> {
        self.called("cuStreamBeginCapture")?;
        self.host.begin_recording(stream)
    }

    fn end_recording(&self, stream: &Self::Stream) -> Result<Self::Graph, Error> {
        self.called("cuStreamEndCapture")?;
        self.host.end_recording(stream)
    }

    unsafe fn replay(&self, stream: &Self::Stream, graph: &Self::Graph) -> Result<(), Error> {
        self.called("cuGraphLaunch")?;
        // SAFETY: the caller's promise is that of the host device, which it was made for.
        unsafe { self.host.replay(stream, graph) }
    }

    fn node_count(&self, graph: &Self::Graph) -> usize {
        self.host.node_count(graph)
    }

    fn counters(&self, stream: &Self::Stream) -> Counters {
        self.host.counters(stream)
    }
}

#[test]
fn a_device_that_is_lost_takes_nothing_with_it() {
    let params = Params::try_from(ParamsLiteral::insecure_bootstrap(11)).expect("parameters");
    let ctx = Context::with_options(params, Options::default()).expect("a context");
    let secret = ctx.secret_key().expect("a key");
    let relinearization = ctx.relinearization_key(&secret, &no_progress).expect("a key");
    let conjugation = ctx.conjugation_key(&secret, &no_progress).expect("a key");
    let bootstrapper = Bootstrapper::new(&ctx).expect("a bootstrapper");
    let size = BootstrapKeySize::Medium;
    let key = bootstrapper.bootstrap_key_of(BootstrapKind::Regular, &secret, 3, size, &no_progress).expect("a key");
    let keys = BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap: (&key).into() };
    let plain = ctx.encode(&[0.5, 0.25].map(Complex64::from), 1).expect("a message");
    let here = ctx.encrypt_with_secret(&plain, &secret).expect("a ciphertext");
    let bits =
        |ct: &Ciphertext| ctx.to_container(&Units::from(ct.clone()), Form::Expanded).expect("a container").to_bytes();

    // A product, and a bootstrap of it, twice: the second one replays what the first one recorded.
    let work = |a: &Ciphertext| {
        let bootstrap = || {
            let product = ctx.multiply(a, a, &relinearization)?;
            bootstrapper.bootstrap_many(Method::Regular, &[&product], keys, SlotType::Complex, &no_progress)
        };
        bootstrap()?;
        Ok::<_, everlevel_ckks::Error>(bootstrap()?.remove(0))
    };
    let on_a_device = |calls: u64| {
        let capacity = Capacity { limb_count: 4000, packed_count: 96 << 20 };
        let arena =
            Arena::new(Lost::after(calls), ctx.ring(), Arithmetic::Doubles, capacity).map_err(|e| e.to_string())?;
        let device: Arc<dyn DeviceRing> = Arc::clone(&arena) as _;
        let tried =
            catch_unwind(AssertUnwindSafe(|| work(&ctx.to_device(&here, &device)?).map(|result| bits(&result))));
        let left = arena.device().calls_left.load(Ordering::Relaxed);
        match tried {
            Ok(Ok(bits)) => Ok((bits, left)),
            Ok(Err(error)) => Err(error.to_string()),
            // An error unwinds up to where calls of users enter, as a lack of memory does.
            Err(payload) => match payload.downcast::<DeviceError>() {
                Ok(error) => Err(error.to_string()),
                Err(payload) => std::panic::resume_unwind(payload),
            },
        }
    };

    let expected = bits(&work(&here).expect("a bootstrap"));
    let (got, left) = on_a_device(1 << 40).expect("a device that stays");
    assert!(got == expected, "other bits than the CPU's");
    let calls = (1 << 40) - left;
    assert!(calls > 400, "{calls} calls");
    for lost_after in [0, calls / 3, 2 * calls / 3, calls - 1] {
        let error = on_a_device(lost_after).expect_err("the device is lost");
        assert!(error.contains("CUDA_ERROR_UNKNOWN") && error.contains("make a new device"), "{error}");
    }
    // Keys and ciphertexts of the host are what they were.
    assert!(bits(&work(&here).expect("a bootstrap")) == expected, "other bits than before");
    assert!(on_a_device(calls).expect("another device").0 == expected, "other bits than the CPU's");
}
