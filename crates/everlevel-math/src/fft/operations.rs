//! The operations that a plan runs on the vectors of its backend.

use super::Fft;
use super::passes::{InPlace, Sink, Source};
use super::products::{self, KeyWord};
use super::torus::{Extraction, Rounding, Torus};
use super::vector::Vector;

/// Something to do with whatever vectors the backend has.
pub(super) trait Operation {
    /// # Safety
    /// That of [`Vector`], and the operation's own.
    unsafe fn call<V: Vector>(self);
}

pub(super) struct Forward<'a, S> {
    pub fft: &'a Fft,
    pub src: S,
    pub out: InPlace,
}

impl<S: Source> Operation for Forward<'_, S> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        // SAFETY: the caller's contract; likewise below.
        unsafe { self.fft.passes().forward::<V, S>(self.src, self.out) }
    }
}

pub(super) struct Inverse<'a, S> {
    pub fft: &'a Fft,
    pub x: InPlace,
    pub out: S,
}

impl<S: Sink> Operation for Inverse<'_, S> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        // SAFETY: as above.
        unsafe { self.fft.passes().inverse::<V, S>(self.x, self.out) }
    }
}

pub(super) struct Multiply<K, const ADD: bool> {
    pub n: usize,
    pub rows: usize,
    pub cols: usize,
    pub out: *mut f64,
    pub x: *const f64,
    pub key: *const K,
}

impl<K: KeyWord, const ADD: bool> Operation for Multiply<K, ADD> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        let Self { n, rows, cols, out, x, key } = self;
        // SAFETY: as above.
        unsafe { products::multiply::<V, K, 1, ADD>((n, n, 0), (rows, cols), out, x, key) }
    }
}

/// A digit of each torus word, as the points of the transform.
#[derive(Clone, Copy)]
pub(super) struct DigitsOf<T> {
    pub x: *const T,
    pub half: usize,
    pub extraction: Extraction,
}

impl<T: Torus> Source for DigitsOf<T> {
    #[inline(always)]
    unsafe fn load<V: Vector>(self, block: usize, lane: usize) -> (V, V) {
        // SAFETY: as above.
        unsafe {
            let p = self.x.add(8 * block + lane);
            (T::digit(p, &self.extraction), T::digit(p.add(self.half), &self.extraction))
        }
    }
}

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
    #[inline(always)]
    unsafe fn digit<V: Vector>(self, block: usize, lane: usize) -> V {
        let (index, seam) = (8 * block, self.shift / 8);
        let passed = block < seam;
        let moved = self.a.wrapping_add(index + if passed { 2 * self.half } else { 0 }).wrapping_sub(self.shift);
        let from = if block == seam { self.seam } else { moved };
        // SAFETY: as above.
        unsafe {
            T::difference_digit(from.add(lane), self.a.add(index + lane), passed != self.turned, &self.extraction)
        }
    }
}

impl<T: Torus> Source for DifferenceDigitsOf<T> {
    #[inline(always)]
    unsafe fn load<V: Vector>(self, block: usize, lane: usize) -> (V, V) {
        // SAFETY: as above.
        unsafe { (self.digit(block, lane), self.digit(block + self.half / 8, lane)) }
    }
}

/// Torus words to which the points of the transform are added.
#[derive(Clone, Copy)]
pub(super) struct AddTo<T> {
    pub acc: *mut T,
    pub half: usize,
    pub rounding: Rounding,
}

impl<T: Torus> Sink for AddTo<T> {
    #[inline(always)]
    unsafe fn store<V: Vector>(self, block: usize, lane: usize, x: (V, V)) {
        // SAFETY: as above.
        unsafe {
            let p = self.acc.add(8 * block + lane);
            T::add_rounded(p, x.0, &self.rounding);
            T::add_rounded(p.add(self.half), x.1, &self.rounding);
        }
    }
}
