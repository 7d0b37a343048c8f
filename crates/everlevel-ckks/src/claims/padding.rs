//! Padding: the slots of a ciphertext that hold no encrypted value.
//!
//! A message that is shorter than the slots is followed by zeros, and operations act on these zeros as they do on
//! values: `x + 1` has ones there, and a polynomial has its constant term. What is there is public and exact up to
//! noise, and need not be within the bound that is claimed of the encrypted values: an interval that a function is
//! fitted on may not have 0 in it. So each ciphertext says which slots are padding, and what is there. A slot that
//! depends on an encrypted value is none, and is its owner's affair.

use std::sync::Arc;

use num_complex::Complex64;

use super::Estimate;

/// The slots that may be padding, and the estimate of what they hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Padding {
    slots: Arc<[bool]>,
    /// Whether all of them hold the same number, which every sampled value then is.
    is_constant: bool,
    values: Box<Estimate>,
}

impl Padding {
    /// The slots for which `is_padding` holds, of an estimate of zeros; none where there are no such slots.
    pub fn zeros(slot_count: usize, is_padding: impl Fn(usize) -> bool, values: Estimate) -> Option<Self> {
        let slots: Arc<[bool]> = (0..slot_count).map(is_padding).collect();
        slots.contains(&true).then(|| Self { slots, is_constant: true, values: Box::new(values) })
    }

    /// Zeros after so many values; none where the values fill the slots.
    pub fn after(len: usize, slot_count: usize) -> Option<Self> {
        Self::zeros(slot_count, |slot| slot >= len, Estimate::zeros(0.0, 0))
    }

    /// Zeros that may be anywhere, of a message of which nobody said how many values it has.
    pub fn unknown(slot_count: usize) -> Option<Self> {
        Self::after(0, slot_count)
    }

    /// The padding of a decryption, which errors are part of.
    pub fn decrypted(&self) -> Self {
        let values = &self.values;
        let bound = values.bound().resized(values.bound().size() + values.worst());
        self.clone().varied().with(Estimate::fresh(bound, 0.0, 0))
    }

    /// The estimate of what the slots hold.
    pub fn values(&self) -> &Estimate {
        &self.values
    }

    /// Whether all of the slots are at a place or after it.
    pub fn is_from(&self, place: usize) -> bool {
        !self.slots.iter().take(place).any(|&is_padding| is_padding)
    }

    /// Whether all slots at a place and after it are padding.
    pub fn has_all_from(&self, place: usize) -> bool {
        self.slots.iter().skip(place).all(|&is_padding| is_padding)
    }

    /// Whether a slot is padding.
    pub fn contains(&self, slot: usize) -> bool {
        self.slots[slot]
    }

    /// Slots in a row, each first slot with their number.
    pub fn runs(&self) -> Vec<[usize; 2]> {
        let mut runs: Vec<[usize; 2]> = Vec::new();
        for slot in (0..self.slots.len()).filter(|&slot| self.slots[slot]) {
            match runs.last_mut() {
                Some([first, count]) if *first + *count == slot => *count += 1,
                _ => runs.push([slot, 1]),
            }
        }
        runs
    }

    /// The number that all of the slots hold, where it is one.
    pub fn constant(&self) -> Option<Complex64> {
        self.is_constant.then(|| self.values.sample().first())
    }

    /// Whether all of the slots hold zeros.
    pub fn is_zero(&self) -> bool {
        self.constant() == Some(Complex64::default())
    }

    /// These slots with other values, which are one number where these were.
    pub fn with(&self, values: Estimate) -> Self {
        let values = if self.is_constant { values.of_constant() } else { values };
        Self { values: Box::new(values), ..self.clone() }
    }

    /// These slots, which need not hold one number any more.
    pub fn varied(self) -> Self {
        Self { is_constant: false, ..self }
    }

    /// Slots moved to the left.
    pub fn rotated(&self, left: i64) -> Self {
        let mut slots = self.slots.to_vec();
        slots.rotate_left(left.rem_euclid(self.slots.len() as i64) as usize);
        Self { slots: slots.into(), ..self.clone() }
    }

    /// Whether both are of the same slots.
    pub fn is_alike(a: Option<&Self>, b: Option<&Self>) -> bool {
        match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(&a.slots, &b.slots) || a.slots == b.slots,
            _ => false,
        }
    }

    /// The slots for which `choose` holds of both, with these values; none where there are no such slots.
    pub fn merged(&self, other: &Self, choose: impl Fn(bool, bool) -> bool, values: Estimate) -> Option<Self> {
        let is_padding = |slot: usize| choose(self.slots[slot], other.slots[slot]);
        let merged = Self::zeros(self.slots.len(), is_padding, values.clone())?;
        let is_constant = self.is_constant && other.is_constant;
        Some(Self { is_constant, ..merged }.with(values))
    }
}
