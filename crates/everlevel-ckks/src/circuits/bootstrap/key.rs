//! The keys of a bootstrap, beside the general ones: with a switching key for every rotation, or with few.

use std::sync::Arc;

use everlevel_objects::Origin;
use everlevel_ring::PrimeSet;
use everlevel_rlwe::{SecretId, SwitchingKey};

use crate::Error;
use crate::circuits::bootstrap::dft::Steps;
use crate::circuits::bootstrap::key_set::{
    KeyPurpose, KeySource, StageKeys, TopKeys, named_stage_keys, stage_key_count, stage_keys,
};
use crate::circuits::bootstrap::maps::{LiftedMaps, MapCache, Maps, MapsId};
use crate::circuits::bootstrap::method::{BootstrapKeySize, BootstrapKind, SlotsToCoeffs};
use crate::circuits::bootstrap::moduli::{Transform, is_packed, maps_kind, small_stage_count, stage_gadget};
use crate::circuits::bootstrap::tables::BootstrapTables;
use crate::core::Core;
use crate::keys::key_methods;

/// Keys for bootstraps of one stage count.
#[derive(Debug)]
pub struct BootstrapKey {
    pub(crate) origin: Origin,
    pub(crate) size: BootstrapKeySize,
    pub(crate) kind: BootstrapKind,
    pub(crate) slot_count: usize,
    pub(crate) top: TopKeys,
    /// For SlotsToCoeffs from the top message level.
    pub(crate) slots_to_coeffs: Vec<StageKeys>,
    /// For SlotsToCoeffs at the lowest levels, where it comes first; none in keys for the other order alone.
    pub(crate) slots_to_coeffs_first: Vec<StageKeys>,
    /// The rotation by the number of slots that joins two halves side by side, after SlotsToCoeffs' first stage; none
    /// where the halves are two ciphertexts.
    pub(crate) fold: Option<(i64, SwitchingKey)>,
    /// Plaintexts that are shared with other keys, and go with the last of them.
    pub(crate) maps: LiftedMaps,
}

/// Keys for bootstraps of every kind and stage count, together with a rotation key: one baby and one giant step for
/// each stage of CoeffsToSlots, and the rotation key for SlotsToCoeffs. Little memory, at the price of time.
#[derive(Debug)]
pub struct SmallBootstrapKey {
    pub(crate) origin: Origin,
    pub(crate) slot_count: usize,
    pub(crate) top: TopKeys,
}

/// The properties that tell the full keys of a context and a secret apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BootstrapKeyShape {
    pub stage_count: usize,
    pub kind: BootstrapKind,
    pub size: BootstrapKeySize,
}

impl BootstrapKeyShape {
    /// Number of switching keys.
    pub fn key_count(self, core: &Core) -> usize {
        let Self { stage_count, kind, size } = self;
        let steps = Steps::Hoisted(size);
        let up = stage_key_count(core, Transform::SlotsToCoeffs, stage_count, steps);
        let directions = if kind.has_first() { 2 } else { 1 };
        TopKeys::count(core, stage_count, steps) + directions * up + usize::from(has_fold(core, kind))
    }
}

/// Whether keys of a kind join halves side by side.
fn has_fold(core: &Core, kind: BootstrapKind) -> bool {
    is_packed(core, maps_kind(core, Some(kind), SlotsToCoeffs::Last))
}

impl BootstrapKey {
    pub(crate) fn from_source(
        op: &'static str,
        core: &Core,
        origin: Origin,
        BootstrapKeyShape { stage_count, kind, size }: BootstrapKeyShape,
        source: KeySource,
    ) -> Result<Self, Error> {
        let steps = Steps::Hoisted(size);
        let top = TopKeys::from_source(op, core, stage_count, steps, source)?;
        let slots_to_coeffs = stage_keys(core, Transform::SlotsToCoeffs, stage_count, steps, source)?;
        let slot_count = core.encoder.slots();
        let fold = match has_fold(core, kind) {
            true => {
                let left = slot_count as i64;
                let [_, after] = &Transform::SlotsToCoeffs.sets(core, stage_count)[0];
                Some((left, source("fold", KeyPurpose::Rotation(left), &stage_gadget(core, after)?)?))
            }
            false => None,
        };
        // The last, so that a seed gives keys with and without them the same others.
        let slots_to_coeffs_first = match kind.has_first() {
            true => stage_keys(core, Transform::SlotsToCoeffsFirst, stage_count, steps, source)?,
            false => Vec::new(),
        };
        let maps = LiftedMaps::default();
        Ok(Self { origin, size, kind, slot_count, top, slots_to_coeffs, slots_to_coeffs_first, fold, maps })
    }

    /// Every switching key with its name.
    pub(crate) fn named(&self) -> impl Iterator<Item = (String, &SwitchingKey)> {
        let fold = self.fold.iter().map(|(_, key)| ("fold".into(), key));
        self.top
            .named()
            .chain(named_stage_keys(Transform::SlotsToCoeffs, &self.slots_to_coeffs))
            .chain(named_stage_keys(Transform::SlotsToCoeffsFirst, &self.slots_to_coeffs_first))
            .chain(fold)
    }

    /// The keys of a transform's stages.
    pub(super) fn stages(&self, transform: Transform) -> &[StageKeys] {
        match transform {
            Transform::CoeffsToSlots => &self.top.coeffs_to_slots,
            Transform::SlotsToCoeffs => &self.slots_to_coeffs,
            Transform::SlotsToCoeffsFirst => &self.slots_to_coeffs_first,
        }
    }

    /// The maps of an id: lifted for expanded keys, which are for speed, and integers for seeded ones, which are for
    /// little memory.
    pub(super) fn maps(&self, core: &Core, (tables, cache): (&BootstrapTables, &MapCache), id: MapsId) -> Arc<Maps> {
        match self.is_seeded() {
            true => cache.maps(core, tables, id),
            false => cache.lifted_maps(core, tables, id, (self.stages(id.transform), &self.maps)),
        }
    }

    /// Number of stages of each transform.
    pub fn stage_count(&self) -> usize {
        self.top.coeffs_to_slots.len()
    }

    /// The size that it was made in.
    pub fn size(&self) -> BootstrapKeySize {
        self.size
    }

    /// Slots of the ciphertexts that it bootstraps.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// The methods that it is for.
    pub fn kind(&self) -> BootstrapKind {
        self.kind
    }
}

impl SmallBootstrapKey {
    pub(crate) fn from_source(op: &'static str, core: &Core, origin: Origin, source: KeySource) -> Result<Self, Error> {
        let top = TopKeys::from_source(op, core, small_stage_count(core), Steps::Left, source)?;
        Ok(Self { origin, slot_count: core.encoder.slots(), top })
    }

    /// Slots of the ciphertexts that it bootstraps.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }
}

key_methods! {
    BootstrapKey => |k| k.named().map(|(_, key)| key).collect();
    SmallBootstrapKey => |k| k.top.named().map(|(_, key)| key).collect();
}
