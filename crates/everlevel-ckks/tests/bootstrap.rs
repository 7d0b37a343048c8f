//! Bootstraps, whole and stage by stage, on small insecure rings (or at `EVERLEVEL_TEST_LOG_N`).

use crate::common::{self, Party, Precision, bootstrap_params, log_n, precision, uniform};
use everlevel_ckks::BootstrapStep;
use everlevel_ckks::EVAL_MOD_INTERVAL;
use everlevel_ckks::{
    BootstrapKey, BootstrapKeyRef, BootstrapKeySize, BootstrapKeys, BootstrapKind, Complex64, Encoder, Method, Options,
    PreparedKey, SlotType, no_progress,
};
use std::ops::ControlFlow;
use std::sync::Mutex;

/// Half a bit less than the least mean of a bootstrap's bits at 2^11, 27.4; errors grow with the root of the degree.
fn least_mean_bits() -> f64 {
    26.9 - (f64::from(log_n()) - 11.0) / 2.0
}

#[test]
fn every_stage_count_and_size_refreshes_levels() {
    let party = Party::bootstrap(log_n());
    let message = uniform(party.ctx.slot_count(), 1);
    for stages in [3, 4, 5] {
        for size in [BootstrapKeySize::Medium, BootstrapKeySize::Large] {
            let key = party.bootstrap_key(stages, size);
            let ct = party.encrypt(&message, 0);
            let start = std::time::Instant::now();
            let out = party
                .bootstrapper()
                .bootstrap(&ct, &party.relinearization, &party.conjugation, &key, &no_progress)
                .unwrap();
            let seconds = start.elapsed().as_secs_f64();
            let p = precision(&party.decrypt(&out), &message);
            println!("stages {stages} {size:?}: {seconds:.2} s, {} bytes of keys, {p:?}", key.nbytes());
            assert_eq!(out.level(), 13 - stages);
            assert_eq!(Some(out.scale()), party.ctx.scale_at(out.level()));
            assert!(p.mean_bits >= least_mean_bits() && p.worst_bits >= least_mean_bits() - 3.0, "{p:?}");
            assert!((p.rms.log2() + out.precision_bits()).abs() < 1.2, "estimate {}", out.precision_bits());
        }
    }
}

#[test]
fn lifted_tables_are_shared_by_keys_and_go_with_the_last() {
    let options = |seeded_keys| Options { seeded_keys, thread_count: 2, ..Options::default() };
    let bytes_after = |party: &Party, key: &BootstrapKey, message: &[Complex64]| {
        let ct = party.encrypt(message, 0);
        let out =
            party.bootstrapper().bootstrap(&ct, &party.relinearization, &party.conjugation, key, &no_progress).unwrap();
        assert!(precision(&party.decrypt(&out), message).mean_bits >= least_mean_bits());
        party.bootstrapper().table_nbytes()
    };
    let of = |seeded_keys| Party::of(common::context_with(bootstrap_params(log_n()), options(seeded_keys)));
    let message = uniform(1 << (log_n() - 1), 5);

    // Keys for little memory use integers.
    let party = of(true);
    let integers = bytes_after(&party, &party.bootstrap_key(3, BootstrapKeySize::Medium), &message);
    assert_eq!(party.bootstrapper().table_nbytes(), integers);

    let party = of(false);
    let [first, second] = [1, 2].map(|_| party.bootstrap_key(3, BootstrapKeySize::Medium));
    let lifted = bytes_after(&party, &first, &message);
    assert!(lifted > 10 * integers, "{lifted} {integers}");
    assert_eq!(bytes_after(&party, &second, &message), lifted);
    drop(first);
    assert_eq!(bytes_after(&party, &second, &message), lifted);
    drop(second);
    assert_eq!(party.bootstrapper().table_nbytes(), integers);
    // And come back.
    let third = party.bootstrap_key(3, BootstrapKeySize::Medium);
    assert_eq!(bytes_after(&party, &third, &message), lifted);
}

#[test]
fn prepared_bootstraps_make_no_tables_and_take_no_memory() {
    let message = uniform(1 << (log_n() - 1), 5);
    for kind in [BootstrapKind::Regular, BootstrapKind::Both] {
        let party = Party::of(common::context_with(bootstrap_params(log_n()), Options::default()));
        let bootstrapper = party.bootstrapper();
        let key =
            bootstrapper.bootstrap_key_of(kind, &party.secret, 3, BootstrapKeySize::Medium, &no_progress).unwrap();
        let steps = Mutex::new(Vec::new());
        let progress = |done: usize, total: usize| {
            steps.lock().unwrap().push((done, total));
            ControlFlow::Continue(())
        };
        bootstrapper.prepare(PreparedKey::Full(&key), &progress).unwrap();
        let total = if kind == BootstrapKind::Both { 5 } else { 3 };
        assert_eq!(steps.into_inner().unwrap(), (0..=total).map(|done| (done, total)).collect::<Vec<_>>());
        let call = (Method::Usual, SlotType::Complex);
        let work = bootstrapper.bootstrap_footprint(call, 3, BootstrapKeyRef::from(&key).into(), 1).unwrap();
        let limb = 8u64 << log_n();
        assert!(party.ctx.ring().free_limb_count() as u64 * limb >= work.work, "{work:?}");
        let tables = bootstrapper.table_nbytes();
        assert!(tables > 0);
        for level in [0, 3] {
            let ct = party.encrypt(&message, level);
            let keys = BootstrapKeys {
                relinearization: &party.relinearization,
                conjugation: &party.conjugation,
                bootstrap: (&key).into(),
            };
            bootstrapper.bootstrap_many(Method::Usual, &[&ct], keys, SlotType::Complex, &no_progress).unwrap();
            assert_eq!(bootstrapper.table_nbytes(), tables, "{kind:?} from level {level}");
        }
        // Cancelled, and again.
        assert!(bootstrapper.prepare(PreparedKey::Full(&key), &|_, _| ControlFlow::Break(())).is_err());
        bootstrapper.prepare(PreparedKey::Full(&key), &no_progress).unwrap();
        assert_eq!(bootstrapper.table_nbytes(), tables);
    }
}

#[test]
fn constant_and_alternating_signs_err_by_the_sine_alone() {
    let party = Party::bootstrap(log_n());
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    for period in [1, 2] {
        let message: Vec<Complex64> = (0..party.ctx.slot_count())
            .map(|i| Complex64::new(if i % period == 0 { 1.0 } else { -1.0 }, 0.0))
            .collect();
        let ct = party.encrypt(&message, 5);
        let out = party
            .bootstrapper()
            .bootstrap(&ct, &party.relinearization, &party.conjugation, &key, &no_progress)
            .unwrap();
        let errors = party.decrypt(&out).iter().zip(&message).map(|(a, b)| (a - b).norm()).collect::<Vec<_>>();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        // 1 − sin(x)/x at x = 2π/2^10, and the noise.
        println!("period {period}: mean error {mean:e}");
        assert!(mean < 7e-6, "period {period}: {mean:e}");
    }
}

#[test]
fn each_stage_matches_the_plain_computation() {
    let party = Party::bootstrap(log_n());
    let slots = party.ctx.slot_count();
    let encoder = Encoder::<f64>::new(2 * slots, slots);
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let message = uniform(slots, 2);
    let ct = party.encrypt(&message, 0);
    let mut seen: Vec<(BootstrapStep, Vec<i128>, Vec<Complex64>)> = Vec::new();
    let out = party
        .bootstrapper()
        .bootstrap_observed(&ct, party.keys(&key), &no_progress, &mut |stage, rlwe, scale| {
            let (coeffs, slots) = party.ctx.inspect(rlwe, &party.secret, scale).unwrap();
            seen.push((stage, coeffs, slots));
        })
        .unwrap();
    assert_eq!(
        seen.iter().map(|s| s.0).collect::<Vec<_>>(),
        [BootstrapStep::ModRaise, BootstrapStep::CoeffsToSlots, BootstrapStep::EvalMod, BootstrapStep::SlotsToCoeffs]
    );

    // ModRaise: m + q0·I with small I. The message is what is left modulo q0.
    let q0 = party.ctx.params().primes()[0] as f64;
    let factor = 4.0;
    let t: Vec<f64> = seen[0].1.iter().map(|&c| c as f64 / (factor * q0)).collect();
    assert!(t.iter().all(|t| t.abs() <= 16.5), "the integer bound of the encapsulated secret");
    let scale0 = party.ctx.scale_at(0).unwrap();
    let left: Vec<f64> = t.iter().map(|t| (t - t.round()) * q0 / scale0).collect();
    let raised = precision(&encoder.to_slots(&left), &message);
    report("mod_raise", raised);
    assert!(raised.mean_bits > 25.0);

    // CoeffsToSlots: the first half of the coefficients, bit-reversed, over the interval.
    let bits = slots.trailing_zeros();
    let reversed = |i: usize| i.reverse_bits() >> (usize::BITS - bits);
    let expected: Vec<Complex64> =
        (0..slots).map(|i| Complex64::new(t[reversed(i)] / EVAL_MOD_INTERVAL, 0.0)).collect();
    let down = precision(&seen[1].2, &expected);
    report("coeffs_to_slots", down);
    assert!(down.mean_bits > 40.0);

    // EvalMod, from what its input really was.
    let sines: Vec<Complex64> = seen[1]
        .2
        .iter()
        .map(|z| Complex64::new((2.0 * std::f64::consts::PI * z.re * EVAL_MOD_INTERVAL).sin(), 0.0))
        .collect();
    // The sines of the other half are the imaginary parts.
    let reals: Vec<Complex64> = seen[2].2.iter().map(|z| Complex64::new(z.re, 0.0)).collect();
    let sine = precision(&reals, &sines);
    report("eval_mod", sine);
    assert!(sine.mean_bits > 36.0);

    // And from the raised coefficients: what CoeffsToSlots and EvalMod do together.
    let ideal: Vec<Complex64> =
        (0..slots).map(|i| Complex64::new((2.0 * std::f64::consts::PI * t[reversed(i)]).sin(), 0.0)).collect();
    report("coeffs_to_slots and eval_mod", precision(&reals, &ideal));

    let whole = precision(&party.decrypt(&out), &message);
    report("whole", whole);
    assert!(whole.mean_bits >= least_mean_bits());
}

fn report(what: &str, p: Precision) {
    println!("{what}: mean {:.2} bits, worst {:.2}, rms 2^{:.2}", p.mean_bits, p.worst_bits, p.rms.log2());
}
