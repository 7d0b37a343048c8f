//! Deep polynomials and automatic bootstraps, against plain numbers, on small insecure rings.

use crate::common::{Party, log_n};
use everlevel_ckks::Basis;
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::deep::Imaginary;
use everlevel_ckks::circuits::refresh::RefreshOperand;
use everlevel_ckks::{BootstrapKeySize, Ciphertext, Complex64, Error, ObjectError, Units, no_progress};

fn grid(slots: usize) -> Vec<f64> {
    (0..slots).map(|i| 2.0 * i as f64 / (slots - 1) as f64 - 1.0).collect()
}

fn message(values: &[f64]) -> Vec<Complex64> {
    values.iter().map(|v| Complex64::new(*v, 0.0)).collect()
}

fn worst(party: &Party, x: &Units<Ciphertext>, expected: &[Complex64]) -> f64 {
    party.decrypt(x.first()).iter().zip(expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// The Chebyshev series of a function through as many points.
fn interpolated(f: impl Fn(f64) -> f64, count: usize) -> Vec<f64> {
    let angle = |i: usize| std::f64::consts::PI * (i as f64 + 0.5) / count as f64;
    let values: Vec<f64> = (0..count).map(|i| f(angle(i).cos())).collect();
    let coefficient = |k: usize| {
        let sum: f64 = values.iter().enumerate().map(|(i, v)| v * (k as f64 * angle(i)).cos()).sum();
        sum * if k == 0 { 1.0 } else { 2.0 } / count as f64
    };
    (0..count).map(coefficient).collect()
}

fn series_at(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().enumerate().map(|(k, c)| c * (k as f64 * x.acos()).cos()).sum()
}

#[test]
fn polynomials_of_twelve_levels_are_evaluated_in_pieces() {
    let party = Party::bootstrap(log_n());
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let x = grid(party.ctx.slot_count());
    // Degree 1500 is two pieces, 4094 four, half of whose coefficients are zeros.
    for (f, count, expected_bootstraps) in [(tanh as fn(f64) -> f64, 1501, 3), (f64::abs, 4095, 4)] {
        let mut series = interpolated(f, count);
        // An odd and an even function.
        let zeros = usize::from(count == 4095);
        series.iter_mut().skip(zeros).step_by(2).for_each(|c| *c = 0.0);
        let expected: Vec<Complex64> = x.iter().map(|x| Complex64::new(series_at(&series, *x), 0.0)).collect();
        for level in [0, 5] {
            let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
            let ct = party.encrypt(&message(&x), level).into();
            let value = circuits
                .evaluate_polynomials(&ct, Imaginary::Noise, Basis::Chebyshev, &[&series], &no_progress)
                .unwrap()
                .swap_remove(0);
            let levels = everlevel_ckks::polynomial_depth(count - 1);
            assert_eq!((value.first().level(), circuits.bootstrap_count()), (20 - levels, expected_bootstraps));
            let error = worst(&party, &value, &expected);
            println!("degree {} from level {level}: 2^{:.1}", count - 1, error.log2());
            assert!(error < 2f64.powi(-15), "2^{:.1}", error.log2());
        }
    }
}

fn tanh(x: f64) -> f64 {
    (100.0 * x).tanh()
}

#[test]
fn complex_powers_and_constants_come_out_too() {
    let party = Party::bootstrap(log_n());
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let z: Vec<Complex64> =
        (0..party.ctx.slot_count()).map(|i| Complex64::from_polar(0.9 + 0.1 * (i % 2) as f64, i as f64)).collect();
    let ct: Units<Ciphertext> = party.encrypt(&z, 3).into();
    let mut powers = vec![0.0; 1101];
    (powers[0], powers[7], powers[1100]) = (0.25, 0.5, 0.25);
    let constant = [0.5];
    let values = circuits
        .evaluate_polynomials(&ct, Imaginary::Message, Basis::Power, &[&powers, &constant], &no_progress)
        .unwrap();
    let expected: Vec<Complex64> = z.iter().map(|z| 0.25 + 0.5 * z.powi(7) + 0.25 * z.powi(1100)).collect();
    assert!(worst(&party, &values[0], &expected) < 2f64.powi(-8));
    assert!(worst(&party, &values[1], &vec![Complex64::new(0.5, 0.0); z.len()]) < 2f64.powi(-15));
}

#[test]
fn what_is_too_deep_or_no_polynomial_is_refused() {
    let party = Party::bootstrap(10);
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let x: Units<Ciphertext> = party.encrypt(&message(&[0.5]), 2).into();
    let evaluate = |p: &[f64]| {
        circuits.evaluate_polynomials(&x, Imaginary::Noise, Basis::Chebyshev, &[p], &no_progress).unwrap_err()
    };
    let mut series = vec![0.0; (1 << 20) + 1];
    series[1 << 20] = 1.0;
    let error = evaluate(&series);
    assert!(matches!(error, Error::PolynomialDepth { depth: 21, most: 20, level: 2, level_out: 10, .. }), "{error}");
    assert!(error.to_string().contains("takes 21 levels, and in pieces 20 are there"), "{error}");
    assert!(matches!(evaluate(&[]), Error::Parameter { what: "coefficients", .. }));
    assert!(matches!(evaluate(&[1.0, f64::NAN]), Error::NotFinite { index: 1, .. }));
    assert_eq!(circuits.bootstrap_count(), 0);
}

#[test]
fn a_program_of_sixty_products_runs() {
    let party = Party::bootstrap(log_n());
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let mut plain: Vec<f64> = grid(party.ctx.slot_count()).iter().map(|v| 0.5 + 0.4 * v).collect();
    let mut x: Units<Ciphertext> = party.encrypt(&message(&plain), 2).into();
    let number = |c: f64| Complex64::new(c, 0.0);
    for _ in 0..30 {
        let lacking = [RefreshOperand { ciphertext: &x, is_real: true, is_remembered: false }];
        if let Some((0, fresh)) = circuits.refresh("multiply", &lacking, 2, &no_progress).unwrap().pop() {
            x = fresh;
        }
        let rest = party.ctx.add_scalar(&party.ctx.negate(x.first()).unwrap(), number(1.0)).unwrap();
        let product = party.ctx.multiply(x.first(), &rest, &party.relinearization).unwrap();
        x = party.ctx.multiply_scalar(&product, number(2.5)).unwrap().into();
        plain.iter_mut().for_each(|v| *v = 2.5 * *v * (1.0 - *v));
    }
    assert!(worst(&party, &x, &message(&plain)) < 2f64.powi(-15));
    // 60 levels, two of them there at first, and ten by each bootstrap.
    assert!((6..=7).contains(&circuits.bootstrap_count()), "{}", circuits.bootstrap_count());
}

#[test]
fn operands_that_lack_levels_are_bootstrapped_together() {
    let party = Party::bootstrap(10);
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let circuits = Circuits::new(party.bootstrapper(), party.keys(&key));
    let of = |value: Complex64, level: usize| Units::from(party.encrypt(&[value], level));
    let [x, y, z] = [0.5, -0.5, 0.25].map(|value| of(value.into(), 1));
    // Of three polynomials, and one that is high enough and gains by it.
    let square = Units::from(party.ctx.multiply_without_key(x.first(), x.first()).unwrap());
    let complex = of(Complex64::new(0.25, 0.5), 4);
    let lacking = |ciphertext, is_real, is_remembered| RefreshOperand { ciphertext, is_real, is_remembered };
    let operands = [
        lacking(&square, true, false),
        lacking(&complex, false, false),
        lacking(&y, true, false),
        lacking(&z, true, true),
    ];
    let mut fresh = circuits.refresh("multiply", &operands, 2, &no_progress).unwrap();
    assert_eq!(circuits.bootstrap_count(), 2);
    fresh.sort_by_key(|(place, _)| *place);
    for ((place, found), (at, expected)) in
        fresh.iter().zip([(0, 0.25.into()), (1, Complex64::new(0.25, 0.5)), (2, (-0.5).into())])
    {
        assert_eq!((*place, found.first().level()), (at, 10));
        assert!((party.decrypt(found.first())[0] - expected).norm() < 1e-5, "{place}");
    }
    let error = circuits.refresh("multiply", &operands, 11, &no_progress).unwrap_err();
    let expected = "multiply: needs level ≥ 11, and a bootstrap of stage_count 3 ends at level 10";
    assert!(error.to_string().starts_with(expected), "{error}");
    let other = Party::bootstrap(10);
    let foreign = Units::from(other.encrypt(&message(&[0.5]), 0));
    let error = circuits.refresh("multiply", &[lacking(&foreign, true, false)], 1, &no_progress).unwrap_err();
    assert!(matches!(error, Error::Object(ObjectError::OtherSecret { .. })), "{error}");
    assert_eq!(circuits.bootstrap_count(), 2);
}
