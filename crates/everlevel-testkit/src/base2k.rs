//! Conformance of the carries of limbs with big integers.

use everlevel_math::base2k::{Base, ResidueCarry, ResidueDigits};
use everlevel_math::fft::Fft;
use everlevel_math::{Modulus, Simd, primes};
use num_bigint::BigInt;

use crate::oracle::residue;
use crate::sample::Sampler;

/// `Σ_j limb_j·2^((l−1−j)·K)`: coefficient `i` of limbs in base `2^K`, most significant first, in units of the last
/// one.
pub fn value(limbs: &[&[i64]], log2_base: u32, i: usize) -> BigInt {
    limbs.iter().fold(BigInt::ZERO, |sum, limb| (sum << log2_base) + limb[i])
}

/// `x` modulo `2^bits`, in `[−2^(bits−1), 2^(bits−1))`.
pub fn wrapped(x: &BigInt, bits: u32) -> BigInt {
    let half = BigInt::from(1) << (bits - 1);
    let modulus = BigInt::from(1) << bits;
    ((x + &half) % &modulus + &modulus) % &modulus - half
}

/// A balanced digit in base `2^K`; one in four is at an edge.
pub fn digit(sampler: &mut Sampler, log2_base: u32) -> i64 {
    let half = 1i64 << (log2_base - 1);
    match sampler.word() % 16 {
        0 => -half,
        1 => half - 1,
        2 => 0,
        3 => -1,
        _ => sampler.word().cast_signed() >> (64 - log2_base),
    }
}

/// Steps on words with and without a shift: each is the balanced digit of its sum and the rest of it.
pub fn steps_on_words(simd: Simd, log2_base: u32, n: usize) {
    let base = Base::with_simd(log2_base, simd).expect("base");
    let mut sampler = Sampler::new(u64::from(log2_base));
    let edges = [0, 1, -1, i64::MAX, i64::MIN, 1 << 62, -(1 << 62), (1 << (log2_base - 1)) - 1];
    let mut words = |bits: u32| -> Vec<i64> {
        let word = |i: usize| edges.get(i).copied().unwrap_or_else(|| sampler.word().cast_signed()) >> (64 - bits);
        (0..n).map(word).collect()
    };
    let modulus = 1i128 << log2_base;
    for shift in (0..log2_base).step_by(1 + log2_base as usize / 7) {
        let x = words(if shift == 0 { 64 } else { 63 });
        let mut carry = words(63);
        carry.iter_mut().for_each(|c| *c = (*c).clamp(-(1 << 62), 1 << 62));
        let (before, mut out) = (carry.clone(), vec![1; n]);
        base.step(&mut out, &x, &mut carry, shift);
        for i in 0..n {
            let sum = (i128::from(x[i]) << shift) + i128::from(before[i]);
            let about = || format!("{}: K = {log2_base}, {} << {shift} + {}", simd.name(), x[i], before[i]);
            assert!((-modulus / 2..modulus / 2).contains(&i128::from(out[i])), "digit, {}", about());
            assert_eq!(i128::from(out[i]) + i128::from(carry[i]) * modulus, sum, "{}", about());
            assert!(carry[i].unsigned_abs() <= 1 << 62, "carry, {}", about());
        }
        let before = carry.clone();
        base.step_zero(&mut out, &mut carry);
        for i in 0..n {
            assert_eq!(i128::from(out[i]) + i128::from(carry[i]) * modulus, i128::from(before[i]), "of zero");
        }
    }
}

/// Steps on words times a factor: all limbs of an element, whose carries are those of the steps before.
pub fn steps_times_words(simd: Simd, log2_base: u32, n: usize) {
    let base = Base::with_simd(log2_base, simd).expect("base");
    let mut sampler = Sampler::new(u64::from(log2_base) + 1000);
    let (half, modulus) = (1i64 << (log2_base - 1), 1i128 << log2_base);
    for word in [0, 1, -1, 65_537, (1 << 41) - 1, 1 - (1 << 41), 1 << 41, -(1 << 62), i64::MAX, i64::MIN] {
        let mut carry = vec![0; n];
        for limb in 0..5 {
            let edges = [-half, half - 1, 0, -1];
            let digit = |i: usize| edges.get(i).copied().unwrap_or(sampler.word().cast_signed() >> (64 - log2_base));
            let x: Vec<i64> = (0..n).map(digit).collect();
            let (before, mut out) = (carry.clone(), vec![1; n]);
            base.step_times(&mut out, &x, word, &mut carry);
            for i in 0..n {
                let sum = i128::from(x[i]) * i128::from(word) + i128::from(before[i]);
                let about =
                    || format!("{}: K = {log2_base}, limb {limb}: {}·{word} + {}", simd.name(), x[i], before[i]);
                assert!((-half..half).contains(&out[i]), "digit, {}", about());
                assert_eq!(i128::from(out[i]) + i128::from(carry[i]) * modulus, sum, "{}", about());
            }
        }
    }
}

/// Steps on residues: all digits of integers up to the largest in size, whose lower limbs leave carries.
pub fn steps_on_residues(simd: Simd, log2_base: u32, prime_count: usize, n: usize) {
    let base = Base::with_simd(log2_base, simd).expect("base");
    let primes: Vec<u64> = primes::ntt_primes_below(48, 12).take(prime_count).collect();
    let moduli: Vec<Modulus> = primes.iter().map(|&q| Modulus::with_simd(q, simd).expect("prime")).collect();
    let product: BigInt = primes.iter().map(|&q| BigInt::from(q)).product();
    // As the note has it, and below what a carry holds.
    let of_modulus: BigInt = &product / 2 - &product / primes[prime_count - 1];
    let of_carry = BigInt::from(1) << (112 + log2_base);
    let largest: BigInt = of_modulus.min(of_carry) - 1;
    let mut sampler = Sampler::new(u64::from(log2_base) + 100 * prime_count as u64);
    let integer = |sampler: &mut Sampler, i: usize| -> BigInt {
        let any: BigInt = (0..3).fold(BigInt::ZERO, |x, _| (x << 64) + sampler.word());
        match i % 9 {
            0 => largest.clone(),
            1 => -largest.clone(),
            2 => BigInt::from(i as i64 - 4),
            3 => -BigInt::from(1) << (log2_base - 1),
            _ => any % (&largest * 2) - &largest,
        }
    };
    let digits = ResidueDigits::new(&moduli);
    // Three limbs of sums; then the carries of the first alone.
    let limbs: Vec<Vec<BigInt>> = (0..3).map(|_| (0..n).map(|i| integer(&mut sampler, i)).collect()).collect();
    let mut carry = ResidueCarry::zero(n);
    let mut got = vec![vec![0i64; n]; 3 + 144_usize.div_ceil(log2_base as usize)];
    let zero = vec![BigInt::ZERO; n];
    // Limbs that are added on the way, the least and the largest among them; the first has room for what is carried.
    let (half, len) = (1i64 << (log2_base - 1), got.len());
    let balanced = |sampler: &mut Sampler, i: usize| match i % 5 {
        0 => -half,
        1 => half - 1,
        _ => (sampler.word().cast_signed()) >> (64 - log2_base),
    };
    let mut onto = vec![vec![0i64; n]; len];
    onto[1..].iter_mut().for_each(|limb| *limb = (0..n).map(|i| balanced(&mut sampler, i)).collect());
    for (j, out) in got.iter_mut().enumerate().rev() {
        let limb = j.checked_sub(144_usize.div_ceil(log2_base as usize)).map_or(&zero, |j| &limbs[j]);
        let residues: Vec<Vec<u64>> = primes.iter().map(|&q| limb.iter().map(|x| residue(x, q)).collect()).collect();
        let views: Vec<&[u64]> = residues.iter().map(|x| &x[..]).collect();
        carry.add_assign(&onto[j]);
        digits.step(base, out, &views, &mut carry);
    }
    let onto: Vec<&[i64]> = onto.iter().map(|x| &x[..]).collect();
    for i in 0..n {
        let sums = limbs.iter().fold(BigInt::ZERO, |sum, limb| (sum << log2_base) + &limb[i]);
        let expected = sums + value(&onto, log2_base, i);
        let found: Vec<&[i64]> = got.iter().map(|x| &x[..]).collect();
        let about = format!("{}: K = {log2_base}, {prime_count} primes, {i}", simd.name());
        assert!(found.iter().all(|limb| (-half..half).contains(&limb[i])), "balanced, {about}");
        assert_eq!(value(&found, log2_base, i), expected, "{about}");
    }
}

/// Inner products of transforms that lie apart are the bits of the portable backend, and of a matrix's product.
pub fn inner_products_of_transforms(simd: Simd, n: usize, terms: usize) {
    let plans = [Simd::SCALAR, simd].map(|simd| Fft::with_simd(n, simd).expect("size"));
    let mut sampler = Sampler::new(n as u64);
    let mut doubles = || -> Vec<Vec<f64>> {
        (0..terms).map(|_| (0..n).map(|_| sampler.word().cast_signed() as f64).collect()).collect()
    };
    let (x, y) = (doubles(), doubles());
    let mut key = vec![0.0; terms * n];
    for (row, y) in y.iter().enumerate() {
        plans[0].interleave(&mut key, (row, 0), (terms, 1), y.iter().copied());
    }
    let mut expected = vec![1.0; n];
    plans[0].multiply(&mut expected, &x.concat(), &key);
    for (plan, len) in plans.iter().zip([n, n - 48]) {
        let mut out = vec![1.0; len];
        let views = |x: &[Vec<f64>]| -> Vec<Vec<f64>> { x.iter().map(|x| x[n - len..].to_vec()).collect() };
        let (x, y) = (views(&x), views(&y));
        let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
        let y: Vec<&[f64]> = y.iter().map(Vec::as_slice).collect();
        plan.inner_product_into(&mut out, &x, &y);
        let same = out.iter().zip(&expected[n - len..]).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{}: n = {n}, {terms} terms, {len} words", simd.name());
    }
}
