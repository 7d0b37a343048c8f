//! Products with keys at the places of the transform: sums over digits, their factors, and sums of these.

use super::float::{Consts, Number};
use super::monomials::Points;
use super::plan::{MAX_TOGETHER, ROW, Sums};
use super::vector::Vector;

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

/// Transforms of digits, keys and their factors.
#[derive(Clone, Copy)]
pub(super) struct Products<'a, F> {
    pub rows: usize,
    /// Row `r` of accumulator `a` at `a·set + r·row`, its sum at `a·set + rows·row`.
    pub x: *mut F,
    pub row: usize,
    pub set: usize,
    pub keys: *const F,
    pub key_len: usize,
    pub key_count: usize,
    pub weights: Weights<'a>,
    /// The lanes' parts of monomials: sixteen for each accumulator of each key.
    pub lanes: *const F,
    pub points: &'a Points<F>,
    pub sums: Sums,
    /// Set where values have to be reduced before they are multiplied.
    pub reduced: bool,
}

/// Keys whose sums are made together.
const KEYS_TOGETHER: usize = 4;

impl<F: Number> Products<'_, F> {
    /// The products at `U` times sixteen places from `at` on, of `B` accumulators from `from` on. Of two times sixteen,
    /// the monomials differ by `X^n` alone, which is −1.
    ///
    /// # Safety
    /// That of [`Vector`]; rows, keys and lanes are as said.
    #[inline(always)]
    pub(super) unsafe fn multiply<V: Vector<Float = F>, const B: usize, const U: usize>(
        self,
        (from, at): (usize, usize),
        c: &Consts<V>,
    ) {
        for lane in (0..ROW).step_by(V::LANES) {
            let place = (from, at, lane);
            let mut totals = [[c.q.sub(c.q); B]; U];
            for first in (0..self.key_count).step_by(KEYS_TOGETHER) {
                // SAFETY: the caller's contract; likewise below.
                unsafe {
                    match self.key_count - first {
                        1 => self.add_keys::<V, B, U, 1>(place, first, &mut totals, c),
                        2 => self.add_keys::<V, B, U, 2>(place, first, &mut totals, c),
                        3 => self.add_keys::<V, B, U, 3>(place, first, &mut totals, c),
                        _ => self.add_keys::<V, B, U, KEYS_TOGETHER>(place, first, &mut totals, c),
                    }
                }
            }
            for u in 0..U {
                for b in 0..B {
                    let sum = (from + b) * self.set + self.rows * self.row + at + ROW * u + lane;
                    // SAFETY: as above.
                    unsafe { totals[u][b].store(self.x.add(sum)) };
                }
            }
        }
    }

    /// The exponent of a key's factor.
    #[inline(always)]
    fn exponent(&self, a: usize, key: usize) -> usize {
        match self.weights {
            Weights::One => 0,
            Weights::Monomials(all) | Weights::LessOne(all) => all[a][key],
        }
    }

    /// The sums of the products with keys from `first` on, with their factors, added to `totals`, which are reduced.
    #[inline(always)]
    unsafe fn add_keys<V: Vector<Float = F>, const B: usize, const U: usize, const K: usize>(
        &self,
        (from, at, lane): (usize, usize, usize),
        first: usize,
        totals: &mut [[V; B]; U],
        c: &Consts<V>,
    ) {
        let zero = c.q.sub(c.q);
        let less_one = matches!(self.weights, Weights::LessOne(_));
        let mut monomials = [[zero; K]; B];
        for b in 0..B {
            for k in 0..K {
                let e = self.exponent(from + b, first + k);
                if e != 0 {
                    let lanes = self.lanes.wrapping_add(ROW * (MAX_TOGETHER * (first + k) + from + b) + lane);
                    // SAFETY: as above.
                    monomials[b][k] = unsafe { self.points.monomial(e, at / ROW, lanes, c) };
                }
            }
        }
        for u in 0..U {
            let at = at + ROW * u;
            // SAFETY: as above.
            unsafe {
                let sums = self.sums::<V, B, K>((from, at, lane), first, c);
                for b in 0..B {
                    let mut total = totals[u][b];
                    for k in 0..K {
                        let e = self.exponent(from + b, first + k);
                        if e == 0 {
                            if !less_one {
                                total = total.add(sums[b][k].reduce(c));
                            }
                            continue;
                        }
                        let mut weight = monomials[b][k];
                        if u == 1 {
                            weight = weight.mul(V::splat(if e.is_multiple_of(2) { 1.0 } else { -1.0 }));
                        }
                        if less_one {
                            weight = weight.sub(V::splat(1.0));
                        }
                        total = total.add(sums[b][k].product(weight, c));
                    }
                    totals[u][b] = if matches!(self.weights, Weights::One) { total } else { total.reduce(c) };
                }
            }
        }
    }

    /// The residues of the sums with `K` keys from `first` on.
    #[inline(always)]
    unsafe fn sums<V: Vector<Float = F>, const B: usize, const K: usize>(
        &self,
        (from, at, lane): (usize, usize, usize),
        first: usize,
        c: &Consts<V>,
    ) -> [[V; K]; B] {
        // SAFETY: as above.
        unsafe {
            let start = V::splat(self.sums.start);
            let mut sums = [[[start, c.q.sub(c.q)]; K]; B];
            let mut x = self.x.cast_const().add(from * self.set + at + lane);
            let mut keys = self.keys.add(first * self.key_len + at * self.rows + lane);
            for _ in 0..self.rows {
                let mut values = [c.q; B];
                for b in 0..B {
                    values[b] = V::load(x.add(b * self.set));
                    if self.reduced {
                        values[b] = values[b].reduce(c);
                    }
                }
                for k in 0..K {
                    let key = V::load(keys.add(k * self.key_len));
                    for b in 0..B {
                        sums[b][k] = values[b].accumulate(key, sums[b][k], c);
                    }
                }
                x = x.wrapping_add(self.row);
                keys = keys.wrapping_add(ROW);
            }
            let magic = V::splat(self.sums.magic);
            let mut residues = [[c.q; K]; B];
            for b in 0..B {
                for k in 0..K {
                    residues[b][k] = V::residue(sums[b][k], [start, magic], c);
                }
            }
            residues
        }
    }
}
