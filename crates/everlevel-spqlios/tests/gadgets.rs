//! Digits of elements of the torus, recomposed within their error.

use everlevel_spqlios::*;
use everlevel_testkit::sample::Sampler;

use crate::oracle::{Polynomials, centred, double, value, word};
use crate::rnx::Module;

const GADGETS: [(u64, u64); 8] = [(1, 5), (2, 1), (2, 7), (5, 2), (8, 3), (8, 4), (16, 2), (32, 1)];

/// Checks the digits of one polynomial: balanced, and with the value of `a` within half a unit of the last one, or a
/// whole unit where digits were dropped; digits beyond are 0.
fn check(out: &[&[f64]], (k, ell): (u64, u64), a: &[f64]) {
    let kept = out.len().min(ell as usize);
    let unit = 2f64.powi(-(kept as i32 * k as i32));
    let error = if kept == ell as usize { unit / 2.0 } else { unit };
    let half = 2f64.powi(k as i32 - 1);
    for (i, &x) in a.iter().enumerate() {
        let digits: Vec<f64> = out[..kept].iter().map(|digit| digit[i]).collect();
        assert!(digits.iter().all(|&d| d == d.round() && -half <= d && d < half), "{digits:?}");
        let difference = centred(value(digits, k) - x);
        assert!(difference.abs() <= error, "{difference:e} for {x}, {ell} digits of {k} bits, {kept} kept");
    }
    assert!(out[kept..].iter().all(|digit| digit.iter().all(|&d| d == 0.0)));
}

fn torus(words: &[i32]) -> Vec<f64> {
    words.iter().map(|&x| f64::from(x) * 2f64.powi(-32)).collect()
}

/// Results with fewer, as many and more polynomials than there are digits.
fn sizes(digits: u64) -> [usize; 3] {
    [digits as usize - 1, digits as usize, digits as usize + 2]
}

/// Words with halves and ends among them.
fn words(sampler: &mut Sampler, n: usize) -> Vec<i32> {
    let ends = [0, -1, 1, i32::MIN, i32::MAX, 1 << 30, -(1 << 30), 0x7fff_8000, 0x7f80_0000];
    (0..n).map(|i| if i % 3 == 0 { ends[i / 3 % ends.len()] } else { word(sampler) }).collect()
}

#[test]
fn digits_of_words_recompose() {
    let (mut sampler, n) = (Sampler::new(20), 64);
    let module = Module::new(n);
    for (k, ell) in GADGETS {
        let gadget = new_tnx32_approxdecomp_gadget(module.0, k, ell);
        for size in sizes(ell) {
            let a = words(&mut sampler, n);
            let before = Polynomials::new(n, size, || double(&mut sampler, 0));
            let mut out = before.clone();
            let at = out.words.as_mut_ptr();
            unsafe { rnx_approxdecomp_from_tnx32(module.0, gadget, at, out.size(), out.stride(), a.as_ptr()) };
            check(&(0..size).map(|j| out.get(j)).collect::<Vec<_>>(), (k, ell), &torus(&a));
            out.assert_gaps(&before);
        }
        unsafe { delete_tnx32_approxdecomp_gadget(gadget.cast()) };
    }
}

#[test]
fn parts_of_pairs_have_digits_of_their_own() {
    let (mut sampler, n) = (Sampler::new(21), 64);
    let module = Module::new(n);
    for ((ka, ella), (kb, ellb)) in GADGETS.into_iter().flat_map(|a| GADGETS.map(|b| (a, b))) {
        let gadget = new_tnx32x2_approxdecomp_gadget(module.0, ka, ella, kb, ellb);
        for size in [ella as usize - 1, ella as usize].into_iter().chain(sizes(ella + ellb)) {
            let a = words(&mut sampler, 2 * n);
            let before = Polynomials::new(n, size, || double(&mut sampler, 0));
            let mut out = before.clone();
            let at = out.words.as_mut_ptr();
            unsafe { rnx_approxdecomp_from_tnx32x2(module.0, gadget, at, out.size(), out.stride(), a.as_ptr()) };
            let digits: Vec<&[f64]> = (0..size).map(|j| out.get(j)).collect();
            let (first, second) = digits.split_at(size.min(ella as usize));
            check(first, (ka, ella), &torus(&a[..n]));
            check(second, (kb, ellb), &torus(&a[n..]));
            out.assert_gaps(&before);
        }
        unsafe { delete_tnx32x2_approxdecomp_gadget(gadget.cast()) };
    }
}

#[test]
fn digits_of_doubles_recompose() {
    let (mut sampler, n) = (Sampler::new(22), 64);
    let module = Module::new(n);
    for (k, ell) in GADGETS.into_iter().chain([(5, 10), (25, 2), (50, 1), (1, 50)]) {
        let gadget = new_tnxdbl_approxdecomp_gadget(module.0, k, ell);
        for size in sizes(ell) {
            let mut a: Vec<f64> = (0..n).map(|i| double(&mut sampler, [0, 3, 20][i % 3])).collect();
            a[..5].copy_from_slice(&[0.0, 0.5, -0.5, 2f64.powi(-((k * ell) as i32) - 1), 0.5 - 2f64.powi(-54)]);
            let before = Polynomials::new(n, size, || double(&mut sampler, 0));
            let mut out = before.clone();
            let at = out.words.as_mut_ptr();
            unsafe { rnx_approxdecomp_from_tnxdbl(module.0, gadget, at, out.size(), out.stride(), a.as_ptr()) };
            check(&(0..size).map(|j| out.get(j)).collect::<Vec<_>>(), (k, ell), &a);
            out.assert_gaps(&before);
        }
        unsafe { delete_tnxdbl_approxdecomp_gadget(gadget) };
    }
}

#[test]
fn a_result_may_take_the_place_of_what_is_decomposed() {
    let (mut sampler, n) = (Sampler::new(23), 32);
    let module = Module::new(n);
    let gadget = new_tnxdbl_approxdecomp_gadget(module.0, 6, 2);
    let mut all: Vec<f64> = (0..2 * n).map(|_| double(&mut sampler, 0)).collect();
    let a = all[n..].to_vec();
    let at = all.as_mut_ptr();
    unsafe {
        rnx_approxdecomp_from_tnxdbl(module.0, gadget, at, 2, n as u64, at.add(n));
        delete_tnxdbl_approxdecomp_gadget(gadget);
    }
    check(&all.chunks(n).collect::<Vec<_>>(), (6, 2), &a);
}

#[test]
fn gadgets_that_no_word_or_double_has_are_null() {
    let module = Module::new(8);
    for (k, ell) in [(0, 1), (0, 0), (33, 1), (17, 2), (8, 5), (1, u64::MAX), (1 << 40, 1 << 40), (u64::MAX, 0)] {
        assert!(new_tnx32_approxdecomp_gadget(module.0, k, ell).is_null(), "{k}, {ell}");
        assert!(new_tnx32x2_approxdecomp_gadget(module.0, k, ell, 8, 2).is_null(), "{k}, {ell}");
        assert!(new_tnx32x2_approxdecomp_gadget(module.0, 8, 2, k, ell).is_null(), "{k}, {ell}");
    }
    for (k, ell) in [(0, 1), (51, 1), (26, 2), (1, 51), (2, 1 << 63), (u64::MAX, u64::MAX)] {
        assert!(new_tnxdbl_approxdecomp_gadget(module.0, k, ell).is_null(), "{k}, {ell}");
        assert!(new_tndbl_approxdecomp_gadget(std::ptr::null(), k, ell).is_null(), "{k}, {ell}");
    }
    unsafe {
        delete_tnx32_approxdecomp_gadget(std::ptr::null());
        delete_tnx32x2_approxdecomp_gadget(std::ptr::null());
        delete_tnxdbl_approxdecomp_gadget(std::ptr::null());
        delete_tndbl_approxdecomp_gadget(std::ptr::null());
    }
    // A gadget without digits.
    let gadget = new_tnx32_approxdecomp_gadget(module.0, 8, 0);
    let (a, mut out) = ([1 << 30; 8], [1.0; 8]);
    unsafe {
        rnx_approxdecomp_from_tnx32(module.0, gadget, out.as_mut_ptr(), 1, 8, a.as_ptr());
        delete_tnx32_approxdecomp_gadget(gadget.cast());
    }
    assert_eq!(out, [0.0; 8]);
}
