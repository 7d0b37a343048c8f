//! Negacyclic polynomials times monomials, and their automorphisms, on words.

use crate::Simd;
#[cfg(target_arch = "x86_64")]
use crate::simd::Level;

/// A word with arithmetic modulo `2^BITS`, or a double.
pub trait WrappingWord: Copy {
    /// `self − other`.
    fn sub(self, other: Self) -> Self;
    /// `−self`.
    fn neg(self) -> Self;
}

macro_rules! wrapping_word {
    ($($word:ident)*) => {$(
        impl WrappingWord for $word {
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn neg(self) -> Self {
                self.wrapping_neg()
            }
        }
    )*};
}
wrapping_word!(u32 u64 i64);

impl WrappingWord for f64 {
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn neg(self) -> Self {
        -self
    }
}

/// `out = X^exponent·a` in `Z[X]/(X^n + 1)`, for an exponent in `0..2n`.
///
/// # Panics
/// If lengths differ, or the exponent is too large.
pub fn rotate<T: WrappingWord>(out: &mut [T], a: &[T], exponent: usize) {
    run::<T, false>(out, a, exponent, a);
}

/// `out = X^exponent·a − a`, for an exponent in `0..2n`.
///
/// # Panics
/// If lengths differ, or the exponent is too large.
pub fn rotate_sub<T: WrappingWord>(out: &mut [T], a: &[T], exponent: usize) {
    run::<T, true>(out, a, exponent, a);
}

/// `out = X^exponent·a − minus`, for an exponent in `0..2n`.
///
/// # Panics
/// If lengths differ, or the exponent is too large.
pub fn rotate_minus<T: WrappingWord>(out: &mut [T], a: &[T], exponent: usize, minus: &[T]) {
    run::<T, true>(out, a, exponent, minus);
}

/// `out = a(X^galois_elt)` in `Z[X]/(X^n + 1)`.
///
/// # Panics
/// If lengths differ or aren't a power of two, or the element is even.
pub fn automorphism<T: WrappingWord>(out: &mut [T], a: &[T], galois_elt: u64) {
    let n = a.len();
    assert!(out.len() == n && n.is_power_of_two() && galois_elt % 2 == 1);
    let inverse = inverse_mod_power_of_two(galois_elt, 2 * n as u64) as usize;
    match Simd::best().0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the function needs AVX-512, which `Simd::available` detected before it made a `Simd` of this level.
        Level::Avx512Ifma => unsafe { gather_avx512(out, a, inverse) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the function needs AVX2, which `Simd::available` detected before it made a `Simd` of this level.
        Level::Avx2 => unsafe { gather_avx2(out, a, inverse) },
        _ => gather(out, a, inverse),
    }
}

/// `g^-1` modulo a power of two, for odd `g`.
pub fn inverse_mod_power_of_two(g: u64, modulus: u64) -> u64 {
    // Newton: each step doubles the number of correct bits.
    let mut x = g;
    for _ in 0..6 {
        x = x.wrapping_mul(2u64.wrapping_sub(g.wrapping_mul(x)));
    }
    x & (modulus - 1)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn gather_avx512<T: WrappingWord>(out: &mut [T], a: &[T], step: usize) {
    gather(out, a, step);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn gather_avx2<T: WrappingWord>(out: &mut [T], a: &[T], step: usize) {
    gather(out, a, step);
}

/// `out_j = ±a_(j·step mod n)`: reads in any order wait less than writes.
#[inline(always)]
fn gather<T: WrappingWord>(out: &mut [T], a: &[T], step: usize) {
    let (n, mut at) = (a.len(), 0usize);
    for out in out {
        let x = a[at & (a.len() - 1)];
        // X^n = −1.
        *out = if at & n == 0 { x } else { x.neg() };
        at = at.wrapping_add(step);
    }
}

fn run<T: WrappingWord, const SUB: bool>(out: &mut [T], a: &[T], exponent: usize, minus: &[T]) {
    assert!(out.len() == a.len() && minus.len() == a.len() && exponent < 2 * a.len().max(1));
    match Simd::best().0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the function needs AVX-512, which `Simd::available` detected before it made a `Simd` of this level.
        Level::Avx512Ifma => unsafe { run_avx512::<T, SUB>(out, a, exponent, minus) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the function needs AVX2, which `Simd::available` detected before it made a `Simd` of this level.
        Level::Avx2 => unsafe { run_avx2::<T, SUB>(out, a, exponent, minus) },
        _ => run_portable::<T, SUB>(out, a, exponent, minus),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn run_avx512<T: WrappingWord, const SUB: bool>(out: &mut [T], a: &[T], exponent: usize, minus: &[T]) {
    run_portable::<T, SUB>(out, a, exponent, minus);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<T: WrappingWord, const SUB: bool>(out: &mut [T], a: &[T], exponent: usize, minus: &[T]) {
    run_portable::<T, SUB>(out, a, exponent, minus);
}

#[inline(always)]
fn run_portable<T: WrappingWord, const SUB: bool>(out: &mut [T], a: &[T], exponent: usize, minus: &[T]) {
    let n = a.len();
    let shift = exponent % n.max(1);
    let (low, high) = a.split_at(n - shift);
    let (wrapped, moved) = out.split_at_mut(shift);
    // The coefficients that pass X^n change their sign; all do once more if the exponent is n or more.
    if exponent < n {
        copy::<T, SUB, true>(wrapped, high, &minus[..shift]);
        copy::<T, SUB, false>(moved, low, &minus[shift..]);
    } else {
        copy::<T, SUB, false>(wrapped, high, &minus[..shift]);
        copy::<T, SUB, true>(moved, low, &minus[shift..]);
    }
}

/// `out = ±from [− minus]`.
#[inline(always)]
fn copy<T: WrappingWord, const SUB: bool, const NEG: bool>(out: &mut [T], from: &[T], minus: &[T]) {
    for (out, (&x, &y)) in out.iter_mut().zip(from.iter().zip(minus)) {
        let x = if NEG { x.neg() } else { x };
        *out = if SUB { x.sub(y) } else { x };
    }
}
