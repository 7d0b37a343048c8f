//! Gadgets: how ring elements are cut into digits for half external products, by representation.

use everlevel_math::fft::Digits;
use serde::{Deserialize, Serialize};

use crate::{PrimeSet, Ring};

/// A signed decomposition of torus words: `digits` digits in base `2^log2_base`, from the most significant bits
/// downwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WordGadget {
    /// log2 of the base `B`.
    #[serde(rename = "base_log2")]
    pub log2_base: u32,
    /// Number of digits `l`.
    pub digits: u32,
}

impl WordGadget {
    /// A gadget from log2 of its base and its number of digits.
    pub const fn new(log2_base: u32, digits: u32) -> Self {
        Self { log2_base, digits }
    }

    /// Bits that the digits cover together; lower ones are rounded away.
    pub const fn bits(self) -> u32 {
        self.log2_base * self.digits
    }

    /// log2 of the unit of a row's digit as a part of the torus, negated.
    pub const fn log2_unit(self, row: usize) -> u32 {
        self.log2_base * (row as u32 + 1)
    }

    /// The digits of the leading bits `a`, as [`Digits`] defines them; level 0 is the most significant.
    #[inline(always)]
    pub fn decompose(self, a: u64, mut put: impl FnMut(usize, u32)) {
        let digits = Digits::from(self);
        (1..=self.digits).for_each(|level| put(level as usize - 1, digits.digit(a, level) as u32));
    }
}

impl From<WordGadget> for Digits {
    fn from(gadget: WordGadget) -> Self {
        Self { log2_base: gadget.log2_base, levels: gadget.digits }
    }
}

/// An approximate decomposition of residues of one prime: the lowest `dropped` bits are rounded away, and what is left
/// is `digits` signed digits in base `2^log2_base`, from the least significant upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PrimeGadget {
    /// log2 of the base `B`.
    #[serde(rename = "base_log2")]
    pub log2_base: u32,
    /// Number of digits `d`.
    pub digits: u32,
    /// Bits `k` that are dropped; 0 is the exact decomposition.
    pub dropped: u32,
}

impl PrimeGadget {
    /// A gadget from log2 of its base, its number of digits and the bits that it drops.
    pub const fn new(log2_base: u32, digits: u32, dropped: u32) -> Self {
        Self { log2_base, digits, dropped }
    }

    /// log2 of the unit of a row's digit.
    pub const fn log2_unit(self, row: usize) -> u32 {
        self.dropped + self.log2_base * row as u32
    }

    /// The digits of a residue nearest to zero: with `y_r` the residue in units of row `r`, rounded to the nearest
    /// integer (upwards at ties), the last digit is `y_(d−1)` and each other one `y_r − B·y_(r+1)`, in `[−B/2, B/2]`.
    pub fn decompose(self, x: i64, mut put: impl FnMut(usize, i64)) {
        let rounded = |row| {
            let unit = self.log2_unit(row);
            if unit == 0 { x } else { (x + (1 << (unit - 1))) >> unit }
        };
        let mut above = 0;
        for row in (0..self.digits as usize).rev() {
            let y = rounded(row);
            put(row, y - (above << self.log2_base));
            above = y;
        }
    }
}

/// A decomposition of residues, and the shape of a switching key: the primes of the ciphertexts that it serves, cut
/// into digits, and the special primes, whose product `P` is divided out at the end and should exceed every digit's
/// product by the noise bits that it is to hide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RnsGadget {
    /// The digits; their union is the key's modulus `Q`.
    pub digits: Vec<PrimeSet>,
    /// The special primes.
    pub special: PrimeSet,
}

impl RnsGadget {
    /// Consecutive digits of at most `log2(P) − headroom_bits` bits, filled from the lowest prime index: right for keys
    /// that serve many levels, whose lower levels then have fewer digits.
    pub fn consecutive(ring: &Ring, set: &PrimeSet, special: &PrimeSet, headroom_bits: f64) -> Self {
        let limit = ring.log2(special) - headroom_bits;
        let mut digits: Vec<Vec<usize>> = Vec::new();
        let mut bits = f64::INFINITY;
        for &i in set.indices() {
            let add = ring.modulus(i).log2();
            if bits + add > limit {
                digits.push(Vec::new());
                bits = 0.0;
            }
            bits += add;
            if let Some(last) = digits.last_mut() {
                last.push(i);
            }
        }
        Self { digits: digits.into_iter().map(PrimeSet::new).collect(), special: special.clone() }
    }

    /// The fewest digits of nearly equal size, at most `log2(P) − headroom_bits` bits each where one exists: right for
    /// keys that serve one level. Primes go in descending size to the lightest digit.
    pub fn balanced(ring: &Ring, set: &PrimeSet, special: &PrimeSet, headroom_bits: f64) -> Self {
        Self::of_even(ring, set, special, headroom_bits, |digits, limit| digits.iter().all(|(bits, _)| *bits <= limit))
    }

    /// As [`RnsGadget::balanced`], with primes exchanged between digits where so few have room for all.
    pub fn fewest(ring: &Ring, set: &PrimeSet, special: &PrimeSet, headroom_bits: f64) -> Self {
        Self::of_even(ring, set, special, headroom_bits, |digits, limit| exchange(ring, digits, limit))
    }

    /// As [`RnsGadget::fewest`], with the primes of `apart` as a digit of their own where that takes no more digits:
    /// the key's products with polynomials that lack these primes have one digit less.
    pub fn fewest_apart(ring: &Ring, set: &PrimeSet, special: &PrimeSet, headroom_bits: f64, apart: &PrimeSet) -> Self {
        let all = Self::fewest(ring, set, special, headroom_bits);
        let (first, rest) = (set.intersection(apart), set.difference(apart));
        if first.is_empty() || rest.is_empty() || ring.log2(&first) > ring.log2(special) - headroom_bits {
            return all;
        }
        let mut cut = Self::fewest(ring, &rest, special, headroom_bits);
        cut.digits.insert(0, first);
        if cut.digits.len() <= all.digits.len() { cut } else { all }
    }

    /// The fewest digits of nearly equal size that `fit` in the limit, or can be made to.
    fn of_even(
        ring: &Ring,
        set: &PrimeSet,
        special: &PrimeSet,
        headroom_bits: f64,
        fit: impl Fn(&mut [Digit], f64) -> bool,
    ) -> Self {
        let limit = ring.log2(special) - headroom_bits;
        let mut order = set.indices().to_vec();
        order.sort_by_key(|&index| std::cmp::Reverse(ring.modulus(index).q()));
        let fewest = ((ring.log2(set) / limit).ceil().max(1.0) as usize).min(set.len());
        for count in fewest..=set.len() {
            let mut digits: Vec<Digit> = vec![(0.0, Vec::new()); count];
            for &i in &order {
                let lightest = digits.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0));
                if let Some((bits, members)) = lightest {
                    *bits += ring.modulus(i).log2();
                    members.push(i);
                }
            }
            if count == set.len() || fit(&mut digits, limit) {
                let digits = digits.into_iter().map(|(_, members)| PrimeSet::new(members)).collect();
                return Self { digits, special: special.clone() };
            }
        }
        unreachable!("one prime a digit always ends the search")
    }

    /// One digit that is the whole modulus: for polynomials already small against `P`, lifted by the caller.
    pub fn whole(set: &PrimeSet, special: &PrimeSet) -> Self {
        Self { digits: vec![set.clone()], special: special.clone() }
    }

    /// The digits of polynomials over `set`, of which each has primes: of each, the rows of keys that it is multiplied
    /// with, and its primes.
    ///
    /// Where few of a key's primes are left, digits that fit into one no larger than the key's largest are one digit:
    /// the sum of their rows is the row of their union, since its unit is 1 modulo the primes of all of them and 0
    /// modulo the others. It takes fewer transforms, and its noise is within that of full digits.
    pub fn digits_over(&self, ring: &Ring, set: &PrimeSet) -> Vec<(Vec<usize>, PrimeSet)> {
        let largest = self.digits.iter().map(|digit| ring.log2(digit)).fold(0.0, f64::max);
        let mut all: Vec<(Vec<usize>, PrimeSet)> = Vec::new();
        for (row, digit) in self.digits.iter().enumerate() {
            let own = digit.intersection(set);
            if own.is_empty() {
                continue;
            }
            match all.iter_mut().find(|(_, primes)| ring.log2(primes) + ring.log2(&own) <= largest) {
                Some((rows, primes)) => {
                    rows.push(row);
                    *primes = primes.union(&own);
                }
                None => all.push((vec![row], own)),
            }
        }
        all
    }

    /// The digits that a polynomial over a set has at most.
    pub fn digit_count(&self, set: &PrimeSet) -> usize {
        self.digits.iter().filter(|digit| !digit.intersection(set).is_empty()).count()
    }

    /// The gadget of the same special primes over some primes of the digits: each digit has what is left of it, and the
    /// last digits, of which nothing is left, go.
    ///
    /// # Panics
    /// If nothing is left of a digit before others: keys tell their rows by their places.
    #[must_use]
    pub fn restricted(&self, set: &PrimeSet) -> Self {
        let mut digits: Vec<PrimeSet> = self.digits.iter().map(|digit| digit.intersection(set)).collect();
        while digits.pop_if(|digit| digit.is_empty()).is_some() {}
        assert!(digits.iter().all(|digit| !digit.is_empty()), "the first digits have primes of the set");
        Self { digits, special: self.special.clone() }
    }

    /// The key's modulus without the special primes.
    pub fn ciphertext_set(&self) -> PrimeSet {
        PrimeSet::new(self.digits.iter().flat_map(|d| d.indices().iter().copied()))
    }

    /// Every prime that the key is given over: the modulus that the security claim is about.
    pub fn full_set(&self) -> PrimeSet {
        self.ciphertext_set().union(&self.special)
    }
}

/// A digit's bits and primes.
type Digit = (f64, Vec<usize>);

/// Whether digits are within a limit, after exchanges of primes between the largest digit and others: that first which
/// leaves least in the larger of both.
fn exchange(ring: &Ring, digits: &mut [Digit], limit: f64) -> bool {
    let bits = |prime: usize| ring.modulus(prime).log2();
    loop {
        let largest = (0..digits.len()).max_by(|&a, &b| digits[a].0.total_cmp(&digits[b].0));
        let Some(largest) = largest.filter(|&at| digits[at].0 > limit) else { return true };
        let total = digits[largest].0;
        let mut best: Option<(f64, [usize; 3])> = None;
        for other in (0..digits.len()).filter(|&other| other != largest) {
            for (i, &from) in digits[largest].1.iter().enumerate() {
                for (j, &to) in digits[other].1.iter().enumerate() {
                    // Exchanges of primes of one size lead nowhere.
                    let less = bits(from) - bits(to);
                    let left = (total - less).max(digits[other].0 + less);
                    if less > 0.5 && left < best.map_or(total - 0.5, |(least, _)| least) {
                        best = Some((left, [other, i, j]));
                    }
                }
            }
        }
        let Some((_, [other, i, j])) = best else { return false };
        let (from, to) = (digits[largest].1[i], digits[other].1[j]);
        (digits[largest].1[i], digits[other].1[j]) = (to, from);
        let less = bits(from) - bits(to);
        digits[largest].0 -= less;
        digits[other].0 += less;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over all residues of a prime.
    #[test]
    fn digits_of_residues_recompose_and_have_small_means() {
        const LARGEST: i64 = 6144;
        for gadget in [PrimeGadget::new(3, 4, 2), PrimeGadget::new(2, 7, 0), PrimeGadget::new(5, 2, 4)] {
            let (half, last) = (1i64 << (gadget.log2_base - 1), gadget.digits as usize - 1);
            let mut sums = vec![0; last + 1];
            for x in -LARGEST..=LARGEST {
                let mut sum = 0;
                gadget.decompose(x, |row, digit| {
                    assert!(row == last || digit.abs() <= half, "{gadget:?} {x} {digit}");
                    sum += digit << gadget.log2_unit(row);
                    sums[row] += digit;
                });
                assert!((sum - x).abs() <= (1 << gadget.dropped) / 2, "{gadget:?} {x} {sum}");
            }
            // Ties go upwards, of one residue in each unit.
            let count = (2 * LARGEST + 1) as f64;
            let tie = (-f64::from(gadget.dropped)).exp2();
            assert!(sums.iter().all(|&sum| (sum as f64 / count).abs() <= 0.55 * tie), "{gadget:?} {sums:?}");
        }
    }

    #[test]
    fn digits_of_words_recompose_to_the_nearest_multiple() {
        let mut x = 1u64;
        for gadget in [WordGadget::new(2, 5), WordGadget::new(1, 12), WordGadget::new(4, 4), WordGadget::new(3, 8)] {
            for i in 0..2000u64 {
                x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(i | 1);
                let mut sum = 0u64;
                let half = 1i64 << (gadget.log2_base - 1);
                gadget.decompose(x, |level, digit| {
                    assert!((-half..=half).contains(&i64::from(digit as i32)), "{gadget:?} {digit}");
                    let unit = 1u64 << (64 - gadget.log2_unit(level));
                    sum = sum.wrapping_add(unit.wrapping_mul(i64::from(digit as i32) as u64));
                });
                let error = sum.wrapping_sub(x) as i64;
                assert!(error.unsigned_abs() <= 1 << (63 - gadget.bits()), "{gadget:?} {x:x} {sum:x}");
            }
        }
    }
}
