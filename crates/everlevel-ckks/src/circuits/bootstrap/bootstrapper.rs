//! Bootstraps as calls: the checks, the groups, and the parts of the pipeline that each method runs.

use std::borrow::Cow;
use std::sync::Arc;

use everlevel_ring::Footprint;

use crate::checks::{self, RangeNotice, require_one_place};
use crate::circuits::bootstrap::key::{BootstrapKeyRef, BootstrapKeys};
use crate::circuits::bootstrap::maps::{MapCache, MapsId};
use crate::circuits::bootstrap::method::{Method, SlotType, SlotsToCoeffs};
use crate::circuits::bootstrap::run::{Observer, RESIDUAL_GAIN, Run};
use crate::circuits::bootstrap::stages::encapsulation_gadget;
use crate::circuits::bootstrap::tables::BootstrapTables;
use crate::claims::{Bound, Certainty, SineError};
use crate::core::Core;
use crate::keys::{ConjugationKey, RelinearizationKey};
use crate::{Ciphertext, Context, Error, Precision, Progress, Units};

/// Bootstraps of a context's ciphertexts: EvalMod's plans, and the plaintexts of the transforms, which are made when
/// first needed and shared by all keys. Cheap to clone, shared between threads.
#[derive(Debug, Clone)]
pub struct Bootstrapper {
    context: Context,
    shared: Arc<Shared>,
    /// The level that results are wanted at; none is the highest that a bootstrap reaches.
    level: Option<usize>,
}

#[derive(Debug)]
struct Shared {
    tables: BootstrapTables,
    maps: MapCache,
}

/// A method with its keys.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub method: Method,
    pub keys: BootstrapKeys<'a>,
    pub slot_type: SlotType,
}

/// The work of a group of ciphertexts, with SlotsToCoeffs in a place.
type GroupWork<'a, T> = &'a mut (dyn FnMut(&mut Run, SlotsToCoeffs, &[Ciphertext]) -> Result<Vec<T>, Error> + Send);

impl Request<'_> {
    /// The place of SlotsToCoeffs for a ciphertext.
    pub fn place(self, core: &Core, a: &Ciphertext) -> SlotsToCoeffs {
        self.keys.bootstrap.place(core, self.method, self.slot_type, a.level())
    }

    /// The method that a ciphertext is bootstrapped by where SlotsToCoeffs comes first.
    pub fn first_method(self) -> Method {
        if self.method.fills_the_sine() { self.method } else { Method::Lossy }
    }

    /// The level that a bootstrap starts from.
    pub fn start(self, place: SlotsToCoeffs) -> usize {
        match place {
            SlotsToCoeffs::Last => 0,
            SlotsToCoeffs::First => self.keys.bootstrap.stage_count(),
        }
    }

    /// A result with the bound that it has by the method: whole sines of both parts are of size `√2`; sines in place of
    /// the identity leave the size of `a`.
    fn bounded(self, result: Ciphertext, a: &Ciphertext) -> Ciphertext {
        let size = match self.method.fills_the_sine() {
            true if !a.bound().is_real() => result.bound().size(),
            true => 1.0,
            false => a.bound_or_assumed().size(),
        };
        result.within(size).on_reals(self.slot_type == SlotType::Real || a.bound().is_real())
    }
}

/// Signs are told from values of up to this size: see `docs/notes/bootstrap.md`.
const LARGEST_SIGN: f64 = 1.25;
/// Largest values that the sine's fit for tables is made for, with room for their errors.
const LARGEST_IN_TABLES: f64 = 1.125;
/// The size of a part that a sign bootstrap has room for: half of the sine's period.
const SIGN_ROOM: f64 = 2.0;
/// Ciphertexts that go through a bootstrap together: enough to hide the keys' traffic, few enough that what is in
/// flight (about half a gigabyte each) fits in memory.
pub(super) const GROUP: usize = 4;

/// The one result of one input.
pub(super) fn only<T>(mut results: Vec<T>) -> T {
    results.pop().unwrap_or_else(|| unreachable!("one ciphertext in, one out"))
}

/// The refusal of what chains for tables have no levels for.
pub(super) fn for_tables(what: &'static str, found: &str) -> Error {
    Error::parameter(what, found, "one for tables, as the parameters are")
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

    /// The highest level that a request ends at.
    fn highest(&self, request: Request, place: SlotsToCoeffs) -> usize {
        let top = self.context.max_level();
        match place {
            SlotsToCoeffs::First => top,
            SlotsToCoeffs::Last => {
                top - request.keys.bootstrap.stage_count() - usize::from(request.method == Method::Precise)
            }
        }
    }

    /// The level that a request ends at.
    pub(super) fn level_out(&self, request: Request, place: SlotsToCoeffs) -> usize {
        self.highest(request, place) - self.spared(request, place)
    }

    /// Levels below the highest that the results of a request are wanted at.
    fn spared(&self, request: Request, place: SlotsToCoeffs) -> usize {
        self.level.map_or(0, |level| self.highest(request, place).saturating_sub(level))
    }

    /// Refuses a level above the highest that a request ends at.
    fn check_level_out(&self, op: &'static str, request: Request, place: SlotsToCoeffs) -> Result<(), Error> {
        let max_level = self.highest(request, place);
        match self.level {
            Some(level) if level > max_level => Err(Error::LevelOutOfRange { op, level, max_level }),
            _ => Ok(()),
        }
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
                let lowered = |&i: &usize| self.context.level_down(cts[i], request.start(place));
                let lowered: Vec<Ciphertext> = group.iter().map(lowered).collect::<Result<_, _>>()?;
                let results = of_group(&mut run, place, &lowered)?;
                group.iter().zip(results).for_each(|(&i, result)| done[i] = Some(result));
            }
            Ok(done.into_iter().flatten().collect())
        })
    }

    /// Refuses a ciphertext or keys that a request can't take.
    pub(super) fn check_request(
        &self,
        op: &'static str,
        request: Request,
        a: &Ciphertext,
        bound: Bound,
    ) -> Result<(), Error> {
        let Request { method, keys, .. } = request;
        self.check_keys(op, a, keys)?;
        if self.context.params().literal().tables.is_some() && method != Method::Table {
            return Err(for_tables("method of a bootstrap", method.operation()));
        }
        if method.is_first() {
            keys.bootstrap.check_first(op)?;
        }
        if method == Method::Precise && self.context.params().literal().precision == Precision::Standard {
            return Err(Error::Parameter {
                what: "precision of the parameters",
                found: "standard, whose scales of 2^40 hold 29 bits".into(),
                needed: "high".into(),
            });
        }
        if method.fills_the_sine() {
            self.context.check_depth(op, a, keys.bootstrap.stage_count())?;
        }
        let place = request.place(&self.context.core, a);
        if place == SlotsToCoeffs::Last {
            keys.bootstrap.check_last(op)?;
        }
        self.check_level_out(op, request, place)?;
        self.check_bound(op, request, place, bound)
    }

    /// The sine that stands for the identity.
    pub(super) fn sine(&self, method: Method, place: SlotsToCoeffs) -> SineError {
        let residual = (method == Method::Precise).then_some(RESIDUAL_GAIN);
        match place {
            SlotsToCoeffs::Last => self.shared.tables.last.sine(residual),
            SlotsToCoeffs::First => self.shared.tables.first.sine(residual),
        }
    }

    /// Refuses a declared bound that a bootstrap has no room for, and gives notice of one that it isn't accurate for.
    pub(super) fn check_bound(
        &self,
        op: &'static str,
        request: Request,
        place: SlotsToCoeffs,
        bound: Bound,
    ) -> Result<(), Error> {
        let sine = self.sine(request.method, place);
        // Both parts of ±1 ± i are signs.
        let parts = if bound.is_real() { 1.0 } else { std::f64::consts::SQRT_2 };
        let (room, accurate) = match request.method {
            Method::Sign => (SIGN_ROOM, LARGEST_SIGN * parts),
            Method::Table => (SIGN_ROOM, LARGEST_IN_TABLES * parts),
            _ => (sine.peak, sine.accurate()),
        };
        self.context.check_room(op, bound, (0, room), Vec::new)?;
        if bound.is_declared() && bound.size() > accurate {
            let bound = bound.size();
            let worst = match request.method {
                // The sine of a part beyond ±1 falls below a sign: to 0 at 2, where the next period begins.
                Method::Sign | Method::Table => 1.0 - (std::f64::consts::FRAC_PI_2 * bound).sin(),
                _ => sine.largest(bound, Certainty::Usual),
            };
            checks::notice(RangeNotice::Accuracy { op, bound, accurate, worst });
        }
        Ok(())
    }

    /// Refuses arguments that do not belong together.
    fn check_keys(&self, op: &'static str, a: &Ciphertext, keys: BootstrapKeys) -> Result<(), Error> {
        let context = &self.context;
        keys.check(op, context, a)?;
        if let BootstrapKeyRef::Small { stage_count, .. } = keys.bootstrap {
            self.check_stage_count(op, stage_count)?;
        }
        context.check_slots("slot_count of the bootstrap key", keys.bootstrap.slot_count())
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
