//! The butterflies, and the levels of one node in registers.
//!
//! *Bits.* A butterfly is the same sequence of operations wherever it is done, so the results depend on the plan alone.

use super::vector::Vector;

/// Points as real and imaginary parts.
pub(super) type Complex<V> = (V, V);

/// `w·y`.
#[inline(always)]
pub(super) fn mul<V: Vector>(w: Complex<V>, y: Complex<V>) -> Complex<V> {
    (w.1.neg_mul_add(y.1, w.0.mul(y.0)), w.1.mul_add(y.0, w.0.mul(y.1)))
}

/// `conj(w)·y`.
#[inline(always)]
fn mul_conj<V: Vector>(w: Complex<V>, y: Complex<V>) -> Complex<V> {
    (w.1.mul_add(y.1, w.0.mul(y.0)), w.1.neg_mul_add(y.0, w.0.mul(y.1)))
}

/// `(x + w·y, x − w·y)`.
#[inline(always)]
pub(super) fn split<V: Vector>(a: &mut [Complex<V>], x: usize, y: usize, w: Complex<V>) {
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
pub(super) fn merge<V: Vector>(a: &mut [Complex<V>], x: usize, y: usize, w: Complex<V>) {
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
pub(super) fn forward_levels<V: Vector, const R: usize>(a: &mut [Complex<V>; R], w: impl Fn(usize) -> Complex<V>) {
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
pub(super) fn inverse_levels<V: Vector, const R: usize>(a: &mut [Complex<V>; R], w: impl Fn(usize) -> Complex<V>) {
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
