//! The noise of half products with keys under the large secret, of any scheme.

use everlevel_ring::WordGadget as Gadget;

use crate::common::digit_square;
use crate::noise::{of_transforms, rounding};
use crate::params::Params;

/// Sum of the mean squares of a word's digits. Of words in `±2^(−log2_range)/2` the leading ones are next to nothing,
/// and the first one that isn't is smaller than the others; `terms` such words were added up.
pub(crate) fn digit_squares(gadget: Gadget, log2_range: u32, terms: f64) -> f64 {
    let of_level = |level: u32| match (gadget.log2_base * level).checked_sub(log2_range) {
        None => 0.0,
        Some(bits) if bits < gadget.log2_base => (terms * (2.0 * f64::from(bits)).exp2() + 1.0) / 12.0,
        Some(_) => digit_square(gadget),
    };
    (1..=gadget.digits).map(of_level).sum()
}

/// Variance that half products of so many polynomials add, whose digits have this sum of mean squares and whose key
/// encrypts messages of this one: `N·σ²·k·Σ_j d_j² + ‖m‖²·B^(−2l)/12`, and the transforms' errors.
pub(crate) fn variance(
    params: &Params,
    (inputs, gadget): (usize, Gadget),
    (squares, message): (f64, f64),
    deviations: f64,
) -> f64 {
    variance_in(params.log_n, params, (inputs, gadget), (squares, message), deviations)
}

/// [`variance`] in a ring of degree `2^log_n`, whose keys are under the large secret as one of a subring.
pub(crate) fn variance_in(
    log_n: u32,
    params: &Params,
    (inputs, gadget): (usize, Gadget),
    (squares, message): (f64, f64),
    deviations: f64,
) -> f64 {
    let (n, rows) = (f64::from(log_n).exp2(), inputs as f64 * f64::from(gadget.digits));
    let digits = inputs as f64 * squares;
    let error = (2.0 * params.big_log2_std_dev).exp2() * (1.0 + deviations * (2.0 / (n * rows)).sqrt());
    n * error * digits + message * rounding(gadget) + of_transforms(log_n, digits, params.big_weight(deviations))
}
