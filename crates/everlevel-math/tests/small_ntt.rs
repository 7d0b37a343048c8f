//! The transform on floats and its products: the suite of `everlevel-testkit` on every backend.

use everlevel_math::small_ntt::{Gadget, SmallNtt};
use everlevel_math::{Error, Simd, primes};
use everlevel_testkit::small_ntt;

/// `2^20 − 2^14 + 1`.
const SOLINAS: u64 = 1_032_193;

/// The largest prime of so many bits, and one near `2^20.4`.
fn prime(bits: u32, log_n: u32) -> u64 {
    primes::ntt_primes_below(bits, log_n).next().expect("prime")
}

fn near_20_4(log_n: u32) -> u64 {
    primes::ntt_primes_near(20.4f64.exp2(), log_n).next().expect("prime")
}

#[test]
fn forward_is_evaluation() {
    for simd in Simd::available() {
        for log_n in 4..=11 {
            for q in [SOLINAS, near_20_4(log_n), prime(21, log_n), prime(18, log_n)] {
                small_ntt::forward_is_evaluation::<f32>(simd, log_n, q);
            }
            for q in [SOLINAS, prime(27, log_n), prime(28, log_n)] {
                small_ntt::forward_is_evaluation::<f64>(simd, log_n, q);
            }
        }
    }
}

fn gadget(log2_base: u32, digits: u32, dropped: u32) -> Gadget {
    Gadget { log2_base, digits, dropped }
}

#[test]
fn steps_are_those_of_the_model() {
    for simd in Simd::available() {
        for log_n in 4..=11 {
            let q = near_20_4(log_n);
            small_ntt::steps_are_the_models::<f32>(simd, log_n, q, gadget(3, 5, 5));
            small_ntt::steps_are_the_models::<f32>(simd, log_n, prime(21, log_n), gadget(4, 4, 4));
            small_ntt::steps_are_the_models::<f64>(simd, log_n, prime(28, log_n), gadget(9, 2, 9));
        }
    }
}

#[test]
fn digits_of_all_shapes() {
    for simd in Simd::available() {
        for (base, digits, dropped) in [(4, 4, 4), (3, 6, 2), (2, 8, 4), (5, 3, 5), (7, 2, 6), (4, 5, 0), (12, 1, 7)] {
            small_ntt::steps_are_the_models::<f32>(simd, 6, SOLINAS, gadget(base, digits, dropped));
            small_ntt::steps_are_the_models::<f32>(simd, 9, SOLINAS, gadget(base, digits, dropped));
        }
        for (base, digits, dropped) in [(3, 6, 3), (2, 8, 5)] {
            small_ntt::steps_are_the_models::<f32>(simd, 8, near_20_4(8), gadget(base, digits, dropped));
        }
        for (base, digits, dropped) in [(9, 2, 9), (5, 4, 7), (13, 1, 14), (7, 4, 0)] {
            small_ntt::steps_are_the_models::<f64>(simd, 9, prime(27, 9), gadget(base, digits, dropped));
        }
    }
}

#[test]
fn plans_reject_what_they_cannot_hold() {
    let bits_28 = prime(28, 11);
    assert!(matches!(SmallNtt::<f32>::new(bits_28, 11), Err(Error::BadSmallNtt { bits: 21, .. })));
    assert!(matches!(SmallNtt::<f64>::new(bits_28, 12), Err(Error::BadSmallNtt { log_n: 12, .. })));
    assert!(matches!(SmallNtt::<f32>::new(SOLINAS, 3), Err(Error::BadSmallNtt { log_n: 3, .. })));
    assert!(matches!(SmallNtt::<f32>::new(1_032_195, 10), Err(Error::BadModulus { .. })));
    assert!(matches!(SmallNtt::<f32>::new(7681, 10), Err(Error::NoRoot { log_two_n: 11, .. })));
}
