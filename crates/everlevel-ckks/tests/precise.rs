//! Chains of high precision and iterated bootstraps, on small insecure rings (or at `EVERLEVEL_TEST_LOG_N`).

use crate::common::{Party, log_n, precision, uniform};
use everlevel_ckks::{
    BootstrapKeySize, Complex64, Error, Method, Params, ParamsLiteral, Precision, SlotType, no_progress,
};

fn party() -> Party {
    let literal = match log_n() {
        16 => ParamsLiteral::high_precision(),
        log_n => {
            ParamsLiteral { max_level: 11, precision: Precision::High, ..ParamsLiteral::insecure_bootstrap(log_n) }
        }
    };
    Party::new(literal)
}

#[test]
fn iterated_bootstraps_reach_32_bits() {
    let party = party();
    let slots = party.ctx.slot_count();
    let one = Complex64::new(1.0, 0.0);
    for stages in [3, 4] {
        let key = party.bootstrap_key(stages, BootstrapKeySize::Medium);
        let keys = party.keys(&key);
        for (name, message, once) in [("uniform", uniform(slots, 31), 24.0), ("constant", vec![one; slots], 17.0)] {
            for level in [0, 5] {
                let ct = party.encrypt(&message, level);
                let start = std::time::Instant::now();
                let regular = party
                    .bootstrapper()
                    .bootstrap(&ct, keys.relinearization, keys.conjugation, &key, &no_progress)
                    .unwrap();
                let first = start.elapsed().as_secs_f64();
                let start = std::time::Instant::now();
                let out = party
                    .bootstrapper()
                    .bootstrap_by(Method::Precise, &ct, keys, SlotType::Complex, &no_progress)
                    .unwrap();
                let both = start.elapsed().as_secs_f64();
                assert_eq!((regular.level(), out.level()), (11 - stages, 10 - stages));
                assert_eq!(Some(out.scale()), party.ctx.scale_at(out.level()));
                let [p, q] = [&regular, &out].map(|ct| precision(&party.decrypt(ct), &message));
                println!("{name}, {stages} stages, level {level}: {p:?} in {first:.2} s, {q:?} in {both:.2} s");
                assert!(p.mean_bits >= once, "{p:?}");
                assert!(q.mean_bits >= 32.0 && q.worst_bits >= 29.0, "{q:?}");
                // The estimate is the size of the error.
                let measured = -q.rms.log2();
                assert!((out.precision_bits() - measured).abs() < 2.0, "{}, {q:?}", out.precision_bits());
            }
        }
    }
}

#[test]
fn other_bootstraps_work_with_high_precision() {
    let party = party();
    let slots = party.ctx.slot_count();
    let lossy = party.lossy_key(3);
    let keys = party.keys(&lossy);
    let message = uniform(slots, 5);
    let out = party
        .bootstrapper()
        .bootstrap_by(Method::Lossy, &party.encrypt(&message, 3), keys, SlotType::Complex, &no_progress)
        .unwrap();
    assert_eq!(out.level(), 11);
    assert!(precision(&party.decrypt(&out), &message).worst_bits >= 15.0);
    let signs: Vec<Complex64> = message.iter().map(|z| Complex64::new(z.re.signum(), 0.0)).collect();
    let out = party
        .bootstrapper()
        .bootstrap_by(Method::Sign, &party.encrypt(&signs, 3), keys, SlotType::Real, &no_progress)
        .unwrap();
    let p = precision(&party.decrypt(&out), &signs);
    assert!(p.mean_bits > 32.0, "{p:?}");
    let real: Vec<Complex64> = message.iter().map(|z| Complex64::new(z.re, 0.0)).collect();
    let ct = party.encrypt(&real, 0);
    let [a, b] = party.bootstrapper().merge_bootstrap(Method::Regular, &ct, &ct, keys, &no_progress).unwrap();
    for out in [a, b] {
        assert!(precision(&party.decrypt(&out), &real).mean_bits > 23.0);
    }
}

#[test]
fn precision_that_scales_cannot_hold_is_refused() {
    let party = Party::bootstrap(9);
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let ct = party.encrypt(&uniform(4, 1), 0);
    let error = party
        .bootstrapper()
        .bootstrap_by(Method::Precise, &ct, party.keys(&key), SlotType::Complex, &no_progress)
        .unwrap_err();
    assert!(matches!(error, Error::Parameter { what: "precision of the parameters", .. }), "{error}");
    for literal in [
        ParamsLiteral { precision: Precision::High, ..ParamsLiteral::insecure_depth(10, 5) },
        ParamsLiteral { precision: Precision::High, ..ParamsLiteral::insecure_bootstrap(10) },
        ParamsLiteral { precision: Precision::High, max_level: 17, ..ParamsLiteral::insecure_bootstrap(10) },
    ] {
        assert!(matches!(Params::try_from(literal), Err(Error::Parameter { .. })));
    }
}
