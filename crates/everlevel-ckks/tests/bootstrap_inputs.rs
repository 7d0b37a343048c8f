//! Bootstraps of every kind of input, on a small insecure ring: levels, messages, key forms, repetition, the integer
//! bound.

use crate::common::{self, Party, precision, uniform, zip};
use everlevel_ckks::BootstrapStep;
use everlevel_ckks::ENCAPSULATION_WEIGHT;
use everlevel_ckks::{
    BootstrapKey, BootstrapKeySize, Bootstrapper, Ciphertext, Complex64, Options, Params, ParamsLiteral, no_progress,
};

const LOG_N: u32 = 10;
const SLOTS: usize = 512;
/// Bits of the worst slot: 26.4 on average here, the worst of 512 slots 1.5 below, constant messages worse by the
/// sine's error.
const BITS: f64 = 23.0;

fn bootstrap(party: &Party, ct: &Ciphertext, key: &BootstrapKey) -> Ciphertext {
    party.bootstrapper().bootstrap(ct, &party.relinearization, &party.conjugation, key, &no_progress).unwrap()
}

#[test]
fn ciphertexts_of_every_level_are_refreshed() {
    let party = Party::bootstrap(LOG_N);
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let x = uniform(SLOTS, 1);
    for level in [0, 1, 7, 13] {
        let ct = party.encrypt(&x, level);
        let before = party.decrypt(&ct);
        party.assert_holds(&format!("from level {level}"), &bootstrap(&party, &ct, &key), &x, 10, BITS);
        assert_eq!((party.decrypt(&ct), ct.level()), (before, level), "the input is as it was");
    }
}

#[test]
fn messages_of_every_shape_are_refreshed() {
    let party = Party::bootstrap(LOG_N);
    let key = party.bootstrap_key(5, BootstrapKeySize::Large);
    let i = Complex64::new(0.0, 1.0);
    let messages: [(&str, Vec<Complex64>); 7] = [
        ("zero", vec![Complex64::default(); SLOTS]),
        ("real", uniform(SLOTS, 2).iter().map(|z| z.re.into()).collect()),
        ("imaginary", uniform(SLOTS, 3).iter().map(|z| i * z.im).collect()),
        ("small", uniform(SLOTS, 4).iter().map(|z| z * 1e-4).collect()),
        (
            "one slot",
            (0..SLOTS).map(|k| if k == 77 { Complex64::new(0.3, -0.9) } else { Complex64::default() }).collect(),
        ),
        ("steps", (0..SLOTS).map(|k| Complex64::new((k % 3) as f64 / 2.0 - 0.5, 0.0)).collect()),
        ("small constant", vec![Complex64::new(0.1, 0.1); SLOTS]),
    ];
    for (what, x) in messages {
        party.assert_holds(what, &bootstrap(&party, &party.encrypt(&x, 0), &key), &x, 8, BITS - 1.5);
    }
}

#[test]
fn the_sines_error_grows_with_the_cube_of_a_constant_message() {
    let party = Party::bootstrap(LOG_N);
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    for size in [0.5, 1.0, 2.0] {
        let x = vec![Complex64::new(size, 0.0); SLOTS];
        let out = party.decrypt(&bootstrap(&party, &party.encrypt(&x, 0), &key));
        let mean = out.iter().map(|z| size - z.re).sum::<f64>() / SLOTS as f64;
        // sin(x)/x at x = 2π·m/2^10, for the message ratio 2^10.
        let angle = 2.0 * std::f64::consts::PI * size / 1024.0;
        let expected = size * (1.0 - angle.sin() / angle);
        assert!((mean / expected - 1.0).abs() < 0.1, "size {size}: {mean:e}, the sine says {expected:e}");
    }
}

#[test]
fn computing_and_bootstrapping_can_go_on_for_ever() {
    let party = Party::bootstrap(LOG_N);
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let unit = |seed| uniform(SLOTS, seed).iter().map(|z| z / z.norm()).collect::<Vec<_>>();
    let mut expected = unit(1);
    let mut ct = party.encrypt(&expected, 2);
    for round in 0..4 {
        while ct.level() > 0 {
            let factor = unit(10 + ct.level() as u64);
            ct = party.ctx.multiply(&ct, &party.encrypt(&factor, ct.level()), &party.relinearization).unwrap();
            expected = zip(&expected, &factor, |x, y| x * y);
        }
        ct = bootstrap(&party, &ct, &key);
        party.assert_holds(&format!("round {round}"), &ct, &expected, 10, BITS - 1.5);
    }
}

#[test]
fn seeded_keys_bootstrap_as_well() {
    let options = Options { seeded_keys: true, thread_count: 2, ..Options::default() };
    let ctx = common::context_with(Params::try_from(ParamsLiteral::insecure_bootstrap(LOG_N)).unwrap(), options);
    let party = Party::of(ctx);
    let x = uniform(SLOTS, 5);
    let key = party.bootstrap_key(4, BootstrapKeySize::Medium);
    party.assert_holds("seeded", &bootstrap(&party, &party.encrypt(&x, 0), &key), &x, 9, BITS);
}

/// The sine's cubic error is below the noise at N = 2^16, but not on this ring, whose coefficients are larger.
#[test]
fn the_error_estimate_after_a_bootstrap_is_near_and_does_not_flatter() {
    for log_n in [10, 12] {
        let party = Party::bootstrap(log_n);
        let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
        let x: Vec<Complex64> = uniform(party.ctx.slot_count(), 8).iter().map(|z| z.re.into()).collect();
        let out = bootstrap(&party, &party.encrypt(&x, 0), &key);
        let measured = -precision(&party.decrypt(&out), &x).rms.log2();
        println!("N = 2^{log_n}: measured {measured:.2}, estimated {:.2}", out.precision_bits());
        let unclaimed = measured - out.precision_bits();
        assert!((-0.5..2.0).contains(&unclaimed), "measured {measured}, estimated {}", out.precision_bits());
    }
}

/// One pair of keys and ciphertext on one thread and on several; twice on the same.
#[test]
fn a_bootstrap_is_a_function_of_its_arguments() {
    let party = Party::bootstrap(LOG_N);
    let key = party.bootstrap_key(3, BootstrapKeySize::Large);
    let ct = party.encrypt(&uniform(SLOTS, 6), 0);
    let expected = party.decrypt(&bootstrap(&party, &ct, &key));
    assert!(party.decrypt(&bootstrap(&party, &ct, &key)) == expected);
    for threads in [1, 5] {
        let other = common::context(party.ctx.params().clone(), None, threads);
        let out = Bootstrapper::new(&other)
            .unwrap()
            .bootstrap(&ct, &party.relinearization, &party.conjugation, &key, &no_progress)
            .unwrap();
        assert!(party.decrypt(&out) == expected, "{threads} threads");
    }
}

/// `|t| ≤ (h + 1)/2 = 16.5` for every coefficient of every raised ciphertext, so that EvalMod's interval is never left:
/// each coefficient of the phase is a sum of `h + 1` terms of at most `q0/2`. Whatever is raised, honest or not.
#[test]
fn the_integer_part_is_within_its_bound_for_every_key_and_input() {
    let bound = (ENCAPSULATION_WEIGHT as f64 + 1.0) / 2.0;
    let party = Party::bootstrap(9);
    let q0 = party.ctx.params().primes()[0] as f64;
    let mut largest = 0.0f64;
    let mut count = 0;
    for index in 0..6 {
        let key = party.bootstrap_key(3 + index % 3, BootstrapKeySize::Medium);
        for size in [0.0, 1.0, 500.0] {
            let x: Vec<_> = uniform(256, index as u64).iter().map(|z| z * size).collect();
            let ct = party.encrypt(&x, 0);
            party
                .bootstrapper()
                .bootstrap_observed(&ct, party.keys(&key), &no_progress, &mut |stage, rlwe, scale| {
                    if stage == BootstrapStep::ModRaise {
                        let (coeffs, _) = party.ctx.inspect(rlwe, &party.secret, scale).unwrap();
                        count += coeffs.len();
                        largest = coeffs.iter().map(|&c| (c as f64 / (4.0 * q0)).abs()).fold(largest, f64::max);
                    }
                })
                .unwrap();
        }
    }
    assert!(count >= 9000, "{count} coefficients");
    assert!(largest <= bound, "{largest}");
    // The deviation is √(33/12) = 1.66: the check is not vacuous.
    assert!(largest > 4.0, "{largest}");
}

#[test]
fn keys_for_other_slot_counts_are_refused() {
    let full = Party::bootstrap(LOG_N);
    let key = full.bootstrap_key(3, BootstrapKeySize::Medium);
    let sparse = common::context(full.ctx.params().clone(), Some(16), 2);
    let ct = sparse.encrypt(&sparse.encode(&uniform(16, 7), 0).unwrap(), &full.public).unwrap();
    let sparse = Bootstrapper::new(&sparse).unwrap();
    let error = sparse.bootstrap(&ct, &full.relinearization, &full.conjugation, &key, &no_progress).unwrap_err();
    let (found, needed) = (full.ctx.slot_count().to_string(), "16, this context's");
    assert!(error.to_string().contains(&found) && error.to_string().contains(needed), "{error}");
}
