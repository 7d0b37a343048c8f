//! Lossy, sign and merged bootstraps, on small insecure rings (or at `EVERLEVEL_TEST_LOG_N`).

use crate::common;

use crate::common::{Party, log_n, precision, uniform};
use everlevel_ckks::stage_counts;
use everlevel_ckks::{
    BootstrapKeyRef, BootstrapKeySize, BootstrapKind, Ciphertext, Complex64, Error, Method, Params, ParamsLiteral,
    SlotType, no_progress,
};

fn real(message: &[Complex64]) -> Vec<Complex64> {
    message.iter().map(|z| Complex64::new(z.re, 0.0)).collect()
}

fn worst(actual: &[Complex64], expected: &[Complex64]) -> f64 {
    actual.iter().zip(expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

#[test]
fn lossy_ends_at_level_13_within_2_to_the_minus_22() {
    let party = Party::bootstrap(log_n());
    let slots = party.ctx.slot_count();
    // The whole range of real and imaginary parts, its ends among them.
    let mut message = uniform(slots, 1);
    message[0] = Complex64::new(1.0, -1.0);
    message[1] = Complex64::new(-1.0, 1.0);
    for stages in [3, 4, 5] {
        let key = party.lossy_key(stages);
        let ct = party.encrypt(&message, stages);
        let start = std::time::Instant::now();
        let out = party
            .bootstrapper()
            .bootstrap_by(Method::Lossy, &ct, party.keys(&key), SlotType::Complex, &no_progress)
            .unwrap();
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(out.level(), 13);
        assert_eq!(Some(out.scale()), party.ctx.scale_at(13));
        let back = party.decrypt(&out);
        println!(
            "lossy, stages {stages}: {seconds:.2} s, worst {:e}, {:?}",
            worst(&back, &message),
            precision(&back, &message)
        );
        assert!(worst(&back, &message) <= 2f64.powi(-22));

        // What is left after the sine's own error is noise.
        let ratio = 2.0 * std::f64::consts::PI / 16384.0;
        let sine: Vec<Complex64> = message
            .iter()
            .map(|z| Complex64::new((ratio * z.re).sin() / ratio, (ratio * z.im).sin() / ratio))
            .collect();
        assert!(precision(&back, &sine).mean_bits > 26.0, "{:?}", precision(&back, &sine));

        let only = real(&message);
        let ct = party.encrypt(&only, stages + 2);
        let start = std::time::Instant::now();
        let out = party
            .bootstrapper()
            .bootstrap_by(Method::Lossy, &ct, party.keys(&key), SlotType::Real, &no_progress)
            .unwrap();
        println!("lossy, real: {:.2} s", start.elapsed().as_secs_f64());
        assert!(worst(&party.decrypt(&out), &only) <= 2f64.powi(-22));
    }
}

/// Uniform, constant, alternating and short-periodic values, whose parts reach ±1.
fn structured(slots: usize) -> [(&'static str, Vec<Complex64>); 4] {
    let of = |value: fn(usize) -> f64| (0..slots).map(|i| Complex64::new(value(i), value(i + 1))).collect();
    [
        ("uniform", uniform(slots, 11)),
        ("constant", of(|_| 1.0)),
        ("alternating", of(|i| if i % 2 == 0 { 1.0 } else { -1.0 })),
        ("period 8", of(|i| (i % 8) as f64 / 3.5 - 1.0)),
    ]
}

#[test]
fn usual_bootstraps_take_the_faster_order() {
    let party = Party::bootstrap(log_n());
    let slots = party.ctx.slot_count();
    let key = party.key_of(BootstrapKind::Both, 3);
    let (small, rotation) = (party.small_key(), party.rotation_key());
    let small = BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count: 3 };
    let run = |keys: BootstrapKeyRef, ct: &Ciphertext, slot_type| {
        let all = party.bootstrapper().bootstrap_many(Method::Usual, &[ct], party.keys(keys), slot_type, &no_progress);
        all.unwrap().remove(0)
    };
    for keys in [BootstrapKeyRef::from(&key), small] {
        for (name, message) in structured(slots) {
            let out = run(keys, &party.encrypt(&message, 3), SlotType::Complex);
            let p = precision(&party.decrypt(&out), &message);
            println!("{name}: {p:?}, estimates {:.2}, {:.2}", out.precision_bits(), out.precision_floor());
            assert_eq!((out.level(), Some(out.scale())), (13, party.ctx.scale_at(13)));
            assert!(p.mean_bits >= 24.5 && p.worst_bits >= 22.5, "{name}: {p:?}");
            assert!(p.worst_bits > out.precision_floor(), "{name}: {p:?}");
            let only = real(&message);
            let out = run(keys, &party.encrypt(&only, 5), SlotType::Real);
            let p = precision(&party.decrypt(&out), &only);
            println!("{name}, real: {p:?}, estimates {:.2}, {:.2}", out.precision_bits(), out.precision_floor());
            assert_eq!(out.level(), 13);
            assert!(p.mean_bits >= 24.5 && p.worst_bits >= 22.5, "{name}, real: {p:?}");
            assert!(p.worst_bits > out.precision_floor(), "{name}, real: {p:?}");
        }
        let message = uniform(slots, 12);
        let out = run(keys, &party.encrypt(&message, 4), SlotType::Complex);
        let p = precision(&party.decrypt(&out), &message);
        assert!((p.rms.log2() + out.precision_bits()).abs() < 1.2, "{p:?}, estimate {}", out.precision_bits());
        // Below, SlotsToCoeffs is last.
        assert_eq!(run(keys, &party.encrypt(&message, 2), SlotType::Complex).level(), 10);
        let [a, b] = [1, 2].map(|seed| party.encrypt(&real(&uniform(slots, seed)), 3));
        let all = party.bootstrapper().merge_bootstrap(Method::Usual, &a, &b, party.keys(keys), &no_progress).unwrap();
        for (seed, out) in [1, 2].into_iter().zip(&all) {
            assert_eq!(out.level(), 13);
            let p = precision(&party.decrypt(out), &real(&uniform(slots, seed)));
            assert!(p.mean_bits >= 25.0 && p.worst_bits >= 22.5, "{p:?}");
        }
    }
    // Keys for one order have one level.
    let regular = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let message = uniform(slots, 13);
    assert_eq!(run((&regular).into(), &party.encrypt(&message, 3), SlotType::Complex).level(), 10);
    assert_eq!(party.bootstrapper().first_level((&regular).into(), SlotType::Real), None);
    assert_eq!(party.bootstrapper().first_level((&key).into(), SlotType::Complex), Some(3));
}

#[test]
fn bootstraps_end_at_the_level_that_is_asked_for() {
    let party = Party::bootstrap(log_n());
    let slots = party.ctx.slot_count();
    let key = party.key_of(BootstrapKind::Both, 3);
    let (small, rotation) = (party.small_key(), party.rotation_key());
    let small = BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count: 3 };
    let run = |keys: BootstrapKeyRef, method, ct: &Ciphertext, slot_type, level| {
        let bootstrapper = party.bootstrapper().to_level(level);
        bootstrapper.bootstrap_many(method, &[ct], party.keys(keys), slot_type, &no_progress)
    };
    let message = uniform(slots, 21);
    for keys in [BootstrapKeyRef::from(&key), small] {
        for (method, slot_type, input, highest, levels) in [
            (Method::Usual, SlotType::Complex, 3, 13, &[1, 4, 10, 12][..]),
            (Method::Usual, SlotType::Real, 5, 13, &[4]),
            (Method::Usual, SlotType::Complex, 0, 10, &[1, 4, 9]),
            (Method::Regular, SlotType::Real, 1, 10, &[4]),
        ] {
            let only = if slot_type == SlotType::Real { real(&message) } else { message.clone() };
            let ct = party.encrypt(&only, input);
            let full = run(keys, method, &ct, slot_type, None).unwrap().remove(0);
            let usual = precision(&party.decrypt(&full), &only);
            for &level in levels {
                let out = run(keys, method, &ct, slot_type, Some(level)).unwrap().remove(0);
                assert_eq!((out.level(), Some(out.scale())), (level, party.ctx.scale_at(level)));
                let p = precision(&party.decrypt(&out), &only);
                println!(
                    "{method:?} {slot_type:?} {input} -> {level}: {p:?}, estimates {:.2}, {:.2}; highest {usual:?}",
                    out.precision_bits(),
                    out.precision_floor()
                );
                assert!(p.mean_bits > usual.mean_bits - 0.7 && p.worst_bits > usual.worst_bits - 0.7, "{p:?}");
                assert!(p.worst_bits > out.precision_floor(), "{p:?}");
                assert!((p.rms.log2() + out.precision_bits()).abs() < 1.2, "{p:?}, {}", out.precision_bits());
            }
            // The highest level by its number is the same bootstrap.
            let same = run(keys, method, &ct, slot_type, Some(highest)).unwrap().remove(0);
            assert_eq!(party.decrypt(&same), party.decrypt(&full));
            let refusal = run(keys, method, &ct, slot_type, Some(highest + 1));
            let refused = matches!(refusal, Err(Error::LevelOutOfRange { level, max_level, .. }) if (level, max_level) == (highest + 1, highest));
            assert!(refused, "{refusal:?}");
        }
        let signs: Vec<Complex64> = message.iter().map(|z| Complex64::new(z.re.signum(), 0.0)).collect();
        let ct = party.encrypt(&signs, 3);
        for level in [1, 6] {
            let out = run(keys, Method::Sign, &ct, SlotType::Real, Some(level)).unwrap().remove(0);
            assert_eq!((out.level(), Some(out.scale())), (level, party.ctx.scale_at(level)));
            let p = precision(&party.decrypt(&out), &signs);
            assert!(p.worst_bits > out.precision_floor() && p.mean_bits > 27.0, "{p:?}");
        }
        let parts: [Vec<Complex64>; 4] = [1, 2, 3, 4].map(|seed| real(&uniform(slots, seed)));
        let cts: Vec<Ciphertext> = parts.iter().map(|part| party.encrypt(part, 3)).collect();
        let low = party.encrypt(&parts[0], 0);
        let pairs = [[&cts[0], &cts[1]], [&cts[2], &cts[3]], [&low, &cts[1]]];
        let bootstrapper = party.bootstrapper().to_level(Some(5));
        let all = bootstrapper.merge_bootstraps(Method::Usual, &pairs, party.keys(keys), &no_progress).unwrap();
        let expected = [&parts[0], &parts[1], &parts[2], &parts[3], &parts[0], &parts[1]];
        for (out, expected) in all.iter().flatten().zip(expected) {
            assert_eq!((out.level(), Some(out.scale())), (5, party.ctx.scale_at(5)));
            let p = precision(&party.decrypt(out), expected);
            assert!(p.worst_bits > out.precision_floor() && p.mean_bits > 23.5, "{p:?}");
        }
        let alone = bootstrapper.merge_bootstrap(Method::Usual, &cts[2], &cts[3], party.keys(keys), &no_progress);
        assert_eq!(alone.unwrap().map(|out| party.decrypt(&out)), all[1].each_ref().map(|out| party.decrypt(out)));
    }
}

#[test]
fn chains_have_as_many_levels_as_are_asked_for() {
    for max_level in [4, 7, 15] {
        let literal = ParamsLiteral { max_level, ..ParamsLiteral::insecure_bootstrap(log_n()) };
        let party = Party::of(common::context(Params::try_from(literal).unwrap(), None, 2));
        assert!(party.ctx.stage_counts().iter().all(|&stages| stages < max_level));
        let key = party.key_of(BootstrapKind::Both, 3);
        let message = uniform(party.ctx.slot_count(), 31);
        for (input, out_level) in [(0, max_level - 3), (3, max_level)] {
            let ct = party.encrypt(&message, input);
            let cts = party.bootstrapper().bootstrap_many(
                Method::Usual,
                &[&ct],
                party.keys(&key),
                SlotType::Complex,
                &no_progress,
            );
            let out = cts.unwrap().remove(0);
            assert_eq!((out.level(), Some(out.scale())), (out_level, party.ctx.scale_at(out_level)));
            let p = precision(&party.decrypt(&out), &message);
            println!("{input} to {out_level} of {max_level}: {p:?}, estimate {:.2}", out.precision_bits());
            assert!(p.worst_bits > out.precision_floor(), "{p:?}");
            assert!((p.rms.log2() + out.precision_bits()).abs() < 1.2, "{p:?}, {}", out.precision_bits());
        }
    }
}

#[test]
fn complex_signs_have_one_rounding_a_part() {
    let party = Party::bootstrap(log_n());
    let (key, slots) = (party.lossy_key(3), party.ctx.slot_count());
    let signs: Vec<Complex64> =
        uniform(slots, 14).iter().map(|z| Complex64::new(z.re.signum(), z.im.signum())).collect();
    for slot_type in [SlotType::Complex, SlotType::Real] {
        let expected = if slot_type == SlotType::Real { real(&signs) } else { signs.clone() };
        let ct = party.encrypt(&expected, 3);
        let out =
            party.bootstrapper().bootstrap_by(Method::Sign, &ct, party.keys(&key), slot_type, &no_progress).unwrap();
        let back = party.decrypt(&out);
        let mean = |part: fn(&Complex64) -> f64| {
            back.iter().zip(&expected).map(|(a, b)| part(&(a - b)).abs()).sum::<f64>() / slots as f64
        };
        let (re, im) = (mean(|z| z.re), mean(|z| z.im));
        println!("{slot_type:?}: {re:e}, {im:e}");
        // 3.1e-10 at N = 2^16: a rounding is the sum of one number a coefficient.
        let most = 3.1e-10 * (slots as f64 / 32768.0).sqrt();
        assert!(re < most && im < most, "{slot_type:?}: {re:e}, {im:e}");
    }
}

#[test]
fn lossy_keys_serve_the_regular_order_below_stage_count() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let message = uniform(party.ctx.slot_count(), 2);
    let out = party
        .bootstrapper()
        .bootstrap_by(Method::Lossy, &party.encrypt(&message, 0), party.keys(&key), SlotType::Complex, &no_progress)
        .unwrap();
    assert_eq!(out.level(), 10);
    let p = precision(&party.decrypt(&out), &message);
    println!("regular order with a lossy key: {p:?}");
    assert!(p.mean_bits > 22.0, "{p:?}");
}

#[test]
fn sign_squares_the_error_of_its_input() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let slots = party.ctx.slot_count();
    let noise = uniform(slots, 3);
    let signs: Vec<Complex64> = uniform(slots, 4).iter().map(|z| Complex64::new(z.re.signum(), 0.0)).collect();
    for delta in [0.0, 2f64.powi(-12), 2f64.powi(-8)] {
        let noisy: Vec<Complex64> =
            signs.iter().zip(&noise).map(|(s, n)| Complex64::new(s.re + delta * n.re.signum(), 0.0)).collect();
        let ct = party.encrypt(&noisy, 3);
        let start = std::time::Instant::now();
        let out = party
            .bootstrapper()
            .bootstrap_by(Method::Sign, &ct, party.keys(&key), SlotType::Real, &no_progress)
            .unwrap();
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(out.level(), 13);
        let mean = party.decrypt(&out).iter().zip(&signs).map(|(a, s)| (a.re - s.re).abs()).sum::<f64>() / slots as f64;
        let expected = std::f64::consts::PI.powi(2) / 8.0 * delta * delta;
        println!("sign, delta {delta:e}: {seconds:.2} s, mean error {mean:e}, predicted {expected:e}");
        assert!((mean - expected).abs() < 0.02 * expected + 3.1e-10, "{mean:e}");
    }
}

#[test]
fn two_real_ciphertexts_share_a_bootstrap() {
    let party = Party::bootstrap(log_n());
    let slots = party.ctx.slot_count();
    let key = party.lossy_key(3);
    let regular = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let [a, b] = [5, 6].map(|seed| real(&uniform(slots, seed)));
    let [ct_a, ct_b] = [&a, &b].map(|m| party.encrypt(m, 3));
    for (method, keys, level, bits) in [
        (Method::Regular, party.keys(&regular), 10, 22.0),
        (Method::Regular, party.keys(&key), 10, 22.0),
        (Method::Lossy, party.keys(&key), 13, 25.0),
    ] {
        let [x, y] = party.bootstrapper().merge_bootstrap(method, &ct_a, &ct_b, keys, &no_progress).unwrap();
        for (out, message) in [(x, &a), (y, &b)] {
            assert_eq!(out.level(), level);
            let p = precision(&party.decrypt(&out), message);
            println!("merged {method:?}: {p:?}");
            assert!(p.mean_bits > bits, "{method:?}: {p:?}");
        }
    }
    let signs = [&a, &b].map(|m| m.iter().map(|z| Complex64::new(z.re.signum(), 0.0)).collect::<Vec<_>>());
    let [s, t] = signs.each_ref().map(|m| party.encrypt(m, 4));
    let outs = party.bootstrapper().merge_bootstrap(Method::Sign, &s, &t, party.keys(&key), &no_progress).unwrap();
    for (out, message) in outs.iter().zip(&signs) {
        assert!(worst(&party.decrypt(out), message) < 1e-7);
    }
}

#[test]
fn methods_refuse_the_wrong_key_and_too_low_levels() {
    let party = Party::bootstrap(log_n());
    let regular = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let lossy = party.lossy_key(4);
    let ct = party.encrypt(&[Complex64::new(1.0, 0.0)], 3);
    let error = party
        .bootstrapper()
        .bootstrap_by(Method::Sign, &ct, party.keys(&regular), SlotType::Real, &no_progress)
        .unwrap_err();
    assert!(matches!(error, Error::BootstrapKind { .. }));
    assert!(error.to_string().contains("Bootstrapper::bootstrap_key_of"), "{error}");
    let error = party
        .bootstrapper()
        .bootstrap_by(Method::Sign, &ct, party.keys(&lossy), SlotType::Real, &no_progress)
        .unwrap_err();
    assert!(matches!(error, Error::LevelExhausted { needed: 4, level: 3, .. }), "{error}");
}

/// Every number of slots, at every stage count that it allows (or the lowest, above 64 slots).
#[test]
fn sparse_bootstraps_are_as_precise_as_full_ones() {
    let log_n = log_n();
    let params = |slots| common::context(common::bootstrap_params(log_n), Some(slots), 2);
    for log_slots in 0..log_n - 1 {
        let slots = 1usize << log_slots;
        let party = Party::of(params(slots));
        let message = uniform(slots, u64::from(log_slots));
        let counts = stage_counts(slots);
        for &stages in counts.iter().take(if slots <= 64 { 2 } else { 1 }) {
            let key = party.bootstrap_key(stages, BootstrapKeySize::Medium);
            let start = std::time::Instant::now();
            let ct = party.encrypt(&message, 0);
            let out = party
                .bootstrapper()
                .bootstrap(&ct, &party.relinearization, &party.conjugation, &key, &no_progress)
                .unwrap();
            let p = precision(&party.decrypt(&out), &message);
            println!(
                "{slots} slots, {stages} stages: {:.2} s, {} MB, {p:?}",
                start.elapsed().as_secs_f64(),
                key.nbytes() / 1_000_000
            );
            assert_eq!(out.level(), 13 - stages);
            assert!(p.mean_bits >= 24.0 && p.worst_bits >= 20.0, "{slots} slots, {stages} stages: {p:?}");
        }
        let key = party.lossy_key(counts[0]);
        let ct = party.encrypt(&message, counts[0]);
        let out = party
            .bootstrapper()
            .bootstrap_by(Method::Lossy, &ct, party.keys(&key), SlotType::Complex, &no_progress)
            .unwrap();
        assert_eq!(out.level(), 13);
        assert!(worst(&party.decrypt(&out), &message) <= 2f64.powi(-22));
        // Complex values keep one EvalMod for both halves where there is room; real ones have one in either order.
        let both = party.key_of(BootstrapKind::Both, counts[0]);
        let (level, real_ct) = (counts[0], party.encrypt(&real(&message), counts[0]));
        let usual = |ct, slot_type| {
            let keys = party.keys(&both);
            party.bootstrapper().bootstrap_many(Method::Usual, &[ct], keys, slot_type, &no_progress).unwrap().remove(0)
        };
        let is_packed = log_slots + 2 <= log_n;
        let [out, only] = [usual(&ct, SlotType::Complex), usual(&real_ct, SlotType::Real)];
        assert_eq!((out.level(), only.level()), (if is_packed { 13 - level } else { 13 }, 13));
        assert!(precision(&party.decrypt(&out), &message).mean_bits >= 24.0);
        assert!(worst(&party.decrypt(&only), &real(&message)) <= 2f64.powi(-22));
        let low = party.encrypt(&message, 0);
        let out = party
            .bootstrapper()
            .bootstrap_by(Method::Lossy, &low, party.keys(&key), SlotType::Complex, &no_progress)
            .unwrap();
        assert!(precision(&party.decrypt(&out), &message).mean_bits > 22.0);
    }
}

#[test]
fn many_are_what_each_is_alone() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let slots = party.ctx.slot_count();
    // More than a group, of both orders mixed.
    let levels = [0, 3, 5, 1, 4, 3, 0];
    let messages: Vec<Vec<Complex64>> = (0..levels.len() as u64).map(|i| uniform(slots, 20 + i)).collect();
    let cts: Vec<_> = messages.iter().zip(levels).map(|(m, level)| party.encrypt(m, level)).collect();
    let refs: Vec<_> = cts.iter().collect();
    let keys = party.keys(&key);
    for (method, parts) in
        [(Method::Regular, SlotType::Complex), (Method::Lossy, SlotType::Complex), (Method::Lossy, SlotType::Real)]
    {
        let all = party.bootstrapper().bootstrap_many(method, &refs, keys, parts, &no_progress).unwrap();
        assert_eq!(all.len(), cts.len());
        for ((out, ct), message) in all.iter().zip(&cts).zip(&messages) {
            let alone = match method {
                Method::Regular => party
                    .bootstrapper()
                    .bootstrap(ct, keys.relinearization, keys.conjugation, &key, &no_progress)
                    .unwrap(),
                _ => party.bootstrapper().bootstrap_by(Method::Lossy, ct, keys, parts, &no_progress).unwrap(),
            };
            assert_eq!((out.level(), party.decrypt(out)), (alone.level(), party.decrypt(&alone)));
            let expected = if parts == SlotType::Real { real(message) } else { message.clone() };
            assert!(worst(&party.decrypt(out), &expected) <= 2f64.powi(-15));
        }
    }
    // One that can't be taken, and none is.
    let error = party.bootstrapper().bootstrap_many(Method::Sign, &refs, keys, SlotType::Real, &no_progress);
    assert!(matches!(error, Err(Error::LevelExhausted { op: "sign_bootstrap", needed: 3, level: 0, .. })));
    assert!(
        party.bootstrapper().bootstrap_many(Method::Sign, &[], keys, SlotType::Real, &no_progress).unwrap().is_empty()
    );
}
