//! Multilevel splitting of any rare event: levels that are found once, and runs over fixed levels, which are unbiased.

use everlevel_rand::Stream;
use everlevel_ring::Cancelled;

use crate::Error;
use crate::common::refuse;

/// An event that is rare because a score, a function of much independent randomness, has to be large.
pub(super) trait RareEvent: Sync {
    /// All that is drawn.
    type State: Clone + Send;
    /// Memory of a step that is taken back.
    type Undo: Default;

    /// A state from its distribution.
    fn draw(&self, stream: &mut Stream) -> Self::State;

    /// The score of a state.
    fn score(&self, state: &Self::State) -> f64;

    /// Draws a part of the state's randomness anew, about `share` of it, in a way that leaves the state's distribution
    /// as it is. Where the score is then above the level, this is the new state, and its score is given; elsewhere
    /// nothing has changed.
    fn step(&self, state: &mut Self::State, rung: Rung, undo: &mut Self::Undo, stream: &mut Stream) -> Option<f64>;
}

/// A level that a score has to be above, and the share of its randomness that a step from above it draws anew.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rung {
    pub level: f64,
    pub share: f64,
}

/// Particles of a run, and the steps that each takes at every level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub particles: usize,
    pub steps: usize,
}

/// A state, and its score.
#[derive(Clone)]
struct Particle<S> {
    score: f64,
    state: S,
}

/// Levels, the last of which is the event's.
#[derive(Debug)]
pub(super) struct Ladder(Vec<Rung>);

/// The share of steps that are to be taken: fewer move particles less often, more move them less far.
const ACCEPTED: f64 = 0.3;

/// The largest share: steps from the first levels, where more would be taken, are not what a probability depends on.
const MAX_SHARE: f64 = 0.125;

/// Levels beyond which no probability is looked for: each halves it, and doubles end at 2^-1074.
const MAX_LEVELS: usize = 1000;

/// A report of the levels that a run has climbed.
pub(super) type Climbed<'a> = &'a (dyn Fn(usize) -> Result<(), Cancelled> + Sync);

impl Ladder {
    /// The medians of a population that climbs until half of it is above `threshold`, and the shares of steps of which
    /// a population takes [`ACCEPTED`].
    ///
    /// # Errors
    /// [`Error::Parameter`] for events of less than `2^-1000`, [`Error::Cancelled`].
    pub fn find<E: RareEvent>(
        event: &E,
        threshold: f64,
        effort: Effort,
        stream: &mut Stream,
        climbed: Climbed<'_>,
    ) -> Result<Self, Error> {
        let mut population = Population::draw(event, effort, stream);
        let (mut rungs, mut share) = (Vec::new(), MAX_SHARE);
        loop {
            let level = population.median();
            if level >= threshold {
                rungs.push(Rung { level: threshold, share });
                return Ok(Self(rungs));
            }
            let rung = Rung { level, share };
            // A score that stands still doesn't get anywhere.
            if rungs.len() == MAX_LEVELS || rungs.last().is_some_and(|last: &Rung| level <= last.level) {
                return refuse(
                    "log2_p_fail",
                    format!("below -{}", rungs.len()),
                    "that of an event that can be reached",
                );
            }
            rungs.push(rung);
            climbed(rungs.len())?;
            population.kill(level, stream);
            let accepted = population.walk(event, rung, effort, stream);
            share = (share * (accepted / ACCEPTED).clamp(0.5, 2.0)).min(MAX_SHARE);
        }
    }

    /// Levels.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// One run: the product of the parts of a population that are above each level, whose expectation is the event's
    /// probability whatever steps do; and the states for which the event happened.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn climb<E: RareEvent>(
        &self,
        event: &E,
        effort: Effort,
        stream: &mut Stream,
        climbed: Climbed<'_>,
    ) -> Result<(f64, Vec<E::State>), Error> {
        let mut population = Population::draw(event, effort, stream);
        let (mut probability, mut alive) = (1.0, 0);
        for (i, &rung) in self.0.iter().enumerate() {
            alive = population.kill(rung.level, stream);
            probability *= alive as f64 / effort.particles as f64;
            climbed(i + 1)?;
            if alive == 0 {
                break;
            }
            if i + 1 < self.0.len() {
                population.walk(event, rung, effort, stream);
            }
        }
        Ok((probability, population.0.into_iter().take(alive).map(|particle| particle.state).collect()))
    }
}

struct Population<S>(Vec<Particle<S>>);

impl<S: Clone> Population<S> {
    fn draw<E: RareEvent<State = S>>(event: &E, effort: Effort, stream: &mut Stream) -> Self {
        let one = |_| {
            let state = event.draw(stream);
            Particle { score: event.score(&state), state }
        };
        Self((0..effort.particles).map(one).collect())
    }

    fn median(&self) -> f64 {
        let mut scores: Vec<f64> = self.0.iter().map(|particle| particle.score).collect();
        let middle = scores.len() / 2;
        *scores.select_nth_unstable_by(middle, f64::total_cmp).1
    }

    /// Particles above a level come first, and are counted; each of the others becomes one of them.
    fn kill(&mut self, level: f64, stream: &mut Stream) -> usize {
        let mut alive = 0;
        for i in 0..self.0.len() {
            if self.0[i].score > level {
                self.0.swap(i, alive);
                alive += 1;
            }
        }
        if alive > 0 {
            let (survivors, others) = self.0.split_at_mut(alive);
            others.iter_mut().for_each(|other| {
                let survivor = &survivors[below(stream, alive)];
                other.score = survivor.score;
                other.state.clone_from(&survivor.state);
            });
        }
        alive
    }

    /// Every particle's steps; the part of them that was taken.
    fn walk<E: RareEvent<State = S>>(&mut self, event: &E, rung: Rung, effort: Effort, stream: &mut Stream) -> f64 {
        let (mut taken, mut undo) = (0, E::Undo::default());
        for particle in &mut self.0 {
            for _ in 0..effort.steps {
                if let Some(score) = event.step(&mut particle.state, rung, &mut undo, stream) {
                    particle.score = score;
                    taken += 1;
                }
            }
        }
        f64::from(taken) / (self.0.len() * effort.steps) as f64
    }
}

/// A uniform index below `len`, to a part of `2^-32` of its probability.
pub(super) fn below(stream: &mut Stream, len: usize) -> usize {
    (((stream.next_u64() >> 32) * len as u64) >> 32) as usize
}

/// A Gaussian number of variance 1 (Box and Muller).
pub(super) fn gaussian(stream: &mut Stream) -> f64 {
    let mut uniform = || ((stream.next_u64() >> 11) as f64 + 0.5) * (-53.0f64).exp2();
    let radius = (-2.0 * uniform().ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform()).cos()
}

/// The mean of runs, and its standard error as a part of it.
pub(super) fn mean_of(probabilities: &[f64]) -> (f64, f64) {
    let count = probabilities.len() as f64;
    let mean = probabilities.iter().sum::<f64>() / count;
    // Relative to the mean, so that squares of the smallest probabilities are numbers.
    let squares: f64 = probabilities.iter().map(|p| (p / mean - 1.0).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use everlevel_rand::{Domain, Seed};

    use super::*;
    use crate::noise::log2_erfc;

    /// The sum of Gaussian numbers, over its deviation: all probabilities are known.
    struct Sum(usize);

    impl RareEvent for Sum {
        type State = Vec<f64>;
        type Undo = Vec<f64>;

        fn draw(&self, stream: &mut Stream) -> Vec<f64> {
            (0..self.0).map(|_| gaussian(stream)).collect()
        }

        fn score(&self, state: &Vec<f64>) -> f64 {
            (state.iter().sum::<f64>() / (self.0 as f64).sqrt()).abs()
        }

        fn step(&self, state: &mut Vec<f64>, rung: Rung, undo: &mut Vec<f64>, stream: &mut Stream) -> Option<f64> {
            undo.clone_from(state);
            for _ in 0..((rung.share * self.0 as f64) as usize).max(1) {
                state[below(stream, self.0)] = gaussian(stream);
            }
            let score = self.score(state);
            if score <= rung.level {
                state.clone_from(undo);
                return None;
            }
            Some(score)
        }
    }

    /// log2 of the probability that is measured, and twice its standard error.
    fn measured(margin: f64, effort: Effort, runs: u64) -> (f64, f64) {
        let (event, seed) = (Sum(200), Seed::from_bytes([3; 32]));
        let stream = |index| seed.stream(Domain::Test, index);
        let ladder = Ladder::find(&event, margin, effort, &mut stream(0), &|_| Ok(())).unwrap();
        let one = |run| ladder.climb(&event, effort, &mut stream(run), &|_| Ok(())).unwrap().0;
        let (mean, error) = mean_of(&(1..=runs).map(one).collect::<Vec<_>>());
        (mean.log2(), 2.0 * error / std::f64::consts::LN_2)
    }

    #[test]
    fn probabilities_of_a_gaussian_sum_come_out() {
        let effort = Effort { particles: 500, steps: 8 };
        for (margin, runs, widest) in [(3.0, 8, 0.3), (9.1, 8, 1.0)] {
            let expected = log2_erfc(margin / 2f64.sqrt());
            let (found, error) = measured(margin, effort, runs);
            println!("{margin} deviations: 2^{found:.2} ± {error:.2}, 2^{expected:.2} expected");
            assert!(error < widest, "{error}");
            // Two of its own standard errors are exceeded in one of twenty cases: four are what a fault exceeds.
            assert!((found - expected).abs() < 2.0 * error, "{found} is not {expected} ± {error}");
        }
    }

    #[test]
    fn a_score_that_stands_still_is_refused() {
        struct Constant;
        impl RareEvent for Constant {
            type State = ();
            type Undo = ();
            fn draw(&self, _: &mut Stream) {}
            fn score(&self, (): &()) -> f64 {
                1.0
            }
            fn step(&self, (): &mut (), _: Rung, (): &mut (), _: &mut Stream) -> Option<f64> {
                None
            }
        }
        let effort = Effort { particles: 16, steps: 1 };
        let mut stream = Seed::from_bytes([4; 32]).stream(Domain::Test, 0);
        let refused = Ladder::find(&Constant, 2.0, effort, &mut stream, &|_| Ok(())).unwrap_err();
        assert!(matches!(refused, Error::Parameter { what: "log2_p_fail", .. }), "{refused}");
    }
}
