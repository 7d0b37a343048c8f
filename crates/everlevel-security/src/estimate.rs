//! The cost of lattice attacks on ring LWE, recomputed from the published formulas.
//!
//! Ring LWE is treated as LWE of dimension `n = N`, modulus `q = QP`, error deviation `σ`, with as many samples as the
//! attacker likes. The lattice is that of Bai and Galbraith (ACISP 2014): dimension `d`, the secret's `n` coordinates
//! scaled by `ξ = σ / std(secret)` (never below 1), one more vector of length `τ = σ`. A basis reduced with block size
//! `β` is taken to follow the geometric series assumption: Gram–Schmidt norms `δ^(d-1-2i) vol^(1/d)`, where
//! `δ = (β/(2πe) · (πβ)^(1/β))^(1/(2(β-1)))`.
//!
//! * [`Attack::Usvp`]: reduce until the error shows as a unique shortest vector, `σ√β ≤ δ^(2β-d-1) vol^(1/d)`
//!   (ADPS16, USENIX Security 2016; AGVW17, Asiacrypt 2017). `β` and `d` are exact minima.
//! * The hybrids: guess that at most `w` of `ζ` chosen coordinates of the secret are nonzero, reduce the rest, settle
//!   every candidate by a nearest vector, repeat until the guess holds. No guess (`ζ = 0`) is [`Attack::Bdd`]. The
//!   module `guess` counts the guesses, and knows the structure of one-hot blocks.
//!
//! The hybrids are approximations: a grid over `β` and `ζ`, then over `d`; Babai's success by the Gaussian limit of its
//! law; a meet in the middle that finds every collision for the root of the candidates. They agree with frozen outputs
//! of the lattice-estimator within half a bit (see the tests), for the kinds of secret listed there and no others; for
//! sparse bits of small moduli within two bits, or four below it where it doesn't try what is tried here.
//! Block sizes start at 60, so an instance broken with less is only known to be broken.
//!
//! * [`Attack::DualHybrid`]: the module `dual`. With the estimator's count of guesses it agrees with the
//!   lattice-estimator within a tenth of a bit; claims are made with a smaller count.

use std::f64::consts::{E, LN_2, PI, SQRT_2};

use crate::dual::dual_hybrid;
use crate::guess::{Guess, Rest};
pub use crate::instance::Lwe;
use crate::special::{erf, first, ln_gamma, log2_sum};

/// Below this block size `δ(β)` is not asymptotic; an instance that is broken there is hopeless anyway.
pub(crate) const MIN_BETA: f64 = 60.0;
/// Bits of a call of the shortest-vector solver for each dimension, asymptotically (BDGL16).
pub(crate) const CORE_SVP_SLOPE: f64 = 0.292;
/// Reduction beyond this costs more than 512 bits.
pub(crate) const MAX_BETA: f64 = 1754.0;

/// The assumed cost of one call of a shortest-vector solver, and of lattice reduction with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostModel {
    /// Sieving as in BDGL16 (SODA 2016), `8d` calls: `0.292 β + 16.4 + log2(8d)` bits.
    Bdgl16,
    /// MATZOV (2022): list decoding counted in gates, dimensions for free, progressive sieves and blocks.
    Matzov,
}

impl CostModel {
    /// log2 of the cost of reducing a lattice of dimension `dim` with blocks of `beta`; of one sieve if `dim` and
    /// `beta` are equal.
    pub fn log2_cost(self, beta: f64, dim: f64) -> f64 {
        match self {
            Self::Bdgl16 => CORE_SVP_SLOPE * beta + 16.4 + if beta < dim { (8.0 * dim).log2() } else { 0.0 },
            Self::Matzov => PROGRESSIVE.log2() + (dim - beta).max(1.0).log2() + log2_sieve(beta - free(beta)),
        }
    }

    /// The dimension of the largest sieve that costs no more than a reduction of dimension `dim` with blocks of `beta`,
    /// and log2 of the sieve's cost.
    pub(crate) fn sieve_beside(self, beta: f64, dim: f64) -> (f64, f64) {
        match self {
            Self::Bdgl16 => (beta, CORE_SVP_SLOPE * beta + 16.4),
            Self::Matzov => {
                let more = if beta < dim { ((dim - beta) * PROGRESSIVE).log2() / SIEVE_SLOPE } else { 0.0 };
                let sieve = (beta - free(beta).floor() + more).floor().min(dim);
                (sieve, log2_sieve(sieve))
            }
        }
    }
}

/// Factor for all the smaller sieves before the last, and likewise for all the smaller blocks, under MATZOV.
const PROGRESSIVE: f64 = 5.46;
const SIEVE_SLOPE: f64 = 0.296_135_003;

/// log2 of the gates of a sieve in dimension `dim` and of the smaller sieves before it.
fn log2_sieve(dim: f64) -> f64 {
    PROGRESSIVE.log2() + SIEVE_SLOPE * dim + 20.387_885_985
}

/// The number of dimensions for free (Ducas, Eurocrypt 2018).
fn free(beta: f64) -> f64 {
    (beta * (4.0f64 / 3.0).ln() / (beta / (2.0 * PI * E)).ln()).max(0.0)
}

/// A way to find the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attack {
    /// Reduction alone, until the embedded error is a unique shortest vector.
    Usvp,
    /// Weaker reduction, then one larger sieve in the projected lattice.
    Bdd,
    /// Guessing, with such a sieve for every candidate.
    HybridSieve,
    /// Guessing, with Babai's nearest plane for every candidate.
    HybridNearestPlane,
    /// Guessing halves that collide, with Babai's nearest plane for the root of the number of candidates.
    HybridMeetInTheMiddle,
    /// Short dual vectors that tell right guesses from wrong ones (MATZOV 2022).
    DualHybrid,
}

impl Attack {
    /// Every attack known here.
    pub const ALL: [Self; 6] = [
        Self::Usvp,
        Self::Bdd,
        Self::HybridSieve,
        Self::HybridNearestPlane,
        Self::HybridMeetInTheMiddle,
        Self::DualHybrid,
    ];
}

/// An attack at its best parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The attack.
    pub attack: Attack,
    /// log2 of the operations (of the gates, under MATZOV).
    pub log2_cost: f64,
    /// Block size `β` of the reduction.
    pub beta: f64,
    /// Dimension `d` of the reduced lattice.
    pub dim: f64,
    /// Number `ζ` of guessed coordinates.
    pub(crate) guessed: f64,
}

/// The cheapest attack of [`Attack::ALL`], or `None` if all are out of reach.
pub fn cheapest(lwe: &Lwe, model: CostModel) -> Option<Estimate> {
    minimum(Attack::ALL.into_iter().filter_map(|attack| estimate(lwe, attack, model)))
}

/// The core-SVP count, `0.292 β`: log2 of one call of the shortest-vector solver of the direct primal attack, or `None`
/// if that is out of reach. It is below every other count, and blind to attacks that guess.
pub fn core_svp(lwe: &Lwe) -> Option<f64> {
    estimate(lwe, Attack::Usvp, CostModel::Matzov).map(|direct| CORE_SVP_SLOPE * direct.beta)
}

/// One attack at its best parameters, or `None` if none exist up to block size 1754 (some 500 bits). The other attacks
/// try no block size above that of [`Attack::Usvp`], which would be cheaper than they.
///
/// Blocks that may be empty are taken for one-hot blocks of one coefficient more by all attacks that reduce the primal
/// lattice. The dual hybrid takes them as they are, and one-hot blocks either way: as they are, or without one
/// coefficient of each, which the others give.
pub fn estimate(lwe: &Lwe, attack: Attack, model: CostModel) -> Option<Estimate> {
    if attack != Attack::DualHybrid
        && let Some(full) = lwe.with_full_blocks()
    {
        return estimate(&full, attack, model);
    }
    let direct = usvp(lwe, model);
    let top = direct.map_or(MAX_BETA, |broken| broken.beta);
    match attack {
        Attack::Usvp => direct,
        Attack::DualHybrid => {
            let forms = [Some(*lwe), lwe.with_open_blocks()];
            minimum(forms.iter().flatten().filter_map(|form| dual_hybrid(form, model)))
        }
        Attack::Bdd => {
            let none = Guess::new(lwe, 0.0, 0.0)?;
            minimum((0..=128).filter_map(|i| attempt(none, attack, model, (top - f64::from(i)).max(MIN_BETA), 1.0)))
        }
        _ => minimum(Guess::parts(lwe).into_iter().filter_map(|part| hybrid(lwe, attack, model, top, part))),
    }
}

fn usvp(lwe: &Lwe, model: CostModel) -> Option<Estimate> {
    let (ln_q, ln_tau) = (lwe.ln_q(), lwe.std_dev_int.ln());
    let Rest { dims, ln_vol } = Rest::new(lwe, lwe.n());
    // ln vol = fixed + d ln q.
    let fixed = ln_tau + dims * lwe.ln_xi() + ln_vol - (dims + 1.0) * ln_q;
    let margin =
        |beta: f64, dim: f64| ln_delta(beta) * (2.0 * beta - dim - 1.0) + fixed / dim + ln_q - ln_tau - 0.5 * beta.ln();
    let best_dim = |beta: f64| (-fixed / ln_delta(beta)).sqrt().ceil().max(beta + 1.0);
    let beta = first(MIN_BETA, MAX_BETA, |beta| margin(beta, best_dim(beta)) >= 0.0)?;
    let dim = first(beta + 1.0, best_dim(beta), |dim| margin(beta, dim) >= 0.0)?;
    Some(Estimate { attack: Attack::Usvp, log2_cost: model.log2_cost(beta, dim), beta, dim, guessed: 0.0 })
}

/// The cheapest `β` and `ζ` on grids that shrink around the best so far, then the cheapest `d`.
fn hybrid(lwe: &Lwe, attack: Attack, model: CostModel, top: f64, of_block: f64) -> Option<Estimate> {
    let (mut beta, mut zeta) = ((MIN_BETA + top) / 2.0, lwe.n() / 2.0);
    let (mut beta_span, mut zeta_span) = ((top - MIN_BETA) / 2.0, lwe.n() / 2.0);
    let mut best: Option<Estimate> = None;
    while zeta_span > 16.0 {
        let grid = (-8..=8).flat_map(|i| (-8..=8).map(move |j| (f64::from(i) / 8.0, f64::from(j) / 8.0)));
        let found = grid.filter_map(|(i, j)| {
            let (beta, zeta) = ((beta + i * beta_span).round(), (zeta + j * zeta_span).round());
            let guess = Guess::new(lwe, zeta, of_block).filter(|_| (MIN_BETA..=top).contains(&beta))?;
            attempt(guess, attack, model, beta, 1.0)
        });
        best = minimum(found.chain(best));
        (beta, zeta) = best.map_or((beta, zeta), |best| (best.beta, best.guessed));
        (beta_span, zeta_span) = ((beta_span / 3.0).max(2.0), zeta_span / 3.0);
    }
    let guess = Guess::new(lwe, zeta, of_block)?;
    let thinner = (0..20).filter_map(|i| attempt(guess, attack, model, beta, 1.0 - 0.02 * f64::from(i)));
    minimum(thinner.chain(best))
}

/// One guessing attack at fixed `β`, `ζ` and `d` (as a part of the dimension that spreads the volume best), all
/// repetitions counted.
fn attempt(guess: Guess<'_>, attack: Attack, model: CostModel, beta: f64, part: f64) -> Option<Estimate> {
    let lwe = guess.lwe;
    let (sigma, rest, ln_delta) = (lwe.std_dev_int, guess.rest(), ln_delta(beta));
    let fixed = (rest.dims * (lwe.ln_xi() - lwe.ln_q()) + rest.ln_vol).min(0.0);
    let dim = (part * (-fixed / ln_delta).sqrt()).ceil().max(beta + 1.0);
    let ln_vol = fixed + dim * lwe.ln_q();
    let reduction = model.log2_cost(beta, dim);
    let halves = attack == Attack::HybridMeetInTheMiddle;
    let root = if halves { 0.5 } else { 1.0 };

    // One candidate: its cost, and ln of the chance that the right one is recognised.
    let (each, ln_found) = if halves || attack == Attack::HybridNearestPlane {
        (2.0 * dim.log2(), ln_babai(ln_vol / dim - (dim - 1.0) * ln_delta, ln_delta, sigma, halves))
    } else {
        // The projected error and τ, of length σ√rank, are shortest by the Gaussian heuristic.
        let shortest = |rank: f64| {
            let (eta, ln_ball) = (rank - 1.0, 0.5 * rank * PI.ln() - ln_gamma(0.5 * rank + 1.0));
            let ln_projected = ln_vol * eta / dim - (dim - eta) * eta * ln_delta + sigma.ln();
            (ln_projected - ln_ball) / rank >= sigma.ln() + 0.5 * rank.ln()
        };
        let rank = first(MIN_BETA, dim.min(MAX_BETA), shortest)?;
        (log2_sum(model.log2_cost(rank, rank), 2.0 * dim.log2()), 0.0)
    };

    // Admit heavier guesses while going through them costs less than the reduction.
    let (mut candidates, mut log2_chance, mut w) = (guess.log2_candidates(0.0), guess.log2_chance(0.0), 1.0);
    while w <= guess.max_weight() {
        let more = log2_sum(candidates, guess.log2_candidates(w));
        if each + root * more >= reduction {
            break;
        }
        (candidates, log2_chance, w) = (more, log2_sum(log2_chance, guess.log2_chance(w)), w + 1.0);
    }
    let log2_chance = (log2_chance + ln_found / LN_2).min(0.0);
    // Repetitions for 99 %: ln(0.01) / ln(1 - p), at least one.
    let misses = if log2_chance > -30.0 { -(-log2_chance.exp2()).ln_1p() } else { log2_chance.exp2() };
    let repeats = ((100f64.ln()).log2() - if misses > 0.0 { misses.log2() } else { log2_chance }).max(0.0);
    let log2_cost = log2_sum(reduction, each + root * candidates) + repeats;
    log2_cost.is_finite().then_some(Estimate { attack, log2_cost, beta, dim, guessed: guess.zeta })
}

/// ln of the chance that nearest plane finds the error (Wunderer, eprint 2016/733) and, for a meet in the middle, that
/// it treats both halves of the collision alike (Son and Cheon, eprint 2019/1019), for Gram–Schmidt norms that rise
/// from `e^ln_last` by `δ²` a step: an integral over ln of the norm, of `1 / (2 ln δ)` norms to the unit.
fn ln_babai(ln_last: f64, ln_delta: f64, sigma: f64, halves: bool) -> f64 {
    const STEP: f64 = 1.0 / 32.0;
    let each = (0..1024).map(|i| {
        let y = (ln_last + STEP * (f64::from(i) + 0.5)).exp() / (SQRT_2 * sigma);
        let alike = if halves { erf(y) + (-y * y).exp_m1() / (y * PI.sqrt()) } else { 1.0 };
        (alike.max(1e-300) * erf(y / 2.0).max(1e-300)).max(1e-300).ln()
    });
    each.take_while(|&ln_chance| ln_chance < -1e-6).sum::<f64>() * STEP / (2.0 * ln_delta)
}

pub(crate) fn ln_delta(beta: f64) -> f64 {
    ((beta / (2.0 * PI * E)).ln() + (PI * beta).ln() / beta) / (2.0 * (beta - 1.0))
}

fn minimum(estimates: impl Iterator<Item = Estimate>) -> Option<Estimate> {
    estimates.min_by(|a, b| a.log2_cost.total_cmp(&b.log2_cost))
}
