//! Deep polynomials and automatic bootstraps, against plain numbers, on small insecure rings.

use crate::common::{Party, log_n};
use everlevel_ckks::Basis;
use everlevel_ckks::circuits::Circuits;
use everlevel_ckks::circuits::deep::Imaginary;
use everlevel_ckks::circuits::refresh::{AutoBootstrap, Value};
use everlevel_ckks::{BootstrapKeySize, Ciphertext, Complex64, Error, Units, no_progress};

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
            let value =
                circuits.evaluate_polynomial(&ct, Imaginary::Noise, Basis::Chebyshev, &series, &no_progress).unwrap();
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
    let evaluate =
        |p: &[f64]| circuits.evaluate_polynomial(&x, Imaginary::Noise, Basis::Chebyshev, p, &no_progress).unwrap_err();
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
    let auto = AutoBootstrap::new(Circuits::new(party.bootstrapper(), party.keys(&key)));
    let mut plain: Vec<f64> = grid(party.ctx.slot_count()).iter().map(|v| 0.5 + 0.4 * v).collect();
    let mut x = Value::real(party.encrypt(&message(&plain), 2));
    let number = |c: f64| Complex64::new(c, 0.0);
    for _ in 0..30 {
        let rest = auto.add_scalar(&auto.multiply_scalar(&x, number(-1.0)).unwrap(), number(1.0)).unwrap();
        x = auto.multiply_scalar(&auto.multiply(&x, &rest).unwrap(), number(2.5)).unwrap();
        plain.iter_mut().for_each(|v| *v = 2.5 * *v * (1.0 - *v));
    }
    assert!(worst(&party, x.ciphertext(), &message(&plain)) < 2f64.powi(-15));
    let count = auto.circuits().bootstrap_count();
    // 60 levels, two of them there at first, and ten by each bootstrap.
    assert!((6..=7).contains(&count), "{count}");
}

#[test]
fn real_operands_share_a_bootstrap_which_is_remembered() {
    let party = Party::bootstrap(log_n());
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let rotation = party.rotation_key();
    let auto = AutoBootstrap::new(Circuits::new(party.bootstrapper(), party.keys(&key)));
    let low = |value: f64| Value::real(party.encrypt(&message(&[value]), 0));
    let [x, y] = [low(0.5), low(-0.5)];
    assert_eq!(auto.multiply(&x, &y).unwrap().level(), 9);
    let [xx, yy] = [&x, &y].map(|v| auto.square(v).unwrap());
    let norm = auto.add(&xx, &yy).unwrap();
    assert_eq!((norm.level(), auto.circuits().bootstrap_count()), (9, 1));
    assert!((party.decrypt(norm.ciphertext().first())[0].re - 0.5).abs() < 1e-5);
    // Sums and rotations keep the levels of what was bootstrapped.
    let sums =
        [auto.subtract(&x, &y), auto.add_scalar(&x, Complex64::i()), auto.conjugate(&x), auto.rotate(&x, &rotation, 3)];
    assert!(sums.iter().all(|sum| sum.as_ref().unwrap().level() == 10));
    assert!(!sums[1].as_ref().unwrap().is_real());
    assert_eq!(auto.circuits().bootstrap_count(), 1);
    // Products with numbers and arrays lack levels as well, and polynomials of any depth.
    let z = Value::complex(party.encrypt(&[Complex64::new(0.25, 0.5)], 0));
    assert_eq!(auto.multiply_array(&z, &message(&[0.5])).unwrap().level(), 9);
    assert_eq!(auto.evaluate_polynomial(&z, Basis::Power, &[0.0, 0.5, 0.5]).unwrap().level(), 8);
    assert_eq!(auto.circuits().bootstrap_count(), 2);
    let mut series = vec![0.0; 1100];
    series[1099] = 1.0;
    assert_eq!(auto.evaluate_polynomial(&x, Basis::Chebyshev, &series).unwrap().level(), 9);
}

#[test]
fn threads_share_what_is_bootstrapped() {
    let party = Party::bootstrap(10);
    let key = party.bootstrap_key(3, BootstrapKeySize::Medium);
    let auto = AutoBootstrap::new(Circuits::new(party.bootstrapper(), party.keys(&key)));
    let x = Value::real(party.encrypt(&message(&[0.5, -0.75]), 0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(auto.square(&x).unwrap().level(), 9));
        }
    });
    assert_eq!(auto.circuits().bootstrap_count(), 1);
}
