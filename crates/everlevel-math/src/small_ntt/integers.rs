//! Sixteen 32-bit integers: AVX-512 F and DQ.
//!
//! A product modulo `q` is two low halves of products, `y·w − k·q`, with the quotient `k` from floats: three operations
//! of a multiplier instead of four, a shorter chain of them, and no bound on values but that of integers.

use core::arch::x86_64::*;

use super::avx512::F32x16;
use super::float::Consts;
use super::vector::Vector;
use crate::x86::{arithmetic, functions};

/// A vector of sixteen integers, which memory holds as the bits of floats.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct I32x16(__m512i);

/// Sixteen integers of three bytes.
///
/// # Safety
/// The CPU has AVX-512 F, BW and VBMI, and the 48 bytes are readable.
#[inline(always)]
pub(super) unsafe fn key(p: *const u8) -> __m512i {
    const PLACES: [i8; 64] = {
        let mut places = [0; 64];
        let mut i = 0;
        while i < 64 {
            places[i] = (i / 4 * 3 + i % 4) as i8;
            i += 1;
        }
        places
    };
    // SAFETY: the caller vouches for the instructions and for the 48 bytes at `p`: the mask keeps the load off the last
    // sixteen, and the table of places is 64 bytes.
    unsafe {
        let bytes = _mm512_maskz_loadu_epi32(0x0fff, p.cast());
        _mm512_maskz_permutexvar_epi8(0x7777_7777_7777_7777, _mm512_loadu_si512(PLACES.as_ptr().cast()), bytes)
    }
}

impl I32x16 {
    /// `self·scale`, rounded.
    #[inline(always)]
    fn quotient(self, scale: __m512) -> Self {
        // SAFETY: `self` is proof that the CPU has AVX-512 F and DQ (see `Vector`), and only registers are touched.
        unsafe { Self(_mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(self.0), scale))) }
    }

    #[inline(always)]
    fn float(self) -> __m512 {
        // SAFETY: `self` is proof that the CPU has AVX-512 F (see `Vector`), and the cast does nothing.
        unsafe { _mm512_castsi512_ps(self.0) }
    }
}

impl Vector for I32x16 {
    type Float = f32;
    /// A factor, and its quotient by `q`.
    type Factor = (Self, __m512);
    type Inner = Self;
    const LANES: usize = 16;
    const REGISTERS: usize = 32;
    const MAGIC: f64 = 0.0;
    const INTEGERS: bool = true;

    functions! {
        splat(x: f64) -> Self = Self(_mm512_set1_epi32(x as i32));
        load(p: *const f32) -> Self = Self(_mm512_loadu_si512(p.cast()));
        load_key(p: *const u8) -> Self = Self(key(p));
        splat_value(p: *const f32) -> Self = Self(_mm512_set1_epi32(*p.cast::<i32>()));
        start(_x: f64) -> Self = Self(_mm512_setzero_si512());
        load_factor(p: *const f32, gap: usize) -> (Self, __m512) = (Self::load(p), _mm512_loadu_ps(p.add(gap)));
        splat_factor(p: *const f32, gap: usize) -> (Self, __m512) =
            (Self(_mm512_set1_epi32(*p.cast::<i32>())), _mm512_set1_ps(*p.add(gap)));
        consts(q: u64) -> Consts<Self> =
            Consts { q: Self::splat(q as f64), inv_q: Self(_mm512_castps_si512(_mm512_set1_ps(1.0 / q as f32))), magic: Self::start(0.0) };
    }

    arithmetic! {
        add(other) = _mm512_add_epi32;
        sub(other) = _mm512_sub_epi32;
        mul(other) = _mm512_mullo_epi32;
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: `self` is proof of the instructions (see `Vector`), and the caller vouches for 64 writable bytes at
        // `p`; the store is unaligned.
        unsafe { _mm512_storeu_si512(p.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn store_factor((value, quotient): (Self, __m512), p: *mut f32, gap: usize) {
        // SAFETY: the value is proof of the instructions (see `Vector`), and the caller vouches for 64 writable bytes
        // at `p` and at `p + gap`; stores are unaligned.
        unsafe {
            value.store(p);
            _mm512_storeu_ps(p.add(gap), quotient);
        }
    }

    #[inline(always)]
    fn factor(self, c: &Consts<Self>) -> (Self, __m512) {
        // SAFETY: `self` is proof that the CPU has AVX-512 F (see `Vector`), and only registers are touched.
        (self, unsafe { _mm512_mul_ps(_mm512_cvtepi32_ps(self.0), c.inv_q.float()) })
    }

    /// Signs are turned by bits, without a multiplication.
    #[inline(always)]
    unsafe fn signed((value, quotient): (Self, __m512), negative: bool) -> (Self, __m512) {
        // SAFETY: the value is proof that the CPU has AVX-512 F and DQ (see `Vector`), and only registers are touched.
        unsafe {
            let all = _mm512_set1_epi32(-i32::from(negative));
            let sign = _mm512_slli_epi32::<31>(all);
            let quotient = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(quotient), sign));
            (Self(_mm512_sub_epi32(_mm512_xor_si512(value.0, all), all)), quotient)
        }
    }

    #[inline(always)]
    unsafe fn less_one((value, _): (Self, __m512), c: &Consts<Self>) -> (Self, __m512) {
        // SAFETY: the value is proof that the CPU has AVX-512 F (see `Vector`), which is all that `splat` asks for.
        value.sub(unsafe { Self::splat(1.0) }).factor(c)
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self.mul(a).add(b)
    }
    #[inline(always)]
    fn mul_sub(self, a: Self, b: Self) -> Self {
        self.mul(a).sub(b)
    }
    #[inline(always)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        b.sub(self.mul(a))
    }

    #[inline(always)]
    fn transpose(rows: &mut [Self]) {
        // SAFETY: `I32x16` and `F32x16` are both transparent wrappers of 64 bytes with the same alignment, any bits are
        // values of either, and the cast keeps the slice's length and its exclusive borrow.
        F32x16::transpose(unsafe { &mut *(&raw mut *rows as *mut [F32x16]) });
    }

    #[inline(always)]
    fn product(self, (w, quotient): (Self, __m512), c: &Consts<Self>) -> Self {
        let k = self.quotient(quotient);
        self.mul(w).sub(k.mul(c.q))
    }

    #[inline(always)]
    fn reduce(self, c: &Consts<Self>) -> Self {
        self.sub(self.quotient(c.inv_q.float()).mul(c.q))
    }

    /// The quotient of the sum, as floats, and the sum modulo `2^32`.
    #[inline(always)]
    fn accumulate(self, (w, scale): (Self, __m512), [quotient, sum]: [Self; 2], _: &Consts<Self>) -> [Self; 2] {
        // SAFETY: `self` is proof that the CPU has AVX-512 F (see `Vector`), and only registers are touched.
        let quotient =
            unsafe { _mm512_castps_si512(_mm512_fmadd_ps(_mm512_cvtepi32_ps(self.0), scale, quotient.float())) };
        [Self(quotient), sum.add(self.mul(w))]
    }

    #[inline(always)]
    fn residue([quotient, sum]: [Self; 2], _: Self, c: &Consts<Self>) -> Self {
        // SAFETY: the sums are proof that the CPU has AVX-512 F (see `Vector`), and only registers are touched.
        let k = Self(unsafe { _mm512_cvtps_epi32(quotient.float()) });
        sum.sub(k.mul(c.q))
    }

    /// The sum as floats, and modulo `2^32`.
    #[inline(always)]
    fn accumulate_once(self, w: Self, [float, sum]: [Self; 2], _: &Consts<Self>) -> [Self; 2] {
        // SAFETY: `self` is proof that the CPU has AVX-512 F (see `Vector`), and only registers are touched.
        let float = unsafe { _mm512_fmadd_ps(_mm512_cvtepi32_ps(self.0), _mm512_cvtepi32_ps(w.0), float.float()) };
        // SAFETY: `self` is proof that the CPU has AVX-512 F (see `Vector`), and the cast does nothing.
        [Self(unsafe { _mm512_castps_si512(float) }), sum.add(self.mul(w))]
    }

    #[inline(always)]
    fn total([float, sum]: [Self; 2], _: Self, c: &Consts<Self>) -> Self {
        // SAFETY: the sums are proof that the CPU has AVX-512 F (see `Vector`), and only registers are touched.
        let k = Self(unsafe { _mm512_cvtps_epi32(_mm512_mul_ps(float.float(), c.inv_q.float())) });
        sum.sub(k.mul(c.q))
    }
}
