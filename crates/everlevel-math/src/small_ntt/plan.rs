//! The plan of a degree: the tables of its passes, and the ranges that they keep.
//!
//! `n = 2^4 … 2^11` coefficients are a first pass of radix `n/256` and blocks of 256, or one block of `n`. A block is
//! up to sixteen rows of sixteen values: a pass across rows, and one in each row.

use super::float::Number;
use crate::Modulus;

/// Accumulators that are taken together, at most.
pub(super) const MAX_TOGETHER: usize = 2;

/// Values of a row, and rows of a whole block.
pub(super) const ROW: usize = 16;

/// A row of a table: one or two cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line<F>(pub [F; ROW]);

/// The radix of the first pass, and the rows of each block.
pub(super) fn radices(log_n: u32) -> (usize, usize) {
    let rows = 1 << (log_n - 4).min(4);
    ((1 << log_n) / (ROW * rows), rows)
}

/// Twiddles: line 0 those of the first pass, level by level; then sixteen lines for each block, the first of them those
/// across its rows, the others a vector of the rows' twiddles for each node of a row's levels.
pub(super) fn table<F: Number>(modulus: &Modulus, log_n: u32, psi: u64) -> Vec<Line<F>> {
    let n = 1usize << log_n;
    let (radix, rows) = radices(log_n);
    let mut powers = vec![0; n];
    let mut power = 1;
    for i in 0..n {
        powers[i.reverse_bits() >> (usize::BITS - log_n)] = power;
        power = modulus.mul(power, psi);
    }
    // The twiddle of a node `k` of depth `d` is `ψ^brv(2^d + k)`; a pass has its node's, then those of its children.
    let pass = |nodes: usize, node: usize, radix: usize| -> Vec<F> {
        let levels = (0..radix.ilog2()).flat_map(|level| (0..1usize << level).map(move |child| (level, child)));
        levels.map(|(level, child)| centred(modulus, powers[((nodes + node) << level) + child])).collect()
    };
    let line = |values: Vec<F>| {
        let mut line = Line([F::default(); ROW]);
        line.0[..values.len()].copy_from_slice(&values);
        line
    };
    let mut lines = vec![line(pass(1, 0, radix))];
    for block in 0..radix {
        lines.push(line(pass(radix, block, rows)));
        let by_row: Vec<Vec<F>> = (0..rows).map(|row| pass(radix * rows, block * rows + row, ROW)).collect();
        lines.extend((0..ROW - 1).map(|i| line(by_row.iter().map(|twiddles| twiddles[i]).collect())));
    }
    lines
}

/// Residues as integers in words.
pub(super) fn words<F: Number>(residues: &[F]) -> Vec<F> {
    residues.iter().map(|x| F::from_word(x.to_integer())).collect()
}

/// A table's lines as integers in words, and behind them those of their quotients by `q`.
pub(super) fn with_quotients<F: Number>(modulus: &Modulus, lines: &[Line<F>]) -> Vec<Line<F>> {
    let integers = lines.iter().map(|line| Line(line.0.map(|x| F::from_word(x.to_integer()))));
    let quotient = |x: F| F::from_f64(x.to_f64() / modulus.q() as f64);
    integers.chain(lines.iter().map(|line| Line(line.0.map(quotient)))).collect()
}

/// The residue of least magnitude.
pub(super) fn centred<F: Number>(modulus: &Modulus, x: u64) -> F {
    F::from_integer(if x > modulus.q() / 2 { x as i64 - modulus.q() as i64 } else { x as i64 })
}

/// The constants of [`lazy levels`](super::passes::lazy_levels): the twiddles of the first two levels, and products
/// of those of different levels.
pub(super) fn lazy_table<F: Number>(modulus: &Modulus, first: &Line<F>) -> Line<F> {
    let residue = |i: usize| modulus.reduce_i64(first.0[i].to_integer());
    let mut line = *first;
    line.0[3] = centred(modulus, modulus.mul(residue(0), residue(1)));
    line.0[4] = centred(modulus, modulus.mul(residue(0), residue(2)));
    line
}

/// The constants of [`deep levels`](super::passes::deep_levels): what values 1, 3, 5 and 7 are multiplied by for each
/// of the nodes that the first two levels end with. Only for a first pass of radix 4.
pub(super) fn deep_table<F: Number>(modulus: &Modulus, lines: &[Line<F>]) -> Line<F> {
    let residue = |line: usize, i: usize| modulus.reduce_i64(lines[line].0[i].to_integer());
    let mut out = Line([F::default(); ROW]);
    if lines.len() == 1 + 4 * ROW {
        for node in 0..4 {
            let signed = |x: u64, negative: bool| if negative { modulus.neg(x) } else { x };
            let (own, first) = (residue(1 + ROW * node, 0), signed(residue(0, 0), node >= 2));
            let second = signed(residue(0, 1 + node / 2), node % 2 == 1);
            let products = [own, modulus.mul(own, second), modulus.mul(own, first)];
            let all = [products[0], products[1], products[2], modulus.mul(products[1], first)];
            for (i, &x) in all.iter().enumerate() {
                out.0[4 * node + i] = centred(modulus, x);
            }
        }
    }
    out
}

/// The reductions of a forward transform that keep its values within `F::LIMIT`: of values that are not multiplied,
/// before the pass across rows and before the one in rows; and of all values, before products with keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reductions {
    pub across: bool,
    pub within: bool,
    pub ends: bool,
}

impl Reductions {
    /// All choices, cheapest first.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..8u8).map(|bits| Self { across: bits & 1 != 0, within: bits & 2 != 0, ends: bits & 4 != 0 })
    }
}

/// The constants of sums of products, which are exact in two parts: `docs/notes/small-ntt.md`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    /// The start of the high part: its last place is the unit of that.
    pub start: f64,
    /// Added and subtracted, it rounds quotients; less the start, where that is a multiple of `q` which stays in the
    /// high part.
    pub magic: f64,
    /// The largest size of the sums' residues.
    pub bound: f64,
}

impl Sums {
    /// The constants for sums of `count` products of at most `product` each, and of `more` in the low part, if all is
    /// exact. With `stays`, the start is not taken from the high part before that is reduced: an operation less, and
    /// larger residues.
    pub(super) fn new<F: Number>(q: u64, count: usize, product: f64, more: f64, stays: bool) -> Option<Self> {
        let (count, q, places) = (count as f64, q as f64, 4.0 * F::QUOTIENTS);
        let power = |x: f64| x.log2().ceil().exp2();
        let sum = 1.01 * count * product;
        // A multiple of `q` is within `q/places` of the middle of the numbers with the same last place.
        let range = power(sum / if stays { 0.5 - q / places } else { 0.5 }).max(places);
        let unit = 2.0 * range / places;
        let start = if stays { q * (0.75 * places / q).round() * unit } else { 1.5 * range };
        let kept = if stays { start / q } else { 0.0 };
        let quotient = kept + sum / q;
        let coarse = power(quotient / places).max(power(sum / q / F::QUOTIENTS)).max(1.0);
        let magic = 0.75 * coarse * places - kept;
        let low = count * unit / 2.0 + more;
        let bound = q * (coarse / 2.0 + quotient / places) + low;
        let exact = bound <= F::LIMIT && F::from_f64(magic).to_f64() == magic;
        exact.then_some(Self { start, magic, bound })
    }
}

/// The constants of two sums: of keys with factors, and of products with values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bundle {
    pub keys: Sums,
    /// Set where a bundle's residues have to be reduced before they are multiplied.
    pub reduced: bool,
    pub products: Sums,
}

impl Bundle {
    /// The constants for `count` keys with factors and one without, multiplied by `rows` values up to `bound`, if all
    /// is exact.
    pub(super) fn new<F: Number>(q: u64, count: usize, rows: usize, bound: f64) -> Option<Self> {
        let half = (q / 2) as f64;
        // A factor is a product of two roots, and may have one taken from it.
        let product = half * (product_bound::<F>(q as f64, half) + 1.0);
        let keys = Sums::new::<F>(q, count, product, half, true)?;
        let sum = if count == 0 { half } else { keys.bound };
        [(false, sum), (true, half + 1.0)].into_iter().find_map(|(reduced, factor)| {
            let products = Sums::new::<F>(q, rows, bound * factor, 0.0, false)?;
            Some(Self { keys, reduced, products })
        })
    }
}

/// The bound of a product, of values up to `y`: `docs/notes/small-ntt.md`.
pub(super) fn product_bound<F: Number>(q: f64, y: f64) -> f64 {
    let quotient = y / 2.0;
    let rounding = if quotient <= F::QUOTIENTS { 0.5 } else { 1.0 };
    q * (rounding + quotient / (2.0 * F::QUOTIENTS))
}

/// The bound after the first two levels of a radix, without reductions, of values up to `x`; none if they have to be
/// exact and are not.
pub(super) fn lazy_bound<F: Number>(q: u64, radix: usize, x: f64) -> Option<f64> {
    let bound = x + if radix == 2 { 1.0 } else { 3.0 } * x * (q / 2) as f64;
    (radix >= 2 && bound <= F::LIMIT).then_some(bound)
}

/// Whether sums of [`deep levels`](super::passes::deep_levels) of values up to `x` are exact, before the last ones,
/// which are those of integers.
pub(super) fn deep<F: Number>(q: u64, radix: usize, x: f64) -> bool {
    radix == 4 && 4.0 * x * (q / 2) as f64 <= F::LIMIT
}

/// The bound of a transform's values at its end, if they are up to `bound` with `levels` of the first pass to come;
/// none if they get too large on the way.
pub(super) fn end_bound<F: Number>(q: u64, log_n: u32, (bound, levels): (f64, u32), r: Reductions) -> Option<f64> {
    let (_, rows) = radices(log_n);
    let q = q as f64;
    let mut bound = bound;
    for (levels, reduced) in [(levels, false), (rows.ilog2(), r.across), (ROW.ilog2(), r.within)] {
        for level in 0..levels {
            let kept = if reduced && level == 0 { 0.5 * q + 1.0 } else { bound };
            bound = kept + product_bound::<F>(q, bound);
            if bound > F::LIMIT {
                return None;
            }
        }
    }
    Some(if r.ends { 0.5 * q + 1.0 } else { bound })
}
