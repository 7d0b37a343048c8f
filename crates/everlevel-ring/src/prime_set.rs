//! Sets of primes of a ring.

use std::sync::Arc;

/// Indices into a ring's prime table, ascending: the modulus that is the product of those primes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PrimeSet(Arc<[usize]>);

impl PrimeSet {
    /// The set of the given indices.
    pub fn new(indices: impl IntoIterator<Item = usize>) -> Self {
        let mut v: Vec<usize> = indices.into_iter().collect();
        v.sort_unstable();
        v.dedup();
        Self(v.into())
    }

    /// The indices, ascending.
    pub fn indices(&self) -> &[usize] {
        &self.0
    }

    /// Number of primes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Position of prime `index` among the limbs of a polynomial over this set.
    pub fn position(&self, index: usize) -> Option<usize> {
        self.0.binary_search(&index).ok()
    }

    /// Whether prime `index` belongs to the set.
    pub fn contains(&self, index: usize) -> bool {
        self.position(index).is_some()
    }

    /// Whether every prime of `self` belongs to `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().all(|&i| other.contains(i))
    }

    /// Primes of either set.
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.0.iter().chain(other.0.iter()).copied())
    }

    /// Primes of both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        Self::new(self.0.iter().copied().filter(|&i| other.contains(i)))
    }

    /// Primes of `self` that `other` lacks.
    pub fn difference(&self, other: &Self) -> Self {
        Self::new(self.0.iter().copied().filter(|&i| !other.contains(i)))
    }
}
