//! The estimates of operations' results.

use num_complex::Complex64;

use super::entry_rounding::EntryRounding;
use super::{Affine, Bound, Certainty, Dual, Estimate, Padding, SineError, Values};
use crate::image::Image;
use crate::series::{Basis, Series};

/// Bits that tell an operation with a number from one with another.
fn after_number(c: Complex64) -> u64 {
    c.re.to_bits() ^ c.im.to_bits().rotate_left(1)
}

/// Sums, products and other operations.
impl Estimate {
    /// Estimate of the same values with further noise of a standard deviation.
    pub fn with_noise(self, std_dev: f64) -> Self {
        self.with_noise_of(std_dev, Certainty::tail)
    }

    /// [`Estimate::with_noise`] where one rounding is multiplied by the secret's square.
    pub fn with_noise_of_squares(self, std_dev: f64) -> Self {
        self.with_noise_of(std_dev, Certainty::tail_of_squares)
    }

    fn with_noise_of(self, std_dev: f64, tail: fn(Certainty) -> f64) -> Self {
        let padding = self.padding.map(|padding| padding.with(padding.values().clone().with_noise_of(std_dev, tail)));
        let worst = self.worst.map(|worst, certainty| worst + tail(certainty) * std_dev);
        Self { worst, sample: self.sample.with_noise(std_dev), padding, ..self }
    }

    /// Estimate of `a + b`, or with a factor of −1 of `a − b`.
    pub fn sum(&self, other: &Self, factor: f64) -> Self {
        let sum = |a: &Dual, b: &Dual| Dual { value: a.value + factor * b.value, error: a.error + factor * b.error };
        self.with_other(other, |a, b| {
            let form = a.form.as_ref().zip(b.form.as_ref()).map(|(a, b)| a.sum(b, factor));
            Self::formed(
                a.bound.sum(b.bound, factor),
                form,
                a.worst.zip(b.worst, |a, b| a + b),
                a.sample.zip(&b.sample, factor.to_bits(), sum),
            )
        })
    }

    /// Estimate of `a·b`. Products with zeros of padding are zeros.
    pub fn product(&self, other: &Self) -> Self {
        let product =
            |x: &Dual, y: &Dual| Dual { value: x.value * y.value, error: x.value * y.error + y.value * x.error };
        let of = |x: &Self, y: &Self| {
            let [a, b] = [x, y].map(|operand| operand.bound.size());
            let worst = x.worst.zip(y.worst, |ea, eb| a * eb + b * ea + ea * eb);
            let (bound, form) = x.product_of_bounds(y);
            Self::formed(bound, form, worst, x.sample.zip(&y.sample, 1, product))
        };
        let zeros = |padding: &Option<Padding>| padding.as_ref().is_some_and(Padding::is_zero);
        let by_zeros = |zeros: &Padding, y: &Self| zeros.with(of(zeros.values(), &y.of_all()));
        let padding = match (&self.padding, &other.padding) {
            (Some(a), Some(b)) if zeros(&self.padding) && zeros(&other.padding) => {
                let both = [by_zeros(a, other), by_zeros(b, self)];
                let values = Self::largest(both.iter().map(Padding::values));
                values.and_then(|values| a.merged(b, |a, b| a || b, values))
            }
            (Some(a), _) if a.is_zero() => Some(by_zeros(a, other)),
            (_, Some(b)) if b.is_zero() => Some(by_zeros(b, self)),
            _ => self.with_other(other, of).padding,
        };
        self.values_with(other, of).padded(padding)
    }

    /// Bound and form of products.
    fn product_of_bounds(&self, other: &Self) -> (Bound, Option<Affine>) {
        let (own, others) = (self.bound.interval(), other.bound.interval());
        match (&self.form, &other.form) {
            (Some(a), Some(b)) if std::ptr::eq(self, other) || a.is_same(b) => {
                let bound = self.bound.square();
                // x² is (low + high)·x and something between −((low + high)/2)² and −low·high.
                let image = Image::of_square(own);
                (bound, Some(a.sloped(own, image.slope, image.residues)))
            }
            (Some(a), Some(b)) => (self.bound.product(other.bound), Some(a.product(b, own, others))),
            _ => (self.bound.product(other.bound), None),
        }
    }

    /// Bound and form of a polynomial's values.
    fn polynomial_of_bounds(&self, series: &Series<'_>) -> (Bound, Option<Affine>) {
        let largest = self.bound.resized(series.largest(self.bound.size()));
        let Some(form) = self.form.as_ref().filter(|_| series.is_real) else { return (largest, None) };
        let own = self.bound.interval();
        let image = Image::new(series, own);
        (largest.between(image.values), Some(form.sloped(own, image.slope, image.residues)))
    }

    /// Bound of a polynomial's values, without padding.
    pub fn bound_of_polynomial(&self, series: &Series<'_>) -> Bound {
        let (bound, form) = self.polynomial_of_bounds(&series.on(self.bound));
        form.map_or(bound, |form| bound.between(form.range()))
    }

    /// Estimate of sums of all slots, in every slot, of which the operations that added them up have no better form.
    pub fn total(&self, of: &Self, slot_count: usize) -> Self {
        match &of.form {
            Some(form) if of.padding.is_none() && self.padding.is_none() => {
                let form = form.mean().scaled(slot_count as f64);
                Self::formed(self.bound, Some(form), self.worst, self.sample.clone())
            }
            _ => self.clone(),
        }
    }

    /// Estimate of the same values as others of which more is known.
    pub fn valued_as(&self, other: &Self) -> Self {
        match (&self.padding, &other.padding) {
            (None, None) => Self::formed(other.bound, other.form.clone(), self.worst, self.sample.clone()),
            _ => self.clone(),
        }
    }

    /// Estimate of values of which so many are those of others of which more is known, where all slots after these are
    /// padding of both.
    pub fn valued_up_to(&self, count: usize, other: &Self) -> Self {
        let is_after = self.padding.as_ref().is_some_and(|padding| padding.has_all_from(count));
        if !is_after || !Padding::is_alike(self.padding.as_ref(), other.padding.as_ref()) {
            return self.clone();
        }
        let values = Self::formed(other.bound, other.form.clone(), self.worst, self.sample.clone());
        values.padded(self.padding.clone())
    }

    /// Estimate of `c·a`.
    pub fn scaled(&self, c: Complex64) -> Self {
        self.each(|x| {
            let sample = x.sample.map(after_number(c), |x| Dual { value: x.value * c, error: x.error * c });
            let worst = x.worst.map(|worst, _| worst * c.norm());
            let form = x.form.as_ref().map(|form| form.scaled(c.re));
            Self::formed(x.bound.scaled(c), form, worst, sample)
        })
    }

    /// Estimate of `c·a`, where a number is multiplied with that is `c + beside`, up to a share of itself by which it
    /// may drift.
    pub fn scaled_nearly(&self, c: Complex64, beside: Complex64, drift: f64) -> Self {
        self.each(|x| {
            let scaled = Self { padding: None, ..x.clone() }.scaled(c);
            let sample = scaled.sample.zip(&x.sample, after_number(beside), |x, before| Dual {
                value: x.value,
                error: x.error + before.value * beside,
            });
            let worst = scaled.worst.map(|worst, _| worst + x.bound.size() * beside.norm());
            Self::formed(scaled.bound, scaled.form, worst, sample)
        })
        .drifted(drift)
    }

    /// Estimate of values times a number near one, which is off by up to `drift`: all alike, and may be as much as they
    /// can.
    pub fn drifted(self, drift: f64) -> Self {
        self.each(|x| {
            let worst = x.worst.map(|worst, _| worst + x.bound.size() * drift);
            Self::formed(x.bound, x.form.clone(), worst, x.sample.drifted(drift))
        })
    }

    /// Estimate with a further error: up to `worst`, with a root mean square of `typical`.
    pub fn deviating(&self, worst: f64, typical: f64) -> Self {
        let std_dev = typical * std::f64::consts::FRAC_1_SQRT_2;
        self.each(|x| {
            let sample = x.sample.clone().with_noise(std_dev);
            Self::formed(x.bound, x.form.clone(), x.worst.map(|error, _| error + worst), sample)
        })
    }

    /// Estimate of `a + c`, where a number is added that is up to `deviation` away from `c`.
    pub fn shifted(&self, c: Complex64, deviation: f64) -> Self {
        let half = deviation / 2.0;
        self.each(|x| {
            let sample = x.sample.map(after_number(c), |x| Dual { value: x.value + c, error: x.error + half });
            let worst = x.worst.map(|worst, _| worst + deviation);
            let form = x.form.as_ref().map(|form| form.shifted(c.re, c.re));
            Self::formed(x.bound.shifted(c), form, worst, sample)
        })
    }

    /// Bound of those of a plaintext's values that meet encrypted ones.
    fn bound_of_plain(&self, plain: &Values) -> Bound {
        plain.bound(!self.padding.as_ref().is_some_and(|padding| padding.has_all_from(plain.len())))
    }

    /// Estimate of `a` plus a plaintext whose slots have rounding errors of a standard deviation.
    pub fn plus_plain(&self, plain: &Values, rounding: f64) -> Self {
        let plus = |x: &Self, by: Bound| {
            let mut values = plain.sample().iter();
            let mut next = || values.next().copied().unwrap_or_default();
            let sample = x.sample.map(plain.history(), |x| Dual { value: x.value + next(), error: x.error });
            let (low, high) = by.interval();
            let form = x.form.as_ref().map(|form| form.shifted(low, high));
            Self::formed(x.bound.sum(by, 1.0), form, x.worst, sample)
        };
        let padding = self.padding.as_ref().map(|padding| match plain.constant() {
            Some(c) => padding.with(padding.values().shifted(c, 0.0)),
            None if padding.is_from(plain.len()) => padding.clone(),
            None => padding.clone().varied().with(plus(padding.values(), plain.bound(true))),
        });
        plus(self, self.bound_of_plain(plain)).padded(padding).with_noise(rounding)
    }

    /// Estimate of `a` times a plaintext whose slots have rounding errors of a standard deviation. Where the
    /// plaintext's values end, the library's zeros follow.
    pub fn times_plain(&self, plain: &Values, rounding: f64) -> Self {
        let times = |x: &Self, by: Bound, largest: f64| {
            let mut values = plain.sample().iter();
            let mut next = || values.next().copied().unwrap_or_default();
            let size = x.bound.size();
            let sample = x.sample.map(plain.history(), |x| {
                let factor = if largest == 0.0 { Complex64::default() } else { next() };
                Dual { value: x.value * factor, error: x.error * factor }
            });
            let factor = Self { bound: by.capped(largest), ..x.clone() };
            let factor = Self { form: Self::spanning(factor.bound), ..factor };
            let (bound, form) = x.product_of_bounds(&factor);
            Self::formed(
                bound,
                form,
                x.worst.map(|worst, certainty| worst * largest + certainty.tail() * rounding * (size + worst)),
                sample.with_noise(rounding * x.sample.size()),
            )
        };
        let all = plain.bound(true);
        let values = times(self, self.bound_of_plain(plain), plain.largest());
        let is_after = |slot: usize| slot >= plain.len();
        let after = Padding::zeros(plain.slot_count(), is_after, times(&self.of_all(), all, 0.0));
        let padding = match (&self.padding, after) {
            (None, after) => after,
            (Some(padding), None) => {
                let is_constant = padding.is_zero() || plain.constant().is_some();
                let slots = if is_constant { padding.clone() } else { padding.clone().varied() };
                Some(slots.with(times(padding.values(), all, plain.largest())))
            }
            (Some(padding), Some(after)) => {
                let is_zero = padding.is_zero() || padding.is_from(plain.len());
                let product = times(padding.values(), all, if is_zero { 0.0 } else { plain.largest() });
                let both = [&product, after.values()];
                let union = Self::largest(both.into_iter()).and_then(|values| {
                    Padding::zeros(plain.slot_count(), |slot| is_after(slot) || padding.contains(slot), values)
                });
                if is_zero { union } else { union.map(Padding::varied) }
            }
        };
        values.padded(padding)
    }

    /// Estimate of slots moved to the left.
    pub fn rotated(&self, left: i64, slot_count: usize) -> Self {
        let moved = self.each(|x| {
            let form = x.form.as_ref().map(|form| form.rotated(left, slot_count));
            Self::formed(x.bound, form, x.worst, x.sample.rotated(left))
        });
        let padding = moved.padding.as_ref().map(|padding| padding.rotated(left));
        moved.padded(padding)
    }

    /// Estimate of complex conjugates.
    pub fn conjugated(&self) -> Self {
        self.each(|x| {
            let sample = x.sample.map(1, |x| Dual { value: x.value.conj(), error: x.error.conj() });
            Self::formed(x.bound, x.form.clone(), x.worst, sample)
        })
    }

    /// Estimate of a polynomial's values, whose evaluation adds noise of `rounding` at each of its steps, and whose
    /// coefficients are rounded by up to `coefficient`.
    pub fn polynomial(&self, series: &Series<'_>, rounding: f64, coefficient: f64) -> Self {
        let history = series.coefficients.iter().fold(0, |h: u64, c| h.rotate_left(7) ^ c.to_bits());
        self.each(|x| {
            let series = series.on(x.bound);
            let size = x.bound.size();
            let sample = x.sample.map(history, |x| {
                let (value, slope) = series.at(x.value);
                Dual { value, error: slope * x.error }
            });
            // Elements of arguments beyond [−1, 1] grow, and their errors with them.
            let is_outside = series.basis == Basis::Chebyshev && (size > 1.0 || !series.is_real);
            let growth = series.worst_noise_growth(size);
            let worst = x.worst.map(|worst, certainty| {
                // The slope where values with their errors are, which may be far outside of an interval.
                let carried = worst * series.steepest(size + worst);
                let carried = if carried.is_nan() { f64::INFINITY } else { carried };
                carried + certainty.tail() * rounding * growth + coefficient * series.elements(size)
            });
            let (bound, form) = x.polynomial_of_bounds(&series);
            Self::formed(
                bound,
                form,
                worst,
                sample
                    .with_noise(rounding * if is_outside { growth } else { series.noise_growth(size) })
                    .with_noise(coefficient * series.elements(x.sample.largest())),
            )
        })
    }

    /// Estimate of a product with a matrix, by the largest norms of its rows (of squares, and of sizes), whose entries
    /// are real or not, and rounded. The sampled values are new ones.
    pub fn image(&self, (row_norm, row_sum): (f64, f64), is_real: bool, entries: EntryRounding, rounding: f64) -> Self {
        let x = self.of_all();
        let bound = x.bound.resized(x.bound.size() * row_sum);
        let bound = bound.on_reals(bound.is_real() && is_real);
        let of_entries = entries.typical() * x.sample.size();
        let typical = rounding.hypot(x.sample.error() / 2f64.sqrt() * row_norm).hypot(of_entries);
        let spread = 3f64.sqrt() * x.sample.size() * row_norm;
        let history = x.sample.history() ^ row_sum.to_bits();
        let worst = x.worst.map(|worst, certainty| {
            let tail = certainty.tail();
            worst * row_sum + entries.worst(tail) * (x.bound.size() + worst) + tail * rounding
        });
        Self::new(bound, worst, super::Sample::new(spread.min(bound.size()), bound.is_real(), typical, history))
    }

    /// Estimate of real parts, the errors' too.
    pub fn real_part(&self) -> Self {
        let real = |z: Complex64| Complex64::new(z.re, 0.0);
        self.each(|x| {
            let sample = x.sample.map(2, |x| Dual { value: real(x.value), error: real(x.error) });
            Self::formed(
                x.bound.on_reals(true),
                x.form.clone().or(Self::spanning(x.bound.on_reals(true))),
                x.worst,
                sample,
            )
        })
    }

    /// Estimate of `a + i·b`, for real `a` and `b` of one history, whose errors are the parts of one error.
    pub fn complex(&self, imaginary: &Self) -> Self {
        let joined = |a: &Dual, b: &Dual| Dual {
            value: a.value + Complex64::i() * b.value,
            error: a.error + Complex64::i() * b.error,
        };
        self.with_other(imaginary, |a, b| {
            let bound = a.bound.largest(b.bound).on_reals(false).resized(a.bound.size().hypot(b.bound.size()));
            Self::new(bound, a.worst.largest(b.worst), a.sample.zip(&b.sample, 2, joined))
        })
    }

    /// Estimate of the same values, whose bound in every slot a circuit knows by what it computes.
    ///
    /// Sampled values beyond it are brought to it.
    pub fn restated(&self, size: f64) -> Self {
        let within = |x: &Dual| {
            let norm = x.value.norm();
            if norm > size { Dual { value: x.value * (size / norm), error: x.error } } else { *x }
        };
        self.each(|x| Self::formed(x.bound.capped(size), x.form.clone(), x.worst, x.sample.map(5, within)))
    }

    /// Estimate of the same values, which are known to lie in an interval as well; the padding stays what it is.
    pub fn between(&self, ends: (f64, f64)) -> Self {
        let values = Self::formed(self.bound.between(ends), self.form.clone(), self.worst, self.sample.clone());
        values.padded(self.padding.clone())
    }

    /// Estimate of the same slots, of which a circuit knows that those from a place on hold zeros.
    pub fn zero_from(&self, place: usize, slot_count: usize) -> Self {
        let all = self.of_all();
        let zeros = all.sample.map(7, |x| Dual { value: Complex64::default(), error: x.error });
        let zeros = Self::new(all.bound.capped(0.0), all.worst, zeros);
        all.padded(Padding::zeros(slot_count, |slot| slot >= place, zeros))
    }

    /// Estimate of the same values, of which the caller claims a bound; the padding stays what it is. Where the sampled
    /// values say otherwise, others are sampled.
    pub fn claimed(&self, bound: Bound) -> Self {
        let is_within = self.sample.size() <= bound.size() && (self.bound.is_real() || !bound.is_real());
        let sample = if is_within { self.sample.clone() } else { self.sample.redrawn(bound.size(), bound.is_real()) };
        let form = if bound.is_alike(self.bound) { self.form.clone() } else { Self::spanning(bound) };
        Self::formed(bound, form, self.worst, sample).padded(self.padding.clone())
    }

    /// A declared bound as it is; an assumed one anew, since a bootstrap's input is of size about one.
    fn assumed_anew(&self) -> Self {
        let assumed = Bound::ASSUMED.on_reals(self.bound.is_real());
        self.claimed(if self.bound.is_declared() { self.bound } else { assumed })
    }

    /// Estimate of the sines of the polynomial's coefficients, instead of the coefficients. The mean of the values is
    /// one coefficient; the others are small where values have no structure.
    pub fn through_spread_sine(&self, sine: SineError, slots: usize, std_dev: f64) -> Self {
        self.assumed_anew().each(|before| {
            let (mean, size) = (before.sample.mean(), before.sample.size());
            let shift = Complex64::new(sine.at(mean.re), sine.at(mean.im));
            // A normal coefficient's cube is three times its variance times the coefficient, on average.
            let deviation = ((size * size - mean.norm_sqr()).max(0.0) / (2 * slots) as f64).sqrt();
            let share = if deviation > 0.0 { 3.0 * sine.at(deviation) / deviation } else { 0.0 };
            let changed = |x: &Dual| Dual { error: x.error + shift + share * (x.value - mean), ..*x };
            // Errors of coefficients meet in every slot, the padding's too.
            let size = self.bound().size().max(before.bound.size());
            Self::formed(
                before.bound,
                before.form.clone(),
                before.worst.map(|worst, certainty| worst + sine.largest(size, certainty) + certainty.tail() * std_dev),
                before.sample.map(3, changed).with_noise(std_dev),
            )
        })
    }

    /// Estimate of the sines of the values' real and imaginary parts, instead of the values.
    pub fn through_sine(&self, sine: SineError, std_dev: f64) -> Self {
        self.assumed_anew().each(|before| {
            let changed =
                |x: &Dual| Dual { error: x.error + Complex64::new(sine.at(x.value.re), sine.at(x.value.im)), ..*x };
            let size = before.bound.size();
            Self::formed(
                before.bound,
                before.form.clone(),
                before.worst.map(|worst, certainty| worst + sine.largest(size, certainty) + certainty.tail() * std_dev),
                before.sample.map(3, changed).with_noise(std_dev),
            )
        })
    }

    /// Estimate of `sin(πx/2)` of the parts `x` of values of any size up to one, whose errors grow by half at most.
    pub fn through_quarter_waves(&self, std_dev: f64) -> Self {
        let quarter = std::f64::consts::FRAC_PI_2;
        let parts = |z: Complex64, f: fn(f64) -> f64| Complex64::new(f(z.re), f(z.im));
        let changed = |x: &Dual| {
            let slopes = parts(x.value * quarter, f64::cos) * quarter;
            let error = Complex64::new(slopes.re * x.error.re, slopes.im * x.error.im);
            Dual { value: parts(x.value * quarter, f64::sin), error }
        };
        self.each(|x| {
            let size = if x.bound.is_real() { 1.0 } else { std::f64::consts::SQRT_2 };
            let worst = x.worst.map(|worst, certainty| worst * quarter + certainty.tail() * std_dev);
            Self::new(x.bound.resized(size), worst, x.sample.map(7, changed).with_noise(std_dev))
        })
    }

    /// Estimate of signs: `sin(πx/2)` of the parts `x` of values near ±1 (or ±1 ± i), whose errors are squared, and
    /// grow by half for any other values.
    pub fn cleaned(&self, std_dev: f64) -> Self {
        let factor = std::f64::consts::PI.powi(2) / 8.0;
        let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        let cleaned = |x: &Dual| Dual {
            value: Complex64::new(sign(x.value.re), sign(x.value.im)),
            error: Complex64::new(factor * x.error.re * x.error.re, factor * x.error.im * x.error.im),
        };
        let mut signs = self.each(|x| {
            let size = if x.bound.is_real() { 1.0 } else { std::f64::consts::SQRT_2 };
            Self::new(
                x.bound.resized(size),
                x.worst.map(|worst, certainty| worst * std::f64::consts::FRAC_PI_2 + certainty.tail() * std_dev),
                x.sample.map(4, cleaned).with_noise(std_dev),
            )
        });
        // Padding need not be a sign: a sine of it is somewhere between.
        let is_zero = self.padding.as_ref().is_some_and(Padding::is_zero);
        signs.padding = signs.padding.map(|padding| if is_zero { padding } else { padding.varied() });
        signs
    }
}
