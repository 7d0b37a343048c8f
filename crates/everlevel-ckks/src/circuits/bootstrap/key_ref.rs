//! The keys that a bootstrap takes, of whichever kind.

use everlevel_rlwe::SwitchingKey;

use crate::circuits::bootstrap::key::{BootstrapKey, SmallBootstrapKey};
use crate::circuits::bootstrap::key_set::TopKeys;
use crate::circuits::bootstrap::method::{BootstrapKind, Method, SlotType, SlotsToCoeffs};
use crate::circuits::bootstrap::moduli::{MapsKind, is_packed, maps_kind};
use crate::core::Core;
use crate::keys::{ConjugationKey, RelinearizationKey, RotationKey};

/// The keys of a bootstrap.
#[derive(Debug, Clone, Copy)]
pub struct BootstrapKeys<'a> {
    /// For EvalMod's products.
    pub relinearization: &'a RelinearizationKey,
    /// To separate real and imaginary parts.
    pub conjugation: &'a ConjugationKey,
    /// For everything else.
    pub bootstrap: BootstrapKeyRef<'a>,
}

/// The rotations of a bootstrap.
#[derive(Debug, Clone, Copy)]
pub enum BootstrapKeyRef<'a> {
    /// A key of its own for every rotation.
    Full(&'a BootstrapKey),
    /// A key for a few, and the powers of two for the message levels.
    Small {
        /// For CoeffsToSlots.
        key: &'a SmallBootstrapKey,
        /// For SlotsToCoeffs.
        rotation: &'a RotationKey,
        /// Stages of SlotsToCoeffs: levels that it takes.
        stage_count: usize,
    },
}

impl<'a> From<&'a BootstrapKey> for BootstrapKeyRef<'a> {
    fn from(key: &'a BootstrapKey) -> Self {
        Self::Full(key)
    }
}

impl<'a> BootstrapKeyRef<'a> {
    /// Levels that SlotsToCoeffs takes.
    pub fn stage_count(self) -> usize {
        match self {
            Self::Full(key) => key.stage_count(),
            Self::Small { stage_count, .. } => stage_count,
        }
    }

    /// Slots of the ciphertexts that it bootstraps.
    pub fn slot_count(self) -> usize {
        match self {
            Self::Full(key) => key.slot_count(),
            Self::Small { key, .. } => key.slot_count(),
        }
    }

    /// The kind of full keys; small ones serve every method.
    pub(crate) fn kind(self) -> Option<BootstrapKind> {
        match self {
            Self::Full(key) => Some(key.kind()),
            Self::Small { .. } => None,
        }
    }

    /// The place of SlotsToCoeffs by a method from a level: a bootstrap that would have it first is one that has it
    /// last where the levels for it are missing.
    pub(crate) fn place(self, core: &Core, method: Method, slot_type: SlotType, level: usize) -> SlotsToCoeffs {
        let has_first = self.kind().is_none_or(BootstrapKind::has_first);
        // One EvalMod for both halves side by side is faster than two.
        let is_packed = is_packed(core, maps_kind(core, self.kind(), SlotsToCoeffs::Last));
        let is_meant = match method {
            Method::Usual => has_first && !(is_packed && slot_type == SlotType::Complex),
            Method::Lossy | Method::Sign => true,
            Method::Regular | Method::Precise => false,
        };
        if is_meant && level >= self.stage_count() { SlotsToCoeffs::First } else { SlotsToCoeffs::Last }
    }

    /// Identities of the keys that aren't its own.
    pub(crate) fn borrowed_ids(self) -> Vec<u64> {
        match self {
            Self::Full(_) => Vec::new(),
            Self::Small { rotation, .. } => rotation.keys.values().map(|key| key.rows().copies().id()).collect(),
        }
    }

    pub(crate) fn top(self) -> &'a TopKeys {
        match self {
            Self::Full(key) => &key.top,
            Self::Small { key, .. } => &key.top,
        }
    }

    /// Stages that a bootstrap reports.
    pub(crate) fn all_stages(self) -> usize {
        self.top().coeffs_to_slots.len() + self.stage_count()
    }

    /// The rotation that joins halves side by side, where maps have them so.
    pub(crate) fn fold(self, core: &Core, maps: MapsKind) -> Option<(i64, &'a SwitchingKey)> {
        let fold = match self {
            Self::Full(key) => key.fold.as_ref(),
            // The first rotation of the trace is the same, at all levels.
            Self::Small { key, .. } => key.top.trace.first(),
        };
        fold.filter(|_| is_packed(core, maps)).map(|(left, key)| (*left, key))
    }
}
