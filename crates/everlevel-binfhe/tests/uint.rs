//! Integers of 8 to 64 bits against Rust's own, on small, insecure parameters; and on a real set.

use crate::common;

use crate::common::uints::{Bench, OF_ONE_WORD, operand, operands, split, width, zip};
use crate::common::{digits_literal, four_bits, keys, on_threads, two_bits};
use everlevel_binfhe::{Ciphertext, Error, Extreme, NoiseSum, Width, sets};
use proptest::prelude::*;

/// A share of the usual number of cases, which `PROPTEST_CASES` sets.
fn share(divisor: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.div_ceil(divisor), failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(share(50))]

    #[test]
    fn sums_are_rusts(width in width(), pairs in operands(), threads in 1usize..=4) {
        let (a, b) = split(&pairs, width);
        let bench = Bench::new(two_bits(), width);
        on_threads(threads, || bench.arithmetic(&a, &b)).unwrap();
    }

    #[test]
    fn comparisons_are_rusts(width in width(), pairs in operands(), alike in 0u32..64) {
        let (a, b) = split(&pairs, width);
        // Operands that differ in low bits only, or not at all.
        let near: Vec<u64> = zip(&a, &b).map(|(a, b)| a ^ (b >> alike >> 1)).collect();
        Bench::new(two_bits(), width).comparisons(&[&a[..], &a, &a].concat(), &[&a[..], &b, &near].concat()).unwrap();
    }

    #[test]
    fn bits_are_rusts(width in width(), pairs in operands()) {
        let (a, b) = split(&pairs, width);
        Bench::new(two_bits(), width).bits(&a, &b).unwrap();
    }

    #[test]
    fn shifts_are_rusts(width in width(), pairs in operands(), amounts in prop::array::uniform2(0u32..64)) {
        let (a, _) = split(&pairs, width);
        Bench::new(two_bits(), width).shifts(&a, &amounts[..a.len()]).unwrap();
    }

    #[test]
    fn operations_follow_one_another(width in width(), pairs in operands(), threads in 1usize..=4) {
        let (a, b) = split(&pairs, width);
        let bench = Bench::new(two_bits(), width);
        on_threads(threads, || bench.chain(&a, &b)).unwrap();
    }

    #[test]
    fn reductions_are_rusts(width in width(), values in prop::collection::vec(operand(), 1..=9), equal in 0usize..18) {
        // Rows of two, some of them equal.
        let mut values: Vec<u64> = [&values[..], &values].concat().iter().map(|value| value & width.max()).collect();
        let len = values.len();
        values[equal % len] = values[0];
        Bench::new(two_bits(), width).reductions(&values).unwrap();
    }
}

proptest! {
    #![proptest_config(share(64))]

    #[test]
    fn products_are_rusts(width in width(), pairs in operands(), shift in 0u32..64, threads in 1usize..=4) {
        let bench = Bench::new(two_bits(), width);
        // Products on both sides of an overflow.
        let (a, b) = split(&pairs, width);
        let b: Vec<u64> = b.iter().map(|b| b >> (shift % width.bits())).collect();
        on_threads(threads, || bench.products(&a, &b)).unwrap();
    }
}

proptest! {
    #![proptest_config(share(128))]

    #[test]
    fn quotients_are_rusts(width in width(), pairs in operands(), shift in 0u32..64, threads in 1usize..=4) {
        let bench = Bench::new(two_bits(), width);
        // Quotients of every size.
        let (a, b) = split(&pairs, width);
        let b: Vec<u64> = b.iter().map(|b| b >> (shift % width.bits())).collect();
        on_threads(threads, || bench.quotients(&a, &b)).unwrap();
    }
}

/// All ways that divisors take: zero, powers of two, small odd factors and large ones, in the clear and encrypted, and
/// narrower ones.
#[test]
fn divisors_of_every_kind() {
    let bench = Bench::new(two_bits(), Width::U8);
    let int = &bench.integers;
    for step in [2, 5] {
        let b = (1..=255).step_by(step).collect::<Vec<u64>>();
        let a = b.iter().map(|b| if step == 5 { 255 } else { (b * 77 + 31) % 256 }).collect::<Vec<_>>();
        let (q, r) = int.div_rem(&bench.encrypt(&a), &int.constants(Width::U8, &b).unwrap()).unwrap();
        bench.are("public div", &q, zip(&a, &b).map(|(a, b)| a / b));
        bench.are("public rem", &r, zip(&a, &b).map(|(a, b)| a % b));
    }
    let b: Vec<u64> = (0..=255).step_by(23).chain([1, 2, 3, 128, 129, 255]).collect();
    bench.quotients(&b.iter().map(|b| (b * 77 + 31) % 256).collect::<Vec<_>>(), &b).unwrap();
    for width in [Width::U16, Width::U32, Width::U64] {
        let bench = Bench::new(two_bits(), width);
        let (int, a) = (&bench.integers, vec![width.max(), width.max() / 3, 12_345, 7]);
        let x = bench.encrypt(&a);
        let of_factors = int.constants(width, &[100, 225, 165, 125]).unwrap();
        let (q, r) = int.div_rem(&x, &of_factors).unwrap();
        bench.are("div by factors", &q, zip(&a, &[100, 225, 165, 125]).map(|(a, b)| a / b));
        bench.are("rem by factors", &r, zip(&a, &[100, 225, 165, 125]).map(|(a, b)| a % b));
        let edges = int.constants(width, &[width.max(), width.max() - 1, width.max() / 2 + 1, 1]).unwrap();
        let (q, r) = int.div_rem(&x, &edges).unwrap();
        bench.are("div by edges", &q, [1, 0, 0, 7]);
        bench.are("rem by edges", &r, [0, a[1], a[2], 0]);
        for divisor in [[0, 7, 255, 100], [0, 1, 5, 6]] {
            let y = int.with_width(&bench.secret.encrypt_uints(Width::U8, &divisor).unwrap(), width).unwrap();
            let (q, r) = int.div_rem(&x, &y).unwrap();
            bench.are("narrow div", &q, zip(&a, &divisor).map(|(a, b)| a.checked_div(b).unwrap_or(width.max())));
            bench.are("narrow rem", &r, zip(&a, &divisor).map(|(a, b)| a.checked_rem(b).unwrap_or(a)));
        }
    }
}

/// Sums of many terms, whose carries are larger than a digit where the space has room for more than two digits.
#[test]
fn spaces_of_any_size_have_the_same_products() {
    for bits in 5..8 {
        let keys = keys(digits_literal(bits));
        let (bench, max) = (Bench::new(&keys, Width::U16), Width::U16.max());
        let (a, b) = ([max, max, max - 1, max / 2, max / 3], [max, max - 1, max - 1, max / 2, max]);
        let product = bench.integers.mul(&bench.encrypt(&a), &bench.encrypt(&b)).unwrap();
        bench.are("mul", &product, zip(&a, &b).map(|(a, b)| a * b));
        let sum = bench.integers.sum_rows(&bench.encrypt(&[max; 40]), 40).unwrap();
        bench.are("sum", &sum, [40 * max]);
    }
}

/// The largest product that fits and the smallest that doesn't, and all carries at once.
#[test]
fn edges_of_every_width() {
    for width in OF_ONE_WORD {
        let bench = Bench::new(two_bits(), width);
        for threads in [1, 4] {
            let (a, b) = ([width.max(), width.max(), 0, 0], [1, width.max(), 1, 0]);
            on_threads(threads, || bench.arithmetic(&a, &b)).unwrap();
        }
    }
    let bench = Bench::new(two_bits(), Width::U8);
    let pairs = [(15, 17), (16, 16), (255, 1), (255, 255), (128, 2), (2, 127), (3, 86), (64, 4), (0, 255)];
    let (a, b): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    bench.products(&a, &b).unwrap();
}

/// Digits of 4 bits in messages of 8.
#[test]
fn wider_digits() {
    let bench = Bench::new(four_bits(), Width::U16);
    assert_eq!(bench.integers.block_bits(), 4);
    let (a, b) = ([0xfedc], [0x0124]);
    on_threads(1, || {
        bench.arithmetic(&a, &b).unwrap();
        bench.products(&a, &b).unwrap();
        bench.quotients(&a, &b).unwrap();
        bench.quotients(&a, &[3]).unwrap();
        bench.quotients(&a, &[1000]).unwrap();
        bench.chain(&a, &b).unwrap();
    });
    let (a, b) = ([0x00ff], [0x0101]);
    on_threads(4, || bench.arithmetic(&a, &b)).unwrap();
    let bench = Bench::new(four_bits(), Width::U8);
    bench.comparisons(&[0x5a], &[0x5b]).unwrap();
    bench.shifts(&[0xc5], &[3]).unwrap();
}

/// Slices of rows and of columns, whose outcomes are reduced in turn.
#[test]
fn long_arrays_are_reduced_in_slices() {
    let bench = Bench::new(two_bits(), Width::U8);
    on_threads(1, || {
        let (int, slice) = (&bench.integers, bench.integers.slice_len());
        for (rows, len) in [(2 * slice + 5, 1), (2 * slice + 1, 2), (3, slice + 2)] {
            let a: Vec<u64> = (0..rows * len).map(|i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56).collect();
            let x = bench.encrypt(&a);
            let column = |i: usize| a.iter().skip(i).step_by(len).copied().collect::<Vec<_>>();
            bench.are("sum", &int.sum_rows(&x, rows).unwrap(), (0..len).map(|i| column(i).iter().sum()));
            let largest = (0..len).map(|i| column(i).into_iter().max().unwrap());
            bench.are("max", &int.extreme_row(&x, rows, Extreme::Max).unwrap(), largest);
            let places = int.place_of_extreme(&x, rows, Extreme::Max).unwrap();
            let first = |i| column(i).iter().position(|x| Some(x) == column(i).iter().max()).unwrap() as u64;
            assert_eq!(bench.secret.decrypt_uints(&places).unwrap(), (0..len).map(first).collect::<Vec<_>>());
        }
    });
}

/// Copies of one error add as values: their sums are made of smaller groups.
#[test]
fn copies_are_combined() {
    let bench = Bench::new(two_bits(), Width::U16);
    let (x, y) = (bench.encrypt(&[0xf0f0]), bench.encrypt(&[0xffff]));
    let int = &bench.integers;
    for x in [&x, &int.min(&x, &y).unwrap(), &int.add(&x, &y).unwrap()] {
        let value = bench.secret.decrypt_uints(x).unwrap()[0];
        bench.are("sum of copies", &int.sum_rows(&x.take(&[0; 9]), 9).unwrap(), [value.wrapping_mul(9)]);
        bench.are("product", &int.mul(x, x).unwrap(), [value.wrapping_mul(value)]);
        bench.are("quotient", &int.div(x, x).unwrap(), [1]);
        bench.are("double", &int.add(x, x).unwrap(), [value.wrapping_mul(2)]);
        bench.bools("equal", &int.eq(x, x).unwrap(), [true]);
        bench.are("difference", &int.sub(x, x).unwrap(), [0]);
        let flag = int.ne(x, &y).unwrap();
        bench.bools("any of copies", &int.any_row(&flag.take(&[0; 40]), 40).unwrap(), [value != 0xffff]);
        let ones = int.uints_from_bools(Width::U16, &flag.take(&[0; 40])).unwrap();
        bench.are("number of copies", &int.sum_rows(&ones, 40).unwrap(), [40 * u64::from(value != 0xffff)]);
        let both = int.combine_bools(&flag, &flag, |a, b| a & b).unwrap();
        bench.are("select", &int.select(&both, x, x).unwrap(), [value]);
    }
}

/// Blocks at the edge of the budget are bootstrapped before they are multiplied; beyond it they are refused.
#[test]
fn noise_is_counted() {
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let noisy = |factor: f64| {
        let blocks = secret.encrypt_integers(&[1, 2, 3, 0], 3).unwrap();
        let variance = factor * keys.params().noise().bootstrapped;
        let blocks =
            blocks.iter().map(|x| Ciphertext::from_parts(x.lwe().clone(), x.key(), NoiseSum::of(x.lwe(), variance), 3));
        int.uints_from_blocks(Width::U8, blocks.collect()).unwrap()
    };
    let fresh = secret.encrypt_uints(Width::U8, &[0b11_0000]).unwrap();
    // The largest factors by which a bootstrap, and a multiplication by 4, still work.
    let limit = |x: f64| keys.params().log2_p_fail(x) <= keys.params().max_log2_p_fail;
    let edge = (0..).map(|i| 1.1f64.powi(i)).take_while(|&x| limit(x)).last().unwrap();
    let settled = int.bitand(&noisy(edge / 1.2), &fresh).unwrap();
    assert_eq!(secret.decrypt_uints(&settled).unwrap(), [0b11_0000]);
    assert!(!limit(16.0 * edge / 1.2));
    for refused in [int.bitand(&noisy(edge * 1.3), &fresh), int.add(&noisy(edge * 1.3), &fresh)] {
        let Err(Error::NoiseExhausted { log2_p_fail, max_log2_p_fail, .. }) = refused else { panic!("{refused:?}") };
        assert!(log2_p_fail > max_log2_p_fail);
    }
}

/// All operations at 128 bits of security: each is within the set's noise budget, twice in a row.
#[test]
#[ignore = "slow: real parameters"]
fn real_set() {
    let keys = common::keys(sets::find("integer-4-128").unwrap().literal());
    let bench = Bench::new(&keys, Width::U16);
    let (a, b) = ([0xbeef, 0xffff], [0x1234, 1]);
    bench.arithmetic(&a, &b).unwrap();
    bench.comparisons(&a, &b).unwrap();
    bench.bits(&a, &b).unwrap();
    bench.shifts(&a, &[5, 9]).unwrap();
    bench.chain(&a, &b).unwrap();
    on_threads(4, || bench.arithmetic(&a[..1], &b[..1])).unwrap();
    bench.reductions(&[9, 1, 0xbeef, 1, 7, 3]).unwrap();
    let bench = Bench::new(&keys, Width::U8);
    bench.products(&[0xd7], &[0x4b]).unwrap();
    bench.quotients(&[0xd7], &[0x1b]).unwrap();
}
