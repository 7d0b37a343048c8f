//! Chains that are made for look-up tables: as many levels as these take, as wide as their errors allow.

use super::space::Space;
use crate::{ParamsLiteral, TableWidths};

impl ParamsLiteral {
    /// This chain with the levels and widths that look-ups of a space's integers take, whose operands and results are
    /// at a level: `ParamsLiteral::bootstrap().for_tables(space, 4)` has 128-bit security.
    #[must_use]
    pub fn for_tables(self, space: Space, level: usize) -> Self {
        Self { max_level: level + space.depth(), tables: Some(widths(space)), ..self }
    }
}

/// The widths for a space.
///
/// Roundings of a table's polynomial grow by eight times with each bit of an integer, and what is allowed falls by two:
/// messages have four bits more for each. The sine's errors count `2p²/π²` times at the ends, and its first steps need
/// more bits than its last.
fn widths(space: Space) -> TableWidths {
    let (message, highest, eval_mod) = match space.size() {
        ..=4 => (30, None, [36, 36, 36, 36, 36, 48, 36, 36]),
        5..=8 => (33, None, [36, 36, 48, 36, 36, 48, 48, 36]),
        9..=16 => (38, None, [36, 48, 36, 48, 48, 48, 48, 36]),
        17..=32 => (41, None, [48, 48, 48, 48, 48, 48, 60, 36]),
        33..=64 => (45, None, [48, 48, 48, 48, 48, 60, 60, 36]),
        65..=128 => (43, Some([48, 50, 52, 40]), [48, 48, 60, 48, 60, 48, 60, 36]),
        _ => (47, Some([52, 54, 56, 40]), [60, 48, 60, 60, 48, 60, 60, 36]),
    };
    let (base, coeffs_to_slots) = match space.size() {
        ..=32 => (36, 36),
        33..=64 => (42, 48),
        _ => (40, 48),
    };
    TableWidths { base, message, highest, eval_mod, coeffs_to_slots }
}
