//! Vectors of polynomials of signed words.

use everlevel_ring::base2k::coefficients;

use crate::memory::{ModuleInfo, Vector, base, module, views};

/// `res = 0`.
///
/// # Safety
/// As all functions of this crate: pointers are those of the header, of live objects and of vectors in memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_znx_zero(m: *const ModuleInfo, res: *mut i64, res_size: u64, res_sl: u64) {
    // SAFETY: the caller's contract; likewise below.
    unsafe { Vector::new(res, res_size, res_sl).outputs(module(m).n()) }.into_iter().for_each(|x| x.fill(0));
}

/// Functions of one vector.
macro_rules! of_one {
    ($($(#[$about:meta])* $name:ident($($extra:ident: $type:ty),*) = |$out:ident, $a:ident| $work:expr;)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// As [`vec_znx_zero`].
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            m: *const ModuleInfo,
            $($extra: $type,)*
            res: *mut i64,
            res_size: u64,
            res_sl: u64,
            a: *const i64,
            a_size: u64,
            a_sl: u64,
        ) {
            // SAFETY: the caller's contract.
            unsafe {
                let (n, result) = (module(m).n(), Vector::new(res.cast_const(), res_size, res_sl));
                let a = Vector::new(a, a_size, a_sl).inputs(n, result);
                let ($out, $a) = (&mut result.outputs(n)[..], &views(&a)[..]);
                $work;
            }
        }
    )*};
}

of_one! {
    /// `res = a`.
    vec_znx_copy() = |out, a| coefficients::add_into(out, a, &[]);
    /// `res = −a`.
    vec_znx_negate() = |out, a| coefficients::sub_into(out, &[], a);
    /// `res = a·X^p`.
    vec_znx_rotate(p: i64) = |out, a| coefficients::rotate_into(out, a, p);
    /// `res = a(X^p)`, for odd `p`.
    vec_znx_automorphism(p: i64) = |out, a| coefficients::automorphism_into(out, a, exponent(p));
}

/// An exponent of an automorphism as an unsigned number, modulo every `2n`.
pub(crate) fn exponent(p: i64) -> u64 {
    p.rem_euclid(1 << 20) as u64
}

/// Functions of two vectors.
macro_rules! of_two {
    ($($(#[$about:meta])* $name:ident = $work:path;)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// As [`vec_znx_zero`].
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            m: *const ModuleInfo,
            res: *mut i64,
            res_size: u64,
            res_sl: u64,
            a: *const i64,
            a_size: u64,
            a_sl: u64,
            b: *const i64,
            b_size: u64,
            b_sl: u64,
        ) {
            // SAFETY: the caller's contract.
            unsafe {
                let (n, result) = (module(m).n(), Vector::new(res.cast_const(), res_size, res_sl));
                let a = Vector::new(a, a_size, a_sl).inputs(n, result);
                let b = Vector::new(b, b_size, b_sl).inputs(n, result);
                $work(&mut result.outputs(n), &views(&a), &views(&b));
            }
        }
    )*};
}

of_two! {
    /// `res = a + b`.
    vec_znx_add = coefficients::add_into;
    /// `res = a − b`.
    vec_znx_sub = coefficients::sub_into;
}

/// `res = a`, with balanced digits of `log2_base2k` bits.
///
/// # Safety
/// As [`vec_znx_zero`].
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn vec_znx_normalize_base2k(
    m: *const ModuleInfo,
    log2_base2k: u64,
    res: *mut i64,
    res_size: u64,
    res_sl: u64,
    a: *const i64,
    a_size: u64,
    a_sl: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (n, result) = (module(m).n(), Vector::new(res.cast_const(), res_size, res_sl));
        let a = Vector::new(a, a_size, a_sl).inputs(n, result);
        coefficients::shift_into(base(log2_base2k), &mut result.outputs(n), &views(&a), 0);
    }
}

/// Bytes of scratch, of which none are needed: 64, so that programs get a pointer from their allocator.
pub(crate) const SCRATCH: u64 = 64;

/// Functions that say how much scratch another one needs.
macro_rules! scratch {
    ($($name:ident($($size:ident),*);)*) => {$(
        /// Bytes of scratch.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(_m: *const $crate::memory::ModuleInfo $(, $size: u64)*) -> u64 {
            $(let _ = $size;)*
            $crate::coefficients::SCRATCH
        }
    )*};
}
pub(crate) use scratch;

scratch! {
    vec_znx_normalize_base2k_tmp_bytes();
}
