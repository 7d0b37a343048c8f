//! Levels that do not exist, or are used up, and products that are to be relinearized.

use everlevel_ckks::Basis;
use everlevel_ckks::{Error, no_progress};

use super::world::{World, assert_refused, c};

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
            Error::KeyLevel { level: 3, served: 1, .. },
            "rotate: the fixed rotation key serves levels up to 1, and the ciphertext is at level 3"
        );
        assert_refused!(ctx.rotate_fixed_many(&w.at[3], &[&low]), Error::KeyLevel { .. }, "rotate: ");
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
