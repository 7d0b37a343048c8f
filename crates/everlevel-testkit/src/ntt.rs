//! Conformance of the number theoretic transform with evaluation, and with the portable backend.

use everlevel_math::{Modulus, Ntt, Simd, primes};

use crate::oracle::{ntt_naive, pow_mod};
use crate::sample::{Sampler, edge_limbs};

fn plan(log_n: u32, q: u64, simd: Simd) -> Ntt {
    Ntt::new(log_n, Modulus::with_simd(q, simd).expect("prime")).expect("friendly prime")
}

/// The transform is evaluation at the odd powers of a root of order `2n`, in bit-reversed order.
pub fn forward_is_evaluation(simd: Simd, log_n: u32, bits: u32) {
    let n = 1usize << log_n;
    let q = primes::ntt_primes_below(bits, log_n).next().expect("prime");
    let ntt = plan(log_n, q, simd);
    let mut x = vec![0; n];
    x[1] = 1;
    ntt.forward(&mut x);
    let psi = x[0];
    assert_eq!(pow_mod(psi, n as u64, q), q - 1);
    let a = Sampler::new(7).limb(n, q);
    let mut b = a.clone();
    ntt.forward(&mut b);
    assert_eq!(b, ntt_naive(&a, psi, q), "log_n = {log_n}, q = {q}");
}

/// Every entry point gives the bits of the portable backend, on limbs at the edges of the ranges; the inverse inverts.
pub fn matches_portable(simd: Simd, log_n: u32, bits: u32) {
    let n = 1usize << log_n;
    // Both ends of the bit length: the largest prime of `bits` bits and the first ones above half of it.
    let near = primes::ntt_primes_near((1u64 << (bits - 1)) as f64, log_n).take(2);
    for q in primes::ntt_primes_below(bits, log_n).take(1).chain(near) {
        let (portable, ntt) = (plan(log_n, q, Simd::SCALAR), plan(log_n, q, simd));
        let limbs = edge_limbs(n, q, u64::from(log_n));
        // All limbs for the sizes that are quick.
        for a in limbs.iter().rev().take(if log_n > 13 { 4 } else { limbs.len() }).chain(&limbs[..1]) {
            let context = || format!("{}: log_n = {log_n}, q = {q}, a = {:?}…", simd.name(), &a[..4]);
            let (mut expected, mut got, mut into) = (a.clone(), a.clone(), vec![0; n]);
            portable.forward(&mut expected);
            ntt.forward(&mut got);
            ntt.forward_into(&mut into, a);
            assert!(got == expected, "forward, {}", context());
            assert!(into == expected, "forward_into, {}", context());
            ntt.inverse(&mut got);
            assert!(&got == a, "inverse of forward, {}", context());
            for c in [1, q - 1, q / 3] {
                let (mut expected, mut got) = (a.clone(), a.clone());
                portable.inverse_scaled(&mut expected, c);
                ntt.inverse_scaled(&mut got, c);
                ntt.inverse_scaled_into(&mut into, a, c);
                assert!(got == expected, "inverse times {c}, {}", context());
                assert!(into == expected, "inverse_scaled_into, times {c}, {}", context());
            }
        }
    }
}
