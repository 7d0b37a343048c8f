//! The plan of a modulus and a degree, and transforms of whole polynomials.

use super::lanes::Float;
use super::operation;
use super::passes::{Passes, Table};
use super::plan::{self, Line, Reductions};
use super::work::Work;
use crate::{Error, Modulus, Simd};

/// A plan: roots of unity for one modulus and one degree. `ψ` is that of [`Ntt`](crate::Ntt).
///
/// ```
/// use everlevel_math::SmallNtt;
///
/// let ntt = SmallNtt::<f32>::new(1_032_193, 10)?;
/// let mut x = vec![0.0; 1024];
/// x[3] = 5.0;
/// ntt.forward(&mut x);
/// assert!(x.iter().all(|&x| x.abs() <= 516_096.0));
/// ntt.inverse(&mut x);
/// assert!(x.iter().enumerate().all(|(i, &x)| x == if i == 3 { 5.0 } else { 0.0 }));
/// # Ok::<(), everlevel_math::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SmallNtt<F> {
    log_n: u32,
    modulus: Modulus,
    forward: Vec<Line<F>>,
    inverse: Vec<Line<F>>,
    /// The constants of lazy levels, and of deep ones.
    lazy: [Line<F>; 2],
    /// The tables of inner vectors that are integers; none where they are not.
    inner: Option<[Vec<Line<F>>; 2]>,
    reductions: Reductions,
}

impl<F: Float> SmallNtt<F> {
    /// The plan, on the best backend of this CPU.
    ///
    /// # Errors
    /// [`Error::BadModulus`], [`Error::BadSmallNtt`] unless `log_n` is in `4..=11` and the modulus has at most
    /// [`Float::MAX_MODULUS_BITS`], or [`Error::NoRoot`].
    pub fn new(q: u64, log_n: u32) -> Result<Self, Error> {
        Self::with_simd(q, log_n, Simd::best())
    }

    /// The plan, on a given backend.
    ///
    /// # Errors
    /// As [`SmallNtt::new`].
    pub fn with_simd(q: u64, log_n: u32, simd: Simd) -> Result<Self, Error> {
        let modulus = Modulus::with_simd(q, simd)?;
        if !(4..=11).contains(&log_n) || q >> F::MAX_MODULUS_BITS != 0 {
            return Err(Error::BadSmallNtt { q, log_n, bits: F::MAX_MODULUS_BITS });
        }
        let psi = modulus.root(log_n + 1).ok_or(Error::NoRoot { q, log_two_n: log_n + 1 })?;
        let forward = plan::table(&modulus, log_n, psi);
        let lazy = [plan::lazy_table(&modulus, &forward[0]), plan::deep_table(&modulus, &forward)];
        let inverse = plan::table(&modulus, log_n, modulus.inv(psi));
        let start = ((q / 2) as f64, plan::radices(log_n).0.ilog2());
        let suffice = |r: &Reductions| plan::end_bound::<F>(q, log_n, start, *r).is_some();
        let reductions = Reductions::all().find(suffice).expect("values stay exact");
        let integers = plan::radices(log_n).1 == plan::ROW && operation::integers::<F>(simd);
        let inner = integers.then(|| [&forward, &inverse].map(|lines| plan::with_quotients(&modulus, lines)));
        Ok(Self { log_n, modulus, forward, inverse, lazy, inner, reductions })
    }

    /// Coefficients of a polynomial.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The modulus.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The exponents of `ψ` at the places of the transform domain: place `i` has the value at `ψ^e` for the `e` of
    /// place `i`. With a place `i = 16·r·g + r·c + l`, `l < r`, where `r` is 16 or `n/16`, if that is less: `e` is
    /// `2·brv(16·r·g + 16·l + c) + 1`, the reversal over `log_n` bits.
    pub fn exponents(&self) -> Vec<usize> {
        let (_, rows) = plan::radices(self.log_n);
        let place = |i: usize| {
            let (block, i) = (i / (plan::ROW * rows), i % (plan::ROW * rows));
            plan::ROW * rows * block + plan::ROW * (i % rows) + i / rows
        };
        (0..self.n()).map(|i| 2 * (place(i).reverse_bits() >> (usize::BITS - self.log_n)) + 1).collect()
    }

    /// The values at the powers of `ψ` of [`SmallNtt::exponents`], in place of the coefficients: residues in
    /// `(−q/2, q/2)` from such residues.
    ///
    /// # Panics
    /// If `x` doesn't have `n` words.
    pub fn forward(&self, x: &mut [F]) {
        assert_eq!(x.len(), self.n());
        let (passes, reductions) = (self.passes(), self.reductions);
        self.run(Work::Forward { passes, reductions, x: x.as_mut_ptr() });
    }

    /// The inverse of [`SmallNtt::forward`], of the same ranges.
    ///
    /// # Panics
    /// If `x` doesn't have `n` words.
    pub fn inverse(&self, x: &mut [F]) {
        assert_eq!(x.len(), self.n());
        let scale = plan::centred::<F>(&self.modulus, self.modulus.inv(self.n() as u64));
        self.run(Work::Inverse { passes: self.passes(), x: x.as_mut_ptr(), scale });
    }

    /// `ψ`.
    pub(super) fn root(&self) -> u64 {
        self.modulus.root(self.log_n + 1).expect("checked when the plan was made")
    }

    /// Whether values between the first and the last pass of a product are integers.
    pub(super) fn has_integers(&self) -> bool {
        self.inner.is_some()
    }

    pub(super) fn passes(&self) -> Passes<F> {
        let (radix, rows) = plan::radices(self.log_n);
        // Where factors have second parts, these begin in the middle of the table.
        let table = |lines: &Vec<Line<F>>| Table { lines: lines.as_ptr(), gap: lines.len() / 2 * plan::ROW };
        Passes {
            n: self.n(),
            q: self.modulus.q(),
            radix,
            rows,
            forward: table(&self.forward),
            inverse: table(&self.inverse),
            lazy: &raw const self.lazy,
            inner: self.inner.as_ref().map_or([&self.forward, &self.inverse], |[a, b]| [a, b]).map(table),
        }
    }

    /// Runs an operation on this plan's backend.
    pub(super) fn run(&self, work: Work<'_, F>) {
        // SAFETY: whoever made the work checked its lengths against this plan, and the modulus's `Simd` is one of this
        // CPU.
        unsafe { F::run(self.modulus.simd(), work) }
    }
}
