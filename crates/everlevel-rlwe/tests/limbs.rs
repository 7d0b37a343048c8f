//! Keys over limbs at every precision: key switches, automorphisms and relinearisations, with their noise.

use crate::common::{assert_std_dev, limb_difference, seed};
use everlevel_rand::Domain;
use everlevel_rand::sampler;
use everlevel_ring::base2k::Transform;
use everlevel_ring::{LimbGadget, LimbRing, Limbs, Representation};
use everlevel_rlwe::{Rlwe, SIGMA, SecretId, SecretKey, SwitchingKey};
use everlevel_rlwe::{key_switch_std_dev, rounding_std_dev};
use everlevel_testkit::noise::Measured;

const LOG_N: u32 = 12;
const N: usize = 1 << LOG_N;

fn secret(ring: &LimbRing, index: u64) -> SecretKey<LimbRing> {
    let mut coeffs = vec![0; N];
    sampler::ternary(&mut seed(index).stream(Domain::Test, index), &mut coeffs);
    SecretKey::from_coeffs(ring, SecretId(index), coeffs)
}

fn wide(secret: &SecretKey<LimbRing>) -> Vec<i64> {
    secret.coeffs().iter().map(|&c| i64::from(c)).collect()
}

fn uniform(ring: &LimbRing, limbs: usize, index: u64) -> Limbs {
    ring.uniform(&limbs, 1, &seed(index), 0).remove(0)
}

#[test]
fn encryption_has_the_error_distributions_deviation() {
    let ring = LimbRing::new(LOG_N, Transform::ThreePrimes, 60, 4).unwrap();
    let mut measured = Measured::default();
    for draw in 0..4 {
        let s = secret(&ring, draw);
        let ct = Rlwe::<LimbRing>::encrypt_zero(&ring, &(1 + draw as usize), &s, &seed(draw));
        measured.extend(limb_difference(&ring, &ct.phase(&ring, &s), &ring.zero(ct.limbs())));
    }
    assert_std_dev(&measured, "encryption over limbs", SIGMA, &[]);
}

/// A key of six limbs' elements switches them and all that have fewer, with the noise of its formula: at fewer limbs
/// the key's part of it is below a unit of the last limb.
#[test]
fn one_key_switches_every_precision() {
    for (transform, log2_base, digit_limbs) in
        [(Transform::ThreePrimes, 60, 1), (Transform::ThreePrimes, 60, 3), (Transform::TwoPrimes, 38, 2)]
    {
        let gadget = LimbGadget::new(6, digit_limbs);
        let ring = LimbRing::new(LOG_N, transform, log2_base, gadget.limbs).unwrap();
        let (from, to) = (secret(&ring, 1), secret(&ring, 2));
        for limbs in [6, 4, 1] {
            let mut measured = Measured::default();
            let draws = 3;
            for draw in 0..draws {
                let key = SwitchingKey::of_limbs(&ring, &to, &wide(&from), gadget, &seed(10 + draw), true);
                let ct = Rlwe { c0: uniform(&ring, limbs, 20 + draw), c1: uniform(&ring, limbs, 30 + draw) };
                let switched = key.switch(&ring, &ct);
                let phases = [switched.phase(&ring, &to), ct.phase(&ring, &from)];
                measured.extend(limb_difference(&ring, &phases[0], &phases[1]));
            }
            let rows = limbs.div_ceil(digit_limbs);
            let k = f64::from(log2_base);
            let of_key = key_switch_std_dev(N, rows, k * digit_limbs as f64, k * (gadget.limbs - limbs) as f64);
            let expected = of_key.hypot(rounding_std_dev(to.weight()));
            let errors = draws as usize * N;
            assert_std_dev(
                &measured,
                &format!("{transform:?}, digits of {digit_limbs}, {limbs} limbs"),
                expected,
                &[errors, errors],
            );
        }
    }
}

#[test]
fn automorphisms_and_squares_are_half_products() {
    let gadget = LimbGadget::new(4, 2);
    let ring = LimbRing::new(LOG_N, Transform::ThreePrimes, 58, gadget.limbs).unwrap();
    let s = secret(&ring, 3);
    let ct = Rlwe { c0: uniform(&ring, 4, 40), c1: uniform(&ring, 4, 41) };
    let largest = |a: &Limbs, b: &Limbs| limb_difference(&ring, a, b).into_iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    let bound = 8.0 * key_switch_std_dev(N, gadget.digits, 0.0, 0.0).hypot(rounding_std_dev(s.weight()));
    for galois_elt in [5, 3, 2 * N as u64 - 1] {
        let key = SwitchingKey::of_limbs_galois(&ring, &s, galois_elt, gadget, &seed(42), true);
        let moved = key.automorphism(&ring, &ct, galois_elt).phase(&ring, &s);
        let error = largest(&moved, &ring.automorphism(&ct.phase(&ring, &s), galois_elt));
        assert!(error < bound && error > bound / 100.0, "X^{galois_elt}: {error}, bound {bound}");
        // Moved first, with a key that isn't moved back.
        let key = SwitchingKey::of_limbs_moved(&ring, &s, galois_elt, gadget, &seed(45), true);
        let first = Rlwe { c0: ring.automorphism(&ct.c0, galois_elt), c1: ring.automorphism(&ct.c1, galois_elt) };
        let moved = key.switch(&ring, &first).phase(&ring, &s);
        let error = largest(&moved, &ring.automorphism(&ct.phase(&ring, &s), galois_elt));
        assert!(error < bound && error > bound / 100.0, "X^{galois_elt} first: {error}, bound {bound}");
    }
    // c·s² by the key of s², and by the secret twice.
    let s_limbs = ring.small(&1, &wide(&s));
    let square = ring.inner_product(&[s_limbs], s.prepared());
    let key = SwitchingKey::of_limbs(&ring, &s, square.limb(0), gadget, &seed(43), true);
    let c = uniform(&ring, 4, 44);
    let once = ring.inner_product(std::slice::from_ref(&c), s.prepared());
    let twice = ring.inner_product(&[once], s.prepared());
    let product = key.switch(&ring, &Rlwe { c0: ring.zero(4), c1: c });
    let error = largest(&product.phase(&ring, &s), &twice);
    assert!(error < bound && error > bound / 100.0, "{error}, bound {bound}");
}

#[test]
fn seeded_keys_are_small_and_multiply_to_the_same_bits() {
    let bits = |limbs: &Limbs| limbs.views().into_iter().flatten().copied().collect::<Vec<i64>>();
    for (transform, log2_base, digit_limbs, share) in [
        (Transform::ThreePrimes, 60, 1, 0.223),
        (Transform::ThreePrimes, 60, 3, 0.223),
        (Transform::TwoPrimes, 38, 2, 0.334),
        (Transform::Doubles, 16, 2, 0.501),
    ] {
        let gadget = LimbGadget::new(6, digit_limbs);
        let ring = LimbRing::new(LOG_N, transform, log2_base, gadget.limbs).unwrap();
        let (from, to) = (secret(&ring, 1), secret(&ring, 2));
        let key = |expanded| SwitchingKey::of_limbs(&ring, &to, &wide(&from), gadget, &seed(10), expanded);
        let [seeded, expanded] = [false, true].map(key);
        assert_eq!([&seeded, &expanded].map(|key| key.rows().is_seeded()), [true, false]);
        assert_eq!(seeded.nbytes(), ring.seeded_key_nbytes(&gadget));
        assert_eq!(expanded.nbytes(), ring.key_nbytes(&gadget));
        assert!((seeded.nbytes() as f64) < share * expanded.nbytes() as f64, "{transform:?}");
        for row in 0..gadget.digits {
            let [a, b] = [&seeded, &expanded].map(|key| bits(&ring.row_body(key.rows(), row)));
            assert_eq!(a, b, "{transform:?}, row {row}");
        }
        for limbs in [6, 5, 3, 1] {
            let ct = |i: u64| Rlwe { c0: uniform(&ring, limbs, 20 + i), c1: uniform(&ring, limbs, 30 + i) };
            let cts = [ct(0), ct(1)];
            let [a, b] = [&seeded, &expanded].map(|key| {
                let switched = key.switch_many(&ring, &cts);
                switched.iter().map(|ct| [bits(&ct.c0), bits(&ct.c1)]).collect::<Vec<_>>()
            });
            assert_eq!(a, b, "{transform:?}, digits of {digit_limbs}, {limbs} limbs");
        }
    }
}
