//! Ranges: what a level's modulus can hold, and what happens to results that may exceed it.
//!
//! A result whose *declared* bound exceeds its level's room is refused before any work. One whose bound is *assumed* is
//! computed, and a [`RangeNotice`] tells whoever listens ([`noticing`]); or it is refused, too, where the context was
//! made so ([`crate::Options::refuse_assumed`]).

use std::cell::RefCell;

use crate::claims::{Bound, TAIL};
use crate::core::Core;
use crate::{Context, Error};

/// Relative room for the roundings of sums of bounds and sizes.
pub(crate) const SLACK: f64 = 1e-9;

/// The largest relative error of a room, which is the power of a logarithm in doubles.
const OF_ROOMS: f64 = 1e-12;

/// The largest share of a bound that counts as its values' error.
const LARGEST_ERROR: f64 = 1.0 / 256.0;

everlevel_io::errors! {
    /// A result that may be wrong, and was computed all the same.
    #[derive(Clone, PartialEq)]
    pub enum RangeNotice: "ckks.range"
    nested {}
    opaque {}

    /// A result's bound exceeds its level's room; nobody declared the bound.
    #[error(
        "{op}: values may be as large as {bound:.6e}, level {level} holds less than {room:.6e}; declare the bounds of \
         what is encrypted"
    )]
    Room {
        /// The operation.
        op: &'static str,
        /// The result's bound.
        bound: f64,
        /// The largest size that the level holds.
        room: f64,
        /// The level.
        level: usize,
    }
    /// A value that is encrypted exceeds the bound that is assumed.
    #[error("{op}: a value has size {largest:e}, the assumed bound is {bound}; declare a bound")]
    Message {
        /// The operation.
        op: &'static str,
        /// The largest size of a value.
        largest: f64,
        /// The assumed bound.
        bound: f64,
    }
    /// A declared bound is beyond the range where a bootstrap is accurate.
    #[error(
        "{op}: values may be as large as {bound:e}, with errors up to {worst:.1e}; it is accurate up to {accurate:.1}"
    )]
    Accuracy {
        /// The operation.
        op: &'static str,
        /// The declared bound.
        bound: f64,
        /// The largest size with an accurate result.
        accurate: f64,
        /// The error that a value of the bound's size may have.
        worst: f64,
    }
    /// A decrypted value exceeds its ciphertext's bound.
    #[error("{op}: a value has size {largest:e}, the ciphertext's bound is {bound:e}; it may be wrong")]
    Decrypted {
        /// The operation.
        op: &'static str,
        /// The largest size of a value.
        largest: f64,
        /// The ciphertext's bound.
        bound: f64,
    }
}

thread_local! {
    /// The notices of the calls in progress on this thread, where somebody listens.
    static NOTICES: RefCell<Option<Vec<RangeNotice>>> = const { RefCell::new(None) };
}

/// Does some work on this thread, and gives its notices.
pub fn noticing<T>(work: impl FnOnce() -> T) -> (T, Vec<RangeNotice>) {
    let outer = NOTICES.replace(Some(Vec::new()));
    let result = work();
    (result, NOTICES.replace(outer).unwrap_or_default())
}

/// Tells whoever listens on this thread.
pub fn notice(notice: RangeNotice) {
    NOTICES.with_borrow_mut(|notices| {
        if let Some(notices) = notices {
            notices.push(notice);
        }
    });
}

impl Core {
    /// The size that values at a level stay below: half of the modulus that they are read from, over the scale.
    pub(crate) fn room(&self, level: usize) -> f64 {
        self.log2_available(level).exp2() / self.ladder.scales[level]
    }

    /// The levels above one that have room for values of a size.
    pub(crate) fn higher_with_room(&self, size: f64, level: usize) -> Vec<usize> {
        (level + 1..self.ladder.sets.len()).filter(|&above| size < self.room(above)).collect()
    }
}

impl Context {
    /// The size that values of a ciphertext at a level must stay below, or they wrap around; none for a level that
    /// does not exist.
    pub fn room_at(&self, level: usize) -> Option<f64> {
        (level <= self.max_level()).then(|| self.core.room(level))
    }

    /// Refuses a result whose bound is beyond its level's room, or gives notice. What is to fit the level are values
    /// with their errors, `worst` of them from the operands, and a rounding's and those of doubles besides.
    pub(crate) fn check_range(&self, op: &'static str, bound: Bound, worst: f64, level: usize) -> Result<(), Error> {
        let rounding = self.core.rounding_error(self.core.ladder.scales[level]);
        let error = worst + TAIL * 2.0 * rounding + (self.core.drift() + OF_ROOMS) * bound.size();
        // Of a larger error nothing is known but that it is a bound.
        let size = bound.size() + error.min(bound.size() * LARGEST_ERROR);
        let room = self.core.room(level);
        let bound = if bound.size() < room { bound.resized(size) } else { bound };
        self.check_room(op, bound, (level, room), || self.core.higher_with_room(size, level))
    }

    /// As [`Context::check_range`], for an operation with a room of its own at a level, and the higher levels at which
    /// it has more.
    pub(crate) fn check_room(
        &self,
        op: &'static str,
        bound: Bound,
        (level, room): (usize, f64),
        higher: impl FnOnce() -> Vec<usize>,
    ) -> Result<(), Error> {
        if bound.size() < room {
            return Ok(());
        }
        let bound_size = bound.size();
        if bound.is_declared() || self.core.refuses_assumed {
            return Err(Error::OutOfRange { op, bound: bound_size, room, level, higher: higher() });
        }
        notice(RangeNotice::Room { op, bound: bound_size, room, level });
        Ok(())
    }
}
