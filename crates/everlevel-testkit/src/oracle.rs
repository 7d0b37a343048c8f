//! Slow references, written to be read: modular and torus arithmetic, transforms by evaluation, Chinese remainders.

use num_bigint::{BigInt, BigUint};

/// `a·b mod q`.
pub fn mul_mod(a: u64, b: u64, q: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(q)) as u64
}

/// `a^e mod q`.
pub fn pow_mod(a: u64, e: u64, q: u64) -> u64 {
    (0..e.checked_ilog2().map_or(0, |l| l + 1)).rev().fold(1, |r, bit| {
        let square = mul_mod(r, r, q);
        if e >> bit & 1 == 1 { mul_mod(square, a, q) } else { square }
    })
}

/// The lowest `bits` bits of `i` in reverse order.
pub fn bit_reverse(i: usize, bits: u32) -> usize {
    (0..bits).fold(0, |r, b| r << 1 | i >> b & 1)
}

/// `a·b` in `Z_q[X]/(X^n + 1)`.
pub fn negacyclic_product(a: &[u64], b: &[u64], q: u64) -> Vec<u64> {
    let n = a.len();
    let mut c = vec![0; n];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let p = mul_mod(x, y, q);
            let k = (i + j) % n;
            c[k] = if i + j < n { (c[k] + p) % q } else { (c[k] + q - p) % q };
        }
    }
    c
}

/// `out[i] = a(ψ^(2·brv(i)+1))`: the transform, by evaluation.
pub fn ntt_naive(a: &[u64], psi: u64, q: u64) -> Vec<u64> {
    let log_n = a.len().ilog2();
    (0..a.len())
        .map(|i| {
            let point = pow_mod(psi, 2 * bit_reverse(i, log_n) as u64 + 1, q);
            a.iter().rev().fold(0, |acc, &c| (mul_mod(acc, point, q) + c) % q)
        })
        .collect()
}

/// The integer of least magnitude with the residues `x_j` modulo `d_j`, by the Chinese remainder theorem.
pub fn crt_centred(x: &[u64], d: &[u64]) -> BigInt {
    let product: BigUint = d.iter().map(|&d| BigUint::from(d)).product();
    let mut sum = BigUint::from(0u32);
    for (&x, &d) in x.iter().zip(d) {
        let cofactor = &product / d;
        let inverse = cofactor.modpow(&BigUint::from(d - 2), &BigUint::from(d));
        sum += cofactor * inverse * x;
    }
    let r = BigInt::from(sum % &product);
    let product = BigInt::from(product);
    if &r * 2 > product { r - product } else { r }
}

/// `x mod q`, in `[0, q)`.
pub fn residue(x: &BigInt, q: u64) -> u64 {
    let q = BigInt::from(q);
    u64::try_from(((x % &q) + &q) % &q).expect("below q")
}

/// `a·b` in `Z[X]/(X^n + 1)` modulo `2^64`; take the low half for `2^32`.
pub fn negacyclic_product_torus(a: &[i64], b: &[u64]) -> Vec<u64> {
    let n = a.len();
    let mut c = vec![0u64; n];
    for (i, &x) in a.iter().enumerate().filter(|&(_, &x)| x != 0) {
        let (low, high) = b.split_at(n - i);
        for (c, &y) in c[i..].iter_mut().zip(low) {
            *c = c.wrapping_add(y.wrapping_mul(x as u64));
        }
        for (c, &y) in c.iter_mut().zip(high) {
            *c = c.wrapping_sub(y.wrapping_mul(x as u64));
        }
    }
    c
}
