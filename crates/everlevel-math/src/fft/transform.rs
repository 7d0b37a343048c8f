//! The plan of a size, and its transforms and products of whole polynomials.

use super::children::{Forward, Inverse, Passes};
use super::digits::Digits;
use super::operation::{self, Operation};
use super::passes::{Coefficients, InPlace};
use super::plan::Plan;
use super::products::KeyWord;
use super::rounding::Rounding;
use super::torus::Torus;
use super::twiddles::Twiddles;
use crate::{Error, Simd};

/// A plan: the passes and the roots of unity of one size. Fixed for a size, never chosen by timing.
///
/// ```
/// use everlevel_math::fft::{Digits, Fft};
///
/// let (n, digits) = (256, Digits { log2_base: 6, levels: 5 });
/// let fft = Fft::new(n)?;
/// // The product of a torus polynomial and 3·X, by way of its digits: 64^-j·3·X is the row of digit j.
/// // Five digits leave two bits of a word, which are zero here.
/// let a: Vec<u32> = (0..n as u32).map(|j| j.wrapping_mul(0x9e37_79b9) << 2).collect();
/// let mut key = vec![0.0; 5 * n];
/// for row in 0..5 {
///     let (mut polynomial, mut transform) = (vec![0u32; n], vec![0.0; n]);
///     polynomial[1] = 3 << (32 - 6 * (row + 1));
///     fft.forward_torus(&mut transform, &polynomial);
///     fft.interleave(&mut key, (row, 0), (5, 1), transform.into_iter());
/// }
/// let (mut x, mut sum, mut product) = (vec![0.0; 5 * n], vec![0.0; n], vec![0u32; n]);
/// fft.forward_digits(&mut x, &a, digits);
/// fft.multiply(&mut sum, &x, &key);
/// fft.inverse_add(&mut product, &mut sum);
/// assert_eq!(product[0], a[n - 1].wrapping_mul(3).wrapping_neg());
/// assert!((1..n).all(|j| product[j] == a[j - 1].wrapping_mul(3)));
/// # Ok::<(), everlevel_math::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fft {
    n: usize,
    plan: Plan,
    simd: Simd,
    table: Vec<f64>,
}

impl Fft {
    /// The plan of a size, on the best backend of this CPU.
    ///
    /// # Errors
    /// [`Error::BadFftSize`] unless `n` is a power of two in `2^8 … 2^16`.
    pub fn new(n: usize) -> Result<Self, Error> {
        Self::with_simd(n, Simd::best())
    }

    /// The plan of a size, on a given backend.
    ///
    /// # Errors
    /// As [`Fft::new`].
    pub fn with_simd(n: usize, simd: Simd) -> Result<Self, Error> {
        let plan = Plan::new(n).ok_or(Error::BadFftSize { n })?;
        Ok(Self { n, plan, simd, table: Twiddles::table(&plan) })
    }

    /// The number of coefficients.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The backend that the kernels use.
    pub fn simd(&self) -> Simd {
        self.simd
    }

    /// The transform of torus words, read as signed integers; 64-bit words are rounded to 53 bits.
    ///
    /// # Panics
    /// If `out` or `x` doesn't have `n` words.
    pub fn forward_torus<T: Torus>(&self, out: &mut [f64], x: &[T]) {
        assert_eq!((out.len(), x.len()), (self.n, self.n));
        let (re, im) = x.split_at(self.n / 2);
        for (block, (re, im)) in out.chunks_exact_mut(16).zip(re.chunks_exact(8).zip(im.chunks_exact(8))) {
            for lane in 0..8 {
                block[lane] = re[lane].to_f64();
                block[lane + 8] = im[lane].to_f64();
            }
        }
        let x = InPlace(out.as_mut_ptr());
        // SAFETY: `out` has the plan's `n` words, as was just checked, and is source and result alike.
        unsafe { self.run(Forward { passes: self.passes(), src: x, out: x }) };
    }

    /// The transform of real coefficients.
    ///
    /// # Panics
    /// If `out` or `x` doesn't have `n` words.
    pub fn forward(&self, out: &mut [f64], x: &[f64]) {
        assert_eq!((out.len(), x.len()), (self.n, self.n));
        let src = Coefficients { p: x.as_ptr().cast_mut(), half: self.n / 2 };
        // SAFETY: `out` and `x` have the plan's `n` words, as was just checked; the cast takes no right to write, since
        // sources are only read.
        unsafe { self.run(Forward { passes: self.passes(), src, out: InPlace(out.as_mut_ptr()) }) };
    }

    /// The inverse transform of `x` as real coefficients, times `n/2`. `x` is used up: its words are unspecified
    /// afterwards.
    ///
    /// # Panics
    /// If `out` or `x` doesn't have `n` words.
    pub fn inverse_unscaled(&self, out: &mut [f64], x: &mut [f64]) {
        assert_eq!((out.len(), x.len()), (self.n, self.n));
        let out = Coefficients { p: out.as_mut_ptr(), half: self.n / 2 };
        // SAFETY: `out` and `x` have the plan's `n` words, as was just checked, and are borrowed alone.
        unsafe { self.run(Inverse { passes: self.passes(), x: InPlace(x.as_mut_ptr()), out }) };
    }

    /// The transforms of the digits of torus words: `levels` transforms of `n` doubles each, that of the most
    /// significant digits first.
    ///
    /// # Panics
    /// If `x` doesn't have `n` words or `out` doesn't have `levels·n`, or if a word `T` doesn't have such digits
    /// (see [`Digits`]).
    pub fn forward_digits<T: Torus>(&self, out: &mut [f64], x: &[T], digits: Digits) {
        assert!(digits.fit(T::BITS), "{digits:?}");
        assert_eq!((out.len(), x.len()), (digits.levels as usize * self.n, self.n));
        for (out, level) in out.chunks_exact_mut(self.n).zip(1..) {
            T::run_forward_digit(self.simd, self.passes(), out, x, digits.extraction(T::BITS, level));
        }
    }

    /// Puts a transform into a matrix for [`Fft::multiply`], at `(row, column)` of `(rows, columns)`. A matrix has, for
    /// each block of eight points, row by row, the words of the row's columns: the order in which products read it.
    ///
    /// # Panics
    /// If `key` doesn't have `rows·columns·n` words or `x` doesn't have `n`, or the place is outside.
    pub fn interleave<K>(
        &self,
        key: &mut [K],
        (row, column): (usize, usize),
        (rows, columns): (usize, usize),
        x: impl ExactSizeIterator<Item = K>,
    ) {
        assert!(key.len() == rows * columns * self.n && x.len() == self.n && row < rows && column < columns);
        let mut x = x;
        for block in key.chunks_exact_mut(16 * rows * columns) {
            block[16 * (row * columns + column)..][..16].iter_mut().zip(&mut x).for_each(|(word, x)| *word = x);
        }
    }

    /// A row vector times a matrix, in the transform domain: `out_c = Σ_r x_r·key_{r,c}`.
    ///
    /// `out` holds the columns, `x` the rows, `key` the matrix as [`Fft::interleave`] makes it: `cols·n`, `rows·n` and
    /// `rows·cols·n` words.
    ///
    /// # Panics
    /// If the lengths aren't such multiples of `n`.
    pub fn multiply<K: KeyWord>(&self, out: &mut [f64], x: &[f64], key: &[K]) {
        let (rows, cols) = (x.len() / self.n, out.len() / self.n);
        assert_eq!((x.len(), out.len(), key.len()), (rows * self.n, cols * self.n, rows * cols * self.n));
        K::run_multiply(self.simd, self.n, out, x, key);
    }

    /// Adds the inverse transform of `x`, rounded to integers modulo `2^BITS`, to `acc`. `x` is used up: its
    /// words are unspecified afterwards.
    ///
    /// # Panics
    /// If `acc` or `x` doesn't have `n` words.
    pub fn inverse_add<T: Torus>(&self, acc: &mut [T], x: &mut [f64]) {
        self.inverse_add_scaled(acc, x, 0);
    }

    /// [`Fft::inverse_add`] of `2^log2_unit·x`: for products with keys that are stored in such units.
    ///
    /// # Panics
    /// As [`Fft::inverse_add`].
    pub fn inverse_add_scaled<T: Torus>(&self, acc: &mut [T], x: &mut [f64], log2_unit: u32) {
        assert_eq!((acc.len(), x.len()), (self.n, self.n));
        let rounding = Rounding::in_units(T::BITS, self.n / 2, log2_unit);
        T::run_inverse_add(self.simd, self.passes(), acc, x, rounding);
    }

    pub(super) fn passes(&self) -> Passes {
        Passes { plan: self.plan, table: self.table.as_ptr() }
    }

    /// Runs an operation on this plan's backend.
    ///
    /// # Safety
    /// The contract of the operation.
    pub(super) unsafe fn run(&self, operation: impl Operation) {
        // SAFETY: the caller vouches for the operation's own contract; the plan's `Simd` is one of this CPU.
        unsafe { operation::run(self.simd, operation) }
    }
}
