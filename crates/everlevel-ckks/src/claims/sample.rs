//! A sample of slots that are computed on beside the encrypted ones, from which the precision is estimated.
//!
//! A ciphertext's error depends on the values that it met: a product has the error of one operand times the value of
//! the other. Those values are secret. So each ciphertext has a sample of [`LEN`] slots of public random values, evenly
//! spread over its bound, with random errors of the size that the noise formulas give. Every operation acts on both, as
//! it does on encrypted slots: sums of the same operand add up, squares stay positive, polynomials are steep where they
//! are steep. The root mean square of the sample's errors is the estimate. (It is automatic differentiation, forward,
//! on random inputs: errors are carried to first order.)
//!
//! A rotation turns three cycles of sampled slots, whose lengths are primes: one by any amount below 4,872,559 moves
//! the slots of one cycle at least, and all but few amounts move every slot. In one cycle of all slots, a rotation by
//! its length, or several that add up to it, would be none, and errors would cancel that don't.

use std::sync::OnceLock;

use num_complex::Complex64;

/// The lengths of the cycles that rotations turn.
const CYCLES: [usize; 3] = [163, 167, 179];
/// Slots of a sample.
pub const LEN: usize = CYCLES[0] + CYCLES[1] + CYCLES[2];
/// Entries of the table of normal numbers: a power of two.
const NORMALS: usize = 4096;

/// A value with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dual {
    pub value: Complex64,
    pub error: Complex64,
}

/// The sampled slots, and a number that tells their history from others.
///
/// All that an operation does but for encryption is determined by its operands, its noise too: done again, it gives the
/// same noise again, which a difference takes away. So the noise's sample is a function of the operands' histories.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    slots: Box<[Dual]>,
    history: u64,
}

/// The next number of a sequence (splitmix64): estimates need no secrecy, and the same numbers on every machine.
fn mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Between 0 and 1.
fn unit(state: &mut u64) -> f64 {
    (mix(state) >> 11) as f64 / (1u64 << 53) as f64
}

/// Numbers of a nearly normal distribution of variance one: sums of twelve uniform ones, which are the same on every
/// machine.
fn normals() -> &'static [f64] {
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut state = 1;
        (0..NORMALS).map(|_| (0..12).map(|_| unit(&mut state)).sum::<f64>() - 6.0).collect()
    })
}

/// Places of the table of normal numbers: from a random one, in random steps.
fn walk(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    let (start, step) = (mix(&mut state) as usize, mix(&mut state) as usize | 1);
    let table = normals();
    (0..LEN).map(move |i| table[start.wrapping_add(i.wrapping_mul(step)) % NORMALS])
}

/// Errors of a standard deviation of the real part: their root mean square is `√2` of it.
fn errors(std_dev: f64, seed: u64) -> Vec<Complex64> {
    let draws: Vec<Complex64> = walk(seed).zip(walk(!seed)).map(|(re, im)| Complex64::new(re, im)).collect();
    let square = draws.iter().map(Complex64::norm_sqr).sum::<f64>() / LEN as f64;
    let factor = std_dev * (2.0 / square).sqrt();
    draws.into_iter().map(|z| z * factor).collect()
}

/// The history of an operation with a number.
fn after(history: u64, number: u64) -> u64 {
    let mut state = history.rotate_left(1) ^ number;
    mix(&mut state)
}

impl Sample {
    /// Values spread evenly over `[−bound, bound]`, or over the disc of that radius where they need not be real, with
    /// errors of a standard deviation of the real part.
    pub fn new(bound: f64, is_real: bool, std_dev: f64, seed: u64) -> Self {
        let mut state = after(seed, 1);
        let history = mix(&mut state);
        let mut value = || {
            let mut part = || 2.0 * unit(&mut state) - 1.0;
            match is_real {
                true => Complex64::new(part(), 0.0),
                // The first of random points of a square that lies on the disc.
                false => std::iter::repeat_with(|| Complex64::new(part(), part()))
                    .find(|point| point.norm_sqr() <= 1.0)
                    .unwrap_or_else(|| unreachable!("a disc takes most of its square")),
            }
        };
        let slot = |error| Dual { value: value() * bound, error };
        Self { slots: errors(std_dev, history).into_iter().map(slot).collect(), history }
    }

    /// Values spread evenly, of a root mean square.
    pub fn of_size(size: f64, is_real: bool, std_dev: f64, seed: u64) -> Self {
        let sample = Self::new(1.0, is_real, std_dev, seed);
        let factor = size / sample.size();
        sample.map(0, |slot| Dual { value: slot.value * factor, error: slot.error })
    }

    /// `f` of each slot, for an operation with a number.
    pub fn map(&self, number: u64, f: impl FnMut(&Dual) -> Dual) -> Self {
        Self { slots: self.slots.iter().map(f).collect(), history: after(self.history, number) }
    }

    /// `f` of each slot and the other sample's, for an operation with a number.
    pub fn zip(&self, other: &Self, number: u64, f: impl Fn(&Dual, &Dual) -> Dual) -> Self {
        let slots = self.slots.iter().zip(&other.slots).map(|(a, b)| f(a, b)).collect();
        Self { slots, history: after(self.history.wrapping_add(other.history), number) }
    }

    /// These values, with further errors of a standard deviation.
    pub fn with_noise(mut self, std_dev: f64) -> Self {
        self.history = after(self.history, std_dev.to_bits());
        self.slots.iter_mut().zip(errors(std_dev, self.history)).for_each(|(slot, error)| slot.error += error);
        self
    }

    /// Sample of values times a number that is up to `drift` away from one. Which way is unknown: the way that their
    /// errors lean already, which may come from another such number, and must not seem to be undone by this one.
    pub fn drifted(&self, drift: f64) -> Self {
        let lean: f64 = self.slots.iter().map(|x| (x.value.conj() * x.error).re).sum();
        let drift = drift.copysign(if lean < 0.0 { -1.0 } else { 1.0 });
        self.map(drift.to_bits(), |x| Dual { value: x.value, error: x.error + x.value * drift })
    }

    /// Slots moved to the left.
    pub fn rotated(&self, left: i64) -> Self {
        let mut slots = self.slots.clone();
        let mut rest = &mut slots[..];
        for len in CYCLES {
            let (cycle, others) = rest.split_at_mut(len);
            cycle.rotate_left(left.rem_euclid(len as i64) as usize);
            rest = others;
        }
        Self { slots, history: after(self.history, left as u64) }
    }

    /// Other values, spread evenly, with the same errors.
    pub fn redrawn(&self, bound: f64, is_real: bool) -> Self {
        let fresh = Self::new(bound, is_real, 0.0, self.history);
        self.zip(&fresh, 0, |old, new| Dual { value: new.value, error: old.error })
    }

    /// The first sampled value.
    pub fn first(&self) -> Complex64 {
        self.slots[0].value
    }

    /// A number that tells the sampled values' history from others.
    pub fn history(&self) -> u64 {
        self.history
    }

    /// Root mean square of the errors.
    pub fn error(&self) -> f64 {
        self.root_mean_square(|slot| slot.error.norm_sqr())
    }

    /// Root mean square of the values.
    pub fn size(&self) -> f64 {
        self.root_mean_square(|slot| slot.value.norm_sqr())
    }

    /// The largest size of a value.
    pub fn largest(&self) -> f64 {
        self.slots.iter().map(|slot| slot.value.norm_sqr()).fold(0.0, f64::max).sqrt()
    }

    /// Mean of the values.
    pub fn mean(&self) -> Complex64 {
        self.slots.iter().map(|slot| slot.value).sum::<Complex64>() / LEN as f64
    }

    fn root_mean_square(&self, square: impl Fn(&Dual) -> f64) -> f64 {
        (self.slots.iter().map(square).sum::<f64>() / LEN as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn noise_has_its_size_and_no_mean() {
        for seed in 0..100 {
            let sample = Sample::new(3.0, true, 0.25, seed);
            assert!((sample.error() / (0.25 * 2f64.sqrt()) - 1.0).abs() < 1e-12);
            assert!((sample.size() / 3f64.sqrt() - 1.0).abs() < 0.2, "{}", sample.size());
            assert!(sample.mean().norm() < 0.5);
        }
    }

    #[test]
    fn independent_noises_add_in_squares() {
        let sum = (0..64).fold(Sample::new(0.0, true, 0.0, 0), |sum, _| sum.with_noise(1.0));
        assert!((sum.error() / 128f64.sqrt() - 1.0).abs() < 0.2, "{}", sum.error());
    }

    /// Rotations of up to 2^16 slots: no amount leaves all sampled slots where they are, and 3 in 200 leave a third.
    #[test]
    fn rotations_move_nearly_every_slot() {
        let sample = Sample::new(1.0, true, 1.0, 7);
        let stays = |left: i64| {
            let moved = sample.rotated(left);
            moved.slots.iter().zip(&sample.slots).filter(|(a, b)| a == b).count()
        };
        let all: Vec<usize> = (1..1 << 16).map(stays).collect();
        let share = |count: usize| all.iter().filter(|&&stays| stays > count).count() as f64 / all.len() as f64;
        assert!(all.iter().all(|&stays| stays < 350) && share(0) < 0.02 && share(180) < 2e-4);
        assert!((0..16).all(|power| stays(1 << power) == 0));
        assert_eq!(sample.rotated(100).rotated(-100).slots, sample.slots);
    }
}
