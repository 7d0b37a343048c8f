//! The cost of the known lattice attacks on NTRU, recomputed from the published formulas.
//!
//! From `h = g/f` in `Z_Q[X]/(X^N + 1)`, with coefficients of `f` and `g` of deviations `σ_f` and `σ_g`, the attacker
//! has the lattice of all `(u·c, v)` with `v = u·h mod Q`; `c = σ_g/σ_f` makes both halves as long. Its dimension is
//! `d = 2N` and its volume `(c·Q)^N`, and the `N` short vectors `(X^i·f·c, X^i·g)` span a sublattice of a volume that
//! is far too small. A basis reduced with block size `β` has the Z-shape of Ducas and van Woerden (Asiacrypt 2021,
//! eprint 2021/999): Gram–Schmidt norms fall from `Q` to `c` by `δ²` a step, symmetrically around the middle, and are
//! flat outside.
//!
//! * [`Attack::SecretKey`]: a block of `β` shows one of the `N` short vectors, projected, as its shortest.
//! * [`Attack::DenseSublattice`]: a block shows a vector of the sublattice that isn't one of them. Above some modulus,
//!   the *fatigue point*, that happens first, and costs fall fast as the modulus grows.
//!
//! An attack's `β` is the smallest for which one tour of the reduction succeeds with probability a half.
//!
//! ```
//! use everlevel_security::estimate::CostModel;
//! use everlevel_security::ntru::{Attack, Ntru, TERNARY_STD_DEV, cheapest};
//!
//! let ntru = Ntru::new(10, 20.3, TERNARY_STD_DEV, TERNARY_STD_DEV, 4000)?;
//! let found = cheapest(&ntru).expect("within reach");
//! assert_eq!(found.attack, Attack::DenseSublattice);
//! assert!(found.log2_cost(CostModel::Bdgl16) > 128.0 && found.log2_core_svp() < 100.0);
//! # Ok::<(), everlevel_security::Error>(())
//! ```
#![doc = include_str!("../notes/ntru-security.md")]

use std::f64::consts::{LN_2, PI};

use crate::Error;
use crate::estimate::{CORE_SVP_SLOPE, CostModel, MAX_BETA, MIN_BETA};
use crate::special::{chi_squared, digamma, first, ln_gamma};

/// Standard deviation of a uniform coefficient of `{-1, 0, 1}`: `√(2/3)`.
pub const TERNARY_STD_DEV: f64 = 0.816_496_580_927_726;

/// An NTRU instance under attack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ntru {
    log_n: u32,
    log2_q: f64,
    f_std_dev: f64,
    g_std_dev: f64,
    samples: usize,
}

impl Ntru {
    /// Ring degree `2^log_n`, modulus `2^log2_q`, deviations of a coefficient of the secret `f` and of the errors `g`,
    /// and how many samples `g_i/f` of one `f` the attacker has.
    ///
    /// # Errors
    /// [`Error::BadNtru`] unless `log_n` is 7 to 15, there is a sample, and the deviations are positive and below the
    /// modulus.
    pub fn new(log_n: u32, log2_q: f64, f_std_dev: f64, g_std_dev: f64, samples: usize) -> Result<Self, Error> {
        let sound = (7..=15).contains(&log_n)
            && log2_q.is_finite()
            && [f_std_dev, g_std_dev, g_std_dev / f_std_dev].iter().all(|&x| x > 0.0 && x.log2() < log2_q)
            && samples > 0;
        if sound {
            Ok(Self { log_n, log2_q, f_std_dev, g_std_dev, samples })
        } else {
            Err(Error::BadNtru { log_n, log2_q, f_std_dev, g_std_dev, samples })
        }
    }

    fn n(&self) -> f64 {
        f64::from(1u32 << self.log_n)
    }

    fn ln_q(&self) -> f64 {
        self.log2_q * LN_2
    }

    /// ln of `c`.
    fn ln_scale(&self) -> f64 {
        (self.g_std_dev / self.f_std_dev).ln()
    }

    /// ln of the Gram–Schmidt norm `steps` places after the middle of the Z-shape.
    fn ln_norm(&self, slope: f64, steps: f64) -> f64 {
        let (high, low) = (self.ln_q(), self.ln_scale());
        let fallen = slope * (steps + 0.5);
        if fallen.abs() <= 0.5 * (high - low) {
            0.5 * (high + low) - fallen
        } else if steps < 0.0 {
            high
        } else {
            low
        }
    }
}

/// A way to use the secret key's short vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attack {
    /// Reduction until a rotation of the secret key is a unique shortest vector.
    SecretKey,
    /// Reduction until a vector of the dense sublattice is found.
    DenseSublattice,
}

/// An attack with its block size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The attack.
    pub attack: Attack,
    /// Block size `β` of the reduction.
    pub beta: f64,
    /// Dimension `d = 2N` of the lattice of one sample: more only put vectors of length `Q` before it.
    pub dim: f64,
}

impl Estimate {
    /// log2 of one call of the shortest-vector solver: `0.292 β`.
    pub fn log2_core_svp(&self) -> f64 {
        CORE_SVP_SLOPE * self.beta
    }

    /// log2 of the cost of the reduction. Labels of published NTRU sets are by [`CostModel::Bdgl16`].
    pub fn log2_cost(&self, model: CostModel) -> f64 {
        model.log2_cost(self.beta, self.dim)
    }
}

/// The cheaper of both attacks, or `None` if both are out of reach.
pub fn cheapest(ntru: &Ntru) -> Option<Estimate> {
    let attacks = [Attack::SecretKey, Attack::DenseSublattice].into_iter();
    attacks.filter_map(|attack| estimate(ntru, attack)).min_by(|a, b| a.beta.total_cmp(&b.beta))
}

/// One attack, or `None` if no block size up to `N` is enough (or up to 1754, some 500 bits).
pub fn estimate(ntru: &Ntru, attack: Attack) -> Option<Estimate> {
    let chance = match attack {
        Attack::SecretKey => chance_of_secret_key,
        Attack::DenseSublattice => chance_of_dense_sublattice,
    };
    let smallest = |ntru: &Ntru| first(MIN_BETA, MAX_BETA.min(ntru.n()), |beta| chance(ntru, beta) >= 0.5);
    // One sample may be taken as `f/g` just as well; the flat ends of the Z-shape then favour the attacker.
    let inverse = Ntru { f_std_dev: ntru.g_std_dev, g_std_dev: ntru.f_std_dev, samples: 1, ..*ntru };
    let other = if ntru.f_std_dev > ntru.g_std_dev { smallest(&inverse) } else { None };
    let beta = smallest(ntru).into_iter().chain(other).reduce(f64::min)?;
    Some(Estimate { attack, beta, dim: 2.0 * ntru.n() })
}

/// The chance that a tour finds one of the `N` rotations, by the geometric series assumption in the lattice of the
/// best number of samples' coefficients.
fn chance_of_secret_key(ntru: &Ntru, beta: f64) -> f64 {
    let (n, ln_q, slope) = (ntru.n(), ntru.ln_q(), slope(beta));
    let spare = ln_q - ntru.ln_scale();
    let dim = (2.0 * n * spare / slope).sqrt().floor().clamp(n + 1.0, n * (1.0 + ntru.samples as f64));
    let ln_mean = ln_q - n * spare / dim;
    let ln_norm = ln_mean - slope * (0.5 * (dim - 1.0) - beta);
    let one = chi_squared(beta, (2.0 * (ln_norm - ntru.g_std_dev.ln())).exp());
    1.0 - (1.0 - one).powf(n)
}

/// The chance that a tour finds a vector of the dense sublattice: for `i` from `N` down, a shortest vector of the
/// sublattice's intersection with all but the last `N − i` basis vectors, of dimension `i`, seen in the block that ends
/// there.
fn chance_of_dense_sublattice(ntru: &Ntru, beta: f64) -> f64 {
    let (n, slope) = (ntru.n(), slope(beta));
    let samples = ntru.samples as f64;
    // The sublattice's volume: at each complex embedding, |f·c|² and all |g_i|² are squares of Gaussian variables.
    let mut ln_vol = 0.5 * n * (digamma(1.0 + samples) + n.ln() + 2.0 * ntru.g_std_dev.ln());
    let mut none = 1.0;
    let mut i = n;
    while i >= 1.0 {
        let dim = samples * n + i;
        // A random vector of the unit sphere in `dim` dimensions has this variance in each.
        let ln_variance = 2.0 * ln_gaussian_heuristic(i, ln_vol) - dim.ln();
        let ln_norm = ntru.ln_norm(slope, i - beta);
        none *= 1.0 - chi_squared(beta, (2.0 * ln_norm - ln_variance).min(100.0).exp());
        // Cut by the dual of the last basis vector, whose projection to the sublattice's span is that of a random one.
        ln_vol += 0.5 * (digamma(0.5 * i) - digamma(0.5 * dim)) - ntru.ln_norm(slope, i - 1.0);
        i -= 1.0;
    }
    1.0 - none
}

/// `2·ln δ(β)`, by the Gaussian heuristic: the fall of norms at each step of a reduced basis.
fn slope(beta: f64) -> f64 {
    2.0 * ln_gaussian_heuristic(beta, 0.0) / (beta - 1.0)
}

/// ln of the expected length of a shortest vector.
fn ln_gaussian_heuristic(dim: f64, ln_vol: f64) -> f64 {
    (ln_vol + ln_gamma(0.5 * dim + 1.0) - 0.5 * dim * PI.ln()) / dim
}
