//! Products of digits with keys at the places of the transform: bundles of keys, digit by digit, and sums over digits.

use std::ops::Range;

use super::float::{Consts, Number};
use super::monomials::Points;
use super::plan::{Bundle, MAX_TOGETHER, ROW};
use super::vector::Vector;
use crate::prefetch::Ahead;

/// The factors of keys, for each accumulator.
#[derive(Clone, Copy)]
pub(super) enum Weights<'a> {
    /// One key, as it is.
    One,
    /// `X^e` for each key's exponent.
    Monomials([&'a [usize]; MAX_TOGETHER]),
    /// `X^e − 1`; the product is added to the accumulator.
    LessOne([&'a [usize]; MAX_TOGETHER]),
}

impl Weights<'_> {
    /// The exponent of a key's factor.
    #[inline(always)]
    fn exponent(&self, a: usize, key: usize) -> usize {
        match self {
            Self::One => 0,
            Self::Monomials(all) | Self::LessOne(all) => all[a][key],
        }
    }

    /// Whether the last key has the factor 1 for each accumulator.
    pub(super) fn ends_plain(&self) -> bool {
        match self {
            Self::One => true,
            Self::Monomials(all) => all.iter().all(|exponents| exponents.last() == Some(&0)),
            Self::LessOne(_) => false,
        }
    }
}

/// Transforms of digits, keys and their factors.
#[derive(Clone, Copy)]
pub(super) struct Products<'a, F> {
    pub rows: usize,
    /// Row `r` of accumulator `a` at `a·set + r·row`, its sum at `a·set + rows·row`.
    pub x: *mut F,
    pub row: usize,
    pub set: usize,
    /// Residues of keys, packed in bytes or in words.
    pub keys: *const u8,
    pub key_count: usize,
    pub weights: Weights<'a>,
    /// The lanes' parts of monomials: sixteen for each accumulator of each key.
    pub lanes: *const F,
    /// Room for the factors of each key.
    pub factors: *mut F,
    pub points: &'a Points<F>,
    /// Whether the last key has no factor.
    pub plain: bool,
    pub bundle: Bundle,
}

/// Keys whose factors are in registers, at most: those of three for two accumulators, of eight for one.
const FEW: usize = 8;

/// Stands for any larger number of keys, whose factors are in memory.
const MANY: usize = usize::MAX;

/// Places whose monomials differ by `X^n` alone, which is −1; of a degree too small for vectors, there are none.
const PAIR: usize = 2 * ROW;

#[inline(always)]
const fn pair<V: Vector>() -> usize {
    if V::LANES == 1 { ROW } else { PAIR }
}

/// Words for the factors of a key: those of a block's pairs of places, and of one, in two parts each.
pub(super) const FACTORS: usize = MAX_TOGETHER * 2 * (ROW * ROW / PAIR + 1) * ROW;

impl<F: Number> Products<'_, F> {
    /// Whether the factors of one accumulator's keys leave no registers for a second one's.
    #[inline(always)]
    fn fill(&self) -> bool {
        let factors = self.key_count - usize::from(self.plain);
        self.plain && matches!((factors, self.rows), (7, 4 | 5) | (8, 5))
    }

    /// Whether two accumulators are to be multiplied at once: sixteen registers don't hold the sums of both.
    #[inline(always)]
    pub(super) fn together<V: Vector>(&self) -> bool {
        (const { V::REGISTERS == 32 }) && !self.fill()
    }

    /// The products at `places`, those of a block, of `B` accumulators from `from` on.
    ///
    /// # Safety
    /// The contract of [`Vector`]; rows, keys, lanes and factors are memory of the lengths that the fields state.
    #[inline(always)]
    pub(super) unsafe fn multiply<V: Vector<Float = F>, const B: usize, const PACKED: bool>(
        self,
        from: usize,
        places: Range<usize>,
        ahead: &mut Ahead<'_, u8>,
        c: &Consts<V>,
    ) {
        // SAFETY: the caller vouches for `V`'s instructions, and for the rows, keys and lanes of a block; the number of
        // accumulators, `from + B ≤ MAX_TOGETHER`, and the constants of the key count and rows are those that the match
        // has just compared.
        unsafe {
            self.monomials::<V, B>(from, places.clone(), c);
            // Conditions that are constants come first: what they rule out isn't compiled.
            let key_count = (self.key_count - usize::from(self.plain), self.plain);
            if const { V::REGISTERS == 32 } {
                match (key_count, self.rows) {
                    ((3, true), 5) => return self.bundles::<V, B, 3, true, 5, PACKED>(from, places, ahead, c),
                    ((3, true), 6) => return self.bundles::<V, B, 3, true, 6, PACKED>(from, places, ahead, c),
                    _ => {}
                }
            }
            if const { V::REGISTERS == 32 && B == 1 } {
                match (key_count, self.rows) {
                    ((7, true), 4) => return self.bundles::<V, B, 7, true, 4, PACKED>(from, places, ahead, c),
                    ((7, true), 5) => return self.bundles::<V, B, 7, true, 5, PACKED>(from, places, ahead, c),
                    ((8, true), 5) => return self.bundles::<V, B, 8, true, 5, PACKED>(from, places, ahead, c),
                    _ => {}
                }
            }
            if const { V::REGISTERS > 0 } {
                match key_count {
                    (3, true) => return self.bundles::<V, B, 3, true, 0, PACKED>(from, places, ahead, c),
                    (3, false) => return self.bundles::<V, B, 3, false, 0, PACKED>(from, places, ahead, c),
                    _ => {}
                }
            }
            match key_count {
                (0, _) => self.bundles::<V, B, 0, true, 0, PACKED>(from, places, ahead, c),
                (_, true) => self.bundles::<V, B, MANY, true, 0, PACKED>(from, places, ahead, c),
                (_, false) => self.bundles::<V, B, MANY, false, 0, PACKED>(from, places, ahead, c),
            }
        }
    }

    /// Words from the first part of a factor to the second.
    const GAP: usize = ROW;

    /// The address of a key's monomials for an accumulator at a pair of places of the block.
    #[inline(always)]
    fn monomial(&self, a: usize, key: usize, pair: usize) -> *mut F {
        self.factors.wrapping_add(2 * ROW * ((pair * self.key_count + key) * MAX_TOGETHER + a))
    }

    /// The address of a key's factor for an accumulator at one place.
    #[inline(always)]
    fn factor(&self, a: usize, key: usize) -> *mut F {
        self.monomial(a, key, ROW * ROW / PAIR)
    }

    /// The monomials of all keys at a block's pairs of places.
    ///
    /// # Safety
    /// The contract of [`Products::multiply`].
    #[inline(always)]
    unsafe fn monomials<V: Vector<Float = F>, const B: usize>(&self, from: usize, places: Range<usize>, c: &Consts<V>) {
        for k in 0..self.key_count - usize::from(self.plain) {
            for a in from..from + B {
                let e = self.weights.exponent(a, k);
                for lane in (0..ROW).step_by(V::LANES) {
                    // SAFETY: the caller vouches for `V`'s instructions and for the lanes of every key, `ROW` words for
                    // each accumulator. `factors` has `FACTORS` words for each key: a pair of places takes `2·ROW` for
                    // each accumulator, and `GAP = ROW` lies between the parts of a factor.
                    unsafe {
                        let lanes = V::load(self.lanes.add(ROW * (MAX_TOGETHER * k + a) + lane)).factor(c);
                        for (pair, at) in places.clone().step_by(pair::<V>()).enumerate() {
                            let monomial: V = self.points.monomial(e, at / ROW, lanes, c);
                            V::store_factor(monomial.factor(c), self.monomial(a, k, pair).add(lane), Self::GAP);
                        }
                    }
                }
            }
        }
    }

    /// A key's factor for an accumulator at lanes of sixteen places of the block.
    ///
    /// # Safety
    /// The contract of [`Products::multiply`], after [`Products::monomials`] of these places.
    #[inline(always)]
    unsafe fn weight<V: Vector<Float = F>>(
        &self,
        a: usize,
        key: usize,
        (at, lane): (usize, usize),
        c: &Consts<V>,
    ) -> V::Factor {
        let turned = at % pair::<V>() != 0 && self.weights.exponent(a, key) % 2 == 1;
        // SAFETY: the caller vouches for `V`'s instructions, and `monomials` has written this pair of places for this
        // key and accumulator, both parts of each factor.
        unsafe {
            let weight = V::load_factor(self.monomial(a, key, at / pair::<V>()).add(lane), Self::GAP);
            let weight = V::signed(weight, turned);
            if matches!(self.weights, Weights::LessOne(_)) { V::less_one(weight, c) } else { weight }
        }
    }

    /// The products with `K` keys that have factors, or all, and with one that has none if `PLAIN`.
    ///
    /// # Safety
    /// The contract of [`Products::multiply`], after [`Products::monomials`]; there are so many keys and `ROWS` rows,
    /// unless 0.
    #[inline(always)]
    unsafe fn bundles<
        V: Vector<Float = F>,
        const B: usize,
        const K: usize,
        const PLAIN: bool,
        const ROWS: usize,
        const PACKED: bool,
    >(
        self,
        from: usize,
        places: Range<usize>,
        ahead: &mut Ahead<'_, u8>,
        c: &Consts<V>,
    ) {
        let zero = c.q.sub(c.q);
        let rows = if ROWS > 0 { ROWS } else { self.rows };
        let count = if K == MANY { self.key_count - usize::from(PLAIN) } else { K };
        let (all, block) = (count + usize::from(PLAIN), places.start);
        let bytes = if PACKED { F::KEY_BYTES } else { size_of::<F>() };
        // SAFETY: whoever calls this vouches for `V`'s instructions, and for a key's residues of as many lanes at `p`,
        // packed or in words.
        let load = |p: *const u8| unsafe { if PACKED { V::load_key(p) } else { V::load(p.cast()) } };
        // SAFETY: the caller vouches for `V`'s instructions; `places` is the block's, sixteen at a time, and
        // `lane + LANES ≤ ROW`. Rows and sums of an accumulator lie `row` apart in scratch, keys have `ROW` residues
        // for each row and key at these places, and what is read of `factors` has been written in the loop over keys
        // before.
        unsafe {
            let start = V::start(self.bundle.keys.start);
            let magic = V::splat(self.bundle.keys.magic);
            let products_start = V::start(self.bundle.products.start);
            let products_magic = V::splat(self.bundle.products.magic);
            for at in places.step_by(ROW) {
                ahead.step();
                for lane in (0..ROW).step_by(V::LANES) {
                    let mut few = [[zero.factor(c); FEW]; B];
                    for b in 0..B {
                        for k in 0..count {
                            let weight = self.weight::<V>(from + b, k, (at - block, lane), c);
                            if K == MANY {
                                V::store_factor(weight, self.factor(from + b, k).add(lane), Self::GAP);
                            } else {
                                few[b][k] = weight;
                            }
                        }
                    }
                    let mut sums = [[products_start, zero]; B];
                    let mut x = self.x.add(from * self.set + at + lane);
                    let mut keys = self.keys.add((at * rows * all + lane) * bytes);
                    for _ in 0..rows {
                        let last = if PLAIN { load(keys.add(count * ROW * bytes)) } else { zero };
                        let mut bundle = [[start, last]; B];
                        for k in 0..count {
                            let key = load(keys.add(k * ROW * bytes));
                            for b in 0..B {
                                let weight = if K == MANY {
                                    V::load_factor(self.factor(from + b, k).add(lane), Self::GAP)
                                } else {
                                    few[b][k]
                                };
                                bundle[b] = key.accumulate(weight, bundle[b], c);
                            }
                        }
                        for b in 0..B {
                            let mut factor = last;
                            if K > 0 {
                                factor = V::residue(bundle[b], magic, c);
                                if !V::INTEGERS && self.bundle.reduced {
                                    factor = factor.reduce(c);
                                }
                            }
                            sums[b] = V::load(x.add(b * self.set)).accumulate_once(factor, sums[b], c);
                        }
                        x = x.wrapping_add(self.row);
                        keys = keys.wrapping_add(all * ROW * bytes);
                    }
                    for b in 0..B {
                        let [high, low] = sums[b];
                        let total = V::total([high.sub(products_start), low], products_magic, c).reduce(c);
                        total.store(self.x.add((from + b) * self.set + rows * self.row + at + lane));
                    }
                }
            }
        }
    }
}
