//! The pipeline.

use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Rlwe, SwitchingKey, noise};

use crate::bootstrap::eval_mod::Plan;
use crate::bootstrap::maps::Part;
use crate::bootstrap::stages::{BootstrapKeyRef, Stages};
use crate::bootstrap::{BootstrapKeys, BootstrapTables, Method, Observer, Parts, Stage};
use crate::claims::Claims;
use crate::context::Inner;
use crate::working::{self, Working};
use crate::{Ciphertext, Error, Progress, arithmetic, report};

/// log2 of what a precise bootstrap's residual is multiplied by: errors of 2^-17, those of a constant message of size
/// one, still come out an eighth in size.
const LOG2_RESIDUAL: u32 = 14;

/// The real and, where it was asked for, the imaginary part of a result.
pub(super) struct Halves<T> {
    pub real: T,
    pub imaginary: Option<T>,
}

/// Bootstraps, a group of ciphertexts at a time: their surroundings, and how far they are.
pub(super) struct Run<'a> {
    op: &'static str,
    inner: &'a Inner,
    tables: &'a BootstrapTables,
    keys: BootstrapKeys<'a>,
    progress: Progress<'a>,
    observer: Observer<'a>,
    done: usize,
    total: usize,
}

impl<T> Halves<T> {
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Halves<U> {
        Halves { real: f(self.real), imaginary: self.imaginary.map(f) }
    }
}

impl Halves<Rlwe> {
    /// `real + i·imaginary`.
    pub fn joined(self, ring: &Ring) -> Rlwe {
        let mut real = self.real;
        if let Some(mut imaginary) = self.imaginary {
            arithmetic::mul_i_assign(ring, &mut imaginary);
            real.add_assign(ring, &imaginary);
        }
        real
    }
}

fn rlwes(group: &[Ciphertext]) -> Vec<Rlwe> {
    group.iter().map(|a| a.rlwe().clone()).collect()
}

impl<'a> Run<'a> {
    pub fn new(
        op: &'static str,
        inner: &'a Inner,
        tables: &'a BootstrapTables,
        keys: BootstrapKeys<'a>,
        progress: Progress<'a>,
        observer: Observer<'a>,
    ) -> Self {
        let total = keys.bootstrap.all_stages() + 3;
        Self { op, inner, tables, keys, progress, observer, done: 0, total }
    }

    /// The same for several groups, which are reported as one piece of work.
    pub fn groups(mut self, count: usize) -> Self {
        self.total *= count;
        self
    }

    fn key(&self) -> BootstrapKeyRef<'a> {
        self.keys.bootstrap
    }

    fn stages(&self, part: Part, method: Method) -> Stages<'a> {
        self.key().stages(self.inner, self.tables, part, self.key().kind(method))
    }

    fn fold(&self, method: Method) -> Option<(i64, &'a SwitchingKey)> {
        self.key().fold(self.inner, self.key().kind(method))
    }

    /// Reports a step; an error if the answer is to stop.
    fn step(&mut self) -> Result<(), Error> {
        self.done += 1;
        report(self.op, self.progress, self.done, self.total)
    }

    /// SlotsToCoeffs last: from level 0 to the top message level less the number of stages.
    pub fn regular(&mut self, group: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let cts = self.regular_from(self.bases(rlwes(group)))?;
        let finished =
            |(a, ct): (&Ciphertext, Rlwe)| self.result(a, ct, self.regular_level(), a.error().hypot(self.tables.error));
        Ok(group.iter().zip(cts).map(finished).collect())
    }

    fn regular_from(&mut self, bases: Vec<Rlwe>) -> Result<Vec<Rlwe>, Error> {
        let sines = self.sines(bases, Method::Regular, false, Parts::Complex)?;
        self.slots_to_coeffs(sines)
    }

    /// Two bootstraps, of the ciphertexts and of what the first left out: one level lower, with the first's error
    /// divided by 2^[`LOG2_RESIDUAL`] (Bae, Cheon, Cho, Kim, Kim, "META-BTS", eprint 2022/1167). With high precision
    /// only.
    pub fn precise(&mut self, group: &[Ciphertext]) -> Result<Vec<Ciphertext>, Error> {
        let (ring, ladder) = (&self.inner.ring, &self.inner.ladder);
        let level = self.regular_level();
        let first = Working { cts: self.regular_from(self.bases(rlwes(group)))?, level };
        // The residuals times 2^LOG2_RESIDUAL at the base's scale are small against the base, so that its prime is
        // enough.
        let gain = f64::from(LOG2_RESIDUAL).exp2();
        let factor = (gain * self.tables.base_scale / ladder.scales[0]).round() as u64;
        let mut residuals = rlwes(group);
        for (residual, first) in residuals.iter_mut().zip(&ladder.at_level(ring, &first, 0).cts) {
            residual.sub_assign(ring, first);
            *residual = residual.restricted(&self.tables.base);
            residual.mul_integer_assign(ring, factor);
        }
        let second = Working { cts: self.regular_from(residuals)?, level };
        let sums = ladder.linear_combination(ring, &[(&first, 1.0), (&second, 1.0 / gain)], level - 1);
        let rounding = 2.0 * self.inner.rounding_error(ladder.scales[0]);
        let finished = |(a, ct): (&Ciphertext, Rlwe)| {
            let error = a.error().hypot(self.tables.error / gain).hypot(rounding);
            self.result(a, ct, level - 1, error)
        };
        Ok(group.iter().zip(sums.cts).map(finished).collect())
    }

    /// From level 0 to what the modulus is raised from.
    fn bases(&self, cts: Vec<Rlwe>) -> Vec<Rlwe> {
        let (ring, ladder, tables) = (&self.inner.ring, &self.inner.ladder, self.tables);
        if ladder.sets[0] == tables.base {
            return cts;
        }
        let factor = working::ratio(ring, &ladder.sets[0], &tables.base) * tables.base_scale / ladder.scales[0];
        let multiplied = |mut ct: Rlwe| {
            ct.mul_integer_assign(ring, factor.round() as u64);
            ct
        };
        Rlwe::rescale_many(cts.into_iter().map(multiplied).collect(), ring, &tables.base)
    }

    /// As [`Run::regular`], for real and imaginary parts apart. EvalMod halves its results, since the separation
    /// doubles them.
    pub fn regular_halves(&mut self, group: &[Ciphertext]) -> Result<Vec<Halves<Ciphertext>>, Error> {
        let sines = self.sines(self.bases(rlwes(group)), Method::Regular, true, Parts::Complex)?;
        let cts = self.slots_to_coeffs(sines)?;
        let finished = |(a, ct): (&Ciphertext, Rlwe)| {
            let error = a.error().hypot(self.tables.error);
            self.split(ct, true).map(|half| self.result(a, half, self.regular_level(), error))
        };
        Ok(group.iter().zip(cts).map(finished).collect())
    }

    /// SlotsToCoeffs first: from level stage_count to the top message level.
    pub fn first(
        &mut self,
        group: &[Ciphertext],
        method: Method,
        parts: Parts,
    ) -> Result<Vec<Halves<Ciphertext>>, Error> {
        let ring = &self.inner.ring;
        let mut cts = rlwes(group);
        let stages = self.stages(Part::SlotsToCoeffsFirst, method);
        for stage in 0..stages.len() {
            cts = stages.apply(ring, stage, &cts);
            self.step()?;
        }
        let mut cts = self.bases(cts);
        if method == Method::Sign {
            // ±1 to ±q0/4.
            let factor = (self.tables.message_ratio / 4.0).round() as u64;
            cts.iter_mut().for_each(|ct| ct.mul_integer_assign(ring, factor));
        }
        let sines = self.sines(cts, method, false, parts)?;
        let level = self.inner.ladder.sets.len() - 1;
        let finished = |(a, sines): (&Ciphertext, Halves<Rlwe>)| {
            let error = self.first_error(a, method, level);
            sines.map(|ct| self.result(a, ct, level, error))
        };
        Ok(group.iter().zip(sines).map(finished).collect())
    }

    /// Values are coefficients here, so that coefficient noise at level 0 counts as it is; signs square what comes in.
    fn first_error(&self, a: &Ciphertext, method: Method, level: usize) -> f64 {
        let base = noise::rounding_std_dev(self.inner.params.secret_weight()) / self.tables.base_scale;
        let before = a.error().hypot(4.0 * base);
        let rounding = 2.0 * self.inner.rounding_error(self.inner.ladder.scales[level]);
        match method {
            Method::Sign => (std::f64::consts::PI.powi(2) / 8.0 * before * before).hypot(rounding),
            _ => before.hypot(rounding),
        }
    }

    fn plan(&self, method: Method) -> &'a Plan {
        let plan = self.tables.plan(self.key().kind(method), method);
        plan.unwrap_or_else(|| unreachable!("keys were checked to serve the method"))
    }

    fn regular_level(&self) -> usize {
        self.inner.ladder.sets.len() - 1 - self.key().stage_count()
    }

    fn slots_to_coeffs(&mut self, sines: Vec<Halves<Rlwe>>) -> Result<Vec<Rlwe>, Error> {
        let ring = &self.inner.ring;
        let mut cts: Vec<Rlwe> = sines.into_iter().map(|halves| halves.joined(ring)).collect();
        let stages = self.stages(Part::SlotsToCoeffs, Method::Regular);
        for stage in 0..stages.len() {
            cts = stages.apply(ring, stage, &cts);
            if let (0, Some(fold)) = (stage, self.fold(Method::Regular)) {
                cts.iter_mut().for_each(|ct| self.add_rotated(ct, fold));
            }
            self.step()?;
        }
        let scale = self.inner.ladder.scales[self.regular_level()];
        (self.observer)(Stage::SlotsToCoeffs, &cts[0], scale);
        Ok(cts)
    }

    /// `ct += rot(ct)`.
    fn add_rotated(&self, ct: &mut Rlwe, (rotation, key): (i64, &SwitchingKey)) {
        let ring = &self.inner.ring;
        let rotated = key.automorphism(ring, ct, ring.rotation_elt(rotation));
        ct.add_assign(ring, &rotated);
    }

    fn result(&self, a: &Ciphertext, rlwe: Rlwe, level: usize, error: f64) -> Ciphertext {
        let claims = Claims::new(level, self.inner.ladder.scales[level], error);
        Ciphertext::new(rlwe, None, claims, a.origin())
    }

    /// From coefficients over the base prime to the sines of their two halves in slots, at the top message level.
    fn sines(
        &mut self,
        bases: Vec<Rlwe>,
        method: Method,
        halved: bool,
        parts: Parts,
    ) -> Result<Vec<Halves<Rlwe>>, Error> {
        let ring = &self.inner.ring;
        let plan = self.plan(method);
        let mut cts: Vec<Rlwe> = bases.iter().map(|base| self.mod_raise(base)).collect();
        for (rotation, key) in &self.key().top().trace {
            cts.iter_mut().for_each(|ct| self.add_rotated(ct, (*rotation, key)));
        }
        let base_scale = self.tables.base_scale;
        (self.observer)(Stage::ModRaise, &cts[0], self.tables.raise_factor as f64 * base_scale);
        self.step()?;

        let stages = self.stages(Part::CoeffsToSlots, method);
        for stage in 0..stages.len() {
            cts = stages.apply(ring, stage, &cts);
            self.step()?;
        }
        // Side by side, the real parts are both halves.
        let apart = parts == Parts::Complex && self.fold(method).is_none();
        let (mut halves, imaginary): (Vec<Rlwe>, Vec<_>) =
            cts.into_iter().map(|ct| self.split(ct, apart)).map(|half| (half.real, half.imaginary)).unzip();
        (self.observer)(Stage::CoeffsToSlots, &halves[0], plan.top_scale());
        self.step()?;

        // All halves side by side.
        halves.extend(imaginary.into_iter().flatten());
        let u = Working { cts: halves, level: plan.ladder.sets.len() - 1 };
        let mut sines = plan.eval_mod(ring, &self.keys.relinearization.keys, u, halved).cts.into_iter();
        let reals: Vec<Rlwe> = sines.by_ref().take(bases.len()).collect();
        (self.observer)(Stage::EvalMod, &reals[0], plan.ladder.scales[0]);
        self.step()?;
        Ok(reals.into_iter().map(|real| Halves { real, imaginary: sines.next() }).collect())
    }

    /// From the base prime to the raised modulus, by way of the encapsulated sparse secret: the phase becomes
    /// `factor·(m + q0·I)` with `|I| ≤ 16`.
    fn mod_raise(&self, ct: &Rlwe) -> Rlwe {
        let ring = &self.inner.ring;
        let base = self.tables.base.clone();
        let top = self.key().top();
        let raised = &top.raised;

        // To the sparse secret, at the smallest modulus.
        let mut sparse = top.to_sparse.switch(ring, &ct.c1).rescale(ring, &base);
        ring.add_assign(&mut sparse.c0, &ct.c0);

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
        let mut dense = top.to_dense.product(ring, &[(0, c1)]).rescale(ring, raised);
        ring.add_assign(&mut dense.c0, &c0);
        dense
    }

    /// `w + conj(w)` and, where both are asked for, `−i·(w − conj(w))`: twice the real and the imaginary parts.
    fn split(&self, w: Rlwe, both: bool) -> Halves<Rlwe> {
        let ring = &self.inner.ring;
        let key = self.keys.conjugation.keys.for_set(w.set());
        let conjugate = key.automorphism(ring, &w, ring.conjugation_elt());
        let imaginary = both.then(|| {
            // −i·(w − w̄) = i·(w̄ − w).
            let mut imaginary = conjugate.clone();
            imaginary.sub_assign(ring, &w);
            arithmetic::mul_i_assign(ring, &mut imaginary);
            imaginary
        });
        let mut real = w;
        real.add_assign(ring, &conjugate);
        Halves { real, imaginary }
    }
}
