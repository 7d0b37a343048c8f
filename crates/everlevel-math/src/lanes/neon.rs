//! Residues in four lanes of two NEON registers, on the fused multiply-add of doubles: the arithmetic of `avx2`, with
//! the same results, in the instructions of aarch64.
//!
//! Conversions between words and doubles, exact below `2^53`, and roundings are instructions of their own here. A fused
//! sum takes the place of its addend, so that quotients are rounded twice, which `docs/notes/ntt-ranges.md` bounds too.

use core::arch::aarch64::*;

use super::{centred, memory};
use crate::Modulus;

/// Four doubles.
#[derive(Clone, Copy)]
pub(crate) struct Doubles([float64x2_t; 2]);
/// Four words.
#[derive(Clone, Copy)]
pub(crate) struct Words([uint64x2_t; 2]);

/// The constants of one modulus, in every lane of either register.
#[derive(Clone, Copy)]
pub(crate) struct Consts {
    q: float64x2_t,
    /// `fl(1/q)`.
    inv_q: float64x2_t,
}

impl Consts {
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) fn new(q: u64) -> Self {
        Self { q: vdupq_n_f64(q as f64), inv_q: vdupq_n_f64(1.0 / q as f64) }
    }
}

/// `w` as a centred double.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn factor(m: &Modulus, w: u64) -> Doubles {
    splat_pd(centred(m.reduce(w), m.q()))
}

/// `x·w mod q` up to a multiple of `q`: at most `(1/2 + 3·B/64)·q` for `|x| ≤ B·q`, `B ≤ 16`, `|w| ≤ q/2`.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn mul(c: &Consts, x: Doubles, w: Doubles) -> Doubles {
    let half = |i: usize| {
        let h = vmulq_f64(x.0[i], w.0[i]);
        // The fused subtraction is from `h`: the low part's negative.
        let minus_l = vfmsq_f64(h, x.0[i], w.0[i]);
        let k = vrndnq_f64(vmulq_f64(h, c.inv_q));
        vsubq_f64(vfmsq_f64(h, k, c.q), minus_l)
    };
    Doubles([half(0), half(1)])
}

/// `x − q·round(x/q)`, of size at most `0.51·q`.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn reduce(c: &Consts, x: Doubles) -> Doubles {
    let half = |i: usize| vfmsq_f64(x.0[i], vrndnq_f64(vmulq_f64(x.0[i], c.inv_q)), c.q);
    Doubles([half(0), half(1)])
}

/// As [`reduce`], of size at most `1.6·q`, for integers of up to 53 bits times a power of two, at most `2^52·q`.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn reduce_wide(c: &Consts, x: Doubles) -> Doubles {
    reduce(c, x)
}

/// Words below `2^52` as doubles.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn from_words(_: &Consts, x: Words) -> Doubles {
    Doubles([vcvtq_f64_u64(x.0[0]), vcvtq_f64_u64(x.0[1])])
}

/// The canonical word of an integer of size at most `q`.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn to_words(c: &Consts, x: Doubles) -> Words {
    let half = |i: usize| {
        let q = vandq_u64(vcltzq_f64(x.0[i]), vreinterpretq_u64_f64(c.q));
        vcvtq_u64_f64(vaddq_f64(x.0[i], vreinterpretq_f64_u64(q)))
    };
    Words([half(0), half(1)])
}

/// Operations of one instruction or two for each half, lane by lane.
macro_rules! operations {
    ($($(#[doc = $doc:literal])* $name:ident($($x:ident: $t:ident),*) -> $out:ident { $value:expr })*) => {$(
        $(#[doc = $doc])*
        #[inline]
        #[target_feature(enable = "neon")]
        pub(crate) fn $name($($x: $t),*) -> $out {
            let half = |i: usize| {
                $(let $x = $x.0[i];)*
                $value
            };
            $out([half(0), half(1)])
        }
    )*};
}

operations! {
    /// `x + y`.
    add_pd(x: Doubles, y: Doubles) -> Doubles { vaddq_f64(x, y) }
    /// `x − y`.
    sub_pd(x: Doubles, y: Doubles) -> Doubles { vsubq_f64(x, y) }
    /// `x·y`.
    mul_pd(x: Doubles, y: Doubles) -> Doubles { vmulq_f64(x, y) }
    /// `x·y + z`, rounded once.
    mul_add_pd(x: Doubles, y: Doubles, z: Doubles) -> Doubles { vfmaq_f64(z, x, y) }
    /// `x·y − z`, rounded once.
    mul_sub_pd(x: Doubles, y: Doubles, z: Doubles) -> Doubles { vnegq_f64(vfmsq_f64(z, x, y)) }
    /// The largest integers that aren't above.
    floor_pd(x: Doubles) -> Doubles { vrndmq_f64(x) }
    /// `−x` where the lane of `negative` is all ones, and `x` where it is zero.
    negate_if(negative: Words, x: Doubles) -> Doubles { vbslq_f64(negative, vnegq_f64(x), x) }
    /// `x + y mod 2^64`.
    add(x: Words, y: Words) -> Words { vaddq_u64(x, y) }
    /// `x − y mod 2^64`.
    sub(x: Words, y: Words) -> Words { vsubq_u64(x, y) }
    /// The bits that both have.
    and(x: Words, y: Words) -> Words { vandq_u64(x, y) }
    /// All ones where the highest bit is one, and zero elsewhere.
    is_negative(x: Words) -> Words { vcltzq_s64(vreinterpretq_s64_u64(x)) }
    /// `−x mod 2^64` where the lane of `negative` is all ones, and `x` where it is zero.
    negate_words_if(negative: Words, x: Words) -> Words { vsubq_u64(veorq_u64(x, negative), negative) }
    /// The upper halves of words.
    high_halves(x: Words) -> Words { vshrq_n_u64::<32>(x) }
}

/// A double in every lane.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn splat_pd(x: f64) -> Doubles {
    Doubles([vdupq_n_f64(x); 2])
}

/// A word in every lane.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn splat(x: u64) -> Words {
    Words([vdupq_n_u64(x); 2])
}

/// Halves of `x` and `y`: low with low, high with high.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn halves((x, y): (Doubles, Doubles)) -> (Doubles, Doubles) {
    (Doubles([x.0[0], y.0[0]]), Doubles([x.0[1], y.0[1]]))
}

/// Even lanes of `x` and `y` in turn, then odd lanes.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn alternate((x, y): (Doubles, Doubles)) -> (Doubles, Doubles) {
    let even = |i: usize| vzip1q_f64(x.0[i], y.0[i]);
    let odd = |i: usize| vzip2q_f64(x.0[i], y.0[i]);
    (Doubles([even(0), even(1)]), Doubles([odd(0), odd(1)]))
}

memory!(Words, 4, "neon", load_words, store_words);

/// # Safety
/// As [`load`].
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load_words(p: *const u64) -> Words {
    // SAFETY: the caller vouches for four readable words at `p`.
    unsafe { Words([vld1q_u64(p), vld1q_u64(p.add(2))]) }
}

/// # Safety
/// As [`store`].
#[inline]
#[target_feature(enable = "neon")]
unsafe fn store_words(p: *mut u64, x: Words) {
    // SAFETY: the caller vouches for four writable words at `p`.
    unsafe {
        vst1q_u64(p, x.0[0]);
        vst1q_u64(p.add(2), x.0[1]);
    }
}

/// Four doubles kept in the words at `p`.
///
/// # Safety
/// As [`load`].
#[inline]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn load_pd(p: *const u64) -> Doubles {
    // SAFETY: the caller vouches for four readable words at `p`, of any bits.
    unsafe { Doubles([vld1q_f64(p.cast()), vld1q_f64(p.cast::<f64>().add(2))]) }
}

/// Keeps four doubles in the words at `p`.
///
/// # Safety
/// As [`store`].
#[inline]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn store_pd(p: *mut u64, x: Doubles) {
    // SAFETY: the caller vouches for four writable words at `p`.
    unsafe {
        vst1q_f64(p.cast(), x.0[0]);
        vst1q_f64(p.cast::<f64>().add(2), x.0[1]);
    }
}

/// The double at `p`, in every lane.
///
/// # Safety
/// `p` is readable for a double.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn broadcast(p: *const f64) -> Doubles {
    // SAFETY: the caller vouches for a readable double at `p`.
    unsafe { Doubles([vld1q_dup_f64(p); 2]) }
}

/// The two doubles at `p`, each in two lanes.
///
/// # Safety
/// `p` is readable for two doubles.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn broadcast_pair(p: *const f64) -> Doubles {
    // SAFETY: the caller vouches for two readable doubles at `p`.
    unsafe { Doubles([vld1q_dup_f64(p), vld1q_dup_f64(p.add(1))]) }
}

/// The four residues in the first 24 bytes of `packed`.
///
/// # Panics
/// If `packed` has fewer than 28 bytes.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn unpack4(packed: &[u8]) -> Words {
    const INDEX: [u8; 16] = [0, 1, 2, 3, 4, 5, 255, 255, 6, 7, 8, 9, 10, 11, 255, 255];
    let bytes = &packed[..28];
    // SAFETY: the loads are of `INDEX`' 16 bytes, and of bytes 0 to 15 and 12 to 27 of `bytes`, which has 28.
    let (index, low, high) =
        unsafe { (vld1q_u8(INDEX.as_ptr()), vld1q_u8(bytes.as_ptr()), vld1q_u8(bytes.as_ptr().add(12))) };
    Words([low, high].map(|half| vreinterpretq_u64_u8(vqtbl1q_u8(half, index))))
}

/// The four words from the last to the first.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn mirrored(Words([low, high]): Words) -> Words {
    Words([high, low].map(|half| vextq_u64::<1>(half, half)))
}
