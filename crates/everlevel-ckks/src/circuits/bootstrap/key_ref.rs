//! The keys that a bootstrap takes, of whichever kind.

use everlevel_rlwe::SwitchingKey;

use crate::circuits::bootstrap::key::{BootstrapKey, SmallBootstrapKey};
use crate::circuits::bootstrap::key_set::TopKeys;
use crate::circuits::bootstrap::method::{BootstrapKind, Method};
use crate::circuits::bootstrap::moduli::is_packed;
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

    /// The kind of the keys in bootstraps of a method: small keys serve every one.
    pub(crate) fn kind(self, method: Method) -> BootstrapKind {
        match self {
            Self::Full(key) => key.kind(),
            Self::Small { .. } => method.kind(),
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

    /// The rotation that joins halves side by side, where a kind has them so.
    pub(crate) fn fold(self, core: &Core, kind: BootstrapKind) -> Option<(i64, &'a SwitchingKey)> {
        match self {
            Self::Full(key) => key.fold.as_ref().map(|(left, key)| (*left, key)),
            // The first rotation of the trace is the same, at all levels.
            Self::Small { key, .. } if is_packed(core, kind) => key.top.trace.first().map(|(left, key)| (*left, key)),
            Self::Small { .. } => None,
        }
    }
}
