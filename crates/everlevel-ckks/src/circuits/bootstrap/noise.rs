//! The errors of a bootstrap's steps where SlotsToCoeffs comes first and values fill the sine, by formula.

use everlevel_rlwe::rounding_std_dev;

use crate::chain::ENCAPSULATION_WEIGHT;
use crate::circuits::bootstrap::dft::Shape;
use crate::circuits::bootstrap::eval_mod::Plan;
use crate::circuits::bootstrap::maps::rising_shares;
use crate::circuits::bootstrap::stages::{MapsKind, Transform, coeffs_to_slots_count};
use crate::circuits::bootstrap::tables::{BootstrapTables, RAISE_FACTOR};
use crate::circuits::roundings::{Rounded, Roundings};
use crate::core::Core;
use crate::ladder::ratio;

/// Standard deviation of a rounding to integers.
const OF_INTEGERS: f64 = 0.288_675_134_594_812_9;

/// Standard deviation, over slots and secrets, of the error that all steps before EvalMod add to a number: those of
/// SlotsToCoeffs from a level or below, the raise of the modulus, and CoeffsToSlots.
pub(crate) fn before_the_sine(core: &Core, tables: &BootstrapTables, level: usize) -> f64 {
    let first = of_coefficients(core, tables, level);
    let rounding = |weight: usize, scale: f64| rounding_std_dev(weight) / scale;
    let scale = tables.first.base_scale;
    let raised = scale * RAISE_FACTOR as f64;
    let sparse = rounding(ENCAPSULATION_WEIGHT, scale).hypot(rounding(core.params.secret_weight(), raised));
    // A number of one is a quarter of the sine's period.
    first.hypot(sparse).hypot(4.0 * of_coeffs_to_slots(core, tables))
}

/// Standard deviation of the error that SlotsToCoeffs first adds to a number, from a level or below.
pub(crate) fn of_coefficients(core: &Core, tables: &BootstrapTables, level: usize) -> f64 {
    let starts = core.params.stage_counts(core.encoder.slots()).into_iter().filter(|&stages| stages <= level);
    starts.map(|stages| of_slots_to_coeffs(core, tables, stages)).fold(0.0, f64::max)
}

/// Integers that round the diagonals of a stage, in a slot.
fn of_diagonals(shape: &Shape) -> f64 {
    OF_INTEGERS * (((2 * shape.step) << shape.layers) as f64).sqrt()
}

/// Roundings of SlotsToCoeffs first: a stage's are magnified by the layers of the later ones.
pub(crate) fn of_slots_to_coeffs(core: &Core, tables: &BootstrapTables, stages: usize) -> f64 {
    let transform = Transform::SlotsToCoeffsFirst;
    let shares = rising_shares(transform.first_fall(core, tables, stages), stages);
    let (shapes, sets) = (transform.shapes(core, stages), transform.sets(core, stages));
    let rounding = rounding_std_dev(core.params.secret_weight());
    let mut scale = core.ladder.scales[stages];
    // The way from level 0 to the base prime is one more.
    let mut squares = (rounding / tables.first.base_scale).powi(2);
    for (stage, (shape, [source, target])) in shapes.iter().zip(&sets).enumerate() {
        scale *= shares[stage];
        let later: usize = shapes[stage + 1..].iter().map(|shape| shape.layers).sum();
        squares += (rounding / scale).powi(2) * (later as f64).exp2();
        squares += (of_diagonals(shape) / (shares[stage] * ratio(&core.ring, source, target))).powi(2);
    }
    squares.sqrt()
}

/// Roundings of CoeffsToSlots and of the conjugation, as a part of the sine's period.
fn of_coeffs_to_slots(core: &Core, tables: &BootstrapTables) -> f64 {
    let stages = coeffs_to_slots_count(core);
    let transform = Transform::CoeffsToSlots;
    let (shapes, sets) = (transform.shapes(core, stages), transform.sets(core, stages));
    let share = tables.share_of_coeffs_to_slots(core, MapsKind::Apart, stages);
    let unit = tables.unit(MapsKind::Apart);
    let rounding = core.rounding_error(unit);
    let integer_part = ((ENCAPSULATION_WEIGHT + 1) as f64 / 12.0).sqrt();
    // The conjugate's.
    let mut squares = rounding * rounding;
    for (stage, (shape, [source, target])) in shapes.iter().zip(&sets).enumerate() {
        let later = shapes[stage + 1..].iter().map(|shape| share * (shape.layers as f64 / 2.0).exp2()).product::<f64>();
        // A part of a sum with the conjugate is twice one.
        squares += (2.0 * rounding * later).powi(2);
        squares += (integer_part * of_diagonals(shape) / (share * ratio(&core.ring, source, target))).powi(2);
    }
    squares.sqrt()
}

/// Standard deviation of the roundings of EvalMod at a part of the sine's period, beside the integer where they are
/// largest.
pub(crate) fn largest_rounding_of_sine(core: &Core, plan: &Plan, t: f64) -> f64 {
    let bound = (ENCAPSULATION_WEIGHT / 2) as i32;
    (-bound..=bound).map(|k| rounding_of_sine(core, plan, f64::from(k) + t)).fold(0.0, f64::max)
}

/// Standard deviation of the roundings of EvalMod at a number.
pub(crate) fn rounding_of_sine(core: &Core, plan: &Plan, t: f64) -> f64 {
    let roundings = Roundings::new(core, &plan.ladder);
    let u = Rounded::exact(t / plan.fit.interval(), plan.ladder.sets.len() - 1);
    let check: &dyn Fn() -> Result<(), std::convert::Infallible> = &|| Ok(());
    match plan.fit.eval_mod(&roundings, u, check) {
        Ok(sine) => sine.std_dev(),
        Err(never) => match never {},
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::bootstrap::method::Method;
    use crate::{Context, Params, ParamsLiteral};

    #[test]
    fn sines_take_fourteen_roundings_and_are_what_they_were_fitted_for() {
        let context = Context::new(Params::try_from(ParamsLiteral::insecure_bootstrap(9)).expect("params"), None, 1);
        let context = context.expect("context");
        let tables = BootstrapTables::new(&context.core);
        for (method, spared) in [(Method::Regular, 0), (Method::Lossy, 0), (Method::Sign, 0), (Method::Lossy, 9)] {
            let plan = tables.plan(&context.core, MapsKind::Apart, method, spared).expect("plan");
            let roundings = Roundings::new(&context.core, &plan.ladder);
            for t in [-3.25, 0.0, 0.1, 7.01] {
                let u = Rounded::exact(t / plan.fit.interval(), plan.ladder.sets.len() - 1);
                let check: &dyn Fn() -> Result<(), std::convert::Infallible> = &|| Ok(());
                let Ok(sine) = plan.fit.eval_mod(&roundings, u, check);
                assert!((sine.value - plan.fit.sine(t)).abs() < 1e-9, "{method:?}, {t}: {}", sine.value);
            }
            // Eleven key switches; T_1 for the product with T_2, and two combinations.
            let once = Roundings::new(&context.core, &plan.ladder);
            let u = Rounded::exact(0.0, plan.ladder.sets.len() - 1);
            let Ok(sine) = plan.fit.eval_mod(&once, u, &|| Ok::<_, std::convert::Infallible>(()));
            assert_eq!(sine.errors.len(), 14, "{method:?}");
        }
    }
}
