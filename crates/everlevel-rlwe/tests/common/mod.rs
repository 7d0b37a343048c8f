//! Shared parts of the integration tests: small rings, deterministic seeds, and noise as integers.
#![allow(dead_code, missing_docs)]

use everlevel_math::primes::ntt_primes_below;
use everlevel_rand::Seed;
use everlevel_ring::{Coeff, Eval, HalfProduct, LimbRing, Limbs, Poly, PrimeSet, Representation, Ring};
use everlevel_rlwe::{Rlwe, SecretKey, SwitchingKey};
use everlevel_testkit::noise::Measured;
use everlevel_testkit::oracle::crt_centred;
use everlevel_testkit::sample::Sampler;
use num_bigint::BigInt;

/// `count` primes of 48 bits (0, 1, …), then two of 36 and one of 24.
pub fn ring(log_n: u32, count: usize) -> Ring {
    let primes: Vec<u64> = [(48, count), (36, 2), (24, 1)]
        .into_iter()
        .flat_map(|(bits, count)| ntt_primes_below(bits, log_n).take(count).collect::<Vec<_>>())
        .collect();
    Ring::new(log_n, &primes).unwrap()
}

/// The seed of a test's `index`-th draw.
pub fn seed(index: u64) -> Seed {
    let mut bytes = [0x5e; 32];
    bytes[..8].copy_from_slice(&index.to_le_bytes());
    Seed::from_bytes(bytes)
}

pub fn secret(ring: &Ring, index: u64, weight: usize) -> SecretKey {
    SecretKey::sample(ring, &seed(1 << 40 | index), index, Some(weight)).unwrap()
}

/// Uniform residues.
pub fn uniform(ring: &Ring, set: &PrimeSet, index: u64) -> Poly<Eval> {
    ring.uniform_poly(set, &seed(1 << 41 | index), 0)
}

/// The half product of a polynomial with a key, times the special primes.
pub fn half_product(ring: &Ring, key: &SwitchingKey, c: &Poly<Eval>) -> Rlwe {
    ring.multiply(&[&ring.digits(key.gadget(), &[c])[0]], key.rows()).remove(0).into()
}

/// Integer coefficients in `−bound..=bound`, nonzero only at multiples of `gap`.
pub fn small(ring: &Ring, bound: i64, gap: usize, index: u64) -> Vec<i64> {
    let mut sampler = Sampler::new(index);
    let mut draw = || (sampler.word() % (2 * bound as u64 + 1)) as i64 - bound;
    (0..ring.n()).map(|i| if i % gap == 0 { draw() } else { 0 }).collect()
}

/// The coefficients nearest to zero, modulo all of the polynomial's primes.
pub fn integers(ring: &Ring, a: &Poly<Coeff>) -> Vec<BigInt> {
    let primes: Vec<u64> = a.set().indices().iter().map(|&i| ring.modulus(i).q()).collect();
    (0..ring.n()).map(|c| crt_centred(&a.limbs().iter().map(|l| l[c]).collect::<Vec<_>>(), &primes)).collect()
}

/// `a − b` as numbers, for differences below the product of two primes; `b` may have more primes.
pub fn difference(ring: &Ring, a: &Poly<Eval>, b: &Poly<Eval>) -> Vec<f64> {
    let few = PrimeSet::new(a.set().indices().iter().copied().take(2));
    let mut d = a.restricted(&few);
    ring.sub_assign(&mut d, b);
    ring.to_i128(&ring.to_coeff(d)).into_iter().map(|x| x as f64).collect()
}

/// `a − b` as numbers, in units of the last limb of `a`, for differences below four limbs.
pub fn limb_difference(ring: &LimbRing, a: &Limbs, b: &Limbs) -> Vec<f64> {
    let mut d = a.clone();
    ring.sub_assign(&mut d, b);
    let (log2_base, last) = (ring.base().log2() as i32, d.count() - 1);
    let of = |i: usize| (0..=last.min(3)).map(|j| d.limb(last - j)[i] as f64 * 2f64.powi(log2_base * j as i32)).sum();
    (0..ring.degree()).map(of).collect()
}

#[track_caller]
pub fn assert_same(a: &Poly<Eval>, b: &Poly<Eval>) {
    assert_eq!(a.set(), b.set());
    assert!(a.limbs().iter().zip(b.limbs()).all(|(x, y)| x[..] == y[..]), "polynomials differ");
}

/// Asserts that noise is centred and has the standard deviation of its formula, to 16 % of its variance or better;
/// `shared` are the numbers of drawn values that all samples share.
#[track_caller]
pub fn assert_std_dev(measured: &Measured, what: &str, expected: f64, shared: &[usize]) {
    measured.assert_variance(what, expected * expected, shared, 0.16);
    measured.assert_centred(what, expected * expected);
}
