//! Slots and coefficients.
//!
//! Slot `j` of a polynomial is its value at `ζ^(5^j)`, `ζ = e^(iπ/n)`; the conjugate slots are the values at
//! `ζ^(−5^j)`. With fewer slots than `n/2`, the polynomial lives in powers of `X^gap` and the slots repeat. The
//! transform factors into `log2(slots)` butterfly layers after a bit reversal (Cheon, Han, Kim, Kim, Song, eprint
//! 2018/1043); bootstrapping evaluates the same layers on ciphertexts, so they are public here.

use num_complex::Complex64;

/// The Fourier transform between slots and coefficients for one slot count.
#[derive(Debug, Clone)]
pub struct Encoder {
    n: usize,
    slots: usize,
    /// `roots[k][j] = e^(2πi·(5^j mod 4·len)/(4·len))` for `len = 2^(k+1)`, `j < len/2`.
    roots: Vec<Vec<Complex64>>,
}

impl Encoder {
    /// Tables for ring degree `n` and `slots ≤ n/2`, both powers of two.
    pub fn new(n: usize, slots: usize) -> Self {
        assert!(n.is_power_of_two() && slots.is_power_of_two() && slots <= n / 2);
        let roots = (0..slots.trailing_zeros())
            .map(|k| {
                let len = 2usize << k;
                let mut power = 1usize;
                (0..len / 2)
                    .map(|_| {
                        let root = Complex64::cis(2.0 * std::f64::consts::PI * power as f64 / (4 * len) as f64);
                        power = power * 5 % (4 * len);
                        root
                    })
                    .collect()
            })
            .collect();
        Self { n, slots, roots }
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Number of butterfly layers.
    pub fn layers(&self) -> usize {
        self.roots.len()
    }

    /// Twiddles of layer `k`, whose butterflies span `2^(k+1)` slots: `(u, v) ↦ (u + ω_j·v, u − ω_j·v)`.
    pub fn roots(&self, k: usize) -> &[Complex64] {
        &self.roots[k]
    }

    fn bit_reverse(&self, values: &mut [Complex64]) {
        let bits = self.slots.trailing_zeros();
        for i in 0..self.slots {
            let j = if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) };
            if i < j {
                values.swap(i, j);
            }
        }
    }

    /// Slots → real coefficients of `1, X^gap, …`, not scaled: `out[j]` and `out[slots + j]` are the two halves.
    pub fn to_coeffs(&self, slots: &[Complex64]) -> Vec<f64> {
        assert_eq!(slots.len(), self.slots);
        let mut v = slots.to_vec();
        for (k, roots) in self.roots.iter().enumerate().rev() {
            for chunk in v.chunks_exact_mut(2 << k) {
                let (lo, hi) = chunk.split_at_mut(1 << k);
                for ((x, y), root) in lo.iter_mut().zip(hi).zip(roots) {
                    (*x, *y) = (*x + *y, (*x - *y) * root.conj());
                }
            }
        }
        self.bit_reverse(&mut v);
        let scale = 1.0 / self.slots as f64;
        v.iter().map(|z| z.re * scale).chain(v.iter().map(|z| z.im * scale)).collect()
    }

    /// Inverse of [`Encoder::to_coeffs`].
    pub fn to_slots(&self, coeffs: &[f64]) -> Vec<Complex64> {
        assert_eq!(coeffs.len(), 2 * self.slots);
        let (lo, hi) = coeffs.split_at(self.slots);
        let mut v: Vec<Complex64> = lo.iter().zip(hi).map(|(&re, &im)| Complex64::new(re, im)).collect();
        self.bit_reverse(&mut v);
        for (k, roots) in self.roots.iter().enumerate() {
            for chunk in v.chunks_exact_mut(2 << k) {
                let (lo, hi) = chunk.split_at_mut(1 << k);
                for ((x, y), root) in lo.iter_mut().zip(hi).zip(roots) {
                    let t = *y * root;
                    (*x, *y) = (*x + t, *x - t);
                }
            }
        }
        v
    }

    /// The `n` integer coefficients of `round(scale·slots)`, and the largest of them in absolute value.
    pub fn encode(&self, slots: &[Complex64], scale: f64) -> (Vec<i128>, f64) {
        self.round(&self.to_coeffs(slots), scale)
    }

    /// [`Encoder::encode`] of the slots whose coefficients [`Encoder::to_coeffs`] gave.
    pub fn round(&self, coeffs: &[f64], scale: f64) -> (Vec<i128>, f64) {
        let gap = self.n / (2 * self.slots);
        let mut out = vec![0i128; self.n];
        let mut largest = 0.0f64;
        for (k, c) in coeffs.iter().enumerate() {
            let x = (c * scale).round();
            // Sums of opposite overflows are no numbers.
            largest = largest.max(if x.is_nan() { f64::INFINITY } else { x.abs() });
            out[k * gap] = x as i128;
        }
        (out, largest)
    }

    /// The slots of integer coefficients at a scale.
    pub fn decode(&self, coeffs: &[i128], scale: f64) -> Vec<Complex64> {
        let gap = self.n / (2 * self.slots);
        let values: Vec<f64> = coeffs.iter().step_by(gap).map(|&c| c as f64 / scale).collect();
        self.to_slots(&values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(n: usize) -> Vec<Complex64> {
        (0..n).map(|i| Complex64::new((i as f64 * 0.7).sin(), (i as f64 * 1.3).cos())).collect()
    }

    #[test]
    fn slot_j_is_the_value_at_the_5_to_the_jth_power_of_zeta() {
        let (n, count) = (64, 32);
        let encoder = Encoder::new(n, count);
        let coeffs: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let values = encoder.to_slots(&coeffs);
        let mut power = 1usize;
        for value in values {
            let direct: Complex64 = (0..n)
                .map(|k| coeffs[k] * Complex64::cis(std::f64::consts::PI * (power * k % (2 * n)) as f64 / n as f64))
                .sum();
            assert!((value - direct).norm() < 1e-10);
            power = power * 5 % (2 * n);
        }
    }

    #[test]
    fn encoding_round_trips_at_every_slot_count() {
        for count in [1, 2, 16, 512] {
            let encoder = Encoder::new(1024, count);
            let (coeffs, _) = encoder.encode(&slots(count), (1u64 << 50) as f64);
            let back = encoder.decode(&coeffs, (1u64 << 50) as f64);
            let worst = back.iter().zip(slots(count)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(worst < 2f64.powi(-40), "{count}: {worst:e}");
        }
    }
}
