//! The values of a plaintext, as far as estimates and bounds need them.

use num_complex::Complex64;

use super::sample::LEN;

/// The largest size of a plaintext's values, and a sample of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Values {
    largest: f64,
    sample: Vec<Complex64>,
}

impl Values {
    /// The values of all slots; those left out are zero.
    ///
    /// The sample is as large as the values in the mean of squares: a mask that the sample misses is sampled as its
    /// mean.
    pub fn new(values: &[Complex64], slot_count: usize) -> Self {
        let largest = values.iter().map(|z| z.norm_sqr()).fold(0.0, f64::max).sqrt();
        let size = (values.iter().map(Complex64::norm_sqr).sum::<f64>() / slot_count as f64).sqrt();
        let slot = |i: usize| values.get(i * slot_count / LEN).copied().unwrap_or_default();
        let mut sample: Vec<Complex64> = (0..LEN).map(slot).collect();
        let sampled = (sample.iter().map(Complex64::norm_sqr).sum::<f64>() / LEN as f64).sqrt();
        match sampled {
            0.0 => sample.fill(Complex64::new(size, 0.0)),
            _ => sample.iter_mut().for_each(|z| *z *= size / sampled),
        }
        Self { largest, sample }
    }

    /// The largest size.
    pub fn largest(&self) -> f64 {
        self.largest
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
