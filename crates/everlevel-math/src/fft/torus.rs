//! Torus words as the source and the sink of transforms: their digits on the way in, sums with them on the way out.

use super::children::{Forward, Inverse, Passes};
use super::digits::Extraction;
use super::operation::run;
use super::passes::{InPlace, Sink, Source};
use super::rounding::Rounding;
use super::vector::Vector;
use crate::Simd;
use crate::monomial::WrappingWord;

/// A torus element `x/2^BITS`, as a word: [`u32`] or [`u64`].
pub trait Torus: Word + WrappingWord {}
impl Torus for u32 {}
impl Torus for u64 {}

/// The kernels' view of a word.
pub trait Word: Copy + Send + Sync + 'static {
    /// Bits of the word.
    const BITS: u32;
    /// The word read as a signed integer, rounded to a double.
    #[doc(hidden)]
    fn to_f64(self) -> f64;
    /// The transform of one digit. The lengths were checked, here and in `run_inverse_add`; both are compiled in this
    /// crate, once for each word.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn run_forward_digit(simd: Simd, passes: Passes, out: &mut [f64], x: &[Self], extraction: Extraction);
    /// The inverse transform, rounded and added.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn run_inverse_add(simd: Simd, passes: Passes, acc: &mut [Self], x: &mut [f64], rounding: Rounding);
    /// Words in lanes, extended by zeros.
    ///
    /// # Safety
    /// The contract of [`Vector`].
    #[doc(hidden)]
    #[allow(private_bounds, private_interfaces)]
    unsafe fn words<V: Vector>(x: *const Self) -> V::Words;
    /// Adds lanes, divided by `m` and rounded, to words.
    ///
    /// # Safety
    /// The contract of [`Vector`].
    #[doc(hidden)]
    #[allow(private_bounds, private_interfaces)]
    unsafe fn add_rounded<V: Vector>(acc: *mut Self, x: V, r: &Rounding);
}

macro_rules! word {
    ($word:ident, $signed:ident, $words:ident, $add:ident) => {
        impl Word for $word {
            const BITS: u32 = $word::BITS;

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as $signed as f64
            }

            #[allow(private_interfaces)]
            fn run_forward_digit(simd: Simd, passes: Passes, out: &mut [f64], x: &[Self], extraction: Extraction) {
                let src = DigitsOf { x: x.as_ptr(), half: x.len() / 2, extraction };
                // SAFETY: the caller checked that `out` and `x` have the plan's `n` words, and `operation::run` picks
                // vectors of this CPU.
                unsafe { run(simd, Forward { passes, src, out: InPlace(out.as_mut_ptr()) }) };
            }

            #[allow(private_interfaces)]
            fn run_inverse_add(simd: Simd, passes: Passes, acc: &mut [Self], x: &mut [f64], rounding: Rounding) {
                let out = AddTo { half: acc.len() / 2, acc: acc.as_mut_ptr(), rounding };
                // SAFETY: the caller checked that `acc` and `x` have the plan's `n` words, and `operation::run` picks
                // vectors of this CPU.
                unsafe { run(simd, Inverse { passes, x: InPlace(x.as_mut_ptr()), out }) };
            }

            #[inline(always)]
            #[allow(private_bounds, private_interfaces)]
            unsafe fn words<V: Vector>(x: *const Self) -> V::Words {
                // SAFETY: the caller vouches for `V`'s instructions and for `V::LANES` readable words at `x`.
                unsafe { V::$words(x) }
            }

            #[inline(always)]
            #[allow(private_bounds, private_interfaces)]
            unsafe fn add_rounded<V: Vector>(acc: *mut Self, x: V, r: &Rounding) {
                // SAFETY: `x` is proof of the instructions, and the caller vouches for `V::LANES` words at `acc`,
                // readable and writable.
                unsafe { x.$add(acc, r) }
            }
        }
    };
}
word!(u32, i32, words_u32, add_to_u32);
word!(u64, i64, words_u64, add_to_u64);

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
        // SAFETY: the caller vouches for `V`'s instructions and for the block: its eight words lie at `8·block` and
        // `half` words further, and `lane + LANES ≤ 8`.
        unsafe {
            let p = self.x.add(8 * block + lane);
            let (re, im) = (T::words::<V>(p), T::words::<V>(p.add(self.half)));
            (V::digit(re, &self.extraction), V::digit(im, &self.extraction))
        }
    }
}

/// Torus words that the points of the transform are added to.
#[derive(Clone, Copy)]
pub(super) struct AddTo<T> {
    pub acc: *mut T,
    pub half: usize,
    pub rounding: Rounding,
}

impl<T: Torus> Sink for AddTo<T> {
    #[inline(always)]
    unsafe fn store<V: Vector>(self, block: usize, lane: usize, x: (V, V)) {
        // SAFETY: the caller vouches for `V`'s instructions and for the block: its eight words lie at `8·block` and
        // `half` words further, writable, and `lane + LANES ≤ 8`.
        unsafe {
            let p = self.acc.add(8 * block + lane);
            T::add_rounded(p, x.0, &self.rounding);
            T::add_rounded(p.add(self.half), x.1, &self.rounding);
        }
    }
}
