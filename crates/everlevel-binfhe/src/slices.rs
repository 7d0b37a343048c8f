//! Long arrays in slices: an operation holds all bootstraps of a round in memory, and hears of a cancellation between
//! two slices.

use std::ops::Range;

use crate::{BoolArray, Error, EvalKeys, UintArray};

impl EvalKeys {
    /// Elements of which each round is a pass over the key or more on every thread of the current pool, where an
    /// element has this many rotations in a round.
    pub fn slice_len(&self, rotations: usize) -> usize {
        (self.bootstrap_key().batch_len() * rayon::current_num_threads()).div_ceil(rotations)
    }

    /// The places of `len` elements, slice by slice. No elements have one slice, so that what is refused without
    /// looking at elements is refused.
    pub(crate) fn slices(&self, len: usize, rotations: usize) -> impl Iterator<Item = Range<usize>> {
        let size = self.slice_len(rotations);
        (0..len.max(1)).step_by(size).map(move |start| start..len.min(start + size))
    }
}

/// The result of an operation on slices, which is made of the slices' results.
pub trait Joined: Sized + Send {
    /// All parts, one behind the other.
    ///
    /// # Errors
    /// [`crate::ObjectError::OtherSecret`] for parts of different secrets, [`Error::WidthMismatch`].
    ///
    /// # Panics
    /// If there are no parts.
    fn joined(parts: Vec<Self>) -> Result<Self, Error>;
}

impl<T: Send> Joined for Vec<T> {
    fn joined(parts: Vec<Self>) -> Result<Self, Error> {
        Ok(parts.into_iter().flatten().collect())
    }
}

impl Joined for UintArray {
    fn joined(parts: Vec<Self>) -> Result<Self, Error> {
        Self::join(&parts.iter().collect::<Vec<_>>())
    }
}

impl Joined for BoolArray {
    fn joined(parts: Vec<Self>) -> Result<Self, Error> {
        Self::join(&parts.iter().collect::<Vec<_>>())
    }
}

impl<A: Joined, B: Joined> Joined for (A, B) {
    fn joined(parts: Vec<Self>) -> Result<Self, Error> {
        let (left, right) = parts.into_iter().unzip();
        Ok((A::joined(left)?, B::joined(right)?))
    }
}
