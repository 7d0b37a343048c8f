//! Sums of automorphisms of what is still transforms: an automorphism permutes these, so that all of them go back at
//! once.

use std::mem;

use everlevel_math::GaloisMap;
use rayon::prelude::*;

use super::clear::Run;
use super::ring::Onto;
use super::{ClearSum, LimbRing, Limbs, Transform, log2_sum};
use crate::Limb;

/// log2 of the part of a product of primes that sums stay below: half, and what is left out for the last digit.
const LOG2_HALF: f64 = -1.01;

/// `Σ σ_k(x_k)`, of limbs that aren't carried yet, and of such that are.
#[derive(Debug)]
pub struct TurnedSum {
    /// None at first.
    transforms: Vec<Limb>,
    /// log2 of a bound of the coefficients that these stand for.
    log2_size: f64,
    carried: Option<Limbs>,
}

impl Default for TurnedSum {
    fn default() -> Self {
        Self { transforms: Vec::new(), log2_size: f64::NEG_INFINITY, carried: None }
    }
}

impl TurnedSum {
    /// Adds `σ(sum)`, for the automorphism `X ↦ X^galois_elt`.
    ///
    /// # Panics
    /// If the element is even, or sums differ in precision.
    pub fn add(&mut self, ring: &LimbRing, sum: ClearSum, galois_elt: u64) {
        let module = ring.module();
        let (log_n, width) = (module.n().ilog2(), module.width());
        let map = (galois_elt != 1).then(|| GaloisMap::new(log_n, galois_elt));
        for Run { transforms, log2_size } in sum.0 {
            let limbs = transforms.len() / width;
            let turned = |map: &GaloisMap| {
                let mut turned = module.scratch(transforms.len());
                turned.par_iter_mut().zip(&transforms).for_each(|(out, x)| map.apply_into(out, x));
                turned
            };
            match &map {
                Some(map) if !self.transforms.is_empty() && self.has_room(ring, log2_size) => {
                    assert_eq!(self.transforms.len(), transforms.len(), "sums of one precision");
                    let each = self.transforms.par_iter_mut().zip(&transforms).enumerate();
                    each.for_each(|(at, (sum, x))| map.apply_add_assign(module.modulus(at % width), sum, x));
                    self.log2_size = log2_sum(self.log2_size, log2_size);
                }
                Some(map) => self.add_transforms(ring, turned(map), log2_size, limbs),
                None => self.add_transforms(ring, transforms, log2_size, limbs),
            }
        }
    }

    /// Whether as much more is right modulo the primes.
    fn has_room(&self, ring: &LimbRing, log2_size: f64) -> bool {
        ring.module().transform() != Transform::Doubles
            && log2_sum(self.log2_size, log2_size) <= ring.log2_modulus() + LOG2_HALF
    }

    /// Adds transforms of a bound, of as many limbs as the others or a few more or less; the result is to have so many.
    pub(super) fn add_transforms(&mut self, ring: &LimbRing, transforms: Vec<Limb>, log2_size: f64, limbs: usize) {
        if self.transforms.is_empty() {
            (self.transforms, self.log2_size) = (transforms, log2_size);
            return;
        }
        if !self.has_room(ring, log2_size) {
            self.carry(ring, limbs);
            (self.transforms, self.log2_size) = (transforms, log2_size);
            return;
        }
        let (module, mut other) = (ring.module(), transforms);
        if other.len() > self.transforms.len() {
            mem::swap(&mut other, &mut self.transforms);
        }
        let (width, each) = (module.width(), self.transforms.par_iter_mut().zip(&other).enumerate());
        each.for_each(|(at, (sum, x))| module.modulus(at % width).add_assign(sum, x));
        self.log2_size = log2_sum(self.log2_size, log2_size);
    }

    /// Carries the transforms that there are.
    fn carry(&mut self, ring: &LimbRing, limbs: usize) {
        let mut transforms = mem::take(&mut self.transforms);
        let onto = self.carried.as_ref().map_or(Onto::Nothing, Onto::Limbs);
        self.carried = Some(ring.carried_onto(&mut transforms, limbs, onto));
        self.log2_size = f64::NEG_INFINITY;
    }

    /// The limbs, normalised.
    pub fn finish(mut self, ring: &LimbRing, limbs: usize) -> Limbs {
        if !self.transforms.is_empty() {
            self.carry(ring, limbs);
        }
        self.carried.unwrap_or_else(|| ring.zero(limbs))
    }
}

impl LimbRing {
    /// log2 of the product of primes.
    fn log2_modulus(&self) -> f64 {
        (0..self.module().width()).map(|i| self.module().modulus(i).log2()).sum()
    }

    /// log2 of a bound of the coefficients of a sum of products of limbs.
    pub(super) fn log2_products(&self, terms: usize) -> f64 {
        (terms as f64 * self.module().n() as f64).log2() + f64::from(2 * self.base().log2() - 2)
    }
}
