//! The Fourier transform between slots and coefficients, factored into a few sparse linear maps.
//!
//! CoeffsToSlots is the encoder's inverse transform without its bit reversal: butterfly layers from the widest to the narrowest, taken
//! several at a time. Merging `t` layers of half-widths `h·2^(t−1), …, 2h, h` gives a map whose diagonals sit at multiples of `h` between
//! `−(2^t − 1)·h` and `(2^t − 1)·h`; the widest group wraps around, which halves their number. SlotsToCoeffs is the same from the narrowest
//! to the widest.
//!
//! A group whose widest layer spans `B` slots has diagonals of period `B`: plaintexts in powers of `X^(n/2B)`, which are stored as runs.

use std::collections::BTreeMap;

use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Diagonal, Gadget, LinearTransform};
use num_complex::Complex64;
use rayon::prelude::*;

use crate::Encoder;
use crate::bootstrap::BootstrapKeySize;

/// A linear map as diagonals: `out[k] = Σ_d diagonal_d[k]·z[k + d mod slots]`.
#[derive(Debug, Clone)]
pub struct Diagonals {
    /// Values by left rotation, `0 ≤ d < slots`; after [`Diagonals::then_halves`] or [`Diagonals::after_halves`] they are for twice the slots.
    pub by_rotation: BTreeMap<usize, Vec<Complex64>>,
    /// Slots that the transform is on.
    pub slots: usize,
    /// All rotations are multiples of this.
    pub step: usize,
    /// Slots that the widest butterfly spans: the period of the diagonals.
    pub period: usize,
    /// Number of layers.
    pub layers: usize,
}

/// Direction of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Slots hold coefficients afterwards (in bit-reversed order, times `2^layers`).
    CoeffsToSlots,
    /// Back.
    SlotsToCoeffs,
}

/// How many layers each CoeffsToSlots stage takes, first stage first; SlotsToCoeffs takes them in reverse.
pub fn layers_per_stage(layers: usize, stages: usize) -> Vec<usize> {
    let mut rest = layers;
    (0..stages)
        .map(|i| {
            let take = rest.div_ceil(stages - i);
            rest -= take;
            take
        })
        .collect()
}

/// The stages of a transform, in the order of their application.
pub fn stages(encoder: &Encoder, direction: Direction, stages: usize) -> Vec<Diagonals> {
    let mut groups = Vec::new();
    let mut top = encoder.layers();
    for take in layers_per_stage(encoder.layers(), stages) {
        groups.push(top - take..top);
        top -= take;
    }
    let mut maps: Vec<Diagonals> = groups.into_par_iter().map(|g| merge(encoder, direction, g)).collect();
    if direction == Direction::SlotsToCoeffs {
        maps.reverse();
    }
    maps
}

/// One butterfly layer of half-width `2^k`.
fn layer(encoder: &Encoder, direction: Direction, k: usize) -> BTreeMap<usize, Vec<Complex64>> {
    let slots = encoder.slots();
    let half = 1usize << k;
    let roots = encoder.roots(k);
    let zero = || vec![Complex64::default(); slots];
    let (mut same, mut ahead, mut behind) = (zero(), zero(), zero());
    for i in 0..slots {
        let j = i % half;
        let upper = i % (2 * half) >= half;
        let one = Complex64::new(1.0, 0.0);
        match (direction, upper) {
            // (u, v) ↦ (u + v, (u − v)·conj ω)
            (Direction::CoeffsToSlots, false) => (same[i], ahead[i]) = (one, one),
            (Direction::CoeffsToSlots, true) => (same[i], behind[i]) = (-roots[j].conj(), roots[j].conj()),
            // (u, v) ↦ (u + ω·v, u − ω·v)
            (Direction::SlotsToCoeffs, false) => (same[i], ahead[i]) = (one, roots[j]),
            (Direction::SlotsToCoeffs, true) => (same[i], behind[i]) = (-roots[j], one),
        }
    }
    let mut map = BTreeMap::from([(0, same)]);
    for (rotation, values) in [(half % slots, ahead), ((slots - half) % slots, behind)] {
        let sum = map.entry(rotation).or_insert_with(zero);
        for (s, v) in sum.iter_mut().zip(values) {
            *s += v;
        }
    }
    map
}

fn merge(encoder: &Encoder, direction: Direction, group: std::ops::Range<usize>) -> Diagonals {
    let slots = encoder.slots();
    let (low, count) = (group.start, group.len());
    let period = 1 << group.end;
    // The order of application within the group.
    let order: Vec<usize> = match direction {
        Direction::CoeffsToSlots => group.rev().collect(),
        Direction::SlotsToCoeffs => group.collect(),
    };
    let by_rotation = order
        .into_iter()
        .map(|k| layer(encoder, direction, k))
        .reduce(|first, second| {
            // (second ∘ first)[k] = Σ second_a[k]·first_b[k + a]·z[k + a + b]
            let mut product: BTreeMap<usize, Vec<Complex64>> = BTreeMap::new();
            for (a, x) in &second {
                for (b, y) in &first {
                    let sum = product.entry((a + b) % slots).or_insert_with(|| vec![Complex64::default(); slots]);
                    for k in 0..slots {
                        sum[k] += x[k] * y[(k + a) % slots];
                    }
                }
            }
            product
        })
        .unwrap_or_default();
    Diagonals { by_rotation, slots, step: 1 << low, period, layers: count }
}

impl Diagonals {
    /// The map applied to a plain vector: the oracle of the encrypted one.
    pub fn apply(&self, z: &[Complex64]) -> Vec<Complex64> {
        let slots = z.len();
        (0..slots).map(|k| self.by_rotation.iter().map(|(d, values)| values[k] * z[(k + d) % slots]).sum()).collect()
    }

    /// Whether the widest butterfly wraps around, so that rotations by `d` and `d − slots` are one.
    fn wraps(&self) -> bool {
        self.step << self.layers == self.slots
    }

    /// The rotation that key `d` of the map stands for, with its sign.
    fn signed(&self, d: usize) -> i64 {
        let (d, slots) = (d as i64, self.slots as i64);
        if !self.wraps() && d >= slots / 2 { d - slots } else { d }
    }

    /// The map followed by a product with `[1, …, 1, c, …, c]`: from vectors of period `slots` to vectors of twice the length, whose halves
    /// differ.
    pub fn then_halves(&self, c: Complex64) -> Self {
        self.doubled(|_, k| if k < self.slots { 1.0.into() } else { c })
    }

    /// The map after a product with `[1, …, 1, c, …, c]`, on vectors of twice the length. Adding the result to its rotation by `slots`
    /// gives the map of `lower half + c·upper half`.
    pub fn after_halves(&self, c: Complex64) -> Self {
        let slots = self.slots as i64;
        self.doubled(|d, k| if (k as i64 + d).rem_euclid(2 * slots) < slots { 1.0.into() } else { c })
    }

    fn doubled(&self, factor: impl Fn(i64, usize) -> Complex64) -> Self {
        let double = |(&d, values): (&usize, &Vec<Complex64>)| {
            let rotation = self.signed(d);
            (d, (0..2 * self.slots).map(|k| values[k % self.slots] * factor(rotation, k)).collect())
        };
        Self { by_rotation: self.by_rotation.iter().map(double).collect(), period: 2 * self.slots, ..*self }
    }

    /// Number of baby steps: balanced for few keys, or larger to save the giant steps' transforms.
    fn baby_count(&self, size: BootstrapKeySize) -> usize {
        let log2_diagonals = self.layers + usize::from(!self.wraps());
        match size {
            BootstrapKeySize::Medium => 1 << log2_diagonals.div_ceil(2),
            BootstrapKeySize::Large => 1 << (log2_diagonals / 2 + 1).min(log2_diagonals),
        }
    }

    /// Splits each rotation as giant + baby: the list of baby and giant steps, as left rotations.
    fn steps(&self, size: BootstrapKeySize) -> (Vec<i64>, Vec<i64>) {
        let babies = self.baby_count(size) as i64;
        let span = babies * self.step as i64;
        let mut giants: Vec<i64> = self.by_rotation.keys().map(|&d| self.signed(d).div_euclid(span) * span).collect();
        giants.sort_unstable();
        giants.dedup();
        ((0..babies).map(|i| i * self.step as i64).collect(), giants)
    }

    /// Every nonzero rotation that the encoded map will need.
    pub fn rotations(&self, size: BootstrapKeySize) -> Vec<i64> {
        let (babies, giants) = self.steps(size);
        babies.into_iter().chain(giants).filter(|&r| r != 0).collect()
    }

    /// Encodes the map times `factor` for ciphertexts over `source`, to be rescaled to `target`.
    pub fn encode(
        &self,
        ring: &Ring,
        encoder: &Encoder,
        [source, target]: [&PrimeSet; 2],
        gadget: &Gadget,
        factor: f64,
        size: BootstrapKeySize,
    ) -> LinearTransform {
        // Twice the transform's slots where the halves differ.
        let length = encoder.slots();
        let full = source.union(&gadget.special);
        let run = ring.n() / (2 * self.period);
        let (babies, giants) = self.steps(size);
        let diagonals = giants
            .iter()
            .map(|giant| {
                babies
                    .iter()
                    .map(|baby| {
                        let rotation = (giant + baby).rem_euclid(self.slots as i64) as usize;
                        let values = self.by_rotation.get(&rotation)?;
                        // Moved back by the giant step: diag'[k] = diag[k − giant].
                        let back = (-giant).rem_euclid(length as i64) as usize;
                        let moved: Vec<Complex64> = (0..length).map(|k| values[(k + back) % length]).collect();
                        let (coeffs, _) = encoder.encode(&moved, factor);
                        let narrow: Vec<i64> = coeffs.iter().map(|&c| c as i64).collect();
                        let poly = ring.to_eval(ring.from_i64(&full, &narrow));
                        Some(Diagonal::new(&poly, run))
                    })
                    .collect()
            })
            .collect();
        LinearTransform {
            source: source.clone(),
            target: target.clone(),
            special: gadget.special.clone(),
            babies,
            giants,
            diagonals,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stages_compose_to_the_encoders_transform() {
        let encoder = Encoder::new(256, 128);
        let z: Vec<Complex64> = (0..128).map(|i| Complex64::new((i as f64).sin(), (2.0 * i as f64).cos())).collect();
        let coeffs = encoder.to_coeffs(&z);
        for count in 1..=5 {
            let down = stages(&encoder, Direction::CoeffsToSlots, count);
            let w = down.iter().fold(z.clone(), |z, stage| stage.apply(&z));
            for (i, value) in w.iter().enumerate() {
                let at = i.reverse_bits() >> (usize::BITS - 7);
                let expected = Complex64::new(coeffs[at], coeffs[128 + at]) * 128.0;
                assert!((value - expected).norm() < 1e-9);
            }
            let up = stages(&encoder, Direction::SlotsToCoeffs, count);
            let back = up.iter().fold(w, |z, stage| stage.apply(&z));
            assert!(back.iter().zip(&z).all(|(a, b)| (a / 128.0 - b).norm() < 1e-9));
            let widest: usize = layers_per_stage(7, count)[0];
            assert_eq!(down[0].by_rotation.len(), 1 << widest);
            for stage in down.iter().chain(&up) {
                for values in stage.by_rotation.values() {
                    assert!((0..128).all(|i| (values[i] - values[i % stage.period]).norm() < 1e-12));
                }
            }
        }
    }
}
