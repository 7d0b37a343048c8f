//! Vectors of integers, and their products with matrices of torus words.

use std::ops::Deref;
use std::slice::{from_raw_parts, from_raw_parts_mut};

use everlevel_math::lwe_rows;

use crate::memory::{boxed, numbers, objects, unboxed};

/// The header's `DEFAULT`.
const DEFAULT: u32 = 0;

/// A module for vectors of numbers, of any length: its mode.
#[derive(Debug)]
pub struct ZModuleInfo(u32);

impl Deref for ZModuleInfo {
    type Target = u32;

    fn deref(&self) -> &u32 {
        &self.0
    }
}

/// A module, or null where there is none: the mode is `DEFAULT`.
#[unsafe(no_mangle)]
pub extern "C" fn new_z_module_info(mode: u32) -> *mut ZModuleInfo {
    boxed(Some(ZModuleInfo(mode)).filter(|_| mode == DEFAULT))
}

/// Gives a module back.
///
/// # Safety
/// The pointer is from [`new_z_module_info`], and not used any more; or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn delete_z_module_info(module: *mut ZModuleInfo) {
    // SAFETY: the program vouches that the module is null or from `new_z_module_info`, which makes it by `boxed`, and
    // not used any more.
    unsafe { unboxed(module) }
}

objects! { ZModuleInfo:
    /// A prepared matrix: its rows, one after another.
    Zn32VmpPmat: bytes_of_zn32_vmp_pmat, new_zn32_vmp_pmat, delete_zn32_vmp_pmat(nrows, ncols)
        = |_m| nrows * ncols * 4;
}

/// Prepares a matrix: `nrows` rows of `ncols` words, one after another.
///
/// # Safety
/// The [contract](crate#safety) of this crate's functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zn32_vmp_prepare_contiguous(
    _m: *const ZModuleInfo,
    pmat: *mut Zn32VmpPmat,
    mat: *const i32,
    nrows: u64,
    ncols: u64,
) {
    let words = (nrows * ncols) as usize;
    debug_assert!(words == 0 || !pmat.is_null() && !mat.is_null(), "matrices");
    if words > 0 {
        // SAFETY: the program vouches that `mat` is readable and `pmat` writable for `nrows·ncols` words, and that they
        // don't overlap; objects of this library are aligned to 64 bytes.
        unsafe { from_raw_parts_mut(pmat.cast(), words).copy_from_slice(from_raw_parts(mat, words)) };
    }
}

/// `out` are digits times the first rows of a prepared matrix, modulo `2^32`.
///
/// # Safety
/// The matrix has `columns`, and a row for each digit at least.
unsafe fn multiply(out: &mut [i32], digits: &[u32], pmat: *const Zn32VmpPmat, columns: usize) {
    out.fill(0);
    if digits.is_empty() || columns == 0 {
        return;
    }
    // SAFETY: the caller vouches that the prepared matrix has `columns` words in each row, and a row for each digit at
    // least; neither number is 0 here, so that the pointer isn't null.
    let rows = unsafe { from_raw_parts(pmat.cast::<u32>(), digits.len() * columns) };
    if let Some(out) = out.get_mut(..columns) {
        lwe_rows::add_products(bytemuck::cast_slice_mut(out), digits, rows, columns);
    } else {
        let mut sums = vec![0u32; columns];
        lwe_rows::add_products(&mut sums, digits, rows, columns);
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum.cast_signed());
    }
}

/// Products of vectors of words of one kind.
macro_rules! products {
    ($($name:ident = $word:ty;)*) => {$(
        /// `res` is the row vector `a` times a prepared matrix, modulo `2^32`.
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            _m: *const ZModuleInfo,
            res: *mut i32,
            res_size: u64,
            a: *const $word,
            a_size: u64,
            pmat: *const Zn32VmpPmat,
            nrows: u64,
            ncols: u64,
        ) {
            // SAFETY: the program vouches that `res` is writable for `res_size` words and `a` readable for `a_size`,
            // and that the matrix has `nrows` rows of `ncols` words, of which no more are used than `a` has words;
            // `numbers` copies `a` where it overlaps the result.
            unsafe {
                let (out, a) = numbers((res, res_size), (a, a_size.min(nrows)));
                let digits: Vec<u32> = a.iter().map(|&x| i32::from(x).cast_unsigned()).collect();
                multiply(out, &digits, pmat, ncols as usize);
            }
        }
    )*};
}

products! {
    zn32_vmp_apply_i8 = i8;
    zn32_vmp_apply_i16 = i16;
    zn32_vmp_apply_i32 = i32;
}
