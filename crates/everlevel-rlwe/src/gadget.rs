//! How a modulus is cut into digits for the half external product.

use everlevel_ring::{PrimeSet, Ring};

/// The shape of a switching key: the primes of the ciphertexts that it serves, cut into digits, and the special primes,
/// whose product `P` is divided out at the end and should exceed every digit's product by the noise bits that it is to
/// hide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gadget {
    /// The digits; their union is the key's modulus `Q`.
    pub digits: Vec<PrimeSet>,
    /// The special primes.
    pub special: PrimeSet,
}

impl Gadget {
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
        let limit = ring.log2(special) - headroom_bits;
        let mut order = set.indices().to_vec();
        order.sort_by_key(|&index| std::cmp::Reverse(ring.modulus(index).q()));
        let fewest = ((ring.log2(set) / limit).ceil().max(1.0) as usize).min(set.len());
        for count in fewest..=set.len() {
            let mut digits: Vec<(f64, Vec<usize>)> = vec![(0.0, Vec::new()); count];
            for &i in &order {
                let lightest = digits.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0));
                if let Some((bits, members)) = lightest {
                    *bits += ring.modulus(i).log2();
                    members.push(i);
                }
            }
            if count == set.len() || digits.iter().all(|(bits, _)| *bits <= limit) {
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

    /// The key's modulus without the special primes.
    pub fn ciphertext_set(&self) -> PrimeSet {
        PrimeSet::new(self.digits.iter().flat_map(|d| d.indices().iter().copied()))
    }

    /// Every prime that the key is given over: the modulus that the security claim is about.
    pub fn full_set(&self) -> PrimeSet {
        self.ciphertext_set().union(&self.special)
    }
}
