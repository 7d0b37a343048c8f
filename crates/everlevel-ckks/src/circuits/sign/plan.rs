//! Sign functions composed of minimax polynomials and sign bootstraps: which ones, and how good they are.
//!
//! An odd polynomial `P` that is as near to 1 as its degree allows on `[g, 1]`, say within `τ`, brings a gap `g` to
//! `(1 − τ)/(1 + τ)` when divided by `1 + τ`. Composed, such polynomials close a gap exponentially fast (Lee, Lee, Lee,
//! No, eprint 2020/834; Cheon, Kim, Kim, eprint 2019/1234). A sign bootstrap is one more of them, `sin(πx/2)`, which
//! costs no level: it widens small values by up to π/2, and leaves `(π²/8)·τ²` of the distance `τ` to ±1.
//!
//! A plan is a list of rounds. Each is composed of polynomials as far as the levels go, and ends with a sign bootstrap.
//! Where `P` is a minimax polynomial on `[g, 1]` it increases on `[0, g]`: within the gap a result has the right sign
//! and is no larger than at its end.

use std::collections::{BTreeMap, VecDeque};
use std::f64::consts::FRAC_PI_2;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use super::minimax::Minimax;
use super::precision::SignPrecision;
use super::step::Step;
use crate::Error;

/// Levels of the polynomials that are composed: degrees 3, 7, 15 and 31.
const DEPTHS: [usize; 4] = [2, 3, 4, 5];
/// The fewest levels of a round's polynomials.
pub const LEAST_DEPTH: usize = DEPTHS[0];
/// Up to this depth a change of the argument's size, by up to this bound, is part of the coefficients in the power
/// basis, without a level. These are rounded to 2^-41, times the bound's power: to 2^-22 at most.
const POWER_DEPTHS: [(usize, f64); 2] = [(3, 6.0), (2, 32.0)];
/// Where a sign bootstrap's approximation of the sine still holds whatever the noise: see `docs/notes/bootstrap.md`.
const LARGEST_SINE_ARGUMENT: f64 = 1.25;
/// Room for the polynomials' own noise beside their distance to ±1: 2^-15.
const NOISE: f64 = 1.0 / 32768.0;
/// By this much each polynomial but the last stays below 1, beyond which the next one falls steeply: 2^-17.
const MARGIN: f64 = 1.0 / 131_072.0;
const MOST_ROUNDS: usize = 8;
/// How a sign is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct SignPlan {
    /// The polynomials of each round; a sign bootstrap follows each.
    pub rounds: Vec<Vec<Step>>,
    /// The number that values are multiplied by first: an integer, which costs nothing, where their bound is 1/2 or
    /// less; the bound's inverse, which takes a level, where it is too large for a part of the coefficients.
    pub factor: f64,
    /// Bound of the distance to ±1 outside of the gap, noise of the polynomials included, that of the last bootstrap
    /// (about 2^-27) not.
    pub error: f64,
}

/// The arguments that a plan is made from, and the plan.
type Remembered = ([u64; 3], [usize; 2], Arc<SignPlan>);
/// The plans that were asked for last: a search takes tenths of a second.
static PLANS: Mutex<VecDeque<Remembered>> = Mutex::new(VecDeque::new());
const MOST_PLANS: usize = 256;

impl SignPlan {
    /// A sign of a precision, in as few rounds as possible and with as few levels as that takes. There are `levels`
    /// for the polynomials of the first round, and `next_levels` for those of each later one.
    ///
    /// # Errors
    /// A precision out of range; fewer than 2 levels; more than 8 rounds.
    pub fn new(
        op: &'static str,
        precision: SignPrecision,
        levels: usize,
        next_levels: usize,
    ) -> Result<Arc<Self>, Error> {
        precision.check(op)?;
        let numbers = [precision.gap, precision.error, precision.bound].map(f64::to_bits);
        let known = || PLANS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., plan)) = known().iter().find(|(n, l, _)| (*n, *l) == (numbers, [levels, next_levels])) {
            return Ok(plan.clone());
        }
        let plan = Arc::new(Self::search(op, precision, levels, next_levels)?);
        let mut plans = known();
        plans.push_front((numbers, [levels, next_levels], plan.clone()));
        plans.truncate(MOST_PLANS);
        Ok(plan)
    }

    fn search(op: &'static str, precision: SignPrecision, levels: usize, next_levels: usize) -> Result<Self, Error> {
        let SignPrecision { gap, error, bound } = precision;
        let (factor, mut high, mut available) = match levels {
            _ if power_depth(bound) == POWER_DEPTHS[0].0 => ((1.0 / bound).trunc().max(1.0), bound.max(1.0), levels),
            ..=LEAST_DEPTH if levels >= least_depth(bound) => (1.0, bound, levels),
            _ => (1.0 / bound, 1.0, levels.saturating_sub(1)),
        };
        let mut low = gap * factor / high;
        let mut rounds = Vec::new();
        while rounds.len() < MOST_ROUNDS {
            let round = Round::search(op, low, high, error, available)?;
            low = after(round.distance);
            rounds.push(round.steps(high));
            if 1.0 - low <= error {
                return Ok(Self { rounds, factor, error: 1.0 - low });
            }
            (high, available) = (1.0, next_levels);
        }
        Err(Error::SignRounds { op, gap, error, most: MOST_ROUNDS })
    }

    /// Levels that the polynomials of each round consume; the result is at the highest level.
    pub fn levels(&self) -> Vec<usize> {
        let mut levels: Vec<usize> = self.rounds.iter().map(|steps| steps.iter().map(Step::levels).sum()).collect();
        levels[0] += usize::from(self.factor.fract() != 0.0);
        levels
    }

    /// Sign bootstraps, one for each round.
    pub fn bootstrap_count(&self) -> usize {
        self.rounds.len()
    }

    /// The value at a plain number, as noiseless ciphertexts would have it.
    pub fn evaluate(&self, x: f64) -> f64 {
        let round = |x: f64, steps: &Vec<Step>| {
            let value = steps.iter().fold(x, |x, step| step.evaluate(x));
            (FRAC_PI_2 * value).sin()
        };
        self.rounds.iter().fold(self.factor * x, round)
    }
}

/// Points within the gap at which a product with an uncertain sign is evaluated, beside 0.
const GAP_STEPS: u32 = 1024;

impl SignPlan {
    /// The error of `x·sign(x)` in place of `|x|`, of noiseless ciphertexts, that there is within the gap: its largest
    /// size, and the root mean square over values that are spread evenly over the bound.
    pub fn loss_within_gap(&self, SignPrecision { gap, bound, .. }: SignPrecision) -> (f64, f64) {
        let lost = |step: u32| {
            let x = gap * f64::from(step) / f64::from(GAP_STEPS);
            x * (1.0 - self.evaluate(x))
        };
        let all = || (0..=GAP_STEPS).map(lost);
        let mean_square = all().map(|lost| lost * lost).sum::<f64>() / f64::from(GAP_STEPS + 1);
        // Signs increase within the gap, so that between two points the loss grows by less than their distance.
        (all().fold(0.0, f64::max) + gap / f64::from(GAP_STEPS), (mean_square * gap / bound).sqrt())
    }
}

/// Polynomials composed so far, the gap that they leave, and the last one's distance to 1.
#[derive(Clone)]
struct Round {
    polynomials: Vec<Rc<Minimax>>,
    gap: f64,
    distance: f64,
}

impl Round {
    /// The fewest levels that reach the error, or the best that the levels allow.
    fn search(op: &'static str, low: f64, high: f64, error: f64, available: usize) -> Result<Self, Error> {
        let mut best = BTreeMap::from([(0, Self { polynomials: Vec::new(), gap: low, distance: 0.0 })]);
        let mut choice = None;
        for total in LEAST_DEPTH..=available {
            let mut longest: Option<Self> = None;
            for depth in DEPTHS {
                let Some(before) = total.checked_sub(depth).and_then(|at| best.get(&at)) else { continue };
                if before.polynomials.is_empty() && high > 1.0 && depth > power_depth(high) {
                    continue;
                }
                let option = before.then(Minimax::new(before.gap, depth));
                if longest.as_ref().is_none_or(|found| option.gap > found.gap) {
                    longest = Some(option);
                }
            }
            let Some(longest) = longest else { continue };
            choice = Some(longest.clone());
            if 1.0 - after(longest.distance) <= error {
                break;
            }
            best.insert(total, longest);
        }
        choice.ok_or(Error::SignLevels { op, available, needed: LEAST_DEPTH })
    }

    fn then(&self, next: Minimax) -> Self {
        let distance = next.distance;
        let polynomials = self.polynomials.iter().cloned().chain([Rc::new(next)]).collect();
        Self { polynomials, gap: (1.0 - distance - MARGIN) / (1.0 + distance + MARGIN), distance }
    }

    /// Each polynomial brings its values to [−1, 1], the last as near to ±1 as it can.
    fn steps(&self, bound: f64) -> Vec<Step> {
        let step = |(at, polynomial): (usize, &Rc<Minimax>)| {
            let is_last = at + 1 == self.polynomials.len();
            let distance = polynomial.distance;
            let factor = if is_last { last_factor(distance) } else { 1.0 / (1.0 + distance + MARGIN) };
            let coefficients = polynomial.coefficients.iter().map(|c| c * factor).collect();
            Step::new(coefficients, if at == 0 { bound } else { 1.0 })
        };
        self.polynomials.iter().enumerate().map(step).collect()
    }
}

/// The largest depth of a first polynomial of values up to a bound, in the power basis; 0 for none.
fn power_depth(bound: f64) -> usize {
    POWER_DEPTHS.iter().find(|(_, most)| bound <= *most).map_or(0, |(depth, _)| *depth)
}

/// The fewest levels of the first round's polynomials, for values up to a bound.
pub fn least_depth(bound: f64) -> usize {
    LEAST_DEPTH + usize::from(power_depth(bound) == 0)
}

fn last_factor(distance: f64) -> f64 {
    (LARGEST_SINE_ARGUMENT / (1.0 + distance)).min(1.0)
}

/// The gap after a sign bootstrap of values within a distance of ±1, or of their noise.
fn after(distance: f64) -> f64 {
    let (factor, far) = (last_factor(distance), distance + NOISE);
    let sine = |x: f64| (FRAC_PI_2 * factor * x).sin();
    sine(1.0 - far).min(sine(1.0 + far))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: f64 = 1.0 / 1_048_576.0;

    #[test]
    fn plans_keep_what_they_state() {
        for levels in [[10, 10], [7, 10], [2, 10], [8, 8]] {
            for bound in [0.3, 1.0, 2.0, 5.0, 100.0] {
                for log2_gap in [-2, -5, -8, -12] {
                    let gap = bound * 2f64.powi(log2_gap);
                    let precision = SignPrecision { gap, error: ERROR, bound };
                    if levels[0] < least_depth(bound) {
                        assert!(SignPlan::new("sign", precision, levels[0], levels[1]).is_err());
                        continue;
                    }
                    let plan = SignPlan::new("sign", precision, levels[0], levels[1]).unwrap();
                    assert!(plan.error <= ERROR);
                    let powers = plan.rounds[0].iter().filter(|step| step.basis == crate::series::Basis::Power);
                    // Rounded coefficients, times the largest powers.
                    let lost = |step: &Step| 2f64.powi(-41) * bound.powi(step.coefficients.len() as i32 - 1);
                    assert!(powers.map(lost).fold(0.0, f64::max) < 2f64.powi(-22));
                    for i in 0..=2000 {
                        let part = f64::from(i) / 2e3;
                        for x in [gap + (bound - gap) * part, bound * (gap / bound).powf(part)] {
                            let value = plan.evaluate(x);
                            assert!((value - 1.0).abs() <= plan.error, "{precision:?} {levels:?}: {x} {value}");
                            assert!((plan.evaluate(-x) + value).abs() < 1e-9);
                        }
                        assert!((-1e-9..=1.0 + 1e-9).contains(&plan.evaluate(gap * part)));
                    }
                    let there = std::iter::once(levels[0]).chain(std::iter::repeat(levels[1]));
                    assert!(plan.levels().iter().zip(there).all(|(used, there)| *used <= there));
                }
            }
        }
    }

    #[test]
    fn a_gap_of_2_to_the_minus_7_takes_one_round_of_ten_levels() {
        let precision = SignPrecision { gap: 1.0 / 128.0, ..SignPrecision::OF_VALUES };
        let plan = SignPlan::new("sign", precision, 10, 10).unwrap();
        assert_eq!((plan.bootstrap_count(), plan.levels()), (1, vec![10]));
        assert_eq!(plan.rounds[0].iter().map(|step| step.coefficients.len()).collect::<Vec<_>>(), [32, 32]);
        assert!((plan.error / 7e-7 - 1.0).abs() < 0.05, "{}", plan.error);
        // The same one again.
        assert!(Arc::ptr_eq(&plan, &SignPlan::new("sign", precision, 10, 10).unwrap()));
    }

    #[test]
    fn losses_within_the_gap_are_those_of_products_with_the_sign() {
        let precision = SignPrecision { gap: 1.0 / 32.0, error: ERROR, bound: 1.0 };
        let plan = SignPlan::new("sign", precision, 10, 10).unwrap();
        let lost = (0..100_000).map(|i| f64::from(i) / 1e5).map(|x| x - x * plan.evaluate(x));
        let within: Vec<f64> = lost.take(3126).collect();
        let largest = within.iter().copied().fold(0.0, f64::max);
        let root_mean_square = (within.iter().map(|lost| lost * lost).sum::<f64>() / 1e5).sqrt();
        let (worst, typical) = plan.loss_within_gap(precision);
        assert!(largest < worst && worst < largest + precision.gap / 1000.0, "{largest} {worst}");
        assert!((typical / root_mean_square - 1.0).abs() < 0.01, "{root_mean_square} {typical}");
    }

    #[test]
    fn what_can_not_be_had_is_refused_with_both_values() {
        let of = |gap, error, bound| SignPlan::new("sign", SignPrecision { gap, error, bound }, 10, 10);
        for (gap, error, bound) in [
            (2f64.powi(-13), ERROR, 1.0),
            (0.0, ERROR, 1.0),
            (1.0, ERROR, 1.0),
            (-1.0, ERROR, 1.0),
            (0.1, 2f64.powi(-27), 1.0),
            (0.1, ERROR, 0.0),
            (f64::NAN, ERROR, 1.0),
        ] {
            let error = of(gap, error, bound).unwrap_err();
            assert!(matches!(error, Error::SignPrecision { op: "sign", .. }), "{error}");
            assert!(error.to_string().contains("choose it so"), "{error}");
        }
        let error = SignPlan::new("sign", SignPrecision::OF_VALUES, 1, 10).unwrap_err();
        assert!(matches!(error, Error::SignLevels { available: 1, needed: 2, .. }), "{error}");
        // No gap that is offered takes more than 8 rounds, even of the shallowest polynomials.
        let far = SignPrecision { gap: 1e-9, ..SignPrecision::OF_VALUES };
        let error = SignPlan::search("sign", far, 2, 2).unwrap_err();
        assert!(matches!(error, Error::SignRounds { most: 8, .. }), "{error}");
    }
}
