//! The keys of a bootstrap, beside the general ones: with a switching key for every rotation, or with few; and linear
//! transforms with either.

use std::sync::Arc;

use everlevel_objects::Origin;
use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Rlwe, SecretId, SwitchingKey};

use crate::circuits::bootstrap::dft::Steps;
use crate::circuits::bootstrap::maps::{LiftedMaps, MapCache, Maps, MapsId};
use crate::circuits::bootstrap::method::{BootstrapKeySize, BootstrapKind, Method, SlotType, SlotsToCoeffs};
use crate::circuits::bootstrap::stages::{
    KeyPurpose, KeySource, MapsKind, StageKeys, TopKeys, Transform, coeffs_to_slots_count, is_packed, maps_kind,
    named_stage_keys, stage_gadget, stage_key_count, stage_keys,
};
use crate::circuits::bootstrap::tables::BootstrapTables;
use crate::core::{Core, powers_of_two};
use crate::keys::{ConjugationKey, RelinearizationKey, RotationKey, key_methods};
use crate::{Ciphertext, Context, Error};

/// Keys for bootstraps of one stage count.
#[derive(Debug)]
pub struct BootstrapKey {
    pub(crate) origin: Origin,
    pub(crate) size: BootstrapKeySize,
    pub(crate) kind: BootstrapKind,
    pub(crate) slot_count: usize,
    pub(crate) top: TopKeys,
    /// For SlotsToCoeffs from the top message level; none in keys for the other order alone.
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
    /// Stages of SlotsToCoeffs.
    pub stage_count: usize,
    pub coeffs_to_slots_count: usize,
    pub kind: BootstrapKind,
    pub size: BootstrapKeySize,
}

impl BootstrapKeyShape {
    /// Number of switching keys.
    pub fn key_count(self, core: &Core) -> usize {
        let Self { stage_count, coeffs_to_slots_count, kind, size } = self;
        let steps = Steps::Hoisted(size);
        let up = stage_key_count(core, Transform::SlotsToCoeffs, stage_count, steps);
        let directions = usize::from(kind.has_first()) + usize::from(kind.has_last());
        TopKeys::count(core, coeffs_to_slots_count, steps) + directions * up + usize::from(has_fold(core, kind))
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
        BootstrapKeyShape { stage_count, coeffs_to_slots_count, kind, size }: BootstrapKeyShape,
        source: KeySource,
    ) -> Result<Self, Error> {
        let steps = Steps::Hoisted(size);
        let top = TopKeys::from_source(op, core, coeffs_to_slots_count, steps, source)?;
        let slots_to_coeffs = match kind.has_last() {
            true => stage_keys(core, Transform::SlotsToCoeffs, stage_count, steps, source)?,
            false => Vec::new(),
        };
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

    /// Number of stages of SlotsToCoeffs: the levels that it takes.
    pub fn stage_count(&self) -> usize {
        self.slots_to_coeffs.len().max(self.slots_to_coeffs_first.len())
    }

    /// Number of stages of CoeffsToSlots.
    pub(crate) fn coeffs_to_slots_count(&self) -> usize {
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
        let top = TopKeys::from_source(op, core, coeffs_to_slots_count(core), Steps::Left, source)?;
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

impl BootstrapKeys<'_> {
    /// Refuses keys that don't belong to a ciphertext, and a ciphertext of another context or of three polynomials.
    pub(crate) fn check(&self, op: &'static str, context: &Context, a: &Ciphertext) -> Result<(), Error> {
        context.check_ciphertext(op, a)?;
        context.check_relinearized(op, a)?;
        context.check_whole_key(op, self.relinearization, a)?;
        context.check_whole_key(op, self.conjugation, a)?;
        match self.bootstrap {
            BootstrapKeyRef::Full(key) => context.check_secret(op, "bootstrap key", key.origin, a),
            BootstrapKeyRef::Small { key, rotation, .. } => {
                context.check_whole_key(op, rotation, a)?;
                context.check_secret(op, "small bootstrap key", key.origin, a)
            }
        }
    }
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

    /// Refuses keys without the transforms that come first.
    pub(crate) fn check_first(self, op: &'static str) -> Result<(), Error> {
        match self.kind() {
            Some(found @ BootstrapKind::Regular) => {
                Err(Error::BootstrapKind { op, found, needed: BootstrapKind::Lossy })
            }
            _ => Ok(()),
        }
    }

    /// Refuses keys without the transform that comes last.
    pub(crate) fn check_last(self, op: &'static str) -> Result<(), Error> {
        match self.kind() {
            Some(found @ BootstrapKind::First) => {
                Err(Error::BootstrapKind { op, found, needed: BootstrapKind::Regular })
            }
            _ => Ok(()),
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
            Method::Lossy | Method::Sign | Method::Table => true,
            Method::Regular | Method::Precise => false,
        };
        // Values that fill the sine are refused below that level, unless they are coefficients already.
        if is_meant && (level >= self.stage_count() || method.fills_the_sine()) {
            SlotsToCoeffs::First
        } else {
            SlotsToCoeffs::Last
        }
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
