//! Progress callbacks that say stop.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Party, precision, uniform};
use everlevel_ckks::Basis;
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::deep::Imaginary;
use everlevel_ckks::circuits::sign::SignPrecision;
use everlevel_ckks::{BootstrapKeySize, BootstrapStep, Error, Method, Progress, SlotType};

/// Stops `work` at every one of its reports, and checks that each stop is the last report.
fn stop_everywhere<T>(op: &'static str, work: impl Fn(Progress) -> Result<T, Error>) {
    let all = AtomicUsize::new(0);
    let count = |_, _| {
        all.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    assert!(work(&count).is_ok());
    let all = all.into_inner();
    assert!(all >= 2, "{op} reports {all} times");
    for stop in [1, 2, all / 2, all] {
        let reports = AtomicUsize::new(0);
        let interrupt = |_, _| match reports.fetch_add(1, Ordering::Relaxed) + 1 {
            now if now == stop => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let Err(error) = work(&interrupt) else { panic!("{op} wasn't stopped by report {stop} of {all}") };
        assert_eq!(reports.load(Ordering::Relaxed), stop, "{op} went on");
        assert!(matches!(error, Error::Cancelled(cancelled) if cancelled.op == op), "{error}");
        assert!(error.to_string().starts_with(&format!("{op}: cancelled after step ")), "{error}");
    }
}

/// EvalMod of a group takes longer than a bootstrap, so that it asks whether to stop between its products.
#[test]
fn eval_mod_stops_between_its_products() {
    let party = Party::bootstrap(10);
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let ct = party.encrypt(&uniform(party.ctx.slot_count(), 1), 0);
    let reports = Mutex::new(Vec::new());
    let progress = |done, _| {
        reports.lock().unwrap().push(done);
        ControlFlow::Continue(())
    };
    let mut seen = Vec::new();
    let observer = &mut |step, _: &_, _| seen.push((step, reports.lock().unwrap().len()));
    party.bootstrapper().bootstrap_observed(&ct, party.keys(&key), &progress, observer).unwrap();
    let at = |step| seen.iter().find(|(s, _)| *s == step).unwrap().1;
    let reports = reports.lock().unwrap();
    let within = &reports[at(BootstrapStep::CoeffsToSlots)..at(BootstrapStep::EvalMod)];
    assert_eq!(within.len(), 8, "{within:?}");
    // It is one step, however often it asks.
    assert!(within.iter().all(|done| *done == within[0]), "{within:?}");
    assert!(reports.is_sorted(), "{reports:?}");
}

#[test]
fn long_operations_stop_at_the_next_step() {
    let party = Party::bootstrap(10);
    let (ctx, secret) = (&party.ctx, &party.secret);
    stop_everywhere("create_relinearization_key", |p| ctx.relinearization_key(secret, p));
    stop_everywhere("create_conjugation_key", |p| ctx.conjugation_key(secret, p));
    stop_everywhere("create_rotation_key", |p| ctx.rotation_key(secret, p));
    let size = BootstrapKeySize::Medium;
    stop_everywhere("create_bootstrap_key", |p| party.bootstrapper().bootstrap_key(secret, 3, size, p));

    let key = party.bootstrap_key(3, size);
    let message = uniform(ctx.slot_count(), 1);
    let ct = party.encrypt(&message, 1);
    stop_everywhere("bootstrap", |p| {
        party.bootstrapper().bootstrap(&ct, &party.relinearization, &party.conjugation, &key, p)
    });
    let lossy = party.lossy_key(3);
    let many = [&ct; 4];
    stop_everywhere("bootstrap", |p| {
        party.bootstrapper().bootstrap_many(Method::Regular, &many, party.keys(&key), SlotType::Complex, p)
    });
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&lossy));
    let x = ct.clone().into();
    stop_everywhere("sign", |p| circuits.sign(&x, SignPrecision::OF_VALUES, p));
    stop_everywhere("relu", |p| circuits.relu(&x, SignPrecision::OF_VALUES, p));
    let mut series = vec![0.0; 1025];
    series[1024] = 1.0;
    stop_everywhere("evaluate_chebyshev_polynomial", |p| {
        circuits.evaluate_polynomials(&x, Imaginary::Message, Basis::Chebyshev, &[&series], p)
    });
    assert!(precision(&party.decrypt(&ct), &message).worst_bits > 20.0, "the ciphertext is as it was");
}
