//! Conformance of packing and of the automorphisms.

use everlevel_math::{GaloisMap, Modulus, Ntt, Simd, packed, primes};

use crate::sample::{Sampler, edge_limbs};

/// Packed bytes are the portable backend's, and unpacking inverts.
pub fn pack_round_trip(simd: Simd, n: usize) {
    let a = Sampler::new(n as u64).limb(n, (1 << 48) - 59);
    let (mut bytes, mut portable, mut back) =
        (vec![0xa5; packed::byte_len(n)], vec![0xa5; packed::byte_len(n)], vec![1; n]);
    packed::pack_with(simd, &mut bytes, &a);
    packed::pack_with(Simd::SCALAR, &mut portable, &a);
    assert_eq!(bytes, portable);
    assert!(a.iter().enumerate().all(|(i, &x)| packed::get(&bytes, i) == x));
    packed::unpack_with(simd, &mut back, &bytes);
    assert_eq!(a, back);
}

/// `σ_g` in the transform domain agrees with `X ↦ X^g` on coefficients, for whole limbs, blocks and sums.
pub fn automorphism(simd: Simd, log_n: u32, galois_elt: u64) {
    let n = 1usize << log_n;
    let q = primes::ntt_primes_below(45, log_n).next().expect("prime");
    let m = Modulus::with_simd(q, simd).expect("prime");
    let ntt = Ntt::new(log_n, m).expect("friendly prime");
    let map = GaloisMap::with_simd(log_n, galois_elt, simd);
    let a = edge_limbs(n, q, galois_elt).pop().expect("random limb");
    let (mut expected, mut eval, mut got) = (vec![0; n], a.clone(), vec![0; n]);
    for (j, &x) in a.iter().enumerate() {
        let k = j * galois_elt as usize % (2 * n);
        expected[k % n] = if k < n { x } else { (q - x) % q };
    }
    ntt.forward(&mut expected);
    ntt.forward(&mut eval);
    map.apply_into(&mut got, &eval);
    assert!(got == expected, "log_n = {log_n}, g = {galois_elt}");
    for len in [8, n / 4, n].into_iter().filter(|&len| len >= 8) {
        let mut out = vec![0; len];
        for block in 0..n / len {
            let s = map.source_block(block, len);
            map.apply_block_into(&mut out, &eval[s * len..(s + 1) * len], block);
            assert_eq!(out, expected[block * len..(block + 1) * len]);
        }
    }
    let mut sum = a.clone();
    map.apply_add_assign(&m, &mut sum, &eval);
    assert!((0..n).all(|i| sum[i] == (a[i] + expected[i]) % q));
    let mut by_block = a.clone();
    let len = (n / 4).max(8);
    for (block, acc) in by_block.chunks_mut(len).enumerate() {
        let s = map.source_block(block, len);
        map.apply_block_add_assign(&m, acc, &eval[s * len..(s + 1) * len], block);
    }
    assert_eq!(by_block, sum);
}
