//! Vectors of polynomials of signed words.

use everlevel_ring::base2k::coefficients;

use crate::functions::{of_one, of_two, scratch};
use crate::memory::{ModuleInfo, Vector, base, module, views};

/// `res = 0`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_znx_zero(m: *const ModuleInfo, res: *mut i64, res_size: u64, res_sl: u64) {
    // SAFETY: the program vouches that `m` is a live module and `res` writable for `res_size` polynomials of `n` words,
    // `res_sl` words apart, which nobody else uses during the call.
    unsafe { Vector::new(res, res_size, res_sl).outputs(module(m).n()) }.into_iter().for_each(|x| x.fill(0));
}

of_one! { ModuleInfo, i64 => i64:
    /// `res = a`.
    vec_znx_copy() = |_m, out, a| coefficients::add_into(out, a, &[]);
    /// `res = −a`.
    vec_znx_negate() = |_m, out, a| coefficients::sub_into(out, &[], a);
    /// `res = a·X^p`.
    vec_znx_rotate(p: i64) = |_m, out, a| coefficients::rotate_into(out, a, p);
    /// `res = a(X^p)`, for odd `p`.
    vec_znx_automorphism(p: i64) = |_m, out, a| coefficients::automorphism_into(out, a, exponent(p));
}

/// An exponent of an automorphism as an unsigned number, modulo every `2n`.
pub(crate) fn exponent(p: i64) -> u64 {
    p.rem_euclid(1 << 20) as u64
}

of_two! { ModuleInfo, i64:
    /// `res = a + b`.
    vec_znx_add = |out, a, b| coefficients::add_into(out, a, b);
    /// `res = a − b`.
    vec_znx_sub = |out, a, b| coefficients::sub_into(out, a, b);
}

/// `res = a`, with balanced digits of `log2_base2k` bits.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
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
    // SAFETY: the program vouches that `m` is a live module, `res` writable and `a` readable for their polynomials.
    // `inputs` copies what overlaps the result before `outputs` borrows it.
    unsafe {
        let (n, result) = (module(m).n(), Vector::new(res.cast_const(), res_size, res_sl));
        let a = Vector::new(a, a_size, a_sl).inputs(n, result);
        coefficients::shift_into(base(log2_base2k), &mut result.outputs(n), &views(&a), 0);
    }
}

scratch! { ModuleInfo:
    vec_znx_normalize_base2k_tmp_bytes();
}
