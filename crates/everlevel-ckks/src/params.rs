//! Parameters: a literal, validated into primes, levels and gadget limits.
//!
//! A level is a set of primes (docs/notes/levels.md). Message levels add one prime of about 40 bits each above a 48-bit
//! base prime. Above them, bootstrapping's levels are cut out of 48-bit primes and three terminal primes (24, 36 and 40
//! bits), so that a level can add any multiple of 12 bits: EvalMod steps are 60 bits on 48-bit words, and CoeffsToSlots
//! steps what their precision needs.

use everlevel_math::primes::{ntt_primes_below, ntt_primes_near};
use everlevel_objects::fnv1a;
use everlevel_ring::{PrimeSet, Ring};
use everlevel_security::SecretDistribution;

use crate::literal::{most_levels, too_deep};
use crate::{Error, ParamsLiteral, Precision};

/// Weight of the encapsulated secret under which the modulus is raised. Its integer part is at most `(32 + 1)/2`,
/// always.
pub const ENCAPSULATION_WEIGHT: usize = 32;
/// log2 of the message scale above level 0.
pub const LOG2_SCALE: f64 = 40.0;
/// log2 of the message scale at level 0: `2^10` below the base prime, the bootstrap's message ratio.
pub const LOG2_BASE_SCALE: f64 = 38.0;
/// log2 of the ratio of a bootstrapping chain's top message level: its scale is 2^43, so that what a sign bootstrap has
/// cleaned is not lost again to rounding at 2^40.
pub const LOG2_TOP_RATIO: f64 = 46.0;
/// Levels of EvalMod: five for a polynomial of degree 30, three doublings.
pub const EVAL_MOD_LEVELS: usize = 8;
/// log2 of EvalMod's scale at its end.
pub const LOG2_EVAL_MOD: f64 = 60.0;
/// log2 of the ratio of each EvalMod level, lowest first. The second from the top is wider: it lifts the scale of the
/// first square, whose rounding the rest of EvalMod magnifies most, by 2^6.
pub const EVAL_MOD_BITS: [f64; EVAL_MOD_LEVELS] = [60.0, 60.0, 60.0, 60.0, 60.0, 60.0, 72.0, 60.0];
/// Message levels of a bootstrapping chain; SlotsToCoeffs takes its stages out of them.
pub const BOOTSTRAP_MESSAGE_LEVELS: usize = 13;
/// Message levels of the deeper chains, whose regular bootstraps end at level 14 and 17: more levels, and less room for
/// special primes, so larger keys and slower key switches.
pub const DEEP_MESSAGE_LEVELS: [usize; 2] = [17, 20];
/// Most stages in the deeper chains.
pub const MAX_DEEP_STAGES: usize = 3;
/// Message levels of a bootstrapping chain of high precision.
pub const HIGH_PRECISION_MESSAGE_LEVELS: usize = 11;
/// log2 of the message scale at every level of a chain of high precision.
pub const LOG2_HIGH_PRECISION_SCALE: f64 = 46.0;
/// log2 of the message scale at every level of a chain of double precision: two primes of half as many bits each.
pub const LOG2_DOUBLE_PRECISION_SCALE: f64 = 80.0;
/// Most message levels of double precision.
pub const MAX_DOUBLE_PRECISION_LEVELS: usize = 41;
/// Most message levels without bootstrapping.
pub const MAX_MESSAGE_LEVELS: usize = 77;
/// log2 of the smallest ring degree.
pub const MIN_LOG_N: u32 = 9;
/// log2 of the largest ring degree.
pub const MAX_LOG_N: u32 = 17;
/// Bits of `P` above every digit, so that key-switching noise stays below rounding noise.
pub(crate) const HEADROOM_BITS: f64 = 5.0;

/// log2 of the ratio of each CoeffsToSlots stage, last stage first: the stage with the largest blocks, whose plaintexts
/// have the most coefficients, needs the most bits (docs/notes/bootstrap.md).
pub(crate) fn coeffs_to_slots_bits(stage_count: usize) -> Option<&'static [f64]> {
    match stage_count {
        1 => Some(&[60.0]),
        2 => Some(&[52.0, 56.0]),
        3 => Some(&[52.0, 56.0, 60.0]),
        4 => Some(&[48.0, 52.0, 56.0, 52.0]),
        5 => Some(&[48.0, 48.0, 52.0, 56.0, 60.0]),
        _ => None,
    }
}

/// The stage counts that chains have moduli for.
pub const STAGE_COUNTS: [usize; 5] = [1, 2, 3, 4, 5];

/// Most butterfly layers that a single stage merges: those of 1024 slots, whose 1024 diagonals take 32 MB.
const MOST_LAYERS_ALONE: usize = 10;
/// Most butterfly layers that each of several stages merges.
const MOST_LAYERS: usize = 6;

/// The stage counts that a number of slots allows: each stage merges between one and six butterfly layers, a stage
/// alone up to ten. One slot has no layers, and one stage, a product with a constant.
pub fn stage_counts(slots: usize) -> Vec<usize> {
    let layers = slots.trailing_zeros() as usize;
    let most = |stages| if stages == 1 { MOST_LAYERS_ALONE } else { stages * MOST_LAYERS };
    STAGE_COUNTS.into_iter().filter(|&s| s <= layers.max(1) && layers <= most(s)).collect()
}

/// log2 of the scale at level 0. Fewer slots have larger coefficients, for which the sine's error is larger, and fewer
/// of them, for which noise is smaller: a higher message ratio balances the two.
pub(crate) fn log2_base_scale(slots: usize) -> f64 {
    match slots {
        0..=4 => LOG2_BASE_SCALE - 4.0,
        5..=64 => LOG2_BASE_SCALE - 2.0,
        65..=256 => LOG2_BASE_SCALE - 1.0,
        _ => LOG2_BASE_SCALE,
    }
}

/// The levels above the messages'.
#[derive(Debug, Clone)]
pub(crate) struct BootstrapChain {
    /// For each of [`STAGE_COUNTS`], the moduli of CoeffsToSlots, the raised one first; the last stage ends at the top
    /// EvalMod level.
    pub coeffs_to_slots: Vec<Vec<PrimeSet>>,
    /// The terminal prime that completes the encapsulation's special modulus.
    pub encapsulation_terminal: usize,
}

/// Validated parameters.
#[derive(Debug, Clone)]
pub struct Params {
    literal: ParamsLiteral,
    primes: Vec<u64>,
    /// The modulus of each message level and of each EvalMod level.
    pub(crate) levels: Vec<PrimeSet>,
    /// Special primes; each key takes a prefix.
    pub(crate) special: Vec<usize>,
    pub(crate) bootstrap: Option<BootstrapChain>,
}

impl TryFrom<ParamsLiteral> for Params {
    type Error = Error;

    fn try_from(literal: ParamsLiteral) -> Result<Self, Error> {
        let log_n = literal.log_n;
        if !(MIN_LOG_N..=MAX_LOG_N).contains(&log_n) {
            return Err(Error::parameter("log_n", log_n, format!("between {MIN_LOG_N} and {MAX_LOG_N}")));
        }
        if !literal.bootstrap && literal.max_level > most_levels(literal.precision) {
            return Err(too_deep(literal.max_level, literal.precision));
        }
        if let SecretDistribution::FixedWeight(weight) = literal.secret
            && !(1..=1 << log_n).contains(&weight)
        {
            let needed = format!("between 1 and the ring degree, {}", 1 << log_n);
            return Err(Error::parameter("weight of the secret", weight, needed));
        }
        let high = literal.precision == Precision::High;
        if high && !literal.bootstrap {
            let needed = "a chain with bootstrapping; other chains have one precision";
            return Err(Error::parameter("precision", "high", needed));
        }
        let double = literal.precision == Precision::Double;
        if double && literal.bootstrap {
            let needed = "a chain without bootstrapping; those with it have standard and high precision";
            return Err(Error::parameter("precision", "double", needed));
        }
        if high && literal.max_level != HIGH_PRECISION_MESSAGE_LEVELS {
            let needed = format!("{HIGH_PRECISION_MESSAGE_LEVELS} with high precision");
            return Err(Error::parameter("max_level", literal.max_level, needed));
        }
        let allowed = [BOOTSTRAP_MESSAGE_LEVELS, DEEP_MESSAGE_LEVELS[0], DEEP_MESSAGE_LEVELS[1]];
        if literal.bootstrap && !high && !allowed.contains(&literal.max_level) {
            return Err(Error::BootstrapLevels { found: literal.max_level, allowed: allowed.into() });
        }
        let mut primes = Vec::new();
        let mut large = ntt_primes_below(48, log_n);
        let mut take_large = || large.next().ok_or(out_of_primes(48));
        primes.push(take_large()?);
        let mut near_40 = ntt_primes_near(2f64.powf(LOG2_SCALE), log_n);
        // With more than standard precision, level 0 has two primes, and every level above it the same ratio: of one
        // prime, or with double precision of two.
        let base_primes = if high || double { 2 } else { 1 };
        let level_primes = if double { 2 } else { 1 };
        if high {
            primes.push(take_large()?);
            let near_46 = ntt_primes_near(2f64.powf(LOG2_HIGH_PRECISION_SCALE), log_n);
            primes.extend(near_46.take(literal.max_level));
        } else if double {
            primes.push(take_large()?);
            let near_half = ntt_primes_near((LOG2_DOUBLE_PRECISION_SCALE / 2.0).exp2(), log_n);
            primes.extend(near_half.take(level_primes * literal.max_level));
        } else if literal.max_level > 0 {
            // Level 1's ratio leads from scale 2^40 to 2^38.
            let first = 2f64.powf(2.0 * LOG2_SCALE - LOG2_BASE_SCALE);
            primes.push(ntt_primes_near(first, log_n).next().ok_or(out_of_primes(42))?);
            for level in 2..=literal.max_level {
                if literal.bootstrap && level == literal.max_level {
                    primes.push(ntt_primes_near(2f64.powf(LOG2_TOP_RATIO), log_n).next().ok_or(out_of_primes(46))?);
                } else {
                    primes.push(near_40.next().ok_or(out_of_primes(40))?);
                }
            }
        }
        if primes.len() < base_primes + level_primes * literal.max_level {
            return Err(out_of_primes(if double { 40 } else { 46 }));
        }
        let set = |level| PrimeSet::new(0..base_primes + level_primes * level);
        let mut levels: Vec<PrimeSet> = (0..=literal.max_level).map(set).collect();

        let mut bootstrap = None;
        if literal.bootstrap {
            let messages = levels[literal.max_level].clone();
            let terminals = terminal_primes(log_n)?;
            let first_terminal = primes.len();
            let terminal_bits = terminals.map(|q| (q as f64).log2());
            primes.extend(terminals);
            primes.push(near_40.next().ok_or(out_of_primes(40))?);
            let terminal_bits = [terminal_bits[0], terminal_bits[1], 40.0];
            let first_main = primes.len();
            let eval_mod_top = EVAL_MOD_BITS.iter().sum::<f64>();
            let main_count =
                coeffs_to_slots_bits(5).map_or(0.0, |b| (eval_mod_top + b.iter().sum::<f64>()) / 48.0) as usize;
            for _ in 0..main_count {
                primes.push(take_large()?);
            }
            let set_of = |bits: f64| {
                let (mains, mask) = decompose(bits, terminal_bits);
                let terminals = (0..3).filter(|t| mask >> t & 1 == 1).map(|t| first_terminal + t);
                messages.union(&PrimeSet::new((first_main..first_main + mains).chain(terminals)))
            };
            levels.extend((1..=EVAL_MOD_LEVELS).map(|step| set_of(EVAL_MOD_BITS[..step].iter().sum())));
            let coeffs_to_slots = STAGE_COUNTS
                .iter()
                .map(|&stages| {
                    let mut bits = eval_mod_top;
                    let mut sets: Vec<PrimeSet> = coeffs_to_slots_bits(stages)
                        .unwrap_or_default()
                        .iter()
                        .map(|b| {
                            bits += b;
                            set_of(bits)
                        })
                        .collect();
                    sets.reverse();
                    sets
                })
                .collect();
            bootstrap = Some(BootstrapChain { coeffs_to_slots, encapsulation_terminal: first_terminal });
        }

        let log2_q = levels[literal.max_level].indices().iter().map(|&i| (primes[i] as f64).log2()).sum::<f64>();
        let special_count = ((log2_q + HEADROOM_BITS) / 48.0).ceil() as usize;
        let special_count = if literal.bootstrap { special_count.max(10) } else { special_count.clamp(1, 12) };
        let special: Vec<usize> = (primes.len()..primes.len() + special_count).collect();
        for _ in 0..special_count {
            primes.push(take_large()?);
        }
        Ok(Self { literal, primes, levels, special, bootstrap })
    }
}

fn out_of_primes(bits: u32) -> Error {
    Error::parameter("primes", format!("too few of {bits} bits"), "a smaller ring or fewer levels")
}

/// A 24-bit and a 36-bit prime whose product is nearest to `2^60`.
fn terminal_primes(log_n: u32) -> Result<[u64; 2], Error> {
    let small = ntt_primes_near(2f64.powi(24), log_n).next().ok_or(out_of_primes(24))?;
    let other = ntt_primes_near(2f64.powi(60) / small as f64, log_n).next().ok_or(out_of_primes(36))?;
    Ok([small, other])
}

/// Writes `bits` as 48-bit primes and a subset of the terminal primes, with the fewest primes among the combinations
/// within one bit.
fn decompose(bits: f64, terminal_bits: [f64; 3]) -> (usize, usize) {
    let candidates = (0..8usize).filter_map(|mask| {
        let terminals: f64 = (0..3).filter(|t| mask >> t & 1 == 1).map(|t| terminal_bits[t]).sum();
        let mains = ((bits - terminals) / 48.0).round();
        let error = (mains * 48.0 + terminals - bits).abs();
        (mains >= 0.0 && error < 1.0).then_some((mains as usize, mask))
    });
    candidates
        .min_by_key(|(mains, mask)| mains + mask.count_ones() as usize)
        .unwrap_or(((bits / 48.0).round() as usize, 0))
}

impl Params {
    /// The literal that they were made from.
    pub fn literal(&self) -> &ParamsLiteral {
        &self.literal
    }

    /// Every prime, by index.
    pub fn primes(&self) -> &[u64] {
        &self.primes
    }

    /// Number of slots of a full ciphertext.
    pub fn max_slots(&self) -> usize {
        1 << (self.literal.log_n - 1)
    }

    /// Nonzero coefficients of the secret (expected number, for a dense one).
    pub fn secret_weight(&self) -> usize {
        match self.literal.secret {
            SecretDistribution::FixedWeight(weight) => weight,
            _ => (2 << self.literal.log_n) / 3,
        }
    }

    /// The stage counts of bootstraps of `slots` slots: those of [`stage_counts`], and in the deeper chains only those
    /// that leave 14 or 17 levels.
    pub fn stage_counts(&self, slots: usize) -> Vec<usize> {
        let most = if self.is_deep() { MAX_DEEP_STAGES } else { usize::MAX };
        stage_counts(slots).into_iter().filter(|&s| s <= most).collect()
    }

    /// The moduli of EvalMod in a chain with a bootstrap: the top message level's, and those above it.
    pub(crate) fn eval_mod_sets(&self) -> Vec<PrimeSet> {
        self.levels[self.literal.max_level..].to_vec()
    }

    fn is_deep(&self) -> bool {
        self.literal.max_level > BOOTSTRAP_MESSAGE_LEVELS
    }

    /// Stages of CoeffsToSlots with small bootstrap keys. They cost no message levels, so that the number is free:
    /// stages of up to four layers have the fewest rotations, and in the deeper chains fewer stages leave more room for
    /// special primes.
    pub(crate) fn small_stage_count(&self, slots: usize) -> usize {
        let most = if self.is_deep() { MAX_DEEP_STAGES } else { 4 };
        (slots.trailing_zeros() as usize).div_ceil(4).clamp(1, most)
    }

    /// log2 of the scale at level 0 for messages of `slots` slots.
    pub(crate) fn log2_lowest_scale(&self, slots: usize) -> f64 {
        match (self.literal.precision, self.literal.bootstrap) {
            (Precision::High, _) => LOG2_HIGH_PRECISION_SCALE,
            (Precision::Double, _) => LOG2_DOUBLE_PRECISION_SCALE,
            (Precision::Standard, true) => log2_base_scale(slots),
            (Precision::Standard, false) => LOG2_BASE_SCALE,
        }
    }

    /// A number that tells parameters apart: FNV-1a over degree, primes, levels and secret.
    pub fn fingerprint(&self) -> u64 {
        let words = [u64::from(self.literal.log_n), self.literal.max_level as u64, self.secret_weight() as u64];
        fnv1a(words.iter().chain(&self.primes).flat_map(|word| word.to_le_bytes()))
    }

    /// Largest log2 of a key's modulus.
    pub fn max_log2_qp(&self) -> Option<f64> {
        everlevel_security::max_log2_qp(self.literal.log_n, self.literal.secret)
    }

    /// Refuses a key modulus above the cap, unless `insecure` was spelled out.
    pub(crate) fn check_key(&self, ring: &Ring, set: &PrimeSet) -> Result<(), Error> {
        if self.literal.insecure {
            return Ok(());
        }
        Ok(everlevel_security::check(self.literal.log_n, self.literal.secret, ring.log2(set))?)
    }

    /// Refuses an encapsulation modulus above the cap, unless `insecure` was spelled out.
    pub(crate) fn check_encapsulation(&self, ring: &Ring, set: &PrimeSet) -> Result<(), Error> {
        if self.literal.insecure {
            return Ok(());
        }
        let secret = SecretDistribution::FixedWeight(ENCAPSULATION_WEIGHT);
        Ok(everlevel_security::check(self.literal.log_n, secret, ring.log2(set))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal::default_secret;

    #[test]
    fn the_ring_is_the_smallest_with_the_levels_and_the_slots() {
        for (max_level, slot_count, log_n) in [
            (5, 1, 14),
            (5, 8192, 14),
            (5, 8193, 15),
            (5, 32768, 16),
            (5, 65536, 17),
            (0, 4096, 13),
            (0, 65536, 17),
            (18, 8192, 16),
            (36, 32768, 16),
            (77, 2, 17),
        ] {
            let literal = ParamsLiteral::for_depth_and_slots(max_level, slot_count).expect("literal");
            assert_eq!((literal.log_n, literal.max_level), (log_n, max_level), "{slot_count} slots");
            assert_eq!(literal.secret, default_secret(log_n));
            let params = Params::try_from(literal).expect("params");
            assert!(params.max_slots() >= slot_count);
        }
        for (max_level, slot_count, option) in
            [(78, 1, "max_level"), (5, 65537, "slot_count"), (5, usize::MAX, "slot_count")]
        {
            let refusal = ParamsLiteral::for_depth_and_slots(max_level, slot_count);
            assert!(
                matches!(refusal, Err(Error::Parameter { what, .. }) if what == option),
                "{max_level}, {slot_count}"
            );
        }
    }

    #[test]
    fn insecure_chains_have_limits_too() {
        for literal in [
            ParamsLiteral::insecure_depth(10, MAX_MESSAGE_LEVELS + 1),
            ParamsLiteral::insecure_depth(10, usize::MAX),
            ParamsLiteral::insecure_depth(8, 1),
            ParamsLiteral::insecure_depth(u32::MAX, 1),
            ParamsLiteral::insecure_bootstrap(64),
            ParamsLiteral { max_level: 5, ..ParamsLiteral::insecure_bootstrap(10) },
        ] {
            let refusal = Params::try_from(literal.clone());
            let refused = matches!(refusal, Err(Error::Parameter { .. } | Error::BootstrapLevels { .. }));
            assert!(refused, "{literal:?}: {refusal:?}");
        }
        assert!(Params::try_from(ParamsLiteral::insecure_depth(10, MAX_MESSAGE_LEVELS)).is_ok());
    }

    #[test]
    fn eval_mod_steps_are_60_bits_on_48_bit_words() {
        let params = Params::try_from(ParamsLiteral::bootstrap()).expect("params");
        let ring_bits = |set: &PrimeSet| set.indices().iter().map(|&i| (params.primes[i] as f64).log2()).sum::<f64>();
        let base = params.levels[BOOTSTRAP_MESSAGE_LEVELS].clone();
        let expected_limbs = [2, 3, 4, 5, 7, 8, 9, 11];
        for (step, limbs) in expected_limbs.iter().enumerate() {
            let set = &params.levels[BOOTSTRAP_MESSAGE_LEVELS + 1 + step];
            let bits: f64 = EVAL_MOD_BITS[..=step].iter().sum();
            assert!((ring_bits(set) - ring_bits(&base) - bits).abs() < 0.1);
            assert_eq!(set.len() - base.len(), *limbs);
        }
        for (stages, sets) in STAGE_COUNTS.iter().zip(&params.bootstrap.as_ref().expect("chain").coeffs_to_slots) {
            assert_eq!(sets.len(), *stages);
            let top = ring_bits(&sets[0]) - ring_bits(&params.levels[21]);
            assert!((top - coeffs_to_slots_bits(*stages).expect("bits").iter().sum::<f64>()).abs() < 1.0, "{top}");
        }
    }
}
