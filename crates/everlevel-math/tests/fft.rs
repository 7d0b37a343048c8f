//! The negacyclic complex transform: the suite of `everlevel-testkit` on every backend.

use everlevel_math::fft::{Digits, Fft, KeyWord, Together, product_variance_torus};
use everlevel_math::{Error, Simd};
use everlevel_testkit::{fft, sample::Sampler};

const SIZES: [usize; 9] = [1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16];

#[test]
fn small_products_are_exact() {
    // 7-bit digits of 32-bit words: the error of the doubles is far below half a unit.
    for simd in Simd::available() {
        for n in &SIZES[..5] {
            let mut sampler = Sampler::new(*n as u64);
            let plan = Fft::with_simd(*n, simd).expect("size");
            let digits = Digits { log2_base: 7, levels: 3 };
            let errors = fft::product_errors::<u32, f64>(&plan, digits, || sampler.word(), |k| k);
            assert!(errors.iter().all(|&e| e == 0), "{}, n = {n}", simd.name());
        }
    }
}

#[test]
fn sizes_outside_the_range_are_refused() {
    for n in [0, 1, 128, 255, 257, 1 << 17] {
        assert_eq!(Fft::new(n).err(), Some(Error::BadFftSize { n }));
    }
}

#[test]
fn every_backend_gives_the_bits_of_the_portable_one() {
    for simd in Simd::available() {
        for n in SIZES {
            fft::matches_portable(simd, n);
        }
    }
}

#[test]
fn transforms_of_coefficients_are_those_of_integers() {
    for simd in Simd::available() {
        for n in SIZES {
            fft::transforms_of_coefficients(simd, n);
        }
    }
}

#[test]
fn external_products_are_the_bits_of_their_parts() {
    let gadget = |log2_base, levels| Digits { log2_base, levels };
    for simd in Simd::available() {
        for n in SIZES {
            fft::external_products_are_their_parts::<u32>(simd, n, &[gadget(8, 2), gadget(7, 2)]);
            fft::external_products_are_their_parts::<u64>(simd, n, &[gadget(23, 1), gadget(14, 2), gadget(22, 1)]);
        }
        for columns in [1, 4, 5, 9] {
            fft::external_products_are_their_parts::<u64>(simd, 256, &vec![gadget(9, 1); columns]);
        }
    }
}

#[test]
fn half_products_are_the_bits_of_their_parts() {
    let gadget = |log2_base, levels| Digits { log2_base, levels };
    for simd in Simd::available() {
        for n in [1 << 8, 1 << 9, 1 << 11, 1 << 14] {
            fft::half_products_are_their_parts::<u32>(simd, n, &[gadget(6, 4)], 2);
            fft::half_products_are_their_parts::<u64>(simd, n, &[gadget(5, 9)], 2);
            fft::half_products_are_their_parts::<u64>(simd, n, &[gadget(14, 3)], 3);
            fft::half_products_are_their_parts::<u64>(simd, n, &[gadget(14, 2); 3], 4);
        }
    }
}

#[test]
fn steps_of_several_bits_are_right() {
    let gadget = |log2_base, levels| Digits { log2_base, levels };
    let all = [Together::Pair, Together::Block];
    for (simd, bits) in Simd::available().into_iter().flat_map(|simd| all.map(|bits| (simd, bits))) {
        for n in [1 << 8, 1 << 9, 1 << 11, 1 << 14] {
            let four = [gadget(9, 1), gadget(5, 2), gadget(8, 1), gadget(8, 1)];
            fft::steps_of_bits_are_right::<u32>(simd, (n, 1), &[gadget(6, 2), gadget(7, 1)], bits);
            fft::steps_of_bits_are_right::<u64>(simd, (n, 1), &four, bits);
        }
        fft::steps_of_bits_are_right::<u64>(simd, (256, 1), &[gadget(9, 1); 9], bits);
        fft::steps_of_bits_are_right::<u32>(simd, (256, 1), &[gadget(9, 1); 1], bits);
        for (n, parts) in [(1 << 8, 2), (1 << 9, 16), (1 << 11, 4)] {
            fft::steps_of_bits_are_right::<u32>(simd, (n, parts), &[gadget(6, 2), gadget(7, 1)], bits);
            fft::steps_of_bits_are_right::<u64>(simd, (n, parts), &[gadget(9, 1); 2], bits);
        }
    }
}

/// Measured over predicted variance of the errors, and the largest error in standard deviations.
fn against_formula<K: KeyWord>(n: usize, digits: Digits, to_key: impl Fn(f64) -> K + Copy) -> (f64, f64) {
    let plan = Fft::new(n).expect("size");
    let (mut sampler, runs) = (Sampler::new(n as u64), (1 << 15).max(n) / n);
    let errors: Vec<f64> = (0..runs)
        .flat_map(|_| fft::product_errors::<u64, K>(&plan, digits, || sampler.word(), to_key))
        .map(|e| e as f64 * 2f64.powi(-64))
        .collect();
    let predicted = product_variance_torus::<K>(n, digits.levels as usize, digits.log2_base);
    let measured = errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
    let largest = errors.iter().fold(0.0f64, |m, e| m.max(e.abs()));
    (measured / predicted, largest / predicted.sqrt())
}

#[test]
fn errors_have_the_variance_of_the_formula() {
    // 2^15 samples and more: the ratio has a standard deviation near 0.01; the formula is fitted to 5 %.
    for n in SIZES {
        for digits in [Digits { log2_base: 9, levels: 1 }, Digits { log2_base: 16, levels: 3 }] {
            if n <= 1 << 12 || digits.levels == 1 {
                let (ratio, largest) = against_formula::<f64>(n, digits, |k| k);
                assert!((0.9..1.1).contains(&ratio) && largest < 7.0, "n = {n}, {digits:?}: {ratio}, {largest} σ");
            }
        }
    }
    for n in [1 << 8, 1 << 10, 1 << 12] {
        let (ratio, largest) = against_formula::<f32>(n, Digits { log2_base: 8, levels: 2 }, |k| k as f32);
        assert!((0.95..1.05).contains(&ratio) && largest < 7.0, "f32, n = {n}: {ratio}, {largest} σ");
    }
}

#[test]
fn extreme_words_stay_within_the_bound() {
    fn check<T: fft::Word>(n: usize, digits: Digits) {
        let plan = Fft::new(n).expect("size");
        let rows = f64::from(digits.levels);
        // The word whose digits are B/2 in magnitude, of alternating signs, the last one negative; and the extreme
        // torus words, row by row: every product has the same sign, until X^n = −1 turns it.
        let base = digits.log2_base;
        let halves = (1..=digits.levels).map(|level| 1u64 << (63 - (level - 1) * base));
        let alternating = halves.fold(0u64, |x, half| half.wrapping_sub(x)).wrapping_neg();
        assert!(fft::digits_of(T::from_word(alternating), digits).iter().all(|d| d.unsigned_abs() == 1 << (base - 1)));
        let words = (digits.levels as usize + 1) * n;
        let levels = f64::from((n / 2).ilog2());
        let factor = 7.42 * levels + 3.0 * rows + 1.0 + 3.71 * levels * (n as f64).sqrt();
        let size = rows * n as f64 * 2f64.powi(base as i32 - 1 + T::BITS as i32 - 1);
        let bound = 2f64.powi(-53) * factor * size + 0.5;
        for signs in 0..3 {
            let mut i = 0;
            let word = || {
                i += 1;
                let greatest = match signs {
                    // All alike; keys that alternate between the two extremes; keys that change once.
                    1 => i % 2 == 0,
                    2 => i % n < n / 2,
                    _ => false,
                };
                match i - 1 {
                    at if at < n => alternating,
                    at if at >= words => 0,
                    at if greatest != (at / n).is_multiple_of(2) => (1 << 63) - 1,
                    _ => 1 << 63,
                }
            };
            let largest =
                fft::product_errors::<T, f64>(&plan, digits, word, |k| k).into_iter().map(i64::unsigned_abs).max();
            let largest = largest.expect("coefficients") as f64;
            assert!(largest <= bound, "n = {n}, {digits:?}, {} bits: {largest} above {bound}", T::BITS);
        }
    }
    for n in [1 << 8, 1 << 10, 1 << 12, 1 << 14] {
        check::<u32>(n, Digits { log2_base: 7, levels: 3 });
        check::<u32>(n, Digits { log2_base: 15, levels: 2 });
        check::<u64>(n, Digits { log2_base: 8, levels: 2 });
    }
    // One row: the exact product is slow.
    check::<u64>(1 << 16, Digits { log2_base: 8, levels: 1 });
}

/// 32-bit keys in units of their own give what the doubles give, when the units hold them exactly.
#[test]
fn integer_keys_are_doubles_in_units() {
    for simd in Simd::available() {
        let (n, digits) = (256, Digits { log2_base: 6, levels: 2 });
        let fft = Fft::with_simd(n, simd).unwrap();
        let x: Vec<u32> = (0..n as u32).map(|j| j.wrapping_mul(0x9e37_79b9)).collect();
        let integers: Vec<i32> = (0..2 * n as i32).map(|j| j.wrapping_mul(0x2545_f491)).collect();
        let doubles: Vec<f64> = integers.iter().map(|&k| f64::from(k) * 32.0).collect();
        let mut digits_of = vec![0.0; 2 * n];
        fft.forward_digits(&mut digits_of, &x, digits);
        let (mut sum, mut a, mut b) = (vec![0.0; n], x.clone(), x.clone());
        fft.multiply(&mut sum, &digits_of, &doubles);
        fft.inverse_add(&mut a, &mut sum);
        fft.multiply(&mut sum, &digits_of, &integers);
        fft.inverse_add_scaled(&mut b, &mut sum, 5);
        assert_eq!(a, b, "{}", simd.name());
        assert_ne!(a, x);
    }
}
