//! Products turned by monomials, in the transform domain: the sum that a step of a blind rotation by several bits adds.
//!
//! At a point `ζ^k` of the transform, `ζ = e^(iπ/n)`, the monomial `X^e` is `ζ^(k·e)`. With `f = X^a − 1`,
//! `g = X^b − 1` and the products `P` of the digits and three matrices, `f·P_0 + g·P_1 + f·g·P_2` is
//! `f·(P_0 + g·P_2) + g·P_1`: three multiplications of points. Of bits of which one at most is set, products vanish,
//! and the sum is `f·P_0 + g·P_1 + …`, one multiplication of points for each.
//!
//! *Parts.* Polynomials of `E·n` coefficients in `Y`, `Y^E = X`, are `E` parts of `n`, of which the `i`-th has the
//! coefficients of `Y^(E·j + i)`. With `e = E·q + r`, part `i` of `Y^e·P` is `X^q` times part `i − r` of `P`, or
//! `X^(q+1)` times part `i − r + E`: the same products of points, with parts that change places.

use std::f64::consts::PI;

use super::butterflies::mul;
use super::passes::BLOCK;
use super::products::{KeyWord, Sums, together};
use super::transform::Fft;
use super::twiddles;
use super::vector::Vector;

/// Bits of a step, at most.
pub(super) const MAX_BITS: usize = 4;

/// Parts of a polynomial, at most.
pub(super) const MAX_PARTS: usize = 16;

/// The exponents `k` of a transform's points, which are sums of one for the block and one for the lane.
#[derive(Debug, Clone)]
pub(super) struct Points {
    /// Parts of the polynomials that are turned.
    pub(super) parts: usize,
    /// `ζ^i` for `i` in `0..2n`.
    roots: Vec<(f64, f64)>,
    /// The exponent of each block's first lane.
    blocks: Vec<usize>,
    lanes: [usize; 8],
}

/// Exponents for a step's bits, with `ζ^(k·e)` for the `k` of each lane: eight real parts, eight imaginary ones.
#[derive(Debug, Clone, Copy)]
struct Powers {
    exponents: [usize; MAX_BITS],
    lanes: [[f64; BLOCK]; MAX_BITS],
}

/// The monomials of a step's bits.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// `X^q`, and `X^(q+1)` where polynomials have parts.
    powers: [Powers; 2],
    /// The number of places that the parts move by, for each bit.
    shifts: [usize; MAX_BITS],
}

impl Points {
    /// # Panics
    /// If there are more than [`MAX_PARTS`] parts.
    pub(super) fn new(fft: &Fft, parts: usize) -> Self {
        assert!(parts.is_power_of_two() && parts <= MAX_PARTS, "{parts} parts");
        let n = fft.n();
        let (mut x, mut transform) = (vec![0u32; n], vec![0.0; n]);
        x[1] = 1;
        fft.forward_torus(&mut transform, &x);
        // The transform of X has each point itself, whose angle is its exponent.
        let k: Vec<usize> = transform
            .chunks_exact(BLOCK)
            .flat_map(|block| (0..8).map(|lane| block[lane + 8].atan2(block[lane])))
            .map(|angle| (angle * n as f64 / PI).round().rem_euclid(2.0 * n as f64) as usize)
            .collect();
        let lanes = std::array::from_fn(|lane| (k[lane] + 2 * n - k[0]) % (2 * n));
        assert!((0..k.len()).all(|i| k[i] == (k[i / 8 * 8] + lanes[i % 8]) % (2 * n)), "points in bit-reversed order");
        let quadrant = twiddles::first_quadrant(n.ilog2() + 1);
        let root = |i: usize| {
            let (re, im) = quadrant[i % (n / 2)];
            [(re, im), (-im, re), (-re, -im), (im, -re)][i / (n / 2)]
        };
        let roots = (0..2 * n).map(root).collect();
        Self { parts, roots, blocks: k.into_iter().step_by(8).collect(), lanes }
    }

    /// # Panics
    /// If there are more than [`MAX_BITS`] exponents, or one isn't below `2n` for each part.
    pub(super) fn turn(&self, of_bits: &[usize]) -> Turn {
        let (order, parts) = (self.roots.len(), self.parts);
        let (mut exponents, mut shifts) = ([0; MAX_BITS], [0; MAX_BITS]);
        for (i, &exponent) in of_bits.iter().enumerate() {
            assert!(exponent < order * parts, "exponents {of_bits:?}");
            (exponents[i], shifts[i]) = (exponent / parts, exponent % parts);
        }
        let low = self.powers(exponents);
        let high = if parts > 1 { self.powers(exponents.map(|e| (e + 1) % order)) } else { low };
        Turn { powers: [low, high], shifts }
    }

    fn powers(&self, exponents: [usize; MAX_BITS]) -> Powers {
        let lanes = exponents.map(|e| {
            let mut lanes = [0.0; BLOCK];
            for (lane, k) in self.lanes.iter().enumerate() {
                (lanes[lane], lanes[lane + 8]) = self.roots[self.power(*k, e)];
            }
            lanes
        });
        Powers { exponents, lanes }
    }

    /// `k·e` modulo `2n`, a power of two.
    #[inline(always)]
    fn power(&self, k: usize, e: usize) -> usize {
        k.wrapping_mul(e) & (self.roots.len() - 1)
    }

    /// Power `i` at the lanes of a block.
    ///
    /// # Safety
    /// The contract of [`Vector`]; the block and the lanes exist.
    #[inline(always)]
    unsafe fn monomial<V: Vector>(&self, powers: &Powers, i: usize, block: usize, lane: usize) -> (V, V) {
        let (re, im) = self.roots[self.power(self.blocks[block], powers.exponents[i])];
        let lanes = powers.lanes[i].as_ptr();
        // SAFETY: the caller vouches for `V`'s instructions and for the lanes: a row of `powers` has sixteen doubles,
        // and `lane + LANES ≤ 8`.
        unsafe { mul((V::splat(re), V::splat(im)), (V::load(lanes.add(lane)), V::load(lanes.add(8 + lane)))) }
    }
}

/// `x·y + z`.
#[inline(always)]
fn mul_add<V: Vector>(x: (V, V), y: (V, V), z: (V, V)) -> (V, V) {
    (x.1.neg_mul_add(y.1, x.0.mul_add(y.0, z.0)), x.1.mul_add(y.0, x.0.mul_add(y.1, z.1)))
}

/// The sum of one column: of a pair of bits and their product if there is a matrix more than bits, else of bits of
/// which one at most is set.
#[inline(always)]
fn turned<V: Vector, const BITS: usize, const MATRICES: usize>(
    factors: [(V, V); BITS],
    sums: [(V, V); MATRICES],
) -> (V, V) {
    if MATRICES > BITS {
        let (f, g) = (factors[0], factors[1]);
        return mul_add(f, mul_add(g, sums[2], sums[0]), mul(g, sums[1]));
    }
    let mut out = mul(factors[0], sums[0]);
    for i in 1..BITS {
        out = mul_add(factors[i], sums[i], out);
    }
    out
}

/// Sums of products and monomials, as above, for `len` doubles from `start` on of polynomials `n` apart, and for the
/// set of polynomials of each turn, one or two, `set` doubles apart. `out` and `x` are at `start` already, and `key` at
/// the first matrix's words there: as for [`products::multiply`](super::products::multiply), from one matrix to the
/// next `matrix` words.
///
/// # Safety
/// The contract of [`Vector`]; the polynomials and the key have such lengths, `out` and `x` don't overlap.
#[inline(always)]
pub(super) unsafe fn multiply<V: Vector, K: KeyWord, const BITS: usize, const MATRICES: usize>(
    start: usize,
    (len, n, set): (usize, usize, usize),
    matrix: (usize, usize, usize),
    (out, x, key): (*mut f64, *const f64, *const K),
    (points, turns): (&Points, &[&Turn]),
    between: &mut impl FnMut(),
) {
    // SAFETY: the caller vouches for a set of polynomials for each turn, `set` doubles apart, of which the first branch
    // takes both and each turn of the loop takes its own.
    unsafe {
        if const { together::<V>() }
            && let &[first, second] = turns
        {
            let (data, turns) = ((out, x, key), (points, [first, second]));
            multiply_sets::<V, K, BITS, MATRICES, 2>(start, (len, n, set), matrix, data, turns, between);
            return;
        }
        for (a, &turn) in turns.iter().enumerate() {
            let (data, turns) = ((out.add(a * set), x.add(a * set), key), (points, [turn]));
            multiply_sets::<V, K, BITS, MATRICES, 1>(start, (len, n, set), matrix, data, turns, between);
        }
    }
}

/// [`multiply`] for `A` sets.
///
/// # Safety
/// The contract of [`multiply`].
#[inline(always)]
unsafe fn multiply_sets<V: Vector, K: KeyWord, const BITS: usize, const MATRICES: usize, const A: usize>(
    start: usize,
    (len, n, set): (usize, usize, usize),
    (rows, cols, matrix): (usize, usize, usize),
    (out, x, key): (*mut f64, *const f64, *const K),
    (points, turns): (&Points, [&Turn; A]),
    between: &mut impl FnMut(),
) {
    // SAFETY: the caller vouches for `V`'s instructions, which is all that `splat` asks for.
    let one = unsafe { V::splat(1.0) };
    for at in (0..len).step_by(BLOCK) {
        for lane in (0..8).step_by(V::LANES) {
            // SAFETY: the caller vouches for `V`'s instructions, for `len` doubles of each polynomial at `out` and `x`,
            // of which this block is a part, and for the key's words there in each of `MATRICES` matrices; imaginary
            // parts lie eight words behind the real ones, and `lane + LANES ≤ 8`.
            unsafe {
                let mut factors = [[(one, one); BITS]; A];
                for a in 0..A {
                    for i in 0..BITS {
                        let (re, im) = points.monomial::<V>(&turns[a].powers[0], i, (start + at) / BLOCK, lane);
                        factors[a][i] = (re.sub(one), im);
                    }
                }
                for c in 0..cols {
                    between();
                    let key = key.add(at * rows * cols + c * BLOCK + lane);
                    // The matrices' sums in this column, as columns of one matrix.
                    let (out, x) = (out.add(c * n + at + lane), x.add(at + lane));
                    let sums = Sums { rows, n, set, out, x, key_row: cols * BLOCK, key_column: matrix };
                    let sums = sums.columns::<V, K, MATRICES, A>(0, key);
                    for a in 0..A {
                        let turned = turned(factors[a], sums[a]);
                        let out = out.add(a * set);
                        turned.0.store(out);
                        turned.1.store(out.add(8));
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn sub<V: Vector>(x: (V, V), y: (V, V)) -> (V, V) {
    (x.0.sub(y.0), x.1.sub(y.1))
}

/// [`multiply`] for one polynomial of several parts, `set` doubles apart, of which each word of the key is read once
/// for two.
///
/// # Safety
/// The contract of [`multiply`].
#[inline(always)]
pub(super) unsafe fn multiply_parts<V: Vector, K: KeyWord, const BITS: usize, const MATRICES: usize>(
    start: usize,
    (len, n, set): (usize, usize, usize),
    (rows, cols, matrix): (usize, usize, usize),
    (out, x, key): (*mut f64, *const f64, *const K),
    (points, turn): (&Points, &Turn),
    between: &mut impl FnMut(),
) {
    let parts = points.parts;
    // SAFETY: the caller vouches for `V`'s instructions, which is all that `splat` asks for.
    let zero = unsafe { (V::splat(0.0), V::splat(0.0)) };
    let mut sums = [[zero; MATRICES]; MAX_PARTS];
    let mut inner = [zero; MAX_PARTS];
    for at in (0..len).step_by(BLOCK) {
        for lane in (0..8).step_by(V::LANES) {
            // SAFETY: the caller vouches for `V`'s instructions, for `len` doubles of each polynomial of `parts` parts,
            // `set` apart, and for the key's words there in each of `MATRICES` matrices; imaginary parts lie eight
            // words behind the real ones, and `lane + LANES ≤ 8`. Parts are 1 or an even number, so that pairs of them
            // exist wherever two are taken together.
            unsafe {
                let mut factors = [[zero; 2]; BITS];
                for (i, factors) in factors.iter_mut().enumerate() {
                    for (factor, powers) in factors.iter_mut().zip(&turn.powers) {
                        *factor = points.monomial::<V>(powers, i, (start + at) / BLOCK, lane);
                    }
                }
                // Bit i's monomial for a part, and the part that it moves there.
                let moved = |i: usize, part: usize| {
                    let shift = turn.shifts[i];
                    (factors[i][usize::from(part < shift)], (part + parts - shift) & (parts - 1))
                };
                for c in 0..cols {
                    between();
                    let key = key.add(at * rows * cols + c * BLOCK + lane);
                    let (out, x) = (out.add(c * n + at + lane), x.add(at + lane));
                    let of_part = |part: usize| Sums {
                        rows,
                        n,
                        set,
                        out,
                        x: x.add(part * set),
                        key_row: cols * BLOCK,
                        key_column: matrix,
                    };
                    if V::LANES < 8 {
                        // Sixteen registers don't hold the sums of two.
                        for part in 0..parts {
                            [sums[part]] = of_part(part).columns::<V, K, MATRICES, 1>(0, key);
                        }
                    } else {
                        for part in (0..parts).step_by(2) {
                            [sums[part], sums[part + 1]] = of_part(part).columns::<V, K, MATRICES, 2>(0, key);
                        }
                    }
                    if MATRICES > BITS {
                        for part in 0..parts {
                            let (g, from) = moved(1, part);
                            inner[part] = mul_add(g, sums[from][2], sub(sums[part][0], sums[part][2]));
                        }
                    }
                    for part in 0..parts {
                        let mut turned = zero;
                        for i in 0..BITS {
                            let (f, from) = moved(i, part);
                            let pair = MATRICES > BITS && i == 0;
                            let (own, other) =
                                if pair { (inner[part], inner[from]) } else { (sums[part][i], sums[from][i]) };
                            turned = mul_add(f, other, sub(turned, own));
                        }
                        let out = out.add(part * set);
                        turned.0.store(out);
                        turned.1.store(out.add(8));
                    }
                }
            }
        }
    }
}
