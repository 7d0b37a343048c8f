//! Conformance of basis conversion with big integers.

use everlevel_math::{BasisConverter, Modulus, Simd, primes};
use num_bigint::BigInt;

use crate::oracle::{crt_centred, mul_mod, residue};
use crate::sample::Sampler;

/// Primes of the given bit length, from the `skip`-th.
fn basis(simd: Simd, bits: u32, skip: usize, count: usize) -> Vec<Modulus> {
    primes::ntt_primes_below(bits, 4)
        .skip(skip)
        .take(count)
        .map(|q| Modulus::with_simd(q, simd).expect("prime"))
        .collect()
}

/// Conversion from `from` to `to` primes of `bits` bits: the centred representative by big integers (random values are
/// nowhere near the half where two representatives are allowed), the portable backend's bits everywhere.
pub fn conversion(simd: Simd, bits: u32, from: usize, to: usize, n: usize) {
    let run = |simd: Simd| {
        let source = basis(simd, bits, 0, from);
        // Targets of another size, one prime in common, a small one.
        let mut target = basis(simd, bits.max(24) - 2, 0, to - 2);
        target.push(source[0]);
        target.extend(basis(simd, 20, 0, 1));
        let converter = BasisConverter::new(&source, &target);
        let mut sampler = Sampler::new((from * to + n) as u64);
        let x: Vec<Vec<u64>> = source.iter().map(|m| (0..n).map(|_| sampler.word() % m.q()).collect()).collect();
        let y: Vec<Vec<u64>> = (0..from)
            .map(|j| x[j].iter().map(|&x| mul_mod(x, converter.scale()[j], source[j].q())).collect())
            .collect();
        let y: Vec<&[u64]> = y.iter().map(|y| &y[..]).collect();
        let mut out = vec![vec![1; n]; to];
        converter.convert(&mut out.iter_mut().map(|o| &mut o[..]).collect::<Vec<_>>(), &y);
        let mut v = vec![0; n];
        converter.quotients_into(&mut v, &y);
        let d: Vec<u64> = source.iter().map(Modulus::q).collect();
        let q: Vec<u64> = target.iter().map(Modulus::q).collect();
        (x, d, q, out, v)
    };
    let (x, d, q, out, v) = run(simd);
    let (_, _, _, portable, portable_v) = run(Simd::SCALAR);
    assert!(out == portable && v == portable_v, "same bits as the portable backend");
    for i in (0..n).step_by(1 + n / 16) {
        let residues: Vec<u64> = x.iter().map(|x| x[i]).collect();
        let integer = crt_centred(&residues, &d);
        for (t, &q) in q.iter().enumerate() {
            assert_eq!(out[t][i], residue(&integer, q), "from {from} to {to}, target {t}, i = {i}");
        }
    }
}

/// Small integers, of either sign, convert to themselves and back.
pub fn round_trip(simd: Simd, values: &[i64]) {
    let (a, b) = (basis(simd, 48, 0, 3), basis(simd, 47, 0, 4));
    let limbs = |basis: &[Modulus]| -> Vec<Vec<u64>> {
        basis.iter().map(|m| values.iter().map(|&v| residue(&BigInt::from(v), m.q())).collect()).collect()
    };
    let convert = |from: &[Modulus], to: &[Modulus], x: &[Vec<u64>]| -> Vec<Vec<u64>> {
        let converter = BasisConverter::new(from, to);
        let y: Vec<Vec<u64>> = (0..from.len())
            .map(|j| x[j].iter().map(|&x| mul_mod(x, converter.scale()[j], from[j].q())).collect())
            .collect();
        let mut out = vec![vec![0; values.len()]; to.len()];
        let y: Vec<&[u64]> = y.iter().map(|y| &y[..]).collect();
        converter.convert(&mut out.iter_mut().map(|o| &mut o[..]).collect::<Vec<_>>(), &y);
        out
    };
    let there = convert(&a, &b, &limbs(&a));
    assert_eq!(there, limbs(&b));
    assert_eq!(convert(&b, &a, &there), limbs(&a));
}
