//! Signed integers against Rust's own, on small, insecure parameters; their costs; and integers of more than one word.

use crate::common::uints::{Bench, OF_ONE_WORD, operands, split, width, zip};
use crate::common::{four_bits, on_threads, two_bits};
use everlevel_binfhe::{Error, Extreme, Integers, UintArray, Width};
use proptest::prelude::*;

/// An eighth of the usual number of cases, which `PROPTEST_CASES` sets.
fn few() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.div_ceil(64), failure_persistence: None, ..usual }
}

/// The signed integer that bits of a width are.
fn signed(width: Width, bits: u64) -> i128 {
    let unused = 64 - width.bits();
    i128::from((bits << unused) as i64 >> unused)
}

/// Quotient and remainder rounded down, or those by zero.
fn floor(a: i128, b: i128) -> (i128, i128) {
    if b == 0 {
        return (if a < 0 { 0 } else { -1 }, a);
    }
    let (q, r) = (a.div_euclid(b), a.rem_euclid(b));
    if r != 0 && b < 0 { (q - 1, r + b) } else { (q, r) }
}

fn compare(bench: &Bench<'_>, a: &[u64], b: &[u64], divide: bool) -> Result<(), Error> {
    let (x, y, width) = (bench.encrypt(a), bench.encrypt(b), bench.width);
    let (public, int) = (bench.integers.constants(width, b)?, bench.integers.signed());
    let pairs = || zip(a, b).map(|(a, b)| (signed(width, a), signed(width, b)));
    let in_range = |value: i128| signed(width, value as u64) == value;
    bench.bools("lt", &int.lt(&x, &y)?, pairs().map(|(a, b)| a < b));
    bench.bools("le", &int.le(&x, &public)?, pairs().map(|(a, b)| a <= b));
    bench.bools("gt", &int.gt(&x, &y)?, pairs().map(|(a, b)| a > b));
    bench.bools("ge", &int.ge(&x, &y)?, pairs().map(|(a, b)| a >= b));
    bench.are("min", &int.min(&x, &y)?, pairs().map(|(a, b)| a.min(b) as u64));
    bench.are("max", &int.max(&x, &y)?, pairs().map(|(a, b)| a.max(b) as u64));
    bench.are("abs", &int.abs(&x)?, pairs().map(|(a, _)| a.unsigned_abs() as u64));
    let (sum, overflow) = int.checked_add(&x, &y)?;
    bench.are("checked_add", &sum, pairs().map(|(a, b)| (a + b) as u64));
    bench.bools("checked_add", &overflow, pairs().map(|(a, b)| !in_range(a + b)));
    let (difference, overflow) = int.checked_sub(&x, &y)?;
    bench.are("checked_sub", &difference, pairs().map(|(a, b)| (a - b) as u64));
    bench.bools("checked_sub", &overflow, pairs().map(|(a, b)| !in_range(a - b)));
    let clipped = |value: i128| value.clamp(-1 << (width.bits() - 1), (1 << (width.bits() - 1)) - 1) as u64;
    bench.are("saturating_add", &int.saturating_add(&x, &y)?, pairs().map(|(a, b)| clipped(a + b)));
    bench.are("saturating_sub", &int.saturating_sub(&x, &public)?, pairs().map(|(a, b)| clipped(a - b)));
    if width < Width::U32 {
        bench.are("saturating_mul", &int.saturating_mul(&x, &y)?, pairs().map(|(a, b)| clipped(a * b)));
        let (product, overflow) = int.checked_mul(&x, &y)?;
        bench.are("checked_mul", &product, pairs().map(|(a, b)| (a * b) as u64));
        bench.bools("checked_mul", &overflow, pairs().map(|(a, b)| !in_range(a * b)));
    }
    for amount in [0, 1, 2, 3, 5, 7, width.bits() - 1] {
        bench.are("shr", &int.shr(&x, amount)?, pairs().map(|(a, _)| (a >> amount) as u64));
    }
    bench.are("shr_by", &int.shr_by(&x, &y)?, zip(a, b).map(|(a, b)| (signed(width, a) >> b.min(127)) as u64));
    for wider in OF_ONE_WORD {
        let found = bench.secret.decrypt_uints(&int.with_width(&x, wider)?)?;
        assert_eq!(found, pairs().map(|(a, _)| a as u64 & wider.max()).collect::<Vec<_>>(), "with_width");
    }
    for divisor in [&y, &public].into_iter().filter(|_| divide) {
        let (q, r) = int.div_rem(&x, divisor)?;
        bench.are("div_rem", &q, pairs().map(|(a, b)| floor(a, b).0 as u64));
        bench.are("div_rem", &r, pairs().map(|(a, b)| floor(a, b).1 as u64));
        let (q, by_zero) = int.checked_div(&x, divisor)?;
        bench.are("checked_div", &q, pairs().map(|(a, b)| floor(a, b).0 as u64));
        bench.bools("checked_div", &by_zero, pairs().map(|(_, b)| b == 0));
        bench.are("checked_rem", &int.checked_rem(&x, divisor)?.0, pairs().map(|(a, b)| floor(a, b).1 as u64));
    }
    Ok(())
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn signed_operations_are_rusts(width in width(), pairs in operands(), threads in 1usize..=4) {
        let (a, b) = split(&pairs, width);
        let bench = Bench::new(two_bits(), width);
        on_threads(threads, || compare(&bench, &a, &b, width < Width::U32)).unwrap();
    }
}

/// Divisors of every way, in the clear and encrypted, in one array; with digits of two bits and of four.
#[test]
fn divisors_of_every_kind() {
    for (keys, step) in [(two_bits(), 51), (four_bits(), 127)] {
        let b: Vec<u64> = (0..=255).step_by(step).chain([0, 1, 2, 10, 127, 128, 129, 246, 255]).collect();
        let a: Vec<u64> = b.iter().map(|b| (b * 77 + 128) % 256).collect();
        compare(&Bench::new(keys, Width::U8), &a, &b, true).unwrap();
    }
    // Divisors of fewer blocks than the dividends: their upper blocks are known to be zero.
    let bench = Bench::new(two_bits(), Width::U16);
    let a = [0x8000, 0xffff, 12345, 0];
    let y = bench.integers.with_width(&bench.secret.encrypt_uints(Width::U8, &[0, 7, 255, 100]).unwrap(), Width::U16);
    let (q, r) = bench.integers.signed().div_rem(&bench.encrypt(&a), &y.unwrap()).unwrap();
    let expected = || zip(&a, &[0, 7, 255, 100]).map(|(a, b)| floor(signed(Width::U16, a), i128::from(b)));
    bench.are("narrow div", &q, expected().map(|(q, _)| q as u64));
    bench.are("narrow rem", &r, expected().map(|(_, r)| r as u64));
}

/// Quotients and remainders of every dividend by every divisor in the clear.
fn quotients_by_constants(width: Width, dividends: &[u64], divisors: &[u64]) {
    let bench = Bench::new(two_bits(), width);
    let (a, b): (Vec<_>, Vec<_>) = divisors.iter().flat_map(|b| dividends.iter().map(move |a| (*a, *b))).unzip();
    let y = bench.integers.constants(width, &b).unwrap();
    let (q, r) = bench.integers.signed().div_rem(&bench.encrypt(&a), &y).unwrap();
    let expected = || zip(&a, &b).map(|(a, b)| floor(signed(width, a), signed(width, b)));
    bench.are("div", &q, expected().map(|(q, _)| q as u64 & width.max()));
    bench.are("rem", &r, expected().map(|(_, r)| r as u64 & width.max()));
    let alone = bench.integers.signed().div(&bench.encrypt(&a), &y).unwrap();
    bench.are("div alone", &alone, expected().map(|(q, _)| q as u64 & width.max()));
}

#[test]
fn quotients_by_divisors_in_the_clear() {
    let divisors: Vec<u64> = [1, 4, 12, 17, 24, 77, 80, 100, 124, 127, 128, 156, 251].into();
    quotients_by_constants(Width::U8, &[1, 0x3f, 0x7f, 0x80, 0xff], &divisors);
    quotients_by_constants(Width::U16, &[0x7fff, 0x8000, 0xcafe], &[77, 100, 229, 0x6400, 0xff9c]);
    quotients_by_constants(Width::U64, &[1 << 63, (1 << 63) - 1], &[3 << 20, 15_625 << 6]);
}

#[test]
#[ignore = "slow: 65,280 divisions"]
fn all_quotients_by_divisors_in_the_clear() {
    let (dividends, divisors): (Vec<u64>, Vec<u64>) = ((0..256).collect(), (1..256).collect());
    divisors.chunks(16).for_each(|divisors| quotients_by_constants(Width::U8, &dividends, divisors));
}

/// Products of eight bits that tell of overflow, and those that end at the least or the largest integer.
fn products_are_exact(bench: &Bench, a: &[u64], b: &[u64]) {
    let (product, overflow) = bench.integers.signed().checked_mul(&bench.encrypt(a), &bench.encrypt(b)).unwrap();
    let exact = || zip(a, b).map(|(a, b)| signed(Width::U8, a) * signed(Width::U8, b));
    bench.are("checked_mul", &product, exact().map(|exact| exact as u64));
    bench.bools("checked_mul", &overflow, exact().map(|exact| !(-128..128).contains(&exact)));
    let clipped = bench.integers.signed().saturating_mul(&bench.encrypt(a), &bench.encrypt(b)).unwrap();
    bench.are("saturating_mul", &clipped, exact().map(|exact| exact.clamp(-128, 127) as u64));
}

/// Dividends and divisors of both signs next to powers of two, to zero and to the ends of the range.
#[test]
fn signed_quotients_at_edges() {
    let edges = [0, 1, 63, 127, 128, 192, 255];
    for (keys, edges) in [(two_bits(), &edges[..]), (four_bits(), &[127, 128, 255][..])] {
        let bench = Bench::new(keys, Width::U8);
        let (a, b): (Vec<_>, Vec<_>) = edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b))).unzip();
        let (q, r) = bench.integers.signed().div_rem(&bench.encrypt(&a), &bench.encrypt(&b)).unwrap();
        let expected = || zip(&a, &b).map(|(a, b)| floor(signed(Width::U8, a), signed(Width::U8, b)));
        bench.are("div", &q, expected().map(|(q, _)| q as u64));
        bench.are("rem", &r, expected().map(|(_, r)| r as u64));
        products_are_exact(&bench, &a, &b);
    }
    // Comparisons with a zero in the clear are signs.
    let bench = Bench::new(two_bits(), Width::U8);
    let (a, int) = ([0, 1, 0x7f, 0x80, 0xff], bench.integers.signed());
    let (x, zero) = (bench.encrypt(&a), bench.integers.constants(Width::U8, &[0; 5]).unwrap());
    let below = || a.iter().map(|&a| signed(Width::U8, a) < 0);
    bench.bools("lt 0", &int.lt(&x, &zero).unwrap(), below());
    bench.bools("ge 0", &int.ge(&x, &zero).unwrap(), below().map(|found| !found));
    bench.bools("0 gt", &int.gt(&zero, &x).unwrap(), below());
    bench.bools("0 le", &int.le(&zero, &x).unwrap(), below().map(|found| !found));
    bench.bools("gt 0", &int.gt(&x, &zero).unwrap(), a.iter().map(|&a| signed(Width::U8, a) > 0));
    assert_eq!(bench.integers.cost(|int| int.signed().lt(&x, &zero)).unwrap().bootstraps, 5);
    // Noisy operands, and divisors whose signs or other digits are known.
    let bench = Bench::new(two_bits(), Width::U8);
    let int = &bench.integers;
    let (a, b) = ([100, 0x80, 0x9c, 7], [0xfd, 0xff, 5, 0xf9]);
    let (x, y) = (bench.encrypt(&a), bench.encrypt(&b));
    let both = int.signed().min(&x, &x).unwrap();
    let twice = int.signed().div(&both, &int.signed().max(&y, &y).unwrap()).unwrap();
    let quotient = |a: u64, b: u64| floor(signed(Width::U8, a), signed(Width::U8, b)).0 as u64;
    bench.are("noisy div", &twice, zip(&a, &b).map(|(a, b)| quotient(a, b)));
    let high = int.bitor(&y, &int.constants(Width::U8, &[0xf0; 4]).unwrap()).unwrap();
    let low = int.bitor(&y, &int.constants(Width::U8, &[0x0f; 4]).unwrap()).unwrap();
    bench.are(
        "div by known signs",
        &int.signed().div(&x, &high).unwrap(),
        zip(&a, &b).map(|(a, b)| quotient(a, b | 0xf0)),
    );
    bench.are(
        "div by known digits",
        &int.signed().div(&x, &low).unwrap(),
        zip(&a, &b).map(|(a, b)| quotient(a, b | 0x0f)),
    );
}

#[test]
fn signed_extremes_are_rusts() {
    let bench = Bench::new(two_bits(), Width::U16);
    let (x, int) = (bench.encrypt(&[5, 0xffff, 0x8000, 0x7fff, 0x7fff, 0x8000]), bench.integers.signed());
    bench.are("min", &int.extreme_row(&x, 3, Extreme::Min).unwrap(), [0x8000, 0x8000]);
    bench.are("max", &int.extreme_row(&x, 3, Extreme::Max).unwrap(), [0x7fff, 0x7fff]);
    let places = |extreme| bench.secret.decrypt_uints(&int.place_of_extreme(&x, 3, extreme).unwrap()).unwrap();
    assert_eq!((places(Extreme::Min), places(Extreme::Max)), (vec![1, 2], vec![2, 1]));
}

/// Products of factors next to powers of two, at and beside the ends of the range.
#[test]
fn signed_products_at_edges() {
    let mut factors: Vec<i64> = (0..8).flat_map(|i| [1 << i, (1 << i) - 1, (1 << i) + 1]).collect();
    factors.extend(factors.clone().iter().map(|x| -x));
    factors.retain(|x| (-128..128).contains(x));
    factors.sort_unstable();
    factors.dedup();
    let pairs = factors.iter().flat_map(|a| factors.iter().map(move |b| (*a, *b)));
    let near_the_ends = |product: i64| (50..600).contains(&product.abs()) || product == 0;
    let (a, b): (Vec<u64>, Vec<u64>) =
        pairs.filter(|(a, b)| near_the_ends(a * b)).map(|(a, b)| (a as u64 & 255, b as u64 & 255)).unzip();
    products_are_exact(&Bench::new(two_bits(), Width::U8), &a, &b);
}

/// Bootstraps of a signed operation beside those of the unsigned one: at most 1.15 of them, or one more.
#[test]
fn signs_take_few_bootstraps() {
    type Operation = fn(&Integers<'_>, &UintArray, &UintArray) -> Result<(), Error>;
    macro_rules! pairs {
        ($($method:ident),*) => {
            [$((stringify!($method), [
                (|i, x, y| i.$method(x, y).map(drop)) as Operation,
                |i, x, y| i.signed().$method(x, y).map(drop),
            ])),*]
        };
    }
    let operations = pairs![
        lt,
        max,
        shr_by,
        div,
        rem,
        div_rem,
        checked_add,
        checked_sub,
        checked_mul,
        saturating_add,
        saturating_sub,
        saturating_mul
    ];
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let costs = |width: Width, operations: [Operation; 2], y: &UintArray| {
        let x = secret.encrypt_uints(width, &[5]).unwrap();
        operations.map(|f| on_threads(1, || int.cost(|int| f(int, &x, y)).unwrap().bootstraps))
    };
    let few = |what: &str, [unsigned, signed]: [usize; 2]| {
        println!("{what}: {signed} for {unsigned}");
        assert!(
            signed as f64 <= (1.15 * unsigned as f64).max(unsigned as f64 + 1.0),
            "{what}: {signed} for {unsigned}"
        );
    };
    for width in OF_ONE_WORD {
        let y = secret.encrypt_uints(width, &[6]).unwrap();
        for (name, operations) in operations {
            few(&format!("{name}, {width:?}"), costs(width, operations, &y));
        }
        for constant in [3, 8, 10, 17, 24, 77, 100, 127] {
            let y = int.constants(width, &[constant]).unwrap();
            for (name, operations) in pairs![div, rem, div_rem] {
                few(&format!("{name} by {constant}, {width:?}"), costs(width, operations, &y));
            }
        }
    }
}

/// Integers of several words, their widths, and words that make no whole integers.
#[test]
fn integers_of_several_words() {
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let (a, b) = (u128::MAX - 5, (77 << 100) + 13);
    let words = |value: u128| [value as u64, (value >> 64) as u64];
    let value = |x: &UintArray| secret.decrypt_uints(x).unwrap().iter().rev().fold(0, |v, &w| v << 64 | u128::from(w));
    let [x, y] = [a, b].map(|value| secret.encrypt_uints(Width::U128, &words(value)).unwrap());
    assert_eq!((x.len(), x.width().bits(), x.width().words()), (1, 128, 2));
    assert_eq!(value(&int.add(&x, &y).unwrap()), a.wrapping_add(b));
    assert_eq!(value(&int.mul(&x, &int.constants(Width::U128, &words(b)).unwrap()).unwrap()), a.wrapping_mul(b));
    assert_eq!(value(&int.div(&x, &int.constants(Width::U128, &words(b)).unwrap()).unwrap()), a / b);
    assert_eq!(value(&int.rem(&x, &int.constants(Width::U128, &words(10)).unwrap()).unwrap()), a % 10);
    assert_eq!(value(&int.count_ones(&y).unwrap()), u128::from(b.count_ones()));
    assert_eq!(value(&int.leading_zeros(&y).unwrap()), u128::from(b.leading_zeros()));
    assert_eq!(value(&int.trailing_zeros(&int.constants(Width::U256, &[0; 4]).unwrap()).unwrap()), 256);
    assert!(matches!(int.constants(Width::U128, &[1, 2, 3]), Err(Error::LengthMismatch { .. })));
    assert!(matches!(secret.encrypt_uints(Width::U256, &[1, 2]), Err(Error::LengthMismatch { .. })));
}

#[test]
fn truth_values_are_chosen_between() {
    let (secret, keys) = two_bits();
    let int = keys.integers().unwrap();
    let bits = |place: u32| (0..8).map(|i| i >> place & 1 == 1).collect::<Vec<_>>();
    let [c, a, b] = [bits(2), bits(1), bits(0)].map(|values| secret.encrypt_bools(&values).unwrap());
    let expected: Vec<bool> = (0..8).map(|i| if i >> 2 == 1 { i >> 1 & 1 == 1 } else { i & 1 == 1 }).collect();
    assert_eq!(secret.decrypt_bools(&int.select_bools(&c, &a, &b).unwrap()).unwrap(), expected);
    assert!(int.select_bools(&c, &a, &b.slice(0..7)).is_err());
}
