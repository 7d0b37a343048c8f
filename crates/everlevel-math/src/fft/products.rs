//! Pointwise products in the transform domain.

use super::operation::{self, Operation};
use super::passes::BLOCK;
use super::vector::Vector;
use crate::Simd;

/// A word of a prepared key: [`f64`]; or [`f32`] or [`i32`] for half the memory traffic, at 24 bits of each value or 31
/// of the largest.
pub trait KeyWord: Copy + Send + Sync + 'static {
    /// The relative variance of a product that comes from rounding a transform to such words.
    #[doc(hidden)]
    const RELATIVE_VARIANCE: f64;
    /// [`Fft::multiply`](super::Fft::multiply) for polynomials of `n` words. The lengths were checked; compiled in this
    /// crate, once for each word.
    #[doc(hidden)]
    fn run_multiply(simd: Simd, n: usize, out: &mut [f64], x: &[f64], key: &[Self]);
    /// Words in lanes, as doubles.
    ///
    /// # Safety
    /// The contract of [`Vector`].
    #[doc(hidden)]
    #[allow(private_bounds)]
    unsafe fn load<V: Vector>(p: *const Self) -> V;
}

macro_rules! key_word {
    ($word:ident, $load:ident, $relative_variance:expr) => {
        impl KeyWord for $word {
            const RELATIVE_VARIANCE: f64 = $relative_variance;

            fn run_multiply(simd: Simd, n: usize, out: &mut [f64], x: &[f64], key: &[Self]) {
                let (rows, cols) = (x.len() / n, out.len() / n);
                let product = Multiply { n, rows, cols, out: out.as_mut_ptr(), x: x.as_ptr(), key: key.as_ptr() };
                // SAFETY: `Fft::multiply` checked that `out`, `x` and `key` have `cols·n`, `rows·n` and `rows·cols·n`
                // words, and `operation::run` picks vectors of this CPU.
                unsafe { operation::run(simd, product) };
            }

            #[inline(always)]
            #[allow(private_bounds)]
            unsafe fn load<V: Vector>(p: *const Self) -> V {
                // SAFETY: the caller vouches for `V`'s instructions and for `V::LANES` readable words at `p`.
                unsafe { V::$load(p) }
            }
        }
    };
}
key_word!(f64, load, 0.0);
// 0.177·2^-48.
key_word!(f32, load_f32, 0.177 / (1u64 << 48) as f64);
// A bound: units are powers of two up to `2^-30` of the largest value, which is below 5.5 standard deviations.
key_word!(i32, load_i32, 5.5 * 5.5 / 12.0 / (1u64 << 60) as f64);

/// A row vector times a matrix.
struct Multiply<K> {
    n: usize,
    rows: usize,
    cols: usize,
    out: *mut f64,
    x: *const f64,
    key: *const K,
}

impl<K: KeyWord> Operation for Multiply<K> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        let Self { n, rows, cols, out, x, key } = self;
        // SAFETY: the caller vouches for `V`'s instructions, and that `out`, `x` and `key` have `cols·n`, `rows·n` and
        // `rows·cols·n` words.
        unsafe { multiply_sets::<V, K, 1>((n, n, 0), (rows, cols), out, x, key) }
    }
}

/// Columns whose sums are kept until all are made, so that they may replace the rows.
pub(super) const MAX_COLUMNS_IN_PLACE: usize = 9;

/// Whether the sums of two sets of polynomials are made at once: sixteen registers don't hold them.
#[inline(always)]
pub(super) const fn together<V: Vector>() -> bool {
    V::LANES == 8
}

/// Products of row vectors with a matrix, for the first `len` doubles of polynomials `n` apart:
/// `out_c ← Σ_r x_r·key_{r,c}`, rows in their order, for each of `count` sets of polynomials, one or two, `set` doubles
/// apart. `key` has, for each block of eight points, row by row, the columns' words. `out` may be `x` if there are at
/// most [`MAX_COLUMNS_IN_PLACE`] columns.
///
/// # Safety
/// The contract of [`Vector`]; the polynomials and the key have such lengths.
#[inline(always)]
pub(super) unsafe fn multiply<V: Vector, K: KeyWord>(
    count: usize,
    (len, n, set): (usize, usize, usize),
    shape: (usize, usize),
    out: *mut f64,
    x: *const f64,
    key: *const K,
) {
    // SAFETY: the caller vouches for `count` sets of polynomials, `set` doubles apart, of which the first branch takes
    // both and each turn of the loop takes set `a < count`.
    unsafe {
        if const { together::<V>() } && count == 2 {
            multiply_sets::<V, K, 2>((len, n, set), shape, out, x, key);
            return;
        }
        for a in 0..count {
            multiply_sets::<V, K, 1>((len, n, set), shape, out.add(a * set), x.add(a * set), key);
        }
    }
}

/// [`multiply`] for `A` sets.
///
/// # Safety
/// The contract of [`multiply`].
#[inline(always)]
unsafe fn multiply_sets<V: Vector, K: KeyWord, const A: usize>(
    (len, n, set): (usize, usize, usize),
    (rows, cols): (usize, usize),
    out: *mut f64,
    x: *const f64,
    key: *const K,
) {
    for block in (0..len).step_by(BLOCK) {
        for lane in (0..8).step_by(V::LANES) {
            // SAFETY: the caller vouches for `V`'s instructions and for `len` doubles of each polynomial, of which this
            // block is a part, and for the key's `rows·cols` blocks there; vectors lie in one half of a block,
            // `lane + LANES ≤ 8`. Sums are stored when all of a group of columns are made, so that `out` may be `x`.
            unsafe {
                let (out, x) = (out.add(block + lane), x.add(block + lane));
                let sums = Sums { rows, n, set, out, x, key_row: cols * BLOCK, key_column: BLOCK };
                let key = key.add(block * rows * cols + lane);
                match cols {
                    2 => sums.store(0, sums.columns::<V, K, 2, A>(0, key)),
                    3 => sums.store(0, sums.columns::<V, K, 3, A>(0, key)),
                    4 => sums.store(0, sums.columns::<V, K, 4, A>(0, key)),
                    _ => {
                        for first in (0..cols).step_by(MAX_COLUMNS_IN_PLACE) {
                            let mut all = [[[(V::splat(0.0), V::splat(0.0))]; A]; MAX_COLUMNS_IN_PLACE];
                            let count = MAX_COLUMNS_IN_PLACE.min(cols - first);
                            for c in 0..count {
                                all[c] = sums.columns::<V, K, 1, A>(first + c, key);
                            }
                            for c in 0..count {
                                sums.store(first + c, all[c]);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Products in the lanes of one vector.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    pub rows: usize,
    /// Distance from one polynomial to the next.
    pub n: usize,
    /// Distance from one set of polynomials to the next.
    pub set: usize,
    pub out: *mut f64,
    pub x: *const f64,
    /// Distance from one row of the key to the next.
    pub key_row: usize,
    /// Distance from one column of the key to the next.
    pub key_column: usize,
}

impl Sums {
    /// The sums of `COLS` columns from one on, for each set.
    ///
    /// # Safety
    /// The contract of [`multiply`].
    #[inline(always)]
    pub(super) unsafe fn columns<V: Vector, K: KeyWord, const COLS: usize, const A: usize>(
        self,
        first: usize,
        key: *const K,
    ) -> [[(V, V); COLS]; A] {
        // SAFETY: the caller vouches for `V`'s instructions, for `rows` polynomials in each of `A` sets, and for the
        // key's words of `COLS` columns from `first` on in every row; imaginary parts lie eight words behind the real
        // ones.
        unsafe {
            let mut acc = [[(V::splat(0.0), V::splat(0.0)); COLS]; A];
            for row in 0..self.rows {
                let mut x = [(V::splat(0.0), V::splat(0.0)); A];
                for a in 0..A {
                    let p = self.x.add(a * self.set + row * self.n);
                    x[a] = (V::load(p), V::load(p.add(8)));
                }
                for c in 0..COLS {
                    let k = key.add(row * self.key_row + (first + c) * self.key_column);
                    let (k_re, k_im) = (K::load::<V>(k), K::load::<V>(k.add(8)));
                    for a in 0..A {
                        let ((re, im), sum) = (x[a], &mut acc[a][c]);
                        sum.0 = im.neg_mul_add(k_im, re.mul_add(k_re, sum.0));
                        sum.1 = im.mul_add(k_re, re.mul_add(k_im, sum.1));
                    }
                }
            }
            acc
        }
    }

    /// # Safety
    /// The contract of [`multiply`], for columns `first` to `first + COLS − 1`.
    #[inline(always)]
    unsafe fn store<V: Vector, const COLS: usize, const A: usize>(self, first: usize, sums: [[(V, V); COLS]; A]) {
        for a in 0..A {
            for c in 0..COLS {
                // SAFETY: the sums are proof of the instructions, and the caller vouches for columns `first` to
                // `first + COLS − 1` at `out` in each of `A` sets; imaginary parts lie eight doubles behind the real
                // ones.
                unsafe {
                    let out = self.out.add(a * self.set + (first + c) * self.n);
                    sums[a][c].0.store(out);
                    sums[a][c].1.store(out.add(8));
                }
            }
        }
    }
}
