//! Transforms of real polynomials, and products by them.
//!
//! *Scaling.* The inverse transform has the factor `m = n/2`, as the original's. Prepared operands are divided by `m`,
//! so that products with them are right after it.

use std::slice::{from_raw_parts, from_raw_parts_mut};

use crate::conversions::centred;
use crate::functions::{of_one, scratch};
use crate::memory::{Vector, each, module, objects, views};
use crate::ring::Ring;
use crate::rnx::RnxModuleInfo;

of_one! { RnxModuleInfo, f64 => f64:
    /// `res` is the transform of `a`.
    vec_rnx_dft() = |m, out, a| each(out, a, |out, a| m.forward(out, a));
    /// `res` is `n/2` times the polynomial of the transform `a_dft`.
    vec_rnx_idft() = |m, out, a| {
        let mut x = vec![0.0; m.n()];
        each(out, a, |out, a| {
            x.copy_from_slice(a);
            m.inverse(out, &mut x);
        });
    };
}

/// Products of two polynomials.
macro_rules! single_products {
    ($($(#[$about:meta])* $name:ident($word:ty) = |$m:ident, $out:ident, $a:ident, $b:ident| $work:expr;)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            m: *const RnxModuleInfo,
            res: *mut $word,
            a: *const $word,
            b: *const $word,
            _tmp: *mut u8,
        ) {
            // SAFETY: the program vouches that `m` is a live module, `res` writable and `a` and `b` readable for one
            // polynomial each; operands are copied where they overlap the result.
            unsafe {
                let ($m, result) = (module(m), Vector::new(res.cast_const(), 1, 0));
                let [a, b] = [a, b].map(|p| Vector::new(p, 1, 0).inputs($m.n(), result));
                let ($out, $a, $b) = (result.outputs($m.n()).remove(0), &a[0], &b[0]);
                $work;
            }
        }
    )*};
}

single_products! {
    /// `res = a·b`.
    rnx_small_single_product(f64) = |m, out, a, b| m.multiply_into(out, a, b);
    /// `res = a·b` modulo 1, for `a` with integer coefficients.
    tnxdbl_small_single_product(f64) = |m, out, a, b| {
        m.multiply_into(out, a, b);
        out.iter_mut().for_each(|x| *x = centred(*x));
    };
    /// `res = a·b`, modulo `2^32`.
    znx32_small_single_product(i32) = |m, out, a, b| m.multiply_words_into(out, a, b);
    /// `res = a·b` modulo 1, for `a` of integers and `b` in units of `2^-32`.
    tnx32_small_single_product(i32) = |m, out, a, b| m.multiply_words_into(out, a, b);
}

objects! { RnxModuleInfo:
    /// A prepared scalar.
    RnxSvpPpol: bytes_of_rnx_svp_ppol, new_rnx_svp_ppol, delete_rnx_svp_ppol() = |m| m.n() * 8;
    /// A prepared matrix: columns of transforms.
    RnxVmpPmat: bytes_of_rnx_vmp_pmat, new_rnx_vmp_pmat, delete_rnx_vmp_pmat(nrows, ncols)
        = |m| nrows as usize * ncols as usize * m.n() * 8;
}

/// Prepares a scalar polynomial.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rnx_svp_prepare(m: *const RnxModuleInfo, ppol: *mut RnxSvpPpol, pol: *const f64) {
    // SAFETY: the program vouches that `m` is a live module, `ppol` its prepared scalar of `n` doubles, writable and
    // apart from `pol`, which is readable for one polynomial.
    unsafe {
        let m = module(m);
        m.prepare(from_raw_parts_mut(ppol.cast(), m.n()), from_raw_parts(pol, m.n()));
    }
}

/// `res` is the prepared scalar times `a`: coefficients, as the original computes, which announces transforms.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn rnx_svp_apply(
    m: *const RnxModuleInfo,
    res: *mut f64,
    res_size: u64,
    res_sl: u64,
    ppol: *const RnxSvpPpol,
    a: *const f64,
    a_size: u64,
    a_sl: u64,
) {
    // SAFETY: the program vouches that `m` is a live module, `ppol` its prepared scalar of `n` doubles, apart from the
    // result, `res` writable and `a` readable for their polynomials; `a` is copied where it overlaps the result.
    unsafe {
        let m = module(m);
        let (n, result) = (m.n(), Vector::new(res.cast_const(), res_size, res_sl));
        let a = Vector::new(a, a_size, a_sl).inputs(n, result);
        let scalar: &[f64] = from_raw_parts(ppol.cast(), n);
        let (mut x, mut product) = (vec![0.0; n], vec![0.0; n]);
        each(&mut result.outputs(n), &views(&a), |out, a| {
            m.forward(&mut x, a);
            m.inner_product_into(&mut product, &[&x], &[scalar]);
            m.inverse(out, &mut product);
        });
    }
}

/// Prepares a matrix: `nrows` rows of `ncols` polynomials, one after another.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rnx_vmp_prepare_contiguous(
    m: *const RnxModuleInfo,
    pmat: *mut RnxVmpPmat,
    a: *const f64,
    nrows: u64,
    ncols: u64,
    _tmp_space: *mut u8,
) {
    let (rows, columns) = (nrows as usize, ncols as usize);
    // SAFETY: the program vouches that `m` is a live module, `pmat` its prepared matrix of `rows·columns` transforms of
    // `n` doubles, writable, and `a` readable for as many polynomials, apart from it; entry and polynomial are places
    // of these.
    unsafe {
        let m = module(m);
        let n = m.n();
        for (column, row) in (0..columns).flat_map(|column| (0..rows).map(move |row| (column, row))) {
            let out = from_raw_parts_mut(pmat.cast::<f64>().add((column * rows + row) * n), n);
            m.prepare(out, from_raw_parts(a.add((row * columns + column) * n), n));
        }
    }
}

/// The row vector `x` of transforms times a prepared matrix, column by column: `f` gets each result's place and the
/// column that it is of, as many entries as `x` has.
///
/// # Safety
/// The matrix has such rows and columns; `x` has as many entries at most as it has rows.
unsafe fn each_column(
    m: &Ring,
    out: &mut [&mut [f64]],
    (pmat, rows, columns): (*const RnxVmpPmat, u64, u64),
    count: usize,
    mut f: impl FnMut(&mut [f64], &[&[f64]]),
) {
    // SAFETY: the caller vouches for a prepared matrix of `columns` columns of `rows` transforms each; entries are
    // asked for with `row < count ≤ rows` and `column < columns`.
    let entry = |at: usize| unsafe { from_raw_parts(pmat.cast::<f64>().add(at * m.n()), m.n()) };
    for (column, out) in out.iter_mut().enumerate() {
        if column < columns as usize {
            f(out, &(0..count).map(|row| entry(column * rows as usize + row)).collect::<Vec<_>>());
        } else {
            out.fill(0.0);
        }
    }
}

/// `res` is the row vector `tmpa` times a prepared matrix. `tmpa` stays as it is.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn rnx_vmp_apply_tmp_a(
    m: *const RnxModuleInfo,
    res: *mut f64,
    res_size: u64,
    res_sl: u64,
    tmpa: *mut f64,
    a_size: u64,
    a_sl: u64,
    pmat: *const RnxVmpPmat,
    nrows: u64,
    ncols: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `res` writable, `tmpa` readable for its polynomials, and
    // `pmat` a prepared matrix of these rows and columns, apart from the result. No more entries of `tmpa` are taken
    // than the matrix has rows, and they are transformed into memory of this function before the result is written to.
    unsafe {
        let (m, result) = (module(m), Vector::new(res.cast_const(), res_size, res_sl));
        let a = Vector::new(tmpa.cast_const(), a_size.min(nrows), a_sl).inputs(m.n(), result);
        let mut transforms = vec![0.0; a.len() * m.n()];
        transforms.chunks_exact_mut(m.n()).zip(&a).for_each(|(out, a)| m.forward(out, a));
        let x: Vec<&[f64]> = transforms.chunks_exact(m.n()).collect();
        let mut product = vec![0.0; m.n()];
        each_column(m, &mut result.outputs(m.n()), (pmat, nrows, ncols), x.len(), |out, y| {
            m.inner_product_into(&mut product, &x, y);
            m.inverse(out, &mut product);
        });
    }
}

/// `res` is the transform of the row vector with the transform `a_dft` times a prepared matrix.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn rnx_vmp_apply_dft_to_dft(
    m: *const RnxModuleInfo,
    res: *mut f64,
    res_size: u64,
    res_sl: u64,
    a_dft: *const f64,
    a_size: u64,
    a_sl: u64,
    pmat: *const RnxVmpPmat,
    nrows: u64,
    ncols: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `res` writable, `a_dft` readable for its polynomials, and
    // `pmat` a prepared matrix of these rows and columns, apart from the result. No more entries are taken than the
    // matrix has rows, and they are copied where they overlap the result.
    unsafe {
        let (m, result) = (module(m), Vector::new(res.cast_const(), res_size, res_sl));
        let a = Vector::new(a_dft, a_size.min(nrows), a_sl).inputs(m.n(), result);
        let x = views(&a);
        each_column(m, &mut result.outputs(m.n()), (pmat, nrows, ncols), x.len(), |out, y| {
            m.inner_product_into(out, &x, y);
        });
    }
}

scratch! { RnxModuleInfo:
    rnx_small_single_product_tmp_bytes();
    tnxdbl_small_single_product_tmp_bytes();
    znx32_small_single_product_tmp_bytes();
    tnx32_small_single_product_tmp_bytes();
    rnx_vmp_prepare_contiguous_tmp_bytes();
    rnx_vmp_apply_tmp_a_tmp_bytes(res_size, a_size, nrows, ncols);
    rnx_vmp_apply_dft_to_dft_tmp_bytes(res_size, a_size, nrows, ncols);
}
