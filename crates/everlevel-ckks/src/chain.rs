//! Chains of primes: the modulus of each level, and the special primes of keys.
//!
//! A level is a set of primes (docs/notes/levels.md). Message levels add one prime of about 40 bits each above a 48-bit
//! base prime. Above them, bootstrapping's levels are cut out of 48-bit primes and three terminal primes (24, 36 and 40
//! bits), so that a level can add any multiple of 12 bits: EvalMod steps are 60 bits on 48-bit words, and CoeffsToSlots
//! steps what their precision needs.

use std::ops::RangeInclusive;

use everlevel_math::primes::{ntt_primes_below, ntt_primes_near};
use everlevel_ring::PrimeSet;

use crate::{Error, ParamsLiteral, Precision};

/// Weight of the encapsulated secret under which the modulus is raised. Its integer part is at most `(32 + 1)/2`,
/// always.
pub const ENCAPSULATION_WEIGHT: usize = 32;
/// log2 of the message scale above level 0.
pub const LOG2_SCALE: f64 = 40.0;
/// log2 of the message scale at level 0: `2^10` below the base prime, the bootstrap's message ratio.
pub const LOG2_BASE_SCALE: f64 = 38.0;
/// log2 of the message scale over the base prime where SlotsToCoeffs comes first: a message ratio of 2^14. Sines are of
/// the values there, which are as large as they are, and noise isn't summed over coefficients.
pub const LOG2_FIRST_BASE_SCALE: f64 = 34.0;
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
/// Message levels of the usual bootstrapping chain; SlotsToCoeffs takes its stages out of them.
pub const BOOTSTRAP_MESSAGE_LEVELS: usize = 13;
/// Message levels of the deeper chains, whose regular bootstraps end at level 14 and 17: more levels, and less room for
/// special primes, so larger keys and slower key switches.
pub const DEEP_MESSAGE_LEVELS: [usize; 2] = [17, 20];
/// Message levels that bootstrapping chains may have: a bootstrap of three stages leaves one at least.
pub const BOOTSTRAP_MESSAGE_LEVELS_RANGE: RangeInclusive<usize> = 4..=DEEP_MESSAGE_LEVELS[1];
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
/// Bits of the words that most primes fill.
const LARGE_BITS: f64 = 48.0;
/// Bits of `P` above every digit, so that key-switching noise stays below rounding noise.
pub(crate) const HEADROOM_BITS: f64 = 5.0;

/// The message level that bootstraps to lower levels are fastest to: the primes of those above it are a digit of their
/// own in keys, where they can be.
pub(crate) const LOW_LEVEL: usize = 4;

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

/// The widths of a bootstrapping chain that is made for look-up tables, in bits. Tables need fewer than messages whose
/// precision is a result's, and one level more than what they and SlotsToCoeffs take; other bootstraps have no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableWidths {
    /// The prime that the modulus is raised from, which messages from −1 to 1 fill half of.
    pub base: u32,
    /// The ratio of each message level, and the scale of messages at all of them, but for the highest ones.
    pub message: u32,
    /// The ratio of each of the highest message levels, lowest first, where tables' first products need more bits than
    /// their last; none are as the others. Files of chains without them have no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highest: Option<[u32; HIGHEST_LEVELS]>,
    /// The ratio of each EvalMod level, lowest first.
    pub eval_mod: [u32; EVAL_MOD_LEVELS],
    /// The ratio of each stage of CoeffsToSlots.
    pub coeffs_to_slots: u32,
}

impl TableWidths {
    /// The base prime over the scale of messages there: the sine's extrema are at messages of size one.
    pub(crate) const MESSAGE_RATIO: f64 = 4.0;

    /// Refuses widths that no primes have.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Self { base, message, highest, eval_mod, coeffs_to_slots } = *self;
        let primes = [("width of the base prime", base), ("width of message levels", message)];
        if let Some((what, width)) = primes.into_iter().find(|(_, width)| !OF_PRIMES.contains(width)) {
            return Err(Error::parameter(what, width, "between 24 and 48"));
        }
        if let Some(width) = highest.into_iter().flatten().find(|width| !OF_SUMS.contains(width)) {
            return Err(Error::parameter("width of the highest message levels", width, "between 24 and 72"));
        }
        let stages = [("width of CoeffsToSlots' stages", coeffs_to_slots)];
        let sums = eval_mod.map(|width| ("width of an EvalMod level", width)).into_iter().chain(stages);
        match sums.into_iter().find(|(_, width)| !OF_SUMS.contains(width) || width % 12 != 0) {
            Some((what, width)) => Err(Error::parameter(what, width, "a multiple of 12 between 24 and 72")),
            None => Ok(()),
        }
    }

    /// The ratio of each message level above level 0, lowest first.
    fn of_messages(&self, max_level: usize) -> Vec<u32> {
        let highest = self.highest.as_ref().map_or(&[][..], |highest| &highest[..]);
        let mut ratios = vec![self.message; max_level.saturating_sub(highest.len())];
        ratios.extend(highest);
        ratios
    }
}

/// Message levels that may have widths of their own.
pub const HIGHEST_LEVELS: usize = 4;

/// Bits of single primes, and of levels that several primes may make.
const OF_PRIMES: RangeInclusive<u32> = 24..=48;
const OF_SUMS: RangeInclusive<u32> = 24..=72;

/// log2 of the ratios above the messages'.
#[derive(Debug, Clone)]
struct UpperWidths {
    /// Ratios of EvalMod's levels, lowest first.
    eval_mod: [f64; EVAL_MOD_LEVELS],
    /// Ratio of each stage of CoeffsToSlots; none are those of [`coeffs_to_slots_bits`].
    coeffs_to_slots: Option<f64>,
}

impl UpperWidths {
    fn new(literal: &ParamsLiteral) -> Self {
        let Some(widths) = literal.tables else {
            return Self { eval_mod: EVAL_MOD_BITS, coeffs_to_slots: None };
        };
        Self { eval_mod: widths.eval_mod.map(f64::from), coeffs_to_slots: Some(f64::from(widths.coeffs_to_slots)) }
    }

    fn eval_mod_top(&self) -> f64 {
        self.eval_mod.iter().sum()
    }

    fn of_stages(&self, stages: usize) -> Vec<f64> {
        match self.coeffs_to_slots {
            Some(bits) => vec![bits; stages],
            None => coeffs_to_slots_bits(stages).unwrap_or_default().to_vec(),
        }
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
    /// log2 of the scale that EvalMod's levels are made for, which is the ratio of the highest.
    pub log2_eval_mod: f64,
    /// For each of [`STAGE_COUNTS`], the moduli of CoeffsToSlots, the raised one first; the last stage ends at the top
    /// EvalMod level.
    pub coeffs_to_slots: Vec<Vec<PrimeSet>>,
    /// The terminal prime that completes the encapsulation's special modulus.
    pub encapsulation_terminal: usize,
}

/// The primes of parameters, by index, and the sets of them that are moduli.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub primes: Vec<u64>,
    /// The modulus of each message level and of each EvalMod level.
    pub levels: Vec<PrimeSet>,
    /// Special primes; each key takes a prefix.
    pub special: Vec<usize>,
    pub bootstrap: Option<BootstrapChain>,
}

impl Chain {
    /// The chain of a literal that was checked.
    ///
    /// # Errors
    /// Too few primes of a size.
    pub fn new(literal: &ParamsLiteral) -> Result<Self, Error> {
        let mut supply = Supply::new(literal.log_n);
        match literal.tables {
            Some(widths) => drop(supply.take(f64::from(widths.base))?),
            None => (0..primes_of_base(literal.precision)).try_for_each(|_| supply.take_large().map(drop))?,
        }
        let messages = |supply: &Supply| PrimeSet::new(0..supply.primes.len());
        let mut levels = vec![messages(&supply)];
        for level in log2_primes(literal) {
            level.into_iter().try_for_each(|log2_prime| supply.take(log2_prime).map(drop))?;
            levels.push(messages(&supply));
        }
        let of_messages = messages(&supply);
        let bootstrap = literal.bootstrap.then(|| {
            let widths = UpperWidths::new(literal);
            BootstrapChain::new(&widths, &mut supply, &mut levels)
        });
        let bootstrap = bootstrap.transpose()?;

        // Keys of tables may have one digit, of the raised modulus.
        let raised = bootstrap.as_ref().filter(|_| literal.tables.is_some()).map(|chain| &chain.coeffs_to_slots[3][0]);
        let largest = raised.unwrap_or(&of_messages);
        let log2_q: f64 = largest.indices().iter().map(|&i| (supply.primes[i] as f64).log2()).sum();
        let special_count = ((log2_q + HEADROOM_BITS) / LARGE_BITS).ceil() as usize;
        let special_count = if literal.bootstrap { special_count.max(10) } else { special_count.clamp(1, 12) };
        let first_special = supply.primes.len();
        for _ in 0..special_count {
            supply.take_large()?;
        }
        let special = (first_special..supply.primes.len()).collect();
        Ok(Self { primes: supply.primes, levels, special, bootstrap })
    }
}

/// Primes of level 0: two with more than standard precision.
fn primes_of_base(precision: Precision) -> usize {
    match precision {
        Precision::Standard => 1,
        Precision::High | Precision::Double => 2,
    }
}

/// log2 of the primes of each message level above level 0: one, or two halves of what one has no room for.
fn log2_primes(literal: &ParamsLiteral) -> Vec<Vec<f64>> {
    let max_level = literal.max_level;
    if let Some(widths) = literal.tables {
        let ratios = widths.of_messages(max_level).into_iter().map(f64::from);
        return ratios.map(|ratio| if ratio > LARGE_BITS { vec![ratio / 2.0; 2] } else { vec![ratio] }).collect();
    }
    match literal.precision {
        Precision::High => vec![vec![LOG2_HIGH_PRECISION_SCALE]; max_level],
        Precision::Double => vec![vec![LOG2_DOUBLE_PRECISION_SCALE / 2.0; 2]; max_level],
        Precision::Standard => {
            let mut ratios = vec![vec![LOG2_SCALE]; max_level];
            if literal.bootstrap
                && let Some(top) = ratios.last_mut()
            {
                *top = vec![LOG2_TOP_RATIO];
            }
            // Level 1's ratio leads from scale 2^40 to 2^38.
            if let Some(first) = ratios.first_mut() {
                *first = vec![2.0 * LOG2_SCALE - LOG2_BASE_SCALE];
            }
            ratios
        }
    }
}

/// Hands out the primes of one degree, none twice.
struct Supply {
    log_n: u32,
    large: Box<dyn Iterator<Item = u64>>,
    /// For each size that was asked for, those that are left.
    near: Vec<(f64, Box<dyn Iterator<Item = u64>>)>,
    /// All that were handed out.
    primes: Vec<u64>,
}

impl Supply {
    fn new(log_n: u32) -> Self {
        Self { log_n, large: Box::new(ntt_primes_below(48, log_n)), near: Vec::new(), primes: Vec::new() }
    }

    /// The largest prime of 48 bits that is left.
    fn take_large(&mut self) -> Result<u64, Error> {
        let prime = self.large.next().ok_or_else(|| out_of_primes(48.0))?;
        self.primes.push(prime);
        Ok(prime)
    }

    /// A prime of so many bits: below `2^48` the nearest that is left.
    fn take(&mut self, log2_size: f64) -> Result<u64, Error> {
        if log2_size == LARGE_BITS { self.take_large() } else { self.take_near(log2_size) }
    }

    /// The prime nearest to `2^log2_size` that is left.
    fn take_near(&mut self, log2_size: f64) -> Result<u64, Error> {
        self.take_near_to(log2_size.exp2())
    }

    fn take_near_to(&mut self, size: f64) -> Result<u64, Error> {
        let at = self.near.iter().position(|(known, _)| *known == size).unwrap_or_else(|| {
            self.near.push((size, Box::new(ntt_primes_near(size, self.log_n))));
            self.near.len() - 1
        });
        let prime = self.near[at].1.next().ok_or_else(|| out_of_primes(size.log2()))?;
        self.primes.push(prime);
        Ok(prime)
    }
}

fn out_of_primes(log2_size: f64) -> Error {
    Error::parameter("primes", format!("too few of {log2_size:.0} bits"), "a smaller ring or fewer levels")
}

impl BootstrapChain {
    /// The levels of EvalMod and CoeffsToSlots, above those of messages.
    fn new(widths: &UpperWidths, supply: &mut Supply, levels: &mut Vec<PrimeSet>) -> Result<Self, Error> {
        let messages = levels[levels.len() - 1].clone();
        let first_terminal = supply.primes.len();
        // A 24-bit and a 36-bit prime whose product is nearest to 2^60.
        let small = supply.take_near(24.0)?;
        let other = supply.take_near_to(2f64.powi(60) / small as f64)?;
        supply.take_near(LOG2_SCALE)?;
        let terminal_bits = [(small as f64).log2(), (other as f64).log2(), LOG2_SCALE];
        let first_main = supply.primes.len();
        let eval_mod_top = widths.eval_mod_top();
        let main_count = ((eval_mod_top + widths.of_stages(5).iter().sum::<f64>()) / LARGE_BITS) as usize;
        for _ in 0..main_count {
            supply.take_large()?;
        }
        let set_of = |bits: f64| {
            let (mains, mask) = decompose(bits, terminal_bits);
            let terminals = (0..3).filter(|t| mask >> t & 1 == 1).map(|t| first_terminal + t);
            messages.union(&PrimeSet::new((first_main..first_main + mains).chain(terminals)))
        };
        levels.extend((1..=EVAL_MOD_LEVELS).map(|step| set_of(widths.eval_mod[..step].iter().sum())));
        let of_stages = |&stages: &usize| {
            let mut bits = eval_mod_top;
            let mut sets = Vec::new();
            for stage_bits in widths.of_stages(stages) {
                bits += stage_bits;
                sets.push(set_of(bits));
            }
            sets.reverse();
            sets
        };
        let coeffs_to_slots = STAGE_COUNTS.iter().map(of_stages).collect();
        Ok(Self {
            log2_eval_mod: widths.eval_mod[EVAL_MOD_LEVELS - 1],
            coeffs_to_slots,
            encapsulation_terminal: first_terminal,
        })
    }
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
