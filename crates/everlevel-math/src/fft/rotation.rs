//! Rotated polynomials as the source of a transform: the digits of `(X^exponent − 1)·a`, for gadgets of one digit.

use super::digits::Extraction;
use super::passes::Source;
use super::torus::Torus;
use super::vector::Vector;

/// A digit of each word of `(X^exponent − 1)·a`, as the points of the transform.
#[derive(Clone, Copy)]
pub(super) struct DifferenceDigitsOf<T> {
    pub a: *const T,
    pub half: usize,
    /// The exponent modulo `n`, and whether it was `n` or more: then all signs are turned.
    pub shift: usize,
    pub turned: bool,
    /// The eight words of `±X^shift·a` of which some have passed `X^n`, with signs as if none had.
    pub seam: *const T,
    pub extraction: Extraction,
}

/// The words at [`DifferenceDigitsOf::seam`]: eight from `8·⌊shift/8⌋` on.
pub(super) fn seam<T: Torus>(a: &[T], shift: usize) -> [T; 8] {
    std::array::from_fn(|lane| {
        let at = shift / 8 * 8 + lane;
        if at >= shift { a[at - shift] } else { a[a.len() + at - shift].neg() }
    })
}

impl<T: Torus> DifferenceDigitsOf<T> {
    /// # Safety
    /// The contract of [`Source::load`], for one of the two halves.
    #[inline(always)]
    unsafe fn digit<V: Vector>(self, block: usize, lane: usize) -> V {
        let (index, seam) = (8 * block, self.shift / 8);
        let passed = block < seam;
        let moved = self.a.wrapping_add(index + if passed { 2 * self.half } else { 0 }).wrapping_sub(self.shift);
        let from = if block == seam { self.seam } else { moved };
        // SAFETY: the caller vouches for `V`'s instructions and for the block: `a` has `2·half` words from its first
        // on. Where a block has passed `X^n` as a whole, its words are those `n − shift` further, else those `shift`
        // back, both inside of `a`; the block in between is read from the eight words of `seam`.
        unsafe {
            let (x, minus) = (T::words::<V>(from.add(lane)), T::words::<V>(self.a.add(index + lane)));
            // (x ^ sign) − sign is ±x; the offset takes the second sign.
            let sign = u64::from(passed != self.turned).wrapping_neg();
            let offset = self.extraction.offset.wrapping_sub(sign);
            V::digit(V::difference(x, minus, sign), &Extraction { offset, ..self.extraction })
        }
    }
}

impl<T: Torus> Source for DifferenceDigitsOf<T> {
    #[inline(always)]
    unsafe fn load<V: Vector>(self, block: usize, lane: usize) -> (V, V) {
        // SAFETY: the caller vouches for `V`'s instructions and for the block, whose imaginary parts are the words
        // `half/8` blocks further.
        unsafe { (self.digit(block, lane), self.digit(block + self.half / 8, lane)) }
    }
}
