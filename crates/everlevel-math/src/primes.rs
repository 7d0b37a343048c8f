//! Primes with roots of unity for the number theoretic transform, for makers of parameters.

/// Deterministic Miller–Rabin for 64-bit integers (the first twelve primes as bases suffice below 3.3·10^24).
pub fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    for p in BASES {
        if n.is_multiple_of(p) {
            return n == p;
        }
    }
    let mul = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(n)) as u64;
    let shift = (n - 1).trailing_zeros();
    let odd = (n - 1) >> shift;
    BASES.iter().all(|&base| {
        let (mut x, mut b, mut e) = (1, base, odd);
        while e > 0 {
            if e & 1 == 1 {
                x = mul(x, b);
            }
            b = mul(b, b);
            e >>= 1;
        }
        if x == 1 || x == n - 1 {
            return true;
        }
        (1..shift).any(|_| {
            x = mul(x, x);
            x == n - 1
        })
    })
}

/// Primes `q ≡ 1 (mod 2^(log_n+1))` below `2^bits`, largest first.
pub fn ntt_primes_below(bits: u32, log_n: u32) -> impl Iterator<Item = u64> {
    let step = 1u64 << (log_n + 1);
    let top = (1u64 << bits) - step + 1;
    (0..top / step).map(move |k| top - k * step).filter(|&q| is_prime(q))
}

/// Primes `q ≡ 1 (mod 2^(log_n+1))`, those nearest to `target` first, all below `2^48`.
pub fn ntt_primes_near(target: f64, log_n: u32) -> impl Iterator<Item = u64> {
    let step = 1i64 << (log_n + 1);
    let centre = (target / step as f64).round() as i64;
    (0i64..)
        .flat_map(|k| if k == 0 { vec![0] } else { vec![k, -k] })
        .map(move |k| (centre + k) * step + 1)
        .take_while(move |&q| q < 3 * centre * step + 3 * step)
        .filter(move |&q| q > step && q < (1 << 48) && is_prime(q as u64))
        .map(|q| q as u64)
}
