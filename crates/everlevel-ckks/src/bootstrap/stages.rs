//! One bootstrap's linear maps together with their keys, of whichever kind the keys are.

use std::sync::Arc;

use everlevel_ring::Ring;
use everlevel_rlwe::{Rlwe, SwitchingKey};

use crate::bootstrap::dft::Steps;
use crate::bootstrap::key_set::{StageKeys, TopKeys};
use crate::bootstrap::maps::{Maps, MapsId, Part, is_packed};
use crate::bootstrap::{BootstrapKey, BootstrapKind, BootstrapTables, Method, SmallBootstrapKey};
use crate::context::Inner;
use crate::keys::RotationKey;
use crate::rotation::powers_of_two;

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

    /// What the keys do for a method: small keys serve every one.
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
    pub(crate) fn fold(self, inner: &Inner, kind: BootstrapKind) -> Option<(i64, &'a SwitchingKey)> {
        match self {
            Self::Full(key) => key.fold.as_ref().map(|(left, key)| (*left, key)),
            // The first rotation of the trace is the same, at all levels.
            Self::Small { key, .. } if is_packed(inner, kind) => key.top.trace.first().map(|(left, key)| (*left, key)),
            Self::Small { .. } => None,
        }
    }

    pub(super) fn stages(
        self,
        inner: &'a Inner,
        tables: &BootstrapTables,
        part: Part,
        kind: BootstrapKind,
    ) -> Stages<'a> {
        let down = part == Part::CoeffsToSlots;
        let stage_count = if down { self.top().coeffs_to_slots.len() } else { self.stage_count() };
        let (steps, keys) = match self {
            Self::Full(key) => {
                let keys = match part {
                    Part::CoeffsToSlots => &key.top.coeffs_to_slots,
                    Part::SlotsToCoeffs => &key.slots_to_coeffs,
                    Part::SlotsToCoeffsFirst => &key.slots_to_coeffs_first,
                };
                (Steps::Hoisted(key.size()), Keys::Stages(keys))
            }
            Self::Small { key, .. } if down => (Steps::Left, Keys::Stages(&key.top.coeffs_to_slots)),
            Self::Small { rotation, .. } => (Steps::Right, Keys::Powers(rotation)),
        };
        let id = MapsId { part, stage_count, kind, steps };
        let maps = match (self, keys) {
            // Who takes full keys as they are wants speed; small and seeded keys are for little memory.
            (Self::Full(key), Keys::Stages(keys)) if !key.is_seeded() => inner.lifted_maps(tables, id, keys, &key.maps),
            _ => inner.maps(tables, id),
        };
        Stages { slots: inner.encoder.slots() as i64, maps, steps, keys }
    }
}

#[derive(Debug, Clone, Copy)]
enum Keys<'a> {
    Stages(&'a [StageKeys]),
    Powers(&'a RotationKey),
}

/// A transform that can be applied.
pub(super) struct Stages<'a> {
    slots: i64,
    maps: Arc<Maps>,
    steps: Steps,
    keys: Keys<'a>,
}

impl Stages<'_> {
    /// Number of stages.
    pub fn len(&self) -> usize {
        self.maps.stages.len()
    }

    /// Stage `stage` of each ciphertext; the last one is followed by the rotation that is still due.
    pub fn apply(&self, ring: &Ring, stage: usize, cts: &[Rlwe]) -> Vec<Rlwe> {
        let map = &self.maps.stages[stage];
        let key = |r: i64| match self.keys {
            Keys::Stages(stages) => &stages[stage][&r],
            Keys::Powers(rotation) => &rotation.keys[&r],
        };
        let mut out: Vec<Rlwe> = match self.steps {
            Steps::Hoisted(_) => map.apply_many(ring, cts, key),
            Steps::Left | Steps::Right => map.apply_stepwise_many(ring, cts, key),
        };
        if stage + 1 == self.len() {
            for left in powers_of_two(self.maps.rotation, self.slots) {
                let elt = ring.rotation_elt(left);
                out.iter_mut().for_each(|ct| *ct = key(left).automorphism(ring, ct, elt));
            }
        }
        out
    }
}
