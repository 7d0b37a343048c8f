//! The model of the phase beside real switches, and measured probabilities beside direct trials and claims.

use std::sync::Arc;
use std::time::Instant;

use everlevel_rand::{Domain, Seed, SeedSource};
use everlevel_testkit::noise::DEVIATIONS;

use super::levels::{Effort, Ladder, RareEvent, Rung, mean_of};
use super::phase::{Phase, Undo};
use super::real::RealKey;
use super::{FailureMeasurement, STEPS, Splitting};
use crate::common::Space;
use crate::{
    Context, Gadget, KeySwitch, Landing, Literal, Order, Params, ParamsLiteral, SecretKey, Secrets, SeededEvalKeys,
    no_progress, sets,
};

/// The errors of a key switch are most of the noise, and a failure comes once in a few hundred bootstraps.
fn often_failing() -> ParamsLiteral {
    ParamsLiteral {
        torus_bits: 64,
        lwe_dim: 200,
        lwe_log2_std_dev: -10.8,
        rank: 2,
        log_n: 8,
        log2_extension: 0,
        bits_per_step: 1,
        glwe_log2_std_dev: -28.0,
        secrets: Secrets::default(),
        landings: Vec::new(),
        mask_gadget: Gadget::new(7, 3),
        body_gadget: Gadget::new(7, 2),
        key_switch: KeySwitch { gadget: Gadget::new(1, 7), ring: 32 },
        order: Order::KeySwitchFirst,
        space: Space::Bit,
        squared_norm: 4.0,
        max_log2_p_fail: 0.0,
        insecure: true,
    }
}

/// Coefficients that both secrets have, and a key-switch chain to them.
fn with_landing() -> ParamsLiteral {
    let landing =
        Landing { dim: 350, log2_std_dev: -12.0, key_switch: KeySwitch { gadget: Gadget::new(3, 2), ring: 64 } };
    let secrets = Secrets { shared: 200, ..Secrets::default() };
    ParamsLiteral { secrets, landings: vec![landing], ..often_failing() }
}

/// The key switch of each input, its words of 32 bits, and the wide steps of a coarse modulus switch.
fn bootstrap_first() -> ParamsLiteral {
    let key_switch = KeySwitch { gadget: Gadget::new(2, 4), ring: 1 };
    ParamsLiteral {
        torus_bits: 32,
        order: Order::BootstrapFirst,
        key_switch,
        lwe_log2_std_dev: -12.0,
        ..often_failing()
    }
}

fn key_of(params: impl Into<Literal>) -> (SecretKey, SeededEvalKeys) {
    let params = Arc::new(Params::try_from(params.into()).unwrap());
    let secret = SecretKey::with_seeds(params, SeedSource::insecure(Seed::from_bytes([5; 32]))).unwrap();
    let keys = SeededEvalKeys::generate(&secret).unwrap();
    (secret, keys)
}

fn check_against_trials(literal: ParamsLiteral, trials: usize) {
    let (secret, keys) = key_of(literal);
    let variance = secret.params().noise().blind_rotation;
    let (model, real) = (Phase::new(&secret, &keys, variance), RealKey::new(&secret, &keys));
    let seed = Seed::from_bytes([6; 32]);
    // Each trial goes through the real switches.
    let (half, circle) = (secret.params().table_len() as i64 / 4, 2 * secret.params().table_len() as i64);
    let mut stream = seed.stream(Domain::Test, 0);
    let trial = |_| {
        let errors = model.draw(&mut stream).errors;
        let (state, steps) = real.switched(&model, errors, &mut stream);
        assert_eq!(model.steps(&state), steps);
        let error = (i64::from(steps) + circle / 2) % circle - circle / 2;
        let fails = !(-half..half).contains(&error);
        assert_eq!(model.score(&state) > model.threshold(), fails);
        usize::from(fails)
    };
    let count: usize = (0..trials).map(trial).sum();
    let effort = Effort { particles: 1000, steps: STEPS };
    let stream = |index| seed.stream(Domain::Test, index);
    let ladder = Ladder::find(&model, model.threshold(), effort, &mut stream(1), &|_| Ok(())).unwrap();
    let one = |run| ladder.climb(&model, effort, &mut stream(run), &|_| Ok(())).unwrap().0;
    let (mean, error) = mean_of(&(2..10).map(one).collect::<Vec<_>>());
    let expected = mean * trials as f64;
    let tolerance = DEVIATIONS * (expected + (error * expected).powi(2)).sqrt();
    println!("{count} of {trials} trials, {expected:.0} by {} levels, ± {tolerance:.0}", ladder.len());
    assert!(tolerance < 0.9 * expected, "too few trials for a verdict");
    assert!((count as f64 - expected).abs() < tolerance, "{count} trials failed, {expected} ± {tolerance} expected");
}

#[test]
fn splitting_gives_what_direct_trials_give() {
    check_against_trials(often_failing(), 20_000);
    check_against_trials(with_landing(), 20_000);
    check_against_trials(bootstrap_first(), 20_000);
}

/// One set of each structure, on rings without security.
#[test]
fn every_set_has_the_phase_of_its_switches() {
    for set in sets::ALL {
        let log_n = if matches!(set.params().unwrap().space, Space::Integer { bits: 6.. }) { 13 } else { 10 };
        let (secret, keys) = key_of(set.insecure_literal(log_n));
        let (model, real) = (Phase::new(&secret, &keys, 1e-9), RealKey::new(&secret, &keys));
        let mut stream = Seed::from_bytes([7; 32]).stream(Domain::Test, 0);
        assert!((0..8).all(|_| real.agrees_on_input(&model, &mut stream)), "{}", set.name);
    }
}

/// Sums that steps change, or take back, are those of the words.
#[test]
fn steps_keep_the_sums_of_their_words() {
    for literal in [often_failing(), with_landing(), bootstrap_first()] {
        let (secret, keys) = key_of(literal);
        let model = Phase::new(&secret, &keys, secret.params().noise().blind_rotation);
        let mut stream = Seed::from_bytes([8; 32]).stream(Domain::Test, 0);
        let (mut state, mut undo) = (model.draw(&mut stream), Undo::default());
        let (mut taken, level) = (0, 0.9 * model.score(&state));
        for _ in 0..200 {
            let before = (state.words.clone(), state.errors.clone(), model.score(&state));
            let rung = Rung { level, share: 0.02 };
            let score = model.step(&mut state, rung, &mut undo, &mut stream);
            taken += usize::from(score.is_some());
            let found = (state.words.clone(), state.errors.clone(), model.score(&state));
            assert_eq!(found.2, score.unwrap_or(before.2));
            assert_eq!(found == before, score.is_none());
            assert_eq!(found.2, model.score(&model.state(found.0, found.1)));
        }
        assert!((1..200).contains(&taken), "{taken} steps were taken");
    }
}

/// Measured and claimed, of a set that fails once in some millions of bootstraps: trials that nobody makes here.
#[test]
fn a_measurement_is_beside_its_claim() {
    let literal = ParamsLiteral {
        // Errors of 5,120 rows, which are as large for one key as for another, are nine tenths of the noise.
        lwe_log2_std_dev: -11.5,
        key_switch: KeySwitch { gadget: Gadget::new(1, 10), ring: 32 },
        ..often_failing()
    };
    let context = Context::new(Params::try_from(literal).unwrap(), 2).unwrap();
    let splitting = Splitting { particles: 500, runs: 6, seed: 1 };
    let found = splitting.measure(&context, &no_progress).unwrap();
    println!("{found:?}");
    assert!((-60.0..-15.0).contains(&found.claimed_log2_p_fail));
    assert!((found.log2_p_fail - found.claimed_log2_p_fail).abs() < 0.1 * -found.claimed_log2_p_fail, "{found:?}");
    assert!(found.log2_low < found.log2_p_fail && found.log2_p_fail < found.log2_high);
    assert!(found.failures >= 6, "{found:?}");
    // One seed gives one result, on any number of threads.
    assert_eq!(splitting.measure(&context, &no_progress).unwrap(), found);
}

#[test]
fn efforts_that_tell_nothing_are_refused() {
    let context = Context::new(Params::try_from(often_failing()).unwrap(), 1).unwrap();
    let refused = |particles, runs| {
        Splitting { particles, runs, seed: 1 }.measure(&context, &no_progress).unwrap_err().to_string()
    };
    assert_eq!(refused(15, 8), "parameters: particles is 15; it must be 16 to 1048576");
    assert_eq!(refused(100, 1), "parameters: runs is 1; it must be 2 to 4096");
}

/// The sets that most users take: the table of the notes on TFHE.
#[test]
#[ignore = "slow: keys of full size, and populations down to 2^-130"]
fn main_sets_fail_as_rarely_as_they_claim() {
    let names =
        ["gate-64", "gate-128", "integer-4-64", "integer-4-128", "ntru-gate-64", "ntru-gate-128", "ntru-integer-4-64"];
    for name in names {
        let start = Instant::now();
        let context = Context::named(name, 2).unwrap();
        let found = Splitting { particles: 2048, runs: 16, seed: 1 }.measure(&context, &no_progress).unwrap();
        let FailureMeasurement { log2_p_fail, log2_low, log2_high, claimed_log2_p_fail, .. } = found;
        println!(
            "{name}: claimed 2^{claimed_log2_p_fail:.1}, measured 2^{log2_p_fail:.2}, 2^{log2_low:.2} to \
             2^{log2_high:.2}, {:.0} s, {found:?}",
            start.elapsed().as_secs_f64()
        );
        assert!(log2_high - log2_low < 2.0, "{name}: too wide for a verdict");
        assert!((log2_p_fail - claimed_log2_p_fail).abs() < 5.0, "{name}: not what the formulas say");
    }
}
