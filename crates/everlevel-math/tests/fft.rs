//! The negacyclic complex transform: the suite of `everlevel-testkit` on every backend.

use everlevel_math::fft::{Digits, Fft};
use everlevel_math::{Error, Simd};
use everlevel_testkit::fft;

const SIZES: [usize; 8] = [1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15];

#[test]
fn small_products_are_exact() {
    // 7-bit digits of 32-bit words: the error of the doubles is far below half a unit.
    for simd in Simd::available() {
        for n in &SIZES[..5] {
            let errors = fft::product_errors::<u32>(simd, *n, Digits { log2_base: 7, levels: 3 }, *n as u64);
            assert!(errors.iter().all(|&e| e == 0), "{}, n = {n}", simd.name());
        }
    }
}

#[test]
fn sizes_outside_the_range_are_refused() {
    for n in [0, 1, 128, 255, 257, 1 << 16] {
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
