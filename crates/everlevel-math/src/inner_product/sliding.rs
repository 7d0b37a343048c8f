//! Sums of products in which each second factor goes to several outputs, with neighbouring first factors: the parts
//! of products of vectors of limbs.

use std::ops::Range;

use arrayvec::ArrayVec;

use crate::{Modulus, Simd, packed};

#[cfg(target_arch = "x86_64")]
use super::avx512;
#[cfg(target_arch = "x86_64")]
use crate::{prefetch::LINE, simd::Level};

/// Outputs that are computed together.
pub const SLIDING_OUTPUTS: usize = 4;

/// Words of every output that are summed at once.
#[cfg(target_arch = "x86_64")]
pub(super) const SLIDING_WORDS: usize = 16;

/// The best number of words of a factor: few where they are multiplied in a loop of their own, so that all factors stay
/// in the first-level cache; more elsewhere, where each sum is a call.
pub fn sliding_words(simd: Simd) -> usize {
    #[cfg(target_arch = "x86_64")]
    if simd.0 == Level::Avx512Ifma {
        return SLIDING_WORDS;
    }
    let _ = simd;
    128
}

/// Second factors, one after another, that go to the same outputs: output `t`, `from ≤ t < to`, gets the products of
/// first factor `x + k·x_step + t − from` and second factor `y + k`, for all `k < count`.
#[derive(Debug, Clone, Copy)]
pub struct Slide {
    /// The first factor of output `from` with the first of the second factors.
    pub x: usize,
    /// The distance between first factors of neighbouring second factors.
    pub x_step: isize,
    /// The first of the second factors.
    pub y: usize,
    /// Second factors.
    pub count: usize,
    /// The first output.
    pub from: usize,
    /// The end of the outputs, at most [`SLIDING_OUTPUTS`].
    pub to: usize,
}

impl Slide {
    /// One second factor.
    pub fn new(x: usize, y: usize, outputs: Range<usize>) -> Self {
        Self { x, x_step: 0, y, count: 1, from: outputs.start, to: outputs.end }
    }

    /// Joins a slide of one second factor to this slide, if it goes on where this one ends.
    pub fn joins(&mut self, next: &Self) -> bool {
        if self.count == 1 {
            self.x_step = next.x.cast_signed() - self.x.cast_signed();
        }
        let is_next = next.count == 1
            && (next.from, next.to) == (self.from, self.to)
            && next.y == self.y + self.count
            && next.x == self.x_at(self.count);
        self.count += usize::from(is_next);
        is_next
    }

    /// The first factor of output `from` with second factor `y + k`.
    #[inline]
    pub(super) fn x_at(&self, k: usize) -> usize {
        self.x.wrapping_add_signed(self.x_step.wrapping_mul(k.cast_signed()))
    }
}

/// Checked slides, whose factors are counted once for the sums at every block of words.
#[derive(Debug, Clone)]
pub struct Slides {
    all: Vec<Slide>,
    /// Second factors of all slides.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only vector backends read it"))]
    len: usize,
    /// First and second factors that the slides need.
    x_count: usize,
    y_count: usize,
}

impl Slides {
    /// The most products in the sum of an output.
    pub const TERMS: usize = 64;

    /// The slides of sums.
    ///
    /// # Panics
    /// If one has no factors or outputs, or some that there are not, or an output has more than [`Slides::TERMS`].
    pub fn new(all: Vec<Slide>) -> Self {
        let mut terms = [0; SLIDING_OUTPUTS];
        let (mut x_count, mut y_count) = (0, 0);
        for s in &all {
            assert!(s.from < s.to && s.to <= SLIDING_OUTPUTS && s.count > 0);
            terms[s.from..s.to].iter_mut().for_each(|terms| *terms += s.count);
            for x in [0, s.count - 1].map(|k| s.x_at(k)) {
                assert!(x.cast_signed() >= 0);
                x_count = x_count.max(x + s.to - s.from);
            }
            y_count = y_count.max(s.y + s.count);
        }
        assert!(terms.iter().all(|&terms| terms <= Self::TERMS));
        Self { len: all.iter().map(|s| s.count).sum(), all, x_count, y_count }
    }

    /// The pairs of factors whose products go to an output.
    pub fn of_output(&self, t: usize) -> impl Iterator<Item = (usize, usize)> {
        let here = self.all.iter().filter(move |s| (s.from..s.to).contains(&t));
        here.flat_map(move |s| (0..s.count).map(move |k| (s.x_at(k) + t - s.from, s.y + k)))
    }
}

/// Second factors, one after another.
#[derive(Debug, Clone, Copy)]
pub enum Factors<'a> {
    /// Words, one for a residue.
    Words(&'a [u64]),
    /// Six bytes a residue, and [`packed::byte_len`]`(0)` bytes after all of them.
    Packed(&'a [u8]),
}

/// One factor of every product of an output.
type Terms<T> = ArrayVec<T, { Slides::TERMS }>;

impl Modulus {
    /// The sums of products of each output. All factors are slices of a [`SLIDING_OUTPUTS`]-th of `out`, one after
    /// another. What is `ahead` is brought into the second-level cache meanwhile.
    ///
    /// # Panics
    /// If a slide leads outside of the factors.
    pub fn sliding_sums_into(&self, out: &mut [u64], slides: &Slides, x: &[u64], y: Factors<'_>, ahead: &[u8]) {
        let n = out.len() / SLIDING_OUTPUTS;
        assert!(n > 0 && out.len().is_multiple_of(SLIDING_OUTPUTS));
        let count = match y {
            Factors::Words(words) => words.len() / n,
            Factors::Packed(bytes) => bytes.len().saturating_sub(packed::byte_len(0)) / (6 * n),
        };
        assert!(slides.x_count * n <= x.len() && slides.y_count <= count);
        #[cfg(target_arch = "x86_64")]
        if self.simd().0 == Level::Avx512Ifma && n == SLIDING_WORDS {
            use avx512::sliding_sums_into as sums;
            let lines = ahead.len().div_ceil(LINE).div_ceil(slides.len.max(1));
            let (out, all) = (&mut *out, &slides.all);
            // SAFETY: the kernel needs AVX-512 with IFMA and VBMI, which `Simd::available` detected before it made a
            // `Simd` of this level. All factors of the slides exist: `x_count` and `y_count` are one more than the
            // largest places of any slide, and the assertion above compares them with the slices; `count` leaves the
            // bytes after packed factors over.
            unsafe {
                match (y, lines) {
                    (Factors::Words(y), _) => sums::<false, 0>(self, out, all, (x, bytemuck::cast_slice(y)), ahead),
                    (Factors::Packed(y), 0) => sums::<true, 0>(self, out, all, (x, y), ahead),
                    (Factors::Packed(y), 1) => sums::<true, 1>(self, out, all, (x, y), ahead),
                    (Factors::Packed(y), _) => sums::<true, 2>(self, out, all, (x, y), ahead),
                }
            }
            return;
        }
        // Only the vector kernel prefetches what is ahead.
        let _ = ahead;
        for (t, out) in out.chunks_exact_mut(n).enumerate() {
            let x: Terms<&[u64]> = slides.of_output(t).map(|(i, _)| &x[i * n..][..n]).collect();
            let of_y = slides.of_output(t).map(|(_, j)| j);
            match y {
                Factors::Words(y) => {
                    let y: Terms<&[u64]> = of_y.map(|j| &y[j * n..][..n]).collect();
                    self.inner_product_into(out, &x, &y);
                }
                Factors::Packed(y) => {
                    let y: Terms<&[u8]> = of_y.map(|j| &y[j * 6 * n..][..packed::byte_len(n)]).collect();
                    self.inner_product_packed_into(out, &x, &y);
                }
            }
        }
    }
}
