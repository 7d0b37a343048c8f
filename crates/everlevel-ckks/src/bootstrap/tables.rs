//! What a bootstrap needs that belongs to the parameters: moduli, gadgets, EvalMod's plans, the transforms' plaintexts.

use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Gadget, LinearTransform, noise};
use num_complex::Complex64;

use crate::bootstrap::dft::{self, Direction};
use crate::bootstrap::eval_mod::{Fit, INTERVAL, Messages, Plan};
use crate::bootstrap::{BootstrapKeySize, BootstrapKind, Method};
use crate::context::{Inner, best_gadget};
use crate::params::{BootstrapChain, LOG2_EVAL_MOD, STAGE_COUNTS};
use crate::working::Ladder;
use crate::{Encoder, Error, Params};

/// The raised phase is multiplied by this, so that key-switching noise is small against `q0`.
const RAISE_FACTOR: u64 = 4;
/// Root mean square of EvalMod's error, at N = 2^16, from roundings: measured, and scaling with their √N.
const EVAL_MOD_NOISE: f64 = 7.9e-13;
/// Root mean square of the fit's error.
const FIT_ERROR: f64 = 4.5e-13;

/// Estimated standard deviation of a slot's real part after a bootstrap (docs/notes/bootstrap.md): EvalMod's error summed over the
/// coefficients, two for each slot, and multiplied by the message ratio over 2π, and the roundings at level 0.
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
    /// The base modulus over the scale at level 0.
    pub message_ratio: f64,
    /// Estimated standard deviation of a slot's real part after a regular bootstrap.
    pub error: f64,
    /// EvalMod's top level.
    top: PrimeSet,
    /// By position in [`STAGE_COUNTS`].
    coeffs_to_slots: Vec<Vec<PrimeSet>>,
    pub encapsulation_gadget: Gadget,
}

/// EvalMod after one CoeffsToSlots, whose output for `t = 1` is the integer `unit`. Methods end at different scales and so begin at
/// slightly different ones; each fit is for the interval that its own scale makes of `unit`.
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
        let encapsulation_gadget = Gadget::whole(&messages.sets[0], &special);
        params.check_encapsulation(ring, &encapsulation_gadget.full_set())?;
        let message_ratio = ring.product(&messages.sets[0]) / messages.scales[0];
        let rounding = (slots as f64).sqrt() * noise::rounding_std_dev(params.secret_weight()) / messages.scales[0];

        // What the sine is scaled to at EvalMod's end: as high as it can stay where SlotsToCoeffs follows; where nothing follows, so that
        // the message 2π·m/ratio, or the sign, has the top message level's scale.
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
            message_ratio,
            error: slot_error(ring.n(), slots, message_ratio, rounding),
            top,
            coeffs_to_slots: chain.coeffs_to_slots.clone(),
            encapsulation_gadget,
        })
    }

    /// The moduli of CoeffsToSlots for a supported stage count, the raised one first.
    pub fn coeffs_to_slots(&self, stage_count: usize) -> &[PrimeSet] {
        let index = STAGE_COUNTS.iter().position(|&s| s == stage_count);
        index.map_or(&[], |index| &self.coeffs_to_slots[index])
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
            (Method::Regular, _) => Some(&plans.regular),
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

/// Source and target of `count` steps down from a message level.
fn descent(inner: &Inner, from: usize, count: usize) -> Vec<[PrimeSet; 2]> {
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

/// The linear maps of a key, each with the gadget of its rotations.
pub(crate) struct Transforms {
    /// As in [`Maps`].
    pub packed: bool,
    pub coeffs_to_slots: Vec<(LinearTransform, Gadget)>,
    pub slots_to_coeffs: Vec<(LinearTransform, Gadget)>,
    /// SlotsToCoeffs at the lowest levels, for methods in which it comes first; with the keys of `slots_to_coeffs`.
    pub slots_to_coeffs_first: Vec<LinearTransform>,
}

/// The factored Fourier transform in both directions.
pub(crate) struct Maps {
    down: Vec<dft::Diagonals>,
    up: Vec<dft::Diagonals>,
    /// Whether the two halves of the coefficients lie side by side in one ciphertext between the transforms.
    packed: bool,
}

impl Maps {
    pub fn new(inner: &Inner, stage_count: usize, kind: BootstrapKind) -> Self {
        let stages = |direction| dft::stages(&inner.encoder, direction, stage_count);
        let (mut down, mut up) = (stages(Direction::CoeffsToSlots), stages(Direction::SlotsToCoeffs));
        let packed = is_packed(inner, kind);
        if packed {
            // Real parts of [w, −i·w] are the two halves; y_lo + i·y_hi is what SlotsToCoeffs takes.
            down[0] = down[0].then_halves(-Complex64::i());
            up[0] = up[0].after_halves(Complex64::i());
        }
        Self { down, up, packed }
    }

    /// Number of rotation keys that they need, that which joins packed halves among them.
    pub fn rotation_count(&self, size: BootstrapKeySize) -> usize {
        let maps = self.down.iter().chain(&self.up);
        maps.map(|map| map.rotations(size).len()).sum::<usize>() + usize::from(self.packed)
    }
}

/// Whether a kind of key packs both halves into one ciphertext: where there is room for twice the slots, and what comes after EvalMod can
/// take them apart again.
fn is_packed(inner: &Inner, kind: BootstrapKind) -> bool {
    kind == BootstrapKind::Regular && 4 * inner.encoder.slots() <= inner.ring.n()
}

/// The left rotations whose sum projects onto polynomials in powers of `X^(n/2·slots)`, times their number: none for full slots.
pub(crate) fn trace_rotations(inner: &Inner) -> Vec<i64> {
    let (slots, all) = (inner.encoder.slots(), inner.ring.n() / 2);
    std::iter::successors(Some(slots), |r| Some(2 * r)).take_while(|r| *r < all).map(|r| r as i64).collect()
}

/// The transforms of a stage count. `step` is asked before each stage.
pub(crate) fn transforms(
    inner: &Inner,
    tables: &BootstrapTables,
    Maps { down, up, packed }: &Maps,
    (size, kind): (BootstrapKeySize, BootstrapKind),
    step: impl Fn() -> Result<(), Error>,
) -> Result<Transforms, Error> {
    let (ring, encoder, scales) = (&inner.ring, &inner.encoder, &inner.ladder.scales);
    let stage_count = down.len();
    let doubled = if *packed { Encoder::new(ring.n(), 2 * encoder.slots()) } else { encoder.clone() };
    let q0 = ring.product(&inner.ladder.sets[0]);
    let [down_sets, up_sets] = stage_sets(inner, tables, stage_count);
    let encode = |map: &dft::Diagonals, pair: &[PrimeSet; 2], gadget: &Gadget, share: f64| {
        step()?;
        let factor = share * crate::working::ratio(ring, &pair[0], &pair[1]);
        let encoder = if map.period > encoder.slots() { &doubled } else { encoder };
        Ok::<_, Error>(map.encode(ring, encoder, [&pair[0], &pair[1]], gadget, factor, size))
    };
    let with_gadgets = |maps: &[dft::Diagonals], sets: &[[PrimeSet; 2]], shares: &[f64]| {
        let stages = maps.iter().zip(sets).zip(shares);
        stages
            .map(|((map, pair), share)| {
                let gadget = stage_gadget(inner, &pair[0])?;
                Ok((encode(map, pair, &gadget, *share)?, gadget))
            })
            .collect::<Result<Vec<_>, Error>>()
    };

    // Coefficients factor·q0·t become, after the addition of the conjugate, unit·t.
    // The transform multiplies by the number of slots, the projection before it by n over twice that number.
    let total = tables.plans(kind).unit / (ring.n() as f64 * tables.raise_factor as f64 * q0);
    let coeffs_to_slots = with_gadgets(down, &down_sets, &vec![total.powf(1.0 / stage_count as f64); stage_count])?;

    // S·2π·(S0/q0)·m becomes S_out·m.
    let out = scales[scales.len() - 1 - stage_count];
    let total = out * tables.message_ratio / (2f64.powf(LOG2_EVAL_MOD) * 2.0 * std::f64::consts::PI);
    let slots_to_coeffs = with_gadgets(up, &up_sets, &falling_shares(total, stage_count))?;

    // S_(stage_count)·m becomes S_0·m.
    let slots_to_coeffs_first = match kind {
        BootstrapKind::Regular => Vec::new(),
        BootstrapKind::Lossy => {
            let shares = falling_shares(scales[0] / scales[stage_count], stage_count);
            let sets = descent(inner, stage_count, stage_count);
            let stages = up.iter().zip(&sets).zip(&shares).zip(&slots_to_coeffs);
            stages
                .map(|(((map, pair), share), (_, gadget))| encode(map, pair, gadget, *share))
                .collect::<Result<_, _>>()?
        }
    };
    Ok(Transforms { packed: *packed, coeffs_to_slots, slots_to_coeffs, slots_to_coeffs_first })
}

/// Factors of SlotsToCoeffs' stages with the given product: half of the fall in scale goes to the first stage, whose rounding the
/// later stages magnify most and whose plaintexts are the most precise.
fn falling_shares(total: f64, stage_count: usize) -> Vec<f64> {
    if stage_count == 1 {
        return vec![total];
    }
    let power = |i| if i == 0 { 0.5 } else { 0.5 / (stage_count - 1) as f64 };
    (0..stage_count).map(|i| total.powf(power(i))).collect()
}
