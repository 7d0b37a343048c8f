//! Transforms of real polynomials, and products by them, beside the schoolbook's.

use everlevel_spqlios::*;
use everlevel_testkit::sample::Sampler;

use crate::oracle::{Polynomials, assert_near, centred, double, product, product_of_words, word};
use crate::rnx::Module;

/// Degrees with and without a transform.
const DEGREES: [usize; 5] = [2, 4, 128, 256, 1024];

#[test]
fn an_inverse_transform_has_the_factor_of_half_the_degree() {
    let mut sampler = Sampler::new(10);
    for (n, size) in DEGREES.iter().flat_map(|&n| [(n, 2), (n, 5)]) {
        let module = Module::new(n);
        let a = Polynomials::new(n, 3, || double(&mut sampler, 20));
        let before = Polynomials::new(n, size, || double(&mut sampler, 20));
        let mut out = before.clone();
        let at = out.words.as_mut_ptr();
        unsafe {
            vec_rnx_dft(module.0, at, out.size(), out.stride(), a.words.as_ptr(), a.size(), a.stride());
            // In place.
            vec_rnx_idft(module.0, at, out.size(), out.stride(), at, out.size(), out.stride());
        }
        for j in 0..size {
            let expected: Vec<f64> = a.get_or(j, 0.0).iter().map(|x| x * (n / 2) as f64).collect();
            assert_near("m times a polynomial", out.get(j), &expected, n as f64 * 2f64.powi(-28));
        }
        out.assert_gaps(&before);
    }
}

#[test]
fn transforms_are_linear_in_their_words() {
    let (mut sampler, n) = (Sampler::new(11), 256);
    let module = Module::new(n);
    let a = Polynomials::new(n, 2, || double(&mut sampler, 0));
    let mut dft = a.clone();
    let at = dft.words.as_mut_ptr();
    let mut sum = vec![0.0; n];
    unsafe {
        vec_rnx_dft(module.0, at, 2, dft.stride(), a.words.as_ptr(), 2, a.stride());
        let combined: Vec<f64> = dft.get(0).iter().zip(dft.get(1)).map(|(x, y)| x - 3.0 * y).collect();
        vec_rnx_idft(module.0, sum.as_mut_ptr(), 1, n as u64, combined.as_ptr(), 1, n as u64);
    }
    let m = (n / 2) as f64;
    let expected: Vec<f64> = a.get(0).iter().zip(a.get(1)).map(|(x, y)| m * (x - 3.0 * y)).collect();
    assert_near("a combination", &sum, &expected, 1e-10);
}

#[test]
fn scalars_times_vectors_are_coefficients() {
    let mut sampler = Sampler::new(12);
    for (n, size, in_place) in DEGREES.iter().flat_map(|&n| [(n, 2, false), (n, 4, false), (n, 3, true)]) {
        let module = Module::new(n);
        let scalar: Vec<f64> = (0..n).map(|_| double(&mut sampler, 1)).collect();
        let a = Polynomials::new(n, 3, || double(&mut sampler, 19));
        let before = if in_place { a.clone() } else { Polynomials::new(n, size, || double(&mut sampler, 0)) };
        let mut out = before.clone();
        unsafe {
            let prepared = new_rnx_svp_ppol(module.0);
            assert_eq!(bytes_of_rnx_svp_ppol(module.0), 8 * n as u64);
            rnx_svp_prepare(module.0, prepared, scalar.as_ptr());
            let at = out.words.as_mut_ptr();
            let from = if in_place { at.cast_const() } else { a.words.as_ptr() };
            rnx_svp_apply(module.0, at, out.size(), out.stride(), prepared, from, a.size(), a.stride());
            delete_rnx_svp_ppol(prepared);
        }
        for j in 0..size {
            let expected = product(&scalar, &a.get_or(j, 0.0));
            assert_near("a scalar product", out.get(j), &expected, n as f64 * 2f64.powi(19 - 50));
        }
        out.assert_gaps(&before);
    }
}

#[test]
fn vectors_times_matrices_are_sums_of_products() {
    let mut sampler = Sampler::new(13);
    let shapes = [(3, 2, 3, 2), (4, 3, 2, 2), (2, 3, 4, 5), (3, 1, 3, 3), (3, 3, 0, 2), (0, 2, 2, 2), (5, 4, 5, 5)];
    for (n, (rows, columns, a_size, size)) in DEGREES.iter().flat_map(|&n| shapes.map(|shape| (n, shape))) {
        let module = Module::new(n);
        let matrix: Vec<f64> = (0..rows * columns * n).map(|_| double(&mut sampler, 0)).collect();
        let a = Polynomials::new(n, a_size, || double(&mut sampler, 8));
        let entry = |row: usize, column: usize| &matrix[(row * columns + column) * n..][..n];
        let expected = |column: usize| {
            let mut sum = vec![0.0; n];
            if column < columns {
                for row in 0..rows.min(a_size) {
                    let term = product(a.get(row), entry(row, column));
                    sum.iter_mut().zip(term).for_each(|(sum, x)| *sum += x);
                }
            }
            sum
        };
        let expected: Vec<Vec<f64>> = (0..size.max(a_size)).map(expected).collect();
        let error = n as f64 * 2f64.powi(8 - 46);
        let (r, c) = (rows as u64, columns as u64);
        unsafe {
            let prepared = new_rnx_vmp_pmat(module.0, r, c);
            assert_eq!(bytes_of_rnx_vmp_pmat(module.0, r, c), 8 * r * c * n as u64);
            let mut tmp = vec![0u8; rnx_vmp_prepare_contiguous_tmp_bytes(module.0) as usize];
            let tmp = tmp.as_mut_ptr();
            rnx_vmp_prepare_contiguous(module.0, prepared, matrix.as_ptr(), r, c, tmp);
            let before = Polynomials::new(n, size, || double(&mut sampler, 0));
            for in_place in [false, true] {
                // From coefficients to coefficients.
                let (mut out, mut from) = (before.clone(), a.clone());
                let res = if in_place { &mut from } else { &mut out };
                let (at, res_size, stride) = (res.words.as_mut_ptr(), res.size(), res.stride());
                let tmpa = if in_place { at } else { from.words.as_mut_ptr() };
                rnx_vmp_apply_tmp_a(module.0, at, res_size, stride, tmpa, a.size(), a.stride(), prepared, r, c, tmp);
                let out = if in_place { &from } else { &out };
                (0..out.size).for_each(|j| assert_near("a product", out.get(j), &expected[j], error));
                out.assert_gaps(if in_place { &a } else { &before });
                // From transforms to transforms.
                let (mut out, mut from) = (before.clone(), a.clone());
                let tmpa = from.words.as_mut_ptr();
                vec_rnx_dft(module.0, tmpa, a.size(), a.stride(), tmpa, a.size(), a.stride());
                let res = if in_place { &mut from } else { &mut out };
                let (at, res_size, stride) = (res.words.as_mut_ptr(), res.size(), res.stride());
                let x = if in_place { at } else { from.words.as_mut_ptr() };
                rnx_vmp_apply_dft_to_dft(module.0, at, res_size, stride, x, a.size(), a.stride(), prepared, r, c, tmp);
                vec_rnx_idft(module.0, at, res_size, stride, at, res_size, stride);
                let out = if in_place { &from } else { &out };
                (0..out.size).for_each(|j| assert_near("a product of transforms", out.get(j), &expected[j], error));
                out.assert_gaps(if in_place { &a } else { &before });
            }
            delete_rnx_vmp_pmat(prepared);
        }
    }
}

#[test]
fn single_products_are_the_schoolbooks() {
    let mut sampler = Sampler::new(14);
    for n in DEGREES {
        let module = Module::new(n);
        let mut polynomial = |log2_bound| -> Vec<f64> { (0..n).map(|_| double(&mut sampler, log2_bound)).collect() };
        let (a, b) = (polynomial(10), polynomial(10));
        let expected = product(&a, &b);
        let mut tmp = [0u8; 64];
        assert!(rnx_small_single_product_tmp_bytes(module.0) <= 64);
        assert!(tnxdbl_small_single_product_tmp_bytes(module.0) <= 64);
        assert!(znx32_small_single_product_tmp_bytes(module.0) <= 64);
        assert!(tnx32_small_single_product_tmp_bytes(module.0) <= 64);
        let tmp = tmp.as_mut_ptr();
        let error = n as f64 * 2f64.powi(20 - 48);
        // In the place of an operand, too.
        let (mut out, mut in_place) = (vec![1.0; n], b.clone());
        unsafe {
            rnx_small_single_product(module.0, out.as_mut_ptr(), a.as_ptr(), b.as_ptr(), tmp);
            let at = in_place.as_mut_ptr();
            rnx_small_single_product(module.0, at, a.as_ptr(), at, tmp);
        }
        assert_near("a product", &out, &expected, error);
        assert_eq!(out, in_place);

        let integers: Vec<f64> = a.iter().map(|x| x.round()).collect();
        unsafe { tnxdbl_small_single_product(module.0, out.as_mut_ptr(), integers.as_ptr(), b.as_ptr(), tmp) };
        assert!(out.iter().all(|x| (-0.5..=0.5).contains(x)));
        let differences: Vec<f64> = product(&integers, &b).iter().zip(&out).map(|(e, x)| centred(e - x)).collect();
        assert_near("a product modulo 1", &differences, &vec![0.0; n], error);

        // Words of any size.
        let mut words = || -> Vec<i32> { (0..n).map(|_| word(&mut sampler)).collect() };
        let all = [(words(), words()), (vec![i32::MIN; n], vec![i32::MIN; n]), (vec![i32::MIN; n], vec![i32::MAX; n])];
        for (a, b) in all {
            let expected = product_of_words(&a, &b);
            let mut out = [vec![1; n], b.clone()];
            unsafe {
                znx32_small_single_product(module.0, out[0].as_mut_ptr(), a.as_ptr(), b.as_ptr(), tmp);
                let at = out[1].as_mut_ptr();
                tnx32_small_single_product(module.0, at, a.as_ptr(), at, tmp);
            }
            assert!(out.iter().all(|out| out == &expected), "n = {n}");
        }
    }
}
