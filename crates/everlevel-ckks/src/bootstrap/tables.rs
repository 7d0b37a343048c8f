//! What a bootstrap needs that belongs to the parameters: moduli, gadgets, EvalMod's plans.

use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Gadget, noise};

use crate::bootstrap::eval_mod::{Fit, INTERVAL, Messages, Plan};
use crate::bootstrap::maps::Cache;
use crate::bootstrap::{BootstrapKind, Method};
use crate::context::{Inner, best_gadget};
use crate::params::{BootstrapChain, LOG2_EVAL_MOD, STAGE_COUNTS, log2_base_scale};
use crate::working::Ladder;
use crate::{Error, Params};

/// The raised phase is multiplied by this, so that key-switching noise is small against `q0`.
const RAISE_FACTOR: u64 = 4;
/// Root mean square of EvalMod's error, at N = 2^16, from roundings: measured, and scaling with their √N.
const EVAL_MOD_NOISE: f64 = 7.9e-13;
/// Root mean square of the fit's error.
const FIT_ERROR: f64 = 4.5e-13;

/// Estimated standard deviation of a slot's real part after a bootstrap (docs/notes/bootstrap.md): EvalMod's error
/// summed over the coefficients, two for each slot, and multiplied by the message ratio over 2π, and the roundings at
/// level 0.
fn slot_error(n: usize, slots: usize, message_ratio: f64, rounding: f64) -> f64 {
    let eval_mod = (EVAL_MOD_NOISE * (n as f64 / 65536.0).sqrt()).hypot(FIT_ERROR);
    ((slots as f64).sqrt() * eval_mod * message_ratio / (2.0 * std::f64::consts::PI)).hypot(2.0 * rounding)
}

/// Tables of a parameter set with a bootstrap.
#[derive(Debug)]
pub(crate) struct BootstrapTables {
    /// EvalMod for keys of each kind.
    regular: Plans,
    lossy: Plans,
    pub eval_mod_gadget: Gadget,
    pub conjugation_gadget: Gadget,
    pub raise_factor: u64,
    /// What the modulus is raised from: one prime, and the scale there. With standard precision that is level 0.
    pub base: PrimeSet,
    pub base_scale: f64,
    /// The base modulus over the scale.
    pub message_ratio: f64,
    /// Estimated standard deviation of a slot's real part after a regular bootstrap.
    pub error: f64,
    /// EvalMod's top level.
    top: PrimeSet,
    /// By position in [`STAGE_COUNTS`].
    coeffs_to_slots: Vec<Vec<PrimeSet>>,
    pub encapsulation_gadget: Gadget,
    pub maps: Cache,
}

/// EvalMod after one CoeffsToSlots, whose output for `t = 1` is the integer `unit`. Methods end at different scales and
/// so begin at slightly different ones; each fit is for the interval that its own scale makes of `unit`.
#[derive(Debug)]
struct Plans {
    unit: f64,
    regular: Plan,
    /// The methods in which SlotsToCoeffs comes first, where the key has it.
    slots_to_coeffs_first: Option<[Plan; 2]>,
}

impl BootstrapTables {
    pub fn new(
        params: &Params,
        ring: &Ring,
        chain: &BootstrapChain,
        messages: &Ladder,
        slots: usize,
    ) -> Result<Self, Error> {
        let top_message = messages.sets.len() - 1;
        let sets: Vec<PrimeSet> = params.levels[top_message..].iter().map(|l| l.set.clone()).collect();
        let top = sets[sets.len() - 1].clone();
        // Products start at the top level, and every level's primes belong to the key.
        let union = sets[1..].iter().fold(sets[0].clone(), |u, s| u.union(s));
        let eval_mod_gadget = best_gadget(params, ring, &union, Gadget::consecutive)?;
        let conjugation_gadget = best_gadget(params, ring, &top, Gadget::balanced)?;
        let special = PrimeSet::new([params.special[0], chain.encapsulation_terminal]);
        let base = PrimeSet::new([0]);
        let base_scale = log2_base_scale(slots).exp2();
        let encapsulation_gadget = Gadget::whole(&base, &special);
        params.check_encapsulation(ring, &encapsulation_gadget.full_set())?;
        let message_ratio = ring.product(&base) / base_scale;
        let rounding = (slots as f64).sqrt() * noise::rounding_std_dev(params.secret_weight()) / base_scale;

        // What the sine is scaled to at EvalMod's end: as high as it can stay where SlotsToCoeffs follows; where
        // nothing follows, so that the message 2π·m/ratio, or the sign, has the top message level's scale.
        let out = messages.scales[top_message];
        let regular = Ladder::new(ring, sets.clone(), 2f64.powf(LOG2_EVAL_MOD));
        let lossy = Ladder::new(ring, sets.clone(), out * message_ratio / (2.0 * std::f64::consts::PI));
        let sign = Ladder::new(ring, sets, out);
        Ok(Self {
            regular: Plans::new(regular.clone(), None),
            lossy: Plans::new(regular, Some([lossy, sign])),
            eval_mod_gadget,
            conjugation_gadget,
            raise_factor: RAISE_FACTOR,
            base,
            base_scale,
            message_ratio,
            error: slot_error(ring.n(), slots, message_ratio, rounding),
            top,
            coeffs_to_slots: chain.coeffs_to_slots.clone(),
            encapsulation_gadget,
            maps: Cache::default(),
        })
    }

    /// The moduli of CoeffsToSlots for a supported stage count, the raised one first.
    pub fn coeffs_to_slots(&self, stage_count: usize) -> &[PrimeSet] {
        let index = STAGE_COUNTS.iter().position(|&s| s == stage_count);
        index.map_or(&[], |index| &self.coeffs_to_slots[index])
    }

    /// What CoeffsToSlots makes of one, for keys of a kind.
    pub fn unit(&self, kind: BootstrapKind) -> f64 {
        self.plans(kind).unit
    }

    fn plans(&self, kind: BootstrapKind) -> &Plans {
        match kind {
            BootstrapKind::Regular => &self.regular,
            BootstrapKind::Lossy => &self.lossy,
        }
    }

    /// EvalMod of a method with a key of a kind, where the key serves the method.
    pub fn plan(&self, kind: BootstrapKind, method: Method) -> Option<&Plan> {
        let plans = self.plans(kind);
        match (method, &plans.slots_to_coeffs_first) {
            (Method::Regular | Method::Precise, _) => Some(&plans.regular),
            (Method::Lossy, Some([lossy, _])) => Some(lossy),
            (Method::Sign, Some([_, sign])) => Some(sign),
            (Method::Lossy | Method::Sign, None) => None,
        }
    }
}

impl Plans {
    fn new(regular: Ladder, first: Option<[Ladder; 2]>) -> Self {
        let top = |ladder: &Ladder| ladder.scales[ladder.scales.len() - 1];
        let lowest = first.iter().flatten().map(top).fold(top(&regular), f64::min);
        let unit = lowest / INTERVAL;
        let plan = |ladder: Ladder, messages| {
            let interval = top(&ladder) / unit;
            Plan { ladder, fit: Fit::new(interval, messages) }
        };
        let slots_to_coeffs_first =
            first.map(|[lossy, sign]| [plan(lossy, Messages::Small), plan(sign, Messages::Signs)]);
        Self { unit, regular: plan(regular, Messages::Small), slots_to_coeffs_first }
    }
}

/// Source and target of every CoeffsToSlots and every SlotsToCoeffs stage.
pub(crate) fn stage_sets(inner: &Inner, tables: &BootstrapTables, stage_count: usize) -> [Vec<[PrimeSet; 2]>; 2] {
    let mut down = tables.coeffs_to_slots(stage_count).to_vec();
    down.push(tables.top.clone());
    let top_level = inner.ladder.sets.len() - 1;
    [pairs(&down), descent(inner, top_level, stage_count)]
}

/// Source and target of SlotsToCoeffs' stages where it comes first: the lowest levels.
pub(crate) fn lowest_sets(inner: &Inner, stage_count: usize) -> Vec<[PrimeSet; 2]> {
    descent(inner, stage_count, stage_count)
}

/// The gadget of every rotation key of SlotsToCoeffs at the lowest levels, by stage.
pub(crate) fn lowest_gadgets(inner: &Inner, stage_count: usize) -> Result<Vec<Gadget>, Error> {
    lowest_sets(inner, stage_count).iter().map(|[source, _]| stage_gadget(inner, source)).collect()
}

/// Source and target of `count` steps down from a message level.
pub(crate) fn descent(inner: &Inner, from: usize, count: usize) -> Vec<[PrimeSet; 2]> {
    let sets: Vec<PrimeSet> = inner.ladder.sets[from - count..=from].iter().rev().cloned().collect();
    pairs(&sets)
}

fn pairs(sets: &[PrimeSet]) -> Vec<[PrimeSet; 2]> {
    sets.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
}

/// The gadget of the rotation keys of a stage.
pub(crate) fn stage_gadget(inner: &Inner, source: &PrimeSet) -> Result<Gadget, Error> {
    best_gadget(&inner.params, &inner.ring, source, Gadget::balanced)
}

/// The gadget of the key back from the sparse secret, over the raised modulus.
pub(crate) fn dense_gadget(inner: &Inner, raised: &PrimeSet) -> Gadget {
    Gadget::whole(raised, &PrimeSet::new(inner.params.special.iter().copied().take(2)))
}

/// The left rotations whose sum projects onto polynomials in powers of `X^(n/2·slots)`, times their number: none for
/// full slots.
pub(crate) fn trace_rotations(inner: &Inner) -> Vec<i64> {
    let (slots, all) = (inner.encoder.slots(), inner.ring.n() / 2);
    std::iter::successors(Some(slots), |r| Some(2 * r)).take_while(|r| *r < all).map(|r| r as i64).collect()
}

/// The gadget of every rotation key of CoeffsToSlots, by stage.
pub(crate) fn down_gadgets(inner: &Inner, tables: &BootstrapTables, stage_count: usize) -> Result<Vec<Gadget>, Error> {
    tables.coeffs_to_slots(stage_count).iter().map(|source| stage_gadget(inner, source)).collect()
}

/// The gadget of every rotation key of SlotsToCoeffs, by stage.
pub(crate) fn up_gadgets(inner: &Inner, stage_count: usize) -> Result<Vec<Gadget>, Error> {
    let sets = descent(inner, inner.ladder.sets.len() - 1, stage_count);
    sets.iter().map(|[source, _]| stage_gadget(inner, source)).collect()
}

/// Factors of SlotsToCoeffs' stages with the given product: half of the fall in scale goes to the first stage, whose
/// rounding the later stages magnify most and whose plaintexts are the most precise.
pub(crate) fn falling_shares(total: f64, stage_count: usize) -> Vec<f64> {
    if stage_count == 1 {
        return vec![total];
    }
    let power = |i| if i == 0 { 0.5 } else { 0.5 / (stage_count - 1) as f64 };
    (0..stage_count).map(|i| total.powf(power(i))).collect()
}
