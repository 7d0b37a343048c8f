//! Vectors of big coefficients, and of transforms word by word.

use everlevel_ring::base2k::{Module, Transform};

use crate::coefficients::exponent;
use crate::functions::scratch;
use crate::memory::{ModuleInfo, VecZnxBig, VecZnxDft, Vector, base, module, views, words};

/// A term of a sum: words of a vector, or signed integers.
enum Operand<T> {
    Words(*const T, u64),
    Small(*const i64, u64, u64),
}

/// Whether the words of a module are those of doubles.
fn in_doubles(m: &Module) -> bool {
    m.transform() == Transform::Doubles
}

/// `res = Σ ±operand`, of big coefficients, or of transforms if `dft`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
unsafe fn combine<T>(m: &Module, dft: bool, (res, res_size): (*mut T, u64), terms: [(bool, Operand<T>); 2]) {
    let (n, width) = (m.n(), m.width());
    let result = words(m, res, res_size);
    // SAFETY: the caller vouches for the words of the result and of both terms. `inputs` copies operands that overlap
    // the result before `outputs` borrows it.
    unsafe {
        let mut small = vec![0u64; n];
        let operands = terms.map(|(minus, operand)| match operand {
            Operand::Words(p, size) => (minus, words(m, p, size).inputs(n, result), Vec::new()),
            Operand::Small(p, size, stride) => (minus, Vec::new(), Vector::new(p, size, stride).inputs(n, result)),
        });
        for (at, out) in result.outputs(n).into_iter().enumerate() {
            out.fill(0);
            for (minus, big, integers) in &operands {
                let term = match (big.get(at), integers.get(at / width)) {
                    (Some(words), _) => &**words,
                    (None, Some(integers)) if in_doubles(m) => bytemuck::cast_slice::<i64, u64>(integers),
                    (None, Some(integers)) => {
                        m.modulus(at % width).reduce_i64_into(&mut small, integers);
                        &small[..]
                    }
                    (None, None) => continue,
                };
                accumulate(m, dft, at % width, out, term, *minus);
            }
        }
    }
}

/// `out ±= term` at one part of the words.
fn accumulate(m: &Module, dft: bool, part: usize, out: &mut [u64], term: &[u64], minus: bool) {
    match (in_doubles(m), dft, minus) {
        (false, _, false) => m.modulus(part).add_assign(out, term),
        (false, _, true) => m.modulus(part).sub_assign(out, term),
        (true, false, false) => out.iter_mut().zip(term).for_each(|(x, &y)| *x = x.wrapping_add(y)),
        (true, false, true) => out.iter_mut().zip(term).for_each(|(x, &y)| *x = x.wrapping_sub(y)),
        (true, true, _) => {
            let sign = if minus { -1.0 } else { 1.0 };
            let (out, term): (&mut [f64], &[f64]) = (bytemuck::cast_slice_mut(out), bytemuck::cast_slice(term));
            out.iter_mut().zip(term).for_each(|(x, &y)| *x += sign * y);
        }
    }
}

/// `res = 0`, in the transform domain.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_dft_zero(m: *const ModuleInfo, res: *mut VecZnxDft, res_size: u64) {
    // SAFETY: the program vouches that `m` is a live module and `res` an object of its vectors with `res_size`
    // polynomials, all of which `outputs` borrows once.
    unsafe {
        let m = module(m);
        words(m, res, res_size).outputs(m.n()).into_iter().for_each(|x| x.fill(0));
    }
}

/// Sums and differences, each operand as the header has it.
macro_rules! combinations {
    ($($(#[$about:meta])* $name:ident($object:ident, $dft:literal; $a:ident: $of_a:ident, $b:ident: $of_b:ident)
        = $plus:literal, $minus:literal;)*) => {$(
        combinations!(@ $(#[$about])* $name($object, $dft; $a: $of_a, $b: $of_b) = $plus, $minus);
    )*};
    (@ $(#[$about:meta])* $name:ident($object:ident, $dft:literal; $a:ident: big, $b:ident: big) = $x:literal, $y:literal) => {
        $(#[$about])*
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            m: *const ModuleInfo, res: *mut $object, res_size: u64, a: *const $object, a_size: u64, b: *const $object, b_size: u64,
        ) {
            let terms = [($x, Operand::Words(a, a_size)), ($y, Operand::Words(b, b_size))];
            // SAFETY: the program vouches that `m` is a live module, and `res`, `a` and `b` its objects of these sizes;
            // `combine` asks for no more.
            unsafe { combine(module(m), $dft, (res, res_size), terms) }
        }
    };
    (@ $(#[$about:meta])* $name:ident($object:ident, $dft:literal; $a:ident: big, $b:ident: small) = $x:literal, $y:literal) => {
        $(#[$about])*
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            m: *const ModuleInfo, res: *mut $object, res_size: u64, a: *const $object, a_size: u64,
            b: *const i64, b_size: u64, b_sl: u64,
        ) {
            let terms = [($x, Operand::Words(a, a_size)), ($y, Operand::Small(b, b_size, b_sl))];
            // SAFETY: the program vouches that `m` is a live module, `res` and `a` its objects of these sizes, and `b`
            // readable for its polynomials; `combine` asks for no more.
            unsafe { combine(module(m), $dft, (res, res_size), terms) }
        }
    };
    (@ $(#[$about:meta])* $name:ident($object:ident, $dft:literal; $a:ident: small, $b:ident: big) = $x:literal, $y:literal) => {
        $(#[$about])*
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            m: *const ModuleInfo, res: *mut $object, res_size: u64, a: *const i64, a_size: u64, a_sl: u64,
            b: *const $object, b_size: u64,
        ) {
            let terms = [($x, Operand::Small(a, a_size, a_sl)), ($y, Operand::Words(b, b_size))];
            // SAFETY: the program vouches that `m` is a live module, `res` and `b` its objects of these sizes, and `a`
            // readable for its polynomials; `combine` asks for no more.
            unsafe { combine(module(m), $dft, (res, res_size), terms) }
        }
    };
    (@ $(#[$about:meta])* $name:ident($object:ident, $dft:literal; $a:ident: small, $b:ident: small) = $x:literal, $y:literal) => {
        $(#[$about])*
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            m: *const ModuleInfo, res: *mut $object, res_size: u64, a: *const i64, a_size: u64, a_sl: u64,
            b: *const i64, b_size: u64, b_sl: u64,
        ) {
            let terms = [($x, Operand::Small(a, a_size, a_sl)), ($y, Operand::Small(b, b_size, b_sl))];
            // SAFETY: the program vouches that `m` is a live module, `res` its object of this size, and `a` and `b`
            // readable for their polynomials; `combine` asks for no more.
            unsafe { combine(module(m), $dft, (res, res_size), terms) }
        }
    };
}

combinations! {
    /// `res = a + b`, in the transform domain.
    vec_dft_add(VecZnxDft, true; a: big, b: big) = false, false;
    /// `res = a − b`, in the transform domain.
    vec_dft_sub(VecZnxDft, true; a: big, b: big) = false, true;
    /// `res = a + b`.
    vec_znx_big_add(VecZnxBig, false; a: big, b: big) = false, false;
    /// `res = a + b` with small `b`.
    vec_znx_big_add_small(VecZnxBig, false; a: big, b: small) = false, false;
    /// `res = a + b` of small ones.
    vec_znx_big_add_small2(VecZnxBig, false; a: small, b: small) = false, false;
    /// `res = a − b`.
    vec_znx_big_sub(VecZnxBig, false; a: big, b: big) = false, true;
    /// `res = a − b` with small `b`.
    vec_znx_big_sub_small_b(VecZnxBig, false; a: big, b: small) = false, true;
    /// `res = a − b` with small `a`.
    vec_znx_big_sub_small_a(VecZnxBig, false; a: small, b: big) = false, true;
    /// `res = a − b` of small ones.
    vec_znx_big_sub_small2(VecZnxBig, false; a: small, b: small) = false, true;
}

/// Every coefficient to the place `to(j)` modulo `2n`, where `X^n = −1`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
unsafe fn moved(
    m: *const ModuleInfo,
    (res, res_size): (*mut VecZnxBig, u64),
    (a, a_size): (*const VecZnxBig, u64),
    to: impl Fn(usize) -> usize,
) {
    // SAFETY: the caller vouches that `m` is a live module, and `res` and `a` its objects of these sizes. `inputs`
    // copies what overlaps the result before `outputs` borrows it; places are taken modulo `n`, and checked by bounds.
    unsafe {
        let m = module(m);
        let (n, width, result) = (m.n(), m.width(), words(m, res, res_size));
        let a = words(m, a, a_size).inputs(n, result);
        for (at, out) in result.outputs(n).into_iter().enumerate() {
            let Some(a) = a.get(at) else {
                out.fill(0);
                continue;
            };
            for (j, &x) in a.iter().enumerate() {
                let k = to(j) & (2 * n - 1);
                let negated = || if in_doubles(m) { x.wrapping_neg() } else { m.modulus(at % width).neg(x) };
                out[k & (n - 1)] = if k < n { x } else { negated() };
            }
        }
    }
}

/// `res = a·X^p`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_znx_big_rotate(
    m: *const ModuleInfo,
    p: i64,
    res: *mut VecZnxBig,
    res_size: u64,
    a: *const VecZnxBig,
    a_size: u64,
) {
    // SAFETY: the program vouches that `m` is a live module, and `res` and `a` its objects of these sizes. (`2n`
    // divides the `2^20` that exponents are taken modulo.)
    unsafe { moved(m, (res, res_size), (a, a_size), |j| j + exponent(p) as usize) }
}

/// `res = a(X^p)`, for odd `p`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_znx_big_automorphism(
    m: *const ModuleInfo,
    p: i64,
    res: *mut VecZnxBig,
    res_size: u64,
    a: *const VecZnxBig,
    a_size: u64,
) {
    debug_assert!(p % 2 != 0, "X^{p} is no automorphism");
    // SAFETY: the program vouches that `m` is a live module, and `res` and `a` its objects of these sizes.
    unsafe { moved(m, (res, res_size), (a, a_size), |j| j.wrapping_mul(exponent(p) as usize)) }
}

/// `res = a`, with balanced digits of `log2_base2k` bits.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn vec_znx_big_normalize_base2k(
    m: *const ModuleInfo,
    log2_base2k: u64,
    res: *mut i64,
    res_size: u64,
    res_sl: u64,
    a: *const VecZnxBig,
    a_size: u64,
    tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `a` its object of `a_size` polynomials, and `res`
    // writable: what the function for ranges asks for, with all of `a` as the range.
    unsafe {
        vec_znx_big_range_normalize_base2k(m, log2_base2k, res, res_size, res_sl, a, 0, a_size, 1, tmp_space);
    }
}

/// `res` is the part of `a` from `begin` to before `xend`, in steps, with balanced digits of `log2_base2k` bits.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn vec_znx_big_range_normalize_base2k(
    m: *const ModuleInfo,
    log2_base2k: u64,
    res: *mut i64,
    res_size: u64,
    res_sl: u64,
    a: *const VecZnxBig,
    begin: u64,
    xend: u64,
    step: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `a` its object of at least `xend` polynomials, and `res`
    // writable for its own. `inputs` copies what overlaps the result before `outputs` borrows it.
    unsafe {
        let m = module(m);
        let (n, width) = (m.n(), m.width());
        let result = Vector::new(res.cast_const(), res_size, res_sl);
        let all = words(m, a, xend).inputs(n, result);
        let all = views(&all);
        let polynomials = all.chunks_exact(width).skip(begin as usize).step_by(step.max(1) as usize);
        let range: Vec<&[u64]> = polynomials.flatten().copied().collect();
        m.normalize(base(log2_base2k), &mut result.outputs(n), &range);
    }
}

scratch! { ModuleInfo:
    vec_znx_big_normalize_base2k_tmp_bytes();
    vec_znx_big_range_normalize_base2k_tmp_bytes();
}
