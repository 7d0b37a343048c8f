//! Sums of products in which each second factor goes to several outputs, with neighbouring first factors: what
//! products of vectors of limbs are made of.

use crate::{Modulus, packed};

#[cfg(target_arch = "x86_64")]
use super::avx512;
#[cfg(target_arch = "x86_64")]
use crate::{prefetch::Ahead, simd::Level};

/// Outputs that are computed together.
pub const SLIDING_OUTPUTS: usize = 4;

#[cfg(target_arch = "x86_64")]
/// Words of every output that are summed at once.
pub(super) const STRIDE: usize = 16;

/// A second factor, and where it goes: output `t`, `from ≤ t < to`, gets its product with first factor `x + t − from`.
#[derive(Debug, Clone, Copy)]
pub struct Slide {
    /// The first factor of output `from`.
    pub x: usize,
    /// The second factor.
    pub y: usize,
    /// The first output.
    pub from: usize,
    /// The end of the outputs, at most [`SLIDING_OUTPUTS`].
    pub to: usize,
}

/// Second factors, one after another.
#[derive(Debug, Clone, Copy)]
pub enum Factors<'a> {
    /// As words.
    Words(&'a [u64]),
    /// Six bytes a residue, and [`packed::byte_len`]`(0)` bytes after all of them.
    Packed(&'a [u8]),
}

impl Modulus {
    /// `out_t = Σ x_(s.x + t − s.from)·y_(s.y)` over the slides that go to output `t`, at most 64 for each. All are
    /// slices of an [`SLIDING_OUTPUTS`]-th of `out`, one after another. What is `ahead` is brought into the
    /// second-level cache meanwhile.
    ///
    /// # Panics
    /// If a slide leads outside of the factors or outputs, or an output has more products.
    pub fn sliding_sums_into(&self, out: &mut [u64], slides: &[Slide], x: &[u64], y: Factors<'_>, ahead: &[u8]) {
        let n = out.len() / SLIDING_OUTPUTS;
        assert!(n > 0 && out.len().is_multiple_of(SLIDING_OUTPUTS));
        let count = match y {
            Factors::Words(words) => words.len() / n,
            Factors::Packed(bytes) => bytes.len().saturating_sub(packed::byte_len(0)) / (6 * n),
        };
        let mut terms = [0; SLIDING_OUTPUTS];
        for s in slides {
            assert!(s.from < s.to && s.to <= SLIDING_OUTPUTS && (s.x + s.to - s.from) * n <= x.len() && s.y < count);
            terms[s.from..s.to].iter_mut().for_each(|terms| *terms += 1);
        }
        assert!(terms.iter().all(|&terms| terms <= 64));
        #[cfg(target_arch = "x86_64")]
        if self.simd().0 == Level::Avx512Ifma && n.is_multiple_of(8) {
            let ahead = Ahead::new(ahead, (n.div_ceil(STRIDE) * slides.len()).max(1));
            // SAFETY: a `Simd` of this level is made only where the CPU has its features.
            unsafe {
                match y {
                    Factors::Words(y) => {
                        avx512::sliding_sums_into::<false>(self, out, slides, x, bytemuck::cast_slice(y), ahead);
                    }
                    Factors::Packed(y) => avx512::sliding_sums_into::<true>(self, out, slides, x, y, ahead),
                }
            }
            return;
        }
        // No other backend asks for what is ahead.
        let _ = ahead;
        for (t, out) in out.chunks_exact_mut(n).enumerate() {
            let here = || slides.iter().filter(|s| (s.from..s.to).contains(&t));
            let x: Vec<&[u64]> = here().map(|s| &x[(s.x + t - s.from) * n..][..n]).collect();
            match y {
                Factors::Words(y) => {
                    self.inner_product_into(out, &x, &here().map(|s| &y[s.y * n..][..n]).collect::<Vec<_>>());
                }
                Factors::Packed(y) => {
                    let y: Vec<&[u8]> = here().map(|s| &y[s.y * 6 * n..][..packed::byte_len(n)]).collect();
                    self.inner_product_packed_into(out, &x, &y);
                }
            }
        }
    }
}
