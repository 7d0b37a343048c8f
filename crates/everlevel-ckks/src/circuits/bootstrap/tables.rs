//! The constants of bootstraps and EvalMod's plans, which belong to the parameters.

use std::borrow::Cow;

use everlevel_ring::PrimeSet;
use everlevel_rlwe::rounding_std_dev;

use crate::chain::{LOG2_EVAL_MOD, LOG2_FIRST_BASE_SCALE, TableWidths, log2_base_scale};
use crate::circuits::bootstrap::eval_mod::{EVAL_MOD_INTERVAL, Fit, Messages, Plan};
use crate::circuits::bootstrap::method::Method;
use crate::circuits::bootstrap::stages::{MapsKind, base, spared_primes};
use crate::claims::{Certainty, SineError, Worst};
use crate::core::Core;
use crate::ladder::Ladder;

/// The raised phase is multiplied by this, so that key-switching noise is small against `q0`.
pub(super) const RAISE_FACTOR: u64 = 4;
/// Root mean square of EvalMod's error, at N = 2^16, from roundings: measured, and scaling with their √N.
const EVAL_MOD_NOISE: f64 = 7.9e-13;
/// Root mean square of the fit's error.
const FIT_ERROR: f64 = 4.5e-13;

/// Probability of what bounds of a bootstrap's error leave out.
fn left_out(certainty: Certainty) -> f64 {
    match certainty {
        Certainty::Usual => 1.0 / (1u64 << 20) as f64,
        Certainty::Certain => 1.0 / (1u128 << 65) as f64,
    }
}

/// Root mean square of EvalMod's error.
fn eval_mod_error(core: &Core) -> f64 {
    let fewer_bits = LOG2_EVAL_MOD - core.params.log2_eval_mod();
    (EVAL_MOD_NOISE * fewer_bits.exp2() * (core.ring.n() as f64 / 65536.0).sqrt()).hypot(FIT_ERROR)
}

/// The scale of messages over the modulus that is raised where SlotsToCoeffs comes first, and the modulus over it.
fn first_scale(core: &Core, base: &PrimeSet) -> (f64, f64) {
    let modulus = core.ring.product(base);
    match core.params.literal().tables {
        Some(_) => (modulus / TableWidths::MESSAGE_RATIO, TableWidths::MESSAGE_RATIO),
        None => (LOG2_FIRST_BASE_SCALE.exp2(), modulus / LOG2_FIRST_BASE_SCALE.exp2()),
    }
}

/// The numbers of one order of the transforms.
#[derive(Debug)]
pub(crate) struct Order {
    /// The scale of messages over the modulus that is raised. With standard precision, and where SlotsToCoeffs comes
    /// last, that is the scale of level 0.
    pub base_scale: f64,
    /// The base modulus over the scale.
    pub message_ratio: f64,
    /// Estimated standard deviation of a slot's real part after a bootstrap, from all but its last rounding
    /// (docs/notes/bootstrap.md).
    pub error: f64,
    /// Bounds of the sines' errors at integer parts that hardly come up.
    rare_error: Worst,
}

impl Order {
    /// EvalMod's error summed over the coefficients, two for each slot, and multiplied by the message ratio over 2π,
    /// and the roundings at level 0.
    fn last(core: &Core, base: &PrimeSet, fit: &Fit) -> Self {
        let (ring, slots) = (&core.ring, core.encoder.slots());
        let base_scale = log2_base_scale(slots).exp2();
        let message_ratio = ring.product(base) / base_scale;
        let spread = (slots as f64).sqrt();
        let rounding = spread * rounding_std_dev(core.params.secret_weight()) / base_scale;
        let eval_mod = spread * eval_mod_error(core) * message_ratio / (2.0 * std::f64::consts::PI);
        let rare_error = Worst::of(|certainty| fit.rare_error(2 * slots, left_out(certainty)));
        Self { base_scale, message_ratio, error: eval_mod.hypot(2.0 * rounding), rare_error }
    }

    /// Parts of values are coefficients: each has EvalMod's error of one, and the roundings of one.
    fn first(core: &Core, base: &PrimeSet, fit: &Fit) -> Self {
        let (base_scale, message_ratio) = first_scale(core, base);
        let rounding = rounding_std_dev(core.params.secret_weight()) / base_scale;
        let eval_mod = eval_mod_error(core) * message_ratio / (2.0 * std::f64::consts::PI);
        let count = 2 * core.encoder.slots();
        let rare_error = Worst::of(|certainty| fit.rarest_error(count, left_out(certainty)));
        Self { base_scale, message_ratio, error: eval_mod.hypot(4.0 * rounding), rare_error }
    }

    /// The error of the sine, with a second bootstrap of what the first left out where it has a factor.
    pub fn sine(&self, residual: Option<f64>) -> SineError {
        SineError::new(self.message_ratio, residual, self.rare_error)
    }
}

/// The constants and plans of a parameter set with a bootstrap.
#[derive(Debug)]
pub(crate) struct BootstrapTables {
    /// EvalMod after maps of each kind.
    packable: Plans,
    apart: Plans,
    pub raise_factor: u64,
    /// The modulus that is raised, one prime.
    pub base: PrimeSet,
    /// SlotsToCoeffs last.
    pub last: Order,
    /// SlotsToCoeffs first.
    pub first: Order,
}

/// EvalMod after one CoeffsToSlots, whose output for `t = 1` is the integer `unit`. Methods end at different scales and
/// so begin at slightly different ones; each fit is for the interval that its own scale makes of `unit`.
#[derive(Debug)]
struct Plans {
    unit: f64,
    regular: Plan,
    /// The methods in which SlotsToCoeffs comes first.
    slots_to_coeffs_first: Option<First>,
}

/// The plans where SlotsToCoeffs comes first.
#[derive(Debug)]
struct First {
    lossy: Plan,
    sign: Plan,
    table: Plan,
}

/// The messages of a method.
fn messages_of(method: Method) -> Messages {
    match method {
        Method::Sign => Messages::Signs,
        Method::Table => Messages::Tables,
        Method::Usual | Method::Regular | Method::Lossy | Method::Precise => Messages::Small,
    }
}

impl BootstrapTables {
    pub fn new(core: &Core) -> Self {
        let (ring, messages) = (&core.ring, &core.ladder);
        let sets = core.params.eval_mod_sets();
        let base = base();

        // The scale of the sine at EvalMod's end: as high as it can stay where SlotsToCoeffs follows; where nothing
        // follows, so that the message 2π·m/ratio, or the sign, has the top message level's scale.
        let out = messages.scales[messages.scales.len() - 1];
        let sign = Ladder::new(ring, sets.clone(), out);
        let [regular, lossy] = match core.params.literal().tables {
            // Tables are all that there is.
            Some(_) => [sign.clone(), sign.clone()],
            None => {
                let (_, first_ratio) = first_scale(core, &base);
                let lossy = out * first_ratio / (2.0 * std::f64::consts::PI);
                [2f64.powf(LOG2_EVAL_MOD), lossy].map(|scale| Ladder::new(ring, sets.clone(), scale))
            }
        };
        let plans = Plans::new(regular.clone(), None);
        Self {
            last: Order::last(core, &base, &plans.regular.fit),
            first: Order::first(core, &base, &plans.regular.fit),
            packable: plans,
            apart: Plans::new(regular, Some([lossy, sign])),
            raise_factor: RAISE_FACTOR,
            base,
        }
    }

    /// CoeffsToSlots' output for an input of one, by maps of a kind.
    pub fn unit(&self, maps: MapsKind) -> f64 {
        self.plans(maps).unit
    }

    /// The factor of each stage of CoeffsToSlots.
    ///
    /// Coefficients `factor·q0·t` become, after the addition of the conjugate, `unit·t`. The transform multiplies by
    /// the number of slots, the projection before it by n over twice that number.
    pub fn share_of_coeffs_to_slots(&self, core: &Core, maps: MapsKind, stage_count: usize) -> f64 {
        let q0 = core.ring.product(&self.base);
        let total = self.unit(maps) / (core.ring.n() as f64 * self.raise_factor as f64 * q0);
        total.powf(1.0 / stage_count as f64)
    }

    fn plans(&self, maps: MapsKind) -> &Plans {
        match maps {
            MapsKind::Packable => &self.packable,
            MapsKind::Apart => &self.apart,
        }
    }

    /// EvalMod of a method after maps of a kind, where they serve the method, in a bootstrap that ends so many levels
    /// below the highest.
    pub fn plan(&self, core: &Core, maps: MapsKind, method: Method, spared: usize) -> Option<Cow<'_, Plan>> {
        let plan = self.highest_plan(maps, method)?;
        if spared == 0 {
            return Some(Cow::Borrowed(plan));
        }
        let primes = spared_primes(core, method.place(), spared);
        let sets = core.params.eval_mod_sets().iter().map(|set| set.difference(&primes)).collect();
        // Where nothing follows, the result has its level's scale.
        let scales = &core.ladder.scales;
        let fall = if method.is_first() { scales[scales.len() - 1 - spared] / scales[scales.len() - 1] } else { 1.0 };
        let ladder = Ladder::new(&core.ring, sets, plan.ladder.scales[0] * fall);
        Some(Cow::Owned(Plan::new(ladder, self.unit(maps), messages_of(method))))
    }

    fn highest_plan(&self, maps: MapsKind, method: Method) -> Option<&Plan> {
        let plans = self.plans(maps);
        match (method, &plans.slots_to_coeffs_first) {
            (Method::Usual | Method::Regular | Method::Precise, _) => Some(&plans.regular),
            (Method::Lossy, Some(first)) => Some(&first.lossy),
            (Method::Sign, Some(first)) => Some(&first.sign),
            (Method::Table, Some(first)) => Some(&first.table),
            (Method::Lossy | Method::Sign | Method::Table, None) => None,
        }
    }
}

impl Plans {
    fn new(regular: Ladder, first: Option<[Ladder; 2]>) -> Self {
        let top = Ladder::top_scale;
        let lowest = first.iter().flatten().map(top).fold(top(&regular), f64::min);
        let unit = lowest / EVAL_MOD_INTERVAL;
        let slots_to_coeffs_first = first.map(|[lossy, sign]| First {
            lossy: Plan::new(lossy, unit, Messages::Small),
            table: Plan::new(sign.clone(), unit, Messages::Tables),
            sign: Plan::new(sign, unit, Messages::Signs),
        });
        Self { unit, regular: Plan::new(regular, unit, Messages::Small), slots_to_coeffs_first }
    }
}
