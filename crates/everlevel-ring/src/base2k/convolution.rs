//! Products of vectors of transforms, which are polynomials in `Y = 2^−K`: sums of several, and the three parts of a
//! tensor product, for which each block of the operands is read from memory once.

use std::ops::Range;

use everlevel_math::{SLIDING_OUTPUTS, Slide};
use rayon::prelude::*;

use super::blocks::blocks_mut;
use super::products::runs;
use super::{Module, Transform};

/// A vector of factors.
#[derive(Clone, Copy)]
enum Entry<'a> {
    /// Transforms, as they are.
    Of(&'a [&'a [u64]]),
    /// The sum of two entries of the same side and length: twice one, if they are the same.
    Sum(usize, usize),
}

/// The first factors of products, or the second ones: blocks of all entries stand one after another.
#[derive(Default)]
struct Side<'a>(Vec<(Entry<'a>, Range<usize>)>);

/// A product of two entries, by their places.
struct Pair {
    x: Range<usize>,
    y: Range<usize>,
    /// Of a square: the first place of the factors that `y` has doubled.
    once: Option<usize>,
}

/// A sum of products, less all outputs before it where it is said so.
struct Output {
    pairs: Vec<Pair>,
    less: bool,
}

impl<'a> Side<'a> {
    fn len(&self) -> usize {
        self.0.last().map_or(0, |(_, place)| place.end)
    }

    /// Adds an entry: its number.
    fn push(&mut self, module: &Module, entry: Entry<'a>) -> usize {
        let count = match entry {
            Entry::Of(limbs) => limbs.len() / module.width(),
            Entry::Sum(i, j) => {
                assert_eq!(self.0[i].1.len(), self.0[j].1.len(), "sums of as many limbs");
                self.0[i].1.len()
            }
        };
        let start = self.len();
        self.0.push((entry, start..start + count));
        self.0.len() - 1
    }

    fn place(&self, entry: usize) -> Range<usize> {
        self.0[entry].1.clone()
    }

    /// These words of one part of all entries.
    fn fill(&self, module: &Module, part: usize, words: &Range<usize>, out: &mut [u64]) {
        let len = words.len();
        for (entry, place) in &self.0 {
            let (before, out) = out.split_at_mut(place.start * len);
            let out = &mut out[..place.len() * len];
            match *entry {
                Entry::Of(limbs) => {
                    let limbs = limbs.iter().skip(part).step_by(module.width());
                    for (limb, out) in limbs.zip(out.chunks_exact_mut(len)) {
                        out.copy_from_slice(&limb[words.clone()]);
                    }
                }
                Entry::Sum(i, j) => {
                    let [a, b] = [i, j].map(|entry| self.place(entry).start * len);
                    out.copy_from_slice(&before[a..a + out.len()]);
                    module.add_words(part, out, &before[b..b + out.len()]);
                }
            }
        }
    }
}

impl Pair {
    fn product(sides: &[Side<'_>; 2], x: usize, y: usize) -> Self {
        Self { x: sides[0].place(x), y: sides[1].place(y), once: None }
    }

    /// The square of an entry, whose limbs are entry `once` of the second side, and doubled entry `twice`.
    fn square(sides: &[Side<'_>; 2], x: usize, (once, twice): (usize, usize)) -> Self {
        Self { once: Some(sides[1].place(once).start), ..Self::product(sides, x, twice) }
    }

    /// What is multiplied for these outputs.
    fn slides(&self, outputs: &Range<usize>) -> Vec<Slide> {
        let mut slides = Vec::new();
        for j in 0..self.y.len() {
            // Output k has i = k − j: in a square, i > j with twice b_j.
            let least = if self.once.is_some() { 2 * j + 1 } else { j };
            let (from, to) = (least.max(outputs.start), (self.x.len() + j).min(outputs.end));
            if from < to {
                let [x, y] = [self.x.start + from - j, self.y.start + j];
                slides.push(Slide { x, y, from: from - outputs.start, to: to - outputs.start });
            }
            if let Some(once) = self.once.filter(|_| outputs.contains(&(2 * j))) {
                let from = 2 * j - outputs.start;
                slides.push(Slide { x: self.x.start + j, y: once + j, from, to: from + 1 });
            }
        }
        slides
    }
}

impl Module {
    /// `out_k = Σ_{i + j = k + offset} a_i·b_j` of transforms, sums over several pairs `(a, b)`: the product of
    /// polynomials in `Y = 2^−K`, without its first `offset` coefficients. Squares, where `a` and `b` are the same
    /// slices, take half of the products.
    pub fn convolve(&self, out: &mut [&mut [u64]], offset: usize, pairs: &[[&[&[u64]]; 2]]) {
        let mut sides = [Side::default(), Side::default()];
        let mut products = Vec::new();
        for &[a, b] in pairs {
            let [x, y] = [(0, a), (1, b)].map(|(side, limbs)| sides[side].push(self, Entry::Of(limbs)));
            products.push(if is_same(a, b) {
                let twice = sides[1].push(self, Entry::Sum(y, y));
                Pair::square(&sides, x, (y, twice))
            } else {
                Pair::product(&sides, x, y)
            });
        }
        self.sums_of_products(&mut [out], offset, &sides, &[Output { pairs: products, less: false }]);
    }

    /// The parts `a0·b0`, `a1·b1` and `a0·b1 + a1·b0` of transforms, each without its first `offset` coefficients:
    /// those of a square where there is no `b`.
    pub(super) fn tensor(
        &self,
        out: &mut [&mut [&mut [u64]]; 3],
        offset: usize,
        a: [&[&[u64]]; 2],
        b: Option<[&[&[u64]]; 2]>,
    ) {
        let mut sides = [Side::default(), Side::default()];
        let x = a.map(|a| sides[0].push(self, Entry::Of(a)));
        let y = b.unwrap_or(a).map(|b| sides[1].push(self, Entry::Of(b)));
        let mut sum = |side: usize, i: usize, j: usize| sides[side].push(self, Entry::Sum(i, j));
        let (mut less, doubles) = (false, matches!(self.transform(), Transform::Doubles));
        let pairs = if b.is_none() {
            let twice = y.map(|y| sum(1, y, y));
            let ends = [0, 1].map(|i| Pair::square(&sides, x[i], (y[i], twice[i])));
            let [first, last] = ends;
            [vec![first], vec![last], vec![Pair::product(&sides, x[0], twice[1])]]
        } else {
            // Differences of sums would have rounding errors of their own in doubles.
            let middle = if doubles { None } else { Some([sum(0, x[0], x[1]), sum(1, y[0], y[1])]) };
            let product = |x: usize, y: usize| Pair::product(&sides, x, y);
            less = middle.is_some();
            let middle = match middle {
                Some([x, y]) => vec![product(x, y)],
                None => vec![product(x[0], y[1]), product(x[1], y[0])],
            };
            [vec![product(x[0], y[0])], vec![product(x[1], y[1])], middle]
        };
        let [first, last, middle] = pairs;
        let outputs = [(first, false), (last, false), (middle, less)].map(|(pairs, less)| Output { pairs, less });
        self.sums_of_products(out, offset, &sides, &outputs);
    }

    /// All outputs, each with as many coefficients, from the one at the offset on.
    fn sums_of_products(
        &self,
        outs: &mut [&mut [&mut [u64]]],
        offset: usize,
        sides: &[Side<'_>; 2],
        outputs: &[Output],
    ) {
        let (width, len) = (self.width(), self.block_len());
        let count = outs.first().map_or(0, |out| out.len() / width);
        assert!(outs.len() == outputs.len() && outs.iter().all(|out| out.len() == count * width));
        let tile = |first: usize| {
            let coefficients = first + offset..offset + count.min(first + SLIDING_OUTPUTS);
            let runs_of = |output: &Output| runs(output.pairs.iter().flat_map(|pair| pair.slides(&coefficients)));
            (first, outputs.iter().map(runs_of).collect::<Vec<_>>())
        };
        let tiles: Vec<_> = (0..count).step_by(SLIDING_OUTPUTS).map(tile).collect();
        let mut work: Vec<Vec<Vec<&mut [u64]>>> = (0..self.n() / len).map(|_| Vec::new()).collect();
        for out in outs {
            for (work, out) in work.iter_mut().zip(blocks_mut(out.iter_mut().map(|out| &mut **out), len)) {
                work.push(out);
            }
        }
        work.into_par_iter().enumerate().for_each(|(block, mut outs)| {
            let words = block * len..(block + 1) * len;
            let [mut x, mut y] = sides.each_ref().map(|side| vec![0; side.len() * len]);
            let (mut sums, mut rest) = (vec![0; SLIDING_OUTPUTS * len], vec![0; SLIDING_OUTPUTS * len]);
            for part in 0..width {
                sides[0].fill(self, part, &words, &mut x);
                sides[1].fill(self, part, &words, &mut y);
                for (first, runs) in &tiles {
                    for (at, (runs, output)) in runs.iter().zip(outputs).enumerate() {
                        self.slide_words(part, (&mut sums, &mut rest), runs, (&x, &y));
                        let (before, out) = outs.split_at_mut(at);
                        let places = (first * width + part..count * width).step_by(width);
                        for (place, sum) in places.zip(sums.chunks_exact_mut(len)) {
                            if output.less {
                                before.iter().for_each(|other| self.sub_words(part, sum, other[place]));
                            }
                            out[0][place].copy_from_slice(sum);
                        }
                    }
                }
            }
        });
    }
}

/// Whether both are slices of the same words.
fn is_same(a: &[&[u64]], b: &[&[u64]]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| std::ptr::eq(*a, *b))
}
