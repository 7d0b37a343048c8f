//! Polynomials as limbs.

use std::marker::PhantomData;

use zeroize::Zeroize;

use crate::{Limb, PrimeSet};

/// Coefficient representation: `limb[j]` is the coefficient of `X^j`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coeff;

/// Transform representation: `limb[i]` is the value at `ψ^(2·brv(i)+1)`; products are pointwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eval;

/// [`Coeff`] or [`Eval`].
pub trait Basis: Copy + Send + Sync + 'static {}
impl Basis for Coeff {}
impl Basis for Eval {}

/// An element of `Z_Q[X]/(X^n + 1)`: limb `k` holds the residues modulo prime `set.indices()[k]`, canonical.
#[derive(Debug, Clone)]
pub struct Poly<R: Basis> {
    pub(crate) set: PrimeSet,
    pub(crate) limbs: Vec<Limb>,
    pub(crate) basis: PhantomData<R>,
}

impl<R: Basis> Poly<R> {
    pub(crate) fn from_limbs(set: PrimeSet, limbs: Vec<Limb>) -> Self {
        debug_assert_eq!(set.len(), limbs.len());
        Self { set, limbs, basis: PhantomData }
    }

    /// The primes.
    pub fn set(&self) -> &PrimeSet {
        &self.set
    }

    /// The limbs, in the order of the set.
    pub fn limbs(&self) -> &[Limb] {
        &self.limbs
    }

    /// The limbs, in the order of the set. Residues must stay canonical.
    pub fn limbs_mut(&mut self) -> &mut [Limb] {
        &mut self.limbs
    }

    /// The limb of prime `index`.
    ///
    /// # Panics
    /// If the prime does not belong to the set.
    pub fn limb(&self, index: usize) -> &[u64] {
        let at = self.set.position(index).expect("prime belongs to the polynomial's set");
        &self.limbs[at]
    }

    /// These integers modulo a divisor of the modulus: a copy of the limbs of `set`.
    ///
    /// # Panics
    /// If `set` is not a subset.
    pub fn restricted(&self, set: &PrimeSet) -> Self {
        let limbs = set
            .indices()
            .iter()
            .map(|&i| self.limbs[self.set.position(i).expect("restricted: target primes are a subset")].clone())
            .collect();
        Self::from_limbs(set.clone(), limbs)
    }

    /// Bytes held by the limbs.
    pub fn nbytes(&self) -> usize {
        self.limbs.iter().map(|l| 8 * l.len()).sum()
    }
}

/// Overwrites every residue with zero. A secret polynomial belongs in a [`zeroize::Zeroizing`], which does so also
/// where work is left in the middle.
impl<R: Basis> Zeroize for Poly<R> {
    fn zeroize(&mut self) {
        for limb in &mut self.limbs {
            limb[..].zeroize();
        }
    }
}
