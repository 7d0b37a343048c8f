//! Arithmetic against the plain computation.
//!
//! Degree 2^10, secret of weight 256: one rounding is 2^-33.3 of a slot at scale 2^40, 2^-31.3 at level 0. The worst of
//! 512 slots may be 2.5 bits off that, and an operation adds a few roundings: 27 bits in the worst slot above level 0
//! and 25 there.

use crate::common::{self, Party, assert_close, depth, precision, uniform, zip};
use everlevel_ckks::{Complex64, Params, ParamsLiteral};

const MAX_LEVEL: usize = 9;
/// Bits that a rounding loses where it meets the square of the secret: `√(2·256² / 257)` is 2^4.5.
const UNRELINEARIZED: f64 = 4.5;
const LEVELS: [usize; 5] = [0, 1, 2, 8, 9];

fn party() -> Party {
    depth(10, MAX_LEVEL)
}

fn bits(level: usize) -> f64 {
    if level == 0 { 25.0 } else { 27.0 }
}

fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

#[test]
fn encryption_and_decryption_round_trip_at_every_level_with_either_key() {
    let party = party();
    let message = uniform(party.ctx.slot_count(), 1);
    for level in 0..=MAX_LEVEL {
        let plaintext = party.ctx.encode(&message, level).unwrap();
        assert_eq!((plaintext.level(), Some(plaintext.scale())), (level, party.ctx.scale_at(level)));
        assert_close("plaintext", &party.ctx.decode(&plaintext).unwrap(), &message, bits(level) + 3.0);
        let public = party.ctx.encrypt(&plaintext, &party.public).unwrap();
        let secret = party.ctx.encrypt_with_secret(&plaintext, &party.secret).unwrap();
        party.assert_holds("public key", &public, &message, level, bits(level));
        party.assert_holds("secret key", &secret, &message, level, bits(level));
        // Fresh randomness for each.
        let again = party.ctx.encrypt(&plaintext, &party.public).unwrap();
        assert_ne!(party.decrypt(&again), party.decrypt(&public));
        for ct in [&public, &secret] {
            let measured = -precision(&party.decrypt(ct), &message).rms.log2();
            assert!(
                (measured - ct.precision_bits()).abs() < 0.3,
                "measured {measured}, estimated {}",
                ct.precision_bits()
            );
        }
    }
}

#[test]
fn short_messages_are_followed_by_zeros() {
    let party = party();
    for len in [1, 2, 3, 511] {
        let message = uniform(len, 5);
        let mut expected = message.clone();
        expected.resize(512, Complex64::default());
        party.assert_holds("short", &party.encrypt(&message, 3), &expected, 3, bits(3));
    }
}

#[test]
fn binary_operations_align_operands_of_any_two_levels() {
    let party = party();
    let ctx = &party.ctx;
    let (x, y) = (uniform(512, 1), uniform(512, 2));
    for a_level in LEVELS {
        for b_level in LEVELS {
            let (a, b) = (party.encrypt(&x, a_level), party.encrypt(&y, b_level));
            let level = a_level.min(b_level);
            let what = format!("levels {a_level} and {b_level}");
            party.assert_holds(&what, &ctx.add(&a, &b).unwrap(), &zip(&x, &y, |x, y| x + y), level, bits(level));
            party.assert_holds(&what, &ctx.subtract(&a, &b).unwrap(), &zip(&x, &y, |x, y| x - y), level, bits(level));
            if level == 0 {
                continue;
            }
            let product = zip(&x, &y, |x, y| x * y);
            let one = ctx.multiply(&a, &b, &party.relinearization).unwrap();
            party.assert_holds(&what, &one, &product, level - 1, bits(level - 1));
            let three = ctx.multiply_without_key(&a, &b).unwrap();
            assert_eq!((one.polynomial_count(), three.polynomial_count()), (2, 3));
            party.assert_holds(&what, &three, &product, level - 1, bits(level - 1) - UNRELINEARIZED);
            let two = ctx.relinearize(&three, &party.relinearization).unwrap();
            assert_eq!(two.polynomial_count(), 2);
            party.assert_holds(&what, &two, &product, level - 1, bits(level - 1) - UNRELINEARIZED);
            let measured = -precision(&party.decrypt(&three), &product).rms.log2();
            assert!(
                (measured - three.precision_bits()).abs() < 0.7,
                "{measured}, estimated {}",
                three.precision_bits()
            );
        }
    }
}

#[test]
fn plaintexts_and_arrays_align_with_ciphertexts_of_any_level() {
    let party = party();
    let ctx = &party.ctx;
    let (x, y) = (uniform(512, 1), uniform(512, 2));
    let (sum, product) = (zip(&x, &y, |x, y| x + y), zip(&x, &y, |x, y| x * y));
    for a_level in LEVELS {
        let a = party.encrypt(&x, a_level);
        party.assert_holds("add_array", &ctx.add_array(&a, &y).unwrap(), &sum, a_level, bits(a_level));
        if a_level > 0 {
            let out = ctx.multiply_array(&a, &y).unwrap();
            party.assert_holds("multiply_array", &out, &product, a_level - 1, bits(a_level - 1));
        }
        for p_level in LEVELS {
            let plaintext = ctx.encode(&y, p_level).unwrap();
            let level = a_level.min(p_level);
            let what = format!("ciphertext at {a_level}, plaintext at {p_level}");
            party.assert_holds(&what, &ctx.add_plain(&a, &plaintext).unwrap(), &sum, level, bits(level));
            if level > 0 {
                let out = ctx.multiply_plain(&a, &plaintext).unwrap();
                party.assert_holds(&what, &out, &product, level - 1, bits(level - 1));
            }
        }
    }
}

#[test]
fn scalars_real_and_complex_act_on_every_slot() {
    let party = party();
    let ctx = &party.ctx;
    let x = uniform(512, 1);
    for level in LEVELS {
        let a = party.encrypt(&x, level);
        for s in [c(0.5, 0.0), c(-1.25, 0.0), c(0.0, 0.3), c(0.7, -2.1), c(1e-9, 0.0), c(0.0, 0.0), c(3.0, -2.0)] {
            let sum: Vec<_> = x.iter().map(|x| x + s).collect();
            party.assert_holds(&format!("+ {s}"), &ctx.add_scalar(&a, s).unwrap(), &sum, level, bits(level));
            let gaussian = s.re.fract() == 0.0 && s.im.fract() == 0.0;
            if level > 0 || gaussian {
                let product: Vec<_> = x.iter().map(|x| x * s).collect();
                let out_level = if gaussian { level } else { level - 1 };
                let out = ctx.multiply_scalar(&a, s).unwrap();
                party.assert_holds(
                    &format!("· {s}"),
                    &out,
                    &product,
                    out_level,
                    bits(out_level) - s.norm().max(1.0).log2(),
                );
            }
        }
        party.assert_holds(
            "−",
            &ctx.negate(&a).unwrap(),
            &x.iter().map(|x| -x).collect::<Vec<_>>(),
            level,
            bits(level),
        );
    }
}

/// The difference between a product's decryption and the decryption's product is that of arithmetic in doubles.
#[test]
fn gaussian_integers_cost_no_level_and_multiply_the_very_coefficients() {
    let party = party();
    let x = uniform(512, 3);
    for level in LEVELS {
        let a = party.encrypt(&x, level);
        let before = party.decrypt(&a);
        for s in [
            c(1.0, 0.0),
            c(-1.0, 0.0),
            c(0.0, 1.0),
            c(0.0, -1.0),
            c(2.0, 0.0),
            c(-7.0, 5.0),
            c(0.0, 200.0),
            c(0.0, 0.0),
        ] {
            let out = party.ctx.multiply_scalar(&a, s).unwrap();
            assert_eq!(out.level(), level);
            let expected: Vec<_> = before.iter().map(|x| x * s).collect();
            assert_close(
                &format!("level {level}, · {s}"),
                &party.decrypt(&out),
                &expected,
                45.0 - s.norm().max(1.0).log2(),
            );
        }
    }
}

#[test]
fn lowering_keeps_the_message_and_takes_the_levels_scale() {
    let party = party();
    let x = uniform(512, 4);
    for from in 0..=MAX_LEVEL {
        let a = party.encrypt(&x, from);
        for to in 0..=from {
            party.assert_holds(&format!("{from} to {to}"), &party.ctx.level_down(&a, to).unwrap(), &x, to, bits(to));
        }
    }
}

#[test]
fn canonical_scales_are_what_rescaled_products_have() {
    let party = party();
    let primes = party.ctx.params().primes();
    for level in 1..=MAX_LEVEL {
        let scale = party.ctx.scale_at(level).unwrap();
        let below = party.ctx.scale_at(level - 1).unwrap();
        // Message levels add one prime each.
        let product = scale * scale / primes[level] as f64;
        assert!((product / below - 1.0).abs() < 4.0 * f64::EPSILON, "level {level}");
        assert!((scale.log2() - 40.0).abs() < 1e-3, "level {level}: 2^{}", scale.log2());
    }
    assert_eq!(party.ctx.scale_at(0), Some(2f64.powi(38)));
    assert_eq!(party.ctx.scale_at(MAX_LEVEL + 1), None);
}

/// Real values, evenly spread over [−1, 1].
fn real(count: usize, seed: u64) -> Vec<Complex64> {
    uniform(count, seed).into_iter().map(|z| z.re.into()).collect()
}

#[test]
fn a_chain_of_nine_products_keeps_its_precision_and_its_estimate() {
    let party = party();
    let mut expected = real(512, 10);
    let mut ct = party.encrypt(&expected, MAX_LEVEL);
    for step in 0..MAX_LEVEL as u64 {
        let factor = real(512, 20 + step);
        let other = party.encrypt(&factor, if step % 2 == 0 { MAX_LEVEL } else { MAX_LEVEL - step as usize });
        ct = party.ctx.multiply(&ct, &other, &party.relinearization).unwrap();
        expected = zip(&expected, &factor, |x, y| x * y);
        party.assert_holds(&format!("product {step}"), &ct, &expected, MAX_LEVEL - 1 - step as usize, 25.0);
        let measured = -precision(&party.decrypt(&ct), &expected).rms.log2();
        assert!((measured - ct.precision_bits()).abs() < 1.5, "measured {measured}, estimated {}", ct.precision_bits());
    }
    assert_eq!(ct.level(), 0);
}

#[test]
fn squares_with_and_without_a_key_agree() {
    let party = party();
    let x = uniform(512, 6);
    let expected = zip(&x, &x, |x, y| x * y);
    for level in [1, 5, 9] {
        let a = party.encrypt(&x, level);
        party.assert_holds(
            "square",
            &party.ctx.square(&a, Some(&party.relinearization)).unwrap(),
            &expected,
            level - 1,
            bits(level - 1),
        );
        let three = party.ctx.square(&a, None).unwrap();
        assert_eq!(three.polynomial_count(), 3);
        party.assert_holds("square without key", &three, &expected, level - 1, bits(level - 1) - UNRELINEARIZED);
    }
}

#[test]
fn three_polynomials_can_be_added_scaled_lowered_and_relinearized_late() {
    let party = party();
    let ctx = &party.ctx;
    let (x, y, z) = (uniform(512, 1), uniform(512, 2), uniform(512, 3));
    let [a, b, d] = [&x, &y, &z].map(|v| party.encrypt(v, 5));
    let (ab, ad) = (ctx.multiply_without_key(&a, &b).unwrap(), ctx.multiply_without_key(&a, &d).unwrap());
    let plain = |f: &dyn Fn(usize) -> Complex64| (0..512).map(f).collect::<Vec<_>>();

    let sum = ctx.add(&ab, &ad).unwrap();
    party.assert_holds("3 + 3", &sum, &plain(&|i| x[i] * (y[i] + z[i])), 4, 22.0);
    let two = ctx.relinearize(&sum, &party.relinearization).unwrap();
    party.assert_holds("relinearized", &two, &plain(&|i| x[i] * (y[i] + z[i])), 4, 22.0);
    party.assert_holds("2 + 3", &ctx.add(&d, &ab).unwrap(), &plain(&|i| z[i] + x[i] * y[i]), 4, 22.0);
    party.assert_holds("3 − 2", &ctx.subtract(&ab, &d).unwrap(), &plain(&|i| x[i] * y[i] - z[i]), 4, 22.0);
    party.assert_holds("2 − 3", &ctx.subtract(&d, &ab).unwrap(), &plain(&|i| z[i] - x[i] * y[i]), 4, 22.0);
    party.assert_holds("3 − 3", &ctx.subtract(&ab, &ad).unwrap(), &plain(&|i| x[i] * (y[i] - z[i])), 4, 22.0);
    party.assert_holds("negated", &ctx.negate(&ab).unwrap(), &plain(&|i| -x[i] * y[i]), 4, 22.0);
    party.assert_holds("lowered", &ctx.level_down(&ab, 1).unwrap(), &plain(&|i| x[i] * y[i]), 1, 22.0);
    party.assert_holds(
        "times i",
        &ctx.multiply_scalar(&ab, c(0.0, 1.0)).unwrap(),
        &plain(&|i| c(0.0, 1.0) * x[i] * y[i]),
        4,
        22.0,
    );
    party.assert_holds(
        "times 0.3",
        &ctx.multiply_scalar(&ab, c(0.3, 0.0)).unwrap(),
        &plain(&|i| 0.3 * x[i] * y[i]),
        3,
        22.0,
    );
    party.assert_holds(
        "times an array",
        &ctx.multiply_array(&ab, &z).unwrap(),
        &plain(&|i| x[i] * y[i] * z[i]),
        3,
        22.0,
    );
    party.assert_holds("plus an array", &ctx.add_array(&ab, &z).unwrap(), &plain(&|i| x[i] * y[i] + z[i]), 4, 22.0);
    // Relinearizing two polynomials is a copy.
    let copy = ctx.relinearize(&a, &party.relinearization).unwrap();
    assert_eq!(party.decrypt(&copy), party.decrypt(&a));
}

#[test]
fn an_operand_may_be_used_twice_and_is_left_as_it_was() {
    let party = party();
    let x = uniform(512, 8);
    let a = party.encrypt(&x, 4);
    let before = party.decrypt(&a);
    party.assert_holds("a + a", &party.ctx.add(&a, &a).unwrap(), &zip(&x, &x, |x, y| x + y), 4, 26.0);
    party.assert_holds("a − a", &party.ctx.subtract(&a, &a).unwrap(), &[Complex64::default(); 512], 4, 100.0);
    party.ctx.multiply(&a, &a, &party.relinearization).unwrap();
    party.ctx.level_down(&a, 0).unwrap();
    party.ctx.multiply_array(&a, &x).unwrap();
    assert_eq!((party.decrypt(&a), a.level()), (before, 4));
}

#[test]
fn sparse_slot_counts_compute_in_their_own_slots() {
    for slots in [1, 2, 16, 256] {
        let params = Params::try_from(ParamsLiteral::insecure_depth(10, 3)).unwrap();
        let party = Party::of(common::context(params, Some(slots), 2));
        let (x, y) = (uniform(slots, 1), uniform(slots, 2));
        let (a, b) = (party.encrypt(&x, 3), party.encrypt(&y, 2));
        let what = format!("{slots} slots");
        party.assert_holds(&what, &a, &x, 3, 28.0);
        party.assert_holds(&what, &party.ctx.add(&a, &b).unwrap(), &zip(&x, &y, |x, y| x + y), 2, 27.0);
        let product = party.ctx.multiply(&a, &b, &party.relinearization).unwrap();
        party.assert_holds(&what, &product, &zip(&x, &y, |x, y| x * y), 1, 27.0);
        party.assert_holds(
            &what,
            &party.ctx.multiply_array(&product, &x).unwrap(),
            &zip(&zip(&x, &y, |x, y| x * y), &x, |x, y| x * y),
            0,
            25.0,
        );
        let turned = party.ctx.multiply_scalar(&a, c(0.0, 1.0)).unwrap();
        party.assert_holds(&what, &turned, &x.iter().map(|x| c(0.0, 1.0) * x).collect::<Vec<_>>(), 3, 28.0);
        let conjugate = party.ctx.conjugate(&a, &party.conjugation).unwrap();
        party.assert_holds(&what, &conjugate, &x.iter().map(Complex64::conj).collect::<Vec<_>>(), 3, 27.0);
    }
}

#[test]
fn messages_far_from_one_keep_their_absolute_precision() {
    let party = party();
    // Of 1e9 the transforms' f64 keep 20 bits after the point, by chance a little more or less.
    for size in [1e-6, 1e3, 1e9] {
        let x: Vec<_> = uniform(512, 9).iter().map(|z| z * size).collect();
        party.assert_holds(&format!("size {size}"), &party.encrypt(&x, 6), &x, 6, if size > 1e6 { 19.0 } else { 27.0 });
    }
    // Level 0 holds messages of 2^9.
    let x: Vec<_> = uniform(512, 9).iter().map(|z| z * 300.0).collect();
    party.assert_holds("300 at level 0", &party.encrypt(&x, 0), &x, 0, 25.0);
}
