//! Gadgets: digits of elements of the torus, rounded to as many as there are.

use std::ffi::c_void;

use crate::conversions::{ROUND, centred};
use crate::memory::{Vector, boxed, module, numbers, unboxed};
use crate::rnx::RnxModuleInfo;
use crate::zn::ZModuleInfo;

/// `levels` digits of `log2_base` bits: those in `[−B/2, B/2)`, that small integers hold, and not those of
/// [`Digits`](everlevel_math::fft::Digits), of mean zero.
#[derive(Debug, Clone, Copy)]
struct Gadget {
    log2_base: u32,
    levels: u32,
    /// Half a base in every digit: with it, the bits of a word are its digits, less half a base each.
    offset: u64,
    /// Added to a double in units of the last digit, rounds it to an integer, and adds the offset.
    round: f64,
}

impl Gadget {
    /// The gadget, or nothing unless a digit has a bit at least, and all of them `bits ≤ 50` at most.
    fn new(log2_base: u64, levels: u64, bits: u64) -> Option<Self> {
        if !(1..=bits).contains(&log2_base) || levels > bits / log2_base {
            return None;
        }
        let offset: u64 = (0..levels).map(|level| 1 << (63 - level * log2_base)).sum();
        let in_units = offset.checked_shr((64 - levels * log2_base) as u32).unwrap_or(0);
        let round = ROUND + in_units as f64;
        Some(Self { log2_base: log2_base as u32, levels: levels as u32, offset, round })
    }

    /// Bits of all digits.
    fn bits(&self) -> u32 {
        self.log2_base * self.levels
    }

    /// The leading bits of `x/2^32` rounded to the last digit, upwards at ties, with the offset.
    fn of_word(&self, x: i32) -> u64 {
        let unit = 1u64 << (63 - self.bits());
        (u64::from(x.cast_unsigned()) << 32).wrapping_add(unit).wrapping_add(self.offset)
    }

    /// A double modulo 1 in units of the last digit, where there are digits: rounded to even at ties, with the offset.
    fn of_double(&self, x: f64) -> u64 {
        let scaled = centred(x) * (1u64 << self.bits()) as f64;
        (scaled + self.round).to_bits() << (64 - self.bits())
    }

    /// Digit `level` of a value by `of_word` or `of_double`: the most significant is the first.
    fn digit(&self, x: u64, level: u32) -> i64 {
        let digit = x >> (64 - (level + 1) * self.log2_base) & ((1 << self.log2_base) - 1);
        digit.cast_signed() - (1 << (self.log2_base - 1))
    }

    /// The digits of polynomials, the most significant in `out[0]`; polynomials beyond the last one are 0.
    fn decompose_into<T: Copy>(&self, out: &mut [&mut [f64]], a: &[T], word: impl Fn(&Self, T) -> u64) {
        for (level, out) in (0..).zip(out) {
            if level >= self.levels {
                out.fill(0.0);
                continue;
            }
            for (out, &x) in out.iter_mut().zip(a) {
                *out = self.digit(word(self, x), level) as f64;
            }
        }
    }
}

/// Gadgets of one kind of modules: their types, and the functions that make one and give one back.
macro_rules! gadgets {
    ($($(#[$about:meta])* $gadget:ident($inner:ty): $new:ident($info:ty; $($size:ident),*) = $value:expr,
        $delete:ident($deleted:ty);)*) => {$(
        $(#[$about])*
        #[derive(Debug)]
        pub struct $gadget($inner);

        /// A new gadget, or null where there is none.
        #[unsafe(no_mangle)]
        pub extern "C" fn $new(_m: *const $info, $($size: u64),*) -> *mut $gadget {
            boxed($value.map($gadget))
        }

        /// Gives a gadget back.
        ///
        /// # Safety
        /// The pointer is to such a gadget of this library, and not used any more; or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $delete(gadget: $deleted) {
            // SAFETY: the program vouches that the pointer is null or from the function that makes this type of gadget
            // by `boxed`, and that it is not used any more; the cast restores that type.
            unsafe { unboxed(gadget.cast_mut().cast::<$gadget>()) }
        }
    )*};
}

/// Bits of all digits of a torus word.
const WORD: u64 = 32;
/// Bits of all digits of a double.
const DOUBLE: u64 = 50;

gadgets! {
    /// Digits of torus words.
    Tnx32ApproxdecompGadget(Gadget): new_tnx32_approxdecomp_gadget(RnxModuleInfo; k, ell) = Gadget::new(k, ell, WORD),
        delete_tnx32_approxdecomp_gadget(*const c_void);
    /// Digits of pairs of torus words, each part with its own.
    Tnx32x2ApproxdecompGadget([Gadget; 2]): new_tnx32x2_approxdecomp_gadget(RnxModuleInfo; ka, ella, kb, ellb)
        = Gadget::new(ka, ella, WORD).zip(Gadget::new(kb, ellb, WORD)).map(<[Gadget; 2]>::from),
        delete_tnx32x2_approxdecomp_gadget(*const c_void);
    /// Digits of doubles modulo 1.
    TnxdblApproxdecompGadget(Gadget): new_tnxdbl_approxdecomp_gadget(RnxModuleInfo; k, ell)
        = Gadget::new(k, ell, DOUBLE),
        delete_tnxdbl_approxdecomp_gadget(*const TnxdblApproxdecompGadget);
    /// Digits of doubles modulo 1, as small integers.
    TndblApproxdecompGadget(Gadget): new_tndbl_approxdecomp_gadget(ZModuleInfo; k, ell) = Gadget::new(k, ell, DOUBLE),
        delete_tndbl_approxdecomp_gadget(*const TndblApproxdecompGadget);
}

/// Decompositions of one polynomial, of `parts` parts.
macro_rules! decompositions {
    ($(
        $(#[$about:meta])* $name:ident($gadget:ident, $word:ty, $parts:literal) = |$g:ident, $out:ident, $a:ident| $work:expr;
    )*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            m: *const RnxModuleInfo,
            gadget: *const $gadget,
            res: *mut f64,
            res_size: u64,
            res_sl: u64,
            a: *const $word,
        ) {
            debug_assert!(!gadget.is_null(), "a gadget");
            // SAFETY: the program vouches that `m` is a live module, `gadget` a live gadget of this type, `res`
            // writable for its polynomials, and `a` readable for one of `$parts·n` words, which is copied where it
            // overlaps the result.
            unsafe {
                let (n, result) = (module(m).n(), Vector::new(res.cast_const(), res_size, res_sl));
                let a = Vector::new(a, 1, 0).inputs_beside($parts * n, result.addresses(n)).remove(0);
                let ($g, $out, $a) = (&(*gadget).0, &mut result.outputs(n)[..], &a[..]);
                $work;
            }
        }
    )*};
}

decompositions! {
    /// `res` are the digits of the torus words `a`.
    rnx_approxdecomp_from_tnx32(Tnx32ApproxdecompGadget, i32, 1)
        = |gadget, out, a| gadget.decompose_into(out, a, Gadget::of_word);
    /// `res` are the digits of the pair `a`: those of its first part, then those of its second.
    rnx_approxdecomp_from_tnx32x2(Tnx32x2ApproxdecompGadget, i32, 2) = |gadgets, out, a| {
        let (first, second) = out.split_at_mut(out.len().min(gadgets[0].levels as usize));
        let parts = [first, second].into_iter().zip(a.chunks_exact(a.len() / 2));
        gadgets.iter().zip(parts).for_each(|(gadget, (out, a))| gadget.decompose_into(out, a, Gadget::of_word));
    };
    /// `res` are the digits of the doubles `a` modulo 1.
    rnx_approxdecomp_from_tnxdbl(TnxdblApproxdecompGadget, f64, 1)
        = |gadget, out, a| gadget.decompose_into(out, a, Gadget::of_double);
}

/// Decompositions of vectors of doubles into small integers.
macro_rules! small_decompositions {
    ($($name:ident = $word:ty;)*) => {$(
        /// `res` are the digits of the doubles `a` modulo 1, those of each one together, the most significant first.
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _m: *const ZModuleInfo,
            gadget: *const TndblApproxdecompGadget,
            res: *mut $word,
            res_size: u64,
            a: *const f64,
            a_size: u64,
        ) {
            debug_assert!(!gadget.is_null(), "a gadget");
            // SAFETY: the program vouches that `gadget` is a live gadget of this type, `res` writable for `res_size`
            // integers and `a` readable for `a_size` doubles; `numbers` copies `a` where they overlap.
            unsafe {
                let gadget = (*gadget).0;
                let bits = gadget.log2_base;
                assert!(bits <= <$word>::BITS, "digits of {bits} bits: at most {}", <$word>::BITS);
                let (out, a) = numbers((res, res_size), (a, a_size));
                let digits = a.iter().flat_map(|&x| (0..gadget.levels).map(move |level| (x, level)));
                let count = out.len().min(a.len() * gadget.levels as usize);
                for (out, (x, level)) in out.iter_mut().zip(digits) {
                    *out = gadget.digit(gadget.of_double(x), level) as $word;
                }
                out[count..].fill(0);
            }
        }
    )*};
}

small_decompositions! {
    i8_approxdecomp_from_tndbl = i8;
    i16_approxdecomp_from_tndbl = i16;
    i32_approxdecomp_from_tndbl = i32;
}
