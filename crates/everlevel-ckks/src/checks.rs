//! The checks that operations begin with: of parameters, slots, secrets, levels and sizes.

use everlevel_objects::{Origin, require_parameters, require_secret};

use crate::core::Core;
use crate::encoder::Coefficients;
use crate::{Ciphertext, Context, Error, Plaintext};

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
}

impl Core {
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
