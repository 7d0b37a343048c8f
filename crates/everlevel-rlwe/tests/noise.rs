//! Measured noise against the formulas of `noise.rs`. Samples, tolerances: see `everlevel_testkit::noise`.

use crate::common::{assert_std_dev, difference, half_product, ring, secret, seed, uniform};
use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Gadget, PublicKey, Rlwe, SIGMA, SwitchingKey};
use everlevel_rlwe::{key_switch_std_dev, public_encryption_std_dev, rounding_std_dev, square_rounding_std_dev};
use everlevel_testkit::noise::Measured;

const LOG_N: u32 = 12;
const N: usize = 1 << LOG_N;
/// Ciphertexts or keys a measurement: 16 384 coefficients.
const DRAWS: usize = 4;

#[test]
fn secret_key_encryption_has_the_error_distributions_deviation() {
    let ring = ring(LOG_N, 2);
    let mut measured = Measured::default();
    for (draw, set) in
        [PrimeSet::new([0]), PrimeSet::new([0, 1]), PrimeSet::new([1, 3]), PrimeSet::new([0, 1, 4])].iter().enumerate()
    {
        let s = secret(&ring, draw as u64, 1024);
        let ct = Rlwe::encrypt_zero(&ring, set, &s, &seed(draw as u64));
        let phase = ct.phase(&ring, &s);
        measured.extend(difference(&ring, &phase, &ring.zero(set)));
    }
    assert_std_dev(&measured, "secret-key encryption", SIGMA, &[]);
    // What the security caps are computed for.
    assert_eq!(SIGMA.to_string(), "3.2");
}

#[test]
fn public_key_encryption_follows_its_formula_before_and_after_the_division() {
    let ring = ring(LOG_N, 3);
    let target = PrimeSet::new([0, 1]);
    for weight in [192, 1024] {
        // A division by a 48-bit prime leaves one rounding; none leaves the noise as it is made.
        for special in [PrimeSet::new([2]), PrimeSet::new([])] {
            let mut measured = Measured::default();
            for draw in 0..DRAWS as u64 {
                let s = secret(&ring, draw, weight);
                let key = PublicKey::generate(&ring, &target.union(&special), &s, &seed(10 + draw));
                let ct = key.encrypt_zero_divided(&ring, &target, &special, &seed(20 + draw));
                assert_eq!(ct.set(), &target);
                measured.extend(difference(&ring, &ct.phase(&ring, &s), &ring.zero(&target)));
            }
            let mut expected = public_encryption_std_dev(N, weight, ring.log2(&special));
            if special.is_empty() {
                expected = (expected.powi(2) - rounding_std_dev(weight).powi(2)).sqrt();
            }
            // The public key's error, shared by the coefficients of a ciphertext, and the ephemeral secret.
            let what = format!("public key, weight {weight}, divided by {special:?}");
            assert_std_dev(&measured, &what, expected, &[DRAWS * N, DRAWS * N]);
        }
    }
}

#[test]
fn one_rescaling_adds_one_rounding() {
    let ring = ring(LOG_N, 4);
    // Dropping one prime, several, and trading primes for others.
    let pairs =
        [([0, 1, 2].to_vec(), [0, 1].to_vec()), (vec![0, 1, 2, 3], vec![0, 1]), (vec![0, 1, 2, 3], vec![0, 1, 4])];
    for weight in [192, 1024] {
        for (from, to) in &pairs {
            let (from, to) = (PrimeSet::new(from.clone()), PrimeSet::new(to.clone()));
            let mut measured = Measured::default();
            for draw in 0..DRAWS as u64 {
                // An encryption of zero: its own noise vanishes in the division, and its parts are uniform.
                let s = secret(&ring, draw, weight);
                let ct = Rlwe::encrypt_zero(&ring, &from, &s, &seed(100 + draw));
                measured.extend(difference(&ring, &ct.rescale(&ring, &to).phase(&ring, &s), &ring.zero(&to)));
            }
            assert_std_dev(
                &measured,
                &format!("rescaling {from:?} to {to:?}, weight {weight}"),
                rounding_std_dev(weight),
                &[],
            );
        }
    }
}

#[test]
fn rounding_three_polynomials_meets_the_square_of_the_secret() {
    let ring = ring(LOG_N, 3);
    let (from, to) = (PrimeSet::new([0, 1, 2]), PrimeSet::new([0, 1]));
    for (weight, draws) in [(192, 4 * DRAWS), (1024, DRAWS)] {
        let mut measured = Measured::default();
        for draw in 0..draws as u64 {
            // Zero as c0 + c1·s + c2·s²: an encryption of zero whose body gives up c2·s².
            let s = secret(&ring, draw, weight);
            let mut ct = Rlwe::encrypt_zero(&ring, &from, &s, &seed(120 + draw));
            let c2 = uniform(&ring, &from, draw);
            let mut square = s.eval().restricted(&from);
            ring.mul_assign(&mut square, s.eval());
            let mut term = c2.clone();
            ring.mul_assign(&mut term, &square);
            ring.sub_assign(&mut ct.c0, &term);
            let mut phase = ct.rescale(&ring, &to).phase(&ring, &s);
            ring.mul_add_assign(&mut phase, &ring.rescale(c2, &to), &square);
            measured.extend(difference(&ring, &phase, &ring.zero(&to)));
        }
        // The sum of squares of s² is a random number itself: its share of the draws is that of the pairs of
        // coefficients.
        let what = format!("three polynomials, weight {weight}");
        assert_std_dev(&measured, &what, square_rounding_std_dev(weight), &[draws * weight]);
    }
}

/// `switch` and a division by `P`: own noise of each digit and one rounding.
fn key_switch_noise(ring: &Ring, gadget: &Gadget, set: &PrimeSet, weight: usize) -> (Measured, f64) {
    let mut measured = Measured::default();
    for draw in 0..DRAWS as u64 {
        let (from, to) = (secret(ring, 2 * draw, 512), secret(ring, 2 * draw + 1, weight));
        let key = SwitchingKey::generate(ring, (from.eval(), to.eval()), gadget.clone(), &seed(30 + draw), true);
        let c = uniform(ring, set, draw);
        let out = half_product(ring, &key, &c).rescale(ring, set);
        let mut expected = c;
        ring.mul_assign(&mut expected, from.eval());
        measured.extend(difference(ring, &out.phase(ring, &to), &expected));
    }
    let own = gadget
        .digits
        .iter()
        .map(|d| d.intersection(set))
        .filter(|d| !d.is_empty())
        .fold(0.0f64, |sum, d| sum.hypot(key_switch_std_dev(N, 1, ring.log2(&d), ring.log2(&gadget.special))));
    (measured, own)
}

#[test]
fn key_switches_add_their_own_noise_and_one_rounding() {
    let ring = ring(LOG_N, 6);
    let (set, special) = (PrimeSet::new([0, 1, 2, 3]), PrimeSet::new([4, 5]));
    // No headroom makes the key's noise dominate, five bits hide it below the rounding.
    for headroom in [0.0, 1.0, 5.0] {
        for (name, cut) in [
            ("balanced", Gadget::balanced as fn(&Ring, &PrimeSet, &PrimeSet, f64) -> Gadget),
            ("consecutive", Gadget::consecutive),
        ] {
            let gadget = cut(&ring, &set, &special, headroom - 1e-6);
            let (measured, own) = key_switch_noise(&ring, &gadget, &set, 1024);
            let digits = gadget.digits.len();
            let expected = own.hypot(rounding_std_dev(1024));
            let what = format!("{name}, headroom {headroom}, {digits} digits, own noise {own:.3}");
            assert_std_dev(&measured, &what, expected, &[DRAWS * N * digits, DRAWS * N * digits]);
            if headroom == 0.0 {
                let formula = key_switch_std_dev(N, digits, ring.log2(&special), ring.log2(&special));
                assert!(own / formula > 0.99 && own > 5.0 * rounding_std_dev(1024), "full digits");
            }
        }
    }
}

#[test]
fn lower_levels_have_less_key_switching_noise() {
    let ring = ring(LOG_N, 6);
    let (set, special) = (PrimeSet::new([0, 1, 2, 3]), PrimeSet::new([4]));
    let gadget = Gadget::consecutive(&ring, &set, &special, -1e-6);
    assert_eq!(gadget.digits.len(), 4);
    for level in [2, 3, 4] {
        let (measured, own) = key_switch_noise(&ring, &gadget, &PrimeSet::new(0..level), 256);
        let expected = own.hypot(rounding_std_dev(256));
        assert!((own / key_switch_std_dev(N, level, 48.0, 48.0) - 1.0).abs() < 1e-3);
        assert_std_dev(&measured, &format!("{level} of 4 digits"), expected, &[DRAWS * N * level, DRAWS * N * level]);
    }
}

#[test]
fn a_whole_gadget_switches_a_lifted_polynomial_in_one_digit() {
    let ring = ring(LOG_N, 5);
    let (set, base) = (PrimeSet::new([0, 1, 2]), PrimeSet::new([0]));
    for special in [PrimeSet::new([3]), PrimeSet::new([3, 4])] {
        let gadget = Gadget::whole(&set, &special);
        let mut measured = Measured::default();
        for draw in 0..DRAWS as u64 {
            let (from, to) = (secret(&ring, 2 * draw, 32), secret(&ring, 2 * draw + 1, 1024));
            let key = SwitchingKey::generate(&ring, (from.eval(), to.eval()), gadget.clone(), &seed(50 + draw), true);
            let c = ring.to_coeff(uniform(&ring, &base, draw));
            let lifted = ring.to_eval(ring.lift(&c, &set.union(&special)));
            let out = key.switch_digits(&ring, &ring.zero(&set), &vec![(vec![0], lifted.clone())]);
            let mut expected = lifted;
            ring.mul_assign(&mut expected, from.eval());
            measured.extend(difference(&ring, &out.phase(&ring, &to), &expected));
        }
        let own = key_switch_std_dev(N, 1, ring.log2(&base), ring.log2(&special));
        let expected = own.hypot(rounding_std_dev(1024));
        assert_std_dev(&measured, &format!("whole gadget, own noise {own:.3e}"), expected, &[DRAWS * N, DRAWS * N]);
    }
}
