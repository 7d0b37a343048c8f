//! Measured noise beside its formula, with a tolerance that follows from the number of samples.

/// Standard deviations that a mean square may be off its formula: one in 5·10^8 Gaussian measurements is off by more,
/// so that the draws are to be the same at every run.
pub const DEVIATIONS: f64 = 6.0;
/// Standard deviations that a mean may be off zero: one in 4·10^11 is off by more.
const OFF_CENTRE: f64 = 7.0;

/// Samples of a noise: how many, their sum, and the sum of their squares.
///
/// The mean square of `N` Gaussian samples has a relative standard deviation of `√(2/N)`. Where the samples share other
/// drawn values (the errors of one key meet every digit), those fluctuate as well: their counts add up as further
/// terms.
#[derive(Debug, Default, Clone)]
pub struct Measured {
    sum: f64,
    squares: f64,
    count: usize,
}

impl Extend<f64> for Measured {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        for x in values {
            self.sum += x;
            self.squares += x * x;
            self.count += 1;
        }
    }
}

impl FromIterator<f64> for Measured {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut measured = Self::default();
        measured.extend(values);
        measured
    }
}

impl Measured {
    /// The mean of the squares.
    pub fn mean_square(&self) -> f64 {
        self.squares / self.count as f64
    }

    /// The part of the formula that the mean square may be off: [`DEVIATIONS`] standard deviations. `shared` are the
    /// numbers of drawn values that all samples share.
    pub fn tolerance(&self, shared: &[usize]) -> f64 {
        let relative: f64 = shared.iter().map(|&count| 2.0 / count as f64).sum::<f64>() + 2.0 / self.count as f64;
        DEVIATIONS * relative.sqrt()
    }

    /// Asserts that the mean square is `variance`, to the samples' [`Measured::tolerance`], and that this is at most
    /// `widest`: else the samples are too few for the claim.
    #[track_caller]
    pub fn assert_variance(&self, what: &str, variance: f64, shared: &[usize], widest: f64) {
        let (ratio, tolerance) = (self.mean_square() / variance, self.tolerance(shared));
        println!(
            "{what}: σ = {:.4e}, formula {:.4e}, variance ratio {ratio:.4} ± {tolerance:.4}, {} samples",
            self.mean_square().sqrt(),
            variance.sqrt(),
            self.count
        );
        assert!(tolerance <= widest, "{what}: {} samples tell ± {tolerance:.4}, asked is {widest}", self.count);
        assert!((ratio - 1.0).abs() <= tolerance, "{what}: variance over formula {ratio:.4}, tolerance {tolerance:.4}");
    }

    /// Asserts that the mean is zero, to seven standard deviations of a sample with this variance.
    #[track_caller]
    pub fn assert_centred(&self, what: &str, variance: f64) {
        let (mean, tolerance) = (self.sum / self.count as f64, OFF_CENTRE * (variance / self.count as f64).sqrt());
        assert!(mean.abs() <= tolerance, "{what}: mean {mean:e}, tolerance {tolerance:e}");
    }
}

/// Asserts that something rare happened as often as expected: to [`DEVIATIONS`] standard deviations of a Poisson count
/// and `shared`, the part that what all trials share (a key's own errors) may add or take. The whole tolerance is at
/// most `widest` of the expected count: else the trials are too few for the claim.
#[track_caller]
pub fn assert_count(what: &str, count: usize, expected: f64, shared: f64, widest: f64) {
    let (ratio, tolerance) = (count as f64 / expected, DEVIATIONS / expected.sqrt() + shared);
    println!("{what}: {count}, {expected:.0} expected, ratio {ratio:.3} ± {tolerance:.3}");
    assert!(tolerance <= widest, "{what}: {expected:.0} expected tell ± {tolerance:.3}, asked is {widest}");
    assert!((ratio - 1.0).abs() <= tolerance, "{what}: {count}, not {expected:.0}, tolerance {tolerance:.3}");
}

/// The variance of a noise that lies between groups, the keys it was measured with, as a part of all: the variance of
/// the groups' means beyond what samples drawn within them give, by the analysis of variance. `groups` have as many
/// samples each.
///
/// Where nothing lies between `K` groups of `M` samples, it is zero to `√(2/(K − 1))/M`, one standard deviation.
///
/// # Panics
/// For fewer than two groups or two samples, or groups of different sizes.
pub fn part_between(groups: &[Vec<f64>]) -> f64 {
    let (count, len) = (groups.len() as f64, groups[0].len() as f64);
    assert!(count >= 2.0 && len >= 2.0 && groups.iter().all(|group| group.len() == groups[0].len()));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let squares = |values: &[f64], mean: f64| values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    let means: Vec<f64> = groups.iter().map(|group| mean(group)).collect();
    let within = groups.iter().zip(&means).map(|(group, &mean)| squares(group, mean)).sum::<f64>();
    let within = within / (count * (len - 1.0));
    let between = squares(&means, mean(&means)) / (count - 1.0) - within / len;
    between / (between + within)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sampler;

    /// Sums of twelve uniform numbers: nearly Gaussian, of variance one.
    fn samples(count: usize, scale: f64) -> Measured {
        let mut sampler = Sampler::new(3);
        let mut one = || (0..12).map(|_| sampler.word() as f64 / 2f64.powi(64) - 0.5).sum::<f64>() * scale;
        (0..count).map(|_| one()).collect()
    }

    #[test]
    fn the_right_variance_passes() {
        let measured = samples(20_000, 1.0);
        measured.assert_variance("one", 1.0, &[], 0.0601);
        measured.assert_variance("one, of shared values", 1.0, &[20_000], 0.0849);
        measured.assert_centred("one", 1.0);
    }

    #[test]
    #[should_panic(expected = "variance over formula")]
    fn a_wrong_variance_fails() {
        samples(20_000, 1.04).assert_variance("4 % too wide", 1.0, &[], 0.1);
    }

    #[test]
    #[should_panic(expected = "100 samples tell")]
    fn too_few_samples_fail() {
        samples(100, 1.0).assert_variance("few", 1.0, &[], 0.1);
    }

    #[test]
    #[should_panic(expected = "NaN")]
    fn no_samples_fail() {
        Measured::default().assert_variance("none", 1.0, &[], f64::INFINITY);
    }

    #[test]
    #[should_panic(expected = "mean")]
    fn a_shifted_mean_fails() {
        (0..1000).map(|_| 0.3).collect::<Measured>().assert_centred("shifted", 1.0);
    }

    #[test]
    fn what_lies_between_groups_is_found() {
        let mut sampler = Sampler::new(5);
        let mut one = || (0..12).map(|_| sampler.word() as f64 / 2f64.powi(64) - 0.5).sum::<f64>();
        let mut groups = |between: f64| -> Vec<Vec<f64>> {
            let mut group = || {
                let shift = between.sqrt() * one();
                (0..200).map(|_| shift + one()).collect()
            };
            (0..200).map(|_| group()).collect()
        };
        assert!(part_between(&groups(0.0)).abs() < 0.003);
        assert!((part_between(&groups(0.25)) - 0.2).abs() < 0.12);
        assert!(part_between(&groups(0.03)) > 0.01);
    }
}
