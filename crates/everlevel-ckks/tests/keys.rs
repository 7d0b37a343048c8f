//! Keys: their sizes, their secrets, and that seeded and expanded ones give the same bits.

use crate::common;

use std::ops::ControlFlow;

use std::sync::Mutex;

use crate::common::{Party, depth, uniform};
use everlevel_ckks::io::Container;
use everlevel_ckks::{
    BootstrapKeySize, Cipher, Context, Form, Loading, Options, Params, ParamsLiteral, RelinearizationKey, no_progress,
};
use everlevel_rand::Seed;
use everlevel_security::SecretDistribution;

fn context(literal: ParamsLiteral, seeded_keys: bool) -> Context {
    let options = Options { thread_count: 2, seeded_keys, ..Options::default() };
    common::context_with(Params::try_from(literal).unwrap(), options)
}

#[test]
fn a_secret_key_is_a_function_of_its_seed() {
    let ctx = context(ParamsLiteral::insecure_depth(10, 2), false);
    let [a, b, other] = [1, 1, 2].map(|s| ctx.secret_key_from_seed(&Seed::from_bytes([s; 32])).unwrap());
    assert_eq!(a.secret_id(), b.secret_id());
    assert_ne!(a.secret_id(), other.secret_id());
    assert_ne!(ctx.secret_key().unwrap().secret_id(), ctx.secret_key().unwrap().secret_id());
    // The second copy decrypts what the first encrypted, the other seed's key does not.
    let x = uniform(512, 1);
    let ct = ctx.encrypt_with_secret(&ctx.encode(&x, 2).unwrap(), &a).unwrap();
    let back = ctx.decode(&ctx.decrypt(&ct, &b).unwrap()).unwrap();
    common::assert_close("second copy", &back, &x, 26.0);
    assert!(ctx.decrypt(&ct, &other).is_err());
}

#[test]
fn dense_secrets_work_as_weighted_ones_do() {
    let literal = ParamsLiteral { secret: SecretDistribution::Ternary, ..ParamsLiteral::insecure_depth(10, 2) };
    let party = Party::new(literal);
    let x = uniform(512, 1);
    let a = party.encrypt(&x, 2);
    let product = party.ctx.multiply(&a, &a, &party.relinearization).unwrap();
    party.assert_holds("square", &product, &common::zip(&x, &x, |x, y| x * y), 1, 26.0);
}

#[test]
fn every_key_names_the_secret_that_it_was_made_from() {
    let party = Party::bootstrap(9);
    let id = party.secret.secret_id();
    let rotation = party.ctx.rotation_key(&party.secret, &no_progress).unwrap();
    let fixed = party.ctx.fixed_rotation_key(&party.secret, 3, 1).unwrap();
    let bootstrap = party.bootstrap_key(4, BootstrapKeySize::Medium);
    let ids = [
        party.public.secret_id(),
        party.relinearization.secret_id(),
        party.conjugation.secret_id(),
        rotation.secret_id(),
        fixed.secret_id(),
        bootstrap.secret_id(),
    ];
    assert!(ids.iter().all(|i| *i == id));
    assert_eq!((bootstrap.stage_count(), bootstrap.size()), (4, BootstrapKeySize::Medium));
}

#[test]
fn seeded_keys_take_half_the_memory_and_compute_the_same() {
    let literal = || ParamsLiteral::insecure_depth(13, 2);
    let [expanded, seeded] = [false, true].map(|seeded| Party::of(context(literal(), seeded)));
    let weights = |p: &Party| {
        [
            p.relinearization.nbytes(),
            p.conjugation.nbytes(),
            p.ctx.rotation_key(&p.secret, &no_progress).unwrap().nbytes(),
        ]
    };
    for (whole, half) in weights(&expanded).into_iter().zip(weights(&seeded)) {
        assert_eq!(whole, 2 * half);
    }
    assert_eq!(expanded.relinearization.seeded_nbytes(), seeded.relinearization.seeded_nbytes());
    assert!(seeded.relinearization.seeded_nbytes() <= seeded.relinearization.nbytes() + 32);
    let x = uniform(4096, 1);
    for party in [&expanded, &seeded] {
        let a = party.encrypt(&x, 2);
        let product = party.ctx.multiply(&a, &a, &party.relinearization).unwrap();
        party.assert_holds("square", &product, &common::zip(&x, &x, |x, y| x * y), 1, 24.0);
    }
    // One engine's keys serve another of the same parameters, however it holds its own.
    let a = expanded.encrypt(&x, 2);
    let key = seeded.ctx.relinearization_key(&expanded.secret, &no_progress).unwrap();
    let product = expanded.ctx.multiply(&a, &a, &key).unwrap();
    expanded.assert_holds("square", &product, &common::zip(&x, &x, |x, y| x * y), 1, 24.0);
}

#[test]
fn masks_may_be_streams_of_aes() {
    let with = |mask_cipher, seeded_keys| {
        let options = Options { thread_count: 2, seeded_keys, mask_cipher, ..Options::default() };
        common::context_with(Params::try_from(ParamsLiteral::insecure_depth(12, 3)).unwrap(), options)
    };
    let party = Party::of(with(Cipher::Aes128, true));
    assert_eq!((party.ctx.seeded_keys(), party.ctx.mask_cipher()), (true, Cipher::Aes128));
    let x = uniform(2048, 1);
    let a = party.encrypt(&x, 3);
    let product = party.ctx.multiply(&a, &a, &party.relinearization).unwrap();
    party.assert_holds("square", &product, &common::zip(&x, &x, |x, y| x * y), 2, 24.0);
    // Its file, seeded or expanded, gives the same key to an engine of the other cipher.
    let other = with(Cipher::ChaCha20, false);
    for form in [Form::Seeded, Form::Expanded] {
        let bytes = party.ctx.to_container(&party.relinearization, form).unwrap().to_bytes();
        assert!(bytes.windows(7).any(|window| window == b"aes128:"));
        let container = Container::from_bytes(bytes).unwrap();
        let read: RelinearizationKey = other.from_container(&container, Loading::default()).unwrap();
        assert!(party.decrypt(&other.multiply(&a, &a, &read).unwrap()) == party.decrypt(&product));
    }
}

#[test]
fn the_number_of_threads_changes_no_bit_of_a_result() {
    let one = depth(11, 3);
    let params = Params::try_from(ParamsLiteral::insecure_depth(11, 3)).unwrap();
    let many = common::context(params, None, 5);
    assert_eq!((one.ctx.thread_count(), many.thread_count()), (2, 5));
    let x = uniform(1024, 1);
    let (a, b) = (one.encrypt(&x, 3), one.encrypt(&x, 2));
    let run = |ctx: &Context| {
        let p = ctx.multiply(&a, &b, &one.relinearization).unwrap();
        let p = ctx.add(&p, &ctx.conjugate(&p, &one.conjugation).unwrap()).unwrap();
        one.decrypt(&ctx.multiply_array(&p, &x).unwrap())
    };
    assert!(run(&one.ctx) == run(&many));
}

#[test]
fn sizes_in_bytes_are_what_is_held() {
    let party = depth(13, 3);
    let x = uniform(4096, 1);
    for level in 0..=3 {
        let plaintext = party.ctx.encode(&x, level).unwrap();
        assert_eq!(plaintext.nbytes(), 8 * 8192 * (level + 1));
        assert_eq!(party.encrypt(&x, level).nbytes(), 2 * plaintext.nbytes());
    }
    let three = party.ctx.square(&party.encrypt(&x, 3), None).unwrap();
    assert_eq!(three.nbytes(), 3 * 8 * 8192 * 3);
    // A seeded key: six bytes a residue, one body a digit, within the rounding to huge pages.
    let key = &party.relinearization;
    assert!(key.seeded_nbytes() >= 6 * 8192 * key.moduli()[0].len());
    assert!(party.secret.nbytes() >= 8192 && party.public.nbytes() > 0);
}

#[test]
fn key_generation_and_bootstraps_report_their_progress_to_the_end() {
    let party = Party::bootstrap(9);
    let reports = Mutex::new(Vec::new());
    let report = |done: usize, total: usize| {
        reports.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    let check = |what: &str| {
        let all = std::mem::take(&mut *reports.lock().unwrap());
        let total = all[0].1;
        assert!(all.iter().all(|r| r.1 == total), "{what}: the total stays");
        assert!(
            all.windows(2).all(|w| w[0].0 <= w[1].0 && w[1].0 <= w[0].0 + 1),
            "{what}: one step at a time, {all:?}"
        );
        assert_eq!(all.last(), Some(&(total, total)), "{what}: ends at the total");
    };
    party.ctx.relinearization_key(&party.secret, &report).unwrap();
    check("relinearization key");
    party.ctx.conjugation_key(&party.secret, &report).unwrap();
    check("conjugation key");
    party.ctx.rotation_key(&party.secret, &report).unwrap();
    check("rotation key");
    for stages in [3, 4, 5] {
        let key = party.bootstrapper().bootstrap_key(&party.secret, stages, BootstrapKeySize::Medium, &report).unwrap();
        check("bootstrap key");
        let ct = party.encrypt(&uniform(256, 1), 0);
        party.bootstrapper().bootstrap(&ct, &party.relinearization, &party.conjugation, &key, &report).unwrap();
        check("bootstrap");
    }
}

#[test]
fn larger_bootstrap_keys_hold_more_keys() {
    let party = Party::bootstrap(11);
    for stages in [3, 4, 5] {
        let [medium, large] =
            [BootstrapKeySize::Medium, BootstrapKeySize::Large].map(|size| party.bootstrap_key(stages, size));
        assert!(large.key_count() >= medium.key_count());
        assert!(medium.nbytes() <= large.nbytes() && medium.seeded_nbytes() < medium.nbytes());
        let small = party.small_key();
        assert!(small.key_count() < medium.key_count() && small.nbytes() < medium.nbytes());
        assert_eq!(small.moduli().len(), small.key_count());
        assert_eq!(medium.moduli().len(), medium.key_count());
    }
}
