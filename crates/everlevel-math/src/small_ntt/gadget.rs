//! Signed digits of residues.

use super::float::Number;

/// A signed approximate decomposition of residues in `(−q/2, q/2)`.
///
/// With `u_i = 2^(dropped + i·log2_base)` the unit of digit `i` and `y_i = ⌊x/u_i + ½⌋` the residue rounded to it
/// (upwards at ties), the last digit is `y_(digits−1)`, and each other one is `d_i = y_i − B·y_(i+1)`, `B =
/// 2^log2_base`: what its unit adds to the one above. So `Σ_i d_i·u_i` is the closest multiple of `2^dropped`, and
/// each digit but the last is in `[−B/2, B/2]`: where it is half a base, the next lower bit has decided its sign, so
/// that with `dropped ≥ 1` uniform residues have digits of mean zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gadget {
    /// log2 of the base.
    pub log2_base: u32,
    /// The number of digits.
    pub digits: u32,
    /// Bits below the digits.
    pub dropped: u32,
}

impl Gadget {
    /// log2 of the unit of digit `i`.
    pub fn log2_unit(self, i: u32) -> u32 {
        self.dropped + i * self.log2_base
    }

    /// The largest magnitude of digit `i`.
    pub(super) fn bound(self, q: u64, i: u32) -> f64 {
        let last = ((q / 2) >> self.log2_unit(self.digits - 1)) + 1;
        if i + 1 < self.digits { (1u64 << (self.log2_base - 1)) as f64 } else { last as f64 }
    }

    /// True if a residue has these digits: there are some, of at least a bit, all units are below `q/2`, and the last
    /// digit is at most `B`.
    pub(super) fn fits(self, q: u64) -> bool {
        let Self { log2_base, digits, dropped } = self;
        let last = u64::from(dropped) + u64::from(digits.max(1) - 1) * u64::from(log2_base);
        let some = digits >= 1 && (1..32).contains(&log2_base) && last < 32;
        some && 1 << last < q / 2 && self.bound(q, digits - 1) <= (1u64 << log2_base) as f64
    }
}

/// Added to integers, it makes ties of units round upwards.
pub(super) const UPWARDS: f64 = 0.25;

/// A digit as kernels read it: its unit, and how its transform begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<F> {
    pub unit: F,
    pub inv_unit: F,
    /// Set where the first two levels' products are summed as they are.
    pub lazy: bool,
    /// Set where the first three levels' products may be summed as they are.
    pub deep: bool,
}

impl<F: Number> Row<F> {
    pub(super) fn new(log2_unit: u32, (lazy, deep): (bool, bool)) -> Self {
        let unit = (1u64 << log2_unit) as f64;
        Self { unit: F::from_f64(unit), inv_unit: F::from_f64(1.0 / unit), lazy, deep }
    }
}
