//! Plain matrix times encrypted vector, by diagonals with baby steps and giant steps.
//!
//! `M·z = Σ_d diag_d ⊙ rot_d(z)` with `diag_d[i] = M[i][i + d]` (Halevi, Shoup, "Algorithms in HElib", eprint
//! 2014/106), and `d = giant + baby`:
//!
//! ```text
//! M·z = Σ_giant rot_giant(Σ_baby rot_{−giant}(diag_{giant+baby}) ⊙ rot_baby(z))
//! ```
//!
//! *Rotations.* The keys are powers of two at least. A baby step without a key of its own is a child of the baby step
//! without its highest binary digit: one key switch each, and children of one step share its digits. Giant steps are
//! added up from the outermost inwards, each sum turned by the distance to the next (Horner's rule): a dense matrix
//! needs one key for all of them. Unlike a bootstrap's transforms ([`everlevel_rlwe::LinearTransform`]), which have few
//! diagonals and a key for every step, a matrix has so many diagonals that their products are most of the work, so
//! these are over the ciphertext's primes alone.
//!
//! *Shape.* `M` is a grid of blocks of `slot_count` rows and columns, of which the last are filled up with zeros: slots
//! of the vector beyond its columns do not matter, and slots of the result beyond its rows are zero. A column of blocks
//! belongs to a unit of the vector, whose baby steps all its blocks share; a row of blocks makes a unit of the result,
//! and its blocks' sums are added before their giant step is turned. A vector of several times the units that the
//! columns fill is as many vectors.
//!
//! *Map.* [`mod@plan`] which rotations · `scan` diagonals and sizes of matrices · `steps` rotations in any
//! representation · [`mod@encode`] matrices to diagonals · `footprint` their memory ·
//! [`mod@apply`] the product.

pub(crate) mod apply;
pub(crate) mod encode;
pub(crate) mod footprint;
pub(crate) mod plan;
pub(crate) mod scan;
pub(crate) mod steps;

use std::collections::BTreeSet;

use everlevel_ring::{PackedPoly, Symmetry};
use num_complex::Complex64;

use crate::encoder::Coefficients;
use plan::Plan;
use scan::{Layout, Side};

/// The entries of a matrix: row by row, or on its diagonals alone.
#[derive(Debug, Clone, Copy)]
pub enum Entries<'a> {
    /// Real ones, row by row.
    Real(&'a [f64]),
    /// Complex ones, row by row.
    Complex(&'a [Complex64]),
    /// Real ones, diagonal by diagonal.
    RealDiagonals(Places<'a>, &'a [f64]),
    /// Complex ones, diagonal by diagonal.
    ComplexDiagonals(Places<'a>, &'a [Complex64]),
}

/// Block and amount of each diagonal that entries are given on, both ascending, with amounts below the slots.
///
/// Diagonal k has as many entries as there are slots: entry i is in row i of the block, in column i + amount modulo the
/// slots. Blocks are counted row by row. Entries beyond the matrix's rows and columns are left out.
pub type Places<'a> = &'a [(usize, usize)];

/// The size, level, norms and rotations of a matrix: everything but its diagonals.
#[derive(Debug, Clone)]
pub struct Shape {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) level: usize,
    pub(crate) plan: Plan,
    /// Largest Euclidean norm of a row: the factor by which it grows independent errors.
    pub(crate) row_norm: f64,
    /// The largest sum of the sizes of a row's entries.
    pub(crate) row_sum: f64,
    /// Sum of the entries' sizes in a row of blocks, the largest, divided by the slots: a bound on the coefficients of
    /// products with values up to 1.
    pub(crate) mean_size: f64,
    /// The largest number of entries of a row that are equal to the first one or to their neighbours.
    pub(crate) row_repeats: usize,
    /// Whether all entries are real numbers.
    pub(crate) is_real: bool,
    /// The symmetry by which diagonals are held: conjugate for real entries, but in files of 0.1.
    pub(crate) symmetry: Symmetry,
    pub(crate) slot_count: usize,
    pub(crate) fingerprint: u64,
}

impl Shape {
    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout { rows: self.rows, columns: self.columns, slots: self.slot_count, plan: &self.plan, side: Side::Left }
    }
}

/// A matrix ready for products: its diagonals over the primes of its level, those of real entries by half their
/// residues.
#[derive(Debug)]
pub struct PlainMatrix {
    pub(crate) shape: Shape,
    /// In the order of [`Plan::diagonals`].
    pub(crate) diagonals: Vec<PackedPoly>,
}

/// A matrix without primes: eight bytes for each coefficient of its diagonals, which are transformed at each use; half
/// of the coefficients, where entries are real.
#[derive(Debug, Clone)]
pub struct LightPlainMatrix {
    pub(crate) shape: Shape,
    /// In the order of [`Plan::diagonals`].
    pub(crate) diagonals: Vec<Coefficients>,
}

macro_rules! shape_methods {
    ($($type:ty => $nbytes:expr;)*) => {$(
        impl $type {
            /// Rows and columns, before it is filled up with zeros.
            pub fn dimensions(&self) -> (usize, usize) {
                (self.shape.rows, self.shape.columns)
            }

            /// The highest level of its products' ciphertexts.
            pub fn level(&self) -> usize {
                self.shape.level
            }

            /// The number of diagonals that it holds.
            pub fn diagonal_count(&self) -> usize {
                self.diagonals.len()
            }

            /// The left rotations of its products, by a key for each: ascending, below the slots.
            pub fn rotations(&self) -> Vec<i64> {
                let plan = &self.shape.plan;
                let all = plan.baby_rotations().into_iter().chain(plan.giant_rotations(self.shape.slot_count));
                all.collect::<BTreeSet<_>>().into_iter().collect()
            }

            /// Bytes held.
            pub fn nbytes(&self) -> usize {
                self.diagonals.iter().map($nbytes).sum()
            }
        }
    )*};
}

shape_methods! {
    PlainMatrix => PackedPoly::nbytes;
    LightPlainMatrix => Coefficients::nbytes;
}
