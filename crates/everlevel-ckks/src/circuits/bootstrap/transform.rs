//! A transform's linear maps together with their keys, of whichever kind the keys are.

use std::sync::Arc;

use everlevel_ring::Ring;
use everlevel_rlwe::Rlwe;

use crate::circuits::bootstrap::dft::Steps;
use crate::circuits::bootstrap::key_ref::BootstrapKeyRef;
use crate::circuits::bootstrap::key_set::StageKeys;
use crate::circuits::bootstrap::maps::{MapCache, Maps, MapsId};
use crate::circuits::bootstrap::moduli::{MapsKind, Transform};
use crate::circuits::bootstrap::tables::BootstrapTables;
use crate::core::Core;
use crate::keys::RotationKey;
use crate::rotation::powers_of_two;

/// The rotation keys of a transform: those of each stage, or the powers of two for all.
#[derive(Debug, Clone, Copy)]
enum TransformKeys<'a> {
    Stages(&'a [StageKeys]),
    Powers(&'a RotationKey),
}

/// A transform with its keys.
pub(super) struct KeyedTransform<'a> {
    slots: i64,
    maps: Arc<Maps>,
    steps: Steps,
    keys: TransformKeys<'a>,
}

impl<'a> KeyedTransform<'a> {
    /// A transform by maps of a kind, of a bootstrap that ends so many levels below the highest.
    pub fn new(
        core: &Core,
        (tables, cache): (&BootstrapTables, &MapCache),
        keys: BootstrapKeyRef<'a>,
        transform: Transform,
        (kind, spared): (MapsKind, usize),
    ) -> Self {
        let down = transform == Transform::CoeffsToSlots;
        let stage_count = if down { keys.top().coeffs_to_slots.len() } else { keys.stage_count() };
        let (steps, rotations) = match keys {
            BootstrapKeyRef::Full(key) => (Steps::Hoisted(key.size()), TransformKeys::Stages(key.stages(transform))),
            BootstrapKeyRef::Small { key, .. } if down => {
                (Steps::Left, TransformKeys::Stages(&key.top.coeffs_to_slots))
            }
            BootstrapKeyRef::Small { rotation, .. } => (Steps::Right, TransformKeys::Powers(rotation)),
        };
        let id = MapsId { transform, stage_count, kind, steps, spared: transform.own_spared(spared) };
        let maps = match keys {
            BootstrapKeyRef::Full(key) => key.maps(core, (tables, cache), id),
            BootstrapKeyRef::Small { .. } => cache.maps(core, tables, id),
        };
        Self { slots: core.encoder.slots() as i64, maps, steps, keys: rotations }
    }

    /// Number of stages.
    pub fn len(&self) -> usize {
        self.maps.stages.len()
    }

    /// Stage `stage` of each ciphertext; the last one is followed by the rotation that is still due.
    pub fn apply(&self, ring: &Ring, stage: usize, cts: &[Rlwe]) -> Vec<Rlwe> {
        let map = &self.maps.stages[stage];
        let key = |r: i64| match self.keys {
            TransformKeys::Stages(stages) => &stages[stage][&r],
            TransformKeys::Powers(rotation) => &rotation.keys[&r],
        };
        let mut out: Vec<Rlwe> = match self.steps {
            Steps::Hoisted(_) => map.apply(ring, cts, key),
            Steps::Left | Steps::Right => map.apply_stepwise(ring, cts, key),
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
