//! Roots of unity, correct to the last bit or very nearly, and the same on every machine.
//!
//! The functions `sin` and `cos` of the platform may differ between platforms, so roots are made of additions,
//! products, quotients and square roots of pairs of doubles (a value is the sum of its two parts, about 106 bits),
//! which IEEE 754 fixes.

use super::plan::Plan;

/// An unevaluated sum of two doubles, the second at most half a unit in the last place of the first.
#[derive(Clone, Copy)]
struct Pair(f64, f64);

impl Pair {
    /// `a + b`, exactly, for `|a| ≥ |b|` or `a = 0`.
    fn sum_ordered(a: f64, b: f64) -> Self {
        let s = a + b;
        Self(s, b - (s - a))
    }

    fn add(self, other: Self) -> Self {
        let s = self.0 + other.0;
        let v = s - self.0;
        let error = (self.0 - (s - v)) + (other.0 - v);
        Self::sum_ordered(s, error + self.1 + other.1)
    }

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }

    fn mul(self, other: Self) -> Self {
        let p = self.0 * other.0;
        let error = self.0.mul_add(other.0, -p);
        Self::sum_ordered(p, error + self.0.mul_add(other.1, self.1 * other.0))
    }

    fn half(self) -> Self {
        Self(self.0 / 2.0, self.1 / 2.0)
    }

    /// One Newton step from the rounded square root.
    fn sqrt(self) -> Self {
        let r = self.0.sqrt();
        let rest = self.add(Self(r * r, r.mul_add(r, -(r * r))).neg());
        Self::sum_ordered(r, rest.0 / (2.0 * r))
    }

    /// One Newton step from the rounded quotient.
    fn div(self, other: Self) -> Self {
        let q = self.0 / other.0;
        let rest = self.add(other.mul(Self(q, 0.0)).neg());
        Self::sum_ordered(q, rest.0 / other.0)
    }
}

/// `e^(2πi·t/2^log_order)` as `(cos, sin)` for `t` in `0..2^(log_order − 2)`, the first quadrant. `log_order ≥ 3`.
pub(super) fn first_quadrant(log_order: u32) -> Vec<(f64, f64)> {
    let one = Pair(1.0, 0.0);
    let mut roots = vec![(one, Pair(0.0, 0.0))];
    // `e^(2πi/2^j)` for j = 3, 4, …: halve the angle each time.
    let mut steps = Vec::new();
    let mut c = Pair(0.5, 0.0).sqrt();
    let mut s = c;
    for _ in 3..=log_order {
        steps.push((c, s));
        let half_c = one.add(c).half().sqrt();
        s = s.div(half_c).half();
        c = half_c;
    }
    for &(c, s) in steps.iter().rev() {
        let rotated: Vec<_> =
            roots.iter().map(|&(x, y)| (x.mul(c).add(y.mul(s).neg()), x.mul(s).add(y.mul(c)))).collect();
        roots.extend(rotated);
    }
    roots.iter().map(|&(x, y)| (x.0, y.0)).collect()
}

/// The twiddles of the tree, in the order in which the passes read them.
///
/// A node `k` of depth `d` is the ring `C[X]/(X^(m/2^d) − w²)` with `w = e^(2πi·(1/4 + brv_d(k))/2^(d+1))`. It splits
/// into `X^… − w` (node `2k`) and `X^… + w` (node `2k + 1`). Since `w(d, 2k+1) = i·w(d, 2k)`, only even nodes are
/// stored below the first level of a pass.
pub(super) struct Twiddles {
    quadrant: Vec<(f64, f64)>,
    log_order: u32,
}

impl Twiddles {
    fn new(log_m: u32) -> Self {
        let log_order = log_m + 2;
        Self { quadrant: first_quadrant(log_order), log_order }
    }

    /// The twiddle of every node, level by level.
    pub(super) fn tree(log_m: u32) -> Vec<(f64, f64)> {
        let twiddles = Self::new(log_m.max(1));
        (0..log_m)
            .flat_map(|depth| (0..1 << depth).map(move |node| (depth, node)))
            .map(|(d, k)| twiddles.w(d, k))
            .collect()
    }

    fn w(&self, depth: u32, node: usize) -> (f64, f64) {
        let brv = if depth == 0 { 0 } else { node.reverse_bits() >> (usize::BITS - depth) };
        // In units of 1/2^log_order of a turn.
        let angle = (4 * brv + 1) << (self.log_order - depth - 3);
        let quarter = self.quadrant.len();
        let (c, s) = self.quadrant[angle % quarter];
        if angle < quarter { (c, s) } else { (-s, c) }
    }

    /// The `radix/2` twiddles of a pass that starts at a node: its own, then the even ones of each further level.
    fn pass(&self, depth: u32, node: usize, log_radix: u32) -> Vec<(f64, f64)> {
        let mut all = vec![self.w(depth, node)];
        for level in 1..log_radix {
            all.extend((0..1 << level).step_by(2).map(|even| self.w(depth + level, (node << level) + even)));
        }
        all
    }

    /// The table of a plan: for each pass, for each node, the twiddles as re, im; for the groups, four such scalars
    /// pairs, then the four of the transposed levels as vectors of eight re, eight im.
    pub(super) fn table(plan: &Plan) -> Vec<f64> {
        let twiddles = Self::new(plan.log_m);
        let flat = |pass: Vec<(f64, f64)>| pass.into_iter().flat_map(|(c, s)| [c, s]);
        let mut table: Vec<f64> = flat(twiddles.pass(0, 0, plan.log_first)).collect();
        let mut depth = plan.log_first;
        for &log_radix in plan.log_middle {
            table.extend((0..1 << depth).flat_map(|node| flat(twiddles.pass(depth, node, log_radix))));
            depth += log_radix;
        }
        for group in 0..1 << depth {
            table.extend(flat(twiddles.pass(depth, group, 3)));
            let lanes: Vec<_> = (0..8).map(|lane| twiddles.pass(depth + 3, 8 * group + lane, 3)).collect();
            for i in 0..4 {
                table.extend(lanes.iter().map(|lane| lane[i].0));
                table.extend(lanes.iter().map(|lane| lane[i].1));
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_agree_with_sin_and_cos() {
        let roots = first_quadrant(10);
        assert_eq!(roots.len(), 256);
        for (t, &(c, s)) in roots.iter().enumerate() {
            let (sin, cos) = (t as f64 * core::f64::consts::TAU / 1024.0).sin_cos();
            assert!((c - cos).abs() < 3e-16 && (s - sin).abs() < 3e-16, "{t}");
        }
    }

    #[test]
    fn roots_square_to_roots() {
        // To the accuracy of a double: the coarser table is every second entry of the finer one, bit for bit.
        let (coarse, fine) = (first_quadrant(12), first_quadrant(16));
        assert!(coarse.iter().enumerate().all(|(t, &root)| root == fine[16 * t]));
        // cos and sin are mirrored about an eighth of a turn.
        assert!((1..fine.len()).all(|t| fine[t].0 == fine[fine.len() - t].1));
    }
}
