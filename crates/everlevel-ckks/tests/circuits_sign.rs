//! Signs, comparisons and extrema by real bootstraps, against plain numbers, on small insecure rings.

use crate::common::{Party, log_n, uniform};
use everlevel_ckks::circuits::extrema::{Extremum, tree_rotations};
use everlevel_ckks::circuits::sign::SignPrecision;
use everlevel_ckks::circuits::{Circuits, Operand, Rotations};
use everlevel_ckks::{
    BootstrapKeyRef, BootstrapKeySize, Bound, Ciphertext, Complex64, Error, ObjectError, Plaintext, Units, no_progress,
};

/// Noise of a small ring, beyond what plans count: 2^-22.
const NOISE: f64 = 2.4e-7;
/// The lossy bootstraps in between have 2^-16.
const LOSSY_NOISE: f64 = 3.1e-5;

fn reals(count: usize, seed: u64) -> Vec<f64> {
    uniform(count, seed).iter().map(|z| z.re).collect()
}

fn encrypted(party: &Party, values: &[f64], level: usize) -> Units<Ciphertext> {
    let message: Vec<Complex64> = values.iter().map(|v| Complex64::new(*v, 0.0)).collect();
    party.encrypt(&message, level).into()
}

fn decrypted(party: &Party, x: &Units<Ciphertext>) -> Vec<f64> {
    party.decrypt(x.first()).iter().map(|z| z.re).collect()
}

fn of(log2_gap: i32, precision: SignPrecision) -> SignPrecision {
    SignPrecision { gap: 2f64.powi(log2_gap), ..precision }
}

#[track_caller]
fn assert_within(what: &str, party: &Party, x: &Units<Ciphertext>, expected: &[f64], error: f64) {
    let errors = decrypted(party, x).into_iter().zip(expected).map(|(a, b)| (a - b).abs());
    let worst = errors.fold(0.0, f64::max);
    assert!(worst <= error, "{what}: {worst:e}, {error:e} allowed");
}

#[test]
fn signs_are_right_outside_of_the_gap_at_every_level() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let values = reals(party.ctx.slot_count(), 1);
    for (level, log2_gap) in [(13, -7), (13, -12), (8, -6), (4, -5), (0, -9)] {
        let precision = of(log2_gap, SignPrecision::OF_VALUES);
        let before = circuits.bootstrap_count();
        let sign = circuits.sign(&encrypted(&party, &values, level), precision, &no_progress).unwrap();
        assert_eq!(sign.first().level(), 13);
        let raised = match level {
            13 | 8 => (level, 0),
            4 => (13, 1),
            _ => (10, 1),
        };
        let rounds = circuits.plan_sign(precision, raised.0).unwrap().bootstrap_count();
        assert_eq!(circuits.bootstrap_count() - before, rounds + raised.1, "level {level}, gap 2^{log2_gap}");
        for (found, value) in decrypted(&party, &sign).iter().zip(&values) {
            if value.abs() >= precision.gap {
                assert!((found - value.signum()).abs() < precision.error + NOISE, "{value} {found}");
            }
            assert!(found * value.signum() > -NOISE && found.abs() < 1.0 + NOISE, "{value} {found}");
        }
    }
}

#[test]
fn comparisons_and_extrema_are_right_everywhere() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let [a, b] = [1, 2].map(|seed| reals(party.ctx.slot_count(), seed));
    let zip = |f: fn(f64, f64) -> f64| a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect::<Vec<_>>();
    let (values, differences) = (SignPrecision::OF_VALUES, SignPrecision::OF_DIFFERENCES);
    let allowed = differences.gap / 2.0 + LOSSY_NOISE;
    for levels in [[13, 13], [7, 5], [1, 12]] {
        let [x, y] = [encrypted(&party, &a, levels[0]), encrypted(&party, &b, levels[1])];
        let greater = circuits.compare(&x, &y, differences, &no_progress).unwrap();
        for ((found, a), b) in decrypted(&party, &greater).iter().zip(&a).zip(&b) {
            let expected = if a > b { 1.0 } else { 0.0 };
            let is_apart = (a - b).abs() >= differences.gap;
            assert!(!is_apart || (found - expected).abs() < differences.error / 2.0 + NOISE, "{a} {b} {found}");
        }
        let largest = circuits.extremum(Extremum::Max, &x, &y, differences, &no_progress).unwrap();
        assert_within("maximum", &party, &largest, &zip(f64::max), allowed);
        let least = circuits.extremum(Extremum::Min, &x, b.as_slice(), differences, &no_progress).unwrap();
        assert_within("minimum with values", &party, &least, &zip(f64::min), allowed);
        let clipped = circuits.extremum(Extremum::Min, &x, 0.25, differences, &no_progress).unwrap();
        assert_within("minimum with a number", &party, &clipped, &zip(|a, _| a.min(0.25)), allowed);
        let positive = circuits.relu(&x, values, &no_progress).unwrap();
        assert_within("relu", &party, &positive, &zip(|a, _| a.max(0.0)), allowed);
        let size = circuits.abs(&x, values, &no_progress).unwrap();
        assert_within("abs", &party, &size, &zip(|a, _| a.abs()), 2.0 * allowed);
    }
    // The larger one's complement, and a plaintext's level is the result's.
    let x = encrypted(&party, &a, 1);
    let less = circuits.compare_less(&x, b.as_slice(), differences, &no_progress).unwrap();
    let expected: Vec<f64> = zip(|a, b| if a < b { 1.0 } else { 0.0 });
    for ((found, expected), (a, b)) in decrypted(&party, &less).iter().zip(&expected).zip(a.iter().zip(&b)) {
        assert!((a - b).abs() < differences.gap || (found - expected).abs() < differences.error / 2.0 + NOISE);
    }
    let message: Vec<Complex64> = b.iter().map(|v| Complex64::new(*v, 0.0)).collect();
    let low: Units<Plaintext> = party.ctx.encode(&message, 2).unwrap().into();
    let largest = circuits.extremum(Extremum::Max, &x, Operand::Plaintext(&low), differences, &no_progress).unwrap();
    assert_eq!(largest.first().level(), 2);
    assert_within("maximum with a plaintext", &party, &largest, &zip(f64::max), allowed);
    // Equal values are half as large as each other.
    let x = encrypted(&party, &a, 13);
    let equal = circuits.compare(&x, &x.clone(), differences, &no_progress).unwrap();
    assert_within("compare", &party, &equal, &vec![0.5; a.len()], 0.01);
}

/// Real values of a declared bound.
fn declared(party: &Party, values: &[f64], level: usize, bound: f64) -> Units<Ciphertext> {
    let message: Vec<Complex64> = values.iter().map(|v| Complex64::new(*v, 0.0)).collect();
    let plaintext = party.ctx.encode(&message, level).unwrap();
    let plaintext = party.ctx.declare(plaintext, Bound::declared(bound).unwrap().on_reals(true)).unwrap();
    party.ctx.encrypt_with_secret(&plaintext, &party.secret).unwrap().into()
}

#[test]
fn claims_count_what_is_lost_within_the_gap() {
    let party = Party::bootstrap(10);
    let key = party.lossy_key(3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let precision = of(-4, SignPrecision::OF_VALUES);
    let slots = party.ctx.slot_count();
    let values: Vec<f64> = (0..slots).map(|i| precision.gap * (4.0 * i as f64 / (slots - 1) as f64 - 2.0)).collect();
    let x = declared(&party, &values, 13, 1.0);
    let zip = |f: fn(f64) -> f64| values.iter().map(|v| f(*v)).collect::<Vec<_>>();
    for (what, result, expected) in [
        ("relu", circuits.relu(&x, precision, &no_progress), zip(|v| v.max(0.0))),
        ("abs", circuits.abs(&x, precision, &no_progress), zip(f64::abs)),
        ("maximum", circuits.extremum(Extremum::Max, &x, 0.0, precision, &no_progress), zip(|v| v.max(0.0))),
        ("minimum", circuits.extremum(Extremum::Min, &x, 0.0, precision, &no_progress), zip(|v| v.min(0.0))),
    ] {
        let result = result.unwrap();
        let floor = (-result.precision_floor()).exp2();
        assert_within(what, &party, &result, &expected, floor);
        let errors = decrypted(&party, &result).into_iter().zip(&expected).map(|(a, b)| (a - b).abs());
        assert!(floor < 2.0 * errors.fold(0.0, f64::max), "{what}: {floor:e}");
        assert_eq!(result.bound().size(), 1.0, "{what}");
    }
}

#[test]
fn bounds_are_the_operands_own() {
    let party = Party::bootstrap(10);
    let key = party.lossy_key(3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let [x, wide] = [1.0, 3.0].map(|bound| declared(&party, &[0.5], 0, bound));
    let precision = SignPrecision::OF_DIFFERENCES;
    for (what, refused, largest) in [
        ("compare", circuits.compare(&x, &wide, precision, &no_progress), 4.0),
        ("compare", circuits.compare_less(&wide, 0.5, precision, &no_progress), 3.5),
        ("maximum", circuits.extremum(Extremum::Max, &x, 2.5, precision, &no_progress), 3.5),
        ("minimum", circuits.extremum(Extremum::Min, &x, [0.0, -3.5].as_slice(), precision, &no_progress), 4.5),
        ("relu", circuits.relu(&wide, precision, &no_progress), 3.0),
    ] {
        let Err(Error::SignBound { op, found, bound: 2.0, level: 0 }) = refused else { panic!("{what}: {refused:?}") };
        assert_eq!((op, found), (what, largest));
    }
    assert_eq!(circuits.bootstrap_count(), 0);
    // Of values in [0, 1] the differences are as large as the values, which their bounds alone don't tell.
    let precision = SignPrecision { bound: 1.0, ..precision };
    let greater = circuits.compare(&declared(&party, &[0.5], 13, 1.0), 0.25, precision, &no_progress).unwrap();
    assert!((decrypted(&party, &greater)[0] - 1.0).abs() < precision.error);
}

#[test]
fn small_keys_will_do_and_units_are_compared_together() {
    let party = Party::bootstrap(log_n());
    let (small, rotation) = (party.small_key(), party.rotation_key());
    let keys = party.keys(BootstrapKeyRef::Small { key: &small, rotation: &rotation, stage_count: 3 });
    let circuits = Circuits::new(party.bootstrapper(), keys);
    let [a, b] = [3, 4].map(|seed| reals(party.ctx.slot_count(), seed));
    let [x, y] = [encrypted(&party, &a, 4), encrypted(&party, &b, 4)];
    let both = [Units::stack(&[&x, &y]).unwrap(), Units::stack(&[&y, &x]).unwrap()];
    let largest =
        circuits.extremum(Extremum::Max, &both[0], &both[1], SignPrecision::OF_DIFFERENCES, &no_progress).unwrap();
    let expected: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect();
    assert_eq!(largest.count(), 2);
    for unit in largest.split() {
        assert_within("unit", &party, &unit, &expected, SignPrecision::OF_DIFFERENCES.gap / 2.0 + LOSSY_NOISE);
    }
}

#[test]
fn trees_find_the_extrema_of_the_first_slots() {
    let party = Party::bootstrap(log_n());
    let key = party.lossy_key(3);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let precision = SignPrecision { bound: 1.0, ..of(-8, SignPrecision::OF_DIFFERENCES) };
    let values: Vec<f64> = reals(party.ctx.slot_count(), 5).iter().map(|v| v.abs()).collect();
    let x = encrypted(&party, &values, 10);
    for count in [1, 2, 5] {
        let fixed: Vec<_> = tree_rotations(count)
            .iter()
            .map(|&delta| party.ctx.fixed_rotation_key(&party.secret, delta, 13).unwrap())
            .collect();
        let fixed: Vec<_> = fixed.iter().collect();
        let rotations = Rotations { any: None, fixed: &fixed };
        let allowed = fixed.len() as f64 * (precision.gap / 2.0 + LOSSY_NOISE) + NOISE;
        let first = values[..count].iter();
        let largest = circuits.extremum_of_slots(Extremum::Max, &x, rotations, count, precision, &no_progress).unwrap();
        let expected = first.clone().fold(0.0f64, |m, v| m.max(*v));
        assert!((decrypted(&party, &largest)[0] - expected).abs() <= allowed, "largest of {count}");
        let least = circuits.extremum_of_slots(Extremum::Min, &x, rotations, count, precision, &no_progress).unwrap();
        let expected = first.fold(1.0f64, |m, v| m.min(*v));
        assert!((decrypted(&party, &least)[0] - expected).abs() <= allowed, "least of {count}");
    }
    assert_eq!(tree_rotations(5), [-1, -2, -1]);
    assert_eq!(tree_rotations(16), [-1, -2, -4, -8]);

    let none = Rotations::default();
    let error = circuits.extremum_of_slots(Extremum::Max, &x, none, 3, precision, &no_progress).unwrap_err();
    assert!(matches!(error, Error::MissingRotation { op: "max_of_slots", rotation: -1, .. }), "{error}");
    for count in [0, party.ctx.slot_count() + 1] {
        let error = circuits.extremum_of_slots(Extremum::Min, &x, none, count, precision, &no_progress).unwrap_err();
        assert!(matches!(error, Error::SlotCount { op: "min_of_slots", .. }), "{error}");
    }
}

#[test]
fn arguments_are_refused_before_any_work() {
    let [party, other] = [Party::bootstrap(10), Party::bootstrap(10)];
    let regular = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let lossy = party.lossy_key(3);
    let x = encrypted(&party, &[0.5], 13);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&lossy));
    let error =
        Circuits::new(party.bootstrapper(), party.keys(&regular)).sign(&x, SignPrecision::OF_VALUES, &no_progress);
    assert!(matches!(error, Err(Error::BootstrapKind { op: "sign", .. })), "{error:?}");
    let foreign = encrypted(&other, &[0.5], 13);
    let error = circuits.compare(&foreign, 0.5, SignPrecision::OF_DIFFERENCES, &no_progress);
    assert!(matches!(error, Err(Error::Object(ObjectError::OtherSecret { op: "compare", .. }))), "{error:?}");
    let error = circuits.extremum(Extremum::Max, &x, &foreign, SignPrecision::OF_DIFFERENCES, &no_progress);
    assert!(matches!(error, Err(Error::Object(ObjectError::OtherSecret { op: "maximum", .. }))), "{error:?}");
    let product: Units<Ciphertext> = party.ctx.multiply_without_key(x.first(), x.first()).unwrap().into();
    let error = circuits.relu(&product, SignPrecision::OF_VALUES, &no_progress);
    assert!(matches!(error, Err(Error::NotRelinearized { op: "relu", found: 3 })), "{error:?}");
    let precision = of(-13, SignPrecision::OF_VALUES);
    let error = circuits.abs(&x, precision, &no_progress).unwrap_err();
    assert!(matches!(error, Error::SignPrecision { op: "abs", what: "gap", .. }), "{error}");
    let error = circuits.plan_sign(SignPrecision::OF_VALUES, 4).unwrap_err();
    assert_eq!(
        error.to_string(),
        "plan_sign: 1 levels are left for polynomials, and 2 are needed; bootstrap the ciphertext first"
    );
    assert_eq!(circuits.bootstrap_count(), 0);
}
