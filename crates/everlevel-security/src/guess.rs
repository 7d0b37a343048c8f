//! Guesses of a part of a secret: how many there are, how likely one of them is right, and what is left to the lattice.
//!
//! For a secret of fixed weight, `ζ` coordinates are guessed to have at most `w` nonzero ones. One-hot blocks have
//! more structure. A block of `ℓ` is guessed whole by one of `ℓ` values, without any chance to be wrong; of every
//! other block the same number of coordinates is guessed to be zero, but for at most `w` blocks whose one is among
//! them. What is left of a block, `r` coordinates, has a known sum, so that it is a vector of the root lattice
//! `A_(r−1)`: one dimension less, and the volume `√r`.

use std::f64::consts::LN_2;

use crate::SecretDistribution::OneHot;
use crate::instance::Lwe;
use crate::special::ln_binomial;

/// The lattice of a part of the secret.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rest {
    /// The lattice's dimension.
    pub dims: f64,
    /// ln of the lattice's volume.
    pub ln_vol: f64,
}

impl Rest {
    /// The lattice of `count` one-hot blocks with `len` coordinates left of each.
    fn blocks(count: f64, len: f64) -> Self {
        Self { dims: count * (len - 1.0), ln_vol: 0.5 * count * len.ln() }
    }

    /// The lattice of `coordinates` that no guess is about; of whole blocks of them, where there are blocks.
    pub(crate) fn new(lwe: &Lwe, coordinates: f64) -> Self {
        match lwe.block_len() {
            Some(len) => Self::blocks(coordinates / len, len),
            None => Self { dims: coordinates, ln_vol: 0.0 },
        }
    }
}

/// A part of the secret that is guessed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guess<'a> {
    pub lwe: &'a Lwe,
    /// The number of guessed coordinates.
    pub zeta: f64,
    /// Blocks that are guessed whole.
    whole: f64,
    /// Coordinates that are guessed of every other block.
    part: f64,
}

impl<'a> Guess<'a> {
    /// A guess about `zeta` coordinates, `part` of each block that isn't guessed whole; `None` where that is
    /// impossible.
    pub(crate) fn new(lwe: &'a Lwe, zeta: f64, part: f64) -> Option<Self> {
        let Some(len) = lwe.block_len() else {
            return (0.0..lwe.n()).contains(&zeta).then_some(Self { lwe, zeta, whole: 0.0, part: 0.0 });
        };
        let blocks = lwe.weight();
        let whole = ((zeta - blocks * part) / (len - part)).round();
        let zeta = whole * len + (blocks - whole) * part;
        (0.0..=blocks).contains(&whole).then_some(Self { lwe, zeta, whole, part })
    }

    /// The values of `part` worth trying.
    pub(crate) fn parts(lwe: &Lwe) -> Vec<f64> {
        let top = lwe.block_len().map_or(0.0, |len| len - 2.0);
        let step = (top / 16.0).ceil().max(1.0);
        (0..=16).map(|i| f64::from(i) * step).filter(|&part| part <= top).collect()
    }

    /// Blocks that aren't guessed whole.
    fn open(&self) -> f64 {
        self.lwe.weight() - self.whole
    }

    pub(crate) fn rest(&self) -> Rest {
        match self.lwe.block_len() {
            Some(len) => Rest::blocks(self.open(), len - self.part),
            None => Rest::new(self.lwe, self.lwe.n() - self.zeta),
        }
    }

    /// The number of nonzero coordinates that may be guessed, beside those of whole blocks.
    pub(crate) fn max_weight(&self) -> f64 {
        match self.lwe.block_len() {
            Some(_) if self.part == 0.0 => 0.0,
            Some(_) => self.open(),
            None => self.lwe.weight().min(self.zeta),
        }
    }

    /// log2 of the number of guesses with exactly `w` such coordinates.
    pub(crate) fn log2_candidates(&self, w: f64) -> f64 {
        let (places, values) = match self.lwe.block_len() {
            Some(len) => (self.open(), w * self.part.max(1.0).log2() + self.whole * len.log2()),
            None => (self.zeta, w * self.lwe.log2_signs()),
        };
        ln_binomial(places, w) / LN_2 + values
    }

    /// log2 of the chance that the secret has exactly `w` such coordinates.
    pub(crate) fn log2_chance(&self, w: f64) -> f64 {
        let ln_chance = match self.lwe.block_len() {
            Some(len) => {
                let (inside, open) = (self.part / len, self.open());
                let ones = if w > 0.0 { w * inside.ln() } else { 0.0 };
                ln_binomial(open, w) + ones + (open - w) * (-inside).ln_1p()
            }
            None => {
                let (n, weight) = (self.lwe.n(), self.lwe.weight());
                ln_binomial(n - self.zeta, weight - w) + ln_binomial(self.zeta, w) - ln_binomial(n, weight)
            }
        };
        ln_chance / LN_2
    }
}

impl Lwe {
    /// The length of a one-hot block.
    pub(crate) fn block_len(&self) -> Option<f64> {
        if let OneHot(blocks) = self.secret { Some(self.n() / blocks as f64) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SecretDistribution::{BinaryWeight, FixedWeight};
    use crate::special::log2_sum;

    /// Chances of all weights sum to 1, and with all weights every secret is guessed once.
    #[test]
    fn guesses_cover_every_secret() {
        for (secret, zeta, part) in [
            (FixedWeight(12), 100.0, 0.0),
            (BinaryWeight(12), 100.0, 0.0),
            (OneHot(16), 32.0, 2.0),
            (OneHot(16), 62.0, 2.0),
            (OneHot(16), 40.0, 0.0),
        ] {
            let lwe = Lwe::with_dim(128, 9.0, secret, 3.2).unwrap();
            let guess = Guess::new(&lwe, zeta, part).unwrap();
            let sum = |of: &dyn Fn(f64) -> f64| {
                (0..=guess.max_weight() as u32).map(|w| of(f64::from(w))).fold(f64::NEG_INFINITY, log2_sum)
            };
            assert!((guess.zeta - zeta).abs() < 1e-9, "{secret}: {guess:?}");
            assert!(sum(&|w| guess.log2_chance(w)).abs() < 1e-6, "{secret}: {guess:?}");
            if let Some(len) = lwe.block_len() {
                // Every open block is outside or one of `part`.
                let expected = guess.whole * len.log2() + guess.open() * (part + 1.0).log2();
                assert!((sum(&|w| guess.log2_candidates(w)) - expected).abs() < 1e-6, "{guess:?}");
                assert_eq!(guess.rest().dims, guess.open() * (len - part - 1.0));
            }
        }
        let lwe = Lwe::with_dim(128, 9.0, OneHot(16), 3.2).unwrap();
        assert_eq!(Guess::parts(&lwe), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(Guess::new(&lwe, 8.0, 2.0).is_none());
        assert_eq!(Guess::new(&lwe, 128.0, 0.0).unwrap().rest(), Rest { dims: 0.0, ln_vol: 0.0 });
        assert_eq!(Rest::new(&lwe, 128.0).dims, 112.0);
    }
}
