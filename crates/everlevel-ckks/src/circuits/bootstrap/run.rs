//! The pipeline of a bootstrap, for groups of ciphertexts.

use std::borrow::Cow;

use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Rlwe, SwitchingKey};
use num_complex::Complex64;

use crate::circuits::bootstrap::eval_mod::{Plan, Sines};
use crate::circuits::bootstrap::key::KeyedTransform;
use crate::circuits::bootstrap::key::{BootstrapKeyRef, BootstrapKeys};
use crate::circuits::bootstrap::maps::MapCache;
use crate::circuits::bootstrap::method::{Method, SlotType};
use crate::circuits::bootstrap::stages::{MapsKind, Transform, maps_kind, spared_primes};
use crate::circuits::bootstrap::tables::{BootstrapTables, Order};
use crate::claims::{Claims, Estimate};
use crate::core::Core;
use crate::ladder::{self, Batch};
use crate::{Ciphertext, Error, Progress};
use everlevel_ring::report;

/// The factor of a precise bootstrap's residual, 2^14: errors of 2^-17, those of a constant message of size one, still
/// come out an eighth in size.
pub(crate) const RESIDUAL_GAIN: f64 = 16384.0;

/// A point in the pipeline where the state can be looked at, for tests and for learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootstrapStep {
    /// Coefficients hold `m + q0·I`.
    ModRaise,
    /// Slots hold the coefficients, in bit-reversed order, one half.
    CoeffsToSlots,
    /// Slots hold the sines of the lower half and, times `i`, of the upper one.
    EvalMod,
    /// Slots hold the message.
    SlotsToCoeffs,
}

/// A function that sees the step just done, the ciphertext and its scale.
pub type Observer<'a> = &'a mut (dyn FnMut(BootstrapStep, &Rlwe, f64) + Send);

/// The real and the imaginary part of a result.
pub(crate) struct ComplexParts<T> {
    pub real: T,
    pub imaginary: T,
}

/// Bootstraps, a group of ciphertexts at a time: their surroundings, and how far they are.
pub(crate) struct Run<'a> {
    op: &'static str,
    core: &'a Core,
    tables: &'a BootstrapTables,
    maps: &'a MapCache,
    keys: BootstrapKeys<'a>,
    progress: Progress<'a>,
    observer: Observer<'a>,
    done: usize,
    total: usize,
    /// Levels below the highest that results have.
    spared: usize,
}

/// `ct *= i`, exactly and without a level.
fn mul_i_assign(ring: &Ring, ct: &mut Rlwe) {
    ring.mul_gaussian_assign(&mut ct.c0, 0, 1);
    ring.mul_gaussian_assign(&mut ct.c1, 0, 1);
}

/// Both halves in one result.
const JOINED: Sines = Sines { are_joined: true, are_halved: false };
/// Each half by itself.
const APART: Sines = Sines { are_joined: false, are_halved: false };

fn rlwes(group: &[Ciphertext]) -> Vec<Rlwe> {
    group.iter().map(|a| a.rlwe().clone()).collect()
}

impl<'a> Run<'a> {
    pub fn new(
        op: &'static str,
        core: &'a Core,
        (tables, maps): (&'a BootstrapTables, &'a MapCache),
        keys: BootstrapKeys<'a>,
        progress: Progress<'a>,
        observer: Observer<'a>,
    ) -> Self {
        let total = keys.bootstrap.all_stages() + 3;
        Self { op, core, tables, maps, keys, progress, observer, done: 0, total, spared: 0 }
    }

    /// Ends so many levels below the highest from now on.
    pub fn spare(&mut self, levels: usize) {
        self.spared = levels;
    }

    /// This run for several groups, which are reported as one piece of work.
    pub fn groups(mut self, count: usize) -> Self {
        self.total *= count;
        self
    }

    fn key(&self) -> BootstrapKeyRef<'a> {
        self.keys.bootstrap
    }

    /// The level that results have where SlotsToCoeffs comes first.
    fn first_level(&self) -> usize {
        self.core.ladder.sets.len() - 1 - self.spared
    }

    fn transform(&self, transform: Transform, method: Method) -> KeyedTransform<'a> {
        let kind = self.maps_kind(method);
        KeyedTransform::new(self.core, (self.tables, self.maps), self.key(), transform, (kind, self.spared))
    }

    fn fold(&self, method: Method) -> Option<(i64, &'a SwitchingKey)> {
        self.key().fold(self.core, self.maps_kind(method))
    }

    /// The kind of a method's maps.
    fn maps_kind(&self, method: Method) -> MapsKind {
        maps_kind(self.core, self.key().kind(), method.place())
    }

    /// Reports a step; an error if the answer is to stop.
    fn step(&mut self) -> Result<(), Error> {
        self.done += 1;
        self.check()
    }

    /// Reports the last step again, within a long one, so that the answer may be to stop.
    fn check(&self) -> Result<(), Error> {
        Ok(report(self.op, self.progress, self.done, self.total)?)
    }

    /// SlotsToCoeffs last: from level 0 to the top message level less the number of stages.
    pub fn regular(&mut self, group: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let cts = self.regular_from(self.bases(rlwes(group), &self.tables.last))?;
        let finished =
            |(a, ct): (&Ciphertext, Rlwe)| self.result(a, ct, self.regular_level(), self.regular_estimate(a));
        Ok(group.iter().zip(cts).map(finished).collect())
    }

    fn regular_from(&mut self, bases: Vec<Rlwe>) -> Result<Vec<Rlwe>, Error> {
        let sines = self.sines(bases, Method::Regular, JOINED, SlotType::Complex)?;
        self.slots_to_coeffs(sines)
    }

    /// Two bootstraps, of the ciphertexts and of the first one's errors: one level lower, with the first's error
    /// divided by [`RESIDUAL_GAIN`] (Bae, Cheon, Cho, Kim, Kim, "META-BTS", eprint 2022/1167). With high precision
    /// only.
    pub fn precise(&mut self, group: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let (ring, ladder) = (&self.core.ring, &self.core.ladder);
        let level = self.regular_level();
        let first = Batch { cts: self.regular_from(self.bases(rlwes(group), &self.tables.last))?, level };
        // The residuals times the gain at the base's scale are small against the base, so that its prime is
        // enough.
        let gain = RESIDUAL_GAIN;
        let factor = (gain * self.tables.last.base_scale / ladder.scales[0]).round() as u64;
        let mut residuals = rlwes(group);
        for (residual, first) in residuals.iter_mut().zip(&ladder.at_level(ring, &first, 0).cts) {
            residual.sub_assign(ring, first);
            *residual = residual.restricted(&self.tables.base);
            residual.mul_integer_assign(ring, factor);
        }
        let second = Batch { cts: self.regular_from(residuals)?, level };
        let sums = ladder.linear_combination(ring, &[(&first, 1.0), (&second, 1.0 / gain)], level - 1);
        let rounding = 2.0 * self.core.rounding_error(ladder.scales[0]);
        let finished = |(a, ct): (&Ciphertext, Rlwe)| {
            let noise = (self.tables.last.error / gain).hypot(rounding);
            let sine = self.tables.last.sine(Some(gain));
            self.result(a, ct, level - 1, a.estimate().through_spread_sine(sine, self.slots(), noise))
        };
        Ok(group.iter().zip(sums.cts).map(finished).collect())
    }

    /// From level 0 to the modulus that is raised, at an order's scale.
    fn bases(&self, cts: Vec<Rlwe>, order: &Order) -> Vec<Rlwe> {
        let (ring, ladder, tables) = (&self.core.ring, &self.core.ladder, self.tables);
        if ladder.sets[0] == tables.base {
            return cts;
        }
        let factor = ladder::ratio(ring, &ladder.sets[0], &tables.base) * order.base_scale / ladder.scales[0];
        let multiplied = |mut ct: Rlwe| {
            ct.mul_integer_assign(ring, factor.round() as u64);
            ct
        };
        Rlwe::rescale_many(cts.into_iter().map(multiplied).collect(), ring, &tables.base)
    }

    /// As [`Run::regular`], for real and imaginary parts apart. EvalMod halves its results, since the separation
    /// doubles them.
    pub fn regular_parts(&mut self, group: &[Ciphertext]) -> Result<Vec<ComplexParts<Ciphertext>>, Error> {
        let halved = Sines { are_halved: true, ..JOINED };
        let sines =
            self.sines(self.bases(rlwes(group), &self.tables.last), Method::Regular, halved, SlotType::Complex)?;
        let cts = self.slots_to_coeffs(sines)?;
        let finished = |(a, ct): (&Ciphertext, Rlwe)| {
            let (level, estimate) = (self.regular_level(), self.regular_estimate(a));
            let (real, imaginary) = self.split(ct, true);
            let imaginary = imaginary.unwrap_or_else(|| unreachable!("both parts were asked for"));
            let turned = estimate.scaled(-Complex64::i());
            ComplexParts {
                real: self.result(a, real, level, estimate.real_part()),
                imaginary: self.result(a, imaginary, level, turned.real_part()),
            }
        };
        Ok(group.iter().zip(cts).map(finished).collect())
    }

    /// SlotsToCoeffs first: from level stage_count to the top message level.
    pub fn first(
        &mut self,
        group: &[Ciphertext],
        method: Method,
        slot_type: SlotType,
    ) -> Result<Vec<Ciphertext>, Error> {
        let coefficients = self.first_coefficients(group, method, 1.0)?;
        self.joined(group, coefficients, method, slot_type)
    }

    /// The sines of coefficients over the base prime, which a group of ciphertexts has the claims of.
    fn joined(
        &mut self,
        group: &[Ciphertext],
        coefficients: Vec<Rlwe>,
        method: Method,
        slot_type: SlotType,
    ) -> Result<Vec<Ciphertext>, Error> {
        let sines = self.sines(coefficients, method, JOINED, slot_type)?;
        let level = self.first_level();
        let finished = |(a, sines): (&Ciphertext, Rlwe)| {
            let [real, imaginary] = self.first_estimates(a, method, level);
            let estimate = match slot_type {
                SlotType::Complex => real.complex(&imaginary),
                SlotType::Real => real,
            };
            self.result(a, sines, level, estimate)
        };
        Ok(group.iter().zip(sines).map(finished).collect())
    }

    /// As [`Run::first`], for real and imaginary parts apart.
    pub fn first_parts(
        &mut self,
        group: &[Ciphertext],
        method: Method,
    ) -> Result<Vec<ComplexParts<Ciphertext>>, Error> {
        let coefficients = self.first_coefficients(group, method, 1.0)?;
        self.apart(group, coefficients, method)
    }

    /// As [`Run::joined`], for both halves apart.
    fn apart(
        &mut self,
        group: &[Ciphertext],
        coefficients: Vec<Rlwe>,
        method: Method,
    ) -> Result<Vec<ComplexParts<Ciphertext>>, Error> {
        let mut reals = self.sines(coefficients, method, APART, SlotType::Complex)?;
        let imaginaries = reals.split_off(group.len());
        let level = self.first_level();
        let finished = |(a, (first, second)): (&Ciphertext, (Rlwe, Rlwe))| {
            let [real, imaginary] = self.first_estimates(a, method, level);
            ComplexParts {
                real: self.result(a, first, level, real),
                imaginary: self.result(a, second, level, imaginary),
            }
        };
        Ok(group.iter().zip(reals.into_iter().zip(imaginaries)).map(finished).collect())
    }

    /// Quarter waves of ciphertexts over the base prime, whose coefficients fill the sine, from the lower half of the
    /// coefficients, and from the upper one where both are asked for: a bootstrap without its first steps.
    pub fn quarter_waves(&mut self, group: &[Ciphertext], slot_type: SlotType) -> Result<Vec<Vec<Ciphertext>>, Error> {
        self.done += self.key().stage_count();
        match slot_type {
            SlotType::Real => {
                Ok(self.joined(group, rlwes(group), Method::Table, slot_type)?.into_iter().map(|x| vec![x]).collect())
            }
            SlotType::Complex => {
                let parts = self.apart(group, rlwes(group), Method::Table)?;
                Ok(parts.into_iter().map(|ComplexParts { real, imaginary }| vec![real, imaginary]).collect())
            }
        }
    }

    /// SlotsToCoeffs from level stage_count to the modulus that is raised. Of values that fill the sine, a share of it.
    pub fn first_coefficients(&mut self, group: &[Ciphertext], method: Method, share: f64) -> Result<Vec<Rlwe>, Error> {
        let ring = &self.core.ring;
        let mut cts = rlwes(group);
        let transform = self.transform(Transform::SlotsToCoeffsFirst, method);
        self.check()?;
        for stage in 0..transform.len() {
            let apply = |cts: Vec<Rlwe>| Ok(transform.apply(ring, stage, &cts));
            cts = self.phase(&format!("SlotsToCoeffsFirst {stage} {method:?}"), cts, apply)?;
            self.step()?;
        }
        let mut cts = self.bases(cts, &self.tables.first);
        if method.fills_the_sine() {
            // ±1 to ±q0/4.
            let factor = (self.tables.first.message_ratio / 4.0 * share).round() as u64;
            cts.iter_mut().for_each(|ct| ct.mul_integer_assign(ring, factor));
        }
        Ok(cts)
    }

    fn slots(&self) -> usize {
        self.core.encoder.slots()
    }

    /// Sines of coefficients, whose errors are spread over the slots.
    fn regular_estimate(&self, a: &Ciphertext) -> Estimate {
        a.estimate().through_spread_sine(self.tables.last.sine(None), self.slots(), self.tables.last.error)
    }

    /// Estimates of real and imaginary parts. Signs square their input's error, EvalMod's at their extrema is small,
    /// and the last rounding remains.
    fn first_estimates(&self, a: &Ciphertext, method: Method, level: usize) -> [Estimate; 2] {
        let order = &self.tables.first;
        let rounding = self.core.rounding_error(self.core.ladder.scales[level]);
        let both = match method {
            Method::Sign => a.estimate().clone().with_noise(order.error).cleaned(rounding),
            Method::Table => a.estimate().clone().with_noise(order.error).through_quarter_waves(rounding),
            _ => a.estimate().through_sine(order.sine(None), order.error.hypot(rounding)),
        };
        let part_of = |estimate: &Estimate| match method {
            Method::Sign | Method::Table => estimate.real_part().restated(1.0),
            _ => estimate.real_part(),
        };
        [part_of(&both), part_of(&both.scaled(-Complex64::i()))]
    }

    fn plan(&self, method: Method) -> Cow<'a, Plan> {
        let plan = self.tables.plan(self.core, self.maps_kind(method), method, self.spared);
        plan.unwrap_or_else(|| unreachable!("keys were checked to serve the method"))
    }

    fn regular_level(&self) -> usize {
        self.first_level() - self.key().stage_count()
    }

    fn slots_to_coeffs(&mut self, mut cts: Vec<Rlwe>) -> Result<Vec<Rlwe>, Error> {
        let ring = &self.core.ring;
        let transform = self.transform(Transform::SlotsToCoeffs, Method::Regular);
        self.check()?;
        for stage in 0..transform.len() {
            let kind = self.maps_kind(Method::Regular);
            cts = self.phase(&format!("SlotsToCoeffs {stage} {kind:?}"), cts, |cts| {
                let mut cts = transform.apply(ring, stage, &cts);
                if let (0, Some(fold)) = (stage, self.fold(Method::Regular)) {
                    cts.iter_mut().for_each(|ct| self.add_rotated(ct, fold));
                }
                Ok(cts)
            })?;
            self.step()?;
        }
        let scale = self.core.ladder.scales[self.regular_level()];
        (self.observer)(BootstrapStep::SlotsToCoeffs, &cts[0], scale);
        Ok(cts)
    }

    /// `ct += rot(ct)`.
    fn add_rotated(&self, ct: &mut Rlwe, (rotation, key): (i64, &SwitchingKey)) {
        let ring = &self.core.ring;
        let (switched, elt) = (key.switch(ring, ct), ring.rotation_elt(rotation));
        ring.automorphism_add_assign(&mut ct.c0, &switched.c0, elt);
        ring.automorphism_add_assign(&mut ct.c1, &switched.c1, elt);
    }

    fn result(&self, a: &Ciphertext, rlwe: Rlwe, level: usize, estimate: Estimate) -> Ciphertext {
        Ciphertext::new(rlwe, None, Claims::new(level, self.core.ladder.scales[level], estimate), a.identity())
    }

    /// From coefficients over the base prime to the sines of their two halves in slots, at the top message level: all
    /// first halves before all second ones, where they aren't joined.
    fn sines(
        &mut self,
        bases: Vec<Rlwe>,
        method: Method,
        results: Sines,
        slot_type: SlotType,
    ) -> Result<Vec<Rlwe>, Error> {
        let ring = &self.core.ring;
        let plan = self.plan(method);
        let mut cts = self.phase(&format!("ModRaise {method:?}"), bases, |bases| {
            let mut cts: Vec<Rlwe> = bases.iter().map(|base| self.mod_raise(base, method)).collect();
            for (rotation, key) in &self.key().top().trace {
                cts.iter_mut().for_each(|ct| self.add_rotated(ct, (*rotation, key)));
            }
            Ok(cts)
        })?;
        let order = if method.is_first() { &self.tables.first } else { &self.tables.last };
        let base_scale = order.base_scale;
        (self.observer)(BootstrapStep::ModRaise, &cts[0], self.tables.raise_factor as f64 * base_scale);
        self.step()?;

        let transform = self.transform(Transform::CoeffsToSlots, method);
        self.check()?;
        for stage in 0..transform.len() {
            let apply = |cts: Vec<Rlwe>| Ok(transform.apply(ring, stage, &cts));
            cts = self.phase(&format!("CoeffsToSlots {stage} {method:?}"), cts, apply)?;
            self.step()?;
        }
        // Side by side, the real parts are both halves.
        let apart = slot_type == SlotType::Complex && self.fold(method).is_none();
        let halves = self.phase(&format!("split {apart}"), cts, |cts| {
            let (mut halves, imaginary): (Vec<Rlwe>, Vec<_>) = cts.into_iter().map(|ct| self.split(ct, apart)).unzip();
            // All halves side by side.
            halves.extend(imaginary.into_iter().flatten());
            Ok(halves)
        })?;
        (self.observer)(BootstrapStep::CoeffsToSlots, &halves[0], plan.top_scale());
        self.step()?;

        let results = Sines { are_joined: results.are_joined && apart, ..results };
        let sines = self.phase(&format!("EvalMod {method:?} {results:?}"), halves, |halves| {
            let u = Batch { cts: halves, level: plan.ladder.sets.len() - 1 };
            let sines = plan.eval_mod(ring, &self.keys.relinearization.keys, u, results, &|| self.check())?;
            Ok(sines.cts)
        })?;
        (self.observer)(BootstrapStep::EvalMod, &sines[0], plan.ladder.scales[0]);
        self.step()?;
        Ok(sines)
    }

    /// A phase of the pipeline, whose operations are the same for all ciphertexts over the same primes: a device
    /// records it at the first time. The name says what it depends on beside the keys and the operands' primes.
    fn phase(
        &self,
        name: &str,
        cts: Vec<Rlwe>,
        work: impl FnOnce(Vec<Rlwe>) -> Result<Vec<Rlwe>, Error>,
    ) -> Result<Vec<Rlwe>, Error> {
        if cts.iter().all(|ct| ct.c0.device().is_none()) {
            return work(cts);
        }
        let BootstrapKeys { relinearization, conjugation, bootstrap } = self.keys;
        let sets: Vec<PrimeSet> = cts.iter().map(|ct| ct.set().clone()).collect();
        let full_name = || {
            let keys = [relinearization.keys.ids(), conjugation.keys.ids(), bootstrap.borrowed_ids()];
            format!("{name}, {} levels spared, over {sets:?}, with keys {keys:?}", self.spared)
        };
        let pairs = |polys: Vec<_>| {
            let mut polys = polys.into_iter();
            let pair = || Some(Rlwe { c0: polys.next()?, c1: polys.next()? });
            std::iter::from_fn(pair).collect::<Vec<Rlwe>>()
        };
        let polys = |cts: Vec<Rlwe>| cts.into_iter().flat_map(|ct| [ct.c0, ct.c1]).collect::<Vec<_>>();
        let recordings = &bootstrap.top().recordings;
        let work = |operands| work(pairs(operands)).map(polys);
        Ok(pairs(self.core.ring.repeated(recordings, full_name, polys(cts), work)?))
    }

    /// From the base prime to the raised modulus, by way of the encapsulated sparse secret: the phase becomes
    /// `factor·(m + q0·I)` with `|I| ≤ 16`.
    fn mod_raise(&self, ct: &Rlwe, method: Method) -> Rlwe {
        let ring = &self.core.ring;
        let top = self.key().top();
        let raised = &top.raised.difference(&spared_primes(self.core, method.place(), self.spared));

        // To the sparse secret, at the smallest modulus.
        let sparse = top.to_sparse.switch(ring, ct);

        // The same integers over the raised modulus, and over the special primes for the digit that is all of c1.
        let special = &top.to_dense.gadget().special;
        let with_special = raised.union(special);
        let lift = |part, target: &PrimeSet| {
            let mut lifted = ring.lift(&ring.to_coeff(part), target);
            ring.mul_residues_assign(&mut lifted, |m| m.reduce(self.tables.raise_factor));
            ring.to_eval(lifted)
        };
        let c1 = lift(sparse.c1, &with_special);
        let c0 = lift(sparse.c0, raised);
        top.to_dense.switch_digits(ring, &c0, &vec![(vec![0], c1)])
    }

    /// `w + conj(w)` and, where both are asked for, `−i·(w − conj(w))`: twice the real and the imaginary parts.
    fn split(&self, w: Rlwe, both: bool) -> (Rlwe, Option<Rlwe>) {
        let ring = &self.core.ring;
        let key = self.keys.conjugation.keys.for_set(w.set());
        let conjugate = key.automorphism(ring, &w, ring.conjugation_elt());
        let imaginary = both.then(|| {
            // −i·(w − w̄) = i·(w̄ − w).
            let mut imaginary = conjugate.clone();
            imaginary.sub_assign(ring, &w);
            mul_i_assign(ring, &mut imaginary);
            imaginary
        });
        let mut real = w;
        real.add_assign(ring, &conjugate);
        (real, imaginary)
    }
}
