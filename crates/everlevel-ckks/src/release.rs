//! Decryptions that may be given away.
//!
//! A decryption carries the ciphertext's noise, which depends on the secret: whoever knows the computation solves for
//! the secret (Li and Micciancio, eprint 2020/1533). Two ways hide the noise:
//!
//! - *On a grid*: values that lie on a public grid, such as counts or cents, are rounded to it. Where no error reaches
//!   half of the grid's step, the result is a function of the message alone.
//! - *Flooded*: a discrete Gaussian is added to each coefficient, so wide that the noise below changes its distribution
//!   by little. With a standard deviation of `√(12·τ)·2^(s/2)` times the noise's norm, `τ` releases differ from
//!   releases of exact results by a statistical distance of at most `2^(−s/2)/6.9` (Kullback and Leibler's divergence
//!   of two Gaussians, added up, and Pinsker's inequality; Li, Micciancio, Schultz, Sorrell, eprint 2022/816, who count
//!   that as `s` bits).
//!
//! Both rest on the bound of the error that the ciphertext carries ([`Ciphertext::precision_floor`]): on noise with
//! normal tails, as the noise formulas assume, and on declared bounds of the messages. The promise is for programs that
//! the key's owner fixed, for honest evaluators and encryptors, and for one key object without copies, whose budget
//! counts releases. `SECURITY.md` says what is not promised.

use everlevel_rand::{Domain, Stream, sampler::Gaussian};
use num_complex::Complex64;
use zeroize::Zeroizing;

use crate::claims::{Certainty, doubles};
use crate::core::readable;
use crate::keys::SecretKey;
use crate::{Ciphertext, Context, Error};

/// log2 of the probability that a value on a grid is rounded to a wrong one, at most, in any slot.
const LOG2_FAILURE: f64 = -64.0;
/// Statistical bits of flooded releases are between these.
const STATISTICAL_BITS: std::ops::RangeInclusive<f64> = 8.0..=128.0;
/// Weight of a second sample where the noise is beyond the sampler's range.
const WIDENING: i128 = 1 << 20;
/// The widest noise.
const MAX_STD_DEV: f64 = Gaussian::MAX_SIGMA * WIDENING as f64;
/// The fewest bits that a flooded result keeps.
const LEAST_PRECISION: f64 = 2.0;

/// Values that may be given away.
#[derive(Debug, Clone, PartialEq)]
pub struct Released {
    /// The slots.
    pub values: Vec<Complex64>,
    /// log2 of the probability that a value is wrong, for values on a grid.
    pub log2_failure: Option<f64>,
    /// `−log2` of a slot's root-mean-square error, for flooded values.
    pub precision_bits: Option<f64>,
}

impl Context {
    /// Decrypts values that lie on the grid of multiples of `step`, and rounds them to it: the result is a function of
    /// the message, but for a probability of 2^-64. Real and imaginary parts are on the grid alike.
    ///
    /// # Errors
    /// An assumed bound; errors that may reach half a step; values that are not on the grid; a spent budget; a
    /// ciphertext or key of other parameters, or another secret.
    pub fn release_on_grid(&self, a: &Ciphertext, key: &SecretKey, step: f64) -> Result<Released, Error> {
        let op = "release";
        if !(step.is_finite() && step > 0.0) {
            return Err(Error::parameter("grid", step, "a positive number: the distance of neighbouring values"));
        }
        let size = a.bound().size();
        let leaving = doubles::largest(self.slot_count(), a.scale(), size, Certainty::Certain.tail());
        // The values that were encrypted are doubles near the grid's points, and so are the points that are computed: a
        // quotient and a product.
        let error = self.release_error(op, a)? + leaving + 3.0 * doubles::ROUNDING * size;
        let half = step / 2.0;
        // Not beyond the doubles that grid points are printed as.
        if error.is_nan() || error >= half || size / step > (1u64 << 52) as f64 {
            let error = if error.is_nan() { f64::INFINITY } else { error };
            let least = 2.0 * error.max(size / (1u64 << 53) as f64);
            return Err(Error::GridTooFine { op, step, least });
        }
        let plaintext = self.decrypt(a, key)?;
        key.budget.take(op)?;
        let slots = self.decode(&plaintext)?;
        // Without a sign of zero, which tells on which side the error was.
        let nearest = |x: f64| (x / step).round() * step + 0.0;
        let values: Vec<Complex64> = slots.iter().map(|z| Complex64::new(nearest(z.re), nearest(z.im))).collect();
        let farthest = slots.iter().zip(&values).map(|(z, at)| (z - at).norm()).fold(0.0, f64::max);
        if farthest > error {
            // The message tells that some value is off, and not which or by how much.
            return Err(Error::OffGrid { op, step, error });
        }
        Ok(Released { values, log2_failure: Some(LOG2_FAILURE), precision_bits: None })
    }

    /// Decrypts with added noise that floods the ciphertext's own, for `statistical_bits` over all releases of the
    /// key's budget.
    ///
    /// # Errors
    /// An assumed bound; statistical bits out of range, or more than leave a result; a spent budget; no randomness; a
    /// ciphertext or key of other parameters, or another secret.
    pub fn release_flooded(&self, a: &Ciphertext, key: &SecretKey, statistical_bits: f64) -> Result<Released, Error> {
        let op = "release";
        if !STATISTICAL_BITS.contains(&statistical_bits) {
            let needed = format!("between {} and {}", STATISTICAL_BITS.start(), STATISTICAL_BITS.end());
            return Err(Error::parameter("statistical_bits", statistical_bits, needed));
        }
        let error = self.release_error(op, a)?;
        // The coefficients' norm is that of the slots over √slots.
        let factor = (12.0 * key.budget.limit() as f64).sqrt();
        let std_dev = (factor * (statistical_bits / 2.0).exp2() * error * a.scale()).max(Gaussian::MIN_SIGMA);
        let slot_error = (2.0 * self.slot_count() as f64).sqrt() * std_dev / a.scale();
        let precision_bits = -slot_error.log2();
        // Zeros keep as many bits as numbers of size 1.
        let least = if a.bound().size() > 0.0 { a.bound().size().log2() } else { 0.0 };
        if precision_bits + least < LEAST_PRECISION || std_dev.is_nan() || std_dev > MAX_STD_DEV {
            let most_bits = statistical_bits - 2.0 * (LEAST_PRECISION - precision_bits - least);
            return Err(Error::NothingLeft { op, statistical_bits, precision_bits, most_bits });
        }
        let plaintext = self.decrypt(a, key)?;
        let seed = self.core.seeds.next()?;
        key.budget.take(op)?;
        let values = self.install(|core| {
            let few = readable(plaintext.poly.set());
            let mut coeffs = core.ring.to_i128(&core.ring.to_coeff(plaintext.poly.restricted(&few)));
            let noise = flooding(std_dev, &mut seed.stream(Domain::Flooding, 0), coeffs.len())?;
            coeffs.iter_mut().zip(noise.iter()).for_each(|(c, e)| *c += e);
            Ok::<_, Error>(core.decode(&coeffs, plaintext.level))
        })?;
        Ok(Released { values, log2_failure: None, precision_bits: Some(precision_bits) })
    }

    /// The bound of a slot's error, but for a probability of [`LOG2_FAILURE`] over all slots.
    fn release_error(&self, op: &'static str, a: &Ciphertext) -> Result<f64, Error> {
        self.check_ciphertext(op, a)?;
        if !a.bound().is_declared() {
            return Err(Error::UndeclaredBound { op, bound: a.bound().size() });
        }
        Ok(a.estimate().worst_at(Certainty::Certain))
    }
}

/// Samples of the discrete Gaussian: beyond the sampler's range by one more step of its convolution, whose condition
/// ([`Gaussian`]'s, that each part is at least 2.14 times as wide as the weight) holds by far.
fn flooding(std_dev: f64, stream: &mut Stream, len: usize) -> Result<Zeroizing<Vec<i128>>, Error> {
    let weights: &[i128] = if std_dev <= Gaussian::MAX_SIGMA { &[1] } else { &[1, WIDENING] };
    let norm = weights.iter().map(|&w| (w * w) as f64).sum::<f64>().sqrt();
    let gaussian = Gaussian::new(std_dev / norm)?;
    let mut terms = Zeroizing::new(vec![0i64; len]);
    let mut sums = Zeroizing::new(vec![0i128; len]);
    for weight in weights {
        gaussian.sample(stream, &mut terms);
        sums.iter_mut().zip(terms.iter()).for_each(|(sum, &term)| *sum += weight * i128::from(term));
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Bound;
    use crate::{Params, ParamsLiteral};

    const LOG_N: u32 = 9;

    /// `x` with `matrix·x = right` modulo a prime, by elimination.
    fn solve(mut rows: Vec<Vec<u64>>, q: u64) -> Vec<u64> {
        let mul = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(q)) as u64;
        let inverse = |a: u64| {
            let (mut result, mut base, mut e) = (1, a, q - 2);
            while e > 0 {
                if e & 1 == 1 {
                    result = mul(result, base);
                }
                base = mul(base, base);
                e >>= 1;
            }
            result
        };
        let n = rows.len();
        for column in 0..n {
            let pivot = (column..n).find(|&r| rows[r][column] != 0).expect("an invertible mask");
            rows.swap(column, pivot);
            let scale = inverse(rows[column][column]);
            rows[column].iter_mut().for_each(|x| *x = mul(*x, scale));
            let pivot_row = rows[column].clone();
            for (r, row) in rows.iter_mut().enumerate() {
                let factor = row[column];
                if r != column && factor != 0 {
                    row[column..].iter_mut().zip(&pivot_row[column..]).for_each(|(x, p)| {
                        *x = (*x + (q - mul(factor, *p))) % q;
                    });
                }
            }
        }
        rows.iter().map(|row| row[n]).collect()
    }

    /// The secret that a decryption gives to whoever has the ciphertext: `(p − c0)/c1` for the phase `p`, which are the
    /// decrypted slots, encoded again.
    fn secret_from(ctx: &Context, ct: &Ciphertext, slots: &[Complex64]) -> Vec<i64> {
        let core = &ctx.core;
        let q = core.params.primes()[0];
        let coeffs = |poly| core.ring.to_i128(&core.ring.to_coeff(poly));
        let modulo = |x: i128| x.rem_euclid(i128::from(q)) as u64;
        let (phase, _) = core.encoder.encode(slots, ct.scale());
        let (body, mask) = (coeffs(ct.rlwe().c0.clone()), coeffs(ct.rlwe().c1.clone()));
        let n = mask.len();
        // Row i: coefficient i of mask·s, in the ring where X^n = −1.
        let entry = |i: usize, j: usize| if j <= i { mask[i - j] } else { -mask[n + i - j] };
        let row = |i: usize| (0..n).map(|j| modulo(entry(i, j))).chain([modulo(phase[i] - body[i])]).collect();
        let centered = |x: u64| if x > q / 2 { x as i64 - q as i64 } else { x as i64 };
        solve((0..n).map(row).collect(), q).into_iter().map(centered).collect()
    }

    #[test]
    fn decryptions_tell_the_secret_and_releases_do_not() {
        let params = Params::try_from(ParamsLiteral::insecure_depth(LOG_N, 0)).unwrap();
        let ctx = Context::new(params, None, 1).unwrap();
        let key = ctx.secret_key().unwrap();
        let secret: Vec<i64> = key.key.coeffs().iter().map(|c| i64::from(*c)).collect();
        let values: Vec<Complex64> = (0..ctx.slot_count()).map(|i| (0.25 * (i % 9) as f64 - 1.0).into()).collect();
        let plaintext = ctx.declare(ctx.encode(&values, 0).unwrap(), Bound::declared(1.0).unwrap()).unwrap();
        let ct = ctx.encrypt_with_secret(&plaintext, &key).unwrap();

        let decrypted = ctx.decode(&ctx.decrypt(&ct, &key).unwrap()).unwrap();
        assert_eq!(secret_from(&ctx, &ct, &decrypted), secret, "a decryption tells the secret");

        let released = ctx.release_on_grid(&ct, &key, 0.25).unwrap();
        assert_eq!(released.values, values);
        let flooded = ctx.release_flooded(&ct, &key, 16.0).unwrap();
        for values in [&released.values, &flooded.values] {
            let found = secret_from(&ctx, &ct, values);
            let right = found.iter().zip(&secret).filter(|(a, b)| a == b).count();
            assert!(right < secret.len() / 16, "{right} of {} coefficients", secret.len());
        }
        assert_eq!(key.release_budget().used(), 2);
    }

    #[test]
    fn noise_beyond_the_samplers_range_is_as_wide_and_as_fine() {
        let seed = everlevel_rand::SeedSource::os().next().unwrap();
        for log2_std_dev in [40.0, 56.0, 56.5, 60.0, 76.0] {
            let std_dev = f64::exp2(log2_std_dev);
            let noise = flooding(std_dev, &mut seed.stream(Domain::Flooding, 0), 1 << 14).unwrap();
            let square = noise.iter().map(|&x| (x as f64 / std_dev).powi(2)).sum::<f64>() / noise.len() as f64;
            assert!((square - 1.0).abs() < 0.1, "2^{log2_std_dev}: {square}");
            let odd = noise.iter().filter(|&&x| x % 2 != 0).count();
            assert!((odd as f64 / noise.len() as f64 - 0.5).abs() < 0.05, "2^{log2_std_dev}: {odd} odd");
        }
        assert!(flooding(2.0 * MAX_STD_DEV, &mut seed.stream(Domain::Flooding, 0), 1).is_err());
    }

    #[test]
    fn flooded_values_have_the_stated_precision() {
        let params = Params::try_from(ParamsLiteral::insecure_depth(11, 1)).unwrap();
        let ctx = Context::new(params, None, 1).unwrap();
        let key = ctx.secret_key().unwrap().with_release_budget(4);
        let values = vec![Complex64::new(0.5, 0.0); ctx.slot_count()];
        let plaintext = ctx.declare(ctx.encode(&values, 1).unwrap(), Bound::declared(1.0).unwrap()).unwrap();
        let ct = ctx.encrypt_with_secret(&plaintext, &key).unwrap();
        for bits in [8.0, 16.0, 24.0] {
            let released = ctx.release_flooded(&ct, &key, bits).unwrap();
            let squares = released.values.iter().map(|z| (z - 0.5).norm_sqr()).sum::<f64>();
            let measured = -(squares / values.len() as f64).sqrt().log2();
            assert!((measured - released.precision_bits.unwrap()).abs() < 0.2, "{bits}: {measured} {released:?}");
        }
        let refused = ctx.release_flooded(&ct, &key, 64.0).unwrap_err();
        assert!(
            matches!(refused, Error::NothingLeft { most_bits, .. } if most_bits > 24.0 && most_bits < 64.0),
            "{refused}"
        );
        // A refusal takes nothing from the budget.
        assert_eq!(key.release_budget().used(), 3);
        ctx.release_flooded(&ct, &key, 8.0).unwrap();
        let spent = ctx.release_flooded(&ct, &key, 8.0).unwrap_err();
        assert!(matches!(spent, Error::BudgetSpent { used: 4, limit: 4, .. }), "{spent}");
    }

    #[test]
    fn grids_that_do_not_hold_are_refused() {
        let params = Params::try_from(ParamsLiteral::insecure_depth(10, 1)).unwrap();
        let ctx = Context::new(params, None, 1).unwrap();
        let key = ctx.secret_key().unwrap();
        let plaintext = ctx.encode(&[0.3.into(), 0.6.into()], 1).unwrap();
        let assumed = ctx.encrypt_with_secret(&plaintext, &key).unwrap();
        assert!(matches!(ctx.release_on_grid(&assumed, &key, 0.1), Err(Error::UndeclaredBound { .. })));
        let ct = ctx.assume_bound(&assumed, Bound::declared(1.0).unwrap()).unwrap();
        let released = ctx.release_on_grid(&ct, &key, 0.1).unwrap();
        assert!((released.values[1] - 0.6).norm() < 1e-15);
        assert!(matches!(ctx.release_on_grid(&ct, &key, 0.25), Err(Error::OffGrid { .. })));
        let refused = ctx.release_on_grid(&ct, &key, 1e-9).unwrap_err();
        assert!(matches!(refused, Error::GridTooFine { least, .. } if least > 1e-9 && least < 1e-7), "{refused}");
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(ctx.release_on_grid(&ct, &key, step), Err(Error::Parameter { .. })));
        }
    }
}
