//! Conversion of limbs from one basis of primes to another.

use crate::Modulus;
use crate::simd::Level;
use crate::simd::vector_prefix;

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod four_lanes;

/// Residues of a block: those of a dozen sources stay in the second-level cache while every target reads them.
pub const CONVERSION_BLOCK: usize = 4096;

/// Converts integers modulo `D = ∏ d_j` to residues modulo other primes, through the centred representative.
///
/// With `y_j = x_j·(D/d_j)^-1 mod d_j`, the representative of `x` nearest to zero is `Σ_j y_j·(D/d_j) − v·D` with
/// `v = round(Σ_j y_j/d_j)`. The sum `Σ y_j/d_j` is taken in f64, in the order of the basis and without fused
/// multiply-adds, so every backend gives the same bits; an error of that sum (below 2^-48) can only move values within
/// 2^-48·D of ±D/2 to the other side, which is still a representative of `x`, of size at most `D/2·(1 + 2^-47)`.
#[derive(Debug, Clone)]
pub struct BasisConverter {
    from: Vec<Modulus>,
    to: Vec<Modulus>,
    /// `(D/d_j)^-1 mod d_j`.
    scale: Vec<u64>,
    /// `1/d_j`.
    reciprocal: Vec<f64>,
    /// `weights[t][j] = D/d_j mod to_t`; the last entry is `−D mod to_t`.
    weights: Vec<Vec<u64>>,
}

impl BasisConverter {
    /// Tables for one pair of bases. At most 60 source primes, all distinct from one another.
    pub fn new(from: &[Modulus], to: &[Modulus]) -> Self {
        assert!(!from.is_empty() && from.len() <= 60);
        let product_without = |j: usize, m: &Modulus| {
            from.iter().enumerate().filter(|(k, _)| *k != j).fold(1, |acc, (_, d)| m.mul(acc, m.reduce(d.q())))
        };
        let scale = (0..from.len()).map(|j| from[j].inv(product_without(j, &from[j]))).collect();
        let weights = to
            .iter()
            .map(|t| {
                let mut w: Vec<u64> = (0..from.len()).map(|j| product_without(j, t)).collect();
                w.push(t.neg(product_without(usize::MAX, t)));
                w
            })
            .collect();
        let reciprocal = from.iter().map(|d| 1.0 / d.q() as f64).collect();
        Self { from: from.to_vec(), to: to.to_vec(), scale, reciprocal, weights }
    }

    /// `(D/d_j)^-1 mod d_j`, for each source prime: the factors to fold into an inverse transform.
    pub fn scale(&self) -> &[u64] {
        &self.scale
    }

    /// The source basis.
    pub fn from(&self) -> &[Modulus] {
        &self.from
    }

    /// The target basis.
    pub fn to(&self) -> &[Modulus] {
        &self.to
    }

    /// `out[t][i] = x[i] mod to_t`, from the scaled residues `y[j][i] = x_j[i]·scale_j mod d_j`.
    ///
    /// Works on any stretch of the limbs, block by block of [`CONVERSION_BLOCK`] residues.
    ///
    /// # Panics
    /// If the number or length of the limbs differs from the bases.
    pub fn convert(&self, out: &mut [&mut [u64]], y: &[&[u64]]) {
        assert_eq!(out.len(), self.to.len());
        let n = self.check_sources(y);
        assert!(out.iter().all(|o| o.len() == n));
        let mut quotients = [0u64; CONVERSION_BLOCK];
        for start in (0..n).step_by(CONVERSION_BLOCK) {
            let range = start..(start + CONVERSION_BLOCK).min(n);
            let y: Vec<&[u64]> = y.iter().map(|y| &y[range.clone()]).collect();
            let v = &mut quotients[..range.len()];
            self.quotients_into(v, &y);
            let mut outs: Vec<&mut [u64]> = out.iter_mut().map(|o| &mut o[range.clone()]).collect();
            let done = self.convert_together(&mut outs, &y, v);
            for ((out, m), w) in outs.iter_mut().zip(&self.to).zip(&self.weights).skip(done) {
                convert_limb(m, w, out, &y, v);
            }
        }
    }

    /// Converts to as many of the targets as one pass over the sources can, on backends with registers for several, and
    /// gives their number.
    fn convert_together(&self, outs: &mut [&mut [u64]], y: &[&[u64]], v: &[u64]) -> usize {
        macro_rules! in_groups {
            ($kernels:ident) => {{
                let (groups, _) = outs.as_chunks_mut::<{ $kernels::TARGETS }>();
                let (moduli, weights) = (self.to.as_chunks().0, self.weights.as_chunks().0);
                for ((out, m), w) in groups.iter_mut().zip(moduli).zip(weights) {
                    // SAFETY: the kernel needs what its level has, which `Simd::available` detected before it made a
                    // `Simd` of this level; its slices are checked by bounds.
                    unsafe { $kernels::weighted_sums(m, w, out, y, v) }
                }
                groups.len() * $kernels::TARGETS
            }};
        }
        let is_whole = |residues: usize| v.len().is_multiple_of(residues);
        match self.from[0].simd().0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma if is_whole(avx512::TOGETHER) => in_groups!(avx512),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Level::FOUR_LANES if is_whole(four_lanes::RESIDUES) => in_groups!(four_lanes),
            _ => 0,
        }
    }

    /// The quotients `v[i] = round(Σ_j y_j[i]/d_j)`, shared by all targets.
    ///
    /// # Panics
    /// If the number or length of the limbs differs from the basis or `v`.
    pub fn quotients_into(&self, v: &mut [u64], y: &[&[u64]]) {
        assert_eq!(v.len(), self.check_sources(y));
        let done = vector_prefix!(self.from[0].simd(), quotients(v, y, &self.reciprocal));
        for (i, v) in v.iter_mut().enumerate().skip(done) {
            *v = y.iter().zip(&self.reciprocal).fold(0.5, |acc, (y, r)| acc + y[i] as f64 * r) as u64;
        }
    }

    fn check_sources(&self, y: &[&[u64]]) -> usize {
        assert_eq!(y.len(), self.from.len());
        let n = y[0].len();
        assert!(y.iter().all(|l| l.len() == n));
        n
    }
}

/// One target: `out[i] = v[i]·w_k + Σ_j y_j[i]·w_j mod m`.
fn convert_limb(m: &Modulus, w: &[u64], out: &mut [u64], y: &[&[u64]], v: &[u64]) {
    let done = vector_prefix!(m.simd(), weighted_sum(m, w, out, y, v));
    let k = y.len();
    m.sums_into(out, done, |i, sums| {
        for (y, &w) in y.iter().copied().zip(w).chain([(v, &w[k])]) {
            for (sum, &y) in sums.iter_mut().zip(&y[i..]) {
                *sum += u128::from(y) * u128::from(w);
            }
        }
    });
}
