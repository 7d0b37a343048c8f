//! Footprints are told beforehand: those of keys are exact, and those of work are the limbs that a ring came to have.

use crate::common;
use everlevel_ckks::{
    BootstrapKeyForm, BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, BootstrapKind, Bootstrapper, Context, Entries,
    Footprint, MatrixForm, Method, Needs, Options, ParamsLiteral, Precision, SlotType, no_progress,
};
use num_complex::Complex64;

const LOG_N: u32 = 10;

fn context(bootstrap: bool, slot_count: Option<usize>, seeded_keys: bool) -> Context {
    let bootstrap_to = bootstrap.then_some(10);
    let needs = Needs { insecure_log_n: Some(LOG_N), bootstrap_to, slot_count, ..Needs::default() };
    let params = needs.literal().unwrap().try_into().unwrap();
    common::context_with(params, Options { slot_count, seeded_keys, ..Options::default() })
}

/// A context whose scales are two primes each.
fn double_context(slot_count: Option<usize>) -> Context {
    let literal = ParamsLiteral { precision: Precision::Double, ..ParamsLiteral::insecure_depth(LOG_N, 6) };
    common::context_with(literal.try_into().unwrap(), Options { slot_count, ..Options::default() })
}

#[track_caller]
fn assert_near(what: &str, estimate: u64, measured: f64) {
    let ratio = estimate as f64 / measured;
    println!("{what}: {estimate} of {measured:.0}, {ratio:.3}");
    assert!((0.9..1.1).contains(&ratio), "{what}: {estimate} of {measured}");
}

#[test]
fn keys_are_counted_to_the_byte() {
    let of_bootstraps = [(None, false), (Some(64), false), (None, true)];
    let contexts = of_bootstraps.map(|(slot_count, seeded)| context(true, slot_count, seeded));
    let contexts = contexts.into_iter().map(|context| (context, true));
    for (context, bootstraps) in contexts.chain([None, Some(64)].map(|count| (double_context(count), false))) {
        let secret = context.secret_key().unwrap();
        let p = &no_progress;
        let same = |footprint: Footprint, nbytes: usize| assert_eq!(footprint.held, nbytes as u64);
        same(context.secret_key_footprint(), secret.nbytes());
        same(context.public_key_footprint(), context.public_key(&secret).unwrap().nbytes());
        same(
            context.relinearization_key_footprint(context.max_level()).unwrap(),
            context.relinearization_key(&secret, p).unwrap().nbytes(),
        );
        same(
            context.conjugation_key_footprint(context.max_level()).unwrap(),
            context.conjugation_key(&secret, p).unwrap().nbytes(),
        );
        same(
            context.rotation_key_footprint(context.max_level()).unwrap(),
            context.rotation_key(&secret, p).unwrap().nbytes(),
        );
        let fixed = context.fixed_rotation_key(&secret, 1, 3).unwrap();
        same(context.fixed_rotation_key_footprint(3).unwrap(), fixed.nbytes());
        let matrices = context.matrix_multiplication_key(&secret, 2, p).unwrap();
        same(context.matrix_multiplication_key_footprint(2).unwrap(), matrices.nbytes());
        if !bootstraps {
            continue;
        }
        let bootstrapper = Bootstrapper::new(&context).unwrap();
        let small = bootstrapper.small_bootstrap_key(&secret, p).unwrap();
        same(bootstrapper.small_bootstrap_key_footprint().unwrap(), small.nbytes());
        for kind in BootstrapKind::ALL {
            for size in [BootstrapKeySize::Medium, BootstrapKeySize::Large] {
                let stages = context.stage_counts()[0];
                let key = bootstrapper.bootstrap_key_of(kind, &secret, stages, size, p).unwrap();
                same(bootstrapper.bootstrap_key_footprint(kind, stages, size).unwrap(), key.nbytes());
            }
        }
    }
}

/// The most limbs that work had at once, in bytes, beside those that were there before.
fn limbs_of<T>(context: &Context, work: impl FnOnce() -> T) -> (T, f64) {
    let [_, before] = context.ring().limb_peak();
    let result = work();
    let [most, _] = context.ring().limb_peak();
    (result, (8 * context.ring().n() * (most - before)) as f64)
}

#[test]
fn work_on_keys_and_messages_takes_the_limbs_that_were_told() {
    check_keys_and_messages(&context(true, None, false));
    check_keys_and_messages(&double_context(None));
}

fn check_keys_and_messages(context: &Context) {
    let (secret, p) = (context.secret_key().unwrap(), &no_progress);
    let footprint = context.relinearization_key_footprint(context.max_level()).unwrap();
    let (_, limbs) = limbs_of(context, || context.relinearization_key(&secret, p).unwrap());
    assert_near("relinearization key", footprint.work, limbs);
    let footprint = context.rotation_key_footprint(context.max_level()).unwrap();
    let (_, limbs) = limbs_of(context, || context.rotation_key(&secret, p).unwrap());
    assert_near("rotation key", footprint.work, limbs);
    let footprint = context.public_key_footprint();
    let (public, limbs) = limbs_of(context, || context.public_key(&secret).unwrap());
    assert_near("public key", footprint.peak(), limbs);

    let level = context.max_level();
    let values: Vec<Complex64> = (0..3 * context.slot_count()).map(|i| (i as f64 * 0.1).sin().into()).collect();
    let footprint = context.encoding_footprint(3, level).unwrap();
    let (units, limbs) = limbs_of(context, || context.encode_units(&values, level).unwrap());
    assert_near("encoding", footprint.held, limbs);
    let footprint = context.encryption_footprint(3, level).unwrap();
    let (_, limbs) = limbs_of(context, || context.encrypt_units(&units, &public).unwrap());
    assert_near("encryption", footprint.peak(), limbs);
}

#[test]
fn bootstraps_take_the_limbs_that_were_told() {
    let (p, values) = (&no_progress, [Complex64::new(0.5, -0.25)]);
    for (slot_count, stages) in [(None, vec![3, 5]), (Some(64), vec![1, 3])] {
        let context = context(true, slot_count, false);
        let bootstrapper = Bootstrapper::new(&context).unwrap();
        let secret = context.secret_key().unwrap();
        let relinearization = &context.relinearization_key(&secret, p).unwrap();
        let conjugation = &context.conjugation_key(&secret, p).unwrap();
        let rotation = &context.rotation_key(&secret, p).unwrap();
        let small = &bootstrapper.small_bootstrap_key(&secret, p).unwrap();
        let ct = context.encrypt_with_secret(&context.encode(&values, 6).unwrap(), &secret).unwrap();
        let measure = |method, bootstrap: BootstrapKeyRef, count| {
            let keys = BootstrapKeys { relinearization, conjugation, bootstrap };
            let run = || {
                let all = vec![&ct; count];
                bootstrapper.bootstrap_many(method, &all, keys, SlotType::Complex, p).unwrap()
            };
            // The first makes tables, which aren't limbs.
            let tables = || {
                let method = (method, SlotType::Complex);
                bootstrapper.bootstrap_footprint(method, bootstrap.stage_count(), bootstrap.into(), count).unwrap()
            };
            let first = tables();
            let before = bootstrapper.table_nbytes();
            run();
            let made = bootstrapper.table_nbytes() - before;
            let footprint = tables();
            // Tiny ones are not worth counting diagonals that wrap around.
            if made > 1 << 20 {
                assert_near("tables", first.held - footprint.held, made as f64);
            }
            let (_, limbs) = limbs_of(&context, run);
            let what = format!("{method:?} of {count}, {:?}", BootstrapKeyForm::from(bootstrap));
            assert_near(&what, footprint.peak(), limbs);
        };
        for stage_count in stages.into_iter().filter(|s| context.stage_counts().contains(s)) {
            // The order of a usual one isn't known before.
            let (kind, size) = (BootstrapKind::Both, BootstrapKeySize::Medium);
            let form = BootstrapKeyForm::Full { kind, size, is_seeded: false, coeffs_to_slots_count: None };
            let [usual, first, last] = [Method::Usual, Method::Lossy, Method::Regular].map(|method| {
                bootstrapper.bootstrap_footprint((method, SlotType::Complex), stage_count, form, 1).unwrap().peak()
            });
            assert_eq!(usual, first.max(last));
            for size in [BootstrapKeySize::Medium, BootstrapKeySize::Large] {
                for (kind, methods) in [
                    (BootstrapKind::Lossy, [(Method::Regular, 1), (Method::Lossy, 1), (Method::Regular, 5)]),
                    (BootstrapKind::Both, [(Method::Lossy, 1), (Method::Sign, 1), (Method::Lossy, 2)]),
                ] {
                    let key = bootstrapper.bootstrap_key_of(kind, &secret, stage_count, size, p).unwrap();
                    for (method, count) in methods {
                        measure(method, (&key).into(), count);
                    }
                }
            }
            let keys = BootstrapKeyRef::Small { key: small, rotation, stage_count };
            for (method, count) in [(Method::Regular, 1), (Method::Lossy, 2)] {
                measure(method, keys, count);
            }
        }
    }
}

#[test]
fn matrices_take_the_limbs_that_were_told() {
    for is_real in [true, false] {
        check_matrices(&context(false, Some(256), false), is_real);
        check_matrices(&double_context(Some(256)), is_real);
    }
}

fn check_matrices(context: &Context, is_real: bool) {
    let (secret, p, level) = (context.secret_key().unwrap(), &no_progress, 5);
    let (rows, columns) = (256, 512);
    let real: Vec<f64> = (0..rows * columns).map(|k| (k as f64).sin() / 100.0).collect();
    let complex: Vec<Complex64> = real.iter().map(|x| Complex64::new(*x, -x)).collect();
    let entries = if is_real { Entries::Real(&real) } else { Entries::Complex(&complex) };
    let vector: Vec<Complex64> = (0..columns).map(|i| (i as f64 * 0.1).sin().into()).collect();
    let key = context.matrix_multiplication_key(&secret, level, p).unwrap();
    let units = context.encode_units(&vector, level).unwrap();
    let units = units.try_map(|unit| context.encrypt_with_secret(unit, &secret)).unwrap();
    let matrix = context.encode_matrix(entries, (rows, columns), level, None).unwrap();
    let footprint = context.matrix_footprint((rows, columns), level, (MatrixForm::Plain, is_real)).unwrap();
    assert_near("matrix", footprint.held, matrix.nbytes() as f64);
    let light = context.encode_light_matrix(entries, (rows, columns), level, None).unwrap();
    let footprint = context.matrix_footprint((rows, columns), level, (MatrixForm::Light, is_real)).unwrap();
    assert_near("light matrix", footprint.held, light.nbytes() as f64);
    let footprint = |form| context.matrix_product_footprint((rows, columns), level, form).unwrap().peak();
    let (_, limbs) = limbs_of(context, || context.multiply_matrix(&matrix, &units, &key).unwrap());
    assert_near("product", footprint(MatrixForm::Plain), limbs);
    let (_, limbs) = limbs_of(context, || context.multiply_light_matrix(&light, &units, &key).unwrap());
    assert_near("light product", footprint(MatrixForm::Light), limbs);
}
