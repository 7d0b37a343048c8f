//! Changes of modulus: conversions between sets of primes, digits with more primes, division by part of the modulus.

use std::collections::HashMap;

use everlevel_ring::{PrimeSet, Ring};

use crate::residues::Table;
use crate::{Device, DeviceLimb, DevicePoly, Error, Operands, Residues, Scaling, Transform};

/// Targets that a thread makes together: `TARGETS_TOGETHER` of sums.h.
const TARGETS_TOGETHER: usize = 4;

/// The limbs of a conversion of integers from one set of primes to another, as
/// [`everlevel_math::BasisConverter::convert`].
#[derive(Debug, Clone)]
pub struct Conversion<'a> {
    /// The primes of the sources, at most 60.
    pub from: &'a PrimeSet,
    /// The primes of the targets.
    pub to: &'a PrimeSet,
    /// The residues that are converted, in coefficient representation, times the converter's scales.
    pub sources: Vec<DeviceLimb>,
    /// The results, each another limb than all sources.
    pub targets: Vec<DeviceLimb>,
}

/// For each target `t`, `D/d_j mod t` for each source, then `−D mod t`, where `D = ∏ d_j`; and `1/d_j`.
fn weights_of(ring: &Ring, from: &PrimeSet, to: &PrimeSet) -> (Vec<u64>, Vec<f64>) {
    let mut weights = Vec::with_capacity(to.len() * (from.len() + 1));
    for &t in to.indices() {
        for &j in from.indices() {
            weights.push(ring.product_mod(&from.difference(&PrimeSet::new([j])), t));
        }
        weights.push(ring.modulus(t).neg(ring.product_mod(from, t)));
    }
    (weights, from.indices().iter().map(|&j| 1.0 / ring.modulus(j).q() as f64).collect())
}

impl<D: Device> Residues<'_, D> {
    /// Conversions between sets of primes.
    ///
    /// # Errors
    /// That of the device.
    ///
    /// # Panics
    /// If a conversion's limbs are not one for each prime, or it has no source, or more than 60.
    pub fn convert(&mut self, conversions: &[Conversion<'_>]) -> Result<(), Error> {
        let mut known: HashMap<(&PrimeSet, &PrimeSet), [usize; 2]> = HashMap::new();
        let (mut weights, mut reciprocals): (Vec<u64>, Vec<f64>) = Default::default();
        let (mut lists, mut jobs): (Vec<u32>, Vec<u32>) = Default::default();
        for Conversion { from, to, sources, targets } in conversions {
            assert!(sources.len() == from.len() && targets.len() == to.len(), "one limb for each prime");
            assert!((1..=60).contains(&sources.len()), "conversions have 1 to 60 sources");
            let [weights_at, reciprocals_at] = *known.entry((*from, *to)).or_insert_with(|| {
                let at = [weights.len(), reciprocals.len()];
                let (w, r) = weights_of(self.ring, from, to);
                weights.extend(w);
                reciprocals.extend(r);
                at
            });
            let sources_at = lists.len();
            lists.extend(sources.iter().map(|&limb| self.word_of(limb)));
            let targets: Vec<(usize, DeviceLimb)> = to.indices().iter().copied().zip(targets.iter().copied()).collect();
            for (group, targets) in targets.chunks(TARGETS_TOGETHER).enumerate() {
                let first = weights_at + group * TARGETS_TOGETHER * (sources.len() + 1);
                let words = [sources_at, sources.len(), lists.len(), targets.len(), first, reciprocals_at];
                jobs.extend(words.map(|word| word as u32));
                let words = |&(prime, limb)| [self.word_of(limb), self.word_of_prime(prime)];
                lists.extend(targets.iter().flat_map(words));
            }
        }
        let [lists, weights, reciprocals] = [
            self.table(bytemuck::cast_slice(&lists))?,
            self.table(bytemuck::cast_slice(&weights))?,
            self.table(bytemuck::cast_slice(&reciprocals))?,
        ];
        let tables = [
            Table::Primes,
            Table::Jobs,
            Table::Of(&lists),
            Table::Of(&weights),
            Table::Of(&reciprocals),
            Table::Word(self.ring.n() as u32),
        ];
        self.run("convert", self.blocks(), (&jobs, 6), &tables)
    }

    /// The digits of polynomials over the same primes, each extended to their primes and `special`: the digits that
    /// [`Ring::mod_up`] gives.
    ///
    /// # Errors
    /// [`Error::OutOfLimbs`].
    pub fn mod_up(
        &mut self,
        all: &[&DevicePoly],
        digits: &[PrimeSet],
        special: &PrimeSet,
    ) -> Result<Vec<Vec<(usize, DevicePoly)>>, Error> {
        let Some(first) = all.first() else { return Ok(Vec::new()) };
        let full = first.set().union(special);
        let parts: Vec<(usize, PrimeSet, PrimeSet)> = digits
            .iter()
            .enumerate()
            .map(|(k, digit)| (k, digit.intersection(first.set())))
            .filter(|(_, own)| !own.is_empty())
            .map(|(k, own)| {
                let others = full.difference(&own);
                (k, own, others)
            })
            .collect();
        let mut ups = Vec::new();
        let mut sources = Vec::new();
        for a in all {
            let mut up = Vec::new();
            for (k, own, others) in &parts {
                up.push((*k, self.take(&full)?));
                sources.push((*a, own, others));
            }
            ups.push(up);
        }
        let scaled = self.scaled_sources(&sources, |_| 1)?;

        let outs = ups.iter().flatten().zip(parts.iter().cycle()).zip(&scaled);
        let (mut conversions, mut transforms, mut copies) = (Vec::new(), Vec::new(), Vec::new());
        for (((_, out), (_, own, others)), scaled) in outs {
            let targets: Vec<DeviceLimb> = others.indices().iter().map(|&i| out.limb(i)).collect();
            transforms.extend(forward_of(others, &targets));
            conversions.push(Conversion { from: own, to: others, sources: scaled.limbs().to_vec(), targets });
        }
        for (a, up) in all.iter().zip(&ups) {
            for ((_, out), (_, own, _)) in up.iter().zip(&parts) {
                let copy = |&i: &usize| Operands { to: out.limb(i), a: a.limb(i), b: a.limb(i), prime: i };
                copies.extend(own.indices().iter().map(copy));
            }
        }
        self.convert(&conversions)?;
        self.forward(&transforms)?;
        self.scaling(Scaling::Scale, &copies, &vec![1; copies.len()])?;
        Ok(ups)
    }

    /// `round(a·∏N/∏D)` of polynomials over the same primes, where `D` are the primes that `target` lacks, and `N`
    /// those that it gains: [`Ring::rescale_many`].
    ///
    /// # Errors
    /// [`Error::OutOfLimbs`].
    pub fn rescale_many(&mut self, all: Vec<DevicePoly>, target: &PrimeSet) -> Result<Vec<DevicePoly>, Error> {
        let Some(first) = all.first() else { return Ok(Vec::new()) };
        let old = first.set().clone();
        let (dropped, gained) = (old.difference(target), target.difference(&old));
        let ring = self.ring;
        let results = all.iter().map(|_| self.take(target)).collect::<Result<Vec<_>, _>>()?;
        let limbs =
            |out: &DevicePoly| out.set().indices().iter().copied().zip(out.limbs().iter().copied()).collect::<Vec<_>>();
        let (mut kept, mut new) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
        if dropped.is_empty() {
            // Without a division: primes that are gained have zeros.
            for (a, out) in all.iter().zip(&results) {
                for (prime, to) in limbs(out) {
                    let from = a.set().position(prime).map(|at| a.limbs()[at]);
                    let source = from.unwrap_or(a.limbs()[0]);
                    kept.0.push(Operands { to, a: source, b: source, prime });
                    kept.1.push(from.map_or(0, |_| ring.product_mod(&gained, prime)));
                }
            }
            self.scaling(Scaling::Scale, &kept.0, &kept.1)?;
        } else {
            let sources: Vec<_> = all.iter().map(|a| (a, &dropped, target)).collect();
            let scaled = self.scaled_sources(&sources, |i| ring.product_mod(&gained, i))?;
            let mut transforms = Vec::new();
            let mut conversions = Vec::new();
            for (out, scaled) in results.iter().zip(&scaled) {
                let (sources, targets) = (scaled.limbs().to_vec(), out.limbs().to_vec());
                transforms.extend(forward_of(target, &targets));
                conversions.push(Conversion { from: &dropped, to: target, sources, targets });
            }
            self.convert(&conversions)?;
            self.forward(&transforms)?;
            // (a·N − r)/D where the prime stays, −r/D where it is new.
            let mut grown = (Vec::new(), Vec::new());
            for (a, out) in all.iter().zip(&results) {
                for (prime, to) in limbs(out) {
                    let inverse = ring.modulus(prime).inv(ring.product_mod(&dropped, prime));
                    if let Some(at) = a.set().position(prime) {
                        let a = a.limbs()[at];
                        grown.0.push(Operands { to: a, a, b: a, prime });
                        grown.1.push(ring.product_mod(&gained, prime));
                        kept.0.push(Operands { to, a, b: to, prime });
                        kept.1.push(inverse);
                    } else {
                        new.0.push(Operands { to, a: to, b: to, prime });
                        new.1.push(ring.modulus(prime).neg(inverse));
                    }
                }
            }
            if !gained.is_empty() {
                self.scaling(Scaling::Scale, &grown.0, &grown.1)?;
            }
            self.scaling(Scaling::SubtractScale, &kept.0, &kept.1)?;
            self.scaling(Scaling::Scale, &new.0, &new.1)?;
        }
        Ok(results)
    }

    /// For each polynomial and pair of sets, its limbs over the first in coefficient representation, times the scales
    /// of the conversion to the second and `factor(prime)`.
    fn scaled_sources(
        &mut self,
        sources: &[(&DevicePoly, &PrimeSet, &PrimeSet)],
        factor: impl Fn(usize) -> u64,
    ) -> Result<Vec<DevicePoly>, Error> {
        let (mut transforms, mut constants, mut scaled) = (Vec::new(), Vec::new(), Vec::new());
        for (a, from, others) in sources {
            let out = self.take(from)?;
            let converter = self.ring.converter(from, others);
            for ((&prime, &scale), &to) in from.indices().iter().zip(converter.scale()).zip(out.limbs()) {
                transforms.push(Transform { from: a.limb(prime), to, prime });
                constants.push(self.ring.modulus(prime).mul(scale, factor(prime)));
            }
            scaled.push(out);
        }
        self.inverse_scaled(&transforms, &constants)?;
        Ok(scaled)
    }
}

/// In-place forward transforms of limbs, one for each prime of a set.
fn forward_of(set: &PrimeSet, limbs: &[DeviceLimb]) -> Vec<Transform> {
    set.indices().iter().zip(limbs).map(|(&prime, &limb)| Transform { from: limb, to: limb, prime }).collect()
}
