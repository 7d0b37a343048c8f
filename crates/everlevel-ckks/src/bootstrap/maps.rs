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

use everlevel_ring::PrimeSet;
use everlevel_rlwe::LinearTransform;
use num_complex::Complex64;

use crate::bootstrap::dft::{self, Direction, Halves, Shape, Shift, Steps};
use crate::bootstrap::key_set::StageKeys;
use crate::bootstrap::tables::{BootstrapTables, falling_shares, lowest_sets, stage_sets};
use crate::bootstrap::{BootstrapKind, Method};
use crate::context::Inner;
use crate::params::LOG2_EVAL_MOD;
use crate::working::ratio;

/// Which of a bootstrap's transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    CoeffsToSlots,
    /// From the top message level.
    SlotsToCoeffs,
    /// Down to level 0.
    SlotsToCoeffsFirst,
}

/// What tells two sets of maps apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MapsId {
    pub part: Part,
    pub stage_count: usize,
    /// What EvalMod's input is scaled for, and in which order the transforms go.
    pub kind: BootstrapKind,
    pub steps: Steps,
}

/// The maps of a transform.
#[derive(Debug)]
pub(crate) struct Maps {
    pub stages: Vec<Arc<LinearTransform>>,
    /// Left rotation that is still due after the last stage, where steps go one way.
    pub rotation: i64,
}

/// What has been made so far.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<HashMap<MapsId, Entry>>);

#[derive(Debug)]
struct Entry {
    integers: Arc<Maps>,
    lifted: Weak<Maps>,
}

/// The lifted maps that a key has used, kept for as long as the key.
#[derive(Debug, Default)]
pub(crate) struct Held(Mutex<Vec<Arc<Maps>>>);

impl Cache {
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

    /// As [`Cache::insert`], for what was lifted from the maps of an id.
    fn insert_lifted(&self, id: MapsId, lifted: Maps) -> Arc<Maps> {
        let lifted = Arc::new(lifted);
        let mut all = self.lock();
        let Some(entry) = all.get_mut(&id) else { return lifted };
        entry.lifted.upgrade().unwrap_or_else(|| {
            entry.lifted = Arc::downgrade(&lifted);
            lifted
        })
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

impl Held {
    fn hold(&self, maps: &Arc<Maps>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.iter().any(|held| Arc::ptr_eq(held, maps)) {
            all.push(maps.clone());
        }
    }
}

/// Whether a kind of bootstrap packs both halves into one ciphertext: where there is room for twice the slots, and what
/// comes after EvalMod can take them apart again.
pub(crate) fn is_packed(inner: &Inner, kind: BootstrapKind) -> bool {
    kind == BootstrapKind::Regular && 4 * inner.encoder.slots() <= inner.ring.n()
}

/// Where the diagonals of the stages are.
pub(crate) fn shapes(inner: &Inner, part: Part, stage_count: usize) -> Vec<Shape> {
    let direction = match part {
        Part::CoeffsToSlots => Direction::CoeffsToSlots,
        Part::SlotsToCoeffs | Part::SlotsToCoeffsFirst => Direction::SlotsToCoeffs,
    };
    dft::shapes(inner.encoder.slots(), direction, stage_count)
}

/// The shift of each stage, and the left rotation that is missing at the end.
///
/// CoeffsToSlots to the left leaves its output rotated; SlotsToCoeffs to the right takes that back where it comes last,
/// and leaves the opposite where it comes first.
fn shifts(inner: &Inner, MapsId { part, stage_count, kind, steps }: MapsId) -> (Vec<Shift>, i64) {
    let chain = |shapes: &[Shape], before: i64, wanted: Option<i64>| {
        let mut at = before;
        let shift = |shape: &Shape| {
            let shift = shape.shift(steps, at, wanted.unwrap_or(at));
            at = shift.after;
            shift
        };
        let shifts: Vec<Shift> = shapes.iter().map(shift).collect();
        (shifts, wanted.map_or(0, |wanted| wanted - at))
    };
    let shapes_of = |part, stage_count| shapes(inner, part, stage_count);
    if matches!(steps, Steps::Hoisted(_)) {
        return (vec![Shift::default(); stage_count], 0);
    }
    let reach = |stage_count| -> i64 {
        let down = shapes_of(Part::CoeffsToSlots, stage_count);
        down.iter().map(|shape| shape.shift(Steps::Left, 0, 0).after).sum()
    };
    match (part, kind) {
        (Part::CoeffsToSlots, BootstrapKind::Regular) => chain(&shapes_of(part, stage_count), 0, None),
        (Part::CoeffsToSlots, BootstrapKind::Lossy) => chain(&shapes_of(part, stage_count), -reach(stage_count), None),
        (Part::SlotsToCoeffs, _) => chain(&shapes_of(part, stage_count), reach(inner.small_stage_count()), Some(0)),
        (Part::SlotsToCoeffsFirst, _) => {
            let reach = reach(inner.small_stage_count());
            chain(&shapes_of(part, stage_count), 0, Some(-reach))
        }
    }
}

impl Inner {
    /// The maps of an id.
    pub(crate) fn maps(&self, tables: &BootstrapTables, id: MapsId) -> Arc<Maps> {
        match tables.maps.get(id) {
            Some(maps) => maps,
            // Not under the lock: a thread that waits for its own tasks may be given another bootstrap.
            None => tables.maps.insert(id, self.make_maps(tables, id)),
        }
    }

    /// The maps of an id with the widest stage lifted for the given keys, and held by `held` from now on.
    pub(crate) fn lifted_maps(
        &self,
        tables: &BootstrapTables,
        id: MapsId,
        keys: &[StageKeys],
        held: &Held,
    ) -> Arc<Maps> {
        let maps = match tables.maps.get_lifted(id) {
            Some(maps) => maps,
            None => {
                let integers = self.maps(tables, id);
                let lifted = |(stage, keys): (&Arc<LinearTransform>, &StageKeys)| {
                    let special = keys.values().next().map(|key| &key.gadget().special);
                    special.and_then(|s| stage.lifted(&self.ring, s)).map_or_else(|| stage.clone(), Arc::new)
                };
                let stages = integers.stages.iter().zip(keys).map(lifted).collect();
                tables.maps.insert_lifted(id, Maps { stages, rotation: integers.rotation })
            }
        };
        held.hold(&maps);
        maps
    }

    fn make_maps(&self, tables: &BootstrapTables, id: MapsId) -> Maps {
        let MapsId { part, stage_count, kind, steps } = id;
        let scales = &self.ladder.scales;
        let [down_sets, up_sets] = stage_sets(self, tables, stage_count);
        let q0 = self.ring.product(&tables.base);
        let (sets, shares) = match part {
            // Coefficients factor·q0·t become, after the addition of the conjugate, unit·t.
            // The transform multiplies by the number of slots, the projection before it by n over twice that number.
            Part::CoeffsToSlots => {
                let total = tables.unit(kind) / (self.ring.n() as f64 * tables.raise_factor as f64 * q0);
                (down_sets, vec![total.powf(1.0 / stage_count as f64); stage_count])
            }
            // S·2π·(S0/q0)·m becomes S_out·m.
            Part::SlotsToCoeffs => {
                let out = scales[scales.len() - 1 - stage_count];
                let total = out * tables.message_ratio / (2f64.powf(LOG2_EVAL_MOD) * 2.0 * std::f64::consts::PI);
                (up_sets, falling_shares(total, stage_count))
            }
            // S_(stage_count)·m becomes S_0·m.
            Part::SlotsToCoeffsFirst => {
                let total = scales[0] / scales[stage_count];
                (lowest_sets(self, stage_count), falling_shares(total, stage_count))
            }
        };
        let direction = match part {
            Part::CoeffsToSlots => Direction::CoeffsToSlots,
            Part::SlotsToCoeffs | Part::SlotsToCoeffsFirst => Direction::SlotsToCoeffs,
        };
        let mut maps = dft::stages(&self.encoder, direction, stage_count);
        if is_packed(self, kind) {
            // Real parts of [w, −i·w] are the two halves; y_lo + i·y_hi is what SlotsToCoeffs takes.
            maps[0].halves = Some(match part {
                Part::CoeffsToSlots => Halves::After(-Complex64::i()),
                Part::SlotsToCoeffs | Part::SlotsToCoeffsFirst => Halves::Before(Complex64::i()),
            });
        }
        let (shifts, rotation) = shifts(self, id);
        let pairs: Vec<[&PrimeSet; 2]> = sets.iter().map(|[source, target]| [source, target]).collect();
        let stages = maps
            .iter()
            .zip(pairs)
            .zip(shares)
            .zip(shifts)
            .map(|(((map, pair), share), shift)| {
                let factor = share * ratio(&self.ring, pair[0], pair[1]);
                Arc::new(map.encode(&self.ring, pair, factor, steps, shift))
            })
            .collect();
        Maps { stages, rotation }
    }
}

impl Method {
    /// What a key that serves every method does for this one.
    pub(crate) fn kind(self) -> BootstrapKind {
        match self {
            Method::Regular | Method::Precise => BootstrapKind::Regular,
            Method::Lossy | Method::Sign => BootstrapKind::Lossy,
        }
    }
}
