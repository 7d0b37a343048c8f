//! Steps of the carry on residues modulo two or three primes.

use super::words::Base;
use crate::Modulus;
#[cfg(target_arch = "x86_64")]
use crate::simd::Level;

/// Bits of the lower word of a carry.
pub(super) const WORD: u32 = 52;
pub(super) const MASK: u64 = (1 << WORD) - 1;

/// Integers that are known by their residues modulo two or three primes, `q_0·q_1·… = Q`, to be cut into digits.
///
/// By mixed radices, `x = r_0 + q_0·(d_1 + q_1·d_2)`, whose last digit is taken nearest to zero. The integer is right
/// if `|x| < Q/2 − Q/q_last`.
#[derive(Debug, Clone)]
pub struct ResidueDigits {
    pub(super) moduli: Vec<Modulus>,
    /// `q_0^-1 mod q_1`.
    pub(super) first: u64,
    /// `(q_0·q_1)^-1` and `−q_1^-1`, modulo `q_2`.
    pub(super) second: [u64; 2],
}

/// The carries of a stretch of coefficients: `low + high·2^52`.
#[derive(Debug, Clone, Default)]
pub struct ResidueCarry {
    pub(super) low: Vec<u64>,
    pub(super) high: Vec<i64>,
}

impl ResidueCarry {
    /// Carries of 0.
    pub fn zero(len: usize) -> Self {
        Self { low: vec![0; len], high: vec![0; len] }
    }

    /// Adds normalised limbs to the carries.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn add_assign(&mut self, x: &[i64]) {
        let (low, high) = (&mut self.low[..x.len()], &mut self.high[..x.len()]);
        for ((low, high), &x) in low.iter_mut().zip(high).zip(x) {
            let sum = *low + (x as u64 & MASK);
            *low = sum & MASK;
            *high += (x >> WORD) + (sum >> WORD) as i64;
        }
    }

    /// The number of carries.
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// Whether there are no carries.
    pub fn is_empty(&self) -> bool {
        self.low.is_empty()
    }
}

impl ResidueDigits {
    /// The integers modulo the product of two or three primes.
    ///
    /// # Panics
    /// For other numbers of primes, repeated ones, or a later one that is less than half of the first.
    pub fn new(moduli: &[Modulus]) -> Self {
        assert!(moduli.len() == 2 || moduli.len() == 3);
        let (a, b) = (&moduli[0], &moduli[1]);
        for (i, m) in moduli.iter().enumerate() {
            assert!(2 * m.q() > a.q() && moduli[..i].iter().all(|other| other.q() != m.q()), "{m:?}");
        }
        let second = moduli.get(2).map_or([0; 2], |c| {
            let product = c.mul(c.reduce(a.q()), c.reduce(b.q()));
            [c.inv(product), c.neg(c.inv(c.reduce(b.q())))]
        });
        Self { moduli: moduli.to_vec(), first: b.inv(b.reduce(a.q())), second }
    }

    /// The primes.
    pub fn moduli(&self) -> &[Modulus] {
        &self.moduli
    }

    /// The balanced digits of `x_i + carry_i`, and their carries, which have to be below `2^114`: `|x| < 2^(113+K)`.
    ///
    /// # Panics
    /// If the residues aren't of as many primes, or lengths differ.
    pub fn step(&self, base: Base, out: &mut [i64], x: &[&[u64]], carry: &mut ResidueCarry) {
        assert!(x.len() == self.moduli.len() && x.iter().all(|x| x.len() == out.len()) && carry.len() == out.len());
        let done = self.vector_prefix(base, out, x, carry);
        for (i, out) in out.iter_mut().enumerate().skip(done) {
            let (word, rest) = match x {
                [x, y] => self.of_two(x[i], y[i]),
                _ => self.of_three(x[0][i], x[1][i], x[2][i]),
            };
            let low = word + u128::from(carry.low[i]);
            let rest = rest + (low >> WORD) as i128 + i128::from(carry.high[i]);
            let (digit, above) = split(low as u64 & MASK, rest, base.log2());
            *out = digit;
            carry.low[i] = above as u64 & MASK;
            carry.high[i] = (above >> WORD) as i64;
        }
    }

    /// An integer of two residues as `word + rest·2^52`.
    #[inline(always)]
    fn of_two(&self, x: u64, y: u64) -> (u128, i128) {
        let [p, q] = [0, 1].map(|i| &self.moduli[i]);
        let digit = q.mul(q.reduce(y + 2 * q.q() - x), self.first);
        let top = i128::from(centred(digit, q.q())) * i128::from(p.q());
        (u128::from(x) + (top as u128 & u128::from(MASK)), top >> WORD)
    }

    #[inline(always)]
    fn of_three(&self, x: u64, y: u64, z: u64) -> (u128, i128) {
        let [p, q, r] = [0, 1, 2].map(|i| &self.moduli[i]);
        let middle = q.mul(q.reduce(y + 2 * q.q() - x), self.first);
        let last = r.mul(r.reduce(z + 2 * r.q() - x), self.second[0]);
        let last = r.add(last, r.mul(r.reduce(middle), self.second[1]));
        // x = r_0 + q_0·t, |t| < 2^96, and t in words.
        let t = i128::from(middle) + i128::from(q.q()) * i128::from(centred(last, r.q()));
        let low = u128::from(x) + u128::from(p.q()) * (t as u128 & u128::from(MASK));
        (low & u128::from(MASK), (low >> WORD) as i128 + i128::from(p.q()) * (t >> WORD))
    }

    #[cfg(target_arch = "x86_64")]
    fn vector_prefix(&self, base: Base, out: &mut [i64], x: &[&[u64]], carry: &mut ResidueCarry) -> usize {
        match (base.simd().0, x) {
            // SAFETY: the kernel needs AVX-512 with IFMA, which `Simd::available` detected before it made a `Simd` of
            // this level; its slices are checked by bounds.
            (Level::Avx512Ifma, [x, y]) => unsafe { super::avx512::step(self, base, out, [*x, *y], carry) },
            // SAFETY: the kernel needs AVX-512 with IFMA, which `Simd::available` detected before it made a `Simd` of
            // this level. (Below this base the upper word of a carry would be cut off, so that digits were wrong.)
            (Level::Avx512Ifma, [x, y, z]) if base.log2() >= 29 => unsafe {
                super::avx512::step(self, base, out, [*x, *y, *z], carry)
            },
            _ => 0,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn vector_prefix(&self, _: Base, _: &mut [i64], _: &[&[u64]], _: &mut ResidueCarry) -> usize {
        0
    }
}

/// The representative of `x < q` nearest to zero.
#[inline(always)]
fn centred(x: u64, q: u64) -> i64 {
    x as i64 - if x > q / 2 { q as i64 } else { 0 }
}

/// The balanced digit of `word + rest·2^52`, `word < 2^52`, and what is above it.
#[inline(always)]
fn split(word: u64, rest: i128, log2_base: u32) -> (i64, i128) {
    let low = word | (rest as u64) << WORD;
    let digit = ((low << (64 - log2_base)) as i64) >> (64 - log2_base);
    let above = if log2_base > WORD {
        rest >> (log2_base - WORD)
    } else {
        i128::from(word >> log2_base) + (rest << (WORD - log2_base))
    };
    (digit, above + i128::from(digit < 0))
}
