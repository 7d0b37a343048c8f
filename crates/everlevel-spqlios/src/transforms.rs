//! Transforms, and products in their domain.

use everlevel_ring::Limb;
use everlevel_ring::base2k::Module;

use crate::functions::scratch;
use crate::memory::{
    CnvPvecL, CnvPvecR, ModuleInfo, SvpPpol, VecZnxBig, VecZnxDft, Vector, VmpPmat, VmpPvec, base, module, views, words,
};

/// A vector of no polynomials, which nothing overlaps.
const NOTHING: Vector<u64> = Vector { at: std::ptr::null(), size: 0, stride: 0 };

/// The transforms of a vector, where the result is memory of its own.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
unsafe fn forward<T>(m: &Module, (res, res_size): (*mut T, u64), a: Vector<i64>) {
    // SAFETY: the caller vouches that `res` is an object of the module with `res_size` polynomials, and `a` readable
    // for its own. `inputs` copies what overlaps the result before `outputs` borrows it.
    unsafe {
        let result = words(m, res, res_size);
        let a = a.inputs(m.n(), result);
        m.forward(&mut result.outputs(m.n()), &views(&a));
    }
}

/// The transforms of polynomials, in scratch of the module: `width` limbs for each of them.
fn transforms(m: &Module, a: &[&[i64]]) -> Vec<Limb> {
    let mut out = m.scratch(a.len() * m.width());
    m.forward(&mut out.iter_mut().map(|limb| &mut limb[..]).collect::<Vec<_>>(), a);
    out
}

/// `res` is the transform of `a`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_znx_dft(
    m: *const ModuleInfo,
    res: *mut VecZnxDft,
    res_size: u64,
    a: *const i64,
    a_size: u64,
    a_sl: u64,
) {
    // SAFETY: the program vouches that `m` is a live module, `res` its object of this size, and `a` readable for its
    // polynomials: what `forward` asks for.
    unsafe { forward(module(m), (res, res_size), Vector::new(a, a_size, a_sl)) }
}

/// `res` are the big coefficients of the transform `a_dft`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_znx_idft(
    m: *const ModuleInfo,
    res: *mut VecZnxBig,
    res_size: u64,
    a_dft: *const VecZnxDft,
    a_size: u64,
    _tmp: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, and `res` and `a_dft` its objects of these sizes. `inputs`
    // copies what overlaps the result before `outputs` borrows it.
    unsafe {
        let m = module(m);
        let result = words(m, res, res_size);
        let a = words(m, a_dft, a_size).inputs(m.n(), result);
        let mut out = result.outputs(m.n());
        for (at, out) in out.iter_mut().enumerate() {
            match a.get(at) {
                Some(a) => out.copy_from_slice(a),
                None => out.fill(0),
            }
        }
        let given = out.len().min(a.len());
        m.inverse(&mut out[..given]);
    }
}

/// [`vec_znx_idft`] with leave to overwrite `a_dft`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vec_znx_idft_tmp_a(
    m: *const ModuleInfo,
    res: *mut VecZnxBig,
    res_size: u64,
    a_dft: *mut VecZnxDft,
    a_size: u64,
) {
    // SAFETY: the program vouches for what `vec_znx_idft` asks for, which reads `a_dft` and has no use for scratch.
    unsafe { vec_znx_idft(m, res, res_size, a_dft, a_size, std::ptr::null_mut()) }
}

/// Prepares a scalar polynomial.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svp_prepare(m: *const ModuleInfo, ppol: *mut SvpPpol, pol: *const i64) {
    // SAFETY: the program vouches that `m` is a live module, `ppol` its prepared scalar, which has the words of one
    // transform, and `pol` readable for one polynomial.
    unsafe { forward(module(m), (ppol, 1), Vector::new(pol, 1, 0)) }
}

/// `res` is the transform of the prepared scalar times `a`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svp_apply_dft(
    m: *const ModuleInfo,
    res: *const VecZnxDft,
    res_size: u64,
    ppol: *const SvpPpol,
    a: *const i64,
    a_size: u64,
    a_sl: u64,
) {
    // SAFETY: the program vouches that `m` is a live module, `res` its object of `res_size` polynomials, `ppol` its
    // prepared scalar, and `a` readable for its polynomials. The header has a `const` result, as the original has; it
    // is the program's memory to be written to.
    unsafe {
        let size = res_size.min(a_size);
        vec_znx_dft(m, res.cast_mut(), res_size, a, a_size, a_sl);
        svp_apply_dft_to_dft(m, res, res_size, ppol, res, size);
    }
}

/// [`svp_apply_dft`] under the name of the original's double-precision form.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fft64_svp_apply_dft(
    m: *const ModuleInfo,
    res: *const VecZnxDft,
    res_size: u64,
    ppol: *const SvpPpol,
    a: *const i64,
    a_size: u64,
    a_sl: u64,
) {
    // SAFETY: the program vouches for what `svp_apply_dft` asks for, with the same arguments.
    unsafe { svp_apply_dft(m, res, res_size, ppol, a, a_size, a_sl) }
}

/// `res` is the transform `a_dft` times that of the prepared scalar.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svp_apply_dft_to_dft(
    m: *const ModuleInfo,
    res: *const VecZnxDft,
    res_size: u64,
    ppol: *const SvpPpol,
    a_dft: *const VecZnxDft,
    a_size: u64,
) {
    // SAFETY: the program vouches that `m` is a live module, `res` and `a_dft` its objects of these sizes, and `ppol`
    // its prepared scalar. `inputs` copies what overlaps the result, as where `a_dft` is `res`, before `outputs`
    // borrows it.
    unsafe {
        let m = module(m);
        let result = words(m, res, res_size);
        let scalar = words(m, ppol, 1).inputs(m.n(), result);
        let a = words(m, a_dft, a_size).inputs(m.n(), result);
        m.multiply_scalar(&mut result.outputs(m.n()), &views(&scalar), &views(&a));
    }
}

/// `res = a·b`, where the coefficients of the product fit 64 bits.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn znx_small_single_product(
    m: *const ModuleInfo,
    res: *mut i64,
    a: *const i64,
    b: *const i64,
    _tmp: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `res` writable and `a` and `b` readable for one polynomial
    // each; operands are copied where they overlap the result.
    unsafe {
        let (m, result) = (module(m), Vector::new(res.cast_const(), 1, 0));
        let [a, b] = [a, b].map(|p| Vector::new(p, 1, 0).inputs(m.n(), result));
        product_into(m, result.outputs(m.n()).remove(0), &a[0], &b[0]);
    }
}

/// `out = a·b` modulo `2^64`, where sums of products are right in the module.
pub(crate) fn product_into(m: &Module, out: &mut [i64], a: &[i64], b: &[i64]) {
    let (x, y) = (transforms(m, &[a]), transforms(m, &[b]));
    let mut product = m.scratch(m.width());
    let [x, y] = [&x, &y].map(|limbs| limbs.iter().map(|limb| &limb[..]).collect::<Vec<_>>());
    let mut slices: Vec<&mut [u64]> = product.iter_mut().map(|limb| &mut limb[..]).collect();
    m.multiply_scalar(&mut slices, &x, &y);
    m.inverse(&mut slices);
    // Two digits of 32 bits.
    let big: Vec<&[u64]> = slices.iter().map(|words| &**words).collect();
    let zeros = vec![0u64; m.n()];
    let with_place: Vec<&[u64]> = (0..m.width()).map(|_| &zeros[..]).chain(big).collect();
    let mut digits = [vec![0i64; m.n()], vec![0i64; m.n()]];
    let [high, low] = &mut digits;
    m.normalize(base(32), &mut [&mut high[..], &mut low[..]], &with_place);
    for (out, (&high, &low)) in out.iter_mut().zip(high.iter().zip(low.iter())) {
        *out = (high << 32).wrapping_add(low);
    }
}

/// Prepares a matrix: `nrows` rows of `ncols` polynomials, one after another.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmp_prepare_contiguous(
    m: *const ModuleInfo,
    pmat: *mut VmpPmat,
    mat: *const i64,
    nrows: u64,
    ncols: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `pmat` its object of this shape, and `mat` readable for
    // `nrows·ncols` polynomials, one after another: entry `entry` is among them.
    unsafe {
        let n = module(m).n();
        prepare_matrix(module(m), pmat, (nrows, ncols), |entry| mat.add(entry * n));
    }
}

/// Prepares a matrix of which `mat[row·ncols + col]` is the address of an entry.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmp_prepare_dblptr(
    m: *const ModuleInfo,
    pmat: *mut VmpPmat,
    mat: *const *const i64,
    nrows: u64,
    ncols: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `pmat` its object of this shape, and `mat` an array of
    // `nrows·ncols` pointers, each to a readable polynomial.
    unsafe { prepare_matrix(module(m), pmat, (nrows, ncols), |entry| *mat.add(entry)) }
}

/// # Safety
/// The [contract](crate#safety) of this crate's functions.
unsafe fn prepare_matrix(
    m: &Module,
    pmat: *mut VmpPmat,
    (rows, columns): (u64, u64),
    entry: impl Fn(usize) -> *const i64,
) {
    let (rows, columns) = (rows as usize, columns as usize);
    // SAFETY: the caller vouches that `pmat` has the bytes of such a matrix, writable and apart from the entries, and
    // `entry` gives readable polynomials of `n` words for every `at < rows·columns`. All bytes are of an allocation of
    // the program's or this library's, and bytes have no invalid values.
    unsafe {
        let bytes = std::slice::from_raw_parts_mut(pmat.cast::<u8>(), m.matrix_nbytes(rows, columns));
        let end = bytes.len() - m.matrix_nbytes(0, 0);
        bytes[end..].fill(0);
        let mut matrix = m.matrix_in(bytes, rows, columns);
        for at in 0..rows * columns {
            let polynomial = std::slice::from_raw_parts(entry(at), m.n());
            m.prepare(&mut matrix, (at / columns, at % columns), polynomial);
        }
    }
}

/// Prepares a vector of `nrows` polynomials for products with matrices.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmp_prepare_vector(
    m: *const ModuleInfo,
    pvec: *mut VmpPvec,
    nrows: u64,
    a: *const i64,
    a_size: u64,
    a_sl: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `pvec` an object of `nrows` transforms, and `a` readable
    // for its polynomials: what `forward` asks for.
    unsafe { forward(module(m), (pvec, nrows), Vector::new(a, a_size, a_sl)) }
}

/// `res` is the transform of the row vector `a` times a prepared matrix.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn vmp_apply_dft(
    m: *const ModuleInfo,
    res: *mut VecZnxDft,
    res_size: u64,
    a: *const i64,
    a_size: u64,
    a_sl: u64,
    pmat: *const VmpPmat,
    nrows: u64,
    ncols: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `res` and `pmat` its objects of these sizes, apart from
    // each other, and `a` readable for its polynomials, which are transformed into scratch of the module before the
    // result is written to.
    unsafe {
        let m = module(m);
        let a = Vector::new(a, a_size.min(nrows), a_sl).inputs(m.n(), NOTHING);
        let transforms = transforms(m, &views(&a));
        let x: Vec<&[u64]> = transforms.iter().map(|limb| &limb[..]).collect();
        multiply(m, (res, res_size), &x, (pmat, nrows, ncols));
    }
}

/// # Safety
/// The [contract](crate#safety) of this crate's functions.
unsafe fn multiply(
    m: &Module,
    (res, res_size): (*mut VecZnxDft, u64),
    x: &[&[u64]],
    (pmat, rows, columns): (*const VmpPmat, u64, u64),
) {
    let (rows, columns) = (rows as usize, columns as usize);
    // SAFETY: the caller vouches that `pmat` has the bytes of a prepared matrix of this shape, `res` has `res_size`
    // transforms, and neither overlaps the other nor `x`.
    unsafe {
        let bytes = std::slice::from_raw_parts(pmat.cast::<u8>(), m.matrix_nbytes(rows, columns));
        let matrix = m.matrix_in(bytes, rows, columns);
        m.multiply_matrix(&mut words(m, res, res_size).outputs(m.n()), x, &matrix);
    }
}

/// `res` is the transform `a_dft` of a row vector times a prepared matrix.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn vmp_apply_dft_to_dft(
    m: *const ModuleInfo,
    res: *mut VecZnxDft,
    res_size: u64,
    a_dft: *const VecZnxDft,
    a_size: u64,
    pmat: *const VmpPmat,
    nrows: u64,
    ncols: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, and `res`, `a_dft` and `pmat` its objects of these sizes,
    // the matrix apart from the result; `a_dft` is copied where it overlaps the result.
    unsafe {
        let m = module(m);
        let a = words(m, a_dft, a_size.min(nrows)).inputs(m.n(), words(m, res, res_size));
        multiply(m, (res, res_size), &views(&a), (pmat, nrows, ncols));
    }
}

/// `res` is the transform of a prepared row vector times a prepared matrix.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn vmp_apply_pvec_to_dft(
    m: *const ModuleInfo,
    res: *mut VecZnxDft,
    res_size: u64,
    a_prep: *const VmpPvec,
    a_size: u64,
    pmat: *const VmpPmat,
    nrows: u64,
    ncols: u64,
    tmp_space: *mut u8,
) {
    // SAFETY: the program vouches for what `vmp_apply_dft_to_dft` asks for: a prepared vector has the words of its
    // transform.
    unsafe { vmp_apply_dft_to_dft(m, res, res_size, a_prep.cast(), a_size, pmat, nrows, ncols, tmp_space) }
}

/// Prepares the left operand of a convolution, of `nrows` polynomials.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnv_prepare_left_contiguous(
    m: *const ModuleInfo,
    pvec: *mut CnvPvecL,
    nrows: u64,
    a: *const i64,
    a_size: u64,
    a_sl: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `pvec` an object of `nrows` transforms, and `a` readable
    // for its polynomials: what `forward` asks for.
    unsafe { forward(module(m), (pvec, nrows), Vector::new(a, a_size, a_sl)) }
}

/// Prepares the right operand of a convolution, of `nrows` polynomials.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnv_prepare_right_contiguous(
    m: *const ModuleInfo,
    pvec: *mut CnvPvecR,
    nrows: u64,
    a: *const i64,
    a_size: u64,
    a_sl: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, `pvec` an object of `nrows` transforms, and `a` readable
    // for its polynomials: what `forward` asks for.
    unsafe { forward(module(m), (pvec, nrows), Vector::new(a, a_size, a_sl)) }
}

/// `res_k` is the transform of `Σ a_i·b_j` over `i + j = k + res_offset`.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn cnv_apply_dft(
    m: *const ModuleInfo,
    res: *mut VecZnxDft,
    res_size: u64,
    res_offset: u64,
    a: *const CnvPvecL,
    a_size: u64,
    b: *const CnvPvecR,
    b_size: u64,
    _tmp_space: *mut u8,
) {
    // SAFETY: the program vouches that `m` is a live module, and `res`, `a` and `b` its objects of these sizes.
    // `inputs` copies what overlaps the result before `outputs` borrows it.
    unsafe {
        let m = module(m);
        let result = words(m, res, res_size);
        let (a, b) = (words(m, a, a_size).inputs(m.n(), result), words(m, b, b_size).inputs(m.n(), result));
        let (a, b) = (views(&a), views(&b));
        m.convolve(&mut result.outputs(m.n()), res_offset as usize, &[[&a, &b]]);
    }
}

scratch! { ModuleInfo:
    vec_znx_idft_tmp_bytes();
    znx_small_single_product_tmp_bytes();
    vmp_prepare_contiguous_tmp_bytes(nrows, ncols);
    vmp_prepare_vector_tmp_bytes(nrows, a_size);
    vmp_apply_dft_tmp_bytes(res_size, a_size, nrows, ncols);
    vmp_apply_dft_to_dft_tmp_bytes(res_size, a_size, nrows, ncols);
    vmp_apply_pvec_to_dft_tmp_bytes(res_size, a_size, nrows, ncols);
    cnv_prepare_left_contiguous_tmp_bytes(nrows, a_size);
    cnv_prepare_right_contiguous_tmp_bytes(nrows, a_size);
    cnv_apply_dft_tmp_bytes(res_size, res_offset, a_size, b_size);
}
