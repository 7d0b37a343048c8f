#![doc = include_str!("../../../notes/bulk.md")]
//!
//! *Map.* `space` integers as numbers, and tables as Chebyshev series · `noise` errors, their bounds and the sets that
//! hold them · `chain` the
//! moduli · `messages` encryption and sums · this file: look-ups of ciphertexts.

mod chain;
mod messages;
mod noise;
mod space;

use super::evaluator::Circuits;
use crate::series::Basis;
use crate::{Ciphertext, Error, Method, Progress, Units};

pub use noise::TableNoise;
pub use space::Space;

impl Circuits<'_> {
    /// Every integer of a vector looked up in tables, which share a bootstrap and the basis elements: for each table
    /// what it has for the integer, where errors were within [`TableNoise::limit`].
    ///
    /// A table has an entry for each integer of the space. Units are taken in pairs, as real and imaginary parts of
    /// one bootstrap; an odd one is by itself. Results are at a level that is asked for: look-ups of them need the
    /// key's stage count, and each product before that one more.
    ///
    /// # Errors
    /// A table of another length, or with an entry outside of the space; too few levels for the space; a level below
    /// the stage count; a regular bootstrap key, or keys of another secret; a cancellation.
    pub fn look_up(
        &self,
        x: &Units<Ciphertext>,
        (space, level): (Space, usize),
        tables: &[&[u64]],
        progress: Progress,
    ) -> Result<Vec<Units<Ciphertext>>, Error> {
        let run = self.run("look_up", x.count().div_ceil(2), progress);
        run.check_lossy(x)?;
        let series = tables.iter().map(|table| space.series(table)).collect::<Result<Vec<_>, _>>()?;
        let series: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
        run.expect(x.count().div_ceil(2));
        // Integers of the space, whoever made them.
        let x = x.clone().on_reals(true).within(1.0);
        let waves = run.bootstrap_in_pairs(Method::Table, level + space.depth(), &x)?.within(1.0);
        let values = run.polynomials(&waves, Basis::Chebyshev, &series)?;
        let lowered = |values: Units<Ciphertext>| values.try_map(|unit| self.context().level_down(unit, level));
        values.into_iter().map(|values| lowered(values).map(|values| values.within(1.0))).collect()
    }
}
