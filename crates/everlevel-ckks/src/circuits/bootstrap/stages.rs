//! The stages of bootstraps: moduli and gadgets, which follow from the parameters, and the switching keys that all keys
//! of bootstraps have in common, made or read one by one.

use std::collections::{BTreeMap, BTreeSet};

use everlevel_ring::{PrimeSet, Recordings};
use everlevel_rlwe::{Gadget, SwitchingKey};

use crate::Error;
use crate::chain::STAGE_COUNTS;
use crate::circuits::bootstrap::dft::{self, Direction, Shape, Steps};
use crate::circuits::bootstrap::method::{BootstrapKind, SlotsToCoeffs};
use crate::core::{Core, best_gadget};

/// The properties of an order that its maps depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MapsKind {
    /// For EvalMod before SlotsToCoeffs, with both halves in one ciphertext where there is room.
    Packable,
    /// For EvalMod of every order, with halves in two ciphertexts.
    Apart,
}

impl SlotsToCoeffs {
    /// The transforms of a bootstrap, in their order.
    pub(super) fn transforms(self) -> [Transform; 2] {
        match self {
            Self::First => [Transform::SlotsToCoeffsFirst, Transform::CoeffsToSlots],
            Self::Last => [Transform::CoeffsToSlots, Transform::SlotsToCoeffs],
        }
    }
}

/// One of a bootstrap's transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Transform {
    CoeffsToSlots,
    /// From the top message level.
    SlotsToCoeffs,
    /// Down to level 0.
    SlotsToCoeffsFirst,
}

impl Transform {
    pub fn direction(self) -> Direction {
        match self {
            Transform::CoeffsToSlots => Direction::CoeffsToSlots,
            Transform::SlotsToCoeffs | Transform::SlotsToCoeffsFirst => Direction::SlotsToCoeffs,
        }
    }

    /// The places of the diagonals of each stage.
    pub fn shapes(self, core: &Core, stage_count: usize) -> Vec<Shape> {
        dft::shapes(core.encoder.slots(), self.direction(), stage_count)
    }

    /// The levels that make the transform's maps others, of those that a bootstrap ends below the highest.
    pub fn own_spared(self, spared: usize) -> usize {
        if self == Transform::SlotsToCoeffs { spared } else { 0 }
    }

    /// Source and target of every stage, of a bootstrap to the highest level.
    pub fn sets(self, core: &Core, stage_count: usize) -> Vec<[PrimeSet; 2]> {
        self.sets_below(core, stage_count, 0)
    }

    /// Source and target of every stage, where SlotsToCoeffs last ends so many levels below the highest. The others are
    /// the same maps then, of ciphertexts over fewer primes.
    pub fn sets_below(self, core: &Core, stage_count: usize, spared: usize) -> Vec<[PrimeSet; 2]> {
        match self {
            Transform::CoeffsToSlots => {
                let mut down = coeffs_to_slots(core, stage_count).to_vec();
                down.extend(core.params.eval_mod_sets().pop());
                pairs(&down)
            }
            Transform::SlotsToCoeffs => {
                let below = core.ladder.sets.len() - 2 - spared;
                let mut down = vec![eval_mod_end(core, SlotsToCoeffs::Last, spared)];
                down.extend(core.ladder.sets[below + 1 - stage_count..=below].iter().rev().cloned());
                pairs(&down)
            }
            Transform::SlotsToCoeffsFirst => {
                let down: Vec<PrimeSet> = core.ladder.sets[..=stage_count].iter().rev().cloned().collect();
                pairs(&down)
            }
        }
    }

    /// The gadget of the rotation keys of every stage.
    pub fn gadgets(self, core: &Core, stage_count: usize) -> Result<Vec<Gadget>, Error> {
        self.sets(core, stage_count).iter().map(|[source, _]| stage_gadget(core, source)).collect()
    }
}

/// The prime that the modulus is raised from.
pub(crate) fn base() -> PrimeSet {
    PrimeSet::new([0])
}

/// The moduli of CoeffsToSlots for a supported stage count, the raised one first.
fn coeffs_to_slots(core: &Core, stage_count: usize) -> &[PrimeSet] {
    let index = STAGE_COUNTS.iter().position(|&s| s == stage_count);
    match (&core.params.chain.bootstrap, index) {
        (Some(chain), Some(index)) => &chain.coeffs_to_slots[index],
        _ => &[],
    }
}

/// The raised modulus for a supported stage count.
pub(crate) fn raised(core: &Core, stage_count: usize) -> PrimeSet {
    coeffs_to_slots(core, stage_count)[0].clone()
}

/// EvalMod's lowest modulus in a bootstrap that ends so many levels below the highest: the modulus that results have,
/// or that SlotsToCoeffs begins at. The ratio of SlotsToCoeffs' first stage, the widest, stays as it is.
pub(crate) fn eval_mod_end(core: &Core, place: SlotsToCoeffs, spared: usize) -> PrimeSet {
    let sets = &core.ladder.sets;
    let top = sets.len() - 1;
    match place {
        SlotsToCoeffs::First => sets[top - spared].clone(),
        SlotsToCoeffs::Last => sets[top - 1 - spared].union(&sets[top].difference(&sets[top - 1])),
    }
}

/// The primes of message levels that no modulus of such a bootstrap has: what keys hold over these isn't read.
pub(crate) fn spared_primes(core: &Core, place: SlotsToCoeffs, spared: usize) -> PrimeSet {
    core.ladder.sets[core.ladder.sets.len() - 1].difference(&eval_mod_end(core, place, spared))
}

fn pairs(sets: &[PrimeSet]) -> Vec<[PrimeSet; 2]> {
    sets.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
}

/// The gadget of the rotation keys of a stage.
pub(crate) fn stage_gadget(core: &Core, source: &PrimeSet) -> Result<Gadget, Error> {
    let upper = core.params.upper_levels();
    best_gadget(&core.params, &core.ring, source, &|ring, set, special, headroom_bits| {
        Gadget::fewest_apart(ring, set, special, headroom_bits, &upper)
    })
}

/// The gadget of such keys in older files, whose digits were balanced.
pub(crate) fn former_stage_gadget(core: &Core, source: &PrimeSet) -> Result<Gadget, Error> {
    best_gadget(&core.params, &core.ring, source, &Gadget::balanced)
}

/// The special primes of all keys that a stage may have.
pub(crate) fn stage_special(core: &Core, source: &PrimeSet) -> Result<PrimeSet, Error> {
    let [now, former] = [stage_gadget(core, source)?, former_stage_gadget(core, source)?];
    Ok(now.special.union(&former.special))
}

/// The gadget of the key to the sparse secret, at the base prime; none where the parameters have no bootstrap.
pub(crate) fn encapsulation_gadget(core: &Core) -> Option<Gadget> {
    let terminal = core.params.chain.bootstrap.as_ref()?.encapsulation_terminal;
    Some(Gadget::whole(&base(), &PrimeSet::new([core.params.chain.special[0], terminal])))
}

/// The gadget of the key back from the sparse secret, over the raised modulus.
pub(crate) fn dense_gadget(core: &Core, raised: &PrimeSet) -> Gadget {
    Gadget::whole(raised, &PrimeSet::new(core.params.chain.special.iter().copied().take(2)))
}

/// The left rotations whose sum projects onto polynomials in powers of `X^(n/2·slots)`, times their number: none for
/// full slots.
pub(crate) fn trace_rotations(core: &Core) -> Vec<i64> {
    let (slots, all) = (core.encoder.slots(), core.ring.n() / 2);
    std::iter::successors(Some(slots), |r| Some(2 * r)).take_while(|r| *r < all).map(|r| r as i64).collect()
}

/// Stages of CoeffsToSlots by keys that are made now. They cost no message levels, so that their number is free: the
/// one with the fewest rotations whose modulus leaves room for special primes.
pub(crate) fn coeffs_to_slots_count(core: &Core) -> usize {
    core.params.coeffs_to_slots_count(core.encoder.slots())
}

/// Stages of CoeffsToSlots that keys may have: those of keys that are made now, and those of keys of version 0.1, which
/// had as many as of SlotsToCoeffs.
pub(crate) fn coeffs_to_slots_counts(core: &Core) -> BTreeSet<usize> {
    let as_many = core.params.stage_counts(core.encoder.slots());
    // No key for tables is as old.
    let as_many = if core.params.literal().tables.is_some() { Vec::new() } else { as_many };
    as_many.into_iter().chain([coeffs_to_slots_count(core)]).collect()
}

/// Whether maps of a kind pack both halves of the coefficients into one ciphertext: where there is room for twice the
/// slots, and SlotsToCoeffs, which takes them apart again, comes after EvalMod.
pub(crate) fn is_packed(core: &Core, maps: MapsKind) -> bool {
    maps == MapsKind::Packable && 4 * core.encoder.slots() <= core.ring.n()
}

/// The kind of maps that keys of a kind have for an order, or small keys, which are of none. Where nothing is packed,
/// keys with both orders have one CoeffsToSlots for both.
pub(crate) fn maps_kind(core: &Core, keys: Option<BootstrapKind>, place: SlotsToCoeffs) -> MapsKind {
    let packable = match (keys, place) {
        (_, SlotsToCoeffs::First) | (Some(BootstrapKind::Lossy | BootstrapKind::First), _) => false,
        (Some(BootstrapKind::Both), SlotsToCoeffs::Last) => is_packed(core, MapsKind::Packable),
        (Some(BootstrapKind::Regular) | None, SlotsToCoeffs::Last) => true,
    };
    if packable { MapsKind::Packable } else { MapsKind::Apart }
}

/// Rotation keys of one stage, by left rotation.
pub(crate) type StageKeys = BTreeMap<i64, SwitchingKey>;

/// The purpose of a switching key in a bootstrap.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeyPurpose {
    Rotation(i64),
    /// To the sparse secret, at the smallest modulus.
    ToSparse,
    /// Back, at the raised one.
    ToDense,
}

/// A source of switching keys: a generator or a file. Takes the key's name, purpose and gadget.
pub(crate) type KeySource<'s> = &'s mut dyn FnMut(&str, KeyPurpose, &Gadget) -> Result<SwitchingKey, Error>;

/// The keys from the raised modulus to EvalMod.
#[derive(Debug)]
pub(crate) struct TopKeys {
    /// The raised modulus.
    pub raised: PrimeSet,
    pub coeffs_to_slots: Vec<StageKeys>,
    /// Left rotations that project onto the slots' subring, right after the modulus is raised; none for full slots.
    pub trace: Vec<(i64, SwitchingKey)>,
    pub to_sparse: SwitchingKey,
    pub to_dense: SwitchingKey,
    /// Bootstraps that devices have recorded.
    pub recordings: Recordings,
}

/// The keys of a transform's stages.
pub(crate) fn stage_keys(
    core: &Core,
    transform: Transform,
    stage_count: usize,
    steps: Steps,
    source: KeySource,
) -> Result<Vec<StageKeys>, Error> {
    let gadgets = transform.gadgets(core, stage_count)?;
    let stages = transform.shapes(core, stage_count).into_iter().zip(&gadgets).enumerate();
    stages
        .map(|(stage, (shape, gadget))| {
            let key = |left| {
                let name = stage_name(transform, stage, left);
                Ok((left, source(&name, KeyPurpose::Rotation(left), gadget)?))
            };
            shape.keys(steps).into_iter().map(key).collect()
        })
        .collect()
}

/// The name of a rotation's key in a stage of a transform.
fn stage_name(transform: Transform, stage: usize, left: i64) -> String {
    let transform = match transform {
        Transform::CoeffsToSlots => "coeffs_to_slots",
        Transform::SlotsToCoeffs => "slots_to_coeffs",
        Transform::SlotsToCoeffsFirst => "slots_to_coeffs_first",
    };
    format!("{transform}.{stage}.left_{left}")
}

/// Every key of a transform with its name.
pub(crate) fn named_stage_keys(
    transform: Transform,
    stages: &[StageKeys],
) -> impl Iterator<Item = (String, &SwitchingKey)> {
    let stage =
        move |(stage, keys)| StageKeys::iter(keys).map(move |(&left, key)| (stage_name(transform, stage, left), key));
    stages.iter().enumerate().flat_map(stage)
}

/// Number of keys that [`stage_keys`] asks for.
pub(crate) fn stage_key_count(core: &Core, transform: Transform, stage_count: usize, steps: Steps) -> usize {
    transform.shapes(core, stage_count).iter().map(|shape| shape.keys(steps).len()).sum()
}

impl TopKeys {
    pub fn from_source(
        op: &'static str,
        core: &Core,
        stage_count: usize,
        steps: Steps,
        source: KeySource,
    ) -> Result<Self, Error> {
        let encapsulation_gadget = encapsulation_gadget(core).ok_or(Error::NoBootstrap { op })?;
        let raised = raised(core, stage_count);
        let coeffs_to_slots = stage_keys(core, Transform::CoeffsToSlots, stage_count, steps, source)?;
        let raised_gadget = stage_gadget(core, &raised)?;
        let trace = trace_rotations(core).into_iter();
        let trace = trace
            .map(|left| Ok((left, source(&format!("trace.left_{left}"), KeyPurpose::Rotation(left), &raised_gadget)?)))
            .collect::<Result<_, Error>>()?;
        let to_sparse = source("to_sparse", KeyPurpose::ToSparse, &encapsulation_gadget)?;
        let to_dense = source("to_dense", KeyPurpose::ToDense, &dense_gadget(core, &raised))?;
        Ok(Self { raised, coeffs_to_slots, trace, to_sparse, to_dense, recordings: Recordings::default() })
    }

    /// Number of keys that [`TopKeys::from_source`] asks for.
    pub fn count(core: &Core, stage_count: usize, steps: Steps) -> usize {
        stage_key_count(core, Transform::CoeffsToSlots, stage_count, steps) + trace_rotations(core).len() + 2
    }

    /// Every key with its name.
    pub fn named(&self) -> impl Iterator<Item = (String, &SwitchingKey)> {
        let trace = self.trace.iter().map(|(left, key)| (format!("trace.left_{left}"), key));
        let ends = [("to_sparse", &self.to_sparse), ("to_dense", &self.to_dense)];
        named_stage_keys(Transform::CoeffsToSlots, &self.coeffs_to_slots)
            .chain(trace)
            .chain(ends.map(|(name, key)| (name.into(), key)))
    }
}
