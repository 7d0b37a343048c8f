//! Doubles as integers and as elements of the torus, and back.

use crate::functions::of_one;
use crate::memory::{Vector, each, module, numbers, views};
use crate::rnx::RnxModuleInfo;
use crate::zn::ZModuleInfo;

/// `2^52`: doubles from here to its double are the integers.
const INTEGER: f64 = (1u64 << 52) as f64;
/// Added to `|x| ≤ 2^51`, rounds to the nearest integer, ties to even: the sum has it in its low bits, modulo `2^52`.
pub(crate) const ROUND: f64 = 1.5 * INTEGER;
/// The unit of torus words.
const UNIT: f64 = 1.0 / (1u64 << 32) as f64;

/// The nearest integer, ties to even: a call of `rint` for each coefficient would take longer.
fn nearest(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < INTEGER { ((magnitude + INTEGER) - INTEGER).copysign(x) } else { x }
}

/// `x` modulo 1, in `[−1/2, 1/2]`, exactly.
pub(crate) fn centred(x: f64) -> f64 {
    x - nearest(x)
}

/// The nearest integer to `|x| ≤ 2^51`, modulo `2^52`, with other bits above.
fn integer(x: f64) -> u64 {
    (x + ROUND).to_bits()
}

/// `x` modulo 1 in units of `2^-32`, rounded to even at ties.
fn torus(x: f64) -> i32 {
    integer(centred(x) / UNIT) as i32
}

fn map<T: Copy, R>(out: &mut [R], a: &[T], f: impl Fn(T) -> R) {
    out.iter_mut().zip(a).for_each(|(out, &x)| *out = f(x));
}

of_one! { RnxModuleInfo, f64 => i32:
    /// `res` are the nearest integers to `a`, ties to even, modulo `2^32`, where `|a| ≤ 2^51`.
    vec_rnx_to_znx32() = |_, out, a| each(out, a, |out, a| map(out, a, |x| integer(x) as i32));
    /// `res` is `a` modulo 1, rounded to units of `2^-32`, ties to even.
    vec_rnx_to_tnx32() = |_, out, a| each(out, a, |out, a| map(out, a, torus));
}

of_one! { RnxModuleInfo, i32 => f64:
    /// `res = a`.
    vec_rnx_from_znx32() = |_, out, a| each(out, a, |out, a| map(out, a, f64::from));
    /// `res = 2^-32·a`.
    vec_rnx_from_tnx32() = |_, out, a| each(out, a, |out, a| map(out, a, |x| f64::from(x) * UNIT));
}

of_one! { RnxModuleInfo, f64 => f64:
    /// `res` is `a` modulo 1, in `[−1/2, 1/2]`.
    vec_rnx_to_tnxdbl() = |_, out, a| each(out, a, |out, a| map(out, a, centred));
}

/// `res_i` is the pair `(a_2i, a_(2i+1))` modulo 1, each rounded as by [`vec_rnx_to_tnx32`]: `2n` words, those of the
/// first one before those of the second.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_rnx_to_tnx32x2(
    m: *const RnxModuleInfo,
    res: *mut i32,
    res_size: u64,
    res_sl: u64,
    a: *const f64,
    a_size: u64,
    a_sl: u64,
) {
    // SAFETY: the program vouches that `m` is a live module, `a` readable for its polynomials and `res` writable for
    // polynomials of `2n` words, whose addresses decide what of `a` is copied before `outputs` borrows them.
    unsafe {
        let (n, result) = (module(m).n(), Vector::new(res.cast_const(), res_size, res_sl));
        let a = Vector::new(a, a_size, a_sl).inputs_beside(n, result.addresses(2 * n));
        let mut out: Vec<&mut [i32]> = result.outputs(2 * n).into_iter().flat_map(|x| x.chunks_exact_mut(n)).collect();
        each(&mut out, &views(&a), |out, a| map(out, a, torus));
    }
}

/// `res_2i` and `res_(2i+1)` are the parts of the pair `a_i`, times `2^-32`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_rnx_from_tnx32x2(
    m: *const RnxModuleInfo,
    res: *mut f64,
    res_size: u64,
    res_sl: u64,
    a: *const i32,
    a_size: u64,
    a_sl: u64,
) {
    // SAFETY: the program vouches that `m` is a live module, `res` writable for its polynomials and `a` readable for
    // polynomials of `2n` words, which are copied where they overlap the result before `outputs` borrows it.
    unsafe {
        let (n, result) = (module(m).n(), Vector::new(res.cast_const(), res_size, res_sl));
        let a = Vector::new(a, a_size, a_sl).inputs_beside(2 * n, result.addresses(n));
        let a: Vec<&[i32]> = a.iter().flat_map(|a| a.chunks_exact(n)).collect();
        each(&mut result.outputs(n), &a, |out, a| map(out, a, |x| f64::from(x) * UNIT));
    }
}

/// Functions of vectors of numbers.
macro_rules! of_numbers {
    ($($(#[$about:meta])* $name:ident($from:ty => $to:ty) = $f:expr;)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _m: *const ZModuleInfo,
            res: *mut $to,
            res_size: u64,
            a: *const $from,
            a_size: u64,
        ) {
            // SAFETY: the program vouches that `res` is writable for `res_size` numbers and `a` readable for `a_size`;
            // `numbers` copies `a` where they overlap.
            unsafe {
                let (out, a) = numbers((res, res_size), (a, a_size));
                let (out, rest) = out.split_at_mut(out.len().min(a.len()));
                map(out, &a, $f);
                rest.fill(<$to>::default());
            }
        }
    )*};
}

of_numbers! {
    /// `res` is `a` modulo 1, rounded to units of `2^-32`, ties to even.
    dbl_to_tn32(f64 => i32) = torus;
    /// `res = 2^-32·a`.
    tn32_to_dbl(i32 => f64) = |x| f64::from(x) * UNIT;
    /// `res` are the nearest integers to `a`, ties to even, modulo `2^32`, where `|a| ≤ 2^51`.
    dbl_round_to_i32(f64 => i32) = |x| integer(x) as i32;
    /// `res = a`.
    i32_to_dbl(i32 => f64) = f64::from;
    /// `res` are the nearest integers to `a`, ties to even, where `|a| < 2^63`.
    dbl_round_to_i64(f64 => i64) = |x| nearest(x) as i64;
    /// `res = a`, rounded beyond `2^53`.
    i64_to_dbl(i64 => f64) = |x| x as f64;
}
