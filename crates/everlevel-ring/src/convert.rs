//! Changes of modulus: the only operations that are not limb by limb.
//!
//! [`Ring::mod_up`] extends digits to more primes for a key switch. [`Ring::rescale`] divides by part of the modulus
//! and rounds; since it goes from any set to any other, it is the key switch's `mod_down`, the scheme's rescaling by a
//! ratio of any size, and both at once.

use std::borrow::Cow;

use everlevel_math::{BasisConverter, CONVERSION_BLOCK};
use rayon::prelude::*;

use crate::{Coeff, Eval, Limb, Poly, PrimeSet, Ring};

/// The integers that some limbs stand for, about to be converted to other primes.
///
/// A conversion runs over stretches of coefficients, each for all targets while the stretch of all sources is in cache.
/// The transforms of its results come after that, prime by prime for all polynomials, so that a prime's table of roots
/// is read once.
struct Conversion<'a> {
    converter: &'a BasisConverter,
    /// In coefficient representation, times the converter's scales.
    sources: Vec<Limb>,
    targets: Vec<Limb>,
}

/// A limb of a digit.
enum DigitLimb<'a> {
    /// In coefficient representation.
    Converted(Limb),
    Own(Limb),
    Shared(&'a [u64]),
}

/// The limbs of a polynomial that is cut into digits: each prime is of one digit.
enum OwnLimbs<'a> {
    Owned(Vec<Option<Limb>>),
    Shared(&'a Poly<Eval>),
}

impl<'a> From<Cow<'a, Poly<Eval>>> for OwnLimbs<'a> {
    fn from(a: Cow<'a, Poly<Eval>>) -> Self {
        match a {
            Cow::Owned(a) => Self::Owned(a.into_limbs().into_iter().map(Some).collect()),
            Cow::Borrowed(a) => Self::Shared(a),
        }
    }
}

impl<'a> OwnLimbs<'a> {
    fn take(&mut self, set: &PrimeSet, prime: usize) -> Option<DigitLimb<'a>> {
        match self {
            Self::Owned(limbs) => Some(DigitLimb::Own(limbs[set.position(prime)?].take()?)),
            Self::Shared(a) => Some(DigitLimb::Shared(a.limb(prime))),
        }
    }
}

impl DigitLimb<'_> {
    fn finished(self, ring: &Ring, prime: usize) -> Limb {
        match self {
            Self::Converted(mut limb) => {
                ring.ntt(prime).forward(&mut limb);
                limb
            }
            Self::Own(limb) => limb,
            Self::Shared(from) => {
                let mut limb = ring.scratch_limb();
                limb.copy_from_slice(from);
                limb
            }
        }
    }
}

/// A converter, and one stretch of its sources and targets.
type Stretch<'a> = (&'a BasisConverter, Vec<&'a [u64]>, Vec<&'a mut [u64]>);

/// A limb in transform representation that a conversion is from.
enum Source<'a> {
    Own(Limb),
    Shared(&'a [u64]),
}

impl Source<'_> {
    /// In coefficient representation, times a constant.
    fn in_coefficients(self, ring: &Ring, prime: usize, factor: u64) -> Limb {
        match self {
            Self::Own(mut limb) => {
                ring.ntt(prime).inverse_scaled(&mut limb, factor);
                limb
            }
            Self::Shared(from) => {
                let mut limb = ring.scratch_limb();
                ring.ntt(prime).inverse_scaled_into(&mut limb, from, factor);
                limb
            }
        }
    }
}

/// For each polynomial, the limbs of all primes in coefficient representation. `all` has by prime a factor, and the
/// limb of each polynomial.
fn in_coefficients(ring: &Ring, all: Vec<(usize, u64, Vec<Source<'_>>)>, count: usize) -> Vec<Vec<Limb>> {
    let of_prime = |(prime, factor, sources): (usize, u64, Vec<Source<'_>>)| {
        sources.into_iter().map(|source| source.in_coefficients(ring, prime, factor)).collect()
    };
    transposed(all.into_par_iter().map(of_prime).collect(), count)
}

impl<'a> Conversion<'a> {
    /// From limbs in coefficient representation, times the converter's scales.
    fn new(ring: &Ring, converter: &'a BasisConverter, sources: Vec<Limb>) -> Self {
        let targets = converter.to().iter().map(|_| ring.scratch_limb()).collect();
        Self { converter, sources, targets }
    }

    /// The integers modulo the targets, in coefficient representation.
    fn run(all: &mut [Self]) {
        let stretches: Vec<Stretch> = all
            .iter_mut()
            .flat_map(|Self { converter, sources, targets }| {
                let mut outs: Vec<_> = targets.iter_mut().map(|t| t.chunks_mut(CONVERSION_BLOCK)).collect();
                let mut ins: Vec<_> = sources.iter().map(|s| s.chunks(CONVERSION_BLOCK)).collect();
                let count = ins.first().map_or(0, |s| s.len());
                let stretch = move |_| {
                    let ins: Vec<&[u64]> = ins.iter_mut().filter_map(Iterator::next).collect();
                    let outs: Vec<&mut [u64]> = outs.iter_mut().filter_map(Iterator::next).collect();
                    (*converter, ins, outs)
                };
                (0..count).map(stretch)
            })
            .collect();
        stretches.into_par_iter().for_each(|(converter, ins, mut outs)| converter.convert(&mut outs, &ins));
    }
}

impl Ring {
    /// The digits of each polynomial `a` of several over the same primes, extended to `a`'s primes and `special`.
    ///
    /// Digit `k` is the integer polynomial nearest to zero that equals `a` modulo the primes of `digits[k] ∩ a.set()`;
    /// digits without such primes are left out (the index of each result's digit comes with it). So
    /// `a ≡ Σ_k digit_k·T_k` for `T_k ≡ 1` modulo the primes of digit `k` and `0` modulo the others.
    ///
    /// Cost: one inverse transform a limb, one forward transform for each digit and each prime outside it.
    pub fn mod_up(
        &self,
        all: &[&Poly<Eval>],
        digits: &[PrimeSet],
        special: &PrimeSet,
    ) -> Vec<Vec<(usize, Poly<Eval>)>> {
        self.mod_up_of(all.iter().map(|a| Cow::Borrowed(*a)).collect(), digits, special)
    }

    /// [`Ring::mod_up`], where polynomials that are owned become limbs of their digits.
    pub(crate) fn mod_up_of(
        &self,
        all: Vec<Cow<'_, Poly<Eval>>>,
        digits: &[PrimeSet],
        special: &PrimeSet,
    ) -> Vec<Vec<(usize, Poly<Eval>)>> {
        let Some(first) = all.first() else { return Vec::new() };
        if first.is_there() {
            return self.mod_up_there(&all.iter().map(|a| &**a).collect::<Vec<_>>(), digits, special);
        }
        let set = first.set.clone();
        let full = set.union(special);
        let parts: Vec<(usize, PrimeSet, PrimeSet)> = digits
            .iter()
            .enumerate()
            .map(|(k, d)| (k, d.intersection(&set)))
            .filter(|(_, own)| !own.is_empty())
            .map(|(k, own)| {
                let targets = full.difference(&own);
                (k, own, targets)
            })
            .collect();
        let converters: Vec<_> = parts.iter().map(|(_, own, targets)| self.converter(own, targets)).collect();
        let sources = parts.iter().zip(&converters).flat_map(|((_, own, _), converter)| {
            let limbs = |prime: usize| all.iter().map(move |a| Source::Shared(a.limb(prime))).collect();
            own.indices().iter().zip(converter.scale()).map(move |(&prime, &scale)| (prime, scale, limbs(prime)))
        });
        let mut conversions: Vec<Conversion> = Vec::new();
        for sources in in_coefficients(self, sources.collect(), all.len()) {
            let mut sources = sources.into_iter();
            for ((_, own, _), converter) in parts.iter().zip(&converters) {
                conversions.push(Conversion::new(self, converter, sources.by_ref().take(own.len()).collect()));
            }
        }
        Conversion::run(&mut conversions);

        // By prime, the limb of each digit of each polynomial.
        let mut by_prime: Vec<Vec<DigitLimb>> = full.indices().iter().map(|_| Vec::new()).collect();
        let (count, mut conversions) = (all.len(), conversions.into_iter());
        for a in all {
            let mut own = OwnLimbs::from(a);
            for ((_, _, targets), conversion) in parts.iter().zip(&mut conversions) {
                let mut converted = conversion.targets.into_iter();
                for (&prime, limbs) in full.indices().iter().zip(&mut by_prime) {
                    let converted = targets.contains(prime).then(|| converted.next()).flatten();
                    limbs.extend(converted.map(DigitLimb::Converted).or_else(|| own.take(&set, prime)));
                }
            }
        }
        let by_prime: Vec<Vec<Limb>> = by_prime
            .into_par_iter()
            .zip(full.indices())
            .map(|(limbs, &prime)| limbs.into_iter().map(|limb| limb.finished(self, prime)).collect())
            .collect();
        let mut polys = transposed(by_prime, count * parts.len()).into_iter();
        let mut digit =
            |(k, _, _): &(usize, _, _)| (*k, Poly::from_limbs(full.clone(), polys.next().unwrap_or_default()));
        (0..count).map(|_| parts.iter().map(&mut digit).collect()).collect()
    }

    /// `round(a·∏N/∏D)` over `target`, where `D` are the primes that `a` has and `target` lacks, and `N` those that it
    /// gains.
    ///
    /// The rounding is to the nearest integer (ties and a relative 2^-47 of the range around them go either way). With
    /// `D` empty this multiplies by `∏N`.
    ///
    /// Cost: `|D|` inverse and `|target|` forward transforms.
    pub fn rescale(&self, a: Poly<Eval>, target: &PrimeSet) -> Poly<Eval> {
        self.rescale_many(vec![a], target).pop().unwrap_or_else(|| unreachable!("one polynomial in, one out"))
    }

    /// [`Ring::rescale`] of several polynomials over the same primes.
    pub fn rescale_many(&self, all: Vec<Poly<Eval>>, target: &PrimeSet) -> Vec<Poly<Eval>> {
        let Some(first) = all.first() else { return Vec::new() };
        if first.is_there() {
            return self.rescale_many_there(all, target);
        }
        let old = first.set.clone();
        let (dropped, gained) = (old.difference(target), target.difference(&old));
        if dropped.is_empty() {
            let multiplied = |a| if gained.is_empty() { a } else { self.extend_by_product(&a, target, &gained) };
            return all.into_iter().map(multiplied).collect();
        }
        let converter = self.converter(&dropped, target);
        let count = all.len();
        let mut limbs: Vec<Vec<Option<Limb>>> =
            all.into_iter().map(|a| a.into_limbs().into_iter().map(Some).collect()).collect();
        let sources = dropped.indices().iter().zip(converter.scale()).map(|(&prime, &scale)| {
            let factor = self.modulus(prime).mul(scale, self.product_mod(&gained, prime));
            let taken = limbs.iter_mut().filter_map(|limbs| limbs[old.position(prime)?].take());
            (prime, factor, taken.map(Source::Own).collect())
        });
        let sources = in_coefficients(self, sources.collect(), count);
        let mut conversions: Vec<Conversion> =
            sources.into_iter().map(|sources| Conversion::new(self, &converter, sources)).collect();
        Conversion::run(&mut conversions);

        // By prime of the target, the limb that stays, where there is one, and the remainder, of each polynomial.
        let mut by_prime: Vec<Vec<(Option<Limb>, Limb)>> = target.indices().iter().map(|_| Vec::new()).collect();
        for (mut kept, conversion) in limbs.into_iter().zip(conversions) {
            let remainders = conversion.targets.into_iter();
            for ((limbs, &prime), remainder) in by_prime.iter_mut().zip(target.indices()).zip(remainders) {
                limbs.push((old.position(prime).and_then(|at| kept[at].take()), remainder));
            }
        }
        let by_prime: Vec<Vec<Limb>> = by_prime
            .into_par_iter()
            .zip(target.indices())
            .map(|(limbs, &i)| {
                let m = self.modulus(i);
                let inverse = m.inv(self.product_mod(&dropped, i));
                let finished = |(kept, mut remainder): (Option<Limb>, Limb)| {
                    self.ntt(i).forward(&mut remainder);
                    match kept {
                        Some(mut limb) if gained.is_empty() => {
                            m.sub_mul_scalar_assign(&mut limb, &remainder, inverse);
                            limb
                        }
                        Some(mut limb) => {
                            let factor = m.mul(self.product_mod(&gained, i), inverse);
                            m.mul_scalars_add_assign(&mut limb, &remainder, [factor, m.neg(inverse)]);
                            limb
                        }
                        None => {
                            m.mul_scalar_assign(&mut remainder, m.neg(inverse));
                            remainder
                        }
                    }
                };
                limbs.into_iter().map(finished).collect()
            })
            .collect();
        let polys = transposed(by_prime, count).into_iter();
        polys.map(|limbs| Poly::from_limbs(target.clone(), limbs)).collect()
    }

    fn extend_by_product(&self, a: &Poly<Eval>, target: &PrimeSet, gained: &PrimeSet) -> Poly<Eval> {
        let mut out = self.uninit(target);
        self.each_limb(&mut out, |m, limb, i| match a.set.position(i) {
            Some(at) => {
                m.mul_scalar_into(limb, &a.limbs()[at], self.product_mod(gained, i));
            }
            None => limb.fill(0),
        });
        out
    }

    /// The integer polynomial nearest to zero that equals `a`, over more primes: `a` must have one prime.
    ///
    /// # Panics
    /// If `a` has more than one prime.
    pub fn lift(&self, a: &Poly<Coeff>, target: &PrimeSet) -> Poly<Coeff> {
        assert_eq!(a.set.len(), 1, "lift: from one prime");
        if a.is_there() {
            return self.lift_there(a, target);
        }
        let source = self.modulus(a.set.indices()[0]).q();
        let mut out = self.uninit(target);
        self.each_limb(&mut out, |m, limb, _| {
            let wrap = m.reduce(source);
            for (o, &x) in limb.iter_mut().zip(&a.limbs()[0][..]) {
                let r = m.reduce(x);
                *o = if x > source / 2 { m.sub(r, wrap) } else { r };
            }
        });
        out
    }

    /// The coefficients nearest to zero of `a` modulo a subset of at most 124 bits of its primes, as integers.
    ///
    /// # Panics
    /// If the subset's product is above `2^124`.
    pub fn to_i128(&self, a: &Poly<Coeff>) -> Vec<i128> {
        assert!(self.log2(&a.set) < 124.0, "to_i128: modulus of at most 124 bits");
        let indices = a.set.indices();
        // Garner's mixed radix: x = r0 + q0·(r1 + q1·(…)).
        let inverses: Vec<Vec<u64>> = indices
            .iter()
            .enumerate()
            .map(|(k, &i)| {
                indices[..k].iter().map(|&j| self.modulus(i).inv(self.modulus(i).reduce(self.modulus(j).q()))).collect()
            })
            .collect();
        let modulus: i128 = indices.iter().map(|&i| i128::from(self.modulus(i).q())).product();
        (0..self.n())
            .into_par_iter()
            .map(|c| {
                let mut digits: Vec<u64> = Vec::with_capacity(indices.len());
                for (k, &i) in indices.iter().enumerate() {
                    let m = self.modulus(i);
                    let mut r = a.limbs()[k][c];
                    for (digit, inverse) in digits.iter().zip(&inverses[k]) {
                        r = m.mul(m.sub(r, m.reduce(*digit)), *inverse);
                    }
                    digits.push(r);
                }
                let x = digits
                    .iter()
                    .zip(indices)
                    .rev()
                    .fold(0i128, |acc, (&d, &i)| acc * i128::from(self.modulus(i).q()) + i128::from(d));
                if x > modulus / 2 { x - modulus } else { x }
            })
            .collect()
    }
}

/// From lists by prime to `count` lists by polynomial.
fn transposed(by_prime: Vec<Vec<Limb>>, count: usize) -> Vec<Vec<Limb>> {
    let mut by_poly: Vec<Vec<Limb>> = (0..count).map(|_| Vec::with_capacity(by_prime.len())).collect();
    for limbs in by_prime {
        by_poly.iter_mut().zip(limbs).for_each(|(poly, limb)| poly.push(limb));
    }
    by_poly
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;

    fn ring() -> Ring {
        let log_n = 4;
        let mut primes: Vec<u64> = everlevel_math::primes::ntt_primes_below(48, log_n).take(5).collect();
        primes.extend(everlevel_math::primes::ntt_primes_below(24, log_n).take(2));
        primes.extend(everlevel_math::primes::ntt_primes_below(36, log_n).take(2));
        Ring::new(log_n, &primes).expect("ring")
    }

    fn pseudo_random(ring: &Ring, set: &PrimeSet, seed: u64) -> Poly<Coeff> {
        let mut poly = ring.zero(set);
        let mut state = seed;
        for (limb, &i) in poly.limbs_mut().iter_mut().zip(set.indices()) {
            for x in limb.iter_mut() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *x = (state >> 8) % ring.modulus(i).q();
            }
        }
        poly
    }

    /// Coefficient `c` by the Chinese remainder theorem, in [0, Q).
    fn crt(ring: &Ring, a: &Poly<Coeff>, c: usize) -> (BigInt, BigInt) {
        let q: BigInt = a.set.indices().iter().map(|&i| BigInt::from(ring.modulus(i).q())).product();
        let mut x = BigInt::from(0);
        for (k, &i) in a.set.indices().iter().enumerate() {
            let qi = BigInt::from(ring.modulus(i).q());
            let rest = &q / &qi;
            let inverse = rest.modpow(&(&qi - 2), &qi);
            x += BigInt::from(a.limbs()[k][c]) * &rest * inverse;
        }
        (x % &q, q)
    }

    fn centred(x: BigInt, q: &BigInt) -> BigInt {
        if &x * 2 > *q { x - q } else { x }
    }

    #[test]
    fn rescale_is_the_nearest_integer_between_any_two_sets() {
        let ring = ring();
        let sets =
            [vec![0, 1, 2, 3, 4], vec![0, 1, 2, 5], vec![0, 1, 5, 7], vec![0, 2, 8], vec![3], vec![4, 5, 6, 7, 8]];
        for from in &sets {
            for to in &sets {
                let (from, to) = (PrimeSet::new(from.clone()), PrimeSet::new(to.clone()));
                let a = pseudo_random(&ring, &from, 7);
                let out = ring.to_coeff(ring.rescale(ring.to_eval(a.clone()), &to));
                let product =
                    |s: &PrimeSet| s.indices().iter().map(|&i| BigInt::from(ring.modulus(i).q())).product::<BigInt>();
                let d = product(&from.difference(&to));
                let gained = product(&to.difference(&from));
                for c in 0..ring.n() {
                    let (x, q) = crt(&ring, &a, c);
                    let (y, target) = crt(&ring, &out, c);
                    // round(x·N/D) modulo the target: both sides as integers, compared modulo the target's product.
                    let scaled = centred(x, &q) * &gained;
                    let two_d = &d * 2;
                    let numerator: BigInt = &scaled * 2 + &d;
                    let mut rounded: BigInt = &numerator / &two_d;
                    if numerator < BigInt::from(0) && &rounded * &two_d != numerator {
                        rounded -= 1;
                    }
                    let difference: BigInt = (rounded - y) % &target;
                    assert_eq!(difference, BigInt::from(0), "{from:?} -> {to:?}, coefficient {c}");
                }
            }
        }
    }

    #[test]
    fn digits_recompose_and_are_small() {
        let ring = ring();
        let set = PrimeSet::new([0, 1, 2, 3, 5]);
        let special = PrimeSet::new([4, 7]);
        let digits = [PrimeSet::new([0, 1]), PrimeSet::new([2, 3, 6]), PrimeSet::new([5]), PrimeSet::new([6])];
        let a = pseudo_random(&ring, &set, 3);
        let ups = ring.mod_up(&[&ring.to_eval(a.clone())], &digits, &special).remove(0);
        assert_eq!(ups.iter().map(|(k, _)| *k).collect::<Vec<_>>(), [0, 1, 2]);
        for (k, up) in ups {
            let up = ring.to_coeff(up);
            assert_eq!(up.set(), &set.union(&special));
            let own = digits[k].intersection(&set);
            let d: BigInt = own.indices().iter().map(|&i| BigInt::from(ring.modulus(i).q())).product();
            for c in 0..ring.n() {
                let (x, q) = crt(&ring, &up, c);
                let x = centred(x, &q);
                let twice: BigInt = x * 2;
                assert!(twice <= &d + 1 && -twice <= &d + 1);
                for &i in own.indices() {
                    assert_eq!(up.limb(i)[c], a.limb(i)[c]);
                }
            }
        }
    }

    #[test]
    fn integers_round_trip_through_residues() {
        let ring = ring();
        let set = PrimeSet::new([0, 5, 7]);
        let coeffs: Vec<i128> = (0..ring.n() as i128).map(|i| (i - 8) * (1 << 90) / 7 + i).collect();
        assert_eq!(ring.to_i128(&ring.from_i128(&set, &coeffs)), coeffs);
        let small: Vec<i64> = coeffs.iter().map(|c| (c >> 60) as i64).collect();
        let lifted = ring.lift(&ring.from_i64(&PrimeSet::new([0]), &small), &set);
        assert_eq!(ring.to_i128(&lifted), small.iter().map(|&c| i128::from(c)).collect::<Vec<_>>());
    }
}
