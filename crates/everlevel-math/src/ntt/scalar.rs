//! The portable transform: radix 2, one level at a time.

/// The twiddles of both directions, each with its quotient `⌊w·2^64/q⌋`.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    q: u64,
    /// `ψ^brv(i)`.
    roots: Vec<(u64, u64)>,
    /// `ψ^-brv(i)`.
    inv_roots: Vec<(u64, u64)>,
}

/// `w` and `⌊w·2^64/q⌋`.
fn shoup64(w: u64, q: u64) -> (u64, u64) {
    (w, ((u128::from(w) << 64) / u128::from(q)) as u64)
}

/// `a·w mod q`, in `[0, 2q)`, for any 64-bit `a`.
#[inline]
fn mul_shoup_lazy(a: u64, (w, w_shoup): (u64, u64), q: u64) -> u64 {
    let estimate = ((u128::from(a) * u128::from(w_shoup)) >> 64) as u64;
    a.wrapping_mul(w).wrapping_sub(estimate.wrapping_mul(q))
}

impl Tables {
    /// Tables from `roots[i] = ψ^brv(i)` and `inv_roots[i] = ψ^-brv(i)`.
    pub(super) fn new(q: u64, roots: &[u64], inv_roots: &[u64]) -> Self {
        let [roots, inv_roots] = [roots, inv_roots].map(|roots| roots.iter().map(|&w| shoup64(w, q)).collect());
        Self { q, roots, inv_roots }
    }

    /// Forward transform in place, by Cooley–Tukey butterflies; values stay below `4q` (Harvey's butterfly).
    pub(super) fn forward(&self, a: &mut [u64]) {
        let (n, q) = (a.len(), self.q);
        for level in 0..n.trailing_zeros() {
            let half = n >> (level + 1);
            for (block, chunk) in a.chunks_exact_mut(2 * half).enumerate() {
                let w = self.roots[(1 << level) + block];
                let (lo, hi) = chunk.split_at_mut(half);
                for (x, y) in lo.iter_mut().zip(hi) {
                    let u = (*x).min((*x).wrapping_sub(2 * q));
                    let v = mul_shoup_lazy(*y, w, q);
                    (*x, *y) = (u + v, u + 2 * q - v);
                }
            }
        }
        for x in a {
            *x = (*x).min((*x).wrapping_sub(2 * q));
            *x = (*x).min((*x).wrapping_sub(q));
        }
    }

    /// Inverse transform in place times `scale·n`, by Gentleman–Sande butterflies; values stay below `2q`.
    pub(super) fn inverse(&self, a: &mut [u64], scale: u64) {
        let (n, q) = (a.len(), self.q);
        for level in (0..n.trailing_zeros()).rev() {
            let half = n >> (level + 1);
            for (block, chunk) in a.chunks_exact_mut(2 * half).enumerate() {
                let w = self.inv_roots[(1 << level) + block];
                let (lo, hi) = chunk.split_at_mut(half);
                for (x, y) in lo.iter_mut().zip(hi) {
                    let (u, v) = (*x, *y);
                    let s = u + v;
                    *x = s.min(s.wrapping_sub(2 * q));
                    *y = mul_shoup_lazy(u + 2 * q - v, w, q);
                }
            }
        }
        let scale = shoup64(scale, q);
        for x in a {
            let y = mul_shoup_lazy(*x, scale, q);
            *x = y.min(y.wrapping_sub(q));
        }
    }
}
