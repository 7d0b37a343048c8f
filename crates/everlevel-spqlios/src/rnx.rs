//! Modules of real polynomials, and vectors of doubles.

use std::ops::Deref;

use everlevel_math::monomial;

use crate::coefficients::exponent;
use crate::functions::{of_one, of_two};
use crate::memory::{FFT64, Vector, boxed, each, module, unboxed};
use crate::ring::Ring;

/// The transforms of one degree, for real polynomials.
#[derive(Debug)]
pub struct RnxModuleInfo(Ring);

impl Deref for RnxModuleInfo {
    type Target = Ring;

    fn deref(&self) -> &Ring {
        &self.0
    }
}

/// A module of degree `n`, or null where there is none: `n` is a power of two from 2 to `2^16`, in `FFT64`.
#[unsafe(no_mangle)]
pub extern "C" fn new_rnx_module_info(n: u64, mode: u32) -> *mut RnxModuleInfo {
    boxed(Ring::new(n).filter(|_| mode == FFT64).map(RnxModuleInfo))
}

/// Gives a module back.
///
/// # Safety
/// The pointer is from [`new_rnx_module_info`], and not used any more; or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn delete_rnx_module_info(module: *mut RnxModuleInfo) {
    // SAFETY: the program vouches that the module is null or from `new_rnx_module_info`, which makes it by `boxed`, and
    // not used any more.
    unsafe { unboxed(module) }
}

/// The degree.
///
/// # Safety
/// The module is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rnx_module_get_n(m: *const RnxModuleInfo) -> u64 {
    // SAFETY: the program vouches that the module is from `new_rnx_module_info` and not deleted.
    unsafe { module(m) }.n() as u64
}

/// `res = 0`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_rnx_zero(m: *const RnxModuleInfo, res: *mut f64, res_size: u64, res_sl: u64) {
    // SAFETY: the program vouches that `m` is a live module and `res` writable for `res_size` polynomials of `n`
    // doubles, `res_sl` doubles apart, which nobody else uses during the call.
    unsafe { Vector::new(res, res_size, res_sl).outputs(module(m).n()) }.into_iter().for_each(|x| x.fill(0.0));
}

of_one! { RnxModuleInfo, f64 => f64:
    /// `res = a`.
    vec_rnx_copy() = |_, out, a| each(out, a, |out, a| out.copy_from_slice(a));
    /// `res = −a`.
    vec_rnx_negate() = |_, out, a| each(out, a, |out, a| out.iter_mut().zip(a).for_each(|(out, x)| *out = -x));
    /// `res = a·X^p`.
    vec_rnx_rotate(p: i64) = |m, out, a| each(out, a, |out, a| monomial::rotate(out, a, turns(p, m)));
    /// `res = a·(X^p − 1)`.
    vec_rnx_mul_xp_minus_one(p: i64)
        = |m, out, a| each(out, a, |out, a| monomial::rotate_sub(out, a, turns(p, m)));
    /// `res = a(X^p)`, for odd `p`.
    vec_rnx_automorphism(p: i64) = |_, out, a| each(out, a, |out, a| monomial::automorphism(out, a, exponent(p)));
}

/// An exponent of a monomial, in `0..2n`.
fn turns(p: i64, ring: &Ring) -> usize {
    p.rem_euclid(2 * ring.n() as i64) as usize
}

of_two! { RnxModuleInfo, f64:
    /// `res = a + b`.
    vec_rnx_add = |out, a, b| zip_into(out, (a, b), |x, y| x + y);
    /// `res = a − b`.
    vec_rnx_sub = |out, a, b| zip_into(out, (a, b), |x, y| x - y);
}

/// `out_j = f(a_j, b_j)`, with 0 for what an operand lacks.
fn zip_into(out: &mut [&mut [f64]], (a, b): (&[&[f64]], &[&[f64]]), f: impl Fn(f64, f64) -> f64) {
    let zeros = vec![0.0; out.first().map_or(0, |out| out.len())];
    for (j, out) in out.iter_mut().enumerate() {
        let [a, b] = [a, b].map(|operand| operand.get(j).copied().unwrap_or(&zeros));
        out.iter_mut().zip(a.iter().zip(b)).for_each(|(out, (&x, &y))| *out = f(x, y));
    }
}
