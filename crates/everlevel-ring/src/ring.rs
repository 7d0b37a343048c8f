//! The ring context and its element-wise operations.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use everlevel_math::{BasisConverter, GaloisMap, Modulus, Ntt};
use rayon::prelude::*;

use crate::buffer::{Limb, Pool};
use crate::device::Pointwise;
use crate::poly::any_there;
use crate::{Basis, Coeff, Eval, OutOfMemory, Poly, PrimeSet};

/// Faults of a ring's literal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A prime or the degree was refused.
    #[error(transparent)]
    Math(#[from] everlevel_math::Error),
    /// A prime was given twice.
    #[error("ring: prime {q} is given twice; a modulus is a set of primes")]
    RepeatedPrime {
        /// The prime.
        q: u64,
    },
}

/// The degree `n`, the table of primes with their transforms, and caches of derived tables.
#[derive(Debug)]
pub struct Ring {
    log_n: u32,
    ntts: Vec<Ntt>,
    pool: Arc<Pool>,
    /// Transforms of smaller degrees, by prime and log2 of the degree.
    short_ntts: Mutex<HashMap<(usize, u32), Arc<Ntt>>>,
    galois_maps: Mutex<HashMap<u64, Arc<GaloisMap>>>,
    converters: Mutex<HashMap<(PrimeSet, PrimeSet), Arc<BasisConverter>>>,
}

impl Ring {
    /// The ring of degree `2^log_n` over the given primes.
    ///
    /// # Errors
    /// A prime that is no NTT prime for this degree, or given twice.
    pub fn new(log_n: u32, primes: &[u64]) -> Result<Self, Error> {
        for (i, q) in primes.iter().enumerate() {
            if primes[..i].contains(q) {
                return Err(Error::RepeatedPrime { q: *q });
            }
        }
        let ntts = primes.par_iter().map(|&q| Ntt::new(log_n, Modulus::new(q)?)).collect::<Result<_, _>>()?;
        Ok(Self::of_transforms(log_n, ntts))
    }

    /// Bytes of the tables of a ring.
    pub fn table_nbytes(log_n: u32, prime_count: usize) -> usize {
        Ntt::table_nbytes(log_n) * prime_count
    }

    /// The ring of degree `2^log_n` over the primes of these transforms, which differ.
    pub(crate) fn of_transforms(log_n: u32, ntts: Vec<Ntt>) -> Self {
        Self {
            log_n,
            ntts,
            pool: Pool::new(1 << log_n),
            short_ntts: Mutex::default(),
            galois_maps: Mutex::default(),
            converters: Mutex::default(),
        }
    }

    /// The degree.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// log2 of the degree.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// The set of every prime.
    pub fn all_primes(&self) -> PrimeSet {
        PrimeSet::new(0..self.ntts.len())
    }

    /// Prime `index`.
    pub fn modulus(&self, index: usize) -> &Modulus {
        self.ntts[index].modulus()
    }

    /// The transform of prime `index`.
    pub fn ntt(&self, index: usize) -> &Ntt {
        &self.ntts[index]
    }

    /// log2 of the product of a set's primes.
    pub fn log2(&self, set: &PrimeSet) -> f64 {
        set.indices().iter().map(|&i| self.modulus(i).log2()).sum()
    }

    /// The product of a set's primes, as f64.
    pub fn product(&self, set: &PrimeSet) -> f64 {
        set.indices().iter().map(|&i| self.modulus(i).q() as f64).product()
    }

    /// The product of a set's primes modulo prime `index`.
    pub fn product_mod(&self, set: &PrimeSet, index: usize) -> u64 {
        let m = self.modulus(index);
        set.indices().iter().fold(1, |acc, &i| m.mul(acc, m.reduce(self.modulus(i).q())))
    }

    /// The permutation of `X ↦ X^galois_elt`.
    pub(crate) fn galois_map(&self, galois_elt: u64) -> Arc<GaloisMap> {
        let mut maps = self.galois_maps.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(maps.entry(galois_elt).or_insert_with(|| Arc::new(GaloisMap::new(self.log_n, galois_elt))))
    }

    /// The converter between two sets.
    pub fn converter(&self, from: &PrimeSet, to: &PrimeSet) -> Arc<BasisConverter> {
        let mut converters = self.converters.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = converters.entry((from.clone(), to.clone())).or_insert_with(|| {
            let moduli = |set: &PrimeSet| set.indices().iter().map(|&i| *self.modulus(i)).collect::<Vec<_>>();
            Arc::new(BasisConverter::new(&moduli(from), &moduli(to)))
        });
        Arc::clone(entry)
    }

    /// A polynomial with arbitrary contents, to be overwritten.
    pub(crate) fn uninit<R: Basis>(&self, set: &PrimeSet) -> Poly<R> {
        Poly::from_limbs(set.clone(), (0..set.len()).map(|_| self.pool.take()).collect())
    }

    /// The zero polynomial.
    pub fn zero<R: Basis>(&self, set: &PrimeSet) -> Poly<R> {
        let mut poly = self.uninit(set);
        poly.limbs_mut().par_iter_mut().for_each(|l| l.fill(0));
        poly
    }

    /// The zero polynomial where another one is: on the host, or on its device.
    pub fn zero_beside<R: Basis>(&self, other: &Poly<R>, set: &PrimeSet) -> Poly<R> {
        if other.is_there() { Poly::zero_there(other, set) } else { self.zero(set) }
    }

    /// One limb with arbitrary contents.
    pub fn scratch_limb(&self) -> crate::Limb {
        self.pool.take()
    }

    /// Has memory for `limb_count` limbs at hand, so that work that takes no more isn't refused any later.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn reserve(&self, limb_count: usize) -> Result<(), OutOfMemory> {
        self.pool.reserve(limb_count)
    }

    /// Has memory for `limb_count` limbs at hand whose pages the system has given already.
    pub fn warm(&self, limb_count: usize) {
        let mut limbs: Vec<Limb> = (0..limb_count).map(|_| self.pool.take()).collect();
        limbs.par_iter_mut().for_each(|limb| limb.fill(0));
    }

    /// Limbs in memory that nobody uses.
    pub fn free_limb_count(&self) -> usize {
        self.pool.free_count()
    }

    /// The most limbs that were in use at once since this was last asked, and those in use now: for comparing with what
    /// was foreseen.
    pub fn limb_peak(&self) -> [usize; 2] {
        self.pool.peak()
    }

    /// The polynomial with small signed coefficients.
    ///
    /// # Panics
    /// If `coeffs.len() != n`.
    pub fn from_i64(&self, set: &PrimeSet, coeffs: &[i64]) -> Poly<Coeff> {
        assert_eq!(coeffs.len(), self.n());
        let mut poly = self.uninit(set);
        self.each_limb(&mut poly, |m, limb, _| m.reduce_i64_into(limb, coeffs));
        poly
    }

    /// The polynomial with signed coefficients beyond 64 bits.
    ///
    /// # Panics
    /// If `coeffs.len() != n`.
    pub fn from_i128(&self, set: &PrimeSet, coeffs: &[i128]) -> Poly<Coeff> {
        assert_eq!(coeffs.len(), self.n());
        let mut poly = self.uninit(set);
        self.each_limb(&mut poly, |m, limb, _| {
            for (o, &c) in limb.iter_mut().zip(coeffs) {
                *o = m.reduce_i128(c);
            }
        });
        poly
    }

    /// Forward transform.
    pub fn to_eval(&self, mut a: Poly<Coeff>) -> Poly<Eval> {
        match a.is_there() {
            true => self.forward_there(&a),
            false => self.each_limb(&mut a, |_, l, i| self.ntts[i].forward(l)),
        }
        a.transformed()
    }

    /// Inverse transform.
    pub fn to_coeff(&self, mut a: Poly<Eval>) -> Poly<Coeff> {
        match a.is_there() {
            true => self.inverse_there(&a),
            false => self.each_limb(&mut a, |_, l, i| self.ntts[i].inverse(l)),
        }
        a.transformed()
    }

    /// Forward transform, modulo prime `index`, of a polynomial in powers of `X^(n/len)`, of which `values` has the
    /// `len` coefficients, a power of two from eight up to `n`: each result is the value of a whole aligned run of
    /// `n/len` indices.
    ///
    /// # Panics
    /// For another length.
    pub(crate) fn forward_short(&self, index: usize, values: &mut [u64]) {
        if values.len() == self.n() {
            return self.ntts[index].forward(values);
        }
        // A plan's root is the smallest power of its kind: those of smaller plans are its powers, since being a
        // generator does not depend on the degree.
        let log_len = values.len().ilog2();
        let plan = {
            let mut plans = self.short_ntts.lock().unwrap_or_else(PoisonError::into_inner);
            let plan = plans.entry((index, log_len)).or_insert_with(|| {
                let plan = Ntt::new(log_len, *self.modulus(index));
                Arc::new(plan.expect("a prime for a degree serves smaller ones, from eight up"))
            });
            Arc::clone(plan)
        };
        plan.forward(values);
    }

    /// Runs `f(modulus, limb, prime index)` on each limb.
    ///
    /// # Panics
    /// If the limbs are a device's.
    pub fn each_limb<R: Basis>(&self, a: &mut Poly<R>, f: impl Fn(&Modulus, &mut [u64], usize) + Sync) {
        let set = a.set.clone();
        a.limbs_mut().par_iter_mut().zip(set.indices()).for_each(|(l, &i)| f(self.modulus(i), l, i));
    }

    /// `a += b`, where `b` may have more primes.
    pub fn add_assign<R: Basis>(&self, a: &mut Poly<R>, b: &Poly<R>) {
        match any_there([&*a, b]) {
            true => self.pointwise_there(Pointwise::Add, a, None, b),
            false => self.each_limb(a, |m, l, i| m.add_assign(l, b.limb(i))),
        }
    }

    /// `a −= b`, where `b` may have more primes.
    pub fn sub_assign<R: Basis>(&self, a: &mut Poly<R>, b: &Poly<R>) {
        match any_there([&*a, b]) {
            true => self.pointwise_there(Pointwise::Subtract, a, None, b),
            false => self.each_limb(a, |m, l, i| m.sub_assign(l, b.limb(i))),
        }
    }

    /// `a = −a`.
    pub fn neg_assign<R: Basis>(&self, a: &mut Poly<R>) {
        match a.is_there() {
            true => self.scale_there(a, |m| m.neg(1)),
            false => self.each_limb(a, |m, l, _| m.neg_assign(l)),
        }
    }

    /// `a *= b`, where `b` may have more primes.
    pub fn mul_assign(&self, a: &mut Poly<Eval>, b: &Poly<Eval>) {
        match any_there([&*a, b]) {
            true => self.pointwise_there(Pointwise::Multiply, a, None, b),
            false => self.each_limb(a, |m, l, i| m.mul_assign(l, b.limb(i))),
        }
    }

    /// `acc += a·b`, where `a` and `b` may have more primes.
    pub fn mul_add_assign(&self, acc: &mut Poly<Eval>, a: &Poly<Eval>, b: &Poly<Eval>) {
        match any_there([&*acc, a, b]) {
            true => self.pointwise_there(Pointwise::MultiplyAdd, acc, Some(a), b),
            false => self.each_limb(acc, |m, l, i| m.mul_add_assign(l, a.limb(i), b.limb(i))),
        }
    }

    /// `a *= c` for an integer given by its residue at each prime.
    pub fn mul_residues_assign<R: Basis>(&self, a: &mut Poly<R>, c: impl Fn(&Modulus) -> u64 + Sync) {
        match a.is_there() {
            true => self.scale_there(a, c),
            false => self.each_limb(a, |m, l, _| m.mul_scalar_assign(l, c(m))),
        }
    }

    /// `acc += a·c` at the primes of `a`, for an integer given by its residue at each prime.
    pub fn mul_residues_add_assign<R: Basis>(
        &self,
        acc: &mut Poly<R>,
        a: &Poly<R>,
        c: impl Fn(&Modulus) -> u64 + Sync,
    ) {
        match any_there([&*acc, a]) {
            true => self.scale_add_there(acc, a, |i| c(self.modulus(i))),
            false => self.each_limb(acc, |m, l, i| {
                if a.set.contains(i) {
                    m.mul_scalar_add_assign(l, a.limb(i), c(m));
                }
            }),
        }
    }

    /// `σ(a)` for `σ: X ↦ X^galois_elt`.
    pub fn automorphism(&self, a: &Poly<Eval>, galois_elt: u64) -> Poly<Eval> {
        if a.is_there() {
            return self.automorphism_there(a, galois_elt);
        }
        let map = self.galois_map(galois_elt);
        let mut out = self.uninit(&a.set);
        self.each_limb(&mut out, |_, l, i| map.apply_into(l, a.limb(i)));
        out
    }

    /// `acc += σ(a)`; `a` may have more primes.
    pub fn automorphism_add_assign(&self, acc: &mut Poly<Eval>, a: &Poly<Eval>, galois_elt: u64) {
        if any_there([&*acc, a]) {
            return self.add_assign(acc, &self.automorphism(a, galois_elt));
        }
        let map = self.galois_map(galois_elt);
        self.each_limb(acc, |m, l, i| map.apply_add_assign(m, l, a.limb(i)));
    }

    /// The Galois element that rotates slots left by `amount` places: `5^amount mod 2n`.
    pub fn rotation_elt(&self, amount: i64) -> u64 {
        let two_n = 2 * self.n() as u64;
        let order = self.n() as i64 / 2;
        (0..amount.rem_euclid(order)).fold(1, |g, _| g * 5 % two_n)
    }

    /// The Galois element of complex conjugation: `2n − 1`.
    pub fn conjugation_elt(&self) -> u64 {
        2 * self.n() as u64 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_transforms_give_the_values_of_runs() {
        let log_n = 10;
        let primes: Vec<u64> = everlevel_math::primes::ntt_primes_below(48, log_n).take(3).collect();
        let ring = Ring::new(log_n, &primes).expect("ring");
        for log_len in 3..=log_n {
            let run = 1 << (log_n - log_len);
            for index in 0..primes.len() {
                let mut short: Vec<u64> = (0..1u64 << log_len).map(|k| k * k * 0x1234_5677 % primes[index]).collect();
                let mut long = vec![0; ring.n()];
                short.iter().enumerate().for_each(|(k, &x)| long[k * run] = x);
                ring.ntt(index).forward(&mut long);
                ring.forward_short(index, &mut short);
                assert!(long.iter().enumerate().all(|(i, x)| *x == short[i / run]), "{log_len}, prime {index}");
            }
        }
    }
}
