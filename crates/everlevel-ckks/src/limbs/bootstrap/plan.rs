//! The bits, the gadgets and the maps of bootstraps over limbs, which follow from the parameters.

use everlevel_limbs::Error;
use everlevel_rand::SeedSource;
use everlevel_ring::LimbGadget;
use everlevel_security::{SecretDistribution, caps};

use super::super::{Context, Params};
use super::purpose::Purpose;
use crate::Encoder;
use crate::chain::ENCAPSULATION_WEIGHT;
use crate::circuits::bootstrap::dft::{self, Direction, EncodedMap, Steps};
use crate::circuits::bootstrap::eval_mod::{EVAL_MOD_DEPTH, EVAL_MOD_INTERVAL, Fit, Messages};

/// log2 of the message ratio: values up to 1 fill this part of the torus where it is read as numbers.
pub(in super::super) const RATIO_BITS: u32 = 12;

/// Stages of either transform.
const STAGES: usize = 3;
/// Bits of CoeffsToSlots' diagonals. The first have all coefficients, whose roundings add up in each slot, and later
/// stages average those of earlier ones.
const INTO_SLOTS_BITS: [u32; STAGES] = [58, 57, 55];
/// Bits of SlotsToCoeffs' diagonals, of which the last have all coefficients.
const OUT_OF_SLOTS_BITS: [u32; STAGES] = [34, 34, 35];
/// Bits that the first square of the sine spends, whose errors are magnified most.
const FIRST_SQUARE_BITS: u32 = 74;
/// Bits that each of its other levels spends.
const LEVEL_BITS: u32 = 64;
/// Bits that the sine spends.
const SINE_SPENDS: u32 = FIRST_SQUARE_BITS + (EVAL_MOD_DEPTH as u32 - 1) * LEVEL_BITS;
/// Bits below the budget that CoeffsToSlots keeps before its later stages, which average what is rounded.
pub(super) const STAGE_BITS: u32 = 58;
/// Bits of the sine below the budget that SlotsToCoeffs keeps.
const SINE_BITS: u32 = 66;

/// One stage of a transform: a map, and the bits that its integers have below the point.
#[derive(Debug)]
pub(super) struct Stage {
    pub map: EncodedMap,
    pub bits: u32,
}

/// All of a bootstrap but its keys.
#[derive(Debug)]
pub(in super::super) struct Plan {
    /// The parameters from the raised ciphertext on.
    pub(super) inner: Context,
    /// The budget of a raised ciphertext.
    pub(super) raised_bits: u32,
    pub(super) into_slots: Vec<Stage>,
    pub(super) fit: Fit,
    /// The limbs of SlotsToCoeffs.
    pub(super) low_limbs: usize,
    pub(super) out_of_slots: Vec<Stage>,
}

impl Plan {
    /// The plan of bootstraps with these parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] where they have too few bits; a modulus that is too large for the sparse secret.
    pub fn new(params: &Params) -> Result<Self, Error> {
        let literal = *params.literal();
        let (base, key_limbs) = (literal.log2_base, literal.limbs + literal.digit_limbs);
        // Two digits of ten limbs each, of 29: more limbs would give as many bits more, for times that are quadratic.
        let digit_limbs = (10 * key_limbs).div_ceil(29);
        let limbs = key_limbs - digit_limbs;
        let spent = |bits: &[u32]| bits.iter().sum::<u32>();
        let before = spent(&INTO_SLOTS_BITS) + SINE_SPENDS;
        let after = spent(&OUT_OF_SLOTS_BITS);
        // A raised ciphertext's values are in its last limb.
        let raised_bits = base * (limbs as u32 - 1);
        let least = before + after + 2 * RATIO_BITS;
        if raised_bits < least {
            let needed = "at least 29 for a bootstrap: take the set n16".into();
            return Err(Error::Parameter { what: "limbs of keys", found: key_limbs.to_string(), needed });
        }
        if !params.is_insecure() {
            let secret = SecretDistribution::FixedWeight(ENCAPSULATION_WEIGHT);
            caps::check(literal.log_n, secret, f64::from(2 * base))?;
        }
        let inner = Context::with_seeds(params.on_the_way((limbs, digit_limbs), LEVEL_BITS), SeedSource::os())?;
        let slots = params.slots();
        let encoder = Encoder::<f64>::new(params.n(), slots);
        // The transform multiplies by the slots, and the conjugate that is added doubles.
        let into_unit = 1.0 / (params.n() as f64 * EVAL_MOD_INTERVAL);
        let share = into_unit.powf(1.0 / STAGES as f64);
        let transform = |direction, steps, (before, wanted), bits: [u32; STAGES], factors: [f64; STAGES]| {
            let shapes = dft::shapes(slots, direction, STAGES);
            let (shifts, rotation) = dft::shifts(&shapes, steps, before, wanted);
            debug_assert_eq!(rotation, 0, "both transforms have the same stages");
            let maps = dft::stages(&encoder, direction, STAGES).into_iter().zip(shifts);
            let stages = maps.zip(bits.into_iter().zip(factors)).map(|((map, shift), (bits, factor))| Stage {
                map: map.encoded(params.n(), factor * f64::from(bits).exp2(), steps, shift),
                bits,
            });
            stages.collect::<Vec<_>>()
        };
        let into_slots = transform(Direction::CoeffsToSlots, Steps::Left, (0, None), INTO_SLOTS_BITS, [share; STAGES]);
        // The ratio's power of two is budget, and what is left is 1/2π.
        let mut factors = [1.0; STAGES];
        factors[0] = 0.5 / std::f64::consts::PI;
        let back = (dft::reach(slots, STAGES), Some(0));
        let out_of_slots = transform(Direction::SlotsToCoeffs, Steps::Right, back, OUT_OF_SLOTS_BITS, factors);
        let low_limbs = (raised_bits - before + SINE_BITS).div_ceil(base) as usize;
        let fit = Fit::new(EVAL_MOD_INTERVAL, Messages::Small);
        Ok(Self { inner, raised_bits, into_slots, fit, low_limbs, out_of_slots })
    }

    /// The budget that values of a bound up to 1 come back with.
    pub(super) fn result_bits(&self) -> u32 {
        let spent = |stages: &[Stage]| stages.iter().map(|stage| stage.bits).sum::<u32>();
        self.raised_bits + RATIO_BITS - spent(&self.into_slots) - SINE_SPENDS - spent(&self.out_of_slots)
    }

    /// The budget of the sine of values of a budget.
    pub(super) fn sine_bits(&self, budget_bits: u32) -> u32 {
        budget_bits - SINE_SPENDS
    }

    /// Every key, with its gadget.
    pub(super) fn keys(&self) -> Vec<(Purpose, LimbGadget)> {
        let shape = self.inner.params().shape();
        let (high, low) = (shape.gadget(), LimbGadget::new(self.low_limbs, self.low_limbs));
        let back = LimbGadget { digit_limbs: shape.limbs, digits: 1, limbs: high.limbs };
        let mut all = vec![
            (Purpose::ToSparse, LimbGadget::new(1, 1)),
            (Purpose::ToDense, back),
            (Purpose::Relinearization, high),
            (Purpose::Conjugation, high),
        ];
        for (stage, Stage { map, .. }) in self.into_slots.iter().chain(&self.out_of_slots).enumerate() {
            let gadget = if stage < STAGES { high } else { low };
            all.extend(map.babies.get(1).map(|&left| (Purpose::Baby { stage, left }, gadget)));
            all.extend(map.giants.iter().skip(1).map(|&left| (Purpose::Giant { stage, left }, gadget)));
        }
        all
    }

    /// Stages of both transforms.
    pub(super) fn stage_count() -> usize {
        2 * STAGES
    }

    /// The place of a stage out of slots among those of both transforms.
    pub(super) fn out_of_slots_stage(stage: usize) -> usize {
        STAGES + stage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_of_the_largest_ring_has_a_bootstrap_that_gives_bits_back() {
        let params = Params::of_set("n16", None, Some(8)).unwrap();
        let plan = Plan::new(&params).unwrap();
        assert_eq!(plan.result_bits(), 297);
        let shape = plan.inner.params().shape();
        assert_eq!((shape.limbs, shape.digit_limbs, plan.low_limbs), (19, 10, 8));
        // No key is of a larger modulus than those of the parameters.
        let most = params.literal().limbs + params.literal().digit_limbs;
        assert!(plan.keys().iter().all(|(_, gadget)| gadget.limbs <= most));
        // The sparse secret meets a modulus that its cap allows at the ring's own degree.
        let secret = SecretDistribution::FixedWeight(ENCAPSULATION_WEIGHT);
        caps::check(16, secret, f64::from(2 * params.literal().log2_base)).unwrap();
    }

    #[test]
    fn other_sets_have_too_few_bits() {
        for name in ["n13", "n14", "n15"] {
            let words = Plan::new(&Params::of_set(name, None, None).unwrap()).unwrap_err().to_string();
            assert!(words.contains("for a bootstrap: take the set n16"), "{words}");
        }
    }
}
