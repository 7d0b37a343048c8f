//! Discrete Gaussians over the integers: cumulative tables, widened by convolution.

use zeroize::Zeroizing;

use crate::stream::CHUNK;
use crate::{Error, Stream};

/// Widest Gaussian that is drawn from one table.
const MAX_TABLE_SIGMA: f64 = 16.0;
/// `√2·η_ε(Z)` for `ε = 2^-64`, as a standard deviation: `√2 · √(ln(2 + 2/ε)/π) / √(2π) = 2.1366`, rounded up.
const SMOOTHING: f64 = 2.14;

/// Fills `out` with independent samples of the discrete Gaussian of standard deviation parameter `sigma`:
/// [`Gaussian::new`] and [`Gaussian::sample`]. The table takes microseconds to make; keep a [`Gaussian`] for short
/// calls.
///
/// # Errors
/// [`Error::BadSigma`] when `sigma` is outside `0.5..=2^56` or not a number.
pub fn gaussian(stream: &mut Stream, out: &mut [i64], sigma: f64) -> Result<(), Error> {
    Gaussian::new(sigma)?.sample(stream, out);
    Ok(())
}

/// The discrete Gaussian `D_σ` on the integers: `Pr[x] = ρ(x)/Σ_y ρ(y)`, `ρ(x) = exp(−x²/2σ²)`.
///
/// *Up to σ = 16*, one word `w` gives one sample: with `u = ⌊w/2⌋`, `|x| = #{k ≥ 1 : u < T_k}`, and `x` is negative
/// where `w` is odd. `T_k = ⌊2^63·Pr[|x| ≥ k] + ½⌋` is computed in 120-bit fixed point from the double `0.5/(σ·σ)`
/// (which moves σ by less than `2^-52` of itself), so it is the same on every machine. The table ends before the first
/// `T_k = 0`, where `Pr[|x| ≥ k] ≤ 2^-64`: the largest `|x|` is 29 at σ = 3.2, 146 at σ = 16. Distance from the
/// Gaussian of that double: below `2^-64` for each entry, `2^-59` in all at σ = 3.2.
///
/// *Above*, `x = x_0 + z·x_1` with both of standard deviation `σ/√(1+z²)`, drawn in the same way, and
/// `z = ⌊√(σ/2.14)⌋`, reduced if needed so that `σ/√(1+z²) ≥ 2.14·z`: the condition under which each such step gives a
/// discrete Gaussian up to a relative `2^-62` (the convolution of Micciancio and Walter, ePrint 2017/259). A sample of
/// depth `d` takes `2^d` consecutive words, the `b`-th weighted with the product of the `z` (innermost first) that
/// `b`'s set bits name.
///
/// Timing: every sample scans the whole table with arithmetic only. Cost: `2^d` words and `2^d` scans a sample, `d ≤ 3`
/// up to σ = 2^20, 5 at 2^56. Oracle: `tests/known_answers.rs` and the table and convolution tests beside this code.
#[derive(Debug, Clone)]
pub struct Gaussian {
    sigma: f64,
    /// `T_1, T_2, …`, then zeros that no word is below.
    table: Vec<[u64; TAILS_PER_PASS]>,
    /// Number of positive entries of the table.
    max_term: i64,
    /// Coefficients of the table's samples in one output; length `2^d`.
    weights: Vec<i64>,
}

impl Gaussian {
    /// Smallest supported standard deviation.
    pub const MIN_SIGMA: f64 = 0.5;
    /// Largest supported standard deviation: no sum of the widest terms leaves an `i64`.
    pub const MAX_SIGMA: f64 = (1u64 << 56) as f64;

    /// The sampler of standard deviation parameter `sigma`.
    ///
    /// # Errors
    /// [`Error::BadSigma`] outside [`Gaussian::MIN_SIGMA`]`..=`[`Gaussian::MAX_SIGMA`].
    pub fn new(sigma: f64) -> Result<Gaussian, Error> {
        if !(Self::MIN_SIGMA..=Self::MAX_SIGMA).contains(&sigma) {
            return Err(Error::BadSigma { sigma, min: Self::MIN_SIGMA, max: Self::MAX_SIGMA });
        }
        let mut base = sigma;
        let mut steps = Vec::new();
        while base > MAX_TABLE_SIGMA {
            let mut z = (base / SMOOTHING).sqrt().floor();
            while base / (1.0 + z * z).sqrt() < SMOOTHING * z {
                z -= 1.0;
            }
            base /= (1.0 + z * z).sqrt();
            steps.push(z as i64);
        }
        let mut weights = vec![1];
        for z in steps.into_iter().rev() {
            let doubled: Vec<i64> = weights.iter().map(|w| w * z).collect();
            weights.extend(doubled);
        }
        let tails = table::tails(base);
        let pad = |tails: &[u64]| std::array::from_fn(|i| tails.get(i).copied().unwrap_or(0));
        let table = tails.chunks(TAILS_PER_PASS).map(pad).collect();
        Ok(Gaussian { sigma, table, max_term: tails.len() as i64, weights })
    }

    /// The standard deviation parameter.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The largest absolute value that can come out.
    pub fn max_abs(&self) -> i64 {
        self.max_term * self.weights.iter().sum::<i64>()
    }

    /// Fills `out` with independent samples.
    pub fn sample(&self, stream: &mut Stream, out: &mut [i64]) {
        let arity = self.weights.len();
        let mut words = Zeroizing::new([0; CHUNK]);
        let mut terms = Zeroizing::new([0; CHUNK]);
        for chunk in out.chunks_mut(CHUNK / arity) {
            let words = &mut words[..chunk.len() * arity];
            stream.fill_u64(words);
            let terms = &mut terms[..words.len()];
            invert(words, terms, &self.table);
            for (x, terms) in chunk.iter_mut().zip(terms.chunks_exact(arity)) {
                *x = terms.iter().zip(&self.weights).map(|(&t, w)| t as i64 * w).sum();
            }
        }
    }
}

/// Table entries compared in one pass over the words: keeps the loads and stores of the counts rare.
const TAILS_PER_PASS: usize = 4;

/// `out[i]`, an `i64` in a `u64`: the sample that `words[i]` gives. Leaves `words` shifted right by one.
fn invert(words: &mut [u64], out: &mut [u64], table: &[[u64; TAILS_PER_PASS]]) {
    #[cfg(target_arch = "x86_64")]
    {
        if crate::cpu::has_avx512() {
            // SAFETY: `has_avx512` is true only where the CPU has AVX-512 F.
            return unsafe { invert_avx512(words, out, table) };
        }
        if crate::cpu::has_avx2() {
            // SAFETY: `has_avx2` is true only where the CPU has AVX2.
            return unsafe { invert_avx2(words, out, table) };
        }
    }
    invert_portable(words, out, table);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn invert_avx512(words: &mut [u64], out: &mut [u64], table: &[[u64; TAILS_PER_PASS]]) {
    invert_portable(words, out, table);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn invert_avx2(words: &mut [u64], out: &mut [u64], table: &[[u64; TAILS_PER_PASS]]) {
    invert_portable(words, out, table);
}

/// [`invert`] in a shape that the compiler vectorises with the features that its caller enables.
#[inline(always)]
fn invert_portable(words: &mut [u64], out: &mut [u64], table: &[[u64; TAILS_PER_PASS]]) {
    for (w, o) in words.iter_mut().zip(out.iter_mut()) {
        *o = *w << 63;
        *w >>= 1;
    }
    // Bit 63 of `o` is the sign, the bits below it count the tails above u.
    for tails in table {
        for (u, o) in words.iter().zip(out.iter_mut()) {
            // Both are below 2^63, so the borrow is the comparison.
            *o += tails.iter().map(|tail| u.wrapping_sub(*tail) >> 63).sum::<u64>();
        }
    }
    for o in out {
        let sign = *o >> 63;
        *o = ((*o & (u64::MAX >> 1)) ^ sign.wrapping_neg()).wrapping_add(sign);
    }
}

mod table {
    //! The cumulative table in fixed point, `Q8.120` in a `u128`.

    const FRACTION: u32 = 120;
    const ONE: u128 = 1 << FRACTION;

    /// `T_k` for `k = 1, 2, …` while positive.
    pub(super) fn tails(sigma: f64) -> Vec<u64> {
        // Exact: a double in 2^-9..=2 has no bit below 2^-62.
        let exponent = (0.5 / (sigma * sigma) * 2f64.powi(64)) as u128 * (1 << (FRACTION - 64));
        let step = exp_neg(exponent);
        let step2 = mul(step, step);
        // rho[k] = ρ(k) by ρ(k+1) = ρ(k)·r_k, r_{k+1} = r_k·exp(−1/σ²), far past the last entry.
        let (mut rho, mut value, mut ratio) = (Vec::new(), step, step);
        while value > 0 {
            rho.push(value);
            ratio = mul(ratio, step2);
            value = mul(value, ratio);
        }
        let total = ONE + 2 * rho.iter().sum::<u128>();
        let inverse = recip(total);
        let mut tail = 0;
        let mut tails: Vec<u64> = Vec::new();
        for &r in rho.iter().rev() {
            tail += 2 * r;
            tails.push(((mul(tail, inverse) >> (FRACTION - 64)) as u64).div_ceil(2));
        }
        tails.reverse();
        tails.truncate(tails.iter().position(|&t| t == 0).unwrap_or(tails.len()));
        tails
    }

    /// `a·b`, rounded down.
    fn mul(a: u128, b: u128) -> u128 {
        const LOW: u128 = u64::MAX as u128;
        let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
        let (mid_0, mid_1, lowest) = (a0 * b1, a1 * b0, a0 * b0);
        let carries = (lowest >> 64) + (mid_0 & LOW) + (mid_1 & LOW);
        let high = a1 * b1 + (mid_0 >> 64) + (mid_1 >> 64) + (carries >> 64);
        let low = (carries << 64) | (lowest & LOW);
        (high << (128 - FRACTION)) | (low >> FRACTION)
    }

    /// `1/a` for `a ≥ 1`, rounded down, by long division.
    fn recip(a: u128) -> u128 {
        let (mut quotient, mut rest) = (0, ONE);
        for _ in 0..=FRACTION {
            quotient = (quotient << 1) | u128::from(rest >= a);
            rest = (rest - if rest >= a { a } else { 0 }) << 1;
        }
        quotient
    }

    /// `exp(−a)` for `a ≤ 2`: the series at `a/16`, squared four times.
    fn exp_neg(a: u128) -> u128 {
        let a = a >> 4;
        let (mut term, mut positive, mut negative) = (ONE, 0, 0);
        for k in 1.. {
            if k % 2 == 1 {
                positive += term
            } else {
                negative += term
            }
            term = mul(term, a) / k;
            if term == 0 {
                break;
            }
        }
        let mut value = positive - negative;
        for _ in 0..4 {
            value = mul(value, value);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Seed};

    /// `T_k` at σ = 3.2, from 80-digit decimals.
    const TAILS_3_2: [u64; 29] = [
        8073499201425509882,
        5883348370701943152,
        3991629182630250357,
        2509699002363457591,
        1456798710654579524,
        778321634312219379,
        381795751200163259,
        171613357976589790,
        70569585085359869,
        26512962087029121,
        9090830680771696,
        2842272832067370,
        809697108902603,
        210041220178844,
        49588937064720,
        10650534664075,
        2080180164796,
        369346163117,
        59600389513,
        8738635276,
        1163930510,
        140805938,
        15468807,
        1543030,
        139740,
        11488,
        857,
        58,
        4,
    ];

    #[test]
    fn table_is_the_correctly_rounded_formula() {
        assert_eq!(table::tails(3.2), TAILS_3_2);
        assert_eq!((table::tails(16.0).len(), table::tails(0.5).len()), (146, 4));
    }

    #[test]
    fn every_backend_inverts_alike() {
        let mut words = vec![0; CHUNK - 5];
        Seed::from_bytes([9; 32]).stream(Domain::Test, 0).fill_u64(&mut words);
        // Each edge of the table, from both sides and with both signs.
        for (pair, tail) in words.chunks_mut(4).zip(TAILS_3_2) {
            pair.copy_from_slice(&[tail << 1, (tail << 1) + 1, (tail - 1) << 1, ((tail - 1) << 1) + 1]);
        }
        let gaussian = Gaussian::new(3.2).expect("supported");
        let expected: Vec<i64> = words
            .iter()
            .map(|w| {
                let magnitude = TAILS_3_2.iter().filter(|&&t| w >> 1 < t).count() as i64;
                if w & 1 == 1 { -magnitude } else { magnitude }
            })
            .collect();
        for backend in [invert, invert_portable] {
            let mut out = vec![0; words.len()];
            backend(&mut words.clone(), &mut out, &gaussian.table);
            assert_eq!(out.iter().map(|&x| x as i64).collect::<Vec<_>>(), expected);
        }
    }

    /// The exact distribution of `x_0 + z·x_1`, in f64, against `ρ`: equal to 10^-12 relatively out to 6σ.
    #[test]
    fn convolution_is_the_wider_gaussian() {
        for sigma in [16.001, 17.0, 40.0, 113.0] {
            let gaussian = Gaussian::new(sigma).expect("supported");
            let [1, z] = gaussian.weights[..] else { panic!("σ = {sigma} takes one step") };
            let base = sigma / ((1 + z * z) as f64).sqrt();
            assert!(base >= SMOOTHING * z as f64 && base <= MAX_TABLE_SIGMA);
            let rho = |x: i64, sigma: f64| (-(x * x) as f64 / (2.0 * sigma * sigma)).exp();
            let reach = (14.0 * base) as i64;
            let sum = |x: i64| (-reach..=reach).map(|y| rho(x - z * y, base) * rho(y, base)).sum::<f64>();
            let at_0 = sum(0);
            for x in (0..(6.0 * sigma) as i64).step_by(3) {
                let ratio = sum(x) / (at_0 * rho(x, sigma));
                assert!((ratio - 1.0).abs() < 1e-12, "σ = {sigma}, x = {x}: {ratio}");
            }
        }
    }

    #[test]
    fn every_step_meets_the_smoothing_condition() {
        for i in 0..10_000 {
            let sigma = 0.5 * (1.003_956f64).powi(i);
            let gaussian = Gaussian::new(sigma).expect("supported");
            let norm = gaussian.weights.iter().map(|&w| (w as f64) * (w as f64)).sum::<f64>().sqrt();
            let base = sigma / norm;
            assert!(base <= MAX_TABLE_SIGMA && (norm == 1.0 || base > 4.0), "σ = {sigma}, base {base}");
            assert!(gaussian.weights.len() <= if sigma <= 1_048_576.0 { 8 } else { 32 });
            // In f64: the sum below would wrap if this failed.
            let reach = gaussian.max_term as f64 * gaussian.weights.iter().map(|&w| w as f64).sum::<f64>();
            assert!(reach < i64::MAX as f64, "σ = {sigma} reaches {reach}");
        }
    }
}
