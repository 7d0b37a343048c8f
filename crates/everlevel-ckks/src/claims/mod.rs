#![doc = include_str!("../../../../docs/notes/estimates.md")]
//!
//! The claims of a ciphertext: its level, its scale, and what is known of its values and errors without decrypting.
//!
//! Every operation states all claims of its result: there is no default, no change of one claim alone, and so no claim
//! that an operation passes on without saying so.

mod bound;
pub(crate) mod doubles;
mod sample;
mod sine;
mod values;

use num_complex::Complex64;

pub use bound::Bound;
pub(crate) use sample::{Dual, Sample};
pub(crate) use sine::SineError;
pub(crate) use values::Values;

use crate::series::Series;

/// No slot of an error exceeds this many standard deviations of its real part, but for one in 10^14. A rounding is
/// multiplied by the secret, whose slots are as normal as its own: products of two normal numbers exceed `k` root mean
/// squares with a probability of about `e^(−2k)`, far more often than normal ones.
pub(crate) const TAIL: f64 = 24.0;

/// What tells an operation with a number from one with another.
fn after_number(c: Complex64) -> u64 {
    c.re.to_bits() ^ c.im.to_bits().rotate_left(1)
}

/// The level, the scale, and the estimate of a ciphertext.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Claims {
    level: usize,
    scale: f64,
    estimate: Estimate,
}

/// The bound of a ciphertext's values, and its errors for values without structure and for any values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    bound: Bound,
    /// Bound of the error of every slot, for any values within the bound.
    worst: f64,
    sample: Sample,
}

impl Claims {
    /// Claims of a level, its scale, and an estimate.
    pub fn new(level: usize, scale: f64, estimate: Estimate) -> Self {
        Self { level, scale, estimate }
    }

    /// Multiplications left before a bootstrap.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The factor between the message and the slots of the polynomial.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The values and errors.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }
}

impl Estimate {
    /// Of a fresh encryption.
    pub fn fresh(bound: Bound, std_dev: f64, seed: u64) -> Self {
        Self { bound, worst: TAIL * std_dev, sample: Sample::new(bound.size(), std_dev, seed) }
    }

    /// As it stands in a file: errors of a standard deviation, and values of a size, spread evenly.
    pub fn read(bound: Bound, worst: f64, size: f64, std_dev: f64, seed: u64) -> Self {
        Self { bound, worst, sample: Sample::of_size(size, std_dev, seed) }
    }

    /// The bound of the values.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// Bound of the error of every slot, for any values within the bound.
    pub fn worst(&self) -> f64 {
        self.worst
    }

    /// Estimated root mean square of a slot's error, for values without structure; infinite where the estimate has no
    /// value: where the sampled values left all bounds, as in iterations that converge for the values that they are
    /// meant for and for no others, or where the errors swallowed them.
    pub fn error(&self) -> f64 {
        let (error, size) = (self.sample.error(), self.sample.size());
        let is_known = error.is_finite() && size.is_finite() && (self.bound.is_declared() || error < 1.0);
        if is_known { error } else { f64::INFINITY }
    }

    /// Of the same values with further noise of a standard deviation.
    pub fn with_noise(self, std_dev: f64) -> Self {
        Self { worst: self.worst + TAIL * std_dev, sample: self.sample.with_noise(std_dev), ..self }
    }

    /// Of `a + b`, or with a factor of −1 of `a − b`.
    pub fn sum(&self, other: &Self, factor: f64) -> Self {
        let sum = |a: &Dual, b: &Dual| Dual { value: a.value + factor * b.value, error: a.error + factor * b.error };
        Self {
            bound: self.bound.joined(other.bound, self.bound.size() + other.bound.size()),
            worst: self.worst + other.worst,
            sample: self.sample.zip(&other.sample, factor.to_bits(), sum),
        }
    }

    /// Of `a·b`.
    pub fn product(&self, other: &Self) -> Self {
        let ([a, b], [ea, eb]) = ([self.bound.size(), other.bound.size()], [self.worst, other.worst]);
        let product =
            |x: &Dual, y: &Dual| Dual { value: x.value * y.value, error: x.value * y.error + y.value * x.error };
        Self {
            bound: self.bound.joined(other.bound, a * b),
            worst: a * eb + b * ea + ea * eb,
            sample: self.sample.zip(&other.sample, 1, product),
        }
    }

    /// Of `c·a`.
    pub fn scaled(&self, c: Complex64) -> Self {
        Self {
            bound: self.bound.resized(self.bound.size() * c.norm()),
            worst: self.worst * c.norm(),
            sample: self.sample.map(after_number(c), |x| Dual { value: x.value * c, error: x.error * c }),
        }
    }

    /// Of `c·a`, where a number is multiplied with that is up to `deviation` away from `c`.
    pub fn scaled_nearly(&self, c: Complex64, deviation: f64) -> Self {
        let scaled = self.scaled(c);
        let worst = scaled.worst + self.bound.size() * deviation;
        // Half of the largest deviation, as uniform ones have in the mean of squares.
        let sample = scaled.sample.zip(&self.sample, deviation.to_bits(), |x, before| Dual {
            value: x.value,
            error: x.error + before.value * (deviation / 2.0),
        });
        Self { bound: scaled.bound, worst, sample }
    }

    /// Of `a + c`, where a number is added that is up to `deviation` away from `c`.
    pub fn shifted(&self, c: Complex64, deviation: f64) -> Self {
        let half = deviation / 2.0;
        Self {
            bound: self.bound.resized(self.bound.size() + c.norm()),
            worst: self.worst + deviation,
            sample: self.sample.map(after_number(c), |x| Dual { value: x.value + c, error: x.error + half }),
        }
    }

    /// Of `a` plus a plaintext whose slots have rounding errors of a standard deviation.
    pub fn plus_plain(&self, plain: &Values, rounding: f64) -> Self {
        let mut values = plain.sample().iter();
        let mut next = || values.next().copied().unwrap_or_default();
        Self {
            bound: self.bound.resized(self.bound.size() + plain.largest()),
            worst: self.worst,
            sample: self.sample.map(plain.history(), |x| Dual { value: x.value + next(), error: x.error }),
        }
        .with_noise(rounding)
    }

    /// Of `a` times a plaintext whose slots have rounding errors of a standard deviation.
    pub fn times_plain(&self, plain: &Values, rounding: f64) -> Self {
        let mut values = plain.sample().iter();
        let mut next = || values.next().copied().unwrap_or_default();
        let size = self.bound.size();
        let product = Self {
            bound: self.bound.resized(size * plain.largest()),
            worst: self.worst * plain.largest(),
            sample: self.sample.map(plain.history(), |x| {
                let factor = next();
                Dual { value: x.value * factor, error: x.error * factor }
            }),
        };
        let worst = product.worst + TAIL * rounding * (size + self.worst);
        Self { worst, sample: product.sample.with_noise(rounding * self.sample.size()), ..product }
    }

    /// The same bounds, for other sampled slots.
    fn with_sample(&self, sample: Sample) -> Self {
        Self { bound: self.bound, worst: self.worst, sample }
    }

    /// Of slots moved to the left.
    pub fn rotated(&self, left: i64) -> Self {
        self.with_sample(self.sample.rotated(left))
    }

    /// Of complex conjugates.
    pub fn conjugated(&self) -> Self {
        let sample = self.sample.map(1, |x| Dual { value: x.value.conj(), error: x.error.conj() });
        self.with_sample(sample)
    }

    /// Of a polynomial's values, whose evaluation adds noise of `rounding` at each of its steps, and whose coefficients
    /// are rounded by up to `coefficient`.
    pub fn polynomial(&self, series: &Series<'_>, rounding: f64, coefficient: f64) -> Self {
        let size = self.bound.size();
        let history = series.coefficients.iter().fold(0, |h: u64, c| h.rotate_left(7) ^ c.to_bits());
        let sample = self.sample.map(history, |x| {
            let (value, slope) = series.at(x.value);
            Dual { value, error: slope * x.error }
        });
        let steepest = series.steepest(size + self.worst.min(size));
        Self {
            bound: self.bound.resized(series.largest(size)),
            worst: self.worst * steepest
                + TAIL * rounding * series.worst_noise_growth(size)
                + coefficient * series.elements(size),
            sample: sample
                .with_noise(rounding * series.noise_growth(size))
                .with_noise(coefficient * series.elements(self.sample.largest())),
        }
    }

    /// Of a product with a matrix, by the largest norms of its rows: of squares, and of sizes. The sampled values are
    /// new ones.
    pub fn image(&self, row_norm: f64, row_sum: f64, rounding: f64) -> Self {
        let bound = self.bound.resized(self.bound.size() * row_sum);
        let typical = rounding.hypot(self.sample.error() / 2f64.sqrt() * row_norm);
        let spread = 3f64.sqrt() * self.sample.size() * row_norm;
        let sample = Sample::new(spread.min(bound.size()), typical, self.sample.history() ^ row_sum.to_bits());
        Self { bound, worst: self.worst * row_sum + TAIL * rounding, sample }
    }

    /// Of real parts, the errors' too.
    pub fn real_part(&self) -> Self {
        let real = |z: Complex64| Complex64::new(z.re, 0.0);
        let sample = self.sample.map(2, |x| Dual { value: real(x.value), error: real(x.error) });
        self.with_sample(sample)
    }

    /// Of `a + i·b`, for real `a` and `b` of one history.
    pub fn complex(&self, imaginary: &Self) -> Self {
        let joined = |a: &Dual, b: &Dual| Dual {
            value: a.value + Complex64::i() * b.value,
            error: a.error + Complex64::i() * b.error,
        };
        Self {
            bound: self.bound.joined(imaginary.bound, self.bound.size().max(imaginary.bound.size())),
            worst: self.worst.max(imaginary.worst),
            sample: self.sample.zip(&imaginary.sample, 2, joined),
        }
    }

    /// Of the same values, whose bound a circuit knows by what it computes.
    ///
    /// Sampled values beyond it are brought to it.
    pub fn restated(&self, size: f64) -> Self {
        let within = |x: &Dual| {
            let norm = x.value.norm();
            if norm > size { Dual { value: x.value * (size / norm), error: x.error } } else { *x }
        };
        Self { bound: self.bound.resized(size), worst: self.worst, sample: self.sample.map(5, within) }
    }

    /// Of the same values, of which the caller claims a bound. Where the sampled values say otherwise, others are
    /// sampled.
    pub fn claimed(&self, bound: Bound) -> Self {
        let is_within = self.sample.size() <= bound.size();
        let sample = if is_within { self.sample.clone() } else { self.sample.redrawn(bound.size()) };
        Self { bound, worst: self.worst, sample }
    }

    /// A declared bound as it is; an assumed one anew, since a bootstrap's input is of size about one.
    fn assumed_anew(&self) -> Self {
        let bound = if self.bound.is_declared() { self.bound } else { Bound::ASSUMED };
        self.claimed(bound)
    }

    /// Of the sines of the polynomial's coefficients, instead of the coefficients. The mean of the values is one
    /// coefficient; the others are small where values have no structure.
    pub fn through_spread_sine(&self, sine: SineError, slots: usize, std_dev: f64) -> Self {
        let before = self.assumed_anew();
        let (mean, size) = (before.sample.mean(), before.sample.size());
        let shift = Complex64::new(sine.at(mean.re), sine.at(mean.im));
        // A normal coefficient's cube is three times its variance times the coefficient, on average.
        let deviation = ((size * size - mean.norm_sqr()).max(0.0) / (2 * slots) as f64).sqrt();
        let share = if deviation > 0.0 { 3.0 * sine.at(deviation) / deviation } else { 0.0 };
        let changed = |x: &Dual| Dual { error: x.error + shift + share * (x.value - mean), ..*x };
        Self {
            worst: before.worst + sine.largest(before.bound.size()) + TAIL * std_dev,
            sample: before.sample.map(3, changed).with_noise(std_dev),
            ..before
        }
    }

    /// Of the sines of the values' real and imaginary parts, instead of the values.
    pub fn through_sine(&self, sine: SineError, std_dev: f64) -> Self {
        let before = self.assumed_anew();
        let changed =
            |x: &Dual| Dual { error: x.error + Complex64::new(sine.at(x.value.re), sine.at(x.value.im)), ..*x };
        Self {
            worst: before.worst + sine.largest(before.bound.size()) + TAIL * std_dev,
            sample: before.sample.map(3, changed).with_noise(std_dev),
            ..before
        }
    }

    /// Of signs: `sin(πx/2)` of values `x` near ±1, whose errors are squared, and grow by half for any other values.
    pub fn cleaned(&self, std_dev: f64) -> Self {
        let factor = std::f64::consts::PI.powi(2) / 8.0;
        let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        let cleaned = |x: &Dual| Dual {
            value: Complex64::new(sign(x.value.re), sign(x.value.im)),
            error: Complex64::new(factor * x.error.re * x.error.re, factor * x.error.im * x.error.im),
        };
        Self {
            bound: self.bound.resized(1.0),
            worst: self.worst * std::f64::consts::FRAC_PI_2 + TAIL * std_dev,
            sample: self.sample.map(4, cleaned).with_noise(std_dev),
        }
    }

    /// The largest bound, and the largest errors, of several.
    pub fn largest<'e>(all: impl Iterator<Item = &'e Self> + Clone) -> Option<Self> {
        let by_error = |a: &&Self, b: &&Self| a.sample.error().total_cmp(&b.sample.error());
        let sample = all.clone().max_by(by_error)?.sample.clone();
        let merge = |a: (Bound, f64), b: &Self| (a.0.joined(b.bound, a.0.size().max(b.bound.size())), a.1.max(b.worst));
        let (bound, worst) = all.fold((Bound::read(0.0, true), 0.0), merge);
        Some(Self { bound, worst, sample })
    }

    /// The sampled slots.
    pub fn sample(&self) -> &Sample {
        &self.sample
    }
}
