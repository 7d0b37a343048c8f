//! What the plan runs on the vectors of its backend.

use super::Fft;
use super::passes::{self, InPlace, Sink, Source};
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
        unsafe { passes::forward::<V, S>(self.fft.plan, self.fft.table.as_ptr(), self.src, self.out) }
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
        unsafe { passes::inverse::<V, S>(self.fft.plan, self.fft.table.as_ptr(), self.x, self.out) }
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
        let mut done = 0;
        while done < cols {
            // SAFETY: as above.
            unsafe {
                let (out, key) = (out.add(done * n), key.add(done * n));
                if cols - done >= 2 {
                    products::columns::<V, K, 2, ADD>(n, rows, out, x, key, cols * n);
                    done += 2;
                } else {
                    products::columns::<V, K, 1, ADD>(n, rows, out, x, key, cols * n);
                    done += 1;
                }
            }
        }
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
