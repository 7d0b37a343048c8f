//! Encrypted random integers from public seeds.

use crate::common::{four_bits, on_threads, two_bits};
use everlevel_binfhe::{Error, EvalKeys, SecretKey, Width};

const SEED: [u8; 32] = [7; 32];

/// Pearson's statistic of values that should be uniform below `count`.
fn chi_square(values: impl Iterator<Item = u64>, count: usize) -> f64 {
    let mut found = vec![0.0; count];
    values.for_each(|value| found[value as usize] += 1.0);
    let expected = found.iter().sum::<f64>() / count as f64;
    found.iter().map(|found| (found - expected).powi(2) / expected).sum()
}

/// Every digit is uniform, and so are pairs of neighbouring ones. The bounds are exceeded once in ten million keys.
fn digits_are_uniform((secret, keys): &(SecretKey, EvalKeys), digit_bits: u32) {
    let integers = keys.integers().unwrap();
    let found = secret.decrypt_uints(&integers.random(Width::U16, 16, &SEED, 0..600).unwrap()).unwrap();
    let digits =
        |bits: u32| found.iter().flat_map(move |x| (0..16 / bits).map(move |i| x >> (i * bits) & ((1 << bits) - 1)));
    assert!(chi_square(digits(digit_bits), 1 << digit_bits) < if digit_bits == 2 { 35.0 } else { 65.0 });
    assert!(chi_square(digits(8), 256) < 390.0);
}

#[test]
fn random_integers_are_uniform() {
    digits_are_uniform(two_bits(), 2);
    digits_are_uniform(four_bits(), 4);
}

/// Integers at the same places of the same seed are the same, however they are computed; widths, numbers of bits, seeds
/// and truth values differ.
#[test]
fn random_integers_follow_from_the_seed() -> Result<(), Error> {
    let (secret, keys) = two_bits();
    let integers = keys.integers()?;
    let draw = |width, bits, seed, places| secret.decrypt_uints(&integers.random(width, bits, &seed, places)?);
    let all = draw(Width::U32, 32, SEED, 0..20)?;
    assert_eq!(all[3..9], draw(Width::U32, 32, SEED, 3..9)?);
    assert_eq!(all, on_threads(3, || draw(Width::U32, 99, SEED, 0..20))?);
    assert_ne!(all, draw(Width::U32, 32, [8; 32], 0..20)?);
    assert_ne!(all, draw(Width::U32, 31, SEED, 0..20)?);
    let wide = draw(Width::U64, 64, SEED, 0..20)?;
    assert!(wide.iter().zip(&all).all(|(wide, x)| wide & 0xffff_ffff != *x));
    let small = draw(Width::U32, 5, SEED, 0..200)?;
    assert!((0..32).all(|x| small.contains(&x)) && small.iter().all(|&x| x < 32));
    assert_eq!(draw(Width::U16, 0, SEED, 0..3)?, [0; 3]);
    assert_eq!(draw(Width::U256, 256, SEED, 0..2)?.len(), 8);
    let bools = |places| secret.decrypt_bools(&integers.random_bools(&SEED, places)?);
    let flags = bools(0..200)?;
    assert!((60..140).contains(&flags.iter().filter(|flag| **flag).count()));
    assert_eq!(flags[50..60], bools(50..60)?);
    assert!(draw(Width::U8, 8, SEED, 0..0)?.is_empty());
    Ok(())
}

/// A digit is a bootstrap, and as noisy as any other: it is computed with.
#[test]
fn random_integers_are_digits() -> Result<(), Error> {
    let (secret, keys) = two_bits();
    let integers = keys.integers()?;
    let cost = integers.cost(|int| int.random(Width::U16, 9, &SEED, 0..10))?;
    assert_eq!((cost.bootstraps, cost.rounds), (50, 1));
    let x = integers.random(Width::U16, 16, &SEED, 0..4)?;
    let values = secret.decrypt_uints(&x)?;
    let sum = secret.decrypt_uints(&integers.add(&x, &x)?)?;
    assert_eq!(sum, values.iter().map(|x| (2 * x) & 0xffff).collect::<Vec<_>>());
    let bootstrapped = keys.params().noise().bootstrapped;
    assert!(x.blocks().iter().all(|block| block.variance_torus() == bootstrapped && block.max_value() == 3));
    Ok(())
}
