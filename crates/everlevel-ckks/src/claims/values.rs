//! The values of a plaintext, as far as estimates and bounds need them.

use num_complex::Complex64;

use super::Bound;
use super::sample::LEN;

/// The largest size of a plaintext's values, and a sample of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Values {
    slot_count: usize,
    /// Zeros follow so many values.
    len: usize,
    largest: f64,
    mean_size: f64,
    /// The least and the largest real part of the values that zeros follow.
    ends: (f64, f64),
    is_real: bool,
    is_constant: bool,
    sample: Vec<Complex64>,
}

impl Values {
    /// The values of all slots; those left out are zero.
    ///
    /// The sample is as large as the values in the mean of squares: a mask that the sample misses is sampled as its
    /// mean.
    pub fn new(values: &[Complex64], slot_count: usize) -> Self {
        let largest = values.iter().map(|z| z.norm_sqr()).fold(0.0, f64::max).sqrt();
        let mean_size = values.iter().map(|z| z.norm()).sum::<f64>() / slot_count as f64;
        let size = (values.iter().map(Complex64::norm_sqr).sum::<f64>() / slot_count as f64).sqrt();
        let len = values.iter().rposition(|z| *z != Complex64::default()).map_or(0, |last| last + 1);
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let widen = |(low, high): (f64, f64), z: &Complex64| (low.min(z.re), high.max(z.re));
        let ends = if len == 0 { (0.0, 0.0) } else { values[..len].iter().fold(none, widen) };
        let is_real = values.iter().all(|z| z.im == 0.0);
        let is_constant = values.len() == slot_count && values.iter().all(|z| *z == values[0]);
        let slot = |i: usize| values.get(i * slot_count / LEN).copied().unwrap_or_default();
        let mut sample: Vec<Complex64> = (0..LEN).map(slot).collect();
        let sampled = (sample.iter().map(Complex64::norm_sqr).sum::<f64>() / LEN as f64).sqrt();
        match sampled {
            0.0 => sample.fill(Complex64::new(size, 0.0)),
            _ => sample.iter_mut().for_each(|z| *z *= size / sampled),
        }
        Self { slot_count, len, largest, mean_size, ends, is_real, is_constant, sample }
    }

    /// The values of slots that a plaintext was decoded to, whose roundings are up to a size.
    pub fn decoded(mut slots: Vec<Complex64>, rounding: f64) -> Self {
        let known = |part: f64| if part.abs() <= rounding { 0.0 } else { part };
        slots.iter_mut().for_each(|z| *z = Complex64::new(known(z.re), known(z.im)));
        Self::new(&slots, slots.len())
    }

    /// The largest size.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// The mean size over all slots, which a product's coefficients have at most.
    pub fn mean_size(&self) -> f64 {
        self.mean_size
    }

    /// Whether all of them are real numbers.
    pub fn is_real(&self) -> bool {
        self.is_real
    }

    /// The least and the largest real part of so many values.
    pub fn ends(&self, count: usize) -> (f64, f64) {
        let (low, high) = self.ends;
        if self.len < count { (low.min(0.0), high.max(0.0)) } else { (low, high) }
    }

    /// The bound of all slots, or of the values that zeros follow.
    pub fn bound(&self, is_of_all: bool) -> Bound {
        let count = if is_of_all { self.slot_count } else { self.len };
        Bound::of_plain(self.largest, self.is_real, self.ends(count))
    }

    /// The number of slots.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// The number of values that zeros follow: none of these is padding.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The number in every slot, where it is one.
    pub fn constant(&self) -> Option<Complex64> {
        self.is_constant.then(|| self.sample[0])
    }

    /// A number that tells these values from others.
    pub fn history(&self) -> u64 {
        self.sample.iter().fold(0, |h: u64, z| (h.rotate_left(7) ^ z.re.to_bits()).rotate_left(1) ^ z.im.to_bits())
    }

    /// The sampled values.
    pub fn sample(&self) -> &[Complex64] {
        &self.sample
    }
}
