//! The portable transform: two levels in a pass, in blocks that the first cache holds.

use crate::MAX_MODULUS_BITS;
use crate::modulus::{Factor, factor, mul_factor, mul_lazy};

/// log2 of the values of a block whose levels are done one after another while the block stays in the first cache.
const LOG_BLOCK: u32 = 12;

/// The twiddles of both directions.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    q: u64,
    /// `ψ^brv(i)`.
    roots: Vec<Factor>,
    /// `ψ^-brv(i)`.
    inv_roots: Vec<Factor>,
}

/// A Cooley–Tukey butterfly: `(x + w·y, x − w·y)`, each at most `2q` above `x`.
#[inline(always)]
fn forward_2([x, y]: [u64; 2], w: Factor, q: u64) -> [u64; 2] {
    let v = mul_lazy(y, w, q);
    [x + v, x + 2 * q - v]
}

/// Two levels of Cooley–Tukey butterflies: results are at most `4q` above the largest operand.
#[inline(always)]
fn forward_4([a, b, c, d]: [u64; 4], [first, low, high]: [Factor; 3], q: u64) -> [u64; 4] {
    let ([a, c], [b, d]) = (forward_2([a, c], first, q), forward_2([b, d], first, q));
    let ([a, b], [c, d]) = (forward_2([a, b], low, q), forward_2([c, d], high, q));
    [a, b, c, d]
}

/// Two levels of Gentleman–Sande butterflies, from values below `4q` to values below `4q`; `one` reduces the sum of
/// all four, which is below `16q`.
#[inline(always)]
fn inverse_4([a, b, c, d]: [u64; 4], [first, low, high]: [Factor; 3], one: Factor, q: u64) -> [u64; 4] {
    let [ab, cd] = [a + b, c + d];
    let [x, y] = [mul_lazy(a + 4 * q - b, low, q), mul_lazy(c + 4 * q - d, high, q)];
    let sum = mul_lazy(ab + cd, one, q);
    [sum, x + y, mul_lazy(ab + 8 * q - cd, first, q), mul_lazy(x + 2 * q - y, first, q)]
}

/// Replaces groups of four values, one from each quarter, by `butterfly` of them.
#[inline(always)]
fn each_four(chunk: &mut [u64], butterfly: impl Fn([u64; 4]) -> [u64; 4]) {
    let (low, high) = chunk.split_at_mut(chunk.len() / 2);
    let ((a, b), (c, d)) = (low.split_at_mut(low.len() / 2), high.split_at_mut(high.len() / 2));
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        [*a, *b, *c, *d] = butterfly([*a, *b, *c, *d]);
    }
}

/// The twiddles of two levels, from `level` on, for the chunks `block`, `block + 1`, … of that level.
#[inline(always)]
fn two_levels(roots: &[Factor], level: u32, block: usize) -> impl Iterator<Item = [Factor; 3]> {
    let at = (1 << level) + block;
    let pairs = roots[2 * at..].as_chunks().0;
    roots[at..].iter().zip(pairs).map(|(&first, &[low, high])| [first, low, high])
}

impl Tables {
    /// Tables from `roots[i] = ψ^brv(i)` and `inv_roots[i] = ψ^-brv(i)`.
    pub(super) fn new(q: u64, roots: &[u64], inv_roots: &[u64]) -> Self {
        let [roots, inv_roots] = [roots, inv_roots].map(|roots| roots.iter().map(|&w| factor(w, q)).collect());
        Self { q, roots, inv_roots }
    }

    /// Forward transform in place, by Harvey's butterflies. Values grow by `2q` a level, which a word has room for, so
    /// that only results are reduced.
    pub(super) fn forward(&self, a: &mut [u64]) {
        const { assert!(MAX_MODULUS_BITS + 8 < u64::BITS, "room for 1 + 2·64 times q") };
        let (log_n, q) = (a.len().trailing_zeros(), self.q);
        let mut level = log_n % 2;
        if level == 1 {
            let (low, high) = a.split_at_mut(a.len() / 2);
            for (x, y) in low.iter_mut().zip(high) {
                [*x, *y] = forward_2([*x, *y], self.roots[1], q);
            }
        }
        while log_n - level > LOG_BLOCK {
            self.forward_levels(a, level, 0);
            level += 2;
        }
        let (blocks, one) = (level, factor(1, q));
        for (block, a) in a.chunks_exact_mut(1 << (log_n - blocks)).enumerate() {
            for level in (blocks..log_n).step_by(2) {
                self.forward_levels(a, level, block << (level - blocks));
            }
            a.iter_mut().for_each(|x| *x = mul_factor(*x, one, q));
        }
    }

    /// The levels `level` and `level + 1` of the chunks of `a`, of which the first is chunk `block` of that level.
    #[inline(always)]
    fn forward_levels(&self, a: &mut [u64], level: u32, block: usize) {
        let (q, len) = (self.q, self.roots.len() >> level);
        let twiddles = two_levels(&self.roots, level, block);
        if len == 4 {
            for (chunk, w) in a.as_chunks_mut().0.iter_mut().zip(twiddles) {
                *chunk = forward_4(*chunk, w, q);
            }
            return;
        }
        for (chunk, w) in a.chunks_exact_mut(len).zip(twiddles) {
            each_four(chunk, |x| forward_4(x, w, q));
        }
    }

    /// Inverse transform in place times `scale·n`; values stay below `4q` from pass to pass.
    pub(super) fn inverse(&self, a: &mut [u64], scale: u64) {
        let (log_n, q) = (a.len().trailing_zeros(), self.q);
        let top = log_n % 2;
        let mut blocks = top;
        while log_n - blocks > LOG_BLOCK {
            blocks += 2;
        }
        let one = factor(1, q);
        for (block, a) in a.chunks_exact_mut(1 << (log_n - blocks)).enumerate() {
            for level in (blocks..log_n).step_by(2).rev() {
                self.inverse_levels(a, level, block << (level - blocks), one);
            }
        }
        for level in (top..blocks).step_by(2).rev() {
            self.inverse_levels(a, level, 0, one);
        }
        let scale = factor(scale, q);
        let scaled = |x| mul_factor(x, scale, q);
        if top == 0 {
            a.iter_mut().for_each(|x| *x = scaled(*x));
            return;
        }
        let (low, high) = a.split_at_mut(a.len() / 2);
        for (x, y) in low.iter_mut().zip(high) {
            [*x, *y] = [scaled(*x + *y), scaled(mul_lazy(*x + 4 * q - *y, self.inv_roots[1], q))];
        }
    }

    /// The levels `level + 1` and `level` of the chunks of `a`, of which the first is chunk `block` of that level.
    #[inline(always)]
    fn inverse_levels(&self, a: &mut [u64], level: u32, block: usize, one: Factor) {
        let (q, len) = (self.q, self.inv_roots.len() >> level);
        let twiddles = two_levels(&self.inv_roots, level, block);
        if len == 4 {
            for (chunk, w) in a.as_chunks_mut().0.iter_mut().zip(twiddles) {
                *chunk = inverse_4(*chunk, w, one, q);
            }
            return;
        }
        for (chunk, w) in a.chunks_exact_mut(len).zip(twiddles) {
            each_four(chunk, |x| inverse_4(x, w, one, q));
        }
    }
}
