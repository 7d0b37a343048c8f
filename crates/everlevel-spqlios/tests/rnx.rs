//! Vectors of doubles, and their conversions.

// Functions of C have many arguments, and so their types.
#![allow(clippy::type_complexity)]

use everlevel_spqlios::*;
use everlevel_testkit::sample::Sampler;

use crate::oracle::{Polynomials, centred, coefficient, double, word};

const NONE: u64 = 7;
/// Degrees with and without a transform.
const DEGREES: [usize; 4] = [2, 8, 64, 256];

/// A module while a test runs.
pub struct Module(pub *mut RnxModuleInfo);

impl Module {
    pub fn new(n: usize) -> Self {
        let module = new_rnx_module_info(n as u64, 0);
        assert!(!module.is_null());
        Self(module)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        unsafe { delete_rnx_module_info(self.0) }
    }
}

#[test]
fn modules_are_of_degrees_that_are_powers_of_two() {
    for n in [2, 4, 128, 256, 1 << 16] {
        let module = Module::new(n);
        assert_eq!(unsafe { rnx_module_get_n(module.0) }, n as u64);
    }
    for (n, mode) in [(0, 0), (1, 0), (12, 0), (1 << 17, 0), (256, 1), (256, NONE as u32)] {
        assert!(new_rnx_module_info(n, mode).is_null(), "{n}, mode {mode}");
    }
    unsafe { delete_rnx_module_info(std::ptr::null_mut()) };
}

type OfOne = unsafe extern "C" fn(*const RnxModuleInfo, *mut f64, u64, u64, *const f64, u64, u64);
type OfTwo = unsafe extern "C" fn(*const RnxModuleInfo, *mut f64, u64, u64, *const f64, u64, u64, *const f64, u64, u64);
type Turned = unsafe extern "C" fn(*const RnxModuleInfo, i64, *mut f64, u64, u64, *const f64, u64, u64);

#[test]
fn sums_are_those_of_polynomials_and_missing_ones_are_zero() {
    let mut sampler = Sampler::new(1);
    let of_one: [(OfOne, fn(f64) -> f64); 2] = [(vec_rnx_copy, |x| x), (vec_rnx_negate, |x| -x)];
    let of_two: [(OfTwo, fn(f64, f64) -> f64); 2] = [(vec_rnx_add, |x, y| x + y), (vec_rnx_sub, |x, y| x - y)];
    for (n, sizes) in DEGREES.iter().flat_map(|&n| [(n, [2, 3, 4]), (n, [4, 3, 2]), (n, [3, 1, 5]), (n, [2, 0, 0])]) {
        let module = Module::new(n);
        let [res, a, b] = sizes.map(|size| Polynomials::new(n, size, || double(&mut sampler, 0)));
        for (function, f) in of_one {
            let mut out = res.clone();
            let at = out.words.as_mut_ptr();
            unsafe { function(module.0, at, out.size(), out.stride(), a.words.as_ptr(), a.size(), a.stride()) };
            for j in 0..out.size {
                let expected: Vec<f64> = a.get_or(j, 0.0).into_iter().map(f).collect();
                assert_eq!(out.get(j), expected);
            }
            out.assert_gaps(&res);
        }
        for (function, f) in of_two {
            // The result apart, and in the place of either operand, and of both.
            for places in [[0, 1, 2], [1, 1, 2], [2, 1, 2], [1, 1, 1]] {
                let mut all = [res.clone(), a.clone(), b.clone()];
                let before = all.clone();
                let at = all.each_mut().map(|x| x.words.as_mut_ptr());
                let [r, x, y] = places;
                let part = |i: usize| (before[i].size(), before[i].stride());
                let ((rs, rl), (xs, xl), (ys, yl)) = (part(r), part(x), part(y));
                unsafe { function(module.0, at[r], rs, rl, at[x], xs, xl, at[y], ys, yl) };
                for j in 0..all[r].size {
                    let (x, y) = (before[x].get_or(j, 0.0), before[y].get_or(j, 0.0));
                    let expected: Vec<f64> = x.iter().zip(&y).map(|(&x, &y)| f(x, y)).collect();
                    assert_eq!(all[r].get(j), expected);
                }
                all[r].assert_gaps(&before[r]);
            }
        }
        let mut out = res.clone();
        unsafe { vec_rnx_zero(module.0, out.words.as_mut_ptr(), out.size(), out.stride()) };
        assert!((0..out.size).all(|j| out.get(j).iter().all(|&x| x == 0.0)));
        out.assert_gaps(&res);
    }
}

#[test]
fn monomials_and_automorphisms_move_coefficients() {
    let mut sampler = Sampler::new(2);
    for n in DEGREES {
        let module = Module::new(n);
        let two_n = 2 * n as i64;
        for p in [0, 1, -1, 3, n as i64 - 1, n as i64, -two_n + 1, two_n + 5, i64::MAX, i64::MIN, i64::MIN + 1] {
            let [res, a] = [3, 2].map(|size| Polynomials::new(n, size, || double(&mut sampler, 0)));
            let call = |function: Turned, in_place: bool| {
                let (mut out, mut a) = (res.clone(), a.clone());
                let to = if in_place { &mut a } else { &mut out };
                let (at, size, stride) = (to.words.as_mut_ptr(), to.size(), to.stride());
                let from = if in_place { at.cast_const() } else { a.words.as_ptr() };
                unsafe { function(module.0, p, at, size, stride, from, 2, stride) };
                let out = if in_place { a } else { out };
                out.assert_gaps(if in_place { &out } else { &res });
                out
            };
            let wide = i128::from(p);
            for in_place in [false, true] {
                let (rotated, less) = (call(vec_rnx_rotate, in_place), call(vec_rnx_mul_xp_minus_one, in_place));
                for j in 0..rotated.size {
                    let x = a.get_or(j, 0.0);
                    let turned: Vec<f64> = (0..n).map(|i| coefficient(&x, i as i128 - wide)).collect();
                    let difference: Vec<f64> = turned.iter().zip(&x).map(|(y, x)| y - x).collect();
                    assert_eq!((rotated.get(j), less.get(j)), (&turned[..], &difference[..]), "X^{p}, n = {n}");
                }
                if p % 2 != 0 {
                    let moved = call(vec_rnx_automorphism, in_place);
                    for j in 0..moved.size {
                        let (x, y) = (a.get_or(j, 0.0), moved.get(j));
                        assert!((0..n).all(|i| coefficient(y, i as i128 * wide) == x[i]), "X → X^{p}, n = {n}");
                    }
                }
            }
        }
    }
}

/// Doubles with halves, large and small ones, and such as are near the ends of words.
fn doubles(sampler: &mut Sampler, log2_bound: i32) -> f64 {
    match sampler.word() % 8 {
        0 => (double(sampler, log2_bound)).round() + 0.5,
        1 => double(sampler, 0) * 2f64.powi(-30),
        2 => (sampler.word() % 8) as f64 * 0.25 - 1.0,
        3 => double(sampler, 3).round() + 0.5 * (1.0 - 2f64.powi(-32)),
        _ => double(sampler, log2_bound),
    }
}

#[test]
fn conversions_round_to_the_nearest() {
    let mut sampler = Sampler::new(3);
    for (n, a_size, size) in DEGREES.iter().flat_map(|&n| [(n, 3, 2), (n, 2, 3), (n, 0, 1)]) {
        let module = Module::new(n);
        let words = Polynomials::new(n, size, || word(&mut sampler));
        let torus = |x: f64| (centred(x) * 2f64.powi(32)).round_ties_even() as i64 as i32;
        type ToWords = unsafe extern "C" fn(*const RnxModuleInfo, *mut i32, u64, u64, *const f64, u64, u64);
        let to_words: [(ToWords, &dyn Fn(f64) -> i32, i32); 2] =
            [(vec_rnx_to_znx32, &|x| x.round_ties_even() as i64 as i32, 45), (vec_rnx_to_tnx32, &torus, 19)];
        for (function, f, log2_bound) in to_words {
            let a = Polynomials::new(n, a_size, || doubles(&mut sampler, log2_bound));
            let mut out = words.clone();
            let at = out.words.as_mut_ptr();
            unsafe { function(module.0, at, out.size(), out.stride(), a.words.as_ptr(), a.size(), a.stride()) };
            for j in 0..size {
                let expected: Vec<i32> = a.get_or(j, 0.0).into_iter().map(f).collect();
                assert_eq!(out.get(j), expected);
            }
            out.assert_gaps(&words);
        }
        type FromWords = unsafe extern "C" fn(*const RnxModuleInfo, *mut f64, u64, u64, *const i32, u64, u64);
        let from_words: [(FromWords, f64); 2] = [(vec_rnx_from_znx32, 1.0), (vec_rnx_from_tnx32, 2f64.powi(-32))];
        for (function, unit) in from_words {
            let before = Polynomials::new(n, a_size, || double(&mut sampler, 0));
            let mut out = before.clone();
            let at = out.words.as_mut_ptr();
            unsafe {
                function(module.0, at, out.size(), out.stride(), words.words.as_ptr(), words.size(), words.stride())
            };
            for j in 0..out.size {
                let expected: Vec<f64> = words.get_or(j, 0).into_iter().map(|x| f64::from(x) * unit).collect();
                assert_eq!(out.get(j), expected);
            }
            out.assert_gaps(&before);
        }
        let before = Polynomials::new(n, size, || doubles(&mut sampler, 51));
        let mut out = before.clone();
        let at = out.words.as_mut_ptr();
        unsafe { vec_rnx_to_tnxdbl(module.0, at, out.size(), out.stride(), at, out.size(), out.stride()) };
        for j in 0..size {
            let expected: Vec<f64> = before.get(j).iter().map(|&x| centred(x)).collect();
            assert_eq!(out.get(j), expected);
        }
        out.assert_gaps(&before);
    }
}

#[test]
fn any_double_has_a_place_on_the_torus() {
    let n = 8;
    let module = Module::new(n);
    let a = [0.0, -0.0, 2f64.powi(52) - 0.5, -(2f64.powi(51)) - 0.5, 1e300, f64::MIN_POSITIVE, -1.75, 0.5];
    let mut out = [7.0; 8];
    unsafe { vec_rnx_to_tnxdbl(module.0, out.as_mut_ptr(), 1, 8, a.as_ptr(), 1, 8) };
    assert_eq!(out, a.map(centred));
    let mut words = [7; 8];
    unsafe { vec_rnx_to_tnx32(module.0, words.as_mut_ptr(), 1, 8, a.as_ptr(), 1, 8) };
    // 2^51 + 1/2 is between even integers: it goes to the even one.
    assert_eq!(words, [0, 0, i32::MIN, i32::MIN, 0, 0, 1 << 30, i32::MIN]);
}

#[test]
fn pairs_have_two_polynomials_each() {
    let mut sampler = Sampler::new(4);
    for (n, count, a_size) in DEGREES.iter().flat_map(|&n| [(n, 2, 4), (n, 2, 3), (n, 1, 4), (n, 3, 1), (n, 1, 0)]) {
        let module = Module::new(n);
        let a = Polynomials::new(n, a_size, || double(&mut sampler, 2));
        let before = Polynomials::new(2 * n, count, || word(&mut sampler));
        let (mut pairs, mut apart) = (before.clone(), Polynomials::new(n, 2 * count, || 0));
        let at = pairs.words.as_mut_ptr();
        unsafe {
            vec_rnx_to_tnx32x2(module.0, at, pairs.size(), pairs.stride(), a.words.as_ptr(), a.size(), a.stride());
            let to = apart.words.as_mut_ptr();
            vec_rnx_to_tnx32(module.0, to, apart.size(), apart.stride(), a.words.as_ptr(), a.size(), a.stride());
        }
        for j in 0..count {
            assert_eq!(pairs.get(j), [apart.get(2 * j), apart.get(2 * j + 1)].concat());
        }
        pairs.assert_gaps(&before);
        let mut back = a.clone();
        let from = pairs.words.as_ptr();
        unsafe {
            let at = back.words.as_mut_ptr();
            vec_rnx_from_tnx32x2(module.0, at, back.size(), back.stride(), from, pairs.size(), pairs.stride());
        }
        for j in 0..a_size {
            let words = apart.get_or(j, 0);
            let expected: Vec<f64> = words.into_iter().map(|x| f64::from(x) * 2f64.powi(-32)).collect();
            assert_eq!(back.get(j), expected);
        }
        back.assert_gaps(&a);
    }
}
