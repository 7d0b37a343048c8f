//! A ladder of levels, and batches of ciphertexts on it: the arithmetic that evaluators share, for messages and inside
//! a bootstrap.

use std::borrow::Cow;

use everlevel_math::{DoubleDouble, Modulus, Real};
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
    /// Whether every modulus has room for all values, whatever level they are of.
    pub is_roomy: bool,
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

    /// `self += other`, at the same level.
    fn add_assign(&mut self, ring: &Ring, other: &Self) {
        debug_assert_eq!(self.level, other.level);
        self.cts.iter_mut().zip(&other.cts).for_each(|(a, b)| a.add_assign(ring, b));
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

/// log2 of the factors that values are taken with at lower levels, as they are: a rounding of what multiplies them then
/// counts no more than both roundings otherwise.
const MOST_LOG2_FACTOR: f64 = 0.6;
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
        Self { sets, scales, ratios, exact_scales: None, is_roomy: false }
    }

    /// This ladder, where values are far smaller than every modulus.
    pub fn roomy(self) -> Self {
        Self { is_roomy: true, ..self }
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
    /// modulus to the target's. The operands share the division: all of them have the primes of the intermediate
    /// modulus where levels' primes are nested, or else one of them has each. What lacks some of them is a multiple of
    /// these, with residues of zero.
    pub fn linear_combination(&self, ring: &Ring, terms: &[(&Batch, f64)], target: usize) -> Batch {
        let to = &self.sets[target];
        let common = terms.iter().map(|(w, _)| w.set().clone()).reduce(|a, b| a.intersection(&b));
        let from = common.map(|common| intermediate(ring, &common, to));
        let needed = CONSTANT_BITS.min(self.ratios[target + 1].log2() - 1.0);
        let shared = from.filter(|from| terms.len() == 1 || ratio(ring, from, to).log2() >= needed);
        let own = |w: &Batch| shared.clone().unwrap_or_else(|| intermediate(ring, w.set(), to));
        let from = terms.iter().map(|(w, _)| own(w)).reduce(|a, b| a.union(&b)).expect("a combination has terms");
        let sums = self.combined(ring, terms, (&from, own), target, &[]);
        Batch { cts: Rlwe::rescale_many(sums, ring, to), level: target }
    }

    /// `Σ c_i·w_i` modulo `from`, before the division that brings them to `target`, and added to what is there of each:
    /// every term by way of those primes that are its `own`.
    fn combined(
        &self,
        ring: &Ring,
        terms: &[(&Batch, f64)],
        (from, own): (&PrimeSet, impl Fn(&Batch) -> PrimeSet),
        target: usize,
        there: &[[&Poly<Eval>; 2]],
    ) -> Vec<Rlwe> {
        let factor = |(w, c): &(&Batch, f64)| {
            let own = own(w);
            (self.factor(ring, *c, w.level, &own, target).0, from.difference(&own))
        };
        let factors: Vec<(i128, PrimeSet)> = terms.iter().map(factor).collect();
        let residue = |k: usize, m: &Modulus| {
            let Some((integer, lacking)) = factors.get(k) else { return 1 };
            let primes = lacking.indices().iter().map(|&prime| m.reduce(ring.modulus(prime).q()));
            primes.fold(m.reduce_i128(*integer), |product, q| m.mul(product, q))
        };
        let combine = |at: usize| {
            let parts = terms.iter().map(|(w, _)| [&w.cts[at].c0, &w.cts[at].c1]).chain(there.get(at).copied());
            let [c0, c1] = ring.combine(from, &parts.collect::<Vec<_>>(), residue);
            Rlwe { c0, c1 }
        };
        (0..terms[0].0.cts.len()).map(combine).collect()
    }

    /// The factor of a value whose primes at a lower level are taken as they are, at that level's scale: none where it
    /// hasn't all of them, where the modulus has no room to spare, and where the factor would magnify what multiplies
    /// it.
    pub fn cut_factor(&self, from: usize, to: usize) -> Option<f64> {
        let factor = self.scales[from] / self.scales[to];
        let serves = self.is_roomy && self.is_nested(from, to);
        (serves && factor.log2().abs() < MOST_LOG2_FACTOR).then_some(factor)
    }

    /// Values whose primes at a lower level are taken as they are.
    pub fn cut(&self, w: &Batch, to: usize) -> Batch {
        Batch { cts: w.cts.iter().map(|ct| ct.restricted(&self.sets[to])).collect(), level: to }
    }

    /// Whether a value at a level has all primes of a lower one.
    pub fn is_nested(&self, from: usize, to: usize) -> bool {
        self.sets[to].is_subset(&self.sets[from])
    }

    /// This message at a lower level, with that level's scale.
    pub fn at_level<'w>(&self, ring: &Ring, w: &'w Batch, target: usize) -> Cow<'w, Batch> {
        if w.level == target { Cow::Borrowed(w) } else { Cow::Owned(self.mul_constant(ring, w, 1.0, target)) }
    }

    /// `sum += times·a·b`.
    pub fn add_product(&self, ring: &Ring, sum: &mut LadderSum, [a, b]: [&Batch; 2], times: u8) {
        let above = sum.target + 1;
        let first = self.at_level(ring, a, above);
        let mut product: Vec<Tensor> = if std::ptr::eq(a, b) {
            squares(ring, &first, times)
        } else {
            let second = self.at_level(ring, b, above);
            first.cts.iter().zip(&second.cts).map(|(a, b)| tensor(ring, [a, b], times)).collect()
        };
        let Some(products) = &mut sum.products else {
            let linear = sum.linear.take().into_iter().flatten();
            for ([c0, c1, _], linear) in product.iter_mut().zip(linear) {
                ring.add_assign(c0, &linear.c0);
                ring.add_assign(c1, &linear.c1);
            }
            sum.products = Some(product);
            return;
        };
        products.iter_mut().flatten().zip(product.iter().flatten()).for_each(|(a, b)| ring.add_assign(a, b));
    }

    /// `sum += Σ c_i·w_i`: terms that have the primes of the level above the sum's share its rescaling.
    pub fn add_terms(&self, ring: &Ring, sum: &mut LadderSum, terms: &[(&Batch, f64)]) {
        let from = &self.sets[sum.target + 1];
        let (merged, apart): (Vec<_>, Vec<_>) = terms.iter().copied().partition(|(w, _)| from.is_subset(w.set()));
        if !apart.is_empty() {
            let apart = self.linear_combination(ring, &apart, sum.target);
            match &mut sum.apart {
                None => sum.apart = Some(apart),
                Some(whole) => whole.add_assign(ring, &apart),
            }
        }
        if merged.is_empty() {
            return;
        }
        let combined = |there: &[[&Poly<Eval>; 2]]| {
            self.combined(ring, &merged, (from, |_: &Batch| from.clone()), sum.target, there)
        };
        match &mut sum.products {
            Some(products) => {
                let there: Vec<[&Poly<Eval>; 2]> = products.iter().map(|[c0, c1, _]| [c0, c1]).collect();
                let sums = combined(&there);
                for ([c0, c1, _], sum) in products.iter_mut().zip(sums) {
                    (*c0, *c1) = (sum.c0, sum.c1);
                }
            }
            None => {
                let there: Vec<[&Poly<Eval>; 2]> = sum.linear.iter().flatten().map(|ct| [&ct.c0, &ct.c1]).collect();
                sum.linear = Some(combined(&there));
            }
        }
    }

    /// The value of a sum that has a product.
    pub fn finish(&self, ring: &Ring, sum: LadderSum, key: &KeyPair) -> Batch {
        let products = sum.products.expect("a sum has a product");
        let mut value = self.relinearized(ring, products, sum.target + 1, key);
        if let Some(apart) = sum.apart {
            value.add_assign(ring, &apart);
        }
        value
    }

    /// Products at a level, relinearized, one level lower.
    pub fn relinearized(&self, ring: &Ring, products: Vec<Tensor>, level: usize, key: &KeyPair) -> Batch {
        let cts = key.for_set(&self.sets[level]).relinearize_many(ring, products, &self.sets[level - 1]);
        Batch { cts, level: level - 1 }
    }

    /// `a += c` for a real constant.
    pub fn add_constant(&self, ring: &Ring, a: &mut Batch, c: f64) {
        let integer = self.integer(c, a.level);
        a.cts.iter_mut().for_each(|ct| ring.add_gaussian_assign(&mut ct.c0, integer, 0));
    }
}

/// A sum of products and multiples at a level of a ladder: what is at hand of it before its key switch.
#[derive(Debug)]
pub(crate) struct LadderSum {
    target: usize,
    /// Products and multiples, over the primes of the level above and at the square of its scale.
    products: Option<Vec<Tensor>>,
    /// Multiples over the same primes, while there is no product.
    linear: Option<Vec<Rlwe>>,
    /// Multiples of values without those primes, at the sum's own level.
    apart: Option<Batch>,
}

impl LadderSum {
    /// A sum at a level, of nothing yet.
    pub fn new(target: usize) -> Self {
        Self { target, products: None, linear: None, apart: None }
    }
}

/// A product of two ciphertexts, before it is relinearized.
pub(crate) type Tensor = [Poly<Eval>; 3];

/// `times·a²` of each, before they are relinearized and rescaled: what is multiplied afterwards has a rounding that is
/// as many times as large.
pub(crate) fn squares(ring: &Ring, a: &Batch, times: u8) -> Vec<Tensor> {
    a.cts.iter().map(|a| ring.tensor_square([&a.c0, &a.c1], times)).collect()
}

/// The tensor product of two ciphertexts over the same primes, `times` times.
pub(crate) fn tensor(ring: &Ring, [a, b]: [&Rlwe; 2], times: u8) -> Tensor {
    ring.tensor([&a.c0, &a.c1], [&b.c0, &b.c1], times)
}

/// `a·b` over the same primes, relinearized and rescaled to `target`.
pub(crate) fn mul_relinearize(ring: &Ring, operands: [&Rlwe; 2], key: &SwitchingKey, target: &PrimeSet) -> Rlwe {
    key.relinearize(ring, tensor(ring, operands, 1), target)
}
