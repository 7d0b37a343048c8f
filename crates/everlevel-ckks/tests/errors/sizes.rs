//! Messages too large for a level, and messages that just fit.

use everlevel_ckks::Basis;
use everlevel_ckks::Error;

use super::world::{MAX_LEVEL, World, assert_refused, c};
use crate::common::{self, depth, uniform};

/// Level 0 holds less than 2^9 at its scale, every other level less than 2^49: what decryption reads.
#[test]
fn messages_and_numbers_that_overflow_the_modulus_are_refused() {
    World::new().unchanged(|w| {
        let ctx = w.ctx();
        let overflow = |level: usize, size: f64| {
            // Every level above the lowest holds equally much.
            let next = if level == 0 && size < 2f64.powi(49) {
                "; divide the message or take level 1"
            } else {
                "; divide the message"
            };
            let held = if level == 0 {
                "level 0 holds less than 2^47.0".to_string()
            } else {
                format!("level {level} holds less than 2^89.0")
            };
            let wide = vec![c(size, 0.0); 256];
            let result = ctx.encode(&wide, level);
            let text = result.as_ref().err().map(ToString::to_string).unwrap_or_default();
            assert!(text.ends_with(next) && !text.contains("inf"), "{text}");
            assert_refused!(result, Error::ScaleOverflow { .. }, "encode: message at scale 2^", &held[..]);
            assert_refused!(ctx.add_array(&w.at[level], &wide), Error::ScaleOverflow { .. }, "add: ", &held[..]);
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

/// Sizes just below the limit are computed, and right.
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
