//! The Fourier transform between slots and coefficients, factored into a few sparse linear maps.
//!
//! CoeffsToSlots is the encoder's inverse transform without its bit reversal: butterfly layers from the widest to the
//! narrowest, taken several at a time. Merging `t` layers of half-widths `h·2^(t−1), …, 2h, h` gives a map whose
//! diagonals sit at multiples of `h` between `−(2^t − 1)·h` and `(2^t − 1)·h`; the widest group wraps around, which
//! halves their number. SlotsToCoeffs is the same from the narrowest to the widest.
//!
//! A group whose widest layer spans `B` slots has diagonals of period `B`: plaintexts in powers of `X^(n/2B)`, which
//! are stored as such.

use std::collections::BTreeMap;

use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Diagonal, LinearTransform};
use num_complex::Complex64;
use rayon::prelude::*;

use crate::Encoder;
use crate::circuits::bootstrap::method::BootstrapKeySize;

/// The places of a map's diagonals: multiples of `step`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Slots that the transform is on.
    pub slots: usize,
    /// All rotations are multiples of this.
    pub step: usize,
    /// Number of butterfly layers.
    pub layers: usize,
}

/// A linear map as diagonals: `out[k] = Σ_d diagonal_d[k]·z[k + d mod slots]`.
#[derive(Debug, Clone)]
pub struct Diagonals {
    /// The places of the diagonals.
    pub shape: Shape,
    /// One period of each, by left rotation, `0 ≤ d < slots`.
    pub by_rotation: BTreeMap<usize, Vec<Complex64>>,
    /// Slots that the widest butterfly spans: the period of the diagonals.
    pub period: usize,
    /// For maps between vectors of period `slots` and vectors of twice the length whose halves differ.
    pub upper_half: Option<UpperHalfFactor>,
}

/// The factor of the upper half of vectors of twice the length, which connects them with vectors of period `slots`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UpperHalfFactor {
    /// The map, followed by a product with `[1, …, 1, c, …, c]`.
    After(Complex64),
    /// The map after a product with `[1, …, 1, c, …, c]`. Adding the result to its rotation by `slots` gives the map of
    /// `lower half + c·upper half`.
    Before(Complex64),
}

/// The ways to split a map's rotations into baby and giant steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Steps {
    /// A key for each, hoisted.
    Hoisted(BootstrapKeySize),
    /// Multiples of one baby and one giant step, to the left.
    Left,
    /// Giant steps by few keys, to the right.
    Right,
}

/// Left rotations of a map's input and output: with `R_a` the rotation by `a`, what is computed is
/// `R_after·M·R_before^-1`. Rotations in one direction only are possible because the output may stay rotated, which
/// later maps, of the other direction, undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shift {
    /// The input's.
    pub before: i64,
    /// The output's.
    pub after: i64,
}

/// A map whose diagonals are integers: left rotations of baby and giant steps, and for each giant step the diagonal of
/// each baby step that has one. Coefficient `k` of a diagonal belongs to `X^(k·n/len)`.
#[derive(Debug)]
pub struct EncodedMap {
    pub babies: Vec<i64>,
    pub giants: Vec<i64>,
    pub diagonals: Vec<Vec<Option<Vec<i64>>>>,
}

/// Direction of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Slots hold coefficients afterwards (in bit-reversed order, times `2^layers`).
    CoeffsToSlots,
    /// Back.
    SlotsToCoeffs,
}

/// The number of layers of each CoeffsToSlots stage, first stage first; SlotsToCoeffs takes them in reverse.
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

/// The places of each stage's diagonals, in the order of application.
pub fn shapes(slots: usize, direction: Direction, stages: usize) -> Vec<Shape> {
    let mut top = slots.ilog2() as usize;
    let mut shapes: Vec<Shape> = layers_per_stage(top, stages)
        .into_iter()
        .map(|layers| {
            top -= layers;
            Shape { slots, step: 1 << top, layers }
        })
        .collect();
    if direction == Direction::SlotsToCoeffs {
        shapes.reverse();
    }
    shapes
}

/// The shift of each stage of a transform whose input is rotated by `before`, and the rotation that is left at the end
/// of what is wanted, if anything is.
pub fn shifts(shapes: &[Shape], steps: Steps, before: i64, wanted: Option<i64>) -> (Vec<Shift>, i64) {
    let mut at = before;
    let shift = |shape: &Shape| {
        let shift = shape.shift(steps, at, wanted.unwrap_or(at));
        at = shift.after;
        shift
    };
    let shifts: Vec<Shift> = shapes.iter().map(shift).collect();
    (shifts, wanted.map_or(0, |wanted| wanted - at))
}

/// The rotation that CoeffsToSlots in steps to the left leaves of its output.
pub fn reach(slots: usize, stages: usize) -> i64 {
    let down = shapes(slots, Direction::CoeffsToSlots, stages);
    down.iter().map(|shape| shape.shift(Steps::Left, 0, 0).after).sum()
}

/// The stages of a transform, in the order of their application.
pub fn stages(encoder: &Encoder, direction: Direction, stages: usize) -> Vec<Diagonals> {
    shapes(encoder.slots(), direction, stages).into_par_iter().map(|shape| merge(encoder, direction, shape)).collect()
}

/// One butterfly layer of half-width `2^k`, on one period of some multiple of its span.
fn layer(encoder: &Encoder, direction: Direction, k: usize, period: usize) -> BTreeMap<usize, Vec<Complex64>> {
    let slots = encoder.slots();
    let half = 1usize << k;
    let roots = encoder.roots(k);
    let zero = || vec![Complex64::default(); period];
    let (mut same, mut ahead, mut behind) = (zero(), zero(), zero());
    for i in 0..period {
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

fn merge(encoder: &Encoder, direction: Direction, shape: Shape) -> Diagonals {
    let slots = encoder.slots();
    let low = shape.step.ilog2() as usize;
    let group = low..low + shape.layers;
    let period = 1 << group.end;
    // The order of application within the group.
    let order: Vec<usize> = match direction {
        Direction::CoeffsToSlots => group.rev().collect(),
        Direction::SlotsToCoeffs => group.collect(),
    };
    let by_rotation = order
        .into_iter()
        .map(|k| layer(encoder, direction, k, period))
        .reduce(|first, second| {
            // (second ∘ first)[k] = Σ second_a[k]·first_b[k + a]·z[k + a + b]
            let mut product: BTreeMap<usize, Vec<Complex64>> = BTreeMap::new();
            for (a, x) in &second {
                for (b, y) in &first {
                    let sum = product.entry((a + b) % slots).or_insert_with(|| vec![Complex64::default(); period]);
                    for k in 0..period {
                        sum[k] += x[k] * y[(k + a) % period];
                    }
                }
            }
            product
        })
        // One slot: nothing to merge.
        .unwrap_or_else(|| BTreeMap::from([(0, vec![Complex64::new(1.0, 0.0); period])]));
    Diagonals { shape, by_rotation, period, upper_half: None }
}

impl Shape {
    /// Whether the widest butterfly wraps around, so that rotations by `d` and `d − slots` are one.
    fn wraps(&self) -> bool {
        self.step << self.layers == self.slots
    }

    /// The largest rotation to either side, for a map that doesn't wrap.
    fn reach(&self) -> i64 {
        (((1 << self.layers) - 1) * self.step) as i64
    }

    /// The rotations, with their signs, in ascending order.
    fn rotations(&self) -> impl Iterator<Item = i64> {
        let step = self.step as i64;
        let first = if self.wraps() { 0 } else { -self.reach() };
        (first..=self.reach()).step_by(step as usize)
    }

    /// The output's rotation that one-sided steps leave, for an input rotated by `before`: for a map that wraps, that
    /// which is nearest to `wanted` on the side of zero.
    pub fn shift(&self, steps: Steps, before: i64, wanted: i64) -> Shift {
        let after = match steps {
            Steps::Hoisted(_) => before,
            _ if self.wraps() => before + (wanted - before) / self.step as i64 * self.step as i64,
            Steps::Left => before + self.reach(),
            Steps::Right => before - self.reach(),
        };
        Shift { before, after }
    }

    /// Number of baby steps: balanced for few keys, or larger to save the giant steps' transforms. Without hoisting
    /// both cost the same, and the giant steps' roundings come after the product.
    fn baby_count(&self, steps: Steps) -> usize {
        let log2_diagonals = self.layers + usize::from(!self.wraps());
        match steps {
            Steps::Hoisted(BootstrapKeySize::Medium) => 1 << log2_diagonals.div_ceil(2),
            Steps::Hoisted(BootstrapKeySize::Large) => 1 << (log2_diagonals / 2 + 1).min(log2_diagonals),
            Steps::Left | Steps::Right => 1 << (log2_diagonals / 2),
        }
    }

    /// Splits each rotation as giant + baby: the list of baby and giant steps, as left rotations.
    pub fn steps(&self, steps: Steps) -> (Vec<i64>, Vec<i64>) {
        let (babies, step) = (self.baby_count(steps) as i64, self.step as i64);
        let span = babies * step;
        let multiples = |step: i64, count: i64| (0..count).map(|i| i * step).collect::<Vec<_>>();
        let sided = |baby: i64, giant: i64| {
            let count = self.rotations().count() as i64;
            (multiples(baby, babies), multiples(giant, (count + babies - 1) / babies))
        };
        let slots = self.slots as i64;
        match steps {
            Steps::Hoisted(_) => {
                let mut giants: Vec<i64> = self.rotations().map(|d| d.div_euclid(span) * span).collect();
                giants.dedup();
                (multiples(step, babies), giants)
            }
            Steps::Left => sided(step, span),
            // As rotation keys have them: to the left, below the number of slots.
            Steps::Right => sided(slots - step, slots - span),
        }
    }

    /// Number of diagonals.
    pub fn rotation_count(&self) -> usize {
        self.rotations().count()
    }

    /// Every nonzero rotation that needs a key.
    pub fn keys(&self, steps: Steps) -> Vec<i64> {
        let (babies, giants) = self.steps(steps);
        match steps {
            Steps::Hoisted(_) => babies.into_iter().chain(giants).filter(|&r| r != 0).collect(),
            _ => [babies.get(1), giants.get(1)].into_iter().flatten().copied().collect(),
        }
    }
}

impl Diagonals {
    /// The map applied to a plain vector: the oracle of the encrypted one.
    #[cfg(test)]
    pub fn apply(&self, z: &[Complex64]) -> Vec<Complex64> {
        let (slots, period) = (z.len(), self.period);
        let at = |k: usize| self.by_rotation.iter().map(|(d, values)| values[k % period] * z[(k + d) % slots]).sum();
        (0..slots).map(at).collect()
    }

    /// Number of different values that an encoded diagonal has.
    fn len(&self) -> usize {
        if self.upper_half.is_some() { 2 * self.shape.slots } else { self.period }
    }

    /// Encodes the map times `factor` for ciphertexts over `source`, to be rescaled to `target`.
    pub fn encode(
        &self,
        ring: &Ring,
        [source, target]: [&PrimeSet; 2],
        factor: f64,
        steps: Steps,
        shift: Shift,
    ) -> LinearTransform {
        let EncodedMap { babies, giants, diagonals } = self.encoded(ring.n(), factor, steps, shift);
        let diagonals = diagonals.into_iter().map(|row| row.into_iter().map(|d| d.map(Diagonal::new)).collect());
        let diagonals = diagonals.collect();
        LinearTransform { source: source.clone(), target: target.clone(), babies, giants, diagonals }
    }

    /// The map times `factor`, as integers.
    pub fn encoded(&self, n: usize, factor: f64, steps: Steps, shift: Shift) -> EncodedMap {
        let encoder = Encoder::<f64>::new(n, self.len());
        let (babies, giants) = self.shape.steps(steps);
        let row = |&giant: &i64| {
            let diagonal = |&baby: &i64| {
                let values = self.moved(giant, giant + baby, shift)?;
                let coeffs = encoder.to_coeffs(&values);
                Some(coeffs.into_iter().map(|c| (c * factor).round() as i64).collect())
            };
            babies.par_iter().map(diagonal).collect()
        };
        let diagonals = giants.par_iter().map(row).collect();
        EncodedMap { babies, giants, diagonals }
    }

    /// The diagonal for a rotation of the shifted input, moved back by its giant step.
    ///
    /// With `x'[k] = x[k + before]` and `y'[k] = y[k + after]`, `y[k] = Σ_d diagonal_d[k]·x[k + d]` is
    /// `y'[k] = Σ diagonal_d[k + after]·x'[k + rotation]` for `rotation = d + after − before`.
    fn moved(&self, giant: i64, rotation: i64, Shift { before, after }: Shift) -> Option<Vec<Complex64>> {
        let d = (rotation + before - after).rem_euclid(self.shape.slots as i64) as usize;
        let values = self.by_rotation.get(&d)?;
        let slots = self.shape.slots as i64;
        let upper = |at: i64| at.rem_euclid(2 * slots) >= slots;
        let value = |k: i64| {
            let at = k - giant;
            let factor = match self.upper_half {
                Some(UpperHalfFactor::After(c)) if upper(at + after) => c,
                Some(UpperHalfFactor::Before(c)) if upper(at + rotation + before) => c,
                _ => Complex64::new(1.0, 0.0),
            };
            values[(at + after).rem_euclid(self.period as i64) as usize] * factor
        };
        Some((0..self.len() as i64).map(value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slot_has_one_stage_that_does_nothing() {
        for direction in [Direction::CoeffsToSlots, Direction::SlotsToCoeffs] {
            let stages = stages(&Encoder::new(256, 1), direction, 1);
            let z = [Complex64::new(0.3, -0.7)];
            assert_eq!((stages.len(), stages[0].apply(&z)), (1, z.to_vec()));
            for steps in [Steps::Hoisted(BootstrapKeySize::Large), Steps::Left, Steps::Right] {
                assert!(stages[0].shape.keys(steps).is_empty(), "{steps:?}");
            }
        }
    }

    #[test]
    fn the_stages_compose_to_the_encoders_transform() {
        let encoder = Encoder::<f64>::new(256, 128);
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
                assert!(stage.by_rotation.values().all(|values| values.len() == stage.period));
                assert_eq!(stage.by_rotation.len(), stage.shape.rotations().count());
                for d in stage.shape.rotations() {
                    assert!(stage.by_rotation.contains_key(&(d.rem_euclid(128) as usize)), "{d}");
                }
            }
        }
    }
}
