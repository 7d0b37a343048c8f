//! The passes of the transforms, written once for all vectors.
//!
//! *Layout.* `n` doubles are `m = n/2` complex points in blocks of eight: eight real parts, then eight imaginary ones.

use core::mem::MaybeUninit;

use super::butterflies::{Complex, forward_levels, inverse_levels};
use super::plan::Plan;
use super::vector::Vector;

/// Doubles in a block of eight points.
const BLOCK: usize = 16;

/// Where the first forward pass reads.
pub(super) trait Source: Copy {
    /// Lanes from `lane` of a block.
    ///
    /// # Safety
    /// That of [`Vector`]; the block exists.
    unsafe fn load<V: Vector>(self, block: usize, lane: usize) -> Complex<V>;
}

/// Where the last inverse pass writes.
pub(super) trait Sink: Copy {
    /// Lanes from `lane` of a block.
    ///
    /// # Safety
    /// That of [`Vector`]; the block exists.
    unsafe fn store<V: Vector>(self, block: usize, lane: usize, x: Complex<V>);
}

/// Transform data, read and written in place.
#[derive(Clone, Copy)]
pub(super) struct InPlace(pub *mut f64);

impl Source for InPlace {
    #[inline(always)]
    unsafe fn load<V: Vector>(self, block: usize, lane: usize) -> Complex<V> {
        // SAFETY: the caller's contract; likewise in the rest of this file.
        unsafe {
            let p = self.0.add(BLOCK * block + lane);
            (V::load(p), V::load(p.add(8)))
        }
    }
}

impl Sink for InPlace {
    #[inline(always)]
    unsafe fn store<V: Vector>(self, block: usize, lane: usize, x: Complex<V>) {
        // SAFETY: as above.
        unsafe {
            let p = self.0.add(BLOCK * block + lane);
            x.0.store(p);
            x.1.store(p.add(8));
        }
    }
}

/// The broadcast twiddles of one node.
#[inline(always)]
unsafe fn broadcast<V: Vector>(w: *const f64) -> impl Fn(usize) -> Complex<V> {
    // SAFETY: as above.
    move |i| unsafe { (V::splat(*w.add(2 * i)), V::splat(*w.add(2 * i + 1))) }
}

/// One node of `R·stride` blocks, from a source to blocks in memory.
#[inline(always)]
unsafe fn forward_node<V: Vector, S: Source, const R: usize>(src: S, out: InPlace, stride: usize, w: *const f64) {
    for block in 0..stride {
        for lane in (0..8).step_by(V::LANES) {
            // SAFETY: as above.
            unsafe {
                let mut a = [(V::splat(0.0), V::splat(0.0)); R];
                for r in 0..R {
                    a[r] = src.load(block + r * stride, lane);
                }
                forward_levels(&mut a, broadcast(w));
                for r in 0..R {
                    out.store(block + r * stride, lane, a[r]);
                }
            }
        }
    }
}

/// The inverse of [`forward_node`], times `R`.
#[inline(always)]
unsafe fn inverse_node<V: Vector, S: Sink, const R: usize>(x: InPlace, out: S, stride: usize, w: *const f64) {
    for block in 0..stride {
        for lane in (0..8).step_by(V::LANES) {
            // SAFETY: as above.
            unsafe {
                let mut a = [(V::splat(0.0), V::splat(0.0)); R];
                for r in 0..R {
                    a[r] = x.load(block + r * stride, lane);
                }
                inverse_levels(&mut a, broadcast(w));
                for r in 0..R {
                    out.store(block + r * stride, lane, a[r]);
                }
            }
        }
    }
}

/// Doubles of twiddles of a group.
const GROUP_TWIDDLES: usize = 8 + 64;

/// The vector twiddles of a group's transposed levels.
#[inline(always)]
unsafe fn vectors<V: Vector>(w: *const f64, lane: usize) -> impl Fn(usize) -> Complex<V> {
    // SAFETY: as above.
    move |i| unsafe { (V::load(w.add(8 + 16 * i + lane)), V::load(w.add(16 + 16 * i + lane))) }
}

/// The last six levels, on a group of eight blocks: three across blocks, then, transposed, three across what were lanes. The result stays transposed.
/// With eight lanes, the compiler keeps the rows in registers.
#[inline(always)]
unsafe fn forward_group<V: Vector>(x: InPlace, w: *const f64) {
    let mut tmp = MaybeUninit::<[f64; 8 * BLOCK]>::uninit();
    let rows = InPlace(tmp.as_mut_ptr().cast());
    // SAFETY: as above.
    unsafe {
        forward_node::<V, InPlace, 8>(x, rows, 1, w);
        for lane in (0..8).step_by(V::LANES) {
            let re = V::load_columns(rows.0.add(BLOCK * lane), BLOCK);
            let im = V::load_columns(rows.0.add(BLOCK * lane + 8), BLOCK);
            let mut a = [(re[0], im[0]); 8];
            for i in 0..8 {
                a[i] = (re[i], im[i]);
            }
            forward_levels(&mut a, vectors(w, lane));
            for i in 0..8 {
                x.store(i, lane, a[i]);
            }
        }
    }
}

/// The inverse of [`forward_group`], times 64.
#[inline(always)]
unsafe fn inverse_group<V: Vector>(x: InPlace, w: *const f64) {
    let mut tmp = MaybeUninit::<[f64; 8 * BLOCK]>::uninit();
    let rows = InPlace(tmp.as_mut_ptr().cast());
    // SAFETY: as above.
    unsafe {
        for lane in (0..8).step_by(V::LANES) {
            let mut a = [(V::splat(0.0), V::splat(0.0)); 8];
            for i in 0..8 {
                a[i] = x.load(i, lane);
            }
            inverse_levels(&mut a, vectors(w, lane));
            let (mut re, mut im) = ([a[0].0; 8], [a[0].1; 8]);
            for i in 0..8 {
                (re[i], im[i]) = a[i];
            }
            V::store_columns(re, rows.0.add(BLOCK * lane), BLOCK);
            V::store_columns(im, rows.0.add(BLOCK * lane + 8), BLOCK);
        }
        inverse_node::<V, InPlace, 8>(rows, x, 1, w);
    }
}

/// [`forward_node`] of radix `2^log_radix`.
#[inline(always)]
unsafe fn forward_pass<V: Vector, S: Source>(log_radix: u32, src: S, out: InPlace, stride: usize, w: *const f64) {
    // SAFETY: as above.
    unsafe {
        match log_radix {
            1 => forward_node::<V, S, 2>(src, out, stride, w),
            2 => forward_node::<V, S, 4>(src, out, stride, w),
            _ => forward_node::<V, S, 8>(src, out, stride, w),
        }
    }
}

/// [`inverse_node`] of radix `2^log_radix`.
#[inline(always)]
unsafe fn inverse_pass<V: Vector, S: Sink>(log_radix: u32, x: InPlace, out: S, stride: usize, w: *const f64) {
    // SAFETY: as above.
    unsafe {
        match log_radix {
            1 => inverse_node::<V, S, 2>(x, out, stride, w),
            2 => inverse_node::<V, S, 4>(x, out, stride, w),
            _ => inverse_node::<V, S, 8>(x, out, stride, w),
        }
    }
}

/// The forward transform of `src` into `out`, which may be the same.
///
/// # Safety
/// That of [`Vector`]; `src` and `out` have the blocks of the plan and `table` is its table.
#[inline(always)]
pub(super) unsafe fn forward<V: Vector, S: Source>(plan: Plan, table: *const f64, src: S, out: InPlace) {
    let first_stride = 1 << (plan.log_m - 3 - plan.log_first);
    // SAFETY: as above.
    unsafe {
        forward_pass::<V, S>(plan.log_first, src, out, first_stride, table);
        for first in 0..1 << plan.log_first {
            let x = InPlace(out.0.add(BLOCK * first_stride * first));
            // The pass's twiddles; its nodes in this block; the blocks from one of a node's points to the next.
            let (mut w, mut nodes, mut stride) = (table.add(1 << plan.log_first), 1, first_stride);
            for &log_radix in plan.log_middle {
                let radix = 1 << log_radix;
                for node in 0..nodes {
                    let x = InPlace(x.0.add(BLOCK * stride * node));
                    forward_pass::<V, InPlace>(log_radix, x, x, stride / radix, w.add(radix * (nodes * first + node)));
                }
                w = w.add((radix * nodes) << plan.log_first);
                nodes *= radix;
                stride /= radix;
            }
            for group in 0..nodes * stride / 8 {
                let w = w.add(GROUP_TWIDDLES * (first_stride / 8 * first + group));
                forward_group::<V>(InPlace(x.0.add(8 * BLOCK * group)), w);
            }
        }
    }
}

/// The inverse transform of `x`, which it uses up, times `m`, into `out`.
///
/// # Safety
/// As [`forward`].
#[inline(always)]
pub(super) unsafe fn inverse<V: Vector, S: Sink>(plan: Plan, table: *const f64, x: InPlace, out: S) {
    let first_stride = 1 << (plan.log_m - 3 - plan.log_first);
    // SAFETY: as above.
    unsafe {
        for first in 0..1 << plan.log_first {
            let x = InPlace(x.0.add(BLOCK * first_stride * first));
            // As in `forward`, after its last middle pass.
            let (mut w, mut nodes, mut stride) = (table.add(1 << plan.log_first), 1, first_stride);
            for &log_radix in plan.log_middle {
                w = w.add(nodes << (log_radix + plan.log_first));
                nodes <<= log_radix;
                stride >>= log_radix;
            }
            for group in 0..nodes * stride / 8 {
                let w = w.add(GROUP_TWIDDLES * (first_stride / 8 * first + group));
                inverse_group::<V>(InPlace(x.0.add(8 * BLOCK * group)), w);
            }
            for &log_radix in plan.log_middle.iter().rev() {
                let radix = 1 << log_radix;
                nodes /= radix;
                stride *= radix;
                w = w.sub((radix * nodes) << plan.log_first);
                for node in 0..nodes {
                    let x = InPlace(x.0.add(BLOCK * stride * node));
                    inverse_pass::<V, InPlace>(log_radix, x, x, stride / radix, w.add(radix * (nodes * first + node)));
                }
            }
        }
        inverse_pass::<V, S>(plan.log_first, x, out, first_stride, table);
    }
}
