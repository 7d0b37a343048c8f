//! The vectors that the kernels are generic over, and the portable one.
//!
//! Every operation is one IEEE 754 operation a lane, fused where its name says so: the width changes nothing in the
//! results, so all backends give the same bits.

use super::digits::Extraction;
use super::rounding::Rounding;

/// Lanes of doubles.
///
/// A value exists only where the CPU has the instructions: the functions that make one from nothing are `unsafe` and
/// have that as their contract, and so need no more from their callers; pointers are readable or writable for the lanes
/// and need no alignment.
pub(super) trait Vector: Copy {
    /// 2, 4 or 8.
    const LANES: usize;
    /// A vector of as many 64-bit words as there are lanes.
    type Words: Copy;

    /// # Safety
    /// See the trait.
    unsafe fn splat(x: f64) -> Self;
    /// # Safety
    /// See the trait.
    unsafe fn load(p: *const f64) -> Self;
    /// Floats, widened.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn load_f32(p: *const f32) -> Self;
    /// Integers, widened.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn load_i32(p: *const i32) -> Self;
    /// # Safety
    /// See the trait.
    unsafe fn store(self, p: *mut f64);

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self·a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `b − self·a`, rounded once.
    fn neg_mul_add(self, a: Self, b: Self) -> Self;

    /// The eight columns of `LANES` rows of eight doubles, `stride` apart.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn load_columns(p: *const f64, stride: usize) -> [Self; 8];
    /// The inverse of `load_columns`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn store_columns(columns: [Self; 8], p: *mut f64, stride: usize);

    /// Words, extended by zeros.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn words_u32(p: *const u32) -> Self::Words;
    /// Words.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn words_u64(p: *const u64) -> Self::Words;
    /// `(x ^ sign) − minus`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn difference(x: Self::Words, minus: Self::Words, sign: u64) -> Self::Words;
    /// A digit of each word, by [`Extraction`].
    ///
    /// # Safety
    /// See the trait.
    unsafe fn digit(x: Self::Words, e: &Extraction) -> Self;
    /// Adds the low 32 bits of each lane to a word.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn add_low_halves(self, acc: *mut u32);
    /// Adds to each word the nearest integer to a lane, which is at most `2^63` in magnitude.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn add_nearest(self, acc: *mut u64);

    /// [`Rounding`]'s reduction by the nearest multiple of `m·2^BITS`.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn reduce(self, r: &Rounding) -> Self {
        // SAFETY: the caller vouches for the instructions, which is all that `splat` asks for.
        unsafe {
            let magic = Self::splat(Rounding::MAGIC);
            let k = self.mul_add(Self::splat(r.inv_modulus), magic).sub(magic);
            k.neg_mul_add(Self::splat(r.modulus), self)
        }
    }
    /// Adds to each word the nearest integer to `self/m`, modulo `2^32`.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn add_to_u32(self, acc: *mut u32, r: &Rounding) {
        // SAFETY: the caller vouches for `LANES` words at `acc`, readable and writable, and `self` is proof of the
        // instructions.
        unsafe { self.reduce(r).mul_add(Self::splat(r.inv_m), Self::splat(Rounding::MAGIC)).add_low_halves(acc) }
    }
    /// Adds to each word the nearest integer to `self/m`, modulo `2^64`.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn add_to_u64(self, acc: *mut u64, r: &Rounding) {
        // SAFETY: the caller vouches for `LANES` words at `acc`, readable and writable, and `self` is proof of the
        // instructions.
        unsafe { self.reduce(r).mul(Self::splat(r.inv_m)).add_nearest(acc) }
    }
}

const LANES: usize = 4;

/// Plain arrays, in the instructions that the compiler chooses.
#[derive(Clone, Copy)]
pub(super) struct Portable([f64; LANES]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = self;
        for lane in 0..LANES {
            out.0[lane] = f(self.0[lane], other.0[lane]);
        }
        out
    }

    #[inline(always)]
    fn from_fn(f: impl Fn(usize) -> f64) -> Self {
        let mut out = Self([0.0; LANES]);
        for lane in 0..LANES {
            out.0[lane] = f(lane);
        }
        out
    }
}

impl Vector for Portable {
    const LANES: usize = LANES;
    type Words = [u64; LANES];

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        Self([x; LANES])
    }

    #[inline(always)]
    unsafe fn load(p: *const f64) -> Self {
        // SAFETY: the caller vouches for four readable doubles at `p`, which are aligned as doubles, and so as an array
        // of them.
        Self(unsafe { p.cast::<[f64; LANES]>().read() })
    }

    #[inline(always)]
    unsafe fn load_f32(p: *const f32) -> Self {
        // SAFETY: the caller vouches for four readable floats at `p`, which are aligned as floats, and so as an array
        // of them.
        let x = unsafe { p.cast::<[f32; LANES]>().read() };
        Self::from_fn(|lane| f64::from(x[lane]))
    }

    #[inline(always)]
    unsafe fn load_i32(p: *const i32) -> Self {
        // SAFETY: the caller vouches for four readable integers at `p`, which are aligned as such, and so as an array
        // of them.
        let x = unsafe { p.cast::<[i32; LANES]>().read() };
        Self::from_fn(|lane| f64::from(x[lane]))
    }

    #[inline(always)]
    unsafe fn store(self, p: *mut f64) {
        // SAFETY: the caller vouches for four writable doubles at `p`, which are aligned as doubles, and so as an array
        // of them.
        unsafe { p.cast::<[f64; LANES]>().write(self.0) }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self::from_fn(|lane| self.0[lane].mul_add(a.0[lane], b.0[lane]))
    }

    #[inline(always)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        Self::from_fn(|lane| (-self.0[lane]).mul_add(a.0[lane], b.0[lane]))
    }

    #[inline(always)]
    unsafe fn load_columns(p: *const f64, stride: usize) -> [Self; 8] {
        let mut columns = [Self([0.0; LANES]); 8];
        for (i, column) in columns.iter_mut().enumerate() {
            for lane in 0..LANES {
                // SAFETY: the caller vouches for four rows of eight readable doubles, `stride` apart; `lane` is below 4
                // and `i` below 8.
                column.0[lane] = unsafe { p.add(lane * stride + i).read() };
            }
        }
        columns
    }

    #[inline(always)]
    unsafe fn store_columns(columns: [Self; 8], p: *mut f64, stride: usize) {
        for (i, column) in columns.iter().enumerate() {
            for lane in 0..LANES {
                // SAFETY: the caller vouches for four rows of eight writable doubles, `stride` apart; `lane` is below 4
                // and `i` below 8.
                unsafe { p.add(lane * stride + i).write(column.0[lane]) };
            }
        }
    }

    #[inline(always)]
    unsafe fn words_u32(p: *const u32) -> Self::Words {
        // SAFETY: the caller vouches for four readable words at `p`, which are aligned as such, and so as an array of
        // them.
        unsafe { p.cast::<[u32; LANES]>().read() }.map(u64::from)
    }

    #[inline(always)]
    unsafe fn words_u64(p: *const u64) -> Self::Words {
        // SAFETY: the caller vouches for four readable words at `p`, which are aligned as such, and so as an array of
        // them.
        unsafe { p.cast::<[u64; LANES]>().read() }
    }

    #[inline(always)]
    unsafe fn difference(x: Self::Words, minus: Self::Words, sign: u64) -> Self::Words {
        std::array::from_fn(|lane| (x[lane] ^ sign).wrapping_sub(minus[lane]))
    }

    #[inline(always)]
    unsafe fn digit(x: Self::Words, e: &Extraction) -> Self {
        Self::from_fn(|lane| e.digit(x[lane].wrapping_add(e.offset)))
    }

    #[inline(always)]
    unsafe fn add_low_halves(self, acc: *mut u32) {
        for lane in 0..LANES {
            // SAFETY: the caller vouches for four words at `acc`, readable and writable; `lane` is below 4.
            unsafe { *acc.add(lane) = (*acc.add(lane)).wrapping_add(self.0[lane].to_bits() as u32) };
        }
    }

    #[inline(always)]
    unsafe fn add_nearest(self, acc: *mut u64) {
        for lane in 0..LANES {
            // SAFETY: the caller vouches for four words at `acc`, readable and writable; `lane` is below 4.
            unsafe { *acc.add(lane) = (*acc.add(lane)).wrapping_add(Rounding::nearest_64(self.0[lane])) };
        }
    }
}
