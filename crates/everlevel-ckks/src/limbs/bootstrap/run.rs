//! The pipeline of a bootstrap over limbs.

use everlevel_limbs::{Error, log2_hypot};
use everlevel_objects::with_memory;
use everlevel_ring::base2k::{ClearPoly, TurnedSum, coefficients};
use everlevel_ring::{Footprint, HalfProduct, LimbRing, Progress, report};
use everlevel_rlwe::{Rlwe, SIGMA};

use super::super::matrix::{Operands, RowSum, clear_sums, operands};
use super::super::polynomials::OfBudgets;
use super::super::{Ciphertext, Context, Params};
use super::key::BootstrapKey;
use super::plan::{Plan, RATIO_BITS, STAGE_BITS, Stage};
use super::purpose::Purpose;
use crate::chain::ENCAPSULATION_WEIGHT;
use crate::circuits::bootstrap::dft::EncodedMap;

/// Root mean square of the sine's error at N = 2^16 from roundings, which scales with their √N: measured.
const SINE_NOISE: f64 = 7.6e-13;
/// Root mean square of the fit's error.
const FIT_ERROR: f64 = 4.5e-13;

/// A bootstrap, and how far it is.
struct Run<'a> {
    context: &'a Context,
    plan: &'a Plan,
    key: &'a BootstrapKey,
    progress: Progress<'a>,
    done: usize,
}

impl Context {
    /// The budget that a bootstrap of values up to 1 gives.
    ///
    /// # Errors
    /// Parameters without a bootstrap.
    pub fn bootstrapped_bits(&self) -> Result<u32, Error> {
        Ok(self.bootstrap_plan()?.result_bits())
    }

    /// The memory of [`Context::bootstrap`] beside its key: the transforms of a stage's baby steps, sums and diagonals.
    ///
    /// # Errors
    /// Parameters without a bootstrap.
    pub fn bootstrap_footprint(&self) -> Result<Footprint, Error> {
        let plan = self.bootstrap_plan()?;
        let limbs = plan.inner.params().shape().limbs;
        let ciphertext = 2 * self.ring().operand_nbytes(limbs);
        let largest = |of: fn(&EncodedMap) -> usize| plan.into_slots.iter().map(|stage| of(&stage.map)).max();
        let [babies, giants] = [largest(|map| map.babies.len()), largest(|map| map.giants.len())];
        let (babies, giants) = (babies.unwrap_or(0), giants.unwrap_or(0));
        let stage = (babies + giants + 4) * ciphertext + giants * babies * self.ring().operand_nbytes(1);
        // A seeded key is prepared while it is used.
        let key = match self.frame.seeded_keys() {
            true => plan.keys().iter().map(|(_, gadget)| self.ring().key_nbytes(gadget)).max().unwrap_or(0),
            false => 0,
        };
        Ok(Footprint { held: (16 * self.params.n() * plan.low_limbs) as u64, work: (stage + key) as u64 })
    }

    /// These values with the budget of [`Context::bootstrapped_bits`], and as many bits more as the bound has above
    /// 1. Of the budget, as many bits as the message ratio has are enough for values up to 1.
    ///
    /// # Errors
    /// Parameters without a bootstrap; too little budget or memory; a key of another secret or of other parameters;
    /// [`Error::Cancelled`].
    pub fn bootstrap(&self, a: &Ciphertext, key: &BootstrapKey, progress: Progress) -> Result<Ciphertext, Error> {
        let op = "bootstrap";
        self.require_same(op, ("bootstrap key", key.origin()), a.origin)?;
        let plan = self.bootstrap_plan()?;
        // Values are divided by a power of two to be below 1: which is a budget that is larger.
        let above = Params::needed_bits(a.bound) - Params::needed_bits(1.0);
        let spare = i64::from(RATIO_BITS - Params::needed_bits(1.0));
        self.room(op, i64::from(a.budget_bits) - spare, a.bound, a.budget_bits)?;
        let run = Run { context: self, plan, key, progress, done: 0 };
        let ct = with_memory(op, self.bootstrap_footprint()?, || run.run(self.at_budget(a, RATIO_BITS + above)))?;
        let log2_slot = log2_hypot(a.log2_error(), f64::from(above) + self.bootstrap_error());
        let budget = plan.result_bits() + above;
        let log2_noise = log2_slot - f64::from(budget) - 0.5 * (self.params.n() as f64).log2();
        let result = Ciphertext { origin: a.origin, ct, budget_bits: budget, bound: a.bound, log2_noise };
        // A large bound's budget may be more than there are limbs for.
        let most = plan.inner.params().shape().bits_of(plan.low_limbs);
        let most = most - self.params.precision_bits() - self.params.guard_bits();
        Ok(self.at_budget(&result, budget.min(most)))
    }

    /// log2 of the root mean square error that a bootstrap adds to a slot of values up to 1: that of the sine, summed
    /// over all coefficients; the cubic term of the sine, where all of a message is in one coefficient; and the
    /// roundings under the sparse secret.
    fn bootstrap_error(&self) -> f64 {
        let n = self.params.n() as f64;
        let ratio = f64::from(RATIO_BITS).exp2() / (2.0 * std::f64::consts::PI);
        let sine = ratio * n.sqrt() * FIT_ERROR.hypot(SINE_NOISE * (n / 65536.0).sqrt());
        let cubic = 1.0 / (6.0 * ratio * ratio);
        // One digit times the errors of the key, and the rounding of its product.
        let units = (SIGMA * (n / 12.0).sqrt()).hypot(((ENCAPSULATION_WEIGHT as f64 + 1.0) / 12.0).sqrt());
        // Before that, under the dense secret.
        let dense = self.params.shape().rounding_noise(0).exp2();
        let base = f64::from(self.params.literal().log2_base);
        let sparse = units.hypot(dense) * (f64::from(RATIO_BITS) - base).exp2() * n.sqrt();
        sine.hypot(cubic).hypot(sparse).log2()
    }
}

impl Run<'_> {
    fn ring(&self) -> &LimbRing {
        self.context.ring()
    }

    /// Reports how far it is; an error if the answer is to stop.
    fn check(&self) -> Result<(), Error> {
        Ok(report("bootstrap", self.progress, self.done, Plan::stage_count() + 4)?)
    }

    fn step(&mut self) -> Result<(), Error> {
        self.done += 1;
        self.check()
    }

    /// From values up to 1 at the message ratio.
    fn run(mut self, low: Ciphertext) -> Result<Rlwe<LimbRing>, Error> {
        let (plan, ring) = (self.plan, self.context.ring());
        self.check()?;
        let mut ct = self.raised(low.ct);
        self.step()?;
        let mut budget = plan.raised_bits;
        for (stage, of_stage) in plan.into_slots.iter().enumerate() {
            ct = self.mapped(stage, of_stage, &ct)?;
            budget -= of_stage.bits;
            let kept = match plan.into_slots.len() - stage {
                1 => plan.inner.params().limbs_of(budget),
                _ => (budget + STAGE_BITS).div_ceil(self.context.params.literal().log2_base) as usize,
            };
            ct.truncate(kept.min(ct.limbs()));
            self.step()?;
        }
        let [real, imaginary] = self.split(ct);
        self.step()?;
        let real = self.sine(real, budget)?;
        self.step()?;
        let imaginary = self.sine(imaginary, budget)?;
        self.step()?;
        let mut ct = real;
        ct.add_assign(ring, &self.times_i(&imaginary));
        ct.truncate(plan.low_limbs.min(ct.limbs()));
        for (stage, of_stage) in plan.out_of_slots.iter().enumerate() {
            ct = self.mapped(Plan::out_of_slots_stage(stage), of_stage, &ct)?;
            self.step()?;
        }
        Ok(ct)
    }

    /// One limb, read as a number: first under the sparse secret, so that the integers beside the message are small,
    /// and then back, at the last of all limbs.
    fn raised(&self, mut ct: Rlwe<LimbRing>) -> Rlwe<LimbRing> {
        let (ring, limbs) = (self.ring(), self.plan.inner.params().shape().limbs);
        ct.truncate(1);
        let sparse = self.key.get(Purpose::ToSparse).switch(ring, &ct);
        let last = sparse.map(|part| {
            let mut last = ring.zero(limbs);
            last.views_mut()[limbs - 1].copy_from_slice(part.limb(0));
            last
        });
        self.key.get(Purpose::ToDense).switch(ring, &last)
    }

    /// One stage of a transform: baby steps, each a rotation of the one before, and giant steps, whose products with
    /// their keys are carried together. A baby step's transforms are also the digits that the next one is made of.
    fn mapped(&self, stage: usize, Stage { map, .. }: &Stage, ct: &Rlwe<LimbRing>) -> Result<Rlwe<LimbRing>, Error> {
        let (ring, frame) = (self.ring(), &self.context.frame);
        let EncodedMap { babies, giants, diagonals } = map;
        let mut vectors: Vec<Operands> = Vec::with_capacity(babies.len());
        let mut baby = ct.clone();
        while vectors.len() < babies.len() {
            if let Some([_, digits]) = vectors.last() {
                let left = babies[1];
                let key = self.key.get(Purpose::Baby { stage, left });
                baby = key.automorphism_digits(ring, &baby.c0, digits, frame.rotation(left));
                self.check()?;
            }
            vectors.push(operands(ring, &baby));
        }
        drop(baby);
        let all: Vec<Vec<Option<ClearPoly>>> = diagonals
            .iter()
            .map(|row| row.iter().map(|diagonal| Some(self.clear(diagonal.as_ref()?))).collect())
            .collect();
        let rows: Vec<Vec<Option<&ClearPoly>>> =
            all.iter().map(|row| row.iter().map(Option::as_ref).collect()).collect();
        let sums = clear_sums(ring, &vectors.iter().collect::<Vec<_>>(), &rows);
        drop(vectors);
        drop(all);
        let limbs = ct.limbs();
        let (mut body, mut mask) = (TurnedSum::default(), TurnedSum::default());
        let (mut digits, mut keys) = (Vec::new(), Vec::new());
        for (&left, RowSum([of_body, of_mask])) in giants.iter().zip(sums) {
            let element = frame.rotation(left);
            body.add(ring, of_body, element);
            if left == 0 {
                mask.add(ring, of_mask, element);
                continue;
            }
            let key = self.key.get(Purpose::Giant { stage, left });
            let moved = ring.automorphism(&ring.finish_clear(of_mask, None), element);
            digits.extend(ring.digits(key.gadget(), &[&moved]));
            keys.push(key.rows());
            self.check()?;
        }
        let [c0, c1] = ring.finish_sum(&digits, &keys, [body, mask], limbs);
        Ok(Rlwe { c0, c1 })
    }

    /// The transform of a diagonal, whose coefficients are apart.
    fn clear(&self, diagonal: &[i64]) -> ClearPoly {
        let n = self.context.params.n();
        let mut words = vec![0; n];
        words.iter_mut().step_by(n / diagonal.len()).zip(diagonal).for_each(|(word, &c)| *word = c);
        self.ring().clear_poly(&words)
    }

    /// `i·ct`: `X^(n/2)` times both parts.
    fn times_i(&self, ct: &Rlwe<LimbRing>) -> Rlwe<LimbRing> {
        let (ring, half) = (self.ring(), self.context.params.n() as i64 / 2);
        ct.map(|part| {
            let mut moved = ring.zero(part.count());
            coefficients::rotate_into(&mut moved.views_mut(), &part.views(), half);
            ring.shifted(&moved, 0, part.count())
        })
    }

    /// `w + conj(w)` and `−i·(w − conj(w))`: twice the real and the imaginary parts.
    fn split(&self, w: Rlwe<LimbRing>) -> [Rlwe<LimbRing>; 2] {
        let ring = self.ring();
        let conjugate = self.key.get(Purpose::Conjugation).automorphism(ring, &w, self.context.frame.inversion());
        let mut imaginary = conjugate.clone();
        imaginary.sub_assign(ring, &w);
        let mut real = w;
        real.add_assign(ring, &conjugate);
        [real, self.times_i(&imaginary)]
    }

    /// `sin(2πt)` of `t/interval`.
    fn sine(&self, ct: Rlwe<LimbRing>, budget_bits: u32) -> Result<Rlwe<LimbRing>, Error> {
        let inner = &self.plan.inner;
        let least = self.plan.sine_bits(budget_bits);
        let arithmetic =
            OfBudgets { context: inner, key: self.key.get(Purpose::Relinearization), least, bound: 1.0, is_real: true };
        // The noise of what is on the way isn't looked at: the result's is by a formula of its own.
        let log2_noise = inner.params().shape().rounding_noise(inner.params().shape().bits_of(ct.limbs()));
        let u = Ciphertext { origin: self.key.origin(), ct, budget_bits, bound: 1.0, log2_noise };
        Ok(self.plan.fit.eval_mod(arithmetic, u, &|| self.check())?.ct)
    }
}
