//! The pipeline of a bootstrap, for groups of ciphertexts.

use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Rlwe, SwitchingKey, noise};
use num_complex::Complex64;

use crate::circuits::bootstrap::eval_mod::Plan;
use crate::circuits::bootstrap::key_ref::{BootstrapKeyRef, BootstrapKeys};
use crate::circuits::bootstrap::maps::MapCache;
use crate::circuits::bootstrap::method::{Method, SlotType};
use crate::circuits::bootstrap::moduli::Transform;
use crate::circuits::bootstrap::tables::BootstrapTables;
use crate::circuits::bootstrap::transform::KeyedTransform;
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
    /// Slots hold the sines of the lower half.
    EvalMod,
    /// Slots hold the message.
    SlotsToCoeffs,
}

/// A function that sees the step just done, the ciphertext and its scale.
pub type Observer<'a> = &'a mut (dyn FnMut(BootstrapStep, &Rlwe, f64) + Send);

/// The real part of a result and, where it was asked for, the imaginary part.
pub(crate) struct ComplexParts<T> {
    pub real: T,
    pub imaginary: Option<T>,
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
}

impl<T> ComplexParts<T> {
    pub fn map<U>(self, f: impl Fn(T) -> U) -> ComplexParts<U> {
        ComplexParts { real: f(self.real), imaginary: self.imaginary.map(f) }
    }
}

impl ComplexParts<Rlwe> {
    /// `real + i·imaginary`.
    pub fn joined(self, ring: &Ring) -> Rlwe {
        let mut real = self.real;
        if let Some(mut imaginary) = self.imaginary {
            mul_i_assign(ring, &mut imaginary);
            real.add_assign(ring, &imaginary);
        }
        real
    }
}

/// `ct *= i`, exactly and without a level.
fn mul_i_assign(ring: &Ring, ct: &mut Rlwe) {
    ring.mul_gaussian_assign(&mut ct.c0, 0, 1);
    ring.mul_gaussian_assign(&mut ct.c1, 0, 1);
}

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
        Self { op, core, tables, maps, keys, progress, observer, done: 0, total }
    }

    /// The same for several groups, which are reported as one piece of work.
    pub fn groups(mut self, count: usize) -> Self {
        self.total *= count;
        self
    }

    fn key(&self) -> BootstrapKeyRef<'a> {
        self.keys.bootstrap
    }

    fn transform(&self, transform: Transform, method: Method) -> KeyedTransform<'a> {
        let kind = self.key().kind(method);
        KeyedTransform::new(self.core, (self.tables, self.maps), self.key(), transform, kind)
    }

    fn fold(&self, method: Method) -> Option<(i64, &'a SwitchingKey)> {
        self.key().fold(self.core, self.key().kind(method))
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
        let cts = self.regular_from(self.bases(rlwes(group)))?;
        let finished =
            |(a, ct): (&Ciphertext, Rlwe)| self.result(a, ct, self.regular_level(), self.regular_estimate(a));
        Ok(group.iter().zip(cts).map(finished).collect())
    }

    fn regular_from(&mut self, bases: Vec<Rlwe>) -> Result<Vec<Rlwe>, Error> {
        let sines = self.sines(bases, Method::Regular, false, SlotType::Complex)?;
        self.slots_to_coeffs(sines)
    }

    /// Two bootstraps, of the ciphertexts and of the first one's errors: one level lower, with the first's error
    /// divided by [`RESIDUAL_GAIN`] (Bae, Cheon, Cho, Kim, Kim, "META-BTS", eprint 2022/1167). With high precision
    /// only.
    pub fn precise(&mut self, group: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let (ring, ladder) = (&self.core.ring, &self.core.ladder);
        let level = self.regular_level();
        let first = Batch { cts: self.regular_from(self.bases(rlwes(group)))?, level };
        // The residuals times the gain at the base's scale are small against the base, so that its prime is
        // enough.
        let gain = RESIDUAL_GAIN;
        let factor = (gain * self.tables.base_scale / ladder.scales[0]).round() as u64;
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
            let noise = (self.tables.error / gain).hypot(rounding);
            let sine = self.tables.sine(Some(gain));
            self.result(a, ct, level - 1, a.estimate().through_spread_sine(sine, self.slots(), noise))
        };
        Ok(group.iter().zip(sums.cts).map(finished).collect())
    }

    /// From level 0 to the modulus that is raised.
    fn bases(&self, cts: Vec<Rlwe>) -> Vec<Rlwe> {
        let (ring, ladder, tables) = (&self.core.ring, &self.core.ladder, self.tables);
        if ladder.sets[0] == tables.base {
            return cts;
        }
        let factor = ladder::ratio(ring, &ladder.sets[0], &tables.base) * tables.base_scale / ladder.scales[0];
        let multiplied = |mut ct: Rlwe| {
            ct.mul_integer_assign(ring, factor.round() as u64);
            ct
        };
        Rlwe::rescale_many(cts.into_iter().map(multiplied).collect(), ring, &tables.base)
    }

    /// As [`Run::regular`], for real and imaginary parts apart. EvalMod halves its results, since the separation
    /// doubles them.
    pub fn regular_parts(&mut self, group: &[Ciphertext]) -> Result<Vec<ComplexParts<Ciphertext>>, Error> {
        let sines = self.sines(self.bases(rlwes(group)), Method::Regular, true, SlotType::Complex)?;
        let cts = self.slots_to_coeffs(sines)?;
        let finished = |(a, ct): (&Ciphertext, Rlwe)| {
            let (level, estimate) = (self.regular_level(), self.regular_estimate(a));
            let ComplexParts { real, imaginary } = self.split(ct, true);
            let turned = estimate.scaled(-Complex64::i());
            ComplexParts {
                real: self.result(a, real, level, estimate.real_part()),
                imaginary: imaginary.map(|part| self.result(a, part, level, turned.real_part())),
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
    ) -> Result<Vec<ComplexParts<Ciphertext>>, Error> {
        let ring = &self.core.ring;
        let mut cts = rlwes(group);
        let transform = self.transform(Transform::SlotsToCoeffsFirst, method);
        self.check()?;
        for stage in 0..transform.len() {
            cts = transform.apply(ring, stage, &cts);
            self.step()?;
        }
        let mut cts = self.bases(cts);
        if method == Method::Sign {
            // ±1 to ±q0/4.
            let factor = (self.tables.message_ratio / 4.0).round() as u64;
            cts.iter_mut().for_each(|ct| ct.mul_integer_assign(ring, factor));
        }
        let sines = self.sines(cts, method, false, slot_type)?;
        let level = self.core.ladder.sets.len() - 1;
        let finished = |(a, sines): (&Ciphertext, ComplexParts<Rlwe>)| {
            let estimate = self.first_estimate(a, method, level);
            let turned = estimate.scaled(-Complex64::i());
            let part_of = |estimate: &Estimate| match method {
                Method::Sign => estimate.real_part().restated(1.0),
                _ => estimate.real_part(),
            };
            ComplexParts {
                real: self.result(a, sines.real, level, part_of(&estimate)),
                imaginary: sines.imaginary.map(|part| self.result(a, part, level, part_of(&turned))),
            }
        };
        Ok(group.iter().zip(sines).map(finished).collect())
    }

    fn slots(&self) -> usize {
        self.core.encoder.slots()
    }

    /// Sines of coefficients, whose errors are spread over the slots.
    fn regular_estimate(&self, a: &Ciphertext) -> Estimate {
        a.estimate().through_spread_sine(self.tables.sine(None), self.slots(), self.tables.error)
    }

    /// Values are coefficients here, so that coefficient noise at level 0 counts as it is; signs square their input's
    /// error.
    fn first_estimate(&self, a: &Ciphertext, method: Method, level: usize) -> Estimate {
        let base = 4.0 * noise::rounding_std_dev(self.core.params.secret_weight()) / self.tables.base_scale;
        let rounding = 2.0 * self.core.rounding_error(self.core.ladder.scales[level]);
        match method {
            Method::Sign => {
                let before = a.estimate().clone().with_noise(base);
                before.cleaned(rounding)
            }
            _ => a.estimate().through_sine(self.tables.sine(None), base.hypot(rounding)),
        }
    }

    fn plan(&self, method: Method) -> &'a Plan {
        let plan = self.tables.plan(self.key().kind(method), method);
        plan.unwrap_or_else(|| unreachable!("keys were checked to serve the method"))
    }

    fn regular_level(&self) -> usize {
        self.core.ladder.sets.len() - 1 - self.key().stage_count()
    }

    fn slots_to_coeffs(&mut self, sines: Vec<ComplexParts<Rlwe>>) -> Result<Vec<Rlwe>, Error> {
        let ring = &self.core.ring;
        let mut cts: Vec<Rlwe> = sines.into_iter().map(|halves| halves.joined(ring)).collect();
        let transform = self.transform(Transform::SlotsToCoeffs, Method::Regular);
        self.check()?;
        for stage in 0..transform.len() {
            cts = transform.apply(ring, stage, &cts);
            if let (0, Some(fold)) = (stage, self.fold(Method::Regular)) {
                cts.iter_mut().for_each(|ct| self.add_rotated(ct, fold));
            }
            self.step()?;
        }
        let scale = self.core.ladder.scales[self.regular_level()];
        (self.observer)(BootstrapStep::SlotsToCoeffs, &cts[0], scale);
        Ok(cts)
    }

    /// `ct += rot(ct)`.
    fn add_rotated(&self, ct: &mut Rlwe, (rotation, key): (i64, &SwitchingKey)) {
        let ring = &self.core.ring;
        let rotated = key.automorphism(ring, ct, ring.rotation_elt(rotation));
        ct.add_assign(ring, &rotated);
    }

    fn result(&self, a: &Ciphertext, rlwe: Rlwe, level: usize, estimate: Estimate) -> Ciphertext {
        Ciphertext::new(rlwe, None, Claims::new(level, self.core.ladder.scales[level], estimate), a.identity())
    }

    /// From coefficients over the base prime to the sines of their two halves in slots, at the top message level.
    fn sines(
        &mut self,
        bases: Vec<Rlwe>,
        method: Method,
        halved: bool,
        slot_type: SlotType,
    ) -> Result<Vec<ComplexParts<Rlwe>>, Error> {
        let ring = &self.core.ring;
        let plan = self.plan(method);
        let mut cts: Vec<Rlwe> = bases.iter().map(|base| self.mod_raise(base)).collect();
        for (rotation, key) in &self.key().top().trace {
            cts.iter_mut().for_each(|ct| self.add_rotated(ct, (*rotation, key)));
        }
        let base_scale = self.tables.base_scale;
        (self.observer)(BootstrapStep::ModRaise, &cts[0], self.tables.raise_factor as f64 * base_scale);
        self.step()?;

        let transform = self.transform(Transform::CoeffsToSlots, method);
        self.check()?;
        for stage in 0..transform.len() {
            cts = transform.apply(ring, stage, &cts);
            self.step()?;
        }
        // Side by side, the real parts are both halves.
        let apart = slot_type == SlotType::Complex && self.fold(method).is_none();
        let (mut halves, imaginary): (Vec<Rlwe>, Vec<_>) =
            cts.into_iter().map(|ct| self.split(ct, apart)).map(|half| (half.real, half.imaginary)).unzip();
        (self.observer)(BootstrapStep::CoeffsToSlots, &halves[0], plan.top_scale());
        self.step()?;

        // All halves side by side.
        halves.extend(imaginary.into_iter().flatten());
        let u = Batch { cts: halves, level: plan.ladder.sets.len() - 1 };
        let sines = plan.eval_mod(ring, &self.keys.relinearization.keys, u, halved, &|| self.check())?;
        let mut sines = sines.cts.into_iter();
        let reals: Vec<Rlwe> = sines.by_ref().take(bases.len()).collect();
        (self.observer)(BootstrapStep::EvalMod, &reals[0], plan.ladder.scales[0]);
        self.step()?;
        Ok(reals.into_iter().map(|real| ComplexParts { real, imaginary: sines.next() }).collect())
    }

    /// From the base prime to the raised modulus, by way of the encapsulated sparse secret: the phase becomes
    /// `factor·(m + q0·I)` with `|I| ≤ 16`.
    fn mod_raise(&self, ct: &Rlwe) -> Rlwe {
        let ring = &self.core.ring;
        let top = self.key().top();
        let raised = &top.raised;

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
        top.to_dense.switch_digits(ring, &c0, &vec![(0, c1)])
    }

    /// `w + conj(w)` and, where both are asked for, `−i·(w − conj(w))`: twice the real and the imaginary parts.
    fn split(&self, w: Rlwe, both: bool) -> ComplexParts<Rlwe> {
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
        ComplexParts { real, imaginary }
    }
}
