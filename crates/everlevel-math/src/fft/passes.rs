//! The passes of the transforms, written once for all vectors; [`super::children`] puts them together.
//!
//! *Layout.* `n` doubles are `m = n/2` complex points in blocks of eight: eight real parts, then eight imaginary ones.

use super::butterflies::{Complex, forward_levels, inverse_levels};
use super::vector::Vector;

/// Doubles in a block of eight points.
pub(super) const BLOCK: usize = 16;

/// The place that the first forward pass reads.
pub(super) trait Source: Copy {
    /// Lanes from `lane` of a block.
    ///
    /// # Safety
    /// The contract of [`Vector`]; the block exists.
    unsafe fn load<V: Vector>(self, block: usize, lane: usize) -> Complex<V>;
}

/// The place that the last inverse pass writes.
pub(super) trait Sink: Copy {
    /// Lanes from `lane` of a block.
    ///
    /// # Safety
    /// The contract of [`Vector`]; the block exists.
    unsafe fn store<V: Vector>(self, block: usize, lane: usize, x: Complex<V>);
}

/// Transform data, read and written in place.
#[derive(Clone, Copy)]
pub(super) struct InPlace(pub *mut f64);

impl Source for InPlace {
    #[inline(always)]
    unsafe fn load<V: Vector>(self, block: usize, lane: usize) -> Complex<V> {
        // SAFETY: the caller vouches for `V`'s instructions and for the block, 16 doubles from `BLOCK·block` on:
        // `lane + LANES ≤ 8`, so that the second load ends with the block.
        unsafe {
            let p = self.0.add(BLOCK * block + lane);
            (V::load(p), V::load(p.add(8)))
        }
    }
}

impl Sink for InPlace {
    #[inline(always)]
    unsafe fn store<V: Vector>(self, block: usize, lane: usize, x: Complex<V>) {
        // SAFETY: `x` is proof of the instructions, and the caller vouches for the block, 16 writable doubles from
        // `BLOCK·block` on: `lane + LANES ≤ 8`, so that the second store ends with the block.
        unsafe {
            let p = self.0.add(BLOCK * block + lane);
            x.0.store(p);
            x.1.store(p.add(8));
        }
    }
}

/// The points of a polynomial's coefficients: `a_j` is the real part of point `j`, `a_(j+m)` the imaginary one.
#[derive(Clone, Copy)]
pub(super) struct Coefficients {
    pub p: *mut f64,
    pub half: usize,
}

impl Source for Coefficients {
    #[inline(always)]
    unsafe fn load<V: Vector>(self, block: usize, lane: usize) -> Complex<V> {
        // SAFETY: the caller vouches for `V`'s instructions and for the block: its real parts are eight doubles from
        // `8·block` on, its imaginary ones `half` further, and `lane + LANES ≤ 8`.
        unsafe {
            let p = self.p.add(8 * block + lane);
            (V::load(p), V::load(p.add(self.half)))
        }
    }
}

impl Sink for Coefficients {
    #[inline(always)]
    unsafe fn store<V: Vector>(self, block: usize, lane: usize, x: Complex<V>) {
        // SAFETY: `x` is proof of the instructions, and the caller vouches for the block: its real parts are eight
        // writable doubles from `8·block` on, its imaginary ones `half` further, and `lane + LANES ≤ 8`.
        unsafe {
            let p = self.p.add(8 * block + lane);
            x.0.store(p);
            x.1.store(p.add(self.half));
        }
    }
}

/// The broadcast twiddles of one node.
///
/// # Safety
/// `V`'s instructions exist (see [`Vector`]), and the function is called for twiddles that `w` has: two doubles each.
#[inline(always)]
unsafe fn broadcast<V: Vector>(w: *const f64) -> impl Fn(usize) -> Complex<V> {
    // SAFETY: whoever called `broadcast` vouches for `V`'s instructions, and for twiddle `i` at `w`.
    move |i| unsafe { (V::splat(*w.add(2 * i)), V::splat(*w.add(2 * i + 1))) }
}

/// One node of `R·stride` blocks, from a source to a sink: its levels, or their inverse times `R`.
///
/// # Safety
/// `V`'s instructions exist (see [`Vector`]); `src` and `out` have `R·stride` blocks, and `w` has the node's `R`
/// doubles: `R/2` twiddles.
#[inline(always)]
pub(super) unsafe fn node<V: Vector, S: Source, D: Sink, const R: usize, const INVERSE: bool>(
    src: S,
    out: D,
    stride: usize,
    w: *const f64,
    between: &mut impl FnMut(),
) {
    for block in 0..stride {
        between();
        for lane in (0..8).step_by(V::LANES) {
            // SAFETY: the caller vouches for `V`'s instructions, for `R·stride` blocks, of which `block + r·stride` is
            // one, and for `R/2` twiddles at `w`, which are all that the levels of a node of radix `R` ask for.
            unsafe {
                let mut a = [(V::splat(0.0), V::splat(0.0)); R];
                for r in 0..R {
                    a[r] = src.load(block + r * stride, lane);
                }
                if INVERSE {
                    inverse_levels(&mut a, broadcast(w));
                } else {
                    forward_levels(&mut a, broadcast(w));
                }
                for r in 0..R {
                    out.store(block + r * stride, lane, a[r]);
                }
            }
        }
    }
}

/// [`node`] of radix `2^log_radix`.
///
/// # Safety
/// As [`node`].
#[inline(always)]
pub(super) unsafe fn pass<V: Vector, S: Source, D: Sink, const INVERSE: bool>(
    log_radix: u32,
    src: S,
    out: D,
    stride: usize,
    w: *const f64,
    between: &mut impl FnMut(),
) {
    // SAFETY: the caller vouches for what `node` asks of this radix: `V`'s instructions, `2^log_radix·stride` blocks,
    // and twiddles for one node. Plans have radices of 2, 4 and 8 alone.
    unsafe {
        match log_radix {
            1 => node::<V, S, D, 2, INVERSE>(src, out, stride, w, between),
            2 => node::<V, S, D, 4, INVERSE>(src, out, stride, w, between),
            _ => node::<V, S, D, 8, INVERSE>(src, out, stride, w, between),
        }
    }
}

/// Doubles of twiddles of a group.
pub(super) const GROUP_TWIDDLES: usize = 8 + 64;

/// Vectors that hold eight lanes, at most.
const MAX_PARTS: usize = 4;

/// The vector twiddles of a group's transposed levels.
///
/// # Safety
/// `V`'s instructions exist (see [`Vector`]), `w` has [`GROUP_TWIDDLES`] doubles, and the function is called for less
/// than four.
#[inline(always)]
unsafe fn vectors<V: Vector>(w: *const f64, lane: usize) -> impl Fn(usize) -> Complex<V> {
    // SAFETY: whoever called `vectors` vouches for `V`'s instructions and for `GROUP_TWIDDLES` doubles at `w`: vector
    // `i < 4` is the sixteen from `8 + 16·i` on, eight real parts and eight imaginary ones, and `lane + LANES ≤ 8`.
    move |i| unsafe { (V::load(w.add(8 + 16 * i + lane)), V::load(w.add(16 + 16 * i + lane))) }
}

/// The last three levels, on a group of eight blocks after a forward [`node`]: across its lanes. The result stays
/// transposed.
///
/// # Safety
/// `V`'s instructions exist (see [`Vector`]); `x` has eight blocks and `w` [`GROUP_TWIDDLES`] doubles.
#[inline(always)]
pub(super) unsafe fn forward_lanes<V: Vector>(x: InPlace, w: *const f64) {
    let part = |lane: usize| lane / V::LANES;
    // SAFETY: the caller vouches for `V`'s instructions, for eight blocks at `x`, of which rows `lane` to
    // `lane + LANES − 1` are loaded, and for the group's twiddles at `w`.
    unsafe {
        // All is read before anything is written: with eight lanes, it stays in registers.
        let mut all = [[(V::splat(0.0), V::splat(0.0)); 8]; MAX_PARTS];
        for lane in (0..8).step_by(V::LANES) {
            let re = V::load_columns(x.0.add(BLOCK * lane), BLOCK);
            let im = V::load_columns(x.0.add(BLOCK * lane + 8), BLOCK);
            for i in 0..8 {
                all[part(lane)][i] = (re[i], im[i]);
            }
        }
        for lane in (0..8).step_by(V::LANES) {
            let a = &mut all[part(lane)];
            forward_levels(a, vectors(w, lane));
            for i in 0..8 {
                x.store(i, lane, a[i]);
            }
        }
    }
}

/// The inverse of [`forward_lanes`], times 8.
///
/// # Safety
/// As [`forward_lanes`].
#[inline(always)]
pub(super) unsafe fn inverse_lanes<V: Vector>(x: InPlace, w: *const f64) {
    let part = |lane: usize| lane / V::LANES;
    // SAFETY: the caller vouches for `V`'s instructions, for eight blocks at `x`, of which rows `lane` to
    // `lane + LANES − 1` are stored, and for the group's twiddles at `w`.
    unsafe {
        let mut all = [[(V::splat(0.0), V::splat(0.0)); 8]; MAX_PARTS];
        for lane in (0..8).step_by(V::LANES) {
            let a = &mut all[part(lane)];
            for i in 0..8 {
                a[i] = x.load(i, lane);
            }
            inverse_levels(a, vectors(w, lane));
        }
        for lane in (0..8).step_by(V::LANES) {
            let a = &all[part(lane)];
            let (mut re, mut im) = ([a[0].0; 8], [a[0].1; 8]);
            for i in 0..8 {
                (re[i], im[i]) = a[i];
            }
            V::store_columns(re, x.0.add(BLOCK * lane), BLOCK);
            V::store_columns(im, x.0.add(BLOCK * lane + 8), BLOCK);
        }
    }
}
