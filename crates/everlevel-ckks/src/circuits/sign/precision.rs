//! The precision that is asked of a sign, and the limits of the precision that is offered.

use crate::Error;

/// The least gap as a share of the bound: below, the noise of a polynomial is no longer small beside what it makes of
/// the gap.
const LEAST_GAP: f64 = 1.0 / 4096.0;
/// 2^-26.
const LEAST_ERROR: f64 = 1.0 / 67_108_864.0;

/// The precision that is asked of a sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignPrecision {
    /// Least size of the values whose sign must come out right to `error`: at least `bound`/4096.
    pub gap: f64,
    /// Largest distance to ±1 outside of the gap, at least 2^-26.
    pub error: f64,
    /// Largest size of the values.
    pub bound: f64,
}

impl SignPrecision {
    /// Precision for values in [−1, 1]: a gap of 2^-6 and an error of 2^-20.
    pub const OF_VALUES: Self = Self { gap: 1.0 / 64.0, error: 1.0 / 1_048_576.0, bound: 1.0 };
    /// Precision for differences of values in [−1, 1]: the same gap and error, for twice the bound.
    pub const OF_DIFFERENCES: Self = Self { bound: 2.0, ..Self::OF_VALUES };

    /// Refuses what can't be had.
    ///
    /// # Errors
    /// A bound that is not positive and finite, a gap or an error outside its range.
    pub fn check(self, op: &'static str) -> Result<(), Error> {
        let Self { gap, error, bound } = self;
        for (what, found, least, limit) in [
            ("bound", bound, 0.0, f64::INFINITY),
            ("gap", gap, LEAST_GAP * bound, bound),
            ("error", error, LEAST_ERROR, 0.5),
        ] {
            if !(found > 0.0 && least <= found && found < limit) {
                return Err(Error::SignPrecision { op, what, found, least, limit });
            }
        }
        Ok(())
    }
}
