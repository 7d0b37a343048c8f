//! Whole bootstraps on the host device, beside the CPU's.

use std::sync::Arc;

use everlevel_ckks::{
    BootstrapKeySize, BootstrapKeys, Bootstrapper, Complex64, Context, Form, Options, Params, ParamsLiteral, SlotType,
    Units, no_progress,
};
use everlevel_gpu::{Arena, Arithmetic, Capacity, Host, Memory, Order};
use everlevel_ring::device::DeviceRing;

fn device_of(ctx: &Context, arithmetic: Arithmetic) -> Arc<dyn DeviceRing> {
    let host = Host::new(Memory::Plain, Order::Forward);
    let capacity = Capacity { limb_count: 6000, packed_count: 64 << 20 };
    Arena::new(host, ctx.ring(), arithmetic, capacity).expect("an arena")
}

fn bits(ctx: &Context, ct: &everlevel_ckks::Ciphertext) -> Vec<u8> {
    ctx.to_container(&Units::from(ct.clone()), Form::Expanded).expect("a container").to_bytes()
}

#[test]
fn a_regular_bootstrap_has_the_bits_of_the_cpus() {
    let params = Params::try_from(ParamsLiteral::insecure_bootstrap(11)).expect("parameters");
    let ctx = Context::with_options(params, Options { thread_count: 2, ..Options::default() }).expect("a context");
    let bootstrapper = Bootstrapper::new(&ctx).expect("a bootstrapper");
    let secret = ctx.secret_key().expect("a key");
    let relinearization = ctx.relinearization_key(&secret, &no_progress).expect("a key");
    let conjugation = ctx.conjugation_key(&secret, &no_progress).expect("a key");
    let key = bootstrapper.bootstrap_key(&secret, 3, BootstrapKeySize::Medium, &no_progress).expect("a key");
    let message: Vec<Complex64> = (0..ctx.slot_count()).map(|i| Complex64::new((i as f64).sin(), 0.5)).collect();
    let a = ctx.encrypt_with_secret(&ctx.encode(&message, 0).expect("a message"), &secret).expect("a ciphertext");
    let keys = BootstrapKeys { relinearization: &relinearization, conjugation: &conjugation, bootstrap: (&key).into() };
    let bootstrap = |a: &everlevel_ckks::Ciphertext| {
        bootstrapper
            .bootstrap_many(everlevel_ckks::Method::Regular, &[a], keys, SlotType::Complex, &no_progress)
            .expect("a bootstrap")
            .remove(0)
    };
    let expected = bootstrap(&a);
    let device = device_of(&ctx, Arithmetic::Doubles);
    let there = ctx.to_device(&a, &device).expect("a copy");
    let start = std::time::Instant::now();
    let got = bootstrap(&there);
    println!("{:?}", start.elapsed());
    assert!(got.device().is_some());
    assert!(bits(&ctx, &got) == bits(&ctx, &expected));
}
