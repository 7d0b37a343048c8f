//! The checks that operations begin with: of parameters, slots, secrets, levels and sizes; and ranges, which are what a
//! level's modulus can hold.
//!
//! A result whose *declared* bound exceeds its level's room is refused before any work. One whose bound is *assumed* is
//! computed, and a [`RangeNotice`] tells whoever listens ([`noticing`]); or it is refused, too, where the context was
//! made so ([`crate::Options::refuse_assumed`]).

use std::cell::RefCell;

use everlevel_objects::{Origin, require_parameters, require_secret};

use crate::claims::{Bound, TAIL};
use crate::core::Core;
use crate::encoder::Coefficients;
use crate::keys::LevelKey;
use crate::{Ciphertext, Context, Error, Plaintext};

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

/// Refuses ciphertexts of which some are on the host and some on a device, or on different devices.
pub(crate) fn require_one_place<'a>(
    op: &'static str,
    all: impl IntoIterator<Item = &'a Ciphertext>,
) -> Result<(), Error> {
    let id = |ct: &Ciphertext| ct.device().map(|device| device.id());
    let mut all = all.into_iter();
    let Some(first) = all.next() else { return Ok(()) };
    match all.find(|&other| id(other) != id(first)) {
        None => Ok(()),
        Some(other) => Err(Error::OtherDevice { op, left: first.place().into(), right: other.place().into() }),
    }
}

impl Context {
    /// Refuses keys of other parameters.
    pub(crate) fn check(&self, op: &'static str, what: &'static str, origin: Origin) -> Result<(), Error> {
        self.check_fingerprint(op, what, origin.fingerprint)
    }

    pub(crate) fn check_fingerprint(&self, op: &'static str, what: &'static str, found: u64) -> Result<(), Error> {
        Ok(require_parameters(op, what, found, self.core.fingerprint)?)
    }

    pub(crate) fn check_ciphertext(&self, op: &'static str, ciphertext: &Ciphertext) -> Result<(), Error> {
        self.check_fingerprint(op, "ciphertext", ciphertext.origin().fingerprint)?;
        self.check_slots("slot_count of the ciphertext", ciphertext.slot_count())
    }

    pub(crate) fn check_plaintext(&self, op: &'static str, plaintext: &Plaintext) -> Result<(), Error> {
        self.check_fingerprint(op, "plaintext", plaintext.fingerprint)?;
        self.check_slots("slot_count of the plaintext", plaintext.slot_count)
    }

    pub(crate) fn check_slots(&self, what: &'static str, slot_count: usize) -> Result<(), Error> {
        let (found, expected) = (slot_count, self.slot_count());
        if found == expected { Ok(()) } else { Err(Error::ForeignSlots { what, found, expected }) }
    }

    /// Refuses keys of another secret than the ciphertext's.
    pub(crate) fn check_secret(
        &self,
        op: &'static str,
        what: &'static str,
        origin: Origin,
        ciphertext: &Ciphertext,
    ) -> Result<(), Error> {
        self.check(op, what, origin)?;
        Ok(require_secret(op, what, origin.secret_id, ciphertext.secret_id())?)
    }

    /// The highest level that a key serves.
    pub fn key_level(&self, key: &impl LevelKey) -> usize {
        let level = key.message_keys().first().and_then(|key| self.core.level_of(key.gadget()));
        level.unwrap_or(self.max_level())
    }

    /// Refuses a key of another secret than a ciphertext's, or one that doesn't serve a level.
    pub(crate) fn check_key<K: LevelKey>(
        &self,
        op: &'static str,
        key: &K,
        ciphertext: &Ciphertext,
        level: usize,
    ) -> Result<(), Error> {
        self.check_secret(op, K::NAME, key.origin(), ciphertext)?;
        let served = self.key_level(key);
        if level <= served { Ok(()) } else { Err(Error::KeyLevel { op, key: K::NAME, level, served }) }
    }

    /// Refuses a key of another secret than a ciphertext's, or one that lacks levels, for a bootstrap.
    pub(crate) fn check_whole_key<K: LevelKey>(
        &self,
        op: &'static str,
        key: &K,
        ciphertext: &Ciphertext,
    ) -> Result<(), Error> {
        self.check_secret(op, K::NAME, key.origin(), ciphertext)?;
        let (served, max_level) = (self.key_level(key), self.max_level());
        if served == max_level { Ok(()) } else { Err(Error::CutKey { op, key: K::NAME, served, max_level }) }
    }

    pub(crate) fn check_level(&self, op: &'static str, level: usize) -> Result<(), Error> {
        let max_level = self.max_level();
        if level <= max_level { Ok(()) } else { Err(Error::LevelOutOfRange { op, level, max_level }) }
    }

    /// Refuses ciphertexts with fewer than `needed` levels.
    pub(crate) fn check_depth(&self, op: &'static str, ciphertext: &Ciphertext, needed: usize) -> Result<(), Error> {
        let (level, max_level) = (ciphertext.level(), self.max_level());
        if level >= needed { Ok(()) } else { Err(Error::LevelExhausted { op, needed, level, max_level }) }
    }

    /// Refuses operands that do not belong together.
    pub(crate) fn check_pair(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        self.check_ciphertext(op, a)?;
        self.check_ciphertext(op, b)?;
        require_secret(op, "second ciphertext", b.secret_id(), a.secret_id())?;
        require_one_place(op, [a, b])
    }

    /// Refuses products that were not relinearized.
    pub(crate) fn check_relinearized(&self, op: &'static str, a: &Ciphertext) -> Result<(), Error> {
        match a.polynomial_count() {
            2 => Ok(()),
            found => Err(Error::NotRelinearized { op, found }),
        }
    }

    /// Refuses messages whose coefficients, of this size, do not fit a level.
    pub(crate) fn check_size(&self, op: &'static str, size: f64, level: usize) -> Result<(), Error> {
        self.core.check_size(op, size, level)
    }

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

impl Core {
    /// The size that values at a level stay below: half of the modulus that they are read from, over the scale.
    pub(crate) fn room(&self, level: usize) -> f64 {
        self.log2_available(level).exp2() / self.ladder.scales[level]
    }

    /// The levels above one that have room for values of a size.
    pub(crate) fn higher_with_room(&self, size: f64, level: usize) -> Vec<usize> {
        (level + 1..self.ladder.sets.len()).filter(|&above| size < self.room(above)).collect()
    }

    /// Refuses coefficients that are too large for a level.
    pub(crate) fn check_fits(&self, op: &'static str, coeffs: &Coefficients, level: usize) -> Result<(), Error> {
        // Sums of opposite overflows are no numbers.
        let largest = coeffs.high.iter().fold(0.0f64, |m, c| m.max(if c.is_nan() { f64::INFINITY } else { c.abs() }));
        self.check_size(op, largest, level)
    }

    /// As [`Core::check_fits`], for the size of the largest. One beyond doubles counts as the largest double.
    pub(crate) fn check_size(&self, op: &'static str, largest: f64, level: usize) -> Result<(), Error> {
        let log2_largest = largest.clamp(f64::MIN_POSITIVE, f64::MAX).log2();
        self.check_log2(op, log2_largest + self.ladder.scales[level].log2(), level)
    }

    /// As [`Core::check_size`], for the log2 of the largest at the level's scale.
    pub(crate) fn check_log2(&self, op: &'static str, log2_needed: f64, level: usize) -> Result<(), Error> {
        let log2_available = self.log2_available(level);
        if log2_needed < log2_available {
            return Ok(());
        }
        let log2_scale = self.ladder.scales[level].log2();
        let higher = self.higher_with_room((log2_needed - log2_scale).exp2(), level);
        Err(Error::ScaleOverflow { op, log2_needed, log2_available, log2_scale, level, higher })
    }
}
