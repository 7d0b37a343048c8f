//! The dual hybrid attack of MATZOV, "Report on the Security of LWE: Improved Dual Lattice Attack" (2022), Theorem 7.6,
//! which builds on Guo and Johansson (Asiacrypt 2021): short vectors of the dual lattice tell right guesses of a part
//! of the secret from wrong ones.
//!
//! The secret's `n` coordinates are split: `ζ` are enumerated, `t` are guessed modulo `p` by one Fourier transform, and
//! `k = n − ζ − t` are cancelled by the dual vectors. With `m` samples and blocks of `β` in dimension `d = m + k`, a
//! sieve gives vectors whose product with a sample has deviation `σ' = σ^(m/d)·(q·s)^(k/d)·√(4/3)·√(β/2πe)·δ^(d−β)`,
//! `s` the deviation of a secret coordinate, and a guess stands out among
//!
//! `N = exp(4·(πσ'/q)²)·exp(t/3·(πs/p)²)·(ζ·H + t·ln p + ln 2)`
//!
//! of them. The cost is that of the sieves that give `N` vectors, and of the guesses, each a transform and an update of
//! its table. The theorem bounds the guesses by `2^(ζH)·(2a/√e)^ζ`, which is for Gaussian coordinates: 2.9 for each
//! bit, 4.1 for each uniform ternary one. Where coordinates are uniform, nobody has to guess more than their values, 2
//! or 3: [`Guesses::Values`], by which this crate's claims are made.
//!
//! The estimate is cautious: Ducas and Pulles (Crypto 2023) show that wrong guesses stand out more often than the
//! attack's heuristics say.

use std::f64::consts::{E, LN_2, PI};

use crate::estimate::{Attack, CostModel, Estimate, Lwe, MAX_BETA, MIN_BETA, ln_delta};
use crate::guess::Rest;
use crate::special::log2_sum;

/// Gates of a product and of a sum of table entries (MATZOV, p. 37; the sum in proportion).
const PRODUCT_GATES: f64 = 1024.0;
const SUM_GATES: f64 = 160.0;

/// A count of the guesses of the enumerated coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guesses {
    /// The theorem's count, which the lattice-estimator takes.
    #[cfg_attr(not(test), expect(dead_code, reason = "for comparisons with the estimator"))]
    Theorem,
    /// The values that a uniform coordinate has, the likely ones of a sparse bit, and by the theorem where coordinates
    /// are neither.
    Values,
}

/// An attack on an instance: what is held fixed while its splits are searched.
#[derive(Debug, Clone, Copy)]
struct Search<'a> {
    lwe: &'a Lwe,
    model: CostModel,
    /// The number of samples, if it isn't the best one.
    samples: Option<f64>,
    guesses: Guesses,
}

/// A split of the secret's coordinates by the attack.
#[derive(Debug, Clone, Copy)]
struct Split {
    /// Block size.
    beta: f64,
    /// Modulus of the transform.
    p: f64,
    /// Enumerated coordinates.
    zeta: f64,
    /// Coordinates of the transform.
    t: f64,
}

/// The cost of a split and its parts, as log2.
#[derive(Debug, Clone, Copy)]
struct Parts {
    /// Dimension of the lattice.
    dim: f64,
    /// Cost of the reduction and the sieves.
    vectors_cost: f64,
    /// Cost of everything that is done with the vectors.
    guesses_cost: f64,
    /// The number of vectors.
    #[cfg_attr(not(test), expect(dead_code, reason = "what the estimator prints"))]
    vectors: f64,
}

impl Parts {
    fn log2_cost(&self) -> f64 {
        log2_sum(self.vectors_cost, self.guesses_cost)
    }
}

/// The cheapest split, with as many samples as suit it best.
pub(crate) fn dual_hybrid(lwe: &Lwe, model: CostModel) -> Option<Estimate> {
    cheapest_split(Search { lwe, model, samples: None, guesses: Guesses::Values })
}

fn cheapest_split(search: Search<'_>) -> Option<Estimate> {
    let splits = (2..=8).map(|p| best_split(search, f64::from(p)));
    splits.min_by(|a, b| a.1.log2_cost().total_cmp(&b.1.log2_cost())).map(|(split, parts)| Estimate {
        attack: Attack::DualHybrid,
        log2_cost: parts.log2_cost(),
        beta: split.beta,
        dim: parts.dim,
        guessed: split.zeta + split.t,
    })
}

/// Grids over `β`, `ζ` and `t` that shrink around the best so far.
fn best_split(search: Search<'_>, p: f64) -> (Split, Parts) {
    let lwe = search.lwe;
    let mut best = Split { beta: (MIN_BETA + MAX_BETA) / 2.0, p, zeta: 0.0, t: 0.0 };
    let mut found = attempt(search, best);
    let (mut beta_span, mut guess_span) = (best.beta - MIN_BETA, lwe.n() / 2.0);
    while beta_span >= 1.0 || guess_span >= 1.0 {
        let steps = || (-8..=8).map(|i| f64::from(i) / 8.0);
        let centre = best;
        for (i, j, k) in steps().flat_map(|i| steps().flat_map(move |j| steps().map(move |k| (i, j, k)))) {
            let split = Split {
                beta: (centre.beta + i * beta_span).round(),
                p,
                zeta: (centre.zeta + j * guess_span).round(),
                t: (centre.t + k * guess_span).round(),
            };
            let Split { beta, zeta, t, .. } = split;
            if (MIN_BETA..=MAX_BETA).contains(&beta) && zeta.min(t) >= 0.0 && zeta + t < lwe.n() {
                let parts = attempt(search, split);
                if parts.log2_cost() < found.log2_cost() {
                    (best, found) = (split, parts);
                }
            }
        }
        (beta_span, guess_span) = (beta_span / 2.0, guess_span / 2.0);
    }
    (best, found)
}

/// One split with `m` samples, or with as many as make the vectors shortest.
fn attempt(search: Search<'_>, split: Split) -> Parts {
    let Search { lwe, model, samples, guesses } = search;
    let Split { beta, p, zeta, t } = split;
    let (s, ln_q, ln_sigma, ln_delta) = (lwe.secret_std_dev(), lwe.ln_q(), lwe.ln_std_dev(), ln_delta(beta));
    let Rest { dims: k, ln_vol } = Rest::new(lwe, lwe.n() - zeta - t);
    // ln σ' is `per_dim / d + d·ln δ` and terms that don't depend on d.
    let per_dim = (k * (s.ln() + ln_q - ln_sigma) - ln_vol).max(0.0);
    let dim = samples.map_or((per_dim / ln_delta).sqrt().round().max(k + 1.0), |m| m + k);

    let ln_ball = 0.5 * (4.0 / 3.0 * beta / (2.0 * PI * E)).ln();
    let ln_product = PI.ln() + ln_sigma - ln_q + per_dim / dim + ln_ball + (dim - beta) * ln_delta;
    let spread = (PI * s).powi(2);
    let entropy = (0.5 + ((2.0 * PI).sqrt() * s).ln() - spread.tanh().ln()) / LN_2;
    let log2_values = lwe.log2_values().filter(|_| guesses == Guesses::Values);
    let candidates = zeta * log2_values.unwrap_or(entropy) + t * p.ln() + LN_2;
    let vectors = (4.0 * (2.0 * ln_product).exp() + t / 3.0 * spread / (p * p) + candidates.ln()) / LN_2;

    let (sieve, log2_sieve) = model.sieve_beside(beta, dim);
    let repeats = (vectors - 0.2075 * sieve).max(0.0);
    let vectors_cost = repeats + log2_sum(model.log2_cost(beta, dim), log2_sieve);

    let ln_a = 8.0 * spread * (-2.0 * spread).exp() * spread.tanh();
    let log2_guesses = match log2_values {
        Some(log2_values) => zeta * log2_values,
        None => zeta * (1.0 + (ln_a - 0.5) / LN_2 + entropy) - (-(-0.5 / (s * s)).exp_m1()).log2(),
    };
    let transform = if t > 0.0 { (PRODUCT_GATES * t).log2() + (t + 1.0) * p.log2() } else { f64::NEG_INFINITY };
    let table = (4.0 * SUM_GATES).log2() + vectors;
    Parts { dim, vectors_cost, guesses_cost: log2_guesses + log2_sum(transform, table), vectors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SecretDistribution::{Binary, FixedWeight, Ternary};

    /// The search with the lattice-estimator's counts.
    fn estimator(lwe: &Lwe, samples: Option<f64>) -> Search<'_> {
        Search { lwe, model: CostModel::Matzov, samples, guesses: Guesses::Theorem }
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected} ± {tolerance}");
    }

    /// Outputs of the lattice-estimator, cost by cost, at the parameters that it chose: `schemes.SEAL22_8192` (its
    /// `docs/schemes/hes.rst`, commit 1bb476f), and binary secrets with `q = 2^64` (github.com/Sunscreen-tech/spf, pull
    /// request 94).
    #[test]
    fn parts_are_those_of_the_lattice_estimator() {
        let split = |beta, p, zeta, t| Split { beta, p, zeta, t };
        let torus = |dim, std_dev: f64| Lwe::with_dim(dim, 64.0, Binary, std_dev * 64f64.exp2()).unwrap();
        let seal = Lwe::new(13, 226.0, Ternary, 3.19).unwrap();
        for (lwe, split, (vectors_cost, guesses_cost, vectors), tolerance) in [
            (torus(512, 6.6e-4), split(346.0, 2.0, 10.0, 90.0), (128.1, 123.2, 72.5), 0.051),
            (torus(637, 7.3e-5), split(344.0, 2.0, 10.0, 90.0), (128.1, 123.2, 72.5), 0.15),
            (seal, split(306.0, 3.0, 10.0, 40.0), (121.8, 101.7, 68.1), 0.051),
        ] {
            let parts = attempt(estimator(&lwe, Some(lwe.n())), split);
            println!("{split:?}: {parts:?}");
            assert_near(parts.vectors_cost, vectors_cost, tolerance);
            assert_near(parts.guesses_cost, guesses_cost, tolerance);
            assert_near(parts.vectors, vectors, tolerance);
            // The search finds this split or a better one; its steps are finer than the estimator's.
            let best = cheapest_split(estimator(&lwe, Some(lwe.n()))).unwrap();
            assert!((-0.6..=1e-9).contains(&(best.log2_cost - parts.log2_cost())), "{best:?}");
        }
    }

    /// Frozen outputs of commit 27a581b for `N = 2^16` (docs/notes/security.md).
    #[test]
    fn searches_agree_with_the_lattice_estimator() {
        for (weight, log2_q, expected) in
            [(192, 1517.0, 148.9), (192, 1717.0, 131.0), (512, 1717.0, 131.0), (1024, 1717.0, 131.3)]
        {
            let lwe = Lwe::new(16, log2_q, FixedWeight(weight), 3.19).unwrap();
            let limited = cheapest_split(estimator(&lwe, Some(lwe.n()))).unwrap();
            let free = cheapest_split(estimator(&lwe, None)).unwrap();
            println!("weight {weight}, {log2_q}: {limited:?}, {free:?}");
            assert_near(limited.log2_cost, expected, 0.06);
            assert!(free.log2_cost <= limited.log2_cost + 0.01);
        }
    }

    /// The line of [`crate::torus`] was drawn for 132 bits against this attack, with as many samples as coefficients.
    #[test]
    fn the_torus_line_is_the_published_one() {
        for dim in (500..2600).step_by(100) {
            let std_dev_int = (64.0 + crate::torus::published_log2_std_dev(dim, 64).unwrap()).exp2();
            let lwe = Lwe::with_dim(dim, 64.0, Binary, std_dev_int).unwrap();
            let limited = cheapest_split(estimator(&lwe, Some(lwe.n()))).unwrap().log2_cost;
            let free = cheapest_split(estimator(&lwe, None)).unwrap().log2_cost;
            println!("n = {dim}: {limited:.1}, {free:.1} with the best number of samples");
            assert!((131.85..134.1).contains(&limited), "n = {dim}: {limited}");
            assert!((0.0..3.6).contains(&(limited - free)), "n = {dim}: {limited}, {free}");
        }
    }
}
