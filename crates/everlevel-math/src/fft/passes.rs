//! The passes of the transforms, written once for all vectors.
//!
//! *Layout.* `n` doubles are `m = n/2` complex points in blocks of eight: eight real parts, then eight imaginary ones.
//!
//! *Bits.* A butterfly is the same sequence of operations wherever it is done, so the results depend on the plan alone.

use super::plan::Plan;
use super::vector::Vector;

/// Doubles in a block of eight points.
const BLOCK: usize = 16;

/// Points as real and imaginary parts.
type Complex<V> = (V, V);

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

/// `w·y`.
#[inline(always)]
fn mul<V: Vector>(w: Complex<V>, y: Complex<V>) -> Complex<V> {
    (w.1.neg_mul_add(y.1, w.0.mul(y.0)), w.1.mul_add(y.0, w.0.mul(y.1)))
}

/// `conj(w)·y`.
#[inline(always)]
fn mul_conj<V: Vector>(w: Complex<V>, y: Complex<V>) -> Complex<V> {
    (w.1.mul_add(y.1, w.0.mul(y.0)), w.1.neg_mul_add(y.0, w.0.mul(y.1)))
}

/// `(x + w·y, x − w·y)`.
#[inline(always)]
fn split<V: Vector>(a: &mut [Complex<V>], x: usize, y: usize, w: Complex<V>) {
    let t = mul(w, a[y]);
    let u = a[x];
    a[x] = (u.0.add(t.0), u.1.add(t.1));
    a[y] = (u.0.sub(t.0), u.1.sub(t.1));
}

/// [`split`] with `i·w`.
#[inline(always)]
fn split_i<V: Vector>(a: &mut [Complex<V>], x: usize, y: usize, w: Complex<V>) {
    let t = mul(w, a[y]);
    let u = a[x];
    a[x] = (u.0.sub(t.1), u.1.add(t.0));
    a[y] = (u.0.add(t.1), u.1.sub(t.0));
}

/// `(x + y, (x − y)·conj(w))`: twice the inverse of [`split`].
#[inline(always)]
fn merge<V: Vector>(a: &mut [Complex<V>], x: usize, y: usize, w: Complex<V>) {
    let (u, v) = (a[x], a[y]);
    a[x] = (u.0.add(v.0), u.1.add(v.1));
    a[y] = mul_conj(w, (u.0.sub(v.0), u.1.sub(v.1)));
}

/// [`merge`] with `i·w`: the difference is first turned by `−i`.
#[inline(always)]
fn merge_i<V: Vector>(a: &mut [Complex<V>], x: usize, y: usize, w: Complex<V>) {
    let (u, v) = (a[x], a[y]);
    a[x] = (u.0.add(v.0), u.1.add(v.1));
    a[y] = mul_conj(w, (u.1.sub(v.1), v.0.sub(u.0)));
}

/// The levels of a node: `w[0]` is its twiddle, then come those of the even nodes of each level below.
#[inline(always)]
fn forward_levels<V: Vector, const R: usize>(a: &mut [Complex<V>; R], w: impl Fn(usize) -> Complex<V>) {
    let mut half = R / 2;
    let own = w(0);
    for j in 0..half {
        split(a, j, j + half, own);
    }
    let mut first = 1;
    while half > 1 {
        half /= 2;
        let pairs = R / (4 * half);
        for pair in 0..pairs {
            let (w, base) = (w(first + pair), 4 * half * pair);
            for j in base..base + half {
                split(a, j, j + half, w);
                split_i(a, j + 2 * half, j + 3 * half, w);
            }
        }
        first += pairs;
    }
}

/// The inverse of [`forward_levels`], times `R`.
#[inline(always)]
fn inverse_levels<V: Vector, const R: usize>(a: &mut [Complex<V>; R], w: impl Fn(usize) -> Complex<V>) {
    let mut half = 1;
    let mut first = R / 2;
    while 2 * half < R {
        let pairs = R / (4 * half);
        first -= pairs;
        for pair in 0..pairs {
            let (w, base) = (w(first + pair), 4 * half * pair);
            for j in base..base + half {
                merge(a, j, j + half, w);
                merge_i(a, j + 2 * half, j + 3 * half, w);
            }
        }
        half *= 2;
    }
    let own = w(0);
    for j in 0..half {
        merge(a, j, j + half, own);
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
#[inline(always)]
unsafe fn forward_group<V: Vector>(x: InPlace, w: *const f64) {
    let mut tmp = [0.0; 8 * BLOCK];
    let rows = InPlace(tmp.as_mut_ptr());
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
    let mut tmp = [0.0; 8 * BLOCK];
    let rows = InPlace(tmp.as_mut_ptr());
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

/// The forward transform of `src` into `out`, which may be the same.
///
/// # Safety
/// That of [`Vector`]; `src` and `out` have the blocks of the plan and `table` is its table.
#[inline(always)]
pub(super) unsafe fn forward<V: Vector, S: Source>(plan: Plan, table: *const f64, src: S, out: InPlace) {
    let Plan { log_m, log_first, log_second } = plan;
    let stride = 1 << (log_m - 3 - log_first);
    // SAFETY: as above.
    unsafe {
        match log_first {
            1 => forward_node::<V, S, 2>(src, out, stride, table),
            2 => forward_node::<V, S, 4>(src, out, stride, table),
            3 => forward_node::<V, S, 8>(src, out, stride, table),
            _ => forward_node::<V, S, 16>(src, out, stride, table),
        }
        let second = table.add(1 << log_first);
        let groups = if log_second == 0 { second } else { second.add(1 << (log_first + log_second)) };
        let per_node = stride / 8;
        for node in 0..1 << log_first {
            let block = InPlace(out.0.add(BLOCK * stride * node));
            match log_second {
                0 => {}
                3 => forward_node::<V, InPlace, 8>(block, block, stride >> 3, second.add(node << 3)),
                _ => forward_node::<V, InPlace, 16>(block, block, stride >> 4, second.add(node << 4)),
            }
            for group in 0..per_node {
                let w = groups.add(GROUP_TWIDDLES * (per_node * node + group));
                forward_group::<V>(InPlace(block.0.add(8 * BLOCK * group)), w);
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
    let Plan { log_m, log_first, log_second } = plan;
    let stride = 1 << (log_m - 3 - log_first);
    // SAFETY: as above.
    unsafe {
        let second = table.add(1 << log_first);
        let groups = if log_second == 0 { second } else { second.add(1 << (log_first + log_second)) };
        let per_node = stride / 8;
        for node in 0..1 << log_first {
            let block = InPlace(x.0.add(BLOCK * stride * node));
            for group in 0..per_node {
                let w = groups.add(GROUP_TWIDDLES * (per_node * node + group));
                inverse_group::<V>(InPlace(block.0.add(8 * BLOCK * group)), w);
            }
            match log_second {
                0 => {}
                3 => inverse_node::<V, InPlace, 8>(block, block, stride >> 3, second.add(node << 3)),
                _ => inverse_node::<V, InPlace, 16>(block, block, stride >> 4, second.add(node << 4)),
            }
        }
        match log_first {
            1 => inverse_node::<V, S, 2>(x, out, stride, table),
            2 => inverse_node::<V, S, 4>(x, out, stride, table),
            3 => inverse_node::<V, S, 8>(x, out, stride, table),
            _ => inverse_node::<V, S, 16>(x, out, stride, table),
        }
    }
}
