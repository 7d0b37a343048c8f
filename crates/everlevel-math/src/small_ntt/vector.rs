//! The vectors that the kernels are generic over, and the portable ones.
//!
//! A lane is an integer, exact, that stands for its residue. Backends may hold different representatives on the way;
//! what leaves a kernel is canonical.

use std::marker::PhantomData;

use super::float::{Consts, Number};

/// The vectors of a float on the backends that have some.
pub(super) trait Lanes: Number {
    type Avx2: Vector<Float = Self>;
    type Avx512: Vector<Float = Self>;
}

/// Lanes of floats.
///
/// A value exists only where the CPU has the instructions: the functions that make one from nothing are `unsafe` and
/// have that as their contract, and so need no more from their callers; pointers are readable or writable for the lanes
/// and need no alignment.
pub(crate) trait Vector: Copy {
    /// The float that a lane has in memory.
    type Float: Number;
    /// A factor, prepared for products with many vectors.
    type Factor: Copy;
    /// The vectors of the steps between the first and the last pass of a product.
    type Inner: Vector<Float = Self::Float>;
    /// A divisor of 16.
    const LANES: usize;
    /// Vectors that the CPU has names for; 0 where the compiler chooses instructions.
    const REGISTERS: usize;
    /// `3·2^(p−2)`, `p` the bits of a lane's mantissa.
    const MAGIC: f64;
    /// Set where lanes are integers, and memory has their bits.
    const INTEGERS: bool = false;

    /// # Safety
    /// See the trait.
    unsafe fn splat(x: f64) -> Self;
    /// # Safety
    /// See the trait.
    unsafe fn load(p: *const Self::Float) -> Self;
    /// # Safety
    /// See the trait.
    unsafe fn store(self, p: *mut Self::Float);
    /// Residues of a key, [`Number::KEY_BYTES`] each.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn load_key(p: *const u8) -> Self;
    /// Factors, of which a second part is `gap` words from the first, if there are two.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn load_factor(p: *const Self::Float, gap: usize) -> Self::Factor;
    /// # Safety
    /// See the trait.
    unsafe fn splat_factor(p: *const Self::Float, gap: usize) -> Self::Factor;
    /// # Safety
    /// See the trait.
    unsafe fn store_factor(factor: Self::Factor, p: *mut Self::Float, gap: usize);
    /// A value in every lane.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn splat_value(p: *const Self::Float) -> Self {
        // SAFETY: the caller vouches for the instructions, and that `p` is one readable float.
        unsafe { Self::splat((*p).to_f64()) }
    }
    /// A value as a factor.
    fn factor(self, c: &Consts<Self>) -> Self::Factor;
    /// A factor times −1, if so wanted.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn signed(factor: Self::Factor, negative: bool) -> Self::Factor;
    /// A factor less 1.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn less_one(factor: Self::Factor, c: &Consts<Self>) -> Self::Factor;

    /// Loads lanes that [`Vector::store_inner`] or the inner vectors have stored.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn load_inner(p: *const Self::Float) -> Self {
        // SAFETY: the caller vouches for the instructions, and for `LANES` readable floats at `p`: what `load` asks
        // for.
        unsafe { Self::load(p) }
    }
    /// Stores for the inner vectors.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn store_inner(self, p: *mut Self::Float) {
        // SAFETY: `self` is proof of the instructions, and the caller vouches for `LANES` writable floats at `p`: what
        // `store` asks for.
        unsafe { self.store(p) }
    }
    /// Stores the sum and the difference of two values for the inner vectors.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn store_both(self, other: Self, sum: *mut Self::Float, difference: *mut Self::Float) {
        // SAFETY: `self` is proof of the instructions, and the caller vouches for `LANES` writable floats at either
        // pointer.
        unsafe {
            self.add(other).store_inner(sum);
            self.sub(other).store_inner(difference);
        }
    }
    /// The start of sums.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn start(x: f64) -> Self {
        // SAFETY: the caller vouches for the instructions, which is all that `splat` asks for.
        unsafe { Self::splat(x) }
    }
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn consts(q: u64) -> Consts<Self> {
        // SAFETY: the caller vouches for the instructions, which is all that `splat` asks for.
        unsafe {
            Consts { q: Self::splat(q as f64), inv_q: Self::splat(1.0 / q as f64), magic: Self::splat(Self::MAGIC) }
        }
    }

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self·a + b`.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `self·a − b`.
    fn mul_sub(self, a: Self, b: Self) -> Self;
    /// `b − self·a`.
    fn neg_mul_add(self, a: Self, b: Self) -> Self;
    /// Rows to columns, of `LANES` vectors.
    fn transpose(rows: &mut [Self]);

    /// `self·scale`, rounded to the nearest integer, or nearly so.
    #[inline(always)]
    fn nearest(self, scale: Self, c: &Consts<Self>) -> Self {
        self.mul_add(scale, c.magic).sub(c.magic)
    }

    /// `self·w` modulo `q`, for `|w| ≤ q/2`.
    fn product(self, w: Self::Factor, c: &Consts<Self>) -> Self;

    /// The residue of least magnitude, or nearly so.
    #[inline(always)]
    fn reduce(self, c: &Consts<Self>) -> Self {
        self.nearest(c.inv_q, c).neg_mul_add(c.q, self)
    }

    /// The residue in `(−q/2, q/2)`; zero without a sign.
    #[inline(always)]
    fn canonical(self, c: &Consts<Self>) -> Self {
        let near = self.reduce(c);
        let least = if Self::Float::NARROW { near.reduce(c) } else { near };
        least.add(c.q.sub(c.q))
    }

    /// The sixteen columns of `LANES` rows, one after the other.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn load_columns(p: *const Self::Float) -> [Self; 16] {
        // SAFETY: the caller vouches for the instructions, and for `16·LANES` readable floats at `p`: a load ends with
        // row `i % LANES < LANES` at column `i/LANES·LANES + LANES ≤ 16`.
        unsafe {
            let mut columns = [Self::load(p); 16];
            for i in 0..16 {
                columns[i] = Self::load(p.add(16 * (i % Self::LANES) + i / Self::LANES * Self::LANES));
            }
            for first in (0..16).step_by(Self::LANES) {
                Self::transpose(&mut columns[first..first + Self::LANES]);
            }
            columns
        }
    }

    /// The inverse of `load_columns`.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn store_columns(mut columns: [Self; 16], p: *mut Self::Float) {
        for first in (0..16).step_by(Self::LANES) {
            Self::transpose(&mut columns[first..first + Self::LANES]);
        }
        for i in 0..16 {
            // SAFETY: the columns are proof of the instructions, and the caller vouches for `16·LANES` writable floats
            // at `p`: stores are to the places that `load_columns` reads.
            unsafe { columns[i].store(p.add(16 * (i % Self::LANES) + i / Self::LANES * Self::LANES)) };
        }
    }

    /// Adds `self·w`, exactly: to a high part that is a multiple of the last place of the sums' start, from which it
    /// starts, and a low one.
    fn accumulate(self, w: Self::Factor, sums: [Self; 2], c: &Consts<Self>) -> [Self; 2];

    /// The residue, not the least, of what [`Vector::accumulate`] made, with the sums' magic number.
    #[inline(always)]
    fn residue([high, low]: [Self; 2], magic: Self, c: &Consts<Self>) -> Self {
        high.mul_add(c.inv_q, magic).sub(magic).neg_mul_add(c.q, high).add(low)
    }

    /// [`Vector::accumulate`] for a factor that is used once; [`Vector::total`] reads its sums.
    #[inline(always)]
    fn accumulate_once(self, w: Self, sums: [Self; 2], c: &Consts<Self>) -> [Self; 2] {
        self.accumulate(w.factor(c), sums, c)
    }

    /// The residue, not the least, of sums by [`Vector::accumulate_once`], with the sums' magic number.
    #[inline(always)]
    fn total(sums: [Self; 2], magic: Self, c: &Consts<Self>) -> Self {
        Self::residue(sums, magic, c)
    }
}

/// Methods of vectors whose factors have no second part.
#[cfg(target_arch = "x86_64")]
macro_rules! plain_factors {
    () => {
        type Factor = Self;
        #[inline(always)]
        unsafe fn load_factor(p: *const Self::Float, _: usize) -> Self {
            // SAFETY: the caller vouches for the instructions, and for `LANES` readable floats at `p`.
            unsafe { Self::load(p) }
        }
        #[inline(always)]
        unsafe fn splat_factor(p: *const Self::Float, _: usize) -> Self {
            // SAFETY: the caller vouches for the instructions, and that `p` is one readable float.
            unsafe { Self::splat(f64::from(*p)) }
        }
        #[inline(always)]
        unsafe fn store_factor(factor: Self, p: *mut Self::Float, _: usize) {
            // SAFETY: the factor is proof of the instructions, and the caller vouches for `LANES` writable floats at
            // `p`.
            unsafe { factor.store(p) }
        }
        #[inline(always)]
        fn factor(self, _: &crate::small_ntt::float::Consts<Self>) -> Self {
            self
        }
        #[inline(always)]
        unsafe fn signed(factor: Self, negative: bool) -> Self {
            // SAFETY: the factor is proof of the instructions, which is all that `splat` asks for.
            factor.mul(unsafe { Self::splat(if negative { -1.0 } else { 1.0 }) })
        }
        #[inline(always)]
        unsafe fn less_one(factor: Self, _: &crate::small_ntt::float::Consts<Self>) -> Self {
            // SAFETY: the factor is proof of the instructions, which is all that `splat` asks for.
            factor.sub(unsafe { Self::splat(1.0) })
        }
        #[inline(always)]
        fn product(self, w: Self, c: &crate::small_ntt::float::Consts<Self>) -> Self {
            let high = self.mul(w);
            let low = self.mul_sub(w, high);
            high.nearest(c.inv_q, c).neg_mul_add(c.q, high).add(low)
        }
        #[inline(always)]
        fn accumulate(self, w: Self, [high, low]: [Self; 2], _: &crate::small_ntt::float::Consts<Self>) -> [Self; 2] {
            let next = self.mul_add(w, high);
            [next, low.add(self.mul_sub(w, next.sub(high)))]
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use plain_factors;

/// The units of the upper limb of a portable product's factor.
const LIMB: f64 = (1u64 << 14) as f64;

/// Arrays of doubles, in the instructions that the compiler chooses, without fused ones. Operations are calls: sixteen
/// lanes are loops, and a pass in registers is not.
#[derive(Clone, Copy)]
pub(crate) struct Portable<F, const L: usize>([f64; L], PhantomData<F>);

impl<F: Number, const L: usize> Portable<F, L> {
    #[inline(always)]
    fn from_fn(f: impl Fn(usize) -> f64) -> Self {
        let mut out = [0.0; L];
        for lane in 0..L {
            out[lane] = f(lane);
        }
        Self(out, PhantomData)
    }
}

impl<F: Number, const L: usize> Vector for Portable<F, L> {
    type Float = F;
    type Factor = Self;
    type Inner = Self;
    const LANES: usize = L;
    const REGISTERS: usize = 0;
    const MAGIC: f64 = (3u64 << 51) as f64;

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        Self([x; L], PhantomData)
    }
    #[inline(never)]
    unsafe fn load(p: *const F) -> Self {
        // SAFETY: the caller vouches for `L` readable floats at `p`, which are aligned as floats, and so as an array of
        // them.
        let x = unsafe { p.cast::<[F; L]>().read() };
        Self::from_fn(|lane| x[lane].to_f64())
    }
    #[inline(never)]
    unsafe fn load_key(p: *const u8) -> Self {
        Self::from_fn(|lane| {
            // SAFETY: the caller vouches for `L·KEY_BYTES` readable bytes at `p`, and `i` is below `KEY_BYTES`.
            let byte = |i: usize| unsafe { *p.add(lane * F::KEY_BYTES + i) };
            // Three bytes of four have the upper ones' sign.
            let word = i32::from_le_bytes(std::array::from_fn(|i| byte((i + F::KEY_BYTES).saturating_sub(4))));
            f64::from(word >> (8 * (4 - F::KEY_BYTES)))
        })
    }
    #[inline(always)]
    unsafe fn load_factor(p: *const F, _: usize) -> Self {
        // SAFETY: the caller vouches for `L` readable floats at `p`, as for `load`.
        unsafe { Self::load(p) }
    }
    #[inline(always)]
    unsafe fn splat_factor(p: *const F, _: usize) -> Self {
        // SAFETY: the caller vouches that `p` is one readable float; `splat` needs no instructions.
        unsafe { Self::splat((*p).to_f64()) }
    }
    #[inline(always)]
    unsafe fn store_factor(factor: Self, p: *mut F, _: usize) {
        // SAFETY: the caller vouches for `L` writable floats at `p`, as for `store`.
        unsafe { factor.store(p) }
    }
    #[inline(always)]
    fn factor(self, _: &Consts<Self>) -> Self {
        self
    }
    #[inline(always)]
    unsafe fn signed(factor: Self, negative: bool) -> Self {
        // SAFETY: `splat` of the portable vector needs no instructions and no pointer.
        factor.mul(unsafe { Self::splat(if negative { -1.0 } else { 1.0 }) })
    }
    #[inline(always)]
    unsafe fn less_one(factor: Self, _: &Consts<Self>) -> Self {
        // SAFETY: `splat` of the portable vector needs no instructions and no pointer.
        factor.sub(unsafe { Self::splat(1.0) })
    }
    #[inline(never)]
    unsafe fn store(self, p: *mut F) {
        // SAFETY: the caller vouches for `L` writable floats at `p`, which are aligned as floats, and so as an array of
        // them.
        unsafe { p.cast::<[F; L]>().write(self.0.map(F::from_f64)) }
    }
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        Self::from_fn(|lane| self.0[lane] + other.0[lane])
    }
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        Self::from_fn(|lane| self.0[lane] - other.0[lane])
    }
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        Self::from_fn(|lane| self.0[lane] * other.0[lane])
    }
    #[inline(never)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self.mul(a).add(b)
    }
    #[inline(never)]
    fn mul_sub(self, a: Self, b: Self) -> Self {
        self.mul(a).sub(b)
    }
    #[inline(never)]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        b.sub(self.mul(a))
    }
    #[inline(never)]
    fn transpose(rows: &mut [Self]) {
        for i in 0..L {
            for j in 0..i {
                (rows[i].0[j], rows[j].0[i]) = (rows[j].0[i], rows[i].0[j]);
            }
        }
    }

    #[inline(never)]
    fn reduce(self, c: &Consts<Self>) -> Self {
        Self::from_fn(|lane| {
            let quotient = self.0[lane] * c.inv_q.0[lane] + Self::MAGIC - Self::MAGIC;
            self.0[lane] - quotient * c.q.0[lane]
        })
    }

    /// Without a fused product, by the limbs of `w`: all products are exact in doubles.
    #[inline(never)]
    fn product(self, w: Self, c: &Consts<Self>) -> Self {
        if F::NARROW {
            return self.mul(w).reduce(c);
        }
        Self::from_fn(|lane| {
            let (x, w, q, inv_q) = (self.0[lane], w.0[lane], c.q.0[lane], c.inv_q.0[lane]);
            let nearest = |x: f64| x + Self::MAGIC - Self::MAGIC;
            let high = nearest(w / LIMB);
            let reduce = |x: f64| x - nearest(x * inv_q) * q;
            reduce(LIMB * reduce(x * high) + x * (w - LIMB * high))
        })
    }

    /// Sums of residues; there is no high part.
    #[inline(always)]
    fn accumulate(self, key: Self, [high, low]: [Self; 2], c: &Consts<Self>) -> [Self; 2] {
        [high, low.add(self.product(key, c))]
    }

    #[inline(always)]
    fn residue([_, low]: [Self; 2], _: Self, c: &Consts<Self>) -> Self {
        low.reduce(c)
    }
}
