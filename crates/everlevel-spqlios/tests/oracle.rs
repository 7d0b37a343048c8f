//! Vectors of C, and the definitions that results are compared with.

use everlevel_testkit::sample::Sampler;

/// Polynomials apart from each other, and what lies between them.
#[derive(Clone, Debug)]
pub struct Polynomials<T> {
    pub words: Vec<T>,
    pub n: usize,
    pub size: usize,
    pub stride: usize,
}

impl<T: Copy + PartialEq + std::fmt::Debug> Polynomials<T> {
    /// `size` polynomials of `n` words, with 3 between them.
    pub fn new(n: usize, size: usize, word: impl FnMut() -> T) -> Self {
        let stride = n + 3;
        Self { words: std::iter::repeat_with(word).take(size * stride).collect(), n, size, stride }
    }

    pub fn size(&self) -> u64 {
        self.size as u64
    }

    pub fn stride(&self) -> u64 {
        self.stride as u64
    }

    pub fn get(&self, j: usize) -> &[T] {
        &self.words[j * self.stride..][..self.n]
    }

    /// Polynomial `j`, or zeros.
    pub fn get_or(&self, j: usize, zero: T) -> Vec<T> {
        if j < self.size { self.get(j).to_vec() } else { vec![zero; self.n] }
    }

    /// The words between polynomials are those of `before`.
    pub fn assert_gaps(&self, before: &Self) {
        for at in (0..self.words.len()).filter(|at| at % self.stride >= self.n) {
            assert_eq!(self.words[at], before.words[at], "word {at}, between polynomials");
        }
    }
}

/// A double in `[−2^log2_bound, 2^log2_bound)`.
pub fn double(sampler: &mut Sampler, log2_bound: i32) -> f64 {
    sampler.word().cast_signed() as f64 * 2f64.powi(log2_bound - 63)
}

/// A signed word.
pub fn word(sampler: &mut Sampler) -> i32 {
    (sampler.word() >> 32) as i32
}

/// `a·b` modulo `X^n + 1`.
pub fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = a.len();
    let coefficient = |k: usize| (0..n).map(|i| if i <= k { a[i] * b[k - i] } else { -a[i] * b[n + k - i] }).sum();
    (0..n).map(coefficient).collect()
}

/// `a·b` modulo `X^n + 1` and `2^32`.
pub fn product_of_words(a: &[i32], b: &[i32]) -> Vec<i32> {
    let [a, b] = [a, b].map(|x| x.iter().map(|&x| i128::from(x)).collect::<Vec<_>>());
    let n = a.len();
    let coefficient =
        |k: usize| -> i128 { (0..n).map(|i| if i <= k { a[i] * b[k - i] } else { -a[i] * b[n + k - i] }).sum() };
    (0..n).map(|k| coefficient(k) as i32).collect()
}

/// Coefficient `i` of a polynomial for any integer `i`: `X^n = −1`.
pub fn coefficient(a: &[f64], i: i128) -> f64 {
    let n = a.len() as i128;
    let x = a[i.rem_euclid(n) as usize];
    if i.div_euclid(n) % 2 == 0 { x } else { -x }
}

/// `x` modulo 1, nearest to zero.
pub fn centred(x: f64) -> f64 {
    x - x.round_ties_even()
}

/// The value of digits in base `2^k`, the most significant first.
pub fn value(digits: impl IntoIterator<Item = f64>, k: u64) -> f64 {
    digits.into_iter().zip(1..).map(|(d, i)| d * 2f64.powi(-(i * k as i32))).sum()
}

pub fn assert_near(what: &str, got: &[f64], expected: &[f64], error: f64) {
    assert_eq!(got.len(), expected.len());
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        assert!((g - e).abs() <= error, "{what}: {g} for {e} at {i}");
    }
}
