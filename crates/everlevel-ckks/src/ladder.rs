//! A ladder of levels, and batches of ciphertexts on it: the arithmetic that evaluators share, for messages and inside
//! a bootstrap.

use std::borrow::Cow;

use everlevel_math::{DoubleDouble, Real};
use everlevel_ring::{Eval, Poly, PrimeSet, Ring};
use everlevel_rlwe::{Rlwe, SwitchingKey};

use crate::keys::KeyPair;

/// Levels with canonical scales: a product of two ciphertexts at level ℓ and scale `S_ℓ`, rescaled, has exactly scale
/// `S_(ℓ−1)`.
///
/// Scales are defined upwards, `S_ℓ = √(S_(ℓ−1)·ratio_ℓ)`, which halves every deviation of a prime instead of doubling
/// it.
#[derive(Debug, Clone)]
pub(crate) struct Ladder {
    pub sets: Vec<PrimeSet>,
    pub scales: Vec<f64>,
    /// `ratio[ℓ]`: modulus of level ℓ over that of level ℓ − 1.
    pub ratios: Vec<f64>,
    /// The scales again, where constants need more bits than doubles have.
    pub exact_scales: Option<Vec<DoubleDouble>>,
}

/// A batch of ciphertexts at a level of a ladder, with that level's scale, that take the same steps side by side: keys
/// are read once for all.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub cts: Vec<Rlwe>,
    pub level: usize,
}

impl Batch {
    /// Their primes.
    pub fn set(&self) -> &PrimeSet {
        self.cts[0].set()
    }
}

/// `a/b` as products of primes, without overflow.
pub(crate) fn ratio(ring: &Ring, numerator: &PrimeSet, denominator: &PrimeSet) -> f64 {
    ring.product(&numerator.difference(denominator)) / ring.product(&denominator.difference(numerator))
}

/// The product of a set's primes.
fn exact_product(ring: &Ring, set: &PrimeSet) -> DoubleDouble {
    let prime = |&i: &usize| DoubleDouble::from(ring.modulus(i).q() as f64);
    set.indices().iter().map(prime).fold(DoubleDouble::ONE, |product, q| product * q)
}

/// Bits that constants are rounded to, at least, where levels allow.
const CONSTANT_BITS: f64 = 52.0;

/// Primes of `available` whose product exceeds `to`'s by [`CONSTANT_BITS`], or all of them.
fn intermediate(ring: &Ring, available: &PrimeSet, to: &PrimeSet) -> PrimeSet {
    let mut set = available.intersection(to);
    for &i in available.difference(to).indices() {
        if ratio(ring, &set, to).log2() >= CONSTANT_BITS {
            break;
        }
        set = set.union(&PrimeSet::new([i]));
    }
    set
}

impl Ladder {
    /// A ladder over consecutive levels starting at `base_scale`.
    pub fn new(ring: &Ring, sets: Vec<PrimeSet>, base_scale: f64) -> Self {
        let mut scales = vec![base_scale];
        let mut ratios = vec![1.0];
        for pair in sets.windows(2) {
            let r = ratio(ring, &pair[1], &pair[0]);
            let below = scales[scales.len() - 1];
            scales.push((below * r).sqrt());
            ratios.push(r);
        }
        Self { sets, scales, ratios, exact_scales: None }
    }

    /// This ladder for scales of more bits than doubles have.
    pub fn with_exact_scales(mut self, ring: &Ring) -> Self {
        let mut exact = vec![DoubleDouble::from(self.scales[0])];
        for pair in self.sets.windows(2) {
            // The levels' primes are nested.
            let ratio = exact_product(ring, &pair[1].difference(&pair[0]));
            exact.push((exact[exact.len() - 1] * ratio).sqrt());
        }
        self.scales = exact.iter().map(|scale| scale.to_f64()).collect();
        self.exact_scales = Some(exact);
        self
    }

    /// The scale of the highest level.
    pub fn top_scale(&self) -> f64 {
        self.scales[self.scales.len() - 1]
    }

    /// The integer of a constant that is added to messages at a level.
    pub fn integer(&self, c: f64, level: usize) -> i128 {
        match &self.exact_scales {
            None => (c * self.scales[level]).round_to_integer(),
            Some(scales) => (DoubleDouble::from(c) * scales[level]).round_to_integer(),
        }
    }

    /// The integer of a constant's product with messages at `level`, which a division by the ratio of `from` and the
    /// target's modulus follows, and how much larger the integer is than what it stands for.
    pub fn factor(&self, ring: &Ring, c: f64, level: usize, from: &PrimeSet, target: usize) -> (i128, f64) {
        let to = &self.sets[target];
        match &self.exact_scales {
            None => {
                let factor = c * (ratio(ring, from, to) * self.scales[target]) / self.scales[level];
                let integer = factor.round_to_integer();
                (integer, integer as f64 - factor)
            }
            Some(scales) => {
                let ratio = exact_product(ring, &from.difference(to)) / exact_product(ring, &to.difference(from));
                let factor = DoubleDouble::from(c) * ratio * scales[target] / scales[level];
                let integer = factor.round_to_integer();
                (integer, (DoubleDouble::from_integer(integer) - factor).high())
            }
        }
    }

    /// Integers at the scale of a level, at another's.
    pub fn rescaled_integers(&self, integers: &[i128], from: usize, to: usize) -> Vec<i128> {
        fn all<T: Real>(integers: &[i128], factor: T) -> Vec<i128> {
            integers.iter().map(|&c| (T::from_integer(c) * factor).round_to_integer()).collect()
        }
        match &self.exact_scales {
            None => all(integers, self.scales[to] / self.scales[from]),
            Some(scales) => all(integers, scales[to] / scales[from]),
        }
    }

    /// `c·w` at `target < w.level`, for a real constant: one integer product and one rescaling.
    pub fn mul_constant(&self, ring: &Ring, w: &Batch, c: f64, target: usize) -> Batch {
        self.linear_combination(ring, &[(w, c)], target)
    }

    /// `Σ c_i·w_i` at `target`, which is below every operand's level.
    ///
    /// Each product is with an integer of about `c·R`, followed by a division by `R`, the ratio of an intermediate
    /// modulus to the target's. Where the operands share an intermediate modulus, they share the division.
    pub fn linear_combination(&self, ring: &Ring, terms: &[(&Batch, f64)], target: usize) -> Batch {
        let to = &self.sets[target];
        let common = terms.iter().map(|(w, _)| w.set().clone()).reduce(|a, b| a.intersection(&b));
        let from = common.map(|common| intermediate(ring, &common, to));
        let needed = CONSTANT_BITS.min(self.ratios[target + 1].log2() - 1.0);
        match from {
            Some(from) if terms.len() == 1 || ratio(ring, &from, to).log2() >= needed => {
                self.combine(ring, terms, &from, target)
            }
            _ => {
                let mut each = terms.iter().map(|term| self.linear_combination(ring, &[*term], target));
                let mut sum = each.next().expect("a linear combination has terms");
                each.for_each(|w| self.add_assign(ring, &mut sum, &w));
                sum
            }
        }
    }

    fn combine(&self, ring: &Ring, terms: &[(&Batch, f64)], from: &PrimeSet, target: usize) -> Batch {
        let to = &self.sets[target];
        let integers: Vec<i128> = terms.iter().map(|(w, c)| self.factor(ring, *c, w.level, from, target).0).collect();
        let sum = |at: usize, part: fn(&Rlwe) -> &Poly<Eval>| {
            let mut acc = ring.zero_beside(part(&terms[0].0.cts[at]), from);
            for ((w, _), integer) in terms.iter().zip(&integers) {
                ring.mul_residues_add_assign(&mut acc, part(&w.cts[at]), |m| m.reduce_i128(*integer));
            }
            acc
        };
        let together = terms.first().map_or(0, |(w, _)| w.cts.len());
        let sums = (0..together).map(|at| Rlwe { c0: sum(at, |ct| &ct.c0), c1: sum(at, |ct| &ct.c1) }).collect();
        Batch { cts: Rlwe::rescale_many(sums, ring, to), level: target }
    }

    /// This message at a lower level, with that level's scale.
    pub fn at_level<'w>(&self, ring: &Ring, w: &'w Batch, target: usize) -> Cow<'w, Batch> {
        if w.level == target { Cow::Borrowed(w) } else { Cow::Owned(self.mul_constant(ring, w, 1.0, target)) }
    }

    /// `a·b`, relinearized, one level below the lower operand.
    pub fn mul(&self, ring: &Ring, a: &Batch, b: &Batch, key: &KeyPair) -> Batch {
        let level = a.level.min(b.level);
        let (a, b) = (self.at_level(ring, a, level), self.at_level(ring, b, level));
        let products = a.cts.iter().zip(&b.cts).map(|(a, b)| tensor(ring, [a, b])).collect();
        drop((a, b));
        self.relinearized(ring, products, level, key)
    }

    /// `a²`, relinearized, one level lower.
    pub fn square(&self, ring: &Ring, a: &Batch, key: &KeyPair) -> Batch {
        self.relinearized(ring, squares(ring, a), a.level, key)
    }

    /// Products at a level, relinearized, one level lower.
    pub fn relinearized(&self, ring: &Ring, products: Vec<Tensor>, level: usize, key: &KeyPair) -> Batch {
        let cts = key.for_set(&self.sets[level]).relinearize_many(ring, products, &self.sets[level - 1]);
        Batch { cts, level: level - 1 }
    }

    /// `a += b`, with `b` brought down to `a`'s level.
    pub fn add_assign(&self, ring: &Ring, a: &mut Batch, b: &Batch) {
        let b = self.at_level(ring, b, a.level);
        a.cts.iter_mut().zip(&b.cts).for_each(|(a, b)| a.add_assign(ring, b));
    }

    /// `a −= b`, with `b` brought down to `a`'s level.
    pub fn sub_assign(&self, ring: &Ring, a: &mut Batch, b: &Batch) {
        let b = self.at_level(ring, b, a.level);
        a.cts.iter_mut().zip(&b.cts).for_each(|(a, b)| a.sub_assign(ring, b));
    }

    /// `a += c` for a real constant.
    pub fn add_constant(&self, ring: &Ring, a: &mut Batch, c: f64) {
        let integer = self.integer(c, a.level);
        a.cts.iter_mut().for_each(|ct| ring.add_gaussian_assign(&mut ct.c0, integer, 0));
    }

    /// `a *= 2`.
    pub fn double(&self, ring: &Ring, a: &mut Batch) {
        a.cts.iter_mut().for_each(|ct| ct.mul_integer_assign(ring, 2));
    }
}

/// A product of two ciphertexts, before it is relinearized.
pub(crate) type Tensor = [Poly<Eval>; 3];

/// `a²` of each, before they are relinearized.
pub(crate) fn squares(ring: &Ring, a: &Batch) -> Vec<Tensor> {
    a.cts.iter().map(|a| ring.tensor_square([&a.c0, &a.c1])).collect()
}

/// `2w²` of each before they are relinearized and rescaled: what is doubled afterwards has a rounding twice as large.
pub(crate) fn doubled_squares(ring: &Ring, w: &Batch) -> Vec<Tensor> {
    let mut squares = squares(ring, w);
    squares.iter_mut().flatten().for_each(|part| ring.mul_residues_assign(part, |_| 2));
    squares
}

/// The tensor product of two ciphertexts over the same primes.
pub(crate) fn tensor(ring: &Ring, [a, b]: [&Rlwe; 2]) -> Tensor {
    ring.tensor([&a.c0, &a.c1], [&b.c0, &b.c1])
}

/// `a·b` over the same primes, relinearized and rescaled to `target`.
pub(crate) fn mul_relinearize(ring: &Ring, operands: [&Rlwe; 2], key: &SwitchingKey, target: &PrimeSet) -> Rlwe {
    key.relinearize(ring, tensor(ring, operands), target)
}
