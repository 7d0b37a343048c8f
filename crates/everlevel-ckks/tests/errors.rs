//! Bad input: every refusal is typed, says both values and what to do, comes before any work and leaves the arguments as they were.

mod common;

use common::{Party, depth, uniform};
use everlevel_ckks::bootstrap::BootstrapKeySize;
use everlevel_ckks::polynomial::Basis;
use everlevel_ckks::{Ciphertext, Complex64, Context, Error, Params, ParamsLiteral, no_progress};

fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

/// Asserts the variant and that the message has all the given parts.
macro_rules! assert_refused {
    ($result:expr, $variant:pat, $($part:expr),+ $(,)?) => {{
        let error = $result.map(|_| ()).expect_err("must be refused");
        assert!(matches!(error, $variant), "{error:?}");
        let text = error.to_string();
        $(assert!(text.contains($part), "{text:?} lacks {:?}", $part);)+
    }};
}

const MAX_LEVEL: usize = 3;

/// A party and everything that can be handed to it.
struct World {
    party: Party,
    x: Vec<Complex64>,
    /// At levels 0, 1, 2 and 3.
    at: Vec<Ciphertext>,
}

impl World {
    fn new() -> Self {
        let party = depth(9, MAX_LEVEL);
        let x = uniform(256, 1);
        let at = (0..=MAX_LEVEL).map(|level| party.encrypt(&x, level)).collect();
        Self { party, x, at }
    }

    fn ctx(&self) -> &Context {
        &self.party.ctx
    }

    /// Runs `f` and asserts that no ciphertext changed.
    fn unchanged(&self, f: impl FnOnce(&Self)) {
        let before: Vec<_> =
            self.at.iter().map(|ct| (self.party.decrypt(ct), ct.level(), ct.scale(), ct.precision_bits())).collect();
        f(self);
        for (ct, before) in self.at.iter().zip(before) {
            assert_eq!((self.party.decrypt(ct), ct.level(), ct.scale(), ct.precision_bits()), before);
        }
    }
}

#[test]
fn messages_that_are_too_long_or_empty_are_refused() {
    World::new().unchanged(|w| {
        let (ctx, long) = (w.ctx(), uniform(257, 2));
        let parts = ["257 values", "256 slots", "split the message"];
        let results = [
            ("encode", ctx.encode(&long, 0).map(|_| ())),
            ("add", ctx.add_array(&w.at[1], &long).map(|_| ())),
            ("multiply", ctx.multiply_array(&w.at[1], &long).map(|_| ())),
        ];
        for (op, result) in results {
            assert_refused!(
                result,
                Error::MessageTooLong { len: 257, slot_count: 256, .. },
                &format!("{op}: "),
                parts[0],
                parts[1],
                parts[2]
            );
        }
        assert_refused!(
            ctx.encode(&[], 0),
            Error::EmptyMessage { slot_count: 256, .. },
            "encode: message is empty",
            "between 1 and 256"
        );
        assert_refused!(ctx.add_array(&w.at[1], &[]), Error::EmptyMessage { .. }, "add: message is empty");
        assert_refused!(ctx.multiply_array(&w.at[1], &[]), Error::EmptyMessage { .. }, "multiply: message is empty");
    });
}

#[test]
fn nan_and_infinity_are_refused_wherever_a_number_goes_in() {
    World::new().unchanged(|w| {
        let ctx = w.ctx();
        for bad in [c(f64::NAN, 0.0), c(0.0, f64::NAN), c(f64::INFINITY, 0.0), c(1.0, f64::NEG_INFINITY)] {
            let mut x = w.x.clone();
            x[17] = bad;
            let value = bad.to_string();
            let parts = ["value 17", &value[..], "replace it first"];
            assert_refused!(
                ctx.encode(&x, 2),
                Error::NotFinite { index: 17, .. },
                "encode: ",
                parts[0],
                parts[1],
                parts[2]
            );
            assert_refused!(ctx.add_array(&w.at[2], &x), Error::NotFinite { index: 17, .. }, "add: ", parts[1]);
            assert_refused!(
                ctx.multiply_array(&w.at[2], &x),
                Error::NotFinite { index: 17, .. },
                "multiply: ",
                parts[1]
            );
            for a in &w.at {
                assert_refused!(ctx.add_scalar(a, bad), Error::NotFinite { .. }, "add: ", &value[..]);
                assert_refused!(ctx.multiply_scalar(a, bad), Error::NotFinite { .. }, "multiply: ", &value[..]);
            }
        }
        for basis in [Basis::Power, Basis::Chebyshev] {
            for bad in [f64::NAN, f64::INFINITY] {
                let result = ctx.evaluate_polynomial(&w.at[3], basis, &[0.5, bad, 0.25], &w.party.relinearization);
                assert_refused!(result, Error::NotFinite { index: 1, .. }, "polynomial: value 1", &bad.to_string()[..]);
            }
        }
    });
}

#[test]
fn levels_that_do_not_exist_are_refused() {
    World::new().unchanged(|w| {
        let ctx = w.ctx();
        for level in [4, 100, usize::MAX] {
            let found = format!("level {level} is outside 0..=3; choose one of these");
            assert_refused!(
                ctx.encode(&w.x, level),
                Error::LevelOutOfRange { max_level: 3, .. },
                "encode: ",
                &found[..]
            );
            assert_refused!(
                ctx.fixed_rotation_key(&w.party.secret, 1, level),
                Error::LevelOutOfRange { .. },
                "create_fixed_rotation_key: ",
                &found[..]
            );
        }
        assert_refused!(
            ctx.level_down(&w.at[1], 2),
            Error::LevelOutOfRange { level: 2, max_level: 1, .. },
            "level_down: level 2 is outside 0..=1"
        );
        let low = ctx.fixed_rotation_key(&w.party.secret, 1, 1).unwrap();
        assert_refused!(
            ctx.rotate_fixed(&w.at[3], &low),
            Error::LevelOutOfRange { level: 3, max_level: 1, .. },
            "rotate: level 3 is outside 0..=1"
        );
        assert_refused!(ctx.rotate_fixed_many(&w.at[3], &[&low]), Error::LevelOutOfRange { .. }, "rotate: ");
        assert!(ctx.rotate_fixed(&w.at[1], &low).is_ok());
    });
}

#[test]
fn operations_without_levels_left_ask_for_a_bootstrap() {
    World::new().unchanged(|w| {
        let (ctx, key) = (w.ctx(), &w.party.relinearization);
        let (zero, one) = (&w.at[0], &w.at[1]);
        let results = [
            ctx.multiply(zero, one, key).map(|_| ()),
            ctx.multiply(one, zero, key).map(|_| ()),
            ctx.multiply_without_key(zero, zero).map(|_| ()),
            ctx.square(zero, Some(key)).map(|_| ()),
            ctx.square(zero, None).map(|_| ()),
            ctx.multiply_plain(zero, &ctx.encode(&w.x, 2).unwrap()).map(|_| ()),
            ctx.multiply_array(zero, &w.x).map(|_| ()),
            ctx.multiply_scalar(zero, c(0.5, 0.0)).map(|_| ()),
            ctx.multiply_scalar(zero, c(1.0, 0.5)).map(|_| ()),
        ];
        for result in results {
            assert_refused!(
                result,
                Error::LevelExhausted { needed: 1, level: 0, max_level: 3, .. },
                "multiply: needs level ≥ 1",
                "at level 0 of 3",
                "bootstrap it first"
            );
        }
        let low = ctx.encode(&w.x, 0).unwrap();
        assert_refused!(
            ctx.multiply_plain(one, &low),
            Error::Parameter { .. },
            "level of the plaintext = 0",
            "encode it at a higher level"
        );
        for (level, degree, needed) in [(0, 1, 1), (1, 2, 2), (2, 4, 3), (3, 8, 4)] {
            for basis in [Basis::Power, Basis::Chebyshev] {
                let p = vec![0.1; degree + 1];
                let parts = [format!("needs level ≥ {needed}"), format!("level {level} of 3")];
                let result = ctx.evaluate_polynomial(&w.at[level], basis, &p, key);
                assert_refused!(
                    result,
                    Error::LevelExhausted { .. },
                    "polynomial: ",
                    &parts[0][..],
                    &parts[1][..],
                    "bootstrap it first"
                );
                let result = ctx.basis(&w.at[level], basis, degree + 1, key);
                assert_refused!(result, Error::LevelExhausted { .. }, "basis: ", &parts[0][..], &parts[1][..]);
            }
        }
        assert_refused!(
            ctx.basis(&w.at[3], Basis::Power, usize::MAX, key),
            Error::LevelExhausted { needed: 64, .. },
            "needs level ≥ 64"
        );
    });
}

#[test]
fn empty_polynomials_and_bases_are_refused() {
    World::new().unchanged(|w| {
        let key = &w.party.relinearization;
        for basis in [Basis::Power, Basis::Chebyshev] {
            assert_refused!(
                w.ctx().evaluate_polynomial(&w.at[3], basis, &[], key),
                Error::Parameter { .. },
                "coefficients = none",
                "at least one"
            );
            assert_refused!(
                w.ctx().basis(&w.at[3], basis, 0, key),
                Error::Parameter { .. },
                "max_power = 0",
                "at least 1"
            );
        }
    });
}

/// Level 0 holds less than 2^9 at its scale, every other level less than 2^49: what decryption reads.
#[test]
fn messages_and_numbers_that_overflow_the_modulus_are_refused() {
    World::new().unchanged(|w| {
        let ctx = w.ctx();
        let overflow = |level: usize, size: f64| {
            let next = "divide the message or take a higher level";
            let held = if level == 0 {
                "level 0 holds less than 2^47.0".to_string()
            } else {
                format!("level {level} holds less than 2^89.0")
            };
            let wide = vec![c(size, 0.0); 256];
            let result = ctx.encode(&wide, level);
            assert_refused!(result, Error::ScaleOverflow { .. }, "encode: message at scale 2^", &held[..], next);
            assert_refused!(ctx.add_array(&w.at[level], &wide), Error::ScaleOverflow { .. }, "add: ", &held[..], next);
            assert_refused!(
                ctx.add_scalar(&w.at[level], c(size, 0.0)),
                Error::ScaleOverflow { .. },
                "add: ",
                &held[..]
            );
            assert_refused!(
                ctx.add_scalar(&w.at[level], c(0.0, -size)),
                Error::ScaleOverflow { .. },
                "add: ",
                &held[..]
            );
            // A multiple that keeps the level, and one that ends there.
            assert_refused!(
                ctx.multiply_scalar(&w.at[level], c(size.ceil(), 0.0)),
                Error::ScaleOverflow { .. },
                "multiply: ",
                &held[..]
            );
            assert_refused!(
                ctx.multiply_scalar(&w.at[level], c(0.0, size.ceil())),
                Error::ScaleOverflow { .. },
                "multiply: ",
                &held[..]
            );
            if level < MAX_LEVEL {
                let above = &w.at[level + 1];
                assert_refused!(
                    ctx.multiply_scalar(above, c(size, 0.5)),
                    Error::ScaleOverflow { .. },
                    "multiply: ",
                    &held[..]
                );
                assert_refused!(ctx.multiply_array(above, &wide), Error::ScaleOverflow { .. }, "multiply: ");
                assert_refused!(
                    ctx.evaluate_polynomial(above, Basis::Power, &[0.0, size], &w.party.relinearization),
                    Error::ScaleOverflow { .. },
                    "evaluate_polynomial: ",
                    &held[..],
                );
            }
        };
        for size in [512.5, 1e6, 1e300] {
            overflow(0, size);
        }
        for level in 1..=MAX_LEVEL {
            for size in [2f64.powi(49) + 0.5, 1e300, f64::MAX] {
                overflow(level, size);
            }
        }
        assert_refused!(
            ctx.multiply_plain(&w.at[1], &ctx.encode(&[c(1e4, 0.0); 256], 2).unwrap()),
            Error::ScaleOverflow { .. },
            "multiply: ",
            "level 0"
        );
    });
}

/// The same sizes just below the limit are computed, and right.
#[test]
fn what_just_fits_is_right() {
    let w = World::new();
    let small: Vec<_> = w.x.iter().map(|z| z / 2.0).collect();
    for (level, size) in [(0, 500.0), (1, 2f64.powi(48) * 0.99), (3, 2f64.powi(48) * 0.99)] {
        let scaled: Vec<_> = small.iter().map(|z| z * f64::floor(size)).collect();
        let out = w.ctx().multiply_scalar(&w.party.encrypt(&small, level), c(size.floor(), 0.0)).unwrap();
        common::assert_close("multiple", &w.party.decrypt(&out), &scaled, 22.0 - size.log2());
        let out = w.ctx().add_scalar(&w.at[level], c(size, 0.0)).unwrap();
        let sums: Vec<_> = w.x.iter().map(|z| z + size).collect();
        common::assert_close("sum", &w.party.decrypt(&out), &sums, 52.0 - 2.0 - size.log2().max(26.0));
    }
    let out = w.ctx().multiply_array(&w.at[1], &[c(400.0, 0.0); 256]).unwrap();
    common::assert_close("array", &w.party.decrypt(&out), &w.x.iter().map(|z| z * 400.0).collect::<Vec<_>>(), 15.0);
}

/// Opposite values near the largest double cancel to "not a number" inside the encoder; that must not pass as zero.
#[test]
fn overflows_inside_the_encoder_are_refused() {
    let w = World::new();
    for pattern in [[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [1.0, 0.0, 0.0, -1.0]] {
        let x: Vec<_> = (0..256).map(|i| c(pattern[i % 4] * f64::MAX, pattern[(i / 64) % 4] * f64::MAX)).collect();
        for level in 0..=MAX_LEVEL {
            assert_refused!(w.ctx().encode(&x, level), Error::ScaleOverflow { .. }, "encode: ");
        }
    }
}

#[test]
fn huge_polynomial_coefficients_are_refused_before_they_overflow() {
    let party = depth(9, 6);
    let a = party.encrypt(&uniform(256, 1), 6);
    for size in [2f64.powi(40), 2f64.powi(45), 2f64.powi(47)] {
        let result =
            party.ctx.evaluate_polynomial(&a, Basis::Chebyshev, &[size, 1.0, 0.5, size, 0.1], &party.relinearization);
        assert_refused!(
            result,
            Error::Parameter { .. },
            "sum of the coefficients' sizes",
            "at most 2^39",
            "divide the polynomial"
        );
    }
    // The largest accepted: right up to their size.
    let size = 2f64.powi(37);
    let x: Vec<_> = uniform(256, 1).iter().map(|z| c(z.re, 0.0)).collect();
    let p = [size, 1.0, 0.5, size, 0.1];
    let out = party.ctx.evaluate_polynomial(&party.encrypt(&x, 6), Basis::Power, &p, &party.relinearization).unwrap();
    let expected: Vec<_> = x.iter().map(|z| p.iter().rev().fold(c(0.0, 0.0), |s, k| s * z + k)).collect();
    common::assert_close("large coefficients", &party.decrypt(&out), &expected, 24.0 - 38.0);
}

#[test]
fn keys_and_ciphertexts_of_another_secret_are_refused() {
    World::new().unchanged(|w| {
        let (ctx, a) = (w.ctx(), &w.at[2]);
        let other = ctx.secret_key().unwrap();
        let ids = [w.party.secret.secret_id(), other.secret_id()].map(|id| format!("{:#018x}", id.0));
        let relinearization = ctx.relinearization_key(&other, &no_progress).unwrap();
        let conjugation = ctx.conjugation_key(&other, &no_progress).unwrap();
        let rotation = ctx.rotation_key(&other, &no_progress).unwrap();
        let fixed = ctx.fixed_rotation_key(&other, 1, 3).unwrap();
        let good = ctx.fixed_rotation_key(&w.party.secret, 1, 3).unwrap();
        let theirs = ctx.encrypt_with_secret(&ctx.encode(&w.x, 2).unwrap(), &other).unwrap();
        let three = ctx.square(a, None).unwrap();
        let results = [
            ("decrypt: secret key", ctx.decrypt(a, &other).map(|_| ())),
            ("add: second ciphertext", ctx.add(a, &theirs).map(|_| ())),
            ("subtract: second ciphertext", ctx.subtract(a, &theirs).map(|_| ())),
            ("multiply: second ciphertext", ctx.multiply(a, &theirs, &w.party.relinearization).map(|_| ())),
            ("multiply: second ciphertext", ctx.multiply_without_key(a, &theirs).map(|_| ())),
            ("multiply: relinearization key", ctx.multiply(a, a, &relinearization).map(|_| ())),
            ("multiply: relinearization key", ctx.square(a, Some(&relinearization)).map(|_| ())),
            ("relinearize: relinearization key", ctx.relinearize(&three, &relinearization).map(|_| ())),
            ("conjugate: conjugation key", ctx.conjugate(a, &conjugation).map(|_| ())),
            ("rotate: rotation key", ctx.rotate(a, &rotation, 3).map(|_| ())),
            ("rotate_batch: rotation key", ctx.rotate_many(a, &rotation, &[1, 2]).map(|_| ())),
            ("rotate: rotation key", ctx.rotate_fixed(a, &fixed).map(|_| ())),
            ("rotate: rotation key", ctx.rotate_fixed_many(a, &[&good, &fixed]).map(|_| ())),
            (
                "polynomial: relinearization key",
                ctx.evaluate_polynomial(a, Basis::Power, &[0.0, 1.0], &relinearization).map(|_| ()),
            ),
            ("basis: relinearization key", ctx.basis(a, Basis::Chebyshev, 2, &relinearization).map(|_| ())),
        ];
        for (who, result) in results {
            assert_refused!(
                result,
                Error::WrongSecret { .. },
                who,
                &ids[0][..],
                &ids[1][..],
                "use the keys made from the same secret key"
            );
        }
    });
}

#[test]
fn keys_and_ciphertexts_of_other_parameters_are_refused() {
    World::new().unchanged(|w| {
        let (ctx, a) = (w.ctx(), &w.at[2]);
        let foreign = depth(9, MAX_LEVEL - 1);
        let f = &foreign.ctx;
        let prints = [f, ctx].map(|c| format!("{:#018x}", c.params().fingerprint()));
        let plaintext = f.encode(&w.x, 2).unwrap();
        let b = foreign.encrypt(&w.x, 2);
        let own = ctx.encode(&w.x, 2).unwrap();
        let rotation = f.rotation_key(&foreign.secret, &no_progress).unwrap();
        let fixed = f.fixed_rotation_key(&foreign.secret, 1, 1).unwrap();
        let key = &w.party.relinearization;
        let results = [
            ("create_public_key: secret key", ctx.public_key(&foreign.secret).map(|_| ())),
            (
                "create_relinearization_key: secret key",
                ctx.relinearization_key(&foreign.secret, &no_progress).map(|_| ()),
            ),
            ("create_conjugation_key: secret key", ctx.conjugation_key(&foreign.secret, &no_progress).map(|_| ())),
            ("create_rotation_key: secret key", ctx.rotation_key(&foreign.secret, &no_progress).map(|_| ())),
            ("create_fixed_rotation_key: secret key", ctx.fixed_rotation_key(&foreign.secret, 1, 1).map(|_| ())),
            ("encrypt: plaintext", ctx.encrypt(&plaintext, &w.party.public).map(|_| ())),
            ("encrypt: public key", ctx.encrypt(&own, &foreign.public).map(|_| ())),
            ("encrypt: plaintext", ctx.encrypt_with_secret(&plaintext, &w.party.secret).map(|_| ())),
            ("encrypt: secret key", ctx.encrypt_with_secret(&own, &foreign.secret).map(|_| ())),
            ("decrypt: ciphertext", ctx.decrypt(&b, &w.party.secret).map(|_| ())),
            ("decrypt: secret key", ctx.decrypt(a, &foreign.secret).map(|_| ())),
            ("decode: plaintext", ctx.decode(&plaintext).map(|_| ())),
            ("add: ciphertext", ctx.add(a, &b).map(|_| ())),
            ("add: ciphertext", ctx.add(&b, a).map(|_| ())),
            ("subtract: ciphertext", ctx.subtract(a, &b).map(|_| ())),
            ("negate: ciphertext", ctx.negate(&b).map(|_| ())),
            ("add: plaintext", ctx.add_plain(a, &plaintext).map(|_| ())),
            ("add: ciphertext", ctx.add_plain(&b, &own).map(|_| ())),
            ("add: ciphertext", ctx.add_array(&b, &w.x).map(|_| ())),
            ("add: ciphertext", ctx.add_scalar(&b, c(1.0, 0.0)).map(|_| ())),
            ("multiply: ciphertext", ctx.multiply(a, &b, key).map(|_| ())),
            ("multiply: relinearization key", ctx.multiply(a, a, &foreign.relinearization).map(|_| ())),
            ("multiply: ciphertext", ctx.multiply_without_key(&b, a).map(|_| ())),
            ("multiply: plaintext", ctx.multiply_plain(a, &plaintext).map(|_| ())),
            ("multiply: ciphertext", ctx.multiply_array(&b, &w.x).map(|_| ())),
            ("multiply: ciphertext", ctx.multiply_scalar(&b, c(2.0, 0.0)).map(|_| ())),
            ("relinearize: ciphertext", ctx.relinearize(&b, key).map(|_| ())),
            ("relinearize: relinearization key", ctx.relinearize(a, &foreign.relinearization).map(|_| ())),
            ("level_down: ciphertext", ctx.level_down(&b, 0).map(|_| ())),
            ("conjugate: ciphertext", ctx.conjugate(&b, &w.party.conjugation).map(|_| ())),
            ("conjugate: conjugation key", ctx.conjugate(a, &foreign.conjugation).map(|_| ())),
            ("rotate: rotation key", ctx.rotate(a, &rotation, 1).map(|_| ())),
            ("rotate_batch: rotation key", ctx.rotate_many(a, &rotation, &[1]).map(|_| ())),
            ("rotate: rotation key", ctx.rotate_fixed(a, &fixed).map(|_| ())),
            (
                "evaluate_polynomial: ciphertext",
                ctx.evaluate_polynomial(&b, Basis::Power, &[0.0, 1.0], key).map(|_| ()),
            ),
            (
                "make_power_basis: relinearization key",
                ctx.basis(a, Basis::Power, 2, &foreign.relinearization).map(|_| ()),
            ),
        ];
        for (who, result) in results {
            assert_refused!(
                result,
                Error::ForeignObject { .. },
                who,
                &prints[0][..],
                &prints[1][..],
                "make all keys and ciphertexts with one engine"
            );
        }
    });
}

#[test]
fn ciphertexts_and_plaintexts_of_another_slot_count_are_refused() {
    World::new().unchanged(|w| {
        let params = Params::try_from(ParamsLiteral::insecure_depth(9, MAX_LEVEL)).unwrap();
        let narrow = Context::new(params, Some(64), 1).unwrap();
        let plaintext = w.ctx().encode(&w.x, 2).unwrap();
        let a = &w.at[2];
        let results = [
            narrow.decrypt(a, &w.party.secret).map(|_| ()),
            narrow.add(a, a).map(|_| ()),
            narrow.conjugate(a, &w.party.conjugation).map(|_| ()),
            narrow.decode(&plaintext).map(|_| ()),
            narrow.encrypt(&plaintext, &w.party.public).map(|_| ()),
            narrow.encrypt_with_secret(&plaintext, &w.party.secret).map(|_| ()),
        ];
        for result in results {
            assert_refused!(
                result,
                Error::Parameter { .. },
                "slot_count of the ",
                "= 256",
                "must be 64, this engine's",
                "with one engine"
            );
        }
        // Keys know no slots; but a rotation key holds the powers of two of its engine only.
        let key = narrow.rotation_key(&w.party.secret, &no_progress).unwrap();
        let missing = [w.ctx().rotate(a, &key, 1).map(|_| ()), w.ctx().rotate_many(a, &key, &[-64, 1]).map(|_| ())];
        for result in missing {
            assert_refused!(
                result,
                Error::MissingRotation { .. },
                "no key for rotation by ",
                "the key holds [",
                "make the key with this engine"
            );
        }
        let own = narrow.encode(&w.x[..64], 2).unwrap();
        assert_refused!(w.ctx().add_plain(a, &own), Error::Parameter { .. }, "slot_count of the plaintext = 64");
        assert_refused!(w.ctx().multiply_plain(a, &own), Error::Parameter { .. }, "slot_count of the plaintext = 64");
    });
}

#[test]
fn products_without_a_key_must_be_relinearized_before_what_needs_two_polynomials() {
    World::new().unchanged(|w| {
        let (ctx, a) = (w.ctx(), &w.at[2]);
        let three = ctx.square(&w.at[3], None).unwrap();
        let rotation = ctx.rotation_key(&w.party.secret, &no_progress).unwrap();
        let fixed = ctx.fixed_rotation_key(&w.party.secret, 1, 3).unwrap();
        let key = &w.party.relinearization;
        let results = [
            ctx.multiply(&three, a, key).map(|_| ()),
            ctx.multiply(a, &three, key).map(|_| ()),
            ctx.multiply_without_key(&three, a).map(|_| ()),
            ctx.square(&three, Some(key)).map(|_| ()),
            ctx.conjugate(&three, &w.party.conjugation).map(|_| ()),
            ctx.rotate(&three, &rotation, 1).map(|_| ()),
            ctx.rotate_many(&three, &rotation, &[1]).map(|_| ()),
            ctx.rotate_fixed(&three, &fixed).map(|_| ()),
            ctx.evaluate_polynomial(&three, Basis::Power, &[0.0, 1.0], key).map(|_| ()),
            ctx.basis(&three, Basis::Power, 2, key).map(|_| ()),
        ];
        for result in results {
            assert_refused!(
                result,
                Error::NotRelinearized { found: 3, .. },
                "has 3 polynomials",
                "needs 2",
                "relinearize it first"
            );
        }
    });
}

#[test]
fn bootstraps_are_refused_without_parameters_keys_or_a_supported_stage_count() {
    let w = World::new();
    let with = Party::bootstrap(9);
    let key = with.bootstrap_key(3, BootstrapKeySize::Medium);
    let ct = with.encrypt(&uniform(256, 1), 0);
    let before = with.decrypt(&ct);

    // Parameters without a bootstrap.
    w.unchanged(|w| {
        let result = w.ctx().bootstrap_key(&w.party.secret, 3, BootstrapKeySize::Medium, &no_progress);
        assert_refused!(
            result,
            Error::NoBootstrap { .. },
            "create_bootstrap_key: these parameters have no bootstrap",
            "ParamsLiteral::bootstrap"
        );
        let result = w.ctx().bootstrap(&w.at[0], &w.party.relinearization, &w.party.conjugation, &key, &no_progress);
        assert_refused!(
            result,
            Error::NoBootstrap { .. },
            "bootstrap: these parameters have no bootstrap",
            "ParamsLiteral::bootstrap"
        );
    });

    let allowed = everlevel_ckks::params::stage_counts(with.ctx.slot_count());
    for stages in [0, 1, 6, usize::MAX] {
        let result = with.ctx.bootstrap_key(&with.secret, stages, BootstrapKeySize::Medium, &no_progress);
        assert_refused!(
            result,
            Error::StageCount { .. },
            &format!("stage_count = {stages} is not one of {allowed:?}, which {} slots allow", with.ctx.slot_count()),
            "choose one of them"
        );
    }

    // Another secret, in each place.
    let other = Party::of(with.ctx.clone());
    let other_key = other.bootstrap_key(3, BootstrapKeySize::Medium);
    let run =
        |relinearization, conjugation, key| with.ctx.bootstrap(&ct, relinearization, conjugation, key, &no_progress);
    assert_refused!(
        run(&other.relinearization, &with.conjugation, &key),
        Error::WrongSecret { .. },
        "bootstrap: relinearization key belongs to secret"
    );
    assert_refused!(
        run(&with.relinearization, &other.conjugation, &key),
        Error::WrongSecret { .. },
        "bootstrap: conjugation key belongs to secret"
    );
    assert_refused!(
        run(&with.relinearization, &with.conjugation, &other_key),
        Error::WrongSecret { .. },
        "bootstrap: bootstrap key belongs to secret"
    );

    // Other parameters, in each place.
    let foreign = Party::bootstrap(10);
    let foreign_key = foreign.bootstrap_key(3, BootstrapKeySize::Medium);
    assert_refused!(
        run(&foreign.relinearization, &with.conjugation, &key),
        Error::ForeignObject { .. },
        "bootstrap: relinearization key"
    );
    assert_refused!(
        run(&with.relinearization, &foreign.conjugation, &key),
        Error::ForeignObject { .. },
        "bootstrap: conjugation key"
    );
    assert_refused!(
        run(&with.relinearization, &with.conjugation, &foreign_key),
        Error::ForeignObject { .. },
        "bootstrap: bootstrap key"
    );
    let theirs = foreign.encrypt(&uniform(512, 1), 0);
    let result = with.ctx.bootstrap(&theirs, &with.relinearization, &with.conjugation, &key, &no_progress);
    assert_refused!(result, Error::ForeignObject { .. }, "bootstrap: ciphertext");
    let result = with.ctx.bootstrap_key(&foreign.secret, 3, BootstrapKeySize::Medium, &no_progress);
    assert_refused!(result, Error::ForeignObject { .. }, "create_bootstrap_key: secret key");

    // Three polynomials.
    let three = with.ctx.square(&with.encrypt(&uniform(256, 2), 2), None).unwrap();
    let result = with.ctx.bootstrap(&three, &with.relinearization, &with.conjugation, &key, &no_progress);
    assert_refused!(
        result,
        Error::NotRelinearized { .. },
        "bootstrap: ciphertext has 3 polynomials",
        "relinearize it first"
    );

    // Few slots allow few stages.
    let params = Params::try_from(ParamsLiteral::insecure_bootstrap(9)).unwrap();
    let sparse = Context::new(params, Some(4), 1).unwrap();
    let result = sparse.bootstrap_key(&with.secret, 3, BootstrapKeySize::Medium, &no_progress);
    assert_refused!(result, Error::StageCount { .. }, "stage_count = 3 is not one of [1, 2], which 4 slots allow");

    assert_eq!(with.decrypt(&ct), before);
    assert!(run(&with.relinearization, &with.conjugation, &key).is_ok());
}

/// Amounts at the ends of their range, on the way to an error or not.
#[test]
fn extreme_amounts_do_not_panic() {
    let w = World::new();
    let rotation = w.ctx().rotation_key(&w.party.secret, &no_progress).unwrap();
    for delta in [i64::MIN, i64::MIN + 1, i64::MAX] {
        assert!(w.ctx().rotate(&w.at[0], &rotation, delta).is_ok());
        let fixed = w.ctx().fixed_rotation_key(&w.party.secret, delta, 0).unwrap();
        assert!(w.ctx().rotate_fixed(&w.at[0], &fixed).is_ok());
    }
    for s in [f64::MIN_POSITIVE, 5e-324, -0.0] {
        assert!(w.ctx().add_scalar(&w.at[0], c(s, s)).is_ok());
        assert!(w.ctx().multiply_scalar(&w.at[1], c(s, 1e-300)).is_ok());
    }
    assert!(w.ctx().encode(&[c(5e-324, -5e-324)], 0).is_ok());
    assert!(
        w.ctx()
            .evaluate_polynomial(&w.at[3], Basis::Power, &[5e-324, 1e-310, -1e-300], &w.party.relinearization)
            .is_ok()
    );
}
