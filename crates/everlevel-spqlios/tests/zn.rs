//! Vectors of numbers: digits, products with matrices, conversions.

use everlevel_spqlios::*;
use everlevel_testkit::sample::Sampler;

use crate::oracle::{centred, double, value, word};

/// A module while a test runs.
struct Module(*mut ZModuleInfo);

impl Module {
    fn new() -> Self {
        let module = new_z_module_info(0);
        assert!(!module.is_null());
        Self(module)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        unsafe { delete_z_module_info(self.0) }
    }
}

#[test]
fn modules_are_of_the_one_kind() {
    drop(Module::new());
    assert!(new_z_module_info(1).is_null());
    unsafe { delete_z_module_info(std::ptr::null_mut()) };
}

type Decompose<T> =
    unsafe extern "C" fn(*const ZModuleInfo, *const TndblApproxdecompGadget, *mut T, u64, *const f64, u64);

/// Digits of a number lie together, the most significant first; what the result has no place for is dropped.
fn digits_recompose<T: Copy + From<i8> + Into<i64>>(decompose: Decompose<T>, gadgets: &[(u64, u64)]) {
    let (module, mut sampler) = (Module::new(), Sampler::new(30));
    for (&(k, ell), count) in gadgets.iter().flat_map(|gadget| [0, 1, 3, 51].map(|count| (gadget, count))) {
        let gadget = new_tndbl_approxdecomp_gadget(module.0, k, ell);
        let a: Vec<f64> = (0..count).map(|i| double(&mut sampler, [0, 3, 20][i % 3])).collect();
        let all = count * ell as usize;
        for size in [all, all + 3, all.saturating_sub(1)] {
            let mut out = vec![T::from(7i8); size];
            unsafe { decompose(module.0, gadget, out.as_mut_ptr(), size as u64, a.as_ptr(), count as u64) };
            let out: Vec<f64> = out.into_iter().map(|d| d.into() as f64).collect();
            let half = 2f64.powi(k as i32 - 1);
            assert!(out.iter().all(|&d| -half <= d && d < half));
            for (digits, &x) in out.chunks_exact(ell as usize).zip(&a) {
                let difference = centred(value(digits.iter().copied(), k) - x);
                assert!(difference.abs() <= 2f64.powi(-(k as i32 * ell as i32) - 1), "{difference:e} for {x}");
            }
            assert!(out[all.min(size)..].iter().all(|&d| d == 0.0));
        }
        unsafe { delete_tndbl_approxdecomp_gadget(gadget) };
    }
}

#[test]
fn digits_of_doubles_recompose() {
    let small = [(1, 5), (2, 1), (2, 7), (5, 2), (5, 7), (8, 6)];
    digits_recompose::<i8>(i8_approxdecomp_from_tndbl, &small);
    digits_recompose::<i16>(i16_approxdecomp_from_tndbl, &[&small[..], &[(16, 3)]].concat());
    digits_recompose::<i32>(i32_approxdecomp_from_tndbl, &[&small[..], &[(16, 3), (25, 2), (32, 1)]].concat());
}

type Apply<T> = unsafe extern "C" fn(*const ZModuleInfo, *mut i32, u64, *const T, u64, *const Zn32VmpPmat, u64, u64);

fn products_are_the_definition<T: Copy + Into<i64>>(apply: Apply<T>, of_word: impl Fn(i32) -> T) {
    let (module, mut sampler) = (Module::new(), Sampler::new(31));
    for (rows, columns) in [(1, 1), (2, 32), (5, 42), (15, 67), (17, 3), (0, 4), (4, 0)] {
        let matrix: Vec<i32> = (0..rows * columns).map(|_| word(&mut sampler)).collect();
        let (r, c) = (rows as u64, columns as u64);
        let prepared = unsafe { new_zn32_vmp_pmat(module.0, r, c) };
        unsafe { zn32_vmp_prepare_contiguous(module.0, prepared, matrix.as_ptr(), r, c) };
        for (a_size, size) in [(rows, columns), (rows + 2, columns + 3), (rows / 2, columns / 2), (0, 2), (3, 0)] {
            let a: Vec<T> = (0..a_size).map(|_| of_word(word(&mut sampler))).collect();
            let mut out = vec![7; size];
            unsafe {
                apply(module.0, out.as_mut_ptr(), size as u64, a.as_ptr(), a_size as u64, prepared, r, c);
            }
            let sum = |column: usize| -> i64 {
                let terms =
                    (0..rows.min(a_size)).map(|row| a[row].into().wrapping_mul(matrix[row * columns + column].into()));
                terms.fold(0, i64::wrapping_add)
            };
            let expected: Vec<i32> =
                (0..size).map(|column| if column < columns { sum(column) as i32 } else { 0 }).collect();
            assert_eq!(out, expected, "{rows}×{columns}, {a_size} to {size}");
        }
        unsafe { delete_zn32_vmp_pmat(prepared) };
    }
    assert!(unsafe { bytes_of_zn32_vmp_pmat(module.0, 5, 7) } >= 140);
}

#[test]
fn products_with_matrices_are_modulo_a_word() {
    products_are_the_definition::<i8>(zn32_vmp_apply_i8, |x| x as i8);
    products_are_the_definition::<i16>(zn32_vmp_apply_i16, |x| x as i16);
    products_are_the_definition::<i32>(zn32_vmp_apply_i32, |x| x);
}

#[test]
fn a_product_may_take_the_place_of_its_operand() {
    let module = Module::new();
    let matrix = [1, 2, 3, 4];
    let mut a = [10, 100];
    unsafe {
        let prepared = new_zn32_vmp_pmat(module.0, 2, 2);
        zn32_vmp_prepare_contiguous(module.0, prepared, matrix.as_ptr(), 2, 2);
        let at = a.as_mut_ptr();
        zn32_vmp_apply_i32(module.0, at, 2, at, 2, prepared, 2, 2);
        delete_zn32_vmp_pmat(prepared);
    }
    assert_eq!(a, [310, 420]);
}

type Convert<A, R> = unsafe extern "C" fn(*const ZModuleInfo, *mut R, u64, *const A, u64);

fn conversion_is<A: Copy, R: Copy + PartialEq + std::fmt::Debug + Default>(
    convert: Convert<A, R>,
    expected: impl Fn(A) -> R,
    mut number: impl FnMut() -> A,
) {
    let module = Module::new();
    for (a_size, size) in [(0, 3), (1, 1), (42, 42), (42, 2), (2, 42), (3, 0)] {
        let a: Vec<A> = (0..a_size).map(|_| number()).collect();
        let mut all = vec![expected(number()); size + 1];
        let last = all[size];
        unsafe { convert(module.0, all.as_mut_ptr(), size as u64, a.as_ptr(), a_size as u64) };
        for (i, &x) in all[..size].iter().enumerate() {
            assert_eq!(x, a.get(i).map_or(R::default(), |&x| expected(x)));
        }
        assert_eq!(all[size], last);
    }
}

#[test]
fn conversions_round_to_the_nearest() {
    let sampler = std::cell::RefCell::new(Sampler::new(32));
    let double = |log2_bound| double(&mut sampler.borrow_mut(), log2_bound);
    let halves = |log2_bound| (2.0 * double(log2_bound)).round() / 2.0;
    let word = || word(&mut sampler.borrow_mut());
    let torus = |x: f64| (centred(x) * 2f64.powi(32)).round_ties_even() as i64 as i32;
    conversion_is(dbl_to_tn32, torus, || double(3));
    conversion_is(dbl_to_tn32, torus, || halves(40));
    conversion_is(tn32_to_dbl, |x| f64::from(x) * 2f64.powi(-32), word);
    conversion_is(dbl_round_to_i32, |x| x.round_ties_even() as i32, || double(18));
    conversion_is(dbl_round_to_i32, |x| x.round_ties_even() as i32, || halves(31 - 1));
    conversion_is(i32_to_dbl, f64::from, word);
    for log2_bound in [0, 18, 50, 52, 62] {
        conversion_is(dbl_round_to_i64, |x| x.round_ties_even() as i64, || double(log2_bound));
        conversion_is(dbl_round_to_i64, |x| x.round_ties_even() as i64, || halves(log2_bound));
    }
    conversion_is(i64_to_dbl, |x| x as f64, || (double(50) as i64) ^ i64::from(word()));
    conversion_is(i64_to_dbl, |x| x as f64, || sampler.borrow_mut().word().cast_signed());
}

#[test]
fn a_conversion_may_take_the_place_of_its_operand() {
    let module = Module::new();
    let mut all = [0.0f64; 4];
    bytemuck::cast_slice_mut(&mut all)[..4].copy_from_slice(&[0x4000_0000, i32::MIN, -1, 5]);
    let at = all.as_mut_ptr();
    unsafe { tn32_to_dbl(module.0, at, 4, at.cast(), 4) };
    assert_eq!(all, [0.25, -0.5, -(2f64.powi(-32)), 5.0 * 2f64.powi(-32)]);
}
