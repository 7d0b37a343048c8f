//! Transforms of many limbs, each in two kernels: columns and rows.

use everlevel_math::monomial::inverse_mod_power_of_two;
use everlevel_ring::device::Transform;

use crate::arena::Table;
use crate::constants::{Factor, NONE};
use crate::ends::End;
use crate::{Arena, Device, Error};

/// log2 of a row's points, and the rows of a block: `LOG_ROW` and `ROWS_TOGETHER` of transform.h.
const LOG_ROW: u32 = 8;
const ROWS_TOGETHER: usize = 16;

/// log2 of the most words of a block of the columns' kernel: `Tile` of transform.h.
const LOG_TILE: u32 = 12;

impl<D: Device> Arena<D> {
    /// Forward transforms, as [`everlevel_math::Ntt::forward`].
    ///
    /// # Errors
    /// The device's.
    pub fn forward(&self, transforms: &[Transform]) -> Result<(), Error> {
        let mut transforms: Vec<&Transform> = transforms.iter().collect();
        transforms.sort_by_key(|transform| transform.prime);
        let jobs = self.transform_jobs(transforms);
        self.forward_columns(&jobs)?;
        let tables = [Table::Roots, Table::Primes, Table::Jobs, Table::Word(self.row_count())];
        self.launch(&format!("forward_rows_{}", self.arithmetic.name()), self.grids().1, (&jobs, 3), &tables)
    }

    /// Forward transforms, of which those with an end have its result in place of their own.
    pub(crate) fn forward_to_ends(&self, transforms: &[Transform], ends: &[Option<End>]) -> Result<(), Error> {
        if ends.iter().all(Option::is_none) {
            return self.forward(transforms);
        }
        let mut transforms: Vec<(&Transform, &Option<End>)> = transforms.iter().zip(ends).collect();
        transforms.sort_by_key(|(transform, _)| transform.prime);
        let end = |&(transform, end): &(&Transform, &Option<End>)| {
            let other = end.and_then(|end| end.combined).map_or(NONE, |(other, _)| self.word_of(other));
            let to = self.word_of(end.map_or(transform.to, |end| end.to));
            let galois_elt = end.map_or(1, |end| end.galois_elt);
            [other, to, inverse_mod_power_of_two(galois_elt, 2 * self.n() as u64) as u32]
        };
        let ends: Vec<u32> = transforms.iter().flat_map(end).collect();
        let factors = |&(transform, end): &(&Transform, &Option<End>)| {
            let q = self.moduli()[transform.prime].q();
            let factors = end.and_then(|end| end.combined).map_or([0; 2], |(_, factors)| factors);
            factors.map(|w| Factor::new(w, q))
        };
        let factors: Vec<Factor> = transforms.iter().flat_map(factors).collect();
        let [ends, factors] = [self.table(bytemuck::cast_slice(&ends))?, self.table(bytemuck::cast_slice(&factors))?];
        let jobs = self.transform_jobs(transforms.into_iter().map(|(transform, _)| transform));
        self.forward_columns(&jobs)?;
        let [ends, factors, log_n] = [Table::Of(&ends), Table::Of(&factors), Table::Word(self.log_n())];
        let tables = [Table::Roots, Table::Primes, Table::Jobs, ends, factors, log_n];
        self.launch(&format!("forward_rows_to_ends_{}", self.arithmetic.name()), self.grids().1, (&jobs, 3), &tables)
    }

    fn forward_columns(&self, jobs: &[u32]) -> Result<(), Error> {
        let kernel = format!("forward_columns_{}_{}", self.column_levels(), self.arithmetic.name());
        self.launch(&kernel, self.grids().0, (jobs, 3), &[Table::Roots, Table::Primes, Table::Jobs])
    }

    /// Inverse transforms times constants, one for each, as [`everlevel_math::Ntt::inverse_scaled`].
    ///
    /// # Errors
    /// The device's.
    ///
    /// # Panics
    /// If there isn't one constant for each.
    pub fn inverse_scaled(&self, transforms: &[Transform], constants: &[u64]) -> Result<(), Error> {
        assert_eq!(transforms.len(), constants.len());
        let mut transforms: Vec<(&Transform, u64)> = transforms.iter().zip(constants.iter().copied()).collect();
        transforms.sort_by_key(|(transform, _)| transform.prime);
        let mut scales = Vec::new();
        for &(transform, constant) in &transforms {
            let m = &self.moduli()[transform.prime];
            let scale = m.mul(m.inv(self.n() as u64 % m.q()), constant);
            for factor in [scale, m.mul(scale, self.last_roots[transform.prime])] {
                self.arithmetic.push_factor(&mut scales, factor, m.q());
            }
        }
        let scales = self.table(&scales)?;
        let jobs = self.transform_jobs(transforms.into_iter().map(|(transform, _)| transform));
        let name = self.arithmetic.name();
        let (columns, rows) = self.grids();
        let tables = [Table::InverseRoots, Table::Primes, Table::Jobs, Table::Word(self.row_count())];
        self.launch(&format!("inverse_rows_{name}"), rows, (&jobs, 3), &tables)?;
        let kernel = format!("inverse_columns_{}_{name}", self.column_levels());
        let tables = [Table::InverseRoots, Table::Primes, Table::Jobs, Table::Of(&scales)];
        self.launch(&kernel, columns, (&jobs, 3), &tables)
    }

    /// The jobs of transforms, which are in the order of primes: one prime's roots are in the caches for all of its
    /// own.
    fn transform_jobs<'a>(&self, transforms: impl IntoIterator<Item = &'a Transform>) -> Vec<u32> {
        let job = |t: &Transform| [self.word_of(t.from), self.word_of(t.to), self.word_of_prime(t.prime)];
        transforms.into_iter().flat_map(job).collect()
    }

    /// Levels of the columns: those before the rows'.
    fn column_levels(&self) -> u32 {
        self.log_n() - LOG_ROW
    }

    fn row_count(&self) -> u32 {
        1 << self.column_levels()
    }

    /// Blocks for a limb, of the columns' kernel and of the rows'.
    fn grids(&self) -> (usize, usize) {
        // A block of few columns' levels has all 256 columns, and less than a whole tile.
        let columns = self.n().div_ceil(1 << LOG_TILE);
        (columns, (self.row_count() as usize).div_ceil(ROWS_TOGETHER))
    }
}
