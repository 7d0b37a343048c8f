//! Bootstraps as calls: the groups, and the parts of the pipeline that each method runs.

use std::borrow::Cow;
use std::sync::Arc;

use everlevel_ring::Footprint;

use crate::checks::require_one_place;
use crate::circuits::bootstrap::key::{BootstrapKeyRef, BootstrapKeys};
use crate::circuits::bootstrap::maps::{MapCache, MapsId};
use crate::circuits::bootstrap::method::{Method, SlotType, SlotsToCoeffs};
use crate::circuits::bootstrap::request::Request;
use crate::circuits::bootstrap::run::{Observer, Run};
use crate::circuits::bootstrap::stages::encapsulation_gadget;
use crate::circuits::bootstrap::tables::BootstrapTables;
use crate::keys::{ConjugationKey, RelinearizationKey};
use crate::{Ciphertext, Context, Error, Progress, Units};

/// Bootstraps of a context's ciphertexts: EvalMod's plans, and the plaintexts of the transforms, which are made when
/// first needed and shared by all keys. Cheap to clone, shared between threads.
#[derive(Debug, Clone)]
pub struct Bootstrapper {
    context: Context,
    shared: Arc<Shared>,
    /// The level that results are wanted at; none is the highest that a bootstrap reaches.
    pub(super) level: Option<usize>,
}

#[derive(Debug)]
struct Shared {
    tables: BootstrapTables,
    maps: MapCache,
}

/// The work of a group of ciphertexts, with SlotsToCoeffs in a place.
type GroupWork<'a, T> = &'a mut (dyn FnMut(&mut Run, SlotsToCoeffs, &[Ciphertext]) -> Result<Vec<T>, Error> + Send);

/// Ciphertexts that go through a bootstrap together: enough to hide the keys' traffic, few enough that what is in
/// flight (about half a gigabyte each) fits in memory.
pub(super) const GROUP: usize = 4;

/// The one result of one input.
pub(super) fn only<T>(mut results: Vec<T>) -> T {
    results.pop().unwrap_or_else(|| unreachable!("one ciphertext in, one out"))
}

impl Bootstrapper {
    /// The bootstraps of a context.
    ///
    /// # Errors
    /// Parameters without a bootstrap; an encapsulation modulus above the security cap.
    pub fn new(context: &Context) -> Result<Self, Error> {
        let core = &context.core;
        let gadget = encapsulation_gadget(core).ok_or(Error::NoBootstrap { op: "bootstrap" })?;
        core.params.check_encapsulation(&core.ring, &gadget.full_set())?;
        let tables = context.install(BootstrapTables::new);
        let shared = Arc::new(Shared { tables, maps: MapCache::default() });
        Ok(Self { context: context.clone(), shared, level: None })
    }

    /// Bootstraps of this context to a level and no higher (`None`: to the highest): in the time that this level takes,
    /// since no step has the primes of the message levels above it, and keys aren't read there.
    #[must_use]
    pub fn to_level(&self, level: Option<usize>) -> Self {
        Self { level, ..self.clone() }
    }

    /// The context whose ciphertexts it bootstraps.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Bytes of the plaintexts that bootstraps have made so far, and share.
    pub fn table_nbytes(&self) -> usize {
        self.shared.maps.nbytes()
    }

    /// Whether the plaintexts of a transform are there.
    pub(super) fn has_tables(&self, id: MapsId, lifted: bool) -> bool {
        self.shared.maps.has(id, lifted)
    }

    /// A ciphertext of the same message, at `max_level − stage_count`: level 10, 9 or 8 of 13 for stage counts 3, 4 and
    /// 5, which the key was made for.
    ///
    /// The input may be at any level, and is first brought to level 0; its values may be up to about 1 in size
    /// (the error grows with the cube: `|m|³·6.3e-6` for coefficients of size `m`).
    ///
    /// # Errors
    /// Keys of other parameters or another secret, three polynomials; a cancellation.
    pub fn bootstrap<'a>(
        &self,
        a: &Ciphertext,
        relinearization_key: &'a RelinearizationKey,
        conjugation_key: &'a ConjugationKey,
        bootstrap_key: impl Into<BootstrapKeyRef<'a>>,
        progress: Progress,
    ) -> Result<Ciphertext, Error> {
        let keys = BootstrapKeys {
            relinearization: relinearization_key,
            conjugation: conjugation_key,
            bootstrap: bootstrap_key.into(),
        };
        self.bootstrap_observed(a, keys, progress, &mut |_, _, _| {})
    }

    /// As [`Bootstrapper::bootstrap`], showing the state between the stages.
    ///
    /// # Errors
    /// As [`Bootstrapper::bootstrap`].
    pub fn bootstrap_observed(
        &self,
        a: &Ciphertext,
        keys: BootstrapKeys,
        progress: Progress,
        observer: Observer,
    ) -> Result<Ciphertext, Error> {
        let request = Request { method: Method::Regular, keys, slot_type: SlotType::Complex };
        self.run(request, &[a], progress, observer).map(only)
    }

    /// A ciphertext bootstrapped by a [`Method`], its real part alone or both.
    ///
    /// # Errors
    /// As [`Bootstrapper::bootstrap`]; a key of another kind; for [`Method::Sign`] a level below `stage_count`, and for
    /// [`Method::Precise`] parameters of standard precision, whose scales could not hold the result.
    pub fn bootstrap_by(
        &self,
        method: Method,
        a: &Ciphertext,
        keys: BootstrapKeys,
        slot_type: SlotType,
        progress: Progress,
    ) -> Result<Ciphertext, Error> {
        self.bootstrap_many(method, &[a], keys, slot_type, progress).map(only)
    }

    /// Many ciphertexts, each as by the bootstrap of the method, in groups that read the keys together.
    ///
    /// # Errors
    /// As the bootstrap of the method, for any of the ciphertexts; then none is bootstrapped.
    pub fn bootstrap_many(
        &self,
        method: Method,
        cts: &[&Ciphertext],
        keys: BootstrapKeys,
        slot_type: SlotType,
        progress: Progress,
    ) -> Result<Vec<Ciphertext>, Error> {
        let request = Request { method, keys, slot_type };
        self.run(request, cts, progress, &mut |_, _, _| {})
    }

    /// [`Bootstrapper::bootstrap_many`] of all units of several vectors.
    ///
    /// # Errors
    /// As [`Bootstrapper::bootstrap_many`].
    pub fn bootstrap_units(
        &self,
        method: Method,
        vectors: &[&Units<Ciphertext>],
        keys: BootstrapKeys,
        slot_type: SlotType,
        progress: Progress,
    ) -> Result<Vec<Units<Ciphertext>>, Error> {
        let all: Vec<&Ciphertext> = vectors.iter().flat_map(|vector| vector.all()).collect();
        let mut results = self.bootstrap_many(method, &all, keys, slot_type, progress)?.into_iter();
        let of_vector = |vector: &&Units<Ciphertext>| {
            Units::new(results.by_ref().take(vector.count()).collect()).expect("a result for each unit")
        };
        Ok(vectors.iter().map(of_vector).collect())
    }

    pub(crate) fn tables(&self) -> (&BootstrapTables, &MapCache) {
        (&self.shared.tables, &self.shared.maps)
    }

    /// The level that a usual bootstrap has SlotsToCoeffs first from; none where it never has.
    pub fn first_level(&self, keys: BootstrapKeyRef, slot_type: SlotType) -> Option<usize> {
        let level = keys.stage_count();
        let place = keys.place(&self.context.core, Method::Usual, slot_type, level);
        (place == SlotsToCoeffs::First).then_some(level)
    }

    fn request_footprint(&self, request: Request, places: &[SlotsToCoeffs]) -> Result<Footprint, Error> {
        let Request { keys, slot_type, .. } = request;
        let count = |place| places.iter().filter(|other| **other == place).count();
        let orders = [SlotsToCoeffs::First, SlotsToCoeffs::Last];
        let keys = (keys.bootstrap.stage_count(), keys.bootstrap.into());
        self.run_footprint(slot_type, keys, orders.map(|place| (count(place), self.spared(request, place))))
    }

    /// All checks, and then the bootstraps.
    fn run(
        &self,
        request: Request,
        cts: &[&Ciphertext],
        progress: Progress,
        observer: Observer,
    ) -> Result<Vec<Ciphertext>, Error> {
        let Request { method, slot_type, .. } = request;
        let op = method.operation();
        let halved: Vec<_> = cts.iter().map(|&ct| self.halved(request, ct)).collect::<Result<_, _>>()?;
        for (ct, halvings) in &halved {
            self.check_request(op, request, ct, ct.bound())?;
            self.check_room_after(op, request, (ct, *halvings))?;
        }
        let rounds = if method == Method::Precise { 2 } else { 1 };
        let cts: Vec<&Ciphertext> = halved.iter().map(|(ct, _)| &**ct).collect();
        let results = self.in_groups(op, request, (&cts, rounds), progress, observer, &mut |run, place, lowered| {
            Ok(match (place, slot_type) {
                (SlotsToCoeffs::Last, _) if method == Method::Precise => run.precise(lowered)?,
                (SlotsToCoeffs::First, _) => {
                    let results = run.first(lowered, request.first_method(), slot_type)?.into_iter();
                    results.zip(lowered).map(|(result, a)| request.bounded(result, a)).collect()
                }
                (SlotsToCoeffs::Last, SlotType::Complex) => run.regular(lowered)?,
                (SlotsToCoeffs::Last, SlotType::Real) => {
                    run.regular_parts(lowered)?.into_iter().map(|parts| parts.real).collect()
                }
            })
        })?;
        let whole = |(result, (_, halvings)): (_, &(_, i32))| self.times(Cow::Owned(result), *halvings);
        results.into_iter().zip(&halved).map(|both| whole(both).map(Cow::into_owned)).collect()
    }

    /// The results of so many rounds through the pipeline, group by group: of ciphertexts at the level that it starts
    /// from, with SlotsToCoeffs in the same place.
    pub(super) fn in_groups<T: Send>(
        &self,
        op: &'static str,
        request: Request,
        (cts, rounds): (&[&Ciphertext], usize),
        progress: Progress,
        observer: Observer,
        of_group: GroupWork<T>,
    ) -> Result<Vec<T>, Error> {
        require_one_place(op, cts.iter().copied())?;
        // Ciphertexts with SlotsToCoeffs in one place go together.
        let places: Vec<SlotsToCoeffs> = cts.iter().map(|ct| request.place(&self.context.core, ct)).collect();
        let (first, last): (Vec<usize>, Vec<usize>) = (0..cts.len()).partition(|&i| places[i] == SlotsToCoeffs::First);
        let groups: Vec<&[usize]> = first.chunks(GROUP).chain(last.chunks(GROUP)).collect();
        let footprint = self.request_footprint(request, &places)?;
        self.context.install_large(op, footprint, |core| {
            let mut run = Run::new(op, core, self.tables(), request.keys, progress, observer);
            run = run.groups(rounds * groups.len());
            let mut done: Vec<Option<T>> = std::iter::repeat_with(|| None).take(cts.len()).collect();
            for group in groups {
                let place = places[group[0]];
                run.spare(self.spared(request, place));
                let start = request.start(place);
                let lowered = |&i: &usize| match cts[i] {
                    // Coefficients are behind that already.
                    ct if ct.level() < start => Ok(ct.clone()),
                    ct => self.context.level_down(ct, start),
                };
                let lowered: Vec<Ciphertext> = group.iter().map(lowered).collect::<Result<_, _>>()?;
                let results = of_group(&mut run, place, &lowered)?;
                group.iter().zip(results).for_each(|(&i, result)| done[i] = Some(result));
            }
            Ok(done.into_iter().flatten().collect())
        })
    }

    /// Refuses a stage count that these slots and levels do not allow.
    pub(crate) fn check_stage_count(&self, op: &'static str, stage_count: usize) -> Result<(), Error> {
        let supported = self.context.stage_counts();
        if supported.contains(&stage_count) {
            return Ok(());
        }
        Err(Error::StageCount { op, stage_count, slot_count: self.context.slot_count(), supported })
    }
}
