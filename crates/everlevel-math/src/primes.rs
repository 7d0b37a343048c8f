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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_prime_agrees_with_trial_division() {
        for n in 0..5000u64 {
            let slow = n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
            assert_eq!(is_prime(n), slow, "{n}");
        }
        assert!(is_prime((1 << 61) - 1));
        assert!(!is_prime(3_215_031_751)); // strong pseudoprime to bases 2, 3, 5, 7
    }

    #[test]
    fn primes_are_congruent_and_ordered() {
        let below: Vec<_> = ntt_primes_below(48, 16).take(20).collect();
        assert!(below.windows(2).all(|w| w[0] > w[1]));
        assert!(below.iter().all(|q| q % (1 << 17) == 1 && *q < 1 << 48));
        let target = (1u64 << 40) as f64;
        let near: Vec<_> = ntt_primes_near(target, 16).take(20).collect();
        assert!(near.windows(2).all(|w| (w[0] as f64 - target).abs() <= (w[1] as f64 - target).abs() + 1.0));
    }
}
