//! Devices opened by their places, and what is refused of them: other rings, other places, more than there is memory.

use std::panic::{AssertUnwindSafe, catch_unwind};

use everlevel_ckks::memory::Limit;
use everlevel_ckks::{
    Ciphertext, Complex64, Context, Error, KeyRef, Options, Params, ParamsLiteral, SecretKey, Units, no_progress,
};
use everlevel_gpu::{Opened, Place, open};
use everlevel_ring::device::DeviceError;

/// Bytes of a device on which a test's few limbs and keys fit.
const NBYTES: u64 = 64 << 20;

/// Devices are shared by equal parameters: each test has levels of its own.
fn context(max_level: usize) -> (Context, SecretKey) {
    let params = Params::try_from(ParamsLiteral::insecure_depth(11, max_level)).expect("parameters");
    let context = Context::with_options(params, Options::default()).expect("a context");
    let secret = context.secret_key().expect("a key");
    (context, secret)
}

fn opened(context: &Context, nbytes: u64) -> Opened {
    open(Place::Host, context.ring(), Some(nbytes)).expect("a device")
}

fn ciphertext(context: &Context, secret: &SecretKey) -> Ciphertext {
    let plain = context.encode(&[0.5, 0.25].map(Complex64::from), context.max_level()).expect("a message");
    context.encrypt_with_secret(&plain, secret).expect("a ciphertext")
}

#[test]
fn equal_rings_share_a_device() {
    let ((first, _), (second, _), (other, _)) = (context(3), context(3), context(4));
    let device = opened(&first, NBYTES).device;
    assert_eq!(device.place(), "gpu:host");
    assert_eq!(device.id(), opened(&second, NBYTES).device.id());
    assert_ne!(device.id(), opened(&other, NBYTES).device.id());
    let error = open(Place::Host, first.ring(), Some(2 * NBYTES)).expect_err("it is open").to_string();
    assert!(error.contains(&NBYTES.to_string()) && error.contains(&(2 * NBYTES).to_string()), "{error}");
    // What nobody holds any more is opened anew.
    let id = device.id();
    drop(device);
    assert_ne!(id, opened(&first, NBYTES).device.id());
}

#[test]
fn other_places_and_rings_are_refused() {
    let ((ours, secret), (other, _)) = (context(5), context(6));
    let (device, foreign) = (opened(&ours, NBYTES).device, opened(&other, NBYTES).device);
    let here = ciphertext(&ours, &secret);
    let there = ours.to_device(&here, &device).expect("a copy");
    assert_eq!([here.place(), there.place()], ["cpu", "gpu:host"]);
    let mixed = [
        ours.add(&here, &there).map(|_| ()),
        ours.multiply_without_key(&there, &here).map(|_| ()),
        Units::stack(&[&Units::from(here.clone()), &Units::from(there.clone())]).map(|_| ()),
    ];
    for result in mixed {
        let error = result.expect_err("one is on a device");
        assert!(matches!(&error, Error::OtherDevice { left, right, .. } if left != right), "{error}");
    }
    assert!(matches!(ours.to_device(&here, &foreign), Err(Error::Parameter { what: "device", .. })));
}

#[test]
fn keys_are_copied_where_there_is_room() {
    let (context, secret) = context(7);
    let keys = ["first", "second"].map(|_| context.rotation_key(&secret, &no_progress).expect("a key"));
    let [key, another] = keys.each_ref().map(KeyRef::RotationKey);
    let device = opened(&context, NBYTES).device;
    context.key_to_device(key, &device).expect("room for one");
    let held = device.memory().packed;
    assert!(context.is_key_on_device(key, &device) && held[0] > 0);
    context.key_to_device(key, &device).expect("nothing to do");
    assert_eq!(device.memory().packed, held);
    // A device that is full refuses the next one before any of it is copied, and says what it would take.
    drop(device);
    let device = opened(&context, held[0] * 100 / 60 + (1 << 16)).device;
    context.key_to_device(key, &device).expect("room for one");
    let before = device.memory();
    let error = context.key_to_device(another, &device).expect_err("no room").to_string();
    for value in [held[0], before.packed[1] - before.packed[0]] {
        assert!(error.contains(&value.to_string()), "{value} isn't in: {error}");
    }
    assert!(error.contains(Limit::DeviceCopies.name()), "{error}");
    assert_eq!(device.memory(), before);
    context.forget_on_device(key, &device);
    assert!(!context.is_key_on_device(key, &device));
    context.key_to_device(another, &device).expect("room again");
}

#[test]
fn a_lack_of_limbs_leaves_all_as_it_was() {
    let (context, secret) = context(8);
    let key = context.relinearization_key(&secret, &no_progress).expect("a key");
    let (here, device) = (ciphertext(&context, &secret), opened(&context, 24 << 20).device);
    let mut there = vec![context.to_device(&here, &device).expect("room for one")];
    // The lack unwinds, as one of the host's memory does, up to who called.
    let payload = loop {
        let product = AssertUnwindSafe(|| context.multiply(&there[0], &there[0], &key).expect("a product"));
        match catch_unwind(product) {
            Ok(product) => there.push(product),
            Err(payload) => break payload,
        }
    };
    match payload.downcast_ref::<DeviceError>() {
        Some(DeviceError::Memory(lack)) => assert!(lack.needed > lack.available, "{lack}"),
        other => panic!("{other:?}"),
    }
    there.truncate(1);
    let product = context.multiply(&there[0], &there[0], &key).expect("room again");
    let expected = context.multiply(&here, &here, &key).expect("a product");
    let bits = |ct: &Ciphertext| {
        let form = everlevel_ckks::Form::Expanded;
        context.to_container(&Units::from(ct.clone()), form).expect("a container").to_bytes()
    };
    assert!(bits(&product) == bits(&expected), "other bits than the CPU's");
}
