//! Pointwise products in the transform domain.

use super::Fft;
use super::operations::Multiply;
use super::torus::Extraction;
use super::vector::Vector;

/// A word of a prepared key: [`f64`]; or [`f32`] or [`i32`] for half the memory traffic, at 24 bits of each value or 31 of the largest.
pub trait KeyWord: Copy + Send + Sync + 'static {
    /// What rounding a transform to such words adds to the relative variance of a product.
    #[doc(hidden)]
    const RELATIVE_VARIANCE: f64;
    /// The lengths were checked; compiled in this crate, once for each word.
    #[doc(hidden)]
    fn run_multiply(fft: &Fft, out: &mut [f64], x: &[f64], key: &[Self], add: bool);
    #[doc(hidden)]
    #[allow(private_bounds)]
    /// # Safety
    /// That of [`Vector`].
    unsafe fn load<V: Vector>(p: *const Self) -> V;
}

impl KeyWord for f64 {
    const RELATIVE_VARIANCE: f64 = 0.0;

    fn run_multiply(fft: &Fft, out: &mut [f64], x: &[f64], key: &[Self], add: bool) {
        multiply(fft, out, x, key, add);
    }

    #[inline(always)]
    #[allow(private_bounds)]
    unsafe fn load<V: Vector>(p: *const Self) -> V {
        // SAFETY: the caller's contract; likewise below.
        unsafe { V::load(p) }
    }
}

impl KeyWord for f32 {
    /// `0.177·2^-48`.
    const RELATIVE_VARIANCE: f64 = 0.177 / (1u64 << 48) as f64;

    fn run_multiply(fft: &Fft, out: &mut [f64], x: &[f64], key: &[Self], add: bool) {
        multiply(fft, out, x, key, add);
    }

    #[inline(always)]
    #[allow(private_bounds)]
    unsafe fn load<V: Vector>(p: *const Self) -> V {
        // SAFETY: as above.
        unsafe { V::load_f32(p) }
    }
}

impl KeyWord for i32 {
    /// A bound: units are powers of two up to `2^-30` of the largest value, which is below 5.5 standard deviations.
    const RELATIVE_VARIANCE: f64 = 5.5 * 5.5 / 12.0 / (1u64 << 60) as f64;

    fn run_multiply(fft: &Fft, out: &mut [f64], x: &[f64], key: &[Self], add: bool) {
        multiply(fft, out, x, key, add);
    }

    #[inline(always)]
    #[allow(private_bounds)]
    unsafe fn load<V: Vector>(p: *const Self) -> V {
        // SAFETY: as above; the words of a digit kernel are any bits.
        unsafe { V::digit_u32(p.cast(), &Extraction::SIGNED_32) }
    }
}

#[inline(always)]
fn multiply<K: KeyWord>(fft: &Fft, out: &mut [f64], x: &[f64], key: &[K], add: bool) {
    let n = fft.n();
    let (rows, cols, out, x, key) = (x.len() / n, out.len() / n, out.as_mut_ptr(), x.as_ptr(), key.as_ptr());
    // SAFETY: the lengths were checked.
    unsafe {
        if add {
            fft.run(Multiply::<K, true> { n, rows, cols, out, x, key });
        } else {
            fft.run(Multiply::<K, false> { n, rows, cols, out, x, key });
        }
    }
}

/// For `COLS` columns: `out_c ← [out_c +] Σ_r x_r·key_{r,c}`, rows in their order. Row `r` of `key` is at `r·key_row`.
///
/// # Safety
/// That of [`Vector`]; `out` has `COLS` polynomials of `n`, `x` has `rows`, `key` has `COLS` at each row.
#[inline(always)]
pub(super) unsafe fn columns<V: Vector, K: KeyWord, const COLS: usize, const ADD: bool>(
    n: usize,
    rows: usize,
    out: *mut f64,
    x: *const f64,
    key: *const K,
    key_row: usize,
) {
    for block in (0..n).step_by(16) {
        for lane in (block..block + 8).step_by(V::LANES) {
            // SAFETY: the caller's contract.
            unsafe {
                let zero = V::splat(0.0);
                let mut acc = [(zero, zero); COLS];
                if ADD {
                    for c in 0..COLS {
                        acc[c] = (V::load(out.add(c * n + lane)), V::load(out.add(c * n + lane + 8)));
                    }
                }
                for row in 0..rows {
                    let p = x.add(row * n + lane);
                    let (re, im) = (V::load(p), V::load(p.add(8)));
                    for c in 0..COLS {
                        let k = key.add(row * key_row + c * n + lane);
                        let (k_re, k_im) = (K::load::<V>(k), K::load::<V>(k.add(8)));
                        acc[c].0 = im.neg_mul_add(k_im, re.mul_add(k_re, acc[c].0));
                        acc[c].1 = im.mul_add(k_re, re.mul_add(k_im, acc[c].1));
                    }
                }
                for c in 0..COLS {
                    acc[c].0.store(out.add(c * n + lane));
                    acc[c].1.store(out.add(c * n + lane + 8));
                }
            }
        }
    }
}
