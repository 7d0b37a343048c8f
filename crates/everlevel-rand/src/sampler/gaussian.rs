//! Discrete Gaussians over the integers: cumulative tables, widened by convolution.

use zeroize::{Zeroize, Zeroizing};

use super::CHUNK;
use crate::{Error, Stream};

/// Widest Gaussian that is drawn from one table.
const MAX_TABLE_SIGMA: f64 = 16.0;
/// `√2·η_ε(Z)` for `ε = 2^-64`, as a standard deviation: `√2 · √(ln(2 + 2/ε)/π) / √(2π) = 2.136`, rounded up.
const SMOOTHING: f64 = 2.14;

/// Fills `out` with independent samples of the discrete Gaussian of standard deviation parameter `sigma`:
/// [`Gaussian::new`] and [`Gaussian::sample`]. The table takes microseconds to make; keep a [`Gaussian`] for short calls.
///
/// # Errors
/// [`Error::BadSigma`] when `sigma` is outside `0.5..=2^20` or not a number.
pub fn gaussian(stream: &mut Stream, out: &mut [i64], sigma: f64) -> Result<(), Error> {
    Gaussian::new(sigma)?.sample(stream, out);
    Ok(())
}

/// The discrete Gaussian `D_σ` on the integers: `Pr[x] = ρ(x)/Σ_y ρ(y)`, `ρ(x) = exp(−x²/2σ²)`.
///
/// *Up to σ = 16*, one word `w` gives one sample: with `u = ⌊w/2⌋`, `|x| = #{k ≥ 1 : u < T_k}`, and `x` is negative where
/// `w` is odd. `T_k = ⌊2^63·Pr[|x| ≥ k] + ½⌋` is computed in 120-bit fixed point from `1/2σ²` in f64, so it is the same on
/// every machine and each entry is within `2^-63` of the formula's. The table ends at the first `T_k = 0`, where
/// `Pr[|x| ≥ k] < 2^-64`: `|x| ≤ 9.3σ` (29 at σ = 3.2). Distance from `D_σ`: below `9.3σ·2^-64`, `2^-59` at σ = 3.2.
///
/// *Above*, `x = x_0 + z·x_1` with both of standard deviation `σ/√(1+z²)`, drawn in the same way, and
/// `z = ⌊√(σ/2.14)⌋`, reduced if needed so that `σ/√(1+z²) ≥ 2.14·z`: the condition under which the sum is a discrete
/// Gaussian up to `2^-62` (the convolution of Micciancio and Walter, ePrint 2017/259). A sample of depth `d` takes `2^d`
/// consecutive words, the `b`-th weighted with the product of the `z` (innermost first) that `b`'s set bits name.
///
/// Timing: every sample scans the whole table with arithmetic only.
#[derive(Debug, Clone)]
pub struct Gaussian {
    sigma: f64,
    /// `T_1, T_2, …`, all positive.
    table: Vec<u64>,
    /// Coefficients of the table's samples in one output; length `2^d`.
    weights: Vec<i64>,
}

impl Gaussian {
    /// Smallest supported standard deviation.
    pub const MIN_SIGMA: f64 = 0.5;
    /// Largest supported standard deviation.
    pub const MAX_SIGMA: f64 = 1_048_576.0;

    /// The sampler of standard deviation parameter `sigma`.
    ///
    /// # Errors
    /// [`Error::BadSigma`] outside [`Gaussian::MIN_SIGMA`]`..=`[`Gaussian::MAX_SIGMA`].
    pub fn new(sigma: f64) -> Result<Gaussian, Error> {
        if !(Self::MIN_SIGMA..=Self::MAX_SIGMA).contains(&sigma) {
            return Err(Error::BadSigma {
                sigma,
                min: Self::MIN_SIGMA,
                max: Self::MAX_SIGMA,
            });
        }
        let mut base = sigma;
        let mut steps = Vec::new();
        while base > MAX_TABLE_SIGMA {
            let mut z = (base / SMOOTHING).sqrt().floor();
            while base / (1.0 + z * z).sqrt() < SMOOTHING * z {
                z -= 1.0;
            }
            base /= (1.0 + z * z).sqrt();
            steps.push(z as i64);
        }
        let mut weights = vec![1];
        for z in steps.into_iter().rev() {
            let doubled: Vec<i64> = weights.iter().map(|w| w * z).collect();
            weights.extend(doubled);
        }
        Ok(Gaussian {
            sigma,
            table: table::tails(base),
            weights,
        })
    }

    /// The standard deviation parameter.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The largest absolute value that can come out.
    pub fn max_abs(&self) -> i64 {
        self.table.len() as i64 * self.weights.iter().sum::<i64>()
    }

    /// Fills `out` with independent samples.
    pub fn sample(&self, stream: &mut Stream, out: &mut [i64]) {
        let arity = self.weights.len();
        let mut words = Zeroizing::new([0; CHUNK]);
        for chunk in out.chunks_mut(CHUNK / arity) {
            let words = &mut words[..chunk.len() * arity];
            stream.fill_u64(words);
            for group in words.chunks_mut(LANES) {
                invert(group, &self.table);
            }
            for (x, terms) in chunk.iter_mut().zip(words.chunks_exact(arity)) {
                *x = terms.iter().zip(&self.weights).map(|(&t, w)| t as i64 * w).sum();
            }
        }
    }
}

/// Words looked up together.
const LANES: usize = 16;

/// Replaces each of at most `LANES` words by its sample, as an `i64` in a `u64`.
#[inline(always)]
fn invert(words: &mut [u64], table: &[u64]) {
    let mut u = [0u64; LANES];
    let mut magnitude = [0u64; LANES];
    for (u, w) in u.iter_mut().zip(words.iter()) {
        *u = w >> 1;
    }
    for &tail in table {
        for lane in 0..LANES {
            // Both are below 2^63, so the borrow is the comparison.
            magnitude[lane] += u[lane].wrapping_sub(tail) >> 63;
        }
    }
    for (w, m) in words.iter_mut().zip(magnitude) {
        let sign = *w & 1;
        *w = (m ^ sign.wrapping_neg()).wrapping_add(sign);
    }
    u.zeroize();
    magnitude.zeroize();
}

mod table {
    //! The cumulative table in fixed point, `Q8.120` in a `u128`.

    const FRACTION: u32 = 120;
    const ONE: u128 = 1 << FRACTION;

    /// `T_k` for `k = 1, 2, …` while positive.
    pub(super) fn tails(sigma: f64) -> Vec<u64> {
        // Exact: a double in 2^-9..=2 has no bit below 2^-62.
        let exponent = (0.5 / (sigma * sigma) * 2f64.powi(64)) as u128 * (1 << (FRACTION - 64));
        let step = exp_neg(exponent);
        let step2 = mul(step, step);
        // rho[k] = ρ(k) by ρ(k+1) = ρ(k)·r_k, r_{k+1} = r_k·exp(−1/σ²), far past the last entry.
        let (mut rho, mut value, mut ratio) = (Vec::new(), step, step);
        while value > 0 {
            rho.push(value);
            ratio = mul(ratio, step2);
            value = mul(value, ratio);
        }
        let total = ONE + 2 * rho.iter().sum::<u128>();
        let inverse = recip(total);
        let mut tail = 0;
        let mut tails: Vec<u64> = Vec::new();
        for &r in rho.iter().rev() {
            tail += 2 * r;
            tails.push(((mul(tail, inverse) >> (FRACTION - 64)) as u64).div_ceil(2));
        }
        tails.reverse();
        tails.truncate(tails.iter().position(|&t| t == 0).unwrap_or(tails.len()));
        tails
    }

    /// `a·b`, rounded down.
    fn mul(a: u128, b: u128) -> u128 {
        const LOW: u128 = u64::MAX as u128;
        let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
        let (mid_0, mid_1, lowest) = (a0 * b1, a1 * b0, a0 * b0);
        let carries = (lowest >> 64) + (mid_0 & LOW) + (mid_1 & LOW);
        let high = a1 * b1 + (mid_0 >> 64) + (mid_1 >> 64) + (carries >> 64);
        let low = (carries << 64) | (lowest & LOW);
        (high << (128 - FRACTION)) | (low >> FRACTION)
    }

    /// `1/a` for `a ≥ 1`, rounded down, by long division.
    fn recip(a: u128) -> u128 {
        let (mut quotient, mut rest) = (0, ONE);
        for _ in 0..=FRACTION {
            quotient = (quotient << 1) | u128::from(rest >= a);
            rest = (rest - if rest >= a { a } else { 0 }) << 1;
        }
        quotient
    }

    /// `exp(−a)` for `a ≤ 2`: the series at `a/16`, squared four times.
    fn exp_neg(a: u128) -> u128 {
        let a = a >> 4;
        let (mut term, mut positive, mut negative) = (ONE, 0, 0);
        for k in 1.. {
            if k % 2 == 1 {
                positive += term
            } else {
                negative += term
            }
            term = mul(term, a) / k;
            if term == 0 {
                break;
            }
        }
        let mut value = positive - negative;
        for _ in 0..4 {
            value = mul(value, value);
        }
        value
    }
}
