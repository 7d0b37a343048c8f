//! Measured failure probabilities, down to `2^-128` and beyond: importance splitting on the phase before a rotation.
//!
//! Direct trials can't see what happens once in `2^64` bootstraps. Splitting climbs there: a population of inputs is
//! drawn, those whose error is above a level that half of them exceed are kept and copied, and all of them move at
//! random, by steps that leave the distribution of inputs above the level as it is; then comes the next level. The
//! probability is the product of the parts that each level kept (Kahn and Harris 1951; Cérou and Guyader 2007; for
//! TFHE: Ballandras, FHE.org meetup 087, 2026). Levels are found by a first population, and then are fixed: so the
//! expectation of a run is the probability itself, however well steps mix, and independent runs tell how far off their
//! mean may be.
//!
//! `levels` has splitting itself, for any event · `phase` the error before a rotation with one key, whose secrets,
//! errors, digits and roundings are real · `real` what that is compared with, and the errors of real rotations. The
//! notes on TFHE have the method and its figures.

mod levels;
mod phase;
mod real;

use std::f64::consts::LN_2;
use std::sync::atomic::{AtomicUsize, Ordering};

use everlevel_objects::with_memory;
use everlevel_rand::{Domain, Seed, SeedSource};
use everlevel_ring::report;
use rayon::prelude::*;

use self::levels::{Effort, Ladder, mean_of};
use self::phase::{Phase, State};
use self::real::{ROTATIONS_TOGETHER, RealKey};
use crate::common::refuse;
use crate::{Context, Error, Progress, SecretKey, SeededEvalKeys};

/// The work of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Splitting {
    /// Inputs of a run, which climb together.
    pub particles: usize,
    /// Independent runs, from whose spread the interval comes.
    pub runs: usize,
    /// The seed of the key and of all runs. It is no secret: nothing should be encrypted under this key.
    pub seed: u64,
}

/// A measured failure probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailureMeasurement {
    /// log2 of the probability that a bootstrap fails whose input has the largest squared norm that the parameters
    /// accept: that its error leaves the table's box on either side.
    pub log2_p_fail: f64,
    /// log2 of the probability two standard errors below: those of the runs' mean, and of the rotations' variance.
    pub log2_low: f64,
    /// log2 of the probability two standard errors above.
    pub log2_high: f64,
    /// log2 of the probability that the formulas claim.
    pub claimed_log2_p_fail: f64,
    /// Levels of a run.
    pub levels: usize,
    /// The variance of this key's rotations over its formula.
    pub rotation_ratio: f64,
    /// Inputs at the last level that were bootstrapped: each gave a wrong message.
    pub failures: usize,
}

/// Steps of each particle at a level.
const STEPS: usize = 10;
/// Rotations whose errors are measured.
const ROTATIONS: usize = 1024;
/// Inputs, uniform ones and such as failed, whose phase is compared with that of the real switches.
const COMPARED: usize = 64;

/// Streams, by what they are for.
const OF_ROTATIONS: u64 = 0;
const OF_COMPARISONS: u64 = 1;
const OF_LEVELS: u64 = 2;
const OF_RUNS: u64 = 3;

/// A run's estimate, the mean of its failures' derivatives, and some of them.
type Run = (f64, f64, Vec<State>);

impl Splitting {
    /// Measures the failure probability of a context's parameters with one key, on the context's threads.
    ///
    /// # Errors
    /// [`Error::Parameter`] for too few or too many particles or runs, and for probabilities below `2^-1000`;
    /// [`Error::Random`], [`crate::ObjectError::OutOfMemory`], [`Error::Cancelled`].
    pub fn measure(&self, context: &Context, progress: Progress<'_>) -> Result<FailureMeasurement, Error> {
        self.check()?;
        let work = || context.install(|| self.with_key(context, progress));
        with_memory("measure_failure", context.params().eval_keys_footprint(), work)
    }

    fn check(&self) -> Result<(), Error> {
        if !(16..=1 << 20).contains(&self.particles) {
            return refuse("particles", self.particles, format!("16 to {}", 1 << 20));
        }
        if !(2..=1 << 12).contains(&self.runs) {
            return refuse("runs", self.runs, format!("2 to {}", 1 << 12));
        }
        Ok(())
    }

    fn with_key(&self, context: &Context, progress: Progress<'_>) -> Result<FailureMeasurement, Error> {
        let params = context.params();
        let claimed_log2_p_fail = params.log2_p_fail(params.squared_norm);
        // Levels halve probabilities, so that the claim tells about how many there are.
        let (batches, levels) = (ROTATIONS / ROTATIONS_TOGETHER, (1.0 - claimed_log2_p_fail) as usize);
        let total = batches + (self.runs + 1) * levels;
        let seed = Seed::from_bytes(std::array::from_fn(|i| self.seed.to_le_bytes()[i % 8]));
        let stream = |index| seed.stream(Domain::Test, index);
        let secret = SecretKey::with_seeds(params.clone(), SeedSource::insecure(seed.clone()))?;
        let seeded = SeededEvalKeys::generate(&secret)?;
        let real = RealKey::new(&secret, &seeded);
        let rotated = |done, _| progress(done, total);
        let (variance, error) = real.rotation_variance(ROTATIONS, &mut stream(OF_ROTATIONS), &rotated)?;
        let phase = Phase::new(&secret, &seeded, variance);
        let mut inputs = stream(OF_COMPARISONS);
        assert!((0..COMPARED).all(|_| real.agrees_on_input(&phase, &mut inputs)), "the model is the switches' phase");
        let done = AtomicUsize::new(batches);
        let climbed = |_| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            report("measure_failure", progress, done.min(total - 1), total)
        };
        let effort = Effort { particles: self.particles, steps: STEPS };
        let ladder = Ladder::find(&phase, phase.threshold(), effort, &mut stream(OF_LEVELS), &climbed)?;
        let one = |run| {
            let (probability, states) = ladder.climb(&phase, effort, &mut stream(OF_RUNS + run), &climbed)?;
            let derivatives = states.iter().map(State::variance_derivative).sum::<f64>();
            let derivative = derivatives / states.len().max(1) as f64;
            Ok::<Run, Error>((probability, derivative, states.into_iter().take(COMPARED.div_ceil(self.runs)).collect()))
        };
        let runs = (0..self.runs as u64).into_par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
        let failed: Vec<State> = runs.iter().flat_map(|run| &run.2).cloned().collect();
        let failures = real.failures(&phase, &failed)?;
        assert_eq!(failures, failed.len(), "what fails by the model fails");
        let (mean, spread) = mean_of(&runs.iter().map(|run| run.0).collect::<Vec<_>>());
        if mean == 0.0 {
            return refuse("particles", self.particles, "more: no run came to its last level");
        }
        // Runs that are nearer to the event count more, in the mean as in the derivative.
        let derivative = runs.iter().map(|run| run.0 * run.1).sum::<f64>() / (mean * self.runs as f64);
        let two_errors = 2.0 * spread.hypot(derivative * error / variance) / LN_2;
        let log2_p_fail = mean.log2();
        Ok(FailureMeasurement {
            log2_p_fail,
            log2_low: log2_p_fail - two_errors,
            log2_high: log2_p_fail + two_errors,
            claimed_log2_p_fail,
            levels: ladder.len(),
            rotation_ratio: variance / params.noise().blind_rotation,
            failures,
        })
    }
}

#[cfg(test)]
mod tests;
