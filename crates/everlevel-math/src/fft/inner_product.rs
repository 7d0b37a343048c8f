//! Sums of products of transforms that lie apart, such as limbs.

use super::operation::{self, Operation};
use super::passes::BLOCK;
use super::transform::Fft;
use super::vector::Vector;

/// Blocks whose sums are made together.
const TOGETHER: usize = 4;

impl Fft {
    /// `out = Σ_k x_k·y_k` in the transform domain, terms in their order, on any whole blocks of 16 doubles of
    /// transforms.
    ///
    /// # Panics
    /// If the numbers of `x` and `y` differ, or lengths, or the length is no multiple of 16.
    pub fn inner_product_into(&self, out: &mut [f64], x: &[&[f64]], y: &[&[f64]]) {
        assert!(x.len() == y.len() && out.len().is_multiple_of(BLOCK));
        assert!(x.iter().chain(y).all(|s| s.len() == out.len()));
        // SAFETY: the assertions give all slices one length of whole blocks, and `operation::run` picks vectors of this
        // CPU.
        unsafe { operation::run(self.simd(), InnerProduct { out, x, y }) };
    }
}

struct InnerProduct<'a> {
    out: &'a mut [f64],
    x: &'a [&'a [f64]],
    y: &'a [&'a [f64]],
}

impl Operation for InnerProduct<'_> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        let Self { out, x, y } = self;
        let (whole, mut at) = (out.len() / (BLOCK * TOGETHER) * (BLOCK * TOGETHER), 0);
        while at < out.len() {
            // SAFETY: the caller vouches for `V`'s instructions, and that all slices have `out`'s length, of which the
            // blocks from `at` on are a part.
            unsafe {
                if at < whole {
                    sums::<V, TOGETHER>(&mut out[at..at + BLOCK * TOGETHER], x, y, at);
                    at += BLOCK * TOGETHER;
                } else {
                    sums::<V, 1>(&mut out[at..at + BLOCK], x, y, at);
                    at += BLOCK;
                }
            }
        }
    }
}

/// The sums of `BLOCKS` blocks from `at` on.
///
/// # Safety
/// The contract of [`Vector`]; `out` has these blocks, and all terms have them from `at` on.
#[inline(always)]
unsafe fn sums<V: Vector, const BLOCKS: usize>(out: &mut [f64], x: &[&[f64]], y: &[&[f64]], at: usize) {
    for lane in (0..8).step_by(V::LANES) {
        // SAFETY: the caller vouches for `V`'s instructions, and for the blocks from `at` on in every term and in
        // `out`: vectors lie in one half of a block, `lane + LANES ≤ 8`.
        unsafe {
            let mut acc = [(V::splat(0.0), V::splat(0.0)); BLOCKS];
            for (x, y) in x.iter().zip(y) {
                let (x, y) = (x.as_ptr().add(at + lane), y.as_ptr().add(at + lane));
                for (block, sum) in acc.iter_mut().enumerate() {
                    let (x, y) = (x.add(block * BLOCK), y.add(block * BLOCK));
                    let (re, im) = (V::load(x), V::load(x.add(8)));
                    let (y_re, y_im) = (V::load(y), V::load(y.add(8)));
                    sum.0 = im.neg_mul_add(y_im, re.mul_add(y_re, sum.0));
                    sum.1 = im.mul_add(y_re, re.mul_add(y_im, sum.1));
                }
            }
            for (block, sum) in acc.into_iter().enumerate() {
                let out = out.as_mut_ptr().add(block * BLOCK + lane);
                sum.0.store(out);
                sum.1.store(out.add(8));
            }
        }
    }
}
