//! The errors of doubles: where messages come in, where values leave, and of scales.

/// The largest relative error of a number that is rounded to a double.
pub(crate) const ROUNDING: f64 = f64::EPSILON / 2.0;

/// The largest relative error of a scale that is a double, beside what a product has: a quotient of products of at most
/// five primes, times the scale below, and its root, of which the square counts.
pub(crate) const DRIFT: f64 = 4.0 * f64::EPSILON;

/// The part of the rounding to integers that transforms may err by.
const TRANSFORM_SHARE: f64 = 0.5;

/// Root mean square of what numbers of evenly spread binary mantissas lose as doubles, in [`ROUNDING`] of their own.
const MEAN_ROUNDING: f64 = 0.42;

/// Standard deviation of a slot's real part, by the rounding of coefficients to integers at a scale.
pub(crate) fn integers(slots: usize, scale: f64) -> f64 {
    (slots as f64 / 12.0).sqrt() / scale
}

/// Standard deviation of a slot's real part, by a transform in doubles of slots of size 1, either way.
///
/// A layer of butterflies errs by one and a half [`ROUNDING`]s of its numbers, in the mean of squares, most of it by
/// roots of unity, whose angles are doubles. The numbers that a slot is made of have, layer by layer, the same sum of
/// squares as slots have in the mean, so that layers add up in squares; and scaling and rounding to doubles count as
/// two layers more. Data of all kinds are measured to lose less.
pub(crate) fn transform(slots: usize) -> f64 {
    1.5 * f64::from(slots.ilog2() + 2).sqrt() * ROUNDING
}

/// The largest size of slots whose transform in doubles errs by little beside the rounding to integers at a scale.
/// Larger ones are transformed in sums of two doubles, so that no message loses more than [`integers`] says.
pub(crate) fn transform_reach(slots: usize, scale: f64) -> f64 {
    TRANSFORM_SHARE * integers(slots, scale) / transform(slots)
}

/// Standard deviation of a slot's real part, by the transform of the values of a decryption.
fn decoding(slots: usize, scale: f64, size: f64) -> f64 {
    (transform(slots) * size).min(TRANSFORM_SHARE * integers(slots, scale))
}

/// Bound of the error of decrypted values of a size, beside that of their ciphertext: by decoding, where noise has
/// `tail` standard deviations, and as doubles.
pub(crate) fn largest(slots: usize, scale: f64, size: f64, tail: f64) -> f64 {
    tail * decoding(slots, scale, size) + ROUNDING * size
}

/// Root mean square of the same for values of a bound, which have a root mean square of their own.
pub(crate) fn typical(slots: usize, scale: f64, bound: f64, size: f64) -> f64 {
    let transform = decoding(slots, scale, bound) * std::f64::consts::SQRT_2;
    transform.hypot(MEAN_ROUNDING * ROUNDING * size.min(bound))
}

#[cfg(test)]
mod tests {
    use everlevel_math::DoubleDouble;

    use super::DRIFT;
    use crate::{Context, Params, ParamsLiteral};

    #[test]
    fn scales_of_products_drift_by_less_than_is_counted() {
        let literals = [ParamsLiteral::insecure_depth(10, 20), ParamsLiteral::insecure_bootstrap(10)];
        for literal in literals {
            let ctx = Context::new(Params::try_from(literal).unwrap(), None, 1).unwrap();
            let (ring, ladder) = (&ctx.core.ring, &ctx.core.ladder);
            for (pair, scales) in ladder.sets.windows(2).zip(ladder.scales.windows(2)) {
                let mut quotient = DoubleDouble::from(scales[1]) * scales[1].into() / scales[0].into();
                for &i in pair[1].difference(&pair[0]).indices() {
                    quotient = quotient / (ring.modulus(i).q() as f64).into();
                }
                for &i in pair[0].difference(&pair[1]).indices() {
                    quotient = quotient * (ring.modulus(i).q() as f64).into();
                }
                let drift = (quotient - DoubleDouble::ONE).high().abs();
                assert!(drift <= DRIFT, "{drift:e}");
            }
        }
    }
}
