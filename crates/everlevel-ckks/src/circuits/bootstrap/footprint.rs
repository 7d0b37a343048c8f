//! The memory of bootstraps, their keys and their tables, counted as they are made.

use everlevel_objects::Origin;
use everlevel_rand::Seed;
use everlevel_ring::{Footprint, PackedPoly, PrimeSet, ResidueRows};
use everlevel_rlwe::{Gadget, SecretId, SwitchingKey};

use crate::Error;
use crate::circuits::bootstrap::bootstrapper::{Bootstrapper, GROUP};
use crate::circuits::bootstrap::dft::{Shape, Steps};
use crate::circuits::bootstrap::key::BootstrapKeyRef;
use crate::circuits::bootstrap::key::{BootstrapKey, BootstrapKeyShape, SmallBootstrapKey};
use crate::circuits::bootstrap::maps::MapsId;
use crate::circuits::bootstrap::method::{BootstrapKeySize, BootstrapKind, Method, SlotType, SlotsToCoeffs};
use crate::circuits::bootstrap::stages::{
    KeySource, MapsKind, Transform, coeffs_to_slots_count, is_packed, maps_kind, spared_primes, stage_gadget,
};
use crate::core::Core;

/// The keys of a bootstrap, as far as its memory depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootstrapKeyForm {
    /// [`BootstrapKey`]s.
    Full {
        /// The methods that they are for.
        kind: BootstrapKind,
        /// The size.
        size: BootstrapKeySize,
        /// Whether masks are expanded at each use.
        is_seeded: bool,
        /// Stages of CoeffsToSlots; none are as many as keys that are made now have.
        coeffs_to_slots_count: Option<usize>,
    },
    /// [`SmallBootstrapKey`]s.
    Small,
}

impl BootstrapKeyForm {
    /// Form of a full key.
    pub(super) fn of(key: &BootstrapKey) -> Self {
        let coeffs_to_slots_count = Some(key.coeffs_to_slots_count());
        Self::Full { kind: key.kind(), size: key.size(), is_seeded: key.is_seeded(), coeffs_to_slots_count }
    }

    /// The kind of full keys.
    pub(super) fn kind(self) -> Option<BootstrapKind> {
        match self {
            Self::Full { kind, .. } => Some(kind),
            Self::Small => None,
        }
    }
}

impl From<BootstrapKeyRef<'_>> for BootstrapKeyForm {
    fn from(keys: BootstrapKeyRef<'_>) -> Self {
        match keys {
            BootstrapKeyRef::Full(key) => Self::of(key),
            BootstrapKeyRef::Small { .. } => Self::Small,
        }
    }
}

/// A stage of a transform: its steps, and the moduli that they are computed at.
struct Stage {
    shape: Shape,
    steps: Steps,
    /// Modulus of the input.
    source: PrimeSet,
    gadget: Gadget,
}

impl Stage {
    /// Limbs that are alive at once while a group of ciphertexts passes the stage.
    fn limbs(&self, group: usize) -> usize {
        let (source, full) = (self.source.len(), self.source.len() + self.gadget.special.len());
        let (babies, giants) = self.shape.steps(self.steps);
        let each = match self.steps {
            // The input, its digits, a sum for each giant step, the sum of all, and half a sum that is turned.
            Steps::Hoisted(_) => {
                2 * source + self.gadget.digit_count(&self.source) * full + 2 * full * giants.len() + 3 * full
            }
            // The input, every baby step and a sum, and a key switch.
            Steps::Left | Steps::Right => {
                2 * source * (babies.len() + 2) + SwitchingKey::switch_limbs(&self.gadget, &self.source)
            }
        };
        group * each
    }

    /// Bytes of the diagonals: as integers, and lifted where they are of full length and keys are for speed.
    fn table_nbytes(&self, core: &Core, is_packed: bool, is_lifted: bool) -> usize {
        let n = core.ring.n();
        let values = if is_packed { 2 * self.shape.slots } else { self.shape.step << self.shape.layers };
        let count = self.shape.rotation_count();
        let lifted = match is_lifted && 2 * values == n {
            true => PackedPoly::nbytes_of(n, self.source.len() + self.gadget.special.len()),
            false => 0,
        };
        count * (16 * values + lifted)
    }
}

impl Core {
    /// The memory of the keys that `make` asks a source for.
    fn counted<T>(&self, make: impl FnOnce(KeySource) -> Result<T, Error>) -> Result<Footprint, Error> {
        let mut all = Footprint::default();
        let seed = Seed::from_bytes([0; 32]);
        make(&mut |_, _, gadget| {
            all = all.then(self.keys_footprint([gadget]));
            Ok(SwitchingKey::from_rows(gadget.clone(), ResidueRows::new(seed.clone(), Vec::new(), None)))
        })?;
        // The sparse secret.
        Ok(Footprint { work: all.work + self.limbs(self.ring.all_primes().len()), ..all })
    }

    /// The maps of a transform by keys of a form, for so many stages of SlotsToCoeffs and an end so many levels below
    /// the highest.
    pub(super) fn maps_id(
        &self,
        transform: Transform,
        kind: MapsKind,
        (stage_count, spared): (usize, usize),
        form: BootstrapKeyForm,
    ) -> MapsId {
        let down = transform == Transform::CoeffsToSlots;
        let (stage_count, steps) = match form {
            BootstrapKeyForm::Full { size, coeffs_to_slots_count: made, .. } => {
                let of_keys = || made.unwrap_or_else(|| coeffs_to_slots_count(self));
                (if down { of_keys() } else { stage_count }, Steps::Hoisted(size))
            }
            BootstrapKeyForm::Small if down => (coeffs_to_slots_count(self), Steps::Left),
            BootstrapKeyForm::Small => (stage_count, Steps::Right),
        };
        MapsId { transform, stage_count, kind, steps, spared: transform.own_spared(spared) }
    }

    /// The stages of a transform, of ciphertexts without some of the primes.
    fn stages(&self, id: MapsId, without: &PrimeSet) -> Result<Vec<Stage>, Error> {
        let MapsId { transform, stage_count, steps, spared, .. } = id;
        let (of_keys, of_maps) = (transform.sets(self, stage_count), transform.sets_below(self, stage_count, spared));
        let sets = of_keys.into_iter().zip(of_maps);
        let stage = |(shape, ([key_source, _], [source, _])): (Shape, ([PrimeSet; 2], [PrimeSet; 2]))| {
            let gadget =
                if steps == Steps::Right { self.message_gadget.clone() } else { stage_gadget(self, &key_source)? };
            Ok(Stage { shape, steps, source: source.difference(without), gadget })
        };
        transform.shapes(self, stage_count).into_iter().zip(sets).map(stage).collect()
    }

    /// Limbs that are alive at once in EvalMod, for so many halves side by side: in the first product of its
    /// polynomial's upper half, by `T_2`, with `T_4` and the lowered `T_1` at hand, and with the remainders that wait:
    /// a product with `T_4` before its key switch, and two of degree 3.
    fn eval_mod_limbs(&self, halves: usize, without: &PrimeSet) -> usize {
        let Some(gadgets) = &self.bootstrap_gadgets else { return 0 };
        let sets: Vec<PrimeSet> = self.params.eval_mod_sets().iter().map(|set| set.difference(without)).collect();
        // So many levels below the top.
        let below = |levels: usize| &sets[sets.len() - 1 - levels];
        let [two, three, four, five] = [2, 3, 4, 5].map(|levels| below(levels).len());
        let (basis, waiting) = (2 * (two + two + three), 3 * four + 2 * five + 2 * three);
        // The product before it is relinearized, its digits, and their product with the key.
        let product = 3 * two + SwitchingKey::switch_limbs(&gadgets.relinearization, below(2));
        halves * (basis + waiting + product)
    }
}

impl BootstrapKeyShape {
    /// The memory of keys of the shape.
    pub(super) fn footprint(self, core: &Core) -> Result<Footprint, Error> {
        let op = self.kind.operation();
        core.counted(|source| BootstrapKey::from_source(op, core, nobodys(core), self, source))
    }
}

impl Bootstrapper {
    /// The memory of [`Bootstrapper::bootstrap_key_of`].
    ///
    /// # Errors
    /// An unsupported stage count.
    pub fn bootstrap_key_footprint(
        &self,
        kind: BootstrapKind,
        stage_count: usize,
        size: BootstrapKeySize,
    ) -> Result<Footprint, Error> {
        let op = kind.operation();
        self.check_stage_count(op, stage_count)?;
        let core = &self.context().core;
        let coeffs_to_slots_count = coeffs_to_slots_count(core);
        BootstrapKeyShape { stage_count, coeffs_to_slots_count, kind, size }.footprint(core)
    }

    /// The memory of [`Bootstrapper::small_bootstrap_key`].
    ///
    /// # Errors
    /// A number of slots that no stage count serves.
    pub fn small_bootstrap_key_footprint(&self) -> Result<Footprint, Error> {
        let op = "create_small_bootstrap_key";
        if self.context().stage_counts().is_empty() {
            self.check_stage_count(op, 1)?;
        }
        let core = &self.context().core;
        core.counted(|source| SmallBootstrapKey::from_source(op, core, nobodys(core), source))
    }

    /// The memory of bootstraps of so many ciphertexts, and of the tables that they are the first to need; of usual
    /// ones in the order that takes more.
    ///
    /// # Errors
    /// An unsupported stage count.
    pub fn bootstrap_footprint(
        &self,
        (method, slot_type): (Method, SlotType),
        stage_count: usize,
        form: BootstrapKeyForm,
        count: usize,
    ) -> Result<Footprint, Error> {
        self.check_stage_count(method.operation(), stage_count)?;
        let of =
            |[first, last]: [usize; 2]| self.run_footprint(slot_type, (stage_count, form), [(first, 0), (last, 0)]);
        match method {
            Method::Lossy | Method::Sign | Method::Table => of([count, 0]),
            Method::Regular | Method::Precise => of([0, count]),
            Method::Usual if form.kind().is_some_and(|kind| !kind.has_first()) => of([0, count]),
            Method::Usual if form.kind().is_some_and(|kind| !kind.has_last()) => of([count, 0]),
            Method::Usual => {
                let (first, last) = (of([count, 0])?, of([0, count])?);
                Ok(if first.peak() > last.peak() { first } else { last })
            }
        }
    }

    /// The memory of bootstraps of which so many have SlotsToCoeffs first, and so many last, each with the levels below
    /// the highest that they end at.
    pub(super) fn run_footprint(
        &self,
        slot_type: SlotType,
        (stage_count, form): (usize, BootstrapKeyForm),
        [first, last]: [(usize, usize); 2],
    ) -> Result<Footprint, Error> {
        let core = &self.context().core;
        let is_lifted = matches!(form, BootstrapKeyForm::Full { is_seeded: false, .. });
        let orders = [(SlotsToCoeffs::First, first), (SlotsToCoeffs::Last, last)];
        let (mut limbs, mut tables, mut counted) = (0, 0, Vec::new());
        for (place, (count, spared)) in orders.into_iter().filter(|(_, (count, _))| *count > 0) {
            let without = spared_primes(core, place, spared);
            let (group, kind) = (count.min(GROUP), maps_kind(core, form.kind(), place));
            let is_packed = is_packed(core, kind);
            for transform in place.transforms() {
                let id = core.maps_id(transform, kind, (stage_count, spared), form);
                let stages = core.stages(id, &without)?;
                limbs = stages.iter().map(|stage| stage.limbs(group)).fold(limbs, usize::max);
                if !counted.contains(&id) && !self.has_tables(id, is_lifted) {
                    tables += stages.iter().map(|stage| stage.table_nbytes(core, is_packed, is_lifted)).sum::<usize>();
                }
                counted.push(id);
            }
            // Both parts, unless they are side by side or only one is wanted.
            let is_one = is_packed || (place == SlotsToCoeffs::First && slot_type == SlotType::Real);
            limbs = limbs.max(core.eval_mod_limbs(if is_one { 1 } else { 2 } * group, &without));
        }
        let top = core.ladder.sets.len() - 1;
        let primes = |level: usize| core.ladder.sets[level].len();
        let results = 2 * (first.0 * primes(top - first.1) + last.0 * primes(top - stage_count - last.1));
        Ok(Footprint { held: core.limbs(results) + tables as u64, work: core.limbs(limbs) })
    }
}

/// Properties of a key that nobody uses.
fn nobodys(core: &Core) -> Origin {
    Origin { fingerprint: core.fingerprint, secret_id: SecretId(0) }
}
