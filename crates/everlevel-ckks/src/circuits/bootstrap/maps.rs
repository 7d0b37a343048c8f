//! The linear maps of bootstraps: made when first needed, and shared by all keys of a context.
//!
//! They hold plaintexts as integers (see [`everlevel_rlwe::Diagonal`]), so a set for one stage count is some ten
//! megabytes at N = 2^16, and a key opened from a file is usable at once if another of its kind has been used before.
//!
//! The widest stage of each transform, whose diagonals have the ring's full length, is slow to use in that form. Keys
//! that take gigabytes for the sake of speed therefore use it lifted (see [`LinearTransform::lifted`]): shared too, but
//! held by the keys, so that these tables go when the last key that used them goes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use everlevel_rlwe::LinearTransform;
use num_complex::Complex64;

use crate::chain::LOG2_EVAL_MOD;
use crate::circuits::bootstrap::dft::{self, Shape, Shift, Steps, UpperHalfFactor};
use crate::circuits::bootstrap::stages::{
    MapsKind, StageKeys, Transform, coeffs_to_slots_count, is_packed, stage_special,
};
use crate::circuits::bootstrap::tables::BootstrapTables;
use crate::core::Core;
use crate::ladder::ratio;

/// The properties that tell two sets of maps apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MapsId {
    pub transform: Transform,
    pub stage_count: usize,
    /// The kind, which EvalMod's input is scaled for.
    pub kind: MapsKind,
    pub steps: Steps,
    /// Levels below the highest that SlotsToCoeffs last ends at; none for the other transforms, whose maps serve
    /// ciphertexts over fewer primes too.
    pub spared: usize,
}

/// The maps of a transform's stages.
#[derive(Debug)]
pub(crate) struct Maps {
    pub stages: Vec<Arc<LinearTransform>>,
    /// Left rotation that is still due after the last stage, where steps go one way.
    pub rotation: i64,
}

/// The maps that a context's bootstraps have made so far.
#[derive(Debug, Default)]
pub(crate) struct MapCache(Mutex<HashMap<MapsId, Entry>>);

#[derive(Debug)]
struct Entry {
    integers: Arc<Maps>,
    lifted: Weak<Maps>,
}

/// The lifted maps that a key has used, kept for as long as the key.
#[derive(Debug, Default)]
pub(crate) struct LiftedMaps(Mutex<Vec<Arc<Maps>>>);

impl MapCache {
    fn lock(&self) -> MutexGuard<'_, HashMap<MapsId, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, id: MapsId) -> Option<Arc<Maps>> {
        self.lock().get(&id).map(|entry| entry.integers.clone())
    }

    fn get_lifted(&self, id: MapsId) -> Option<Arc<Maps>> {
        self.lock().get(&id)?.lifted.upgrade()
    }

    /// The first of two that were made at once is kept.
    fn insert(&self, id: MapsId, integers: Maps) -> Arc<Maps> {
        let new = || Entry { integers: Arc::new(integers), lifted: Weak::new() };
        self.lock().entry(id).or_insert_with(new).integers.clone()
    }

    /// As [`MapCache::insert`], for maps that were lifted from the maps of an id.
    fn insert_lifted(&self, id: MapsId, lifted: Maps) -> Arc<Maps> {
        let lifted = Arc::new(lifted);
        let mut all = self.lock();
        let Some(entry) = all.get_mut(&id) else { return lifted };
        entry.lifted.upgrade().unwrap_or_else(|| {
            entry.lifted = Arc::downgrade(&lifted);
            lifted
        })
    }

    /// Whether these maps are there, lifted where that is asked.
    pub fn has(&self, id: MapsId, lifted: bool) -> bool {
        if lifted { self.get_lifted(id).is_some() } else { self.get(id).is_some() }
    }

    /// Bytes held, here and by keys.
    pub fn nbytes(&self) -> usize {
        let all = self.lock();
        let bytes = |maps: &Maps| maps.stages.iter().map(|stage| stage.nbytes()).sum::<usize>();
        let lifted = |entry: &Entry| {
            let Some(lifted) = entry.lifted.upgrade() else { return 0 };
            let pairs = lifted.stages.iter().zip(&entry.integers.stages);
            pairs.filter(|(a, b)| !Arc::ptr_eq(a, b)).map(|(a, _)| a.nbytes()).sum()
        };
        all.values().map(|entry| bytes(&entry.integers) + lifted(entry)).sum()
    }
}

impl LiftedMaps {
    fn hold(&self, maps: &Arc<Maps>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.iter().any(|held| Arc::ptr_eq(held, maps)) {
            all.push(maps.clone());
        }
    }
}

/// The shift of each stage, and the left rotation that is missing at the end.
///
/// CoeffsToSlots to the left leaves its output rotated; SlotsToCoeffs to the right takes that back where it comes last,
/// and leaves the opposite where it comes first.
fn shifts(core: &Core, MapsId { transform, stage_count, kind, steps, .. }: MapsId) -> (Vec<Shift>, i64) {
    let chain = |shapes: &[Shape], before: i64, wanted| dft::shifts(shapes, steps, before, wanted);
    if matches!(steps, Steps::Hoisted(_)) {
        return (vec![Shift::default(); stage_count], 0);
    }
    let reach = |stage_count| dft::reach(core.encoder.slots(), stage_count);
    let shapes = transform.shapes(core, stage_count);
    match (transform, kind) {
        (Transform::CoeffsToSlots, MapsKind::Packable) => chain(&shapes, 0, None),
        (Transform::CoeffsToSlots, MapsKind::Apart) => chain(&shapes, -reach(stage_count), None),
        (Transform::SlotsToCoeffs, _) => chain(&shapes, reach(coeffs_to_slots_count(core)), Some(0)),
        (Transform::SlotsToCoeffsFirst, _) => {
            let reach = reach(coeffs_to_slots_count(core));
            chain(&shapes, 0, Some(-reach))
        }
    }
}

impl MapCache {
    /// The maps of an id.
    pub fn maps(&self, core: &Core, tables: &BootstrapTables, id: MapsId) -> Arc<Maps> {
        match self.get(id) {
            Some(maps) => maps,
            // Not under the lock: a thread that waits for its own tasks may be given another bootstrap.
            None => self.insert(id, make_maps(core, tables, id)),
        }
    }

    /// The maps of an id with the widest stage lifted for the given keys, and held by `held` from now on.
    pub fn lifted_maps(
        &self,
        core: &Core,
        tables: &BootstrapTables,
        id: MapsId,
        (keys, held): (&[StageKeys], &LiftedMaps),
    ) -> Arc<Maps> {
        let maps = match self.get_lifted(id) {
            Some(maps) => maps,
            None => {
                let integers = self.maps(core, tables, id);
                let lifted = |(stage, keys): (&Arc<LinearTransform>, &StageKeys)| {
                    // For all keys that share the maps, of which older ones may have other special primes.
                    let set = keys.values().next().map(|key| key.gadget().ciphertext_set());
                    let special = set.and_then(|set| stage_special(core, &set).ok());
                    special.and_then(|s| stage.lifted(&core.ring, &s)).map_or_else(|| stage.clone(), Arc::new)
                };
                let stages = integers.stages.iter().zip(keys).map(lifted).collect();
                self.insert_lifted(id, Maps { stages, rotation: integers.rotation })
            }
        };
        held.hold(&maps);
        maps
    }
}

fn make_maps(core: &Core, tables: &BootstrapTables, id: MapsId) -> Maps {
    let MapsId { transform, stage_count, kind, steps, spared } = id;
    let scales = &core.ladder.scales;
    let shares = match transform {
        Transform::CoeffsToSlots => vec![tables.share_of_coeffs_to_slots(core, kind, stage_count); stage_count],
        // S·2π·(S0/q0)·m becomes S_out·m.
        Transform::SlotsToCoeffs => {
            let out = scales[scales.len() - 1 - stage_count - spared];
            let total = out * tables.last.message_ratio / (2f64.powf(LOG2_EVAL_MOD) * 2.0 * std::f64::consts::PI);
            falling_shares(total, stage_count)
        }
        // S_(stage_count)·m becomes what the base prime has, or S_0·m where another step follows.
        Transform::SlotsToCoeffsFirst => rising_shares(transform.first_fall(core, tables, stage_count), stage_count),
    };
    let mut maps = dft::stages(&core.encoder, transform.direction(), stage_count);
    if is_packed(core, kind) {
        // Real parts of [w, −i·w] are the two halves; y_lo + i·y_hi is what SlotsToCoeffs takes.
        maps[0].upper_half = Some(match transform {
            Transform::CoeffsToSlots => UpperHalfFactor::After(-Complex64::i()),
            Transform::SlotsToCoeffs | Transform::SlotsToCoeffsFirst => UpperHalfFactor::Before(Complex64::i()),
        });
    }
    let (shifts, rotation) = shifts(core, id);
    let sets = transform.sets_below(core, stage_count, spared);
    let stages = maps
        .iter()
        .zip(&sets)
        .zip(shares)
        .zip(shifts)
        .map(|(((map, [source, target]), share), shift)| {
            let factor = share * ratio(&core.ring, source, target);
            Arc::new(map.encode(&core.ring, [source, target], factor, steps, shift))
        })
        .collect();
    Maps { stages, rotation }
}

impl Transform {
    /// The fall in scale of SlotsToCoeffs first, to that of the base prime, or of level 0 where another step follows.
    pub(super) fn first_fall(self, core: &Core, tables: &BootstrapTables, stage_count: usize) -> f64 {
        let scales = &core.ladder.scales;
        let is_base = core.ladder.sets[0] == tables.base;
        let out = if is_base { tables.first.base_scale } else { scales[0] };
        out / scales[stage_count]
    }
}

/// Factors of stages with the given product, of which later stages have more: the rounding of an early stage is the one
/// that the later stages magnify, and the last plaintexts, of full length, are the least precise.
pub(super) fn rising_shares(total: f64, stage_count: usize) -> Vec<f64> {
    let all = (stage_count * (stage_count + 1) / 2) as f64;
    (1..=stage_count).map(|i| total.powf(i as f64 / all)).collect()
}

/// Factors of SlotsToCoeffs' stages with the given product: half of the fall in scale goes to the first stage, whose
/// rounding the later stages magnify most and whose plaintexts are the most precise.
fn falling_shares(total: f64, stage_count: usize) -> Vec<f64> {
    if stage_count == 1 {
        return vec![total];
    }
    let power = |i| if i == 0 { 0.5 } else { 0.5 / (stage_count - 1) as f64 };
    (0..stage_count).map(|i| total.powf(power(i))).collect()
}
