//! The probability that a value is wrong: what the bootstraps that led to it may have got wrong, together.
//!
//! A bootstrap gives what belongs to another message with a probability that its input's noise says. A value is right
//! if no bootstrap failed that it depends on; so it is wrong with at most the sum of their probabilities, where each
//! counts once, however many ways lead from it to the value. A circuit's bootstraps are too many to be kept one by one:
//! a value keeps the largest probability of one, and the [`KEPT`] smallest of their names, which are hashes of uniform
//! masks. Fewer names than that are all there are. Of more, the `K`-th smallest tells the number, about
//! `(K − 1)·2^64/name` (k minimum values: Bar-Yossef and others, RANDOM 2002), and twice as many are counted: they are
//! more with probability below 2^-27.

use std::borrow::Cow;

/// The number of bootstraps whose names are kept.
pub const KEPT: usize = 64;

/// The bootstraps that led to a value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FailureBound {
    /// The largest probability that one of them failed.
    worst: f64,
    /// The smallest names, in ascending order, without repetition.
    names: Vec<u64>,
}

impl FailureBound {
    /// One bootstrap. Probabilities that a number can't hold count as the smallest that it can.
    pub fn one(name: u64, probability: f64) -> Self {
        Self { worst: probability.clamp(f64::MIN_POSITIVE, 1.0), names: vec![name] }
    }

    /// The bound of a value without a history: nothing is known.
    pub fn unknown() -> Self {
        Self::one(0, 1.0)
    }

    /// The parts that files keep: the largest probability, and the names.
    pub fn parts(&self) -> (f64, &[u64]) {
        (self.worst, &self.names)
    }

    /// The bound of these parts; `None` where no bound has them.
    pub fn from_parts(worst: f64, names: Vec<u64>) -> Option<Self> {
        let ascending = names.windows(2).all(|pair| pair[0] < pair[1]);
        let sound = (0.0..=1.0).contains(&worst) && ascending && names.len() <= KEPT;
        (sound && names.is_empty() == (worst == 0.0)).then_some(Self { worst, names })
    }

    /// The bootstraps that led to any of some values.
    pub fn union<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut union: Cow<'_, Self> = Cow::Owned(Self::default());
        for other in all.into_iter().filter(|other| !other.names.is_empty()) {
            if union.names.is_empty() {
                union = Cow::Borrowed(other);
            } else if *union != *other {
                union = Cow::Owned(union.with(other));
            }
        }
        union.into_owned()
    }

    fn with(&self, other: &Self) -> Self {
        let mut names = Vec::with_capacity(KEPT);
        let (mut a, mut b) = (self.names.iter().copied().peekable(), other.names.iter().copied().peekable());
        while names.len() < KEPT {
            let next = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) => *x.min(y),
                (Some(x), None) | (None, Some(x)) => *x,
                (None, None) => break,
            };
            names.push(next);
            a.next_if_eq(&next);
            b.next_if_eq(&next);
        }
        Self { worst: self.worst.max(other.worst), names }
    }

    /// An upper bound of the number of bootstraps.
    pub fn bootstraps(&self) -> f64 {
        match self.names.get(KEPT - 1) {
            None => self.names.len() as f64,
            Some(&last) => 2.0 * (KEPT - 1) as f64 * 64f64.exp2() / (last as f64).max(1.0),
        }
    }

    /// An upper bound of the probability that any of the bootstraps failed.
    pub fn probability(&self) -> f64 {
        (self.bootstraps() * self.worst).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(range: std::ops::Range<u64>) -> FailureBound {
        let all: Vec<FailureBound> =
            range.map(|i| FailureBound::one((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15), 2f64.powi(-70))).collect();
        FailureBound::union(&all)
    }

    #[test]
    fn few_bootstraps_are_counted_exactly_and_each_once() {
        assert_eq!(FailureBound::default().probability(), 0.0);
        let (a, b) = (events(0..20), events(10..40));
        assert_eq!(a.probability(), 20.0 * 2f64.powi(-70));
        assert_eq!(FailureBound::union([&a, &b]), events(0..40));
        assert_eq!(FailureBound::union([&a, &b, &a, &FailureBound::default()]).bootstraps(), 40.0);
        let worse = FailureBound::one(1, 0.25);
        assert_eq!(FailureBound::union([&a, &worse]).probability(), 1.0);
        assert_eq!(FailureBound::one(1, 0.0).probability(), f64::MIN_POSITIVE);
        assert_eq!(FailureBound::unknown().probability(), 1.0);
    }

    #[test]
    fn many_bootstraps_are_bounded_from_above_within_two_bits() {
        for count in [100, 1000, 50_000] {
            let found = events(0..count).bootstraps() / count as f64;
            assert!((1.0..4.0).contains(&found), "{count}: {found}");
        }
        assert_eq!(FailureBound::union([&events(0..700), &events(300..1000)]), events(0..1000));
    }

    #[test]
    fn parts_that_no_bound_has_are_refused() {
        let (worst, names) = (events(0..5).parts().0, events(0..5).parts().1.to_vec());
        assert_eq!(FailureBound::from_parts(worst, names.clone()), Some(events(0..5)));
        assert_eq!(FailureBound::from_parts(0.0, vec![]), Some(FailureBound::default()));
        for (worst, names) in [
            (f64::NAN, names.clone()),
            (-0.5, names.clone()),
            (1.5, names.clone()),
            (0.0, names.clone()),
            (worst, vec![]),
            (worst, vec![3, 3]),
            (worst, vec![3, 2]),
            (worst, (0..65).collect()),
        ] {
            assert_eq!(FailureBound::from_parts(worst, names), None);
        }
    }
}
