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
