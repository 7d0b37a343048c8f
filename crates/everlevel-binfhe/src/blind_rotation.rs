//! Blind rotation: the steps that schemes implement, the rotation that takes inputs through them, and the stored keys
//! that they are made ready from.

use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use everlevel_math::monomial::{self, WrappingWord};
use everlevel_rand::Seed;
use everlevel_rlwe::Lwe;

use crate::lut::Lut;

/// A bootstrapping key ready for use, of any scheme.
pub(crate) trait BlindRotate: Debug + Send + Sync {
    /// Bytes of the key.
    fn nbytes(&self) -> usize;

    /// The stored key's bodies, where the key gives them back to the bit: `None` where its transforms round.
    fn bodies(&self) -> Option<Vec<u64>>;

    /// Inputs that one pass over the key serves: their accumulators fit a cache together.
    fn tile(&self) -> usize;

    /// For each input of a tile, `Y^(−phase)` times its table, of which the extracted LWE ciphertexts, one for each
    /// table of the input's [`Lut`], are returned. Inputs are whole vectors of exponents, mask and then body; `alone`
    /// says that no other input is waiting for the key.
    fn rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], alone: bool) -> Vec<Vec<Lwe>>;
}

/// The accumulators of a scheme and the steps that they take, which [`BlindRotation`] takes inputs through.
pub(crate) trait BlindStep: Debug + Send + Sync {
    /// A coefficient of a table.
    type Word: WrappingWord + Default;
    /// Memory of a thread's rotations: scratch, and the accumulators of a tile.
    type Memory: Debug + Send;

    /// Bytes of the accumulators of a tile: what a second-level cache of 1 MiB has room for beside the key's.
    const TILE_BYTES: usize;

    /// Bytes of the key.
    fn nbytes(&self) -> usize;

    /// As [`BlindRotate::bodies`].
    fn bodies(&self) -> Option<Vec<u64>> {
        None
    }

    /// Bytes of an accumulator.
    fn accumulator_nbytes(&self) -> usize;

    /// Memory for so many accumulators.
    fn memory(&self, tile: usize) -> Self::Memory;

    /// The exponents of an equivalent input, which steps take.
    fn exponents(&self, input: &[u32]) -> Vec<u32> {
        input.to_vec()
    }

    /// A table's coefficient, given as leading bits.
    fn word(&self, x: u64) -> Self::Word;

    /// Makes a rotated table the accumulator at a place of the tile.
    fn load(&self, memory: &mut Self::Memory, place: usize, table: &[Self::Word]);

    /// Steps of the inputs of a tile.
    fn steps(&self, inputs: &[Vec<u32>], alone: bool) -> usize;

    /// One step of all inputs, with its part of the key, while the next one's comes to a cache.
    fn step(&self, memory: &mut Self::Memory, inputs: &[Vec<u32>], step: usize, alone: bool);

    /// Coefficient `h` of the accumulator at a place of the tile.
    fn extract(&self, memory: &Self::Memory, place: usize, h: usize) -> Lwe;
}

/// Blind rotation with a transformed key: step by step of the key, all accumulators of a tile in each.
#[derive(Debug)]
pub(crate) struct BlindRotation<S: BlindStep> {
    steps: S,
    /// Memory of threads that are not in a rotation.
    free: Mutex<Vec<S::Memory>>,
}

impl<S: BlindStep> From<S> for BlindRotation<S> {
    fn from(steps: S) -> Self {
        Self { steps, free: Mutex::new(Vec::new()) }
    }
}

impl<S: BlindStep> BlindRotation<S> {
    /// `Y^(−body)` times each input's table, as accumulators.
    fn load(&self, memory: &mut S::Memory, inputs: &[Vec<u32>], luts: &[&Lut]) {
        let (mut table, mut rotated) = (Vec::new(), Vec::new());
        for (place, (input, lut)) in inputs.iter().zip(luts).enumerate() {
            table.clear();
            table.extend(lut.coeffs().iter().map(|&x| self.steps.word(x)));
            rotated.resize(table.len(), S::Word::default());
            let order = 2 * table.len();
            monomial::rotate(&mut rotated, &table, (order - input[input.len() - 1] as usize) % order);
            self.steps.load(memory, place, &rotated);
        }
    }
}

impl<S: BlindStep> BlindRotate for BlindRotation<S> {
    fn nbytes(&self) -> usize {
        self.steps.nbytes()
    }

    fn bodies(&self) -> Option<Vec<u64>> {
        self.steps.bodies()
    }

    fn tile(&self) -> usize {
        (S::TILE_BYTES / self.steps.accumulator_nbytes()).max(1)
    }

    fn rotate(&self, inputs: &[Vec<u32>], luts: &[&Lut], alone: bool) -> Vec<Vec<Lwe>> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut memory = free.unwrap_or_else(|| self.steps.memory(self.tile()));
        let inputs: Vec<Vec<u32>> = inputs.iter().map(|input| self.steps.exponents(input)).collect();
        self.load(&mut memory, &inputs, luts);
        for step in 0..self.steps.steps(&inputs, alone) {
            self.steps.step(&mut memory, &inputs, step, alone);
        }
        let extract = |(place, lut): (usize, &&Lut)| {
            lut.places().iter().map(|&h| self.steps.extract(&memory, place, h)).collect()
        };
        let out = luts.iter().enumerate().map(extract).collect();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        out
    }
}

/// One accumulator or two, each with what its step takes: exponents, or digits' polynomials.
pub(crate) enum OneOrTwo<'a, T, X> {
    One([(&'a mut [T], X); 1]),
    Two([(&'a mut [T], X); 2]),
}

/// Accumulators two at a time, so that a product reads its key once for both; each time with a part of what to bring
/// into a cache.
pub(crate) fn in_pairs<T, X: Copy, K>(
    accs: &mut [T],
    with: &[X],
    ahead: &[K],
    mut step: impl FnMut(OneOrTwo<'_, T, X>, &[K]),
) {
    let len = accs.len() / with.len();
    let part = |j: usize| j * ahead.len() / with.len();
    for (j, (accs, with)) in accs.chunks_mut(2 * len).zip(with.chunks(2)).enumerate() {
        let ahead = &ahead[part(2 * j)..part(2 * j + with.len())];
        match *with {
            [x, y] => {
                let (a, b) = accs.split_at_mut(len);
                step(OneOrTwo::Two([(a, x), (b, y)]), ahead);
            }
            _ => step(OneOrTwo::One([(accs, with[0])]), ahead),
        }
    }
}

/// A bootstrapping key as a seed and bodies.
#[derive(Debug, Clone)]
pub struct SeededBootstrapKey {
    /// The masks' seed; NTRU's rows have no masks.
    pub mask_seed: Seed,
    /// For each row, `N` leading bits.
    pub bodies: Vec<u64>,
}
