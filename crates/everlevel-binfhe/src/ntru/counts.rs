//! The ways to rotate an accumulator, with their numbers of keys, products and automorphisms.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::buckets::Buckets;
use crate::secrets::SmallSecret;

/// The rotation of an accumulator by the small secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Rotation {
    /// A product for each coefficient: `ACC += (X^a − 1)·ACC ⊡ s` for bits, and for ternary coefficients with
    /// `[s = 1] − X^(−a)·[s = −1]` in place of `s` (FINAL).
    Sequential,
    /// A product for each two bits, with encryptions of `s·t`, `s·(1 − t)` and `(1 − s)·t`.
    ThreeKeys,
    /// A product for each two bits, with encryptions of these and of `(1 − s)·(1 − t)`: less noise, and more keys.
    FourKeys,
    /// A product for each three bits, with an encryption for each value that they may have: fewer products, and more
    /// keys still.
    EightKeys,
    /// A product for each block of a secret that has a one in each: `ACC = ACC ⊡ Σ X^(a_i)·s_i` (eprint 2026/1730).
    Blocks,
    /// A product for each of `count` buckets, for a sparse binary secret: every coefficient is in two buckets, and
    /// every one is counted in one of them, each in another: `ACC = ACC ⊡ (Σ X^(a_i)·[i is here] + [none is here])`
    /// (after eprint 2026/1783).
    Buckets {
        /// The number of buckets.
        count: usize,
    },
    /// A product for each coefficient and an automorphism between any two (XZD+23).
    Automorphisms,
    /// Automorphisms in order of the exponents' logarithms, one sweep for either sign, in steps of at most `window`
    /// (LMKCDEY).
    TwoSweeps {
        /// The longest step.
        window: usize,
    },
    /// Automorphisms in order in a single sweep, with two keys for each coefficient. LLW+24's hybrid window size is
    /// taken to be this: that is our reading of the paper's abstract, whose saving of 34 % this has, too.
    OneSweep {
        /// The longest step.
        window: usize,
    },
}

impl Rotation {
    /// log2 of what exponents are multiples of: automorphisms take odd ones, less one.
    pub(super) fn log2_exponent_step(self) -> u32 {
        u32::from(self.has_automorphisms())
    }

    pub(super) fn has_automorphisms(self) -> bool {
        matches!(self, Self::Automorphisms | Self::TwoSweeps { .. } | Self::OneSweep { .. })
    }

    /// Coefficients of the small secret that a step takes, where that is a fixed number of them.
    pub(super) fn per_step(self) -> usize {
        if matches!(self, Self::ThreeKeys | Self::FourKeys) { 2 } else { 1 }
    }

    /// Bits of the small secret that a step takes together, of a rotation with a key for each value that they may have;
    /// the last step takes what is left.
    fn bits_per_step(self) -> usize {
        if self == Self::EightKeys { 3 } else { 2 }
    }

    /// The secrets that can be rotated by.
    pub(super) fn takes(self, secret: SmallSecret) -> bool {
        match self {
            Self::ThreeKeys | Self::FourKeys | Self::EightKeys => secret == SmallSecret::Binary,
            Self::Blocks => matches!(secret, SmallSecret::OneHot { .. }),
            Self::Buckets { .. } => matches!(secret, SmallSecret::Sparse { .. }),
            _ => matches!(secret, SmallSecret::Binary | SmallSecret::Ternary),
        }
    }
}

/// A rotation by a secret: what its counts depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub rotation: Rotation,
    pub secret: SmallSecret,
    /// Coefficients of the small secret.
    pub dim: usize,
    /// Degree of the ring.
    pub n: usize,
}

/// The keys of a step, one after the other, each turned by `X` to a sum of exponents.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    /// The keys' places in a stored key; one that no exponent turns is the last.
    pub keys: Vec<usize>,
    /// For each key, the coefficients whose exponents are summed.
    pub turns: Vec<Vec<usize>>,
}

impl Bundle {
    /// The exponents of a mask, below `2N`, a power of two.
    pub(super) fn exponents<'a>(&'a self, mask: &'a [u32], two_n: usize) -> impl Iterator<Item = usize> + 'a {
        self.turns.iter().map(move |turn| turn.iter().map(|&i| mask[i] as usize).sum::<usize>() & (two_n - 1))
    }
}

/// The bits that are 1 in each of some bits' values: all of them first, and none at last.
fn ones(bits: &Range<usize>) -> impl Iterator<Item = Vec<usize>> {
    let bits = bits.clone();
    (0..1usize << bits.len()).rev().map(move |value| {
        let ones = bits.clone().rev().enumerate().filter(|(place, _)| value >> place & 1 == 1);
        let mut ones: Vec<usize> = ones.map(|(_, bit)| bit).collect();
        ones.reverse();
        ones
    })
}

impl Shape {
    /// Coefficients of a one-hot block; 1 for other secrets.
    fn block(self) -> usize {
        if let SmallSecret::OneHot { block } = self.secret { block } else { 1 }
    }

    /// Coefficients that may be ±1, and not only 0 or 1.
    pub(super) fn is_signed(self) -> bool {
        self.secret == SmallSecret::Ternary
    }

    /// The buckets, of a rotation by them.
    pub(super) fn buckets(self) -> Option<Buckets> {
        if let Rotation::Buckets { count } = self.rotation { Some(Buckets::new(self.dim, count)) } else { None }
    }

    /// Keys that a step reads at most.
    pub(super) fn keys_per_step(self) -> usize {
        match self.rotation {
            Rotation::ThreeKeys => 3,
            Rotation::FourKeys => 4,
            Rotation::EightKeys => 8,
            Rotation::Blocks => self.block(),
            Rotation::Buckets { .. } => self.buckets().map_or(0, |buckets| buckets.largest()) + 1,
            Rotation::Sequential if self.is_signed() => 2,
            _ => 1,
        }
    }

    /// Vector ciphertexts of a bootstrapping key.
    pub(super) fn keys(self) -> usize {
        let dim = self.dim;
        match self.rotation {
            Rotation::Sequential if self.is_signed() => 1 + 2 * dim,
            Rotation::Sequential => 1 + dim,
            Rotation::ThreeKeys => 1 + 3 * dim / 2,
            Rotation::FourKeys | Rotation::EightKeys => self.values().map(|(bits, _)| 1 << bits.len()).sum(),
            Rotation::Blocks => dim,
            Rotation::Buckets { count } => 2 * dim + count,
            // Automorphisms by every odd number but 1.
            Rotation::Automorphisms => dim + self.n,
            Rotation::TwoSweeps { window } => dim + 2 + window,
            Rotation::OneSweep { window } => 2 * dim + 1 + window,
        }
    }

    /// The bits that steps take together, each with the place of the first key for their values.
    fn values(self) -> impl Iterator<Item = (Range<usize>, usize)> {
        let (dim, step) = (self.dim, self.rotation.bits_per_step());
        (0..dim).step_by(step).map(move |first| (first..(first + step).min(dim), (first / step) << step))
    }

    /// The bits that key `index` is for, and which of them it takes to be 1, of a rotation with keys for values.
    pub(super) fn value(self, index: usize) -> (Range<usize>, Vec<usize>) {
        let three = self.rotation == Rotation::ThreeKeys;
        let (step, index) =
            (self.rotation.bits_per_step(), if three { (index - 1) / 3 * 4 + (index - 1) % 3 } else { index });
        let (bits, first) = self.values().nth(index >> step).expect("a key of a step");
        let ones = ones(&bits).nth(index - first).expect("a key of the step");
        (bits, ones)
    }

    /// The steps of a rotation whose keys are turned by monomials; none for others.
    pub(super) fn bundles(self) -> Vec<Bundle> {
        match self.rotation {
            Rotation::ThreeKeys => {
                let of = |(i, (bits, _)): (usize, (Range<usize>, _))| Bundle {
                    keys: (1 + 3 * i..4 + 3 * i).collect(),
                    turns: ones(&bits).take(3).collect(),
                };
                self.values().enumerate().map(of).collect()
            }
            Rotation::FourKeys | Rotation::EightKeys => {
                let of = |(bits, first): (Range<usize>, usize)| Bundle {
                    keys: (first..first + (1 << bits.len())).collect(),
                    turns: ones(&bits).collect(),
                };
                self.values().map(of).collect()
            }
            Rotation::Blocks => {
                let block = self.block();
                let bundle = |first| {
                    let keys: Vec<usize> = (first + 1..first + block).chain([first]).collect();
                    Bundle { turns: keys.iter().map(|&i| vec![i]).collect(), keys }
                };
                (0..self.dim).step_by(block).map(bundle).collect()
            }
            Rotation::Buckets { .. } => {
                let mut first = 0;
                let bundle = |members: &Vec<usize>| {
                    let turns: Vec<Vec<usize>> = members.iter().map(|&i| vec![i]).chain([vec![]]).collect();
                    let keys: Vec<usize> = (first..first + turns.len()).collect();
                    first += turns.len();
                    Bundle { keys, turns }
                };
                self.buckets().iter().flat_map(|buckets| &buckets.members).map(bundle).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The keys that steps read together, in the order of steps: every key of a stored one.
    pub(super) fn groups(self) -> Vec<Vec<usize>> {
        let bundles = self.bundles().into_iter().map(|bundle| bundle.keys);
        match self.rotation {
            Rotation::Sequential | Rotation::ThreeKeys => {
                let together = self.keys_per_step();
                let keys = (1..self.keys()).step_by(together).map(|first| (first..first + together).collect());
                std::iter::once(vec![0]).chain(keys).collect()
            }
            Rotation::FourKeys | Rotation::EightKeys | Rotation::Blocks | Rotation::Buckets { .. } => bundles.collect(),
            Rotation::Automorphisms | Rotation::TwoSweeps { .. } | Rotation::OneSweep { .. } => {
                (0..self.keys()).map(|key| vec![key]).collect()
            }
        }
    }

    /// The exponents of an equivalent input: of one-hot blocks, whose coefficients sum to 1, the first exponent can be
    /// moved to the body, so that its key is not turned.
    pub(super) fn relative(self, input: &[u32]) -> Vec<u32> {
        let (mut input, two_n) = (input.to_vec(), 2 * self.n as u32);
        if self.rotation == Rotation::Blocks {
            let (body, mask) = input.split_last_mut().expect("a mask and a body");
            for block in mask.chunks_exact_mut(self.block()) {
                let first = block[0];
                *body = (*body + two_n - first) % two_n;
                block.iter_mut().for_each(|a| *a = (*a + two_n - first) % two_n);
            }
        }
        input
    }

    /// Products, and automorphisms on average. Of rotations by automorphisms of uniform exponents, a class has
    /// coefficients with probability `p`, so that gaps between such classes are geometric, and one takes
    /// `1/(1 − (1 − p)^w)` steps.
    pub(super) fn mean_steps(self) -> (f64, f64) {
        let (dim, n) = (self.dim as f64, self.n as f64);
        let sweeps = |classes: f64, window: usize| {
            let filled = 1.0 - (1.0 - 1.0 / classes).powf(dim);
            classes * filled / (1.0 - (1.0 - filled).powf(window as f64))
        };
        match self.rotation {
            Rotation::FourKeys | Rotation::EightKeys => (self.values().count() as f64, 0.0),
            Rotation::ThreeKeys => (dim / 2.0 + 1.0, 0.0),
            Rotation::Blocks => ((self.dim / self.block()) as f64, 0.0),
            Rotation::Buckets { count } => (count as f64, 0.0),
            Rotation::Sequential => (dim + 1.0, 0.0),
            Rotation::Automorphisms => (dim + 1.0, dim * (1.0 - 1.0 / n)),
            Rotation::TwoSweeps { window } => (dim + 1.0, sweeps(n, window) + 1.0),
            Rotation::OneSweep { window } => (dim + 1.0, sweeps(n / 2.0, window)),
        }
    }
}
