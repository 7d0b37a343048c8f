//! Polynomials with real coefficients modulo `X^n + 1`: their transforms and products.

use std::num::Wrapping;
use std::ops::{AddAssign, Mul, SubAssign};
use std::sync::OnceLock;

use everlevel_math::fft::Fft;
use everlevel_ring::base2k::{Module, Transform};

/// The ring of one degree.
#[derive(Debug)]
pub struct Ring {
    n: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Degrees below the smallest transform: polynomials are their own transforms, and products the schoolbook's.
    Coefficients,
    /// Transforms in doubles; modulo primes for words, from the first such product on.
    Doubles { fft: Fft, exact: OnceLock<Module> },
}

impl Ring {
    /// The ring of degree `n`, a power of two from 2 to `2^16`, or nothing.
    pub fn new(n: u64) -> Option<Self> {
        let n = usize::try_from(n).ok().filter(|n| n.is_power_of_two() && (2..=1 << 16).contains(n))?;
        let kind = match Fft::new(n) {
            Ok(fft) => Kind::Doubles { fft, exact: OnceLock::new() },
            Err(_) => Kind::Coefficients,
        };
        Some(Self { n, kind })
    }

    /// The degree.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The factor of [`Ring::inverse`]: `n/2`.
    pub fn m(&self) -> f64 {
        (self.n / 2) as f64
    }

    /// The transform of `x`.
    pub fn forward(&self, out: &mut [f64], x: &[f64]) {
        match &self.kind {
            Kind::Coefficients => out.copy_from_slice(x),
            Kind::Doubles { fft, .. } => fft.forward(out, x),
        }
    }

    /// `m` times the polynomial of the transform `x`, which is used up.
    pub fn inverse(&self, out: &mut [f64], x: &mut [f64]) {
        match &self.kind {
            Kind::Coefficients => out.iter_mut().zip(x).for_each(|(out, x)| *out = self.m() * *x),
            Kind::Doubles { fft, .. } => fft.inverse_unscaled(out, x),
        }
    }

    /// The transform of `a`, divided by `m`: for products whose inverse transform is not to have this factor.
    pub fn prepare(&self, out: &mut [f64], a: &[f64]) {
        self.forward(out, a);
        // A power of two: exact.
        out.iter_mut().for_each(|x| *x /= self.m());
    }

    /// `out = Σ_k x_k·y_k` of transforms.
    pub fn inner_product_into(&self, out: &mut [f64], x: &[&[f64]], y: &[&[f64]]) {
        match &self.kind {
            Kind::Coefficients => {
                out.fill(0.0);
                x.iter().zip(y).for_each(|(x, y)| add_product(out, x, y));
            }
            Kind::Doubles { fft, .. } => fft.inner_product_into(out, x, y),
        }
    }

    /// `out = a·b`, rounded.
    pub fn multiply_into(&self, out: &mut [f64], a: &[f64], b: &[f64]) {
        let [mut x, mut y, mut product] = [(); 3].map(|()| vec![0.0; self.n]);
        self.forward(&mut x, a);
        self.prepare(&mut y, b);
        self.inner_product_into(&mut product, &[&x], &[&y]);
        self.inverse(out, &mut product);
    }

    /// `out = a·b` modulo `2^32`, exactly.
    pub fn multiply_words_into(&self, out: &mut [i32], a: &[i32], b: &[i32]) {
        match &self.kind {
            Kind::Coefficients => {
                let [a, b] = [a, b].map(|x| x.iter().map(|&x| Wrapping(x)).collect::<Vec<_>>());
                let mut product = vec![Wrapping(0); self.n];
                add_product(&mut product, &a, &b);
                out.iter_mut().zip(product).for_each(|(out, x)| *out = x.0);
            }
            Kind::Doubles { exact, .. } => {
                // Sums of n products are below 2^79, and the product of the primes above 2^95.
                let new = || Module::new(self.n.ilog2(), Transform::TwoPrimes).expect("primes of every degree here");
                let exact = exact.get_or_init(new);
                let [a, b] = [a, b].map(|x| x.iter().map(|&x| i64::from(x)).collect::<Vec<_>>());
                let mut product = vec![0; self.n];
                crate::transforms::product_into(exact, &mut product, &a, &b);
                out.iter_mut().zip(product).for_each(|(out, x)| *out = x as i32);
            }
        }
    }
}

/// `out += a·b`, by the definition.
fn add_product<T: Copy + Mul<Output = T> + AddAssign + SubAssign>(out: &mut [T], a: &[T], b: &[T]) {
    for (i, &x) in a.iter().enumerate() {
        let (low, high) = b.split_at(b.len() - i);
        out[i..].iter_mut().zip(low).for_each(|(out, &y)| *out += x * y);
        out.iter_mut().zip(high).for_each(|(out, &y)| *out -= x * y);
    }
}
