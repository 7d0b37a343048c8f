//! Whole bootstraps on the host device, beside the CPU's: each method, each size of keys, each number of stages, of
//! levels and of slots at least once, and, slowly, all methods with all of them. The second bootstrap of a key does
//! what the first one recorded.

use std::sync::Arc;

use everlevel_ckks::{
    BootstrapKey, BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Ciphertext, Complex64,
    ConjugationKey, Context, Form, Method, Options, Params, ParamsLiteral, RelinearizationKey, SecretKey, SlotType,
    Units, no_progress,
};
use everlevel_gpu::{Arena, Arithmetic, Capacity, Device, Host, Memory, Order};
use everlevel_ring::device::DeviceRing;

use crate::ptx::interpreters;

/// A context with keys, and a device.
struct Setup<D: Device = Host> {
    ctx: Context,
    bootstrapper: Bootstrapper,
    secret: SecretKey,
    relinearization: RelinearizationKey,
    conjugation: ConjugationKey,
    arena: Arc<Arena<D>>,
}

impl Setup {
    fn new(literal: ParamsLiteral, slot_count: Option<usize>, arithmetic: Arithmetic) -> Self {
        Self::on(Host::new(Memory::Plain, Order::Shuffled), literal, slot_count, arithmetic)
    }

    fn of_slots(slot_count: Option<usize>) -> Self {
        Self::new(ParamsLiteral::insecure_bootstrap(11), slot_count, Arithmetic::Doubles)
    }
}

impl<D: Device> Setup<D> {
    fn on(device: D, literal: ParamsLiteral, slot_count: Option<usize>, arithmetic: Arithmetic) -> Self {
        let options = Options { slot_count, thread_count: 2, ..Options::default() };
        let ctx = Context::with_options(Params::try_from(literal).expect("parameters"), options).expect("a context");
        let secret = ctx.secret_key().expect("a key");
        let capacity = match ctx.ring().log_n() {
            ..=11 => Capacity { limb_count: 8000, packed_count: 96 << 20 },
            12 => Capacity { limb_count: 8000, packed_count: 192 << 20 },
            _ => Capacity { limb_count: 3000, packed_count: 1000 << 20 },
        };
        Self {
            bootstrapper: Bootstrapper::new(&ctx).expect("a bootstrapper"),
            relinearization: ctx.relinearization_key(&secret, &no_progress).expect("a key"),
            conjugation: ctx.conjugation_key(&secret, &no_progress).expect("a key"),
            arena: Arena::new(device, ctx.ring(), arithmetic, capacity).expect("an arena"),
            secret,
            ctx,
        }
    }

    fn key(&self, kind: BootstrapKind, stages: usize, size: BootstrapKeySize) -> BootstrapKey {
        self.bootstrapper.bootstrap_key_of(kind, &self.secret, stages, size, &no_progress).expect("a key")
    }

    fn keys<'a>(&'a self, bootstrap: BootstrapKeyRef<'a>) -> BootstrapKeys<'a> {
        BootstrapKeys { relinearization: &self.relinearization, conjugation: &self.conjugation, bootstrap }
    }

    fn encrypt(&self, value: impl Fn(usize) -> Complex64, level: usize) -> Ciphertext {
        let message: Vec<Complex64> = (0..self.ctx.slot_count()).map(value).collect();
        let plain = self.ctx.encode(&message, level).expect("a message");
        self.ctx.encrypt_with_secret(&plain, &self.secret).expect("a ciphertext")
    }

    fn there(&self, a: &Ciphertext) -> Ciphertext {
        let device: Arc<dyn DeviceRing> = Arc::clone(&self.arena) as _;
        self.ctx.to_device(a, &device).expect("a copy")
    }

    fn bits(&self, ct: &Ciphertext) -> Vec<u8> {
        self.ctx.to_container(&Units::from(ct.clone()), Form::Expanded).expect("a container").to_bytes()
    }

    /// Results on the device are the host's to the bit, at the first and at the second time, and leave no limbs behind.
    fn compare(&self, what: &str, cts: &[&Ciphertext], bootstrap: impl Fn(&[&Ciphertext]) -> Vec<Ciphertext>) {
        let expected: Vec<Vec<u8>> = bootstrap(cts).iter().map(|ct| self.bits(ct)).collect();
        let there: Vec<Ciphertext> = cts.iter().map(|ct| self.there(ct)).collect();
        let there: Vec<&Ciphertext> = there.iter().collect();
        let mut free = 0;
        for time in ["first", "second"] {
            let before = self.arena.device().counters(self.arena.stream());
            let got = bootstrap(&there);
            let after = self.arena.device().counters(self.arena.stream());
            assert!(got.iter().all(|ct| ct.device().is_some()), "{what}: results stay on the device");
            let got: Vec<Vec<u8>> = got.iter().map(|ct| self.bits(ct)).collect();
            assert!(got == expected, "{what}, {time}: other bits than the CPU's");
            if time == "second" {
                assert_eq!(after.downloaded_nbytes, before.downloaded_nbytes, "{what}: residues go to the host");
                let uploaded = after.uploaded_nbytes - before.uploaded_nbytes;
                // A ciphertext has two limbs of each part at least, keys and diagonals many more.
                let most = 4 * 8 * self.ctx.ring().n() as u64;
                assert!(uploaded < most, "{what}: {uploaded} bytes go to the device, more than tables have");
                let launches = after.launches - before.launches;
                // Two levels are two bootstraps.
                let is_long = ["small", "high precision"].iter().any(|name| what.starts_with(name));
                let usual = if what.contains("Usual") { 2 } else { 1 };
                let most = usual * if is_long { 1200 } else { 600 };
                println!("{what}: {launches} launches");
                assert!(launches <= most, "{what}: {launches} launches, {most} at most");
                assert_eq!(self.arena.free_limb_count(), free, "{what}: limbs are left behind");
            }
            free = self.arena.free_limb_count();
        }
        println!("{what}: {:?}", self.arena.usage());
    }

    fn many(&self, what: &str, method: Method, slot_type: SlotType, keys: BootstrapKeyRef, cts: &[&Ciphertext]) {
        self.compare(&format!("{what}: {method:?}, {slot_type:?}"), cts, |cts| {
            let keys = self.keys(keys);
            self.bootstrapper.bootstrap_many(method, cts, keys, slot_type, &no_progress).expect("a bootstrap")
        });
    }
}

fn wave(i: usize) -> Complex64 {
    Complex64::new((i as f64).sin(), (0.3 * i as f64).cos())
}

fn real_wave(i: usize) -> Complex64 {
    Complex64::new((i as f64).sin(), 0.0)
}

fn signs(i: usize) -> Complex64 {
    Complex64::new(if i.is_multiple_of(3) { 0.98 } else { -1.01 }, 0.0)
}

#[test]
fn every_method_and_every_size_of_keys() {
    methods_and_sizes(Covered::Each);
}

#[test]
#[ignore = "slow: three minutes"]
fn every_method_with_every_size_of_keys() {
    methods_and_sizes(Covered::Pairs);
}

/// Which combinations are run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Covered {
    /// Each choice at least once.
    Each,
    /// Each choice with each other one.
    Pairs,
}

fn methods_and_sizes(covered: Covered) {
    let setup = Setup::of_slots(None);
    let [low, middle] = [0, 4].map(|level| setup.encrypt(wave, level));
    let [real, sign] = [&real_wave as &dyn Fn(usize) -> Complex64, &signs].map(|f| setup.encrypt(f, 3));
    let [medium, large] = [BootstrapKeySize::Medium, BootstrapKeySize::Large].map(|size| {
        let key = setup.key(BootstrapKind::Both, 3, size);
        (format!("{size:?}"), key)
    });
    let rotation = setup.ctx.rotation_key(&setup.secret, &no_progress).expect("a key");
    let small = setup.bootstrapper.small_bootstrap_key(&setup.secret, &no_progress).expect("a key");
    let small = BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count: 3 };
    for (name, keys) in [(&*medium.0, (&medium.1).into()), (&*large.0, (&large.1).into()), ("small", small)] {
        setup.many(name, Method::Regular, SlotType::Complex, keys, &[&low]);
        if covered == Covered::Each && name != "Medium" {
            continue;
        }
        setup.many(name, Method::Regular, SlotType::Real, keys, &[&real]);
        setup.many(name, Method::Lossy, SlotType::Complex, keys, &[&middle]);
        setup.many(name, Method::Lossy, SlotType::Real, keys, &[&real]);
        setup.many(name, Method::Sign, SlotType::Real, keys, &[&sign]);
        setup.many(name, Method::Usual, SlotType::Complex, keys, &[&middle, &low]);
        setup.compare(&format!("{name}: merged"), &[&real, &sign], |cts| {
            let keys = setup.keys(keys);
            setup.bootstrapper.merge_bootstrap(Method::Usual, cts[0], cts[1], keys, &no_progress).expect("two").to_vec()
        });
    }
    let to_level = setup.bootstrapper.to_level(Some(4));
    setup.compare("to level 4", &[&low], |cts| {
        let keys = setup.keys((&medium.1).into());
        to_level.bootstrap_many(Method::Regular, cts, keys, SlotType::Complex, &no_progress).expect("a bootstrap")
    });
}

#[test]
fn every_number_of_stages() {
    // One stage and two are those of few slots.
    let setup = Setup::of_slots(None);
    for stages in [3, 4, 5] {
        let key = setup.key(BootstrapKind::Both, stages, BootstrapKeySize::Medium);
        let [low, high] = [0, stages].map(|level| setup.encrypt(wave, level));
        let name = format!("{stages} stages");
        setup.many(&name, Method::Regular, SlotType::Complex, (&key).into(), &[&low]);
        setup.many(&name, Method::Lossy, SlotType::Complex, (&key).into(), &[&high]);
    }
}

#[test]
fn few_slots() {
    slots_and_stages(Covered::Each);
}

#[test]
#[ignore = "slow: three minutes"]
fn few_slots_with_every_method() {
    slots_and_stages(Covered::Pairs);
}

fn slots_and_stages(covered: Covered) {
    for slots in [1, 32, 256] {
        let setup = Setup::of_slots(Some(slots));
        for (at, stages) in setup.ctx.stage_counts().into_iter().enumerate() {
            let key = setup.key(BootstrapKind::Both, stages, BootstrapKeySize::Medium);
            let ct = setup.encrypt(wave, stages);
            let name = format!("{slots} slots, {stages} stages");
            setup.many(&name, Method::Lossy, SlotType::Complex, (&key).into(), &[&ct]);
            if covered == Covered::Pairs || at == 0 {
                setup.many(&name, Method::Regular, SlotType::Complex, (&key).into(), &[&ct]);
            }
        }
    }
}

#[test]
fn other_chains() {
    let small = |ParamsLiteral { max_level, precision, .. }: ParamsLiteral| ParamsLiteral {
        max_level,
        precision,
        ..ParamsLiteral::insecure_bootstrap(11)
    };
    for level in [10, 14, 17] {
        let (name, literal) = (&*format!("to level {level}"), ParamsLiteral::bootstrap_to(level));
        let setup = Setup::new(small(literal), None, Arithmetic::Integers);
        let key = setup.key(BootstrapKind::Regular, 3, BootstrapKeySize::Medium);
        setup.many(name, Method::Regular, SlotType::Complex, (&key).into(), &[&setup.encrypt(wave, 0)]);
    }
    let setup = Setup::new(small(ParamsLiteral::high_precision()), None, Arithmetic::Integers);
    let key = setup.key(BootstrapKind::Regular, 3, BootstrapKeySize::Medium);
    setup.many("high precision", Method::Precise, SlotType::Complex, (&key).into(), &[&setup.encrypt(wave, 1)]);
}

/// Kernels of larger rings, whose transforms have other columns.
#[test]
fn a_larger_ring() {
    let setup = Setup::new(ParamsLiteral::insecure_bootstrap(12), None, Arithmetic::Integers);
    some_methods("2^12", &setup);
    let key = setup.key(BootstrapKind::Both, 3, BootstrapKeySize::Large);
    let real = setup.encrypt(real_wave, 3);
    setup.many("2^12, large", Method::Lossy, SlotType::Real, (&key).into(), &[&real]);
}

/// Parameters of 128 bits, whose ring has transforms of its own.
#[test]
#[ignore = "slow: some ten minutes and ten gigabytes"]
fn the_full_size() {
    some_methods("2^16", &Setup::new(ParamsLiteral::bootstrap(), None, Arithmetic::Doubles));
}

/// A regular and a sign bootstrap with a medium key, and a regular one with a small key.
fn some_methods(name: &str, setup: &Setup) {
    let (low, sign) = (setup.encrypt(wave, 0), setup.encrypt(signs, 3));
    let key = setup.key(BootstrapKind::Both, 3, BootstrapKeySize::Medium);
    setup.many(name, Method::Regular, SlotType::Complex, (&key).into(), &[&low]);
    setup.many(name, Method::Sign, SlotType::Real, (&key).into(), &[&sign]);
    drop(key);
    let rotation = setup.ctx.rotation_key(&setup.secret, &no_progress).expect("a key");
    let small = setup.bootstrapper.small_bootstrap_key(&setup.secret, &no_progress).expect("a key");
    let small = BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count: 3 };
    setup.many(&format!("small, {name}"), Method::Regular, SlotType::Complex, small, &[&low]);
}

/// PTX by the compiler of CUDA, on all that a bootstrap launches, sums of diagonals among it.
#[test]
#[ignore = "slow: three minutes, where the kernels' PTX is"]
fn a_bootstrap_of_interpreted_kernels() {
    for device in interpreters() {
        let name = format!("{device:?}");
        let setup = Setup::on(device, ParamsLiteral::insecure_bootstrap(11), None, Arithmetic::Doubles);
        let key = setup.key(BootstrapKind::Regular, 3, BootstrapKeySize::Medium);
        setup.many(&name, Method::Regular, SlotType::Complex, (&key).into(), &[&setup.encrypt(wave, 0)]);
    }
}
