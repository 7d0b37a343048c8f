//! Residues in four lanes, on the fused multiply-add of doubles: the arithmetic of the AVX2 kernels.
//!
//! *Representation.* Without a 64-bit multiplier, residues are held as integers in doubles, of either sign, exact below
//! `2^53`. For integers `x` and `|w| ≤ q/2`: `h = fl(x·w)` and `l = x·w − h` (one fused multiply-add, exact), `k` is
//! `h/q` rounded to an integer, and `h − k·q` is exact too. So `x·w ≡ (h − k·q) + l`: six operations.
//! `docs/notes/ntt-ranges.md` bounds the result.

use core::arch::x86_64::*;

use super::{centred, memory};
use crate::Modulus;

/// Four doubles.
pub(crate) type Doubles = __m256d;
/// Four words.
pub(crate) type Words = __m256i;

/// The constants of one modulus, in every lane.
#[derive(Clone, Copy)]
pub(crate) struct Consts {
    q: Doubles,
    /// `fl(1/q)`.
    inv_q: Doubles,
    /// `2^52`, whose bits are the exponent of an integer held in the mantissa.
    two_52: Doubles,
    /// `3·2^51`: adding it rounds a double below `2^51` to an integer.
    magic: Doubles,
}

impl Consts {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(crate) fn new(q: u64) -> Self {
        Self {
            q: _mm256_set1_pd(q as f64),
            inv_q: _mm256_set1_pd(1.0 / q as f64),
            two_52: _mm256_set1_pd((1u64 << 52) as f64),
            magic: _mm256_set1_pd((3u64 << 51) as f64),
        }
    }
}

/// `w` as a centred double.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn factor(m: &Modulus, w: u64) -> Doubles {
    splat_pd(centred(m.reduce(w), m.q()))
}

/// `x·w mod q` up to a multiple of `q`: at most `(1/2 + B/32)·q` for `|x| ≤ B·q`, `B ≤ 16`, `|w| ≤ q/2`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn mul(c: &Consts, x: Doubles, w: Doubles) -> Doubles {
    let h = _mm256_mul_pd(x, w);
    let l = _mm256_fmsub_pd(x, w, h);
    let k = _mm256_sub_pd(_mm256_fmadd_pd(h, c.inv_q, c.magic), c.magic);
    _mm256_add_pd(_mm256_fnmadd_pd(k, c.q, h), l)
}

/// `x − q·round(x/q)`, of size at most `0.51·q`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn reduce(c: &Consts, x: Doubles) -> Doubles {
    let k = _mm256_sub_pd(_mm256_fmadd_pd(x, c.inv_q, c.magic), c.magic);
    _mm256_fnmadd_pd(k, c.q, x)
}

/// As [`reduce`], of size at most `1.6·q`, for integers of up to 53 bits times a power of two, at most `2^52·q`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn reduce_wide(c: &Consts, x: Doubles) -> Doubles {
    let k = _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(_mm256_mul_pd(x, c.inv_q));
    _mm256_fnmadd_pd(k, c.q, x)
}

/// `x·y + z`, rounded once.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn mul_add_pd(x: Doubles, y: Doubles, z: Doubles) -> Doubles {
    _mm256_fmadd_pd(x, y, z)
}

/// `x·y − z`, rounded once.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn mul_sub_pd(x: Doubles, y: Doubles, z: Doubles) -> Doubles {
    _mm256_fmsub_pd(x, y, z)
}

/// Words below `2^52` as doubles.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn from_words(c: &Consts, x: Words) -> Doubles {
    _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(x), c.two_52), c.two_52)
}

/// The canonical word of an integer of size at most `q`.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(crate) fn to_words(c: &Consts, x: Doubles) -> Words {
    let negative = _mm256_cmp_pd::<_CMP_LT_OQ>(x, _mm256_setzero_pd());
    let x = _mm256_add_pd(x, _mm256_and_pd(negative, c.q));
    _mm256_castpd_si256(_mm256_xor_pd(_mm256_add_pd(x, c.two_52), c.two_52))
}

/// Operations of one instruction or two, lane by lane.
macro_rules! operations {
    ($($(#[doc = $doc:literal])* $name:ident($($x:ident: $t:ty),*) -> $out:ty { $value:expr })*) => {$(
        $(#[doc = $doc])*
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn $name($($x: $t),*) -> $out {
            $value
        }
    )*};
}

operations! {
    /// A double in every lane.
    splat_pd(x: f64) -> Doubles { _mm256_set1_pd(x) }
    /// `x + y`.
    add_pd(x: Doubles, y: Doubles) -> Doubles { _mm256_add_pd(x, y) }
    /// `x − y`.
    sub_pd(x: Doubles, y: Doubles) -> Doubles { _mm256_sub_pd(x, y) }
    /// `x·y`.
    mul_pd(x: Doubles, y: Doubles) -> Doubles { _mm256_mul_pd(x, y) }
    /// The largest integers that aren't above.
    floor_pd(x: Doubles) -> Doubles { _mm256_floor_pd(x) }
    /// `−x` where the lane of `negative` is all ones, and `x` where it is zero.
    negate_if(negative: Words, x: Doubles) -> Doubles {
        _mm256_xor_pd(x, _mm256_and_pd(_mm256_castsi256_pd(negative), _mm256_set1_pd(-0.0)))
    }
    /// A word in every lane.
    splat(x: u64) -> Words { _mm256_set1_epi64x(x.cast_signed()) }
    /// `x + y mod 2^64`.
    add(x: Words, y: Words) -> Words { _mm256_add_epi64(x, y) }
    /// `x − y mod 2^64`.
    sub(x: Words, y: Words) -> Words { _mm256_sub_epi64(x, y) }
    /// The bits that both have.
    and(x: Words, y: Words) -> Words { _mm256_and_si256(x, y) }
    /// All ones where the highest bit is one, and zero elsewhere.
    is_negative(x: Words) -> Words { _mm256_cmpgt_epi64(_mm256_setzero_si256(), x) }
    /// `−x mod 2^64` where the lane of `negative` is all ones, and `x` where it is zero.
    negate_words_if(negative: Words, x: Words) -> Words {
        _mm256_sub_epi64(_mm256_xor_si256(x, negative), negative)
    }
    /// The upper halves of words.
    high_halves(x: Words) -> Words { _mm256_srli_epi64::<32>(x) }
}

/// Halves of `x` and `y`: low with low, high with high.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn halves((x, y): (Doubles, Doubles)) -> (Doubles, Doubles) {
    (_mm256_permute2f128_pd::<0x20>(x, y), _mm256_permute2f128_pd::<0x31>(x, y))
}

/// Even lanes of `x` and `y` in turn, then odd lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn alternate((x, y): (Doubles, Doubles)) -> (Doubles, Doubles) {
    (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y))
}

memory!(Words, 4, "avx2", _mm256_loadu_si256, _mm256_storeu_si256);

/// Four doubles kept in the words at `p`.
///
/// # Safety
/// As [`load`].
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn load_pd(p: *const u64) -> Doubles {
    // SAFETY: the caller vouches for four readable words at `p`, of any bits; AVX2 is on in every function that may
    // call this one.
    unsafe { _mm256_castsi256_pd(load(p)) }
}

/// Keeps four doubles in the words at `p`.
///
/// # Safety
/// As [`store`].
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn store_pd(p: *mut u64, x: Doubles) {
    // SAFETY: the caller vouches for four writable words at `p`; AVX2 is on in every function that may call this one.
    unsafe { store(p, _mm256_castpd_si256(x)) }
}

/// The double at `p`, in every lane.
///
/// # Safety
/// `p` is readable for a double.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn broadcast(p: *const f64) -> Doubles {
    // SAFETY: the caller vouches for a readable double at `p`.
    unsafe { _mm256_broadcast_sd(&*p) }
}

/// The two doubles at `p`, each in two lanes.
///
/// # Safety
/// `p` is readable for two doubles.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn broadcast_pair(p: *const f64) -> Doubles {
    // SAFETY: the caller vouches for two readable doubles at `p`; the load has no alignment requirement.
    unsafe { _mm256_permute4x64_pd::<0b01_01_00_00>(_mm256_castpd128_pd256(_mm_loadu_pd(p))) }
}

/// The four residues in the first 24 bytes of `packed`.
///
/// # Panics
/// If `packed` has fewer than 28 bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn unpack4(packed: &[u8]) -> Words {
    let bytes = &packed[..28];
    let index = _mm256_set_epi8(
        -1, -1, 11, 10, 9, 8, 7, 6, -1, -1, 5, 4, 3, 2, 1, 0, -1, -1, 11, 10, 9, 8, 7, 6, -1, -1, 5, 4, 3, 2, 1, 0,
    );
    // SAFETY: the loads are of bytes 0 to 15 and 12 to 27 of `bytes`, which has 28.
    let both = unsafe {
        let low = _mm_loadu_si128(bytes.as_ptr().cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), _mm_loadu_si128(bytes.as_ptr().add(12).cast()))
    };
    _mm256_shuffle_epi8(both, index)
}

/// The four words from the last to the first.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn mirrored(x: Words) -> Words {
    _mm256_permute4x64_epi64::<0b00_01_10_11>(x)
}
