//! Slots and coefficients.
//!
//! Slot `j` of a polynomial is its value at `ζ^(5^j)`, `ζ = e^(iπ/n)`; the conjugate slots are the values at
//! `ζ^(−5^j)`. With fewer slots than `n/2`, the polynomial lives in powers of `X^gap` and the slots repeat. The
//! transform factors into `log2(slots)` butterfly layers after a bit reversal (Cheon, Han, Kim, Kim, Song, eprint
//! 2018/1043); bootstrapping evaluates the same layers on ciphertexts, so they are public here.

use everlevel_math::{DoubleDouble, Real};
use num_complex::{Complex, Complex64};

/// The Fourier transform between slots and coefficients for one slot count, in numbers of a kind.
#[derive(Debug, Clone)]
pub struct Encoder<T = f64> {
    n: usize,
    slots: usize,
    /// `roots[k][j] = e^(2πi·(5^j mod 4·len)/(4·len))` for `len = 2^(k+1)`, `j < len/2`.
    roots: Vec<Vec<Complex<T>>>,
}

/// The coefficients of a message before they are scaled and rounded: doubles, or sums of two. Of conjugate symmetry,
/// as real slots give them, the second half follows from the first, and need not be there.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Coefficients {
    /// The nearest doubles.
    pub high: Vec<f64>,
    /// The rest beside them; none where doubles suffice.
    pub low: Vec<f64>,
}

impl Coefficients {
    /// Several messages' coefficients, `len` of each.
    pub fn chunks(&self, len: usize) -> impl Iterator<Item = Self> {
        let low = move |at: usize| self.low.chunks_exact(len).nth(at).unwrap_or_default().to_vec();
        self.high.chunks_exact(len).enumerate().map(move |(at, high)| Self { high: high.to_vec(), low: low(at) })
    }

    /// First half of the coefficients of real slots, from which [`Coefficients::all`] makes the second by `a(X) =
    /// a(X^-1)`: coefficient `2·slots − k` is minus coefficient `k`, where the transform's rounding may have parted
    /// them.
    #[must_use]
    pub fn halved(mut self) -> Self {
        for all in [&mut self.high, &mut self.low] {
            all.truncate(all.len() / 2);
            all.shrink_to_fit();
        }
        self
    }

    /// Sequence of all coefficients of `slots` slots, in numbers of some kind.
    pub fn all<T: Real>(&self, slots: usize, number: impl Fn(f64, f64) -> T) -> impl Iterator<Item = T> {
        let at = move |k: usize| number(self.high[k], self.low.get(k).copied().unwrap_or(0.0));
        (0..2 * slots).map(move |k| match k.checked_sub(self.high.len()) {
            None => at(k),
            Some(0) => T::from(0.0),
            Some(_) => -at(2 * slots - k),
        })
    }

    /// Bytes held.
    pub fn nbytes(&self) -> usize {
        8 * (self.high.len() + self.low.len())
    }
}

impl From<Vec<f64>> for Coefficients {
    fn from(high: Vec<f64>) -> Self {
        Self { high, low: Vec::new() }
    }
}

impl From<Vec<DoubleDouble>> for Coefficients {
    fn from(all: Vec<DoubleDouble>) -> Self {
        Self { high: all.iter().map(|x| x.high()).collect(), low: all.iter().map(|x| x.low()).collect() }
    }
}

/// As `num_complex` does, for any kind of numbers.
#[inline(always)]
fn sum<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    Complex { re: a.re + b.re, im: a.im + b.im }
}

#[inline(always)]
fn difference<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    Complex { re: a.re - b.re, im: a.im - b.im }
}

#[inline(always)]
fn product<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    Complex { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }
}

#[inline(always)]
fn conjugate<T: Real>(a: Complex<T>) -> Complex<T> {
    Complex { re: a.re, im: -a.im }
}

impl<T: Real> Encoder<T> {
    /// Tables for ring degree `n` and `slots ≤ n/2`, both powers of two.
    pub fn new(n: usize, slots: usize) -> Self {
        assert!(n.is_power_of_two() && slots.is_power_of_two() && slots <= n / 2);
        let roots = (0..slots.trailing_zeros())
            .map(|k| {
                let len = 2usize << k;
                let mut power = 1usize;
                (0..len / 2)
                    .map(|_| {
                        let [re, im] = T::root_of_unity(power, 4 * len);
                        power = power * 5 % (4 * len);
                        Complex { re, im }
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
    pub fn roots(&self, k: usize) -> &[Complex<T>] {
        &self.roots[k]
    }

    fn bit_reverse(&self, values: &mut [Complex<T>]) {
        let bits = self.slots.trailing_zeros();
        for i in 0..self.slots {
            let j = if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) };
            if i < j {
                values.swap(i, j);
            }
        }
    }

    /// Slots → real coefficients of `1, X^gap, …`, not scaled: `out[j]` and `out[slots + j]` are the two halves.
    pub fn to_coeffs(&self, slots: &[Complex64]) -> Vec<T> {
        assert_eq!(slots.len(), self.slots);
        let mut v: Vec<Complex<T>> = slots.iter().map(|z| Complex { re: z.re.into(), im: z.im.into() }).collect();
        for (k, roots) in self.roots.iter().enumerate().rev() {
            for chunk in v.chunks_exact_mut(2 << k) {
                let (lo, hi) = chunk.split_at_mut(1 << k);
                for ((x, y), root) in lo.iter_mut().zip(hi).zip(roots) {
                    (*x, *y) = (sum(*x, *y), product(difference(*x, *y), conjugate(*root)));
                }
            }
        }
        self.bit_reverse(&mut v);
        let scale = T::from(1.0 / self.slots as f64);
        v.iter().map(|z| z.re * scale).chain(v.iter().map(|z| z.im * scale)).collect()
    }

    /// Inverse of [`Encoder::to_coeffs`].
    pub fn to_slots(&self, coeffs: &[T]) -> Vec<Complex<T>> {
        assert_eq!(coeffs.len(), 2 * self.slots);
        let (lo, hi) = coeffs.split_at(self.slots);
        let mut v: Vec<Complex<T>> = lo.iter().zip(hi).map(|(&re, &im)| Complex { re, im }).collect();
        self.bit_reverse(&mut v);
        for (k, roots) in self.roots.iter().enumerate() {
            for chunk in v.chunks_exact_mut(2 << k) {
                let (lo, hi) = chunk.split_at_mut(1 << k);
                for ((x, y), root) in lo.iter_mut().zip(hi).zip(roots) {
                    let t = product(*y, *root);
                    (*x, *y) = (sum(*x, t), difference(*x, t));
                }
            }
        }
        v
    }

    /// The `n` integer coefficients of `round(scale·slots)`, and the largest of them in absolute value.
    pub fn encode(&self, slots: &[Complex64], scale: T) -> (Vec<i128>, f64) {
        self.round(self.to_coeffs(slots).into_iter(), scale)
    }

    /// [`Encoder::encode`] of the slots whose coefficients [`Encoder::to_coeffs`] gave.
    pub fn round(&self, coeffs: impl Iterator<Item = T>, scale: T) -> (Vec<i128>, f64) {
        let gap = self.n / (2 * self.slots);
        let mut out = vec![0i128; self.n];
        let mut largest = 0.0f64;
        for (k, c) in coeffs.enumerate() {
            let x = c * scale;
            let size = x.to_f64().round().abs();
            // Sums of opposite overflows are no numbers.
            largest = largest.max(if size.is_nan() { f64::INFINITY } else { size });
            out[k * gap] = x.round_to_integer();
        }
        (out, largest)
    }

    /// The slots of integer coefficients at a scale, as the nearest doubles.
    pub fn decode(&self, coeffs: &[i128], scale: T) -> Vec<Complex64> {
        let gap = self.n / (2 * self.slots);
        let values: Vec<T> = coeffs.iter().step_by(gap).map(|&c| T::from_integer(c) / scale).collect();
        self.to_slots(&values).into_iter().map(|z| Complex64::new(z.re.to_f64(), z.im.to_f64())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::doubles;

    fn slots(n: usize) -> Vec<Complex64> {
        (0..n).map(|i| Complex64::new((i as f64 * 0.7).sin(), (i as f64 * 1.3).cos())).collect()
    }

    #[test]
    fn slot_j_is_the_value_at_the_5_to_the_jth_power_of_zeta() {
        let (n, count) = (64, 32);
        let encoder: Encoder = Encoder::new(n, count);
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
            let encoder: Encoder = Encoder::new(1024, count);
            let (coeffs, _) = encoder.encode(&slots(count), (1u64 << 50) as f64);
            let back = encoder.decode(&coeffs, (1u64 << 50) as f64);
            let worst = back.iter().zip(slots(count)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            assert!(worst < 2f64.powi(-40), "{count}: {worst:e}");
        }
    }

    #[test]
    fn transforms_in_doubles_err_by_less_than_is_counted() {
        let (n, count, scale) = (1 << 12, 1 << 11, 2f64.powi(40));
        let (rough_encoder, exact): (Encoder, Encoder<DoubleDouble>) = (Encoder::new(n, count), Encoder::new(n, count));
        let mut state = 7u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut random = |f: &dyn Fn(f64) -> Complex64| (0..count).map(|_| f(unit())).collect::<Vec<_>>();
        let single = |at: usize| (0..count).map(|i| Complex64::from(f64::from(u8::from(i == at)) / 3.0)).collect();
        let messages: [Vec<Complex64>; 7] = [
            random(&|x| (2.0 * x - 1.0).into()),
            random(&|x| Complex64::cis(7.0 * x)),
            random(&|x| (x.round() * 2.0 - 1.0).into()),
            vec![Complex64::new(1.0 / 3.0, 0.7); count],
            single(0),
            single(777),
            slots(count),
        ];
        // One standard deviation of a real part, for slots of size 1.
        let counted = 0.5 * doubles::integers(count, scale) / doubles::transform_reach(count, scale);
        for message in messages {
            let size = message.iter().map(|z| z.norm()).fold(0.0, f64::max);
            let rough: Vec<DoubleDouble> =
                rough_encoder.to_coeffs(&message).into_iter().map(DoubleDouble::from).collect();
            let encoded = exact.to_slots(&rough);
            let coeffs: Vec<f64> = exact.to_coeffs(&message).iter().map(|c| c.to_f64()).collect();
            let fine: Vec<DoubleDouble> = coeffs.iter().map(|&c| c.into()).collect();
            let (decoded, right) = (rough_encoder.to_slots(&coeffs), exact.to_slots(&fine));
            let way_in = encoded.iter().zip(&message).map(|(a, b)| (a.re - b.re.into()).to_f64());
            let way_out = decoded.iter().zip(&right).map(|(a, b)| (DoubleDouble::from(a.re) - b.re).to_f64());
            for errors in [way_in.collect::<Vec<_>>(), way_out.collect()] {
                let rms = (errors.iter().map(|e| e * e).sum::<f64>() / count as f64).sqrt() / (size * counted);
                let worst = errors.iter().map(|e| e.abs()).fold(0.0, f64::max) / (size * counted);
                println!("{rms:.2} and {worst:.2} of what is counted");
                assert!(rms < 1.0 && worst < 8.0, "{rms} {worst}");
            }
        }
    }

    #[test]
    fn double_doubles_encode_to_the_last_bits_of_large_scales() {
        let (n, count) = (1 << 12, 1 << 11);
        let encoder: Encoder<DoubleDouble> = Encoder::new(n, count);
        let scale = DoubleDouble::from(2f64.powi(90));
        let (coeffs, _) = encoder.encode(&slots(count), scale);
        // A double's rounding beside those of the integers.
        let near = |a: f64, b: f64| (a - b).abs() <= f64::EPSILON * b.abs() / 2.0 + 2f64.powi(-80);
        let decoded = encoder.decode(&coeffs, scale);
        assert!(decoded.iter().zip(slots(count)).all(|(a, b)| near(a.re, b.re) && near(a.im, b.im)));
        // Exactly, where the polynomial is known: X^(n/2) has the slots i.
        let (coeffs, largest) = encoder.encode(&vec![Complex64::i(); count], scale);
        let exact: Vec<i128> = (0..n).map(|k| i128::from(k == n / 2) << 90).collect();
        assert_eq!((coeffs, largest), (exact, 2f64.powi(90)));
        // Another monomial's slots are no doubles: 2^-53 beside it.
        let mut monomial = vec![0i128; n];
        monomial[1] = 1 << 90;
        let (coeffs, _) = encoder.encode(&encoder.decode(&monomial, scale), scale);
        let farthest = coeffs.iter().zip(&monomial).map(|(a, b)| (a - b).abs()).max().unwrap_or(0);
        assert!(farthest > 0 && farthest < 1 << 37, "{farthest}");
    }
}
