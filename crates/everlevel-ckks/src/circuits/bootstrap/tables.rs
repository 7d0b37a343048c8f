//! The constants of bootstraps and EvalMod's plans, which belong to the parameters.

use everlevel_ring::PrimeSet;
use everlevel_rlwe::noise;

use crate::chain::{LOG2_EVAL_MOD, log2_base_scale};
use crate::circuits::bootstrap::eval_mod::{EVAL_MOD_INTERVAL, Fit, Messages, Plan};
use crate::circuits::bootstrap::method::{BootstrapKind, Method};
use crate::circuits::bootstrap::moduli::base;
use crate::claims::{Certainty, SineError, Worst};
use crate::core::Core;
use crate::ladder::Ladder;

/// The raised phase is multiplied by this, so that key-switching noise is small against `q0`.
const RAISE_FACTOR: u64 = 4;
/// Root mean square of EvalMod's error, at N = 2^16, from roundings: measured, and scaling with their √N.
const EVAL_MOD_NOISE: f64 = 7.9e-13;
/// Root mean square of the fit's error.
const FIT_ERROR: f64 = 4.5e-13;

/// What bounds of a bootstrap's error leave out has this probability.
fn left_out(certainty: Certainty) -> f64 {
    match certainty {
        Certainty::Usual => 1.0 / (1u64 << 20) as f64,
        Certainty::Certain => 1.0 / (1u128 << 65) as f64,
    }
}

/// Estimated standard deviation of a slot's real part after a bootstrap (docs/notes/bootstrap.md): EvalMod's error
/// summed over the coefficients, two for each slot, and multiplied by the message ratio over 2π, and the roundings at
/// level 0.
fn slot_error(n: usize, slots: usize, message_ratio: f64, rounding: f64) -> f64 {
    let eval_mod = (EVAL_MOD_NOISE * (n as f64 / 65536.0).sqrt()).hypot(FIT_ERROR);
    ((slots as f64).sqrt() * eval_mod * message_ratio / (2.0 * std::f64::consts::PI)).hypot(2.0 * rounding)
}

/// The constants and plans of a parameter set with a bootstrap.
#[derive(Debug)]
pub(crate) struct BootstrapTables {
    /// EvalMod for keys of each kind.
    regular: Plans,
    lossy: Plans,
    pub raise_factor: u64,
    /// The modulus that is raised, one prime, and the scale there. With standard precision that is level 0.
    pub base: PrimeSet,
    pub base_scale: f64,
    /// The base modulus over the scale.
    pub message_ratio: f64,
    /// Estimated standard deviation of a slot's real part after a regular bootstrap.
    pub error: f64,
    /// Bounds of the sines' errors at integer parts that hardly come up.
    rare_error: Worst,
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
    pub fn new(core: &Core) -> Self {
        let (ring, messages, slots) = (&core.ring, &core.ladder, core.encoder.slots());
        let sets = core.params.eval_mod_sets();
        let base = base();
        let base_scale = log2_base_scale(slots).exp2();
        let message_ratio = ring.product(&base) / base_scale;
        let rounding = (slots as f64).sqrt() * noise::rounding_std_dev(core.params.secret_weight()) / base_scale;

        // The scale of the sine at EvalMod's end: as high as it can stay where SlotsToCoeffs follows; where nothing
        // follows, so that the message 2π·m/ratio, or the sign, has the top message level's scale.
        let out = messages.scales[messages.scales.len() - 1];
        let regular = Ladder::new(ring, sets.clone(), 2f64.powf(LOG2_EVAL_MOD));
        let lossy = Ladder::new(ring, sets.clone(), out * message_ratio / (2.0 * std::f64::consts::PI));
        let sign = Ladder::new(ring, sets, out);
        let plans = Plans::new(regular.clone(), None);
        Self {
            rare_error: Worst::of(|certainty| plans.regular.fit.rare_error(2 * slots, left_out(certainty))),
            regular: plans,
            lossy: Plans::new(regular, Some([lossy, sign])),
            raise_factor: RAISE_FACTOR,
            base,
            base_scale,
            message_ratio,
            error: slot_error(ring.n(), slots, message_ratio, rounding),
        }
    }

    /// The error of the sine, with a second bootstrap of what the first left out where it has a factor.
    pub fn sine(&self, residual: Option<f64>) -> SineError {
        SineError::new(self.message_ratio, residual, self.rare_error)
    }

    /// CoeffsToSlots' output for an input of one, with keys of a kind.
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
        let unit = lowest / EVAL_MOD_INTERVAL;
        let plan = |ladder: Ladder, messages| {
            let interval = top(&ladder) / unit;
            Plan { ladder, fit: Fit::new(interval, messages) }
        };
        let slots_to_coeffs_first =
            first.map(|[lossy, sign]| [plan(lossy, Messages::Small), plan(sign, Messages::Signs)]);
        Self { unit, regular: plan(regular, Messages::Small), slots_to_coeffs_first }
    }
}
