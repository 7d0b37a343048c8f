#![doc = include_str!("../../notes/estimates.md")]
//!
//! The claims of a ciphertext: its level, its scale, and what is known of its values and errors without decrypting.
//!
//! Every operation states all claims of its result: there is no default, no change of one claim alone, and so no claim
//! that an operation passes on without saying so.

mod affine;
mod bound;
pub(crate) mod doubles;
mod entry_rounding;
mod operations;
mod outward;
mod padding;
mod sample;
mod values;
mod worst;

use num_complex::Complex64;

use affine::Affine;
pub use bound::{Bound, BoundKind};
pub(crate) use entry_rounding::EntryRounding;
pub(crate) use padding::Padding;
pub(crate) use sample::{Dual, Sample};
pub(crate) use values::Values;
pub(crate) use worst::{Certainty, SineError, TAIL, Worst};

/// The level, the scale, and the estimate of a ciphertext.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Claims {
    level: usize,
    scale: f64,
    estimate: Estimate,
}

/// The bound of a ciphertext's values, and its errors for values without structure and for any values; and the same of
/// the slots that hold no encrypted value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    bound: Bound,
    /// Affine form of the values, by what they have in common with others, where they are real and of this process.
    form: Option<Affine>,
    /// Bound of the error of every encrypted value, for any values within the bound.
    worst: Worst,
    sample: Sample,
    padding: Option<Padding>,
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

/// Share of a sum of sizes that a number may be off which was computed in doubles.
const IN_DOUBLES: f64 = 1e-12;

/// Errors of padding count where they are this much larger than those of values.
const MUCH: f64 = 1.5;

/// Estimates of all slots, and of some of them.
impl Estimate {
    /// Values of which nothing but the bound is known.
    fn new(bound: Bound, worst: Worst, sample: Sample) -> Self {
        Self::formed(bound, Self::spanning(bound), worst, sample)
    }

    /// Values of a bound and of a form.
    fn formed(bound: Bound, form: Option<Affine>, worst: Worst, sample: Sample) -> Self {
        let form = form.filter(|form| bound.is_real() && form.range().0.is_finite() && form.range().1.is_finite());
        let bound = form.as_ref().map_or(bound, |form| bound.between(form.range()));
        Self { bound, form, worst, sample, padding: None }
    }

    fn spanning(bound: Bound) -> Option<Affine> {
        let (low, high) = bound.interval();
        bound.is_real().then(|| Affine::spanning(low, high)).flatten()
    }

    /// Claims of a fresh encryption that fills the slots.
    pub fn fresh(bound: Bound, std_dev: f64, seed: u64) -> Self {
        let worst = Worst::of(|certainty| certainty.tail() * std_dev);
        Self::new(bound, worst, Sample::new(bound.size(), bound.is_real(), std_dev, seed))
    }

    /// Claims of encrypted zeros.
    pub fn zeros(std_dev: f64, seed: u64) -> Self {
        Self::fresh(Bound::read(0.0, BoundKind::Declared).on_reals(true), std_dev, seed)
    }

    /// Claims of padding as it stands in a file: one number, or values spread evenly.
    pub fn of_padding(bound: Bound, worst: Worst, value: Option<Complex64>, std_dev: f64) -> Self {
        let sample = Sample::new(bound.size(), bound.is_real(), std_dev, 0);
        let sample = match value {
            Some(value) => sample.map(0, |x| Dual { value, error: x.error }),
            None => sample,
        };
        Self::new(bound, worst, sample)
    }

    /// As it stands in a file: errors of a standard deviation, and values of a size, spread evenly.
    pub fn read(bound: Bound, worst: Worst, size: f64, std_dev: f64, seed: u64) -> Self {
        Self::new(bound, worst, Sample::of_size(size, bound.is_real(), std_dev, seed))
    }

    /// Estimate of other values, of which the same is claimed: they have nothing in common.
    pub fn apart(&self) -> Self {
        Self::new(self.bound, self.worst, self.sample.clone())
    }

    /// These values beside this padding.
    pub fn padded(self, padding: Option<Padding>) -> Self {
        Self { padding, ..self }
    }

    /// The slots without an encrypted value.
    pub fn padding(&self) -> Option<&Padding> {
        self.padding.as_ref()
    }

    /// The bound of every slot.
    pub fn bound(&self) -> Bound {
        let with = |padding: &Padding| {
            let of_padding = padding.values().bound.vouched(BoundKind::Declared).on_reals(self.bound.is_real());
            self.bound.largest(of_padding)
        };
        self.padding.as_ref().map_or(self.bound, with)
    }

    /// These claims with a bound that stands on another word.
    pub fn vouched(&self, kind: BoundKind) -> Self {
        Self { bound: self.bound.vouched(kind), ..self.clone() }
    }

    /// The bound of the encrypted values.
    pub fn bound_of_values(&self) -> Bound {
        self.bound
    }

    /// Bound of the error of every slot, for any values within the bound.
    pub fn worst(&self) -> f64 {
        self.worst_at(Certainty::Usual)
    }

    /// Bound of the error of every slot of a certainty.
    pub fn worst_at(&self, certainty: Certainty) -> f64 {
        self.worst_of_all().at(certainty)
    }

    fn worst_of_all(&self) -> Worst {
        self.padding.as_ref().map_or(self.worst, |padding| self.worst.largest(padding.values().worst))
    }

    /// Estimated root mean square of a slot's error, for values without structure; infinite where the estimate has no
    /// value: where the sampled values left all bounds, as in iterations that converge for the values that they are
    /// meant for and for no others, or where the errors swallowed them. Of the encrypted values or of the padding,
    /// whichever is larger.
    pub fn error(&self) -> f64 {
        let (error, size) = (self.sample.error(), self.sample.size());
        let is_known = error.is_finite() && size.is_finite() && (self.bound.is_declared() || error < 1.0);
        let error = if is_known { error } else { f64::INFINITY };
        self.padding.as_ref().map_or(error, |padding| error.max(padding.values().error()))
    }

    /// The sampled slots.
    pub fn sample(&self) -> &Sample {
        &self.sample
    }

    /// The largest size of a decrypted value that exceeds its bound by more than its error and a share of the bound.
    pub fn largest_beyond(&self, slots: &[Complex64], slack: f64) -> Option<f64> {
        let limit = |estimate: &Self| estimate.bound.size() * (1.0 + slack) + estimate.worst.at(Certainty::Usual);
        let (of_value, of_padding) = (limit(self), self.padding.as_ref().map(|padding| limit(padding.values())));
        let is_beyond = |(slot, size): &(usize, f64)| match (&self.padding, of_padding) {
            (Some(padding), Some(limit)) if padding.contains(*slot) => *size > limit.max(of_value),
            _ => *size > of_value,
        };
        let sizes = slots.iter().map(|z| z.norm()).enumerate();
        sizes.filter(is_beyond).map(|(_, size)| size).max_by(f64::total_cmp)
    }

    /// As of a message that fills the slots, whose values and errors may be those of any slot.
    pub fn of_all(&self) -> Self {
        let sample = match &self.padding {
            Some(padding) if padding.values().sample.error() > MUCH * self.sample.error() => {
                self.sample.zip(&padding.values().sample, 6, |x, of_padding| Dual { error: of_padding.error, ..*x })
            }
            _ => self.sample.clone(),
        };
        let form = if self.padding.is_none() { self.form.clone() } else { Self::spanning(self.bound()) };
        Self::formed(self.bound(), form, self.worst_of_all(), sample)
    }

    /// `f` of the values, and of the padding.
    fn each(&self, f: impl Fn(&Self) -> Self) -> Self {
        f(self).padded(self.padding.as_ref().map(|padding| padding.with(f(padding.values()))))
    }

    /// `f` of both operands' values, and of the padding of both. Where their padding is elsewhere, values meet padding.
    fn with_other(&self, other: &Self, f: impl Fn(&Self, &Self) -> Self) -> Self {
        let padding = match (&self.padding, &other.padding) {
            (Some(a), Some(b)) => a.merged(b, |a, b| a && b, f(a.values(), b.values())),
            _ => None,
        };
        self.values_with(other, f).padded(padding)
    }

    fn values_with(&self, other: &Self, f: impl Fn(&Self, &Self) -> Self) -> Self {
        let is_alike = Padding::is_alike(self.padding.as_ref(), other.padding.as_ref());
        if is_alike { f(self, other) } else { f(&self.of_all(), &other.of_all()) }
    }

    /// Claims of values that are one number, which the sample holds.
    fn of_constant(self) -> Self {
        let size = self.sample.first().norm() * (1.0 + 1e-9) + IN_DOUBLES * self.bound.size();
        Self { bound: self.bound.capped(size), ..self }
    }

    /// The largest bound, and the largest errors, of several estimates, but for their padding.
    pub fn largest<'e>(all: impl Iterator<Item = &'e Self> + Clone) -> Option<Self> {
        let by_error = |a: &&Self, b: &&Self| a.sample.error().total_cmp(&b.sample.error());
        let sample = all.clone().max_by(by_error)?.sample.clone();
        let merge = |a: (Bound, Worst), b: &Self| (a.0.largest(b.bound), a.1.largest(b.worst));
        let none = Bound::read(0.0, BoundKind::Declared).on_reals(true);
        let (bound, worst) = all.fold((none, Worst::NONE), merge);
        Some(Self::new(bound, worst, sample))
    }
}
