//! The inner loop of a key switch from a large secret to a small one over `Z[X]/(X^R + 1)`, on 32-bit torus words:
//! digits times rows, where one row serves the `R` coefficients of a block of digits.
//!
//! A row is a module-LWE sample: masks `A_1, …, A_k` and a body `B`, of degree `R`. The digits `d_0, …, d_(R−1)` take
//! from it the constant coefficient of `Σ_r d_r·X^(−r)·(A, B)` as an LWE sample: for mask `i`, the coefficients of
//! `d(X)·A_i(X^(−1))`, and the constant one of `d(X)·B(X^(−1))`. So rows are kept as the transforms of their
//! images under `X ↦ X^(−1)`.
//!
//! *Transforms* are those of [`super`] in a ring of `R` (`R/2` complex points), for eight rows at a time: a lane is a
//! row, so levels and sums are the same for all sizes, and nothing is permuted. The eight lanes of a sum are added at
//! the end, in their order.

use super::butterflies::{Complex, merge, split};
use super::operation::{self, Operation};
use super::rounding::Rounding;
use super::twiddles::Twiddles;
use super::vector::Vector;
use crate::Simd;

/// Rows that are transformed together, one in each lane.
const LANES: usize = 8;

/// Doubles of one point of eight rows: real, then imaginary parts.
const POINT: usize = 2 * LANES;

/// Key-switch rows over `Z[X]/(X^R + 1)`, transformed.
#[derive(Debug, Clone)]
pub struct Rows {
    simd: Simd,
    ring: usize,
    /// Masks and body.
    polynomials: usize,
    rows: usize,
    /// The twiddle of each node, level by level.
    twiddles: Vec<(f64, f64)>,
    /// The transforms' points: point by point, in each polynomial by polynomial, in each eight rows together.
    key: Vec<f64>,
}

impl Rows {
    /// Bytes of so many rows.
    pub const fn nbytes_of(ring: usize, masks: usize, rows: usize) -> usize {
        8 * Self::len(ring, masks, rows)
    }

    const fn len(ring: usize, masks: usize, rows: usize) -> usize {
        ring / 2 * (masks + 1) * rows.div_ceil(LANES) * POINT
    }

    /// Zero rows, so many of them, each of `masks` masks and a body.
    ///
    /// # Panics
    /// Unless `ring` is a power of two from 2 on.
    pub fn new(simd: Simd, ring: usize, masks: usize, rows: usize) -> Self {
        assert!(ring.is_power_of_two() && ring >= 2, "{ring}");
        Self {
            simd,
            ring,
            polynomials: masks + 1,
            rows,
            twiddles: Twiddles::tree((ring / 2).ilog2()),
            key: vec![0.0; Self::len(ring, masks, rows)],
        }
    }

    /// Bytes of the key.
    pub fn nbytes(&self) -> usize {
        size_of_val(&self.key[..])
    }

    /// Sets all rows: `row` gives masks and body of one, one after another.
    pub fn set(&mut self, row: impl Fn(usize, &mut [u32])) {
        let (groups, half) = (self.groups(), self.ring / 2);
        let mut words = vec![0u32; LANES * self.polynomials * self.ring];
        let mut transforms = vec![0.0; half * POINT];
        for group in 0..groups {
            words.fill(0);
            for (lane, words) in words.chunks_exact_mut(self.polynomials * self.ring).enumerate() {
                if LANES * group + lane < self.rows {
                    row(LANES * group + lane, words);
                }
            }
            for polynomial in 0..self.polynomials {
                for lane in 0..LANES {
                    let a = &words[(lane * self.polynomials + polynomial) * self.ring..][..self.ring];
                    for m in 0..self.ring {
                        // Coefficient m of A(X^−1).
                        let a = if m == 0 { a[0] } else { a[self.ring - m].wrapping_neg() };
                        transforms[place(half, m) + lane] = f64::from(a as i32);
                    }
                }
                self.run(Levels::<false> { half, twiddles: &self.twiddles, x: &mut transforms });
                for (point, x) in transforms.chunks_exact(POINT).enumerate() {
                    let at = ((point * self.polynomials + polynomial) * groups + group) * POINT;
                    self.key[at..][..POINT].copy_from_slice(x);
                }
            }
        }
    }

    /// Sets `out`, masks and then one body word, to the sum of the digits' products with the rows: `digits` has `R`
    /// signed ones for each row.
    ///
    /// # Panics
    /// If a length doesn't fit.
    pub fn multiply(&self, out: &mut [u32], digits: &[u32]) {
        let (groups, half, ring) = (self.groups(), self.ring / 2, self.ring);
        assert_eq!((out.len(), digits.len()), ((self.polynomials - 1) * ring + 1, self.rows * ring));
        // The digits' transforms, group by group; then point by point for the sums.
        let mut x = vec![0.0; groups * half * POINT];
        for (row, digits) in digits.chunks_exact(ring).enumerate() {
            let x = &mut x[row / LANES * half * POINT..][..half * POINT];
            for (m, &d) in digits.iter().enumerate() {
                x[place(half, m) + row % LANES] = f64::from(d as i32);
            }
        }
        for x in x.chunks_exact_mut(half * POINT) {
            self.run(Levels::<false> { half, twiddles: &self.twiddles, x });
        }
        let sets = self.polynomials.div_ceil(LANES);
        let mut sums = vec![0.0; sets * half * POINT];
        self.run(Sums { rows: self, x: &x, out: &mut sums });
        let rounding = Rounding::new(u32::BITS, half.max(1));
        for (set, sums) in sums.chunks_exact_mut(half * POINT).enumerate() {
            self.run(Levels::<true> { half, twiddles: &self.twiddles, x: sums });
            for lane in 0..LANES.min(self.polynomials - set * LANES) {
                let out = &mut out[(set * LANES + lane) * ring..];
                for (m, out) in out.iter_mut().take(ring).enumerate() {
                    *out = rounding.to_integer_32(sums[place(half, m) + lane]);
                }
            }
        }
    }

    fn groups(&self) -> usize {
        self.rows.div_ceil(LANES)
    }

    fn run(&self, operation: impl Operation) {
        // SAFETY: operations of this file check their lengths themselves, and `operation::run` picks vectors of this
        // CPU.
        unsafe { operation::run(self.simd, operation) }
    }
}

/// The place of coefficient `m` of the first of eight polynomials.
fn place(half: usize, m: usize) -> usize {
    if m < half { m * POINT } else { (m - half) * POINT + LANES }
}

/// The levels of eight transforms, forward or inverse, in place.
struct Levels<'a, const INVERSE: bool> {
    half: usize,
    twiddles: &'a [(f64, f64)],
    x: &'a mut [f64],
}

impl<const INVERSE: bool> Operation for Levels<'_, INVERSE> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        assert!(self.x.len() == self.half * POINT && self.twiddles.len() + 1 == self.half);
        let depths = self.half.ilog2();
        for step in 0..depths {
            let depth = if INVERSE { depths - 1 - step } else { step };
            let stride = self.half >> (depth + 1);
            for node in 0..1 << depth {
                let w = self.twiddles[(1 << depth) - 1 + node];
                for i in 0..stride {
                    let first = 2 * stride * node + i;
                    for lane in (0..LANES).step_by(V::LANES) {
                        // SAFETY: the caller vouches for `V`'s instructions; `first + stride` is below `half`, and the
                        // assertion gives `x` all of `half` points, of `POINT = 2·LANES` doubles each.
                        unsafe {
                            let w = (V::splat(w.0), V::splat(w.1));
                            let (p, q) = (
                                self.x.as_mut_ptr().add(first * POINT + lane),
                                self.x.as_mut_ptr().add((first + stride) * POINT + lane),
                            );
                            let mut a = [load::<V>(p), load::<V>(q)];
                            if INVERSE {
                                merge(&mut a, 0, 1, w);
                            } else {
                                split(&mut a, 0, 1, w);
                            }
                            a[0].0.store(p);
                            a[0].1.store(p.add(LANES));
                            a[1].0.store(q);
                            a[1].1.store(q.add(LANES));
                        }
                    }
                }
            }
        }
    }
}

/// Lanes of a point.
///
/// # Safety
/// The contract of [`Vector`].
#[inline(always)]
unsafe fn load<V: Vector>(p: *const f64) -> Complex<V> {
    // SAFETY: the caller vouches for `V`'s instructions, and for the lanes of a point: `V::LANES` readable doubles at
    // `p` and as many `LANES` further.
    unsafe { (V::load(p), V::load(p.add(LANES))) }
}

/// The sums of the products over all rows, one for each polynomial, eight polynomials together.
struct Sums<'a> {
    rows: &'a Rows,
    x: &'a [f64],
    out: &'a mut [f64],
}

impl Operation for Sums<'_> {
    #[inline(always)]
    unsafe fn call<V: Vector>(self) {
        let Self { rows, x, out } = self;
        let (half, groups, polynomials) = (rows.ring / 2, rows.groups(), rows.polynomials);
        for point in 0..half {
            let mut first = 0;
            while first < polynomials {
                let key = &rows.key[(point * polynomials + first) * groups * POINT..];
                let mut put = |i: usize, (re, im): (f64, f64)| {
                    let polynomial = first + i;
                    let at = (polynomial / LANES * half + point) * POINT + polynomial % LANES;
                    (out[at], out[at + LANES]) = (re, im);
                };
                let x = &x[point * POINT..];
                // SAFETY: the caller vouches for `V`'s instructions, and `sums` checks the lengths of its slices.
                unsafe {
                    if polynomials - first >= 2 {
                        sums::<V, 2>(groups, x, half * POINT, key).into_iter().enumerate().for_each(|(i, s)| put(i, s));
                        first += 2;
                    } else {
                        sums::<V, 1>(groups, x, half * POINT, key).into_iter().enumerate().for_each(|(i, s)| put(i, s));
                        first += 1;
                    }
                }
            }
        }
    }
}

/// `Σ x·key` over groups and lanes, for `P` polynomials. The four products of real and imaginary parts have sums of
/// their own, which hides their latency.
///
/// # Safety
/// The contract of [`Vector`].
#[inline(always)]
unsafe fn sums<V: Vector, const P: usize>(groups: usize, x: &[f64], x_group: usize, key: &[f64]) -> [(f64, f64); P] {
    assert!(x.len() >= (groups - 1) * x_group + POINT && key.len() >= P * groups * POINT);
    let mut all = [[[0.0; LANES]; 4]; P];
    for lane in (0..LANES).step_by(V::LANES) {
        // SAFETY: the caller vouches for `V`'s instructions. The assertion gives `x` a point for each of `groups`
        // groups, and the key one for each polynomial and group; `lane + V::LANES ≤ LANES`, which is also the length of
        // a row of `all`.
        unsafe {
            let mut acc = [[V::splat(0.0); 4]; P];
            for group in 0..groups {
                let (re, im) = load::<V>(x.as_ptr().add(group * x_group + lane));
                for p in 0..P {
                    let (k_re, k_im) = load::<V>(key.as_ptr().add((p * groups + group) * POINT + lane));
                    acc[p][0] = re.mul_add(k_re, acc[p][0]);
                    acc[p][1] = im.mul_add(k_im, acc[p][1]);
                    acc[p][2] = re.mul_add(k_im, acc[p][2]);
                    acc[p][3] = im.mul_add(k_re, acc[p][3]);
                }
            }
            for p in 0..P {
                for i in 0..4 {
                    acc[p][i].store(all[p][i].as_mut_ptr().add(lane));
                }
            }
        }
    }
    all.map(|products| {
        let [rr, ii, ri, ir] = products.map(|lanes| lanes.iter().fold(0.0, |sum, x| sum + x));
        (rr - ii, ri + ir)
    })
}
