//! Encrypted random integers from public seeds.

use crate::common::{four_bits, on_threads, two_bits};
use everlevel_binfhe::{Error, EvalKeys, SecretKey, Width};

const SEED: [u8; 32] = [7; 32];

/// Pearson's test that values are uniform below `count`. By Laurent and Massart (2000, lemma 1) its statistic passes
/// the bound at `e^-30` by chance; where a cell has few values, from four on, at less than `1e-9` (Chernoff).
#[track_caller]
fn assert_uniform(values: impl Iterator<Item = u64>, count: usize) {
    let mut found = vec![0.0; count];
    values.for_each(|value| found[value as usize] += 1.0);
    let expected = found.iter().sum::<f64>() / count as f64;
    let chi_square = found.iter().map(|found| (found - expected).powi(2) / expected).sum::<f64>();
    let degrees = (count - 1) as f64;
    let bound = degrees + 2.0 * (degrees * 30.0).sqrt() + 2.0 * 30.0;
    assert!(chi_square < bound, "{count} cells: {chi_square} of at most {bound}");
}

/// So many random integers of 16 bits.
fn drawn((secret, keys): &(SecretKey, EvalKeys), count: usize) -> Vec<u64> {
    secret.decrypt_uints(&keys.integers().unwrap().random(Width::U16, 16, &SEED, 0..count).unwrap()).unwrap()
}

/// Numbers of so many neighbouring bits each, from some place on.
fn parts(found: &[u64], first: u32, bits: u32) -> impl Iterator<Item = u64> {
    found.iter().flat_map(move |x| (first..=16 - bits).step_by(bits as usize).map(move |i| x >> i & ((1 << bits) - 1)))
}

/// Every digit is uniform, and so are pairs of neighbouring ones, or of their halves.
#[test]
fn random_integers_are_uniform() {
    let found = drawn(two_bits(), 600);
    assert_uniform(parts(&found, 0, 2), 4);
    assert_uniform(parts(&found, 0, 8), 256);
    let found = drawn(four_bits(), 150);
    assert_uniform(parts(&found, 0, 4), 16);
    assert_uniform(parts(&found, 2, 4), 16);
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
    assert!(wide.iter().zip(&all).filter(|(wide, x)| *wide & 0xffff_ffff == **x).count() < 2);
    let small = draw(Width::U32, 5, SEED, 0..200)?;
    assert_eq!(small.iter().fold((0, 31), |(some, all), x| (some | x, all & x)), (31, 0));
    assert_uniform(small.into_iter(), 32);
    assert_eq!(draw(Width::U16, 0, SEED, 0..3)?, [0; 3]);
    assert_eq!(draw(Width::U256, 256, SEED, 0..2)?.len(), 8);
    let bools = |places| secret.decrypt_bools(&integers.random_bools(&SEED, places)?);
    let flags = bools(0..400)?;
    assert_uniform(flags.iter().map(|&flag| flag.into()), 2);
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
