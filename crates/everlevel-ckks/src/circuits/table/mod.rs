#![doc = include_str!("../../../notes/bulk.md")]
//!
//! *Map.* `space` integers as numbers, and tables as Chebyshev series · `noise` errors, their bounds and the sets that
//! hold them · `chain` the moduli · `messages` encryption and sums · `coefficients` the way to the torus and back ·
//! this file: look-ups of ciphertexts.

mod chain;
mod coefficients;
mod messages;
mod noise;
mod space;

use super::evaluator::{Circuits, Run};
use crate::series::Basis;
use crate::{Ciphertext, Complex64, Error, Method, Progress, Units};

pub use coefficients::{TorusCiphertext, TorusSource};
pub use noise::TableNoise;
pub use space::Space;

impl Circuits<'_> {
    /// [`Circuits::look_up_each`] of one vector.
    ///
    /// # Errors
    /// As there.
    pub fn look_up(
        &self,
        x: &Units<Ciphertext>,
        space: (Space, usize),
        tables: &[&[u64]],
        progress: Progress,
    ) -> Result<Vec<Units<Ciphertext>>, Error> {
        Ok(self.look_up_each(&[(x, tables)], space, progress)?.remove(0))
    }

    /// Every integer of vectors looked up in tables, those of a vector by one bootstrap and from the same basis
    /// elements: for each table what it has for the integer, where errors were within [`TableNoise::limit`].
    ///
    /// A table has an entry for each integer of the space, or of a smaller one that all integers of its vector are in
    /// ([`Space::of_inputs`]): its polynomial is as much shorter. All tables of a vector have one length. Units of all
    /// vectors are taken in pairs, as real and imaginary parts of one bootstrap; an odd one is by itself. Results are
    /// at a level that is asked for: look-ups of them need the key's stage count, and each product before that one
    /// more.
    ///
    /// # Errors
    /// No tables; one of another length, or with an entry outside of the space; too few levels for the space; a level
    /// below the stage count; a regular bootstrap key, or keys of another secret; a cancellation.
    pub fn look_up_each(
        &self,
        jobs: &[(&Units<Ciphertext>, &[&[u64]])],
        (space, level): (Space, usize),
        progress: Progress,
    ) -> Result<Vec<Vec<Units<Ciphertext>>>, Error> {
        let count: usize = jobs.iter().map(|(x, _)| x.count()).sum();
        let run = self.run("look_up", count.div_ceil(2), progress);
        jobs.iter().try_for_each(|(x, _)| run.check_lossy(x))?;
        let series = |tables: &[&[u64]]| tables.iter().map(|table| space.series(table)).collect::<Result<Vec<_>, _>>();
        let series = jobs.iter().map(|(_, tables)| series(tables)).collect::<Result<Vec<_>, _>>()?;
        run.expect(count.div_ceil(2));
        let spread = jobs.iter().map(|(x, tables)| self.spread(x, space, tables)).collect::<Result<Vec<_>, _>>()?;
        let lowered = |x: &Units<Ciphertext>, level| x.try_map(|unit| self.context().level_down(unit, level));
        let lowest = jobs.iter().map(|(x, _)| x.first().level()).min().unwrap_or(level);
        let inputs = spread.iter().map(|x| lowered(x, lowest)).collect::<Result<Vec<_>, _>>()?;
        // Integers of the space, whoever made them.
        let inputs = Units::stack(&inputs.iter().collect::<Vec<_>>())?.on_reals(true).within(1.0);
        let waves = run.bootstrap_in_pairs(Method::Table, level + space.depth(), &inputs)?.within(1.0);
        let mut waves = waves.all().iter().cloned();
        let values = |((x, _), series): (&(&Units<Ciphertext>, _), &Vec<Vec<f64>>)| {
            let waves = Units::new(waves.by_ref().take(x.count()).collect());
            self.entries(&run, &waves.unwrap_or_else(|| unreachable!("vectors have a unit or more")), series, level)
        };
        jobs.iter().zip(&series).map(values).collect()
    }

    /// The entries of tables for the cosines of integers' angles, at a level.
    fn entries(
        &self,
        run: &Run,
        waves: &Units<Ciphertext>,
        series: &[Vec<f64>],
        level: usize,
    ) -> Result<Vec<Units<Ciphertext>>, Error> {
        let series: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
        let values = run.polynomials(waves, Basis::Chebyshev, &series)?;
        let lowered = |x: &Units<Ciphertext>| x.try_map(|unit| self.context().level_down(unit, level));
        values.iter().map(|values| Ok(lowered(values)?.within(1.0))).collect()
    }

    /// Integers as those of their tables' space of inputs: `(2m + 1)/p − 1` spread over the whole interval.
    fn spread(&self, x: &Units<Ciphertext>, space: Space, tables: &[&[u64]]) -> Result<Units<Ciphertext>, Error> {
        let Some(first) = tables.first() else {
            return Err(Error::parameter("number of tables", 0, "at least one"));
        };
        if let Some(other) = tables.iter().find(|table| table.len() != first.len()) {
            return Err(Error::parameter("number of entries of a table", other.len(), first.len().to_string()));
        }
        let times = (space.size() / space.of_inputs(first)?.size()) as f64;
        if times == 1.0 {
            return Ok(x.clone());
        }
        x.try_map(|unit| {
            let more = self.context().multiply_scalar(unit, Complex64::from(times))?;
            self.context().add_scalar(&more, Complex64::from(times - 1.0))
        })
    }
}
