//! Messages, numbers, coefficients and amounts.

use everlevel_ckks::Basis;
use everlevel_ckks::{Error, no_progress};

use super::world::{World, assert_refused, c};
use crate::common::uniform;

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
