//! The core of a context: parameters with the tables that follow from them, and the gadgets of keys, the cheapest
//! within the security cap. It knows no operation.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use everlevel_math::DoubleDouble;
use everlevel_rand::{Cipher, Seed, SeedSource};
use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{
    Gadget, Randomness, SecretKey, SwitchingKey, public_encryption_std_dev, rounding_std_dev, square_rounding_std_dev,
};

use crate::chain::HEADROOM_BITS;
use crate::claims::{Estimate, doubles};
use crate::encoder::Coefficients;
use crate::ladder::Ladder;
use crate::{Complex64, Encoder, Error, Options, Params, Precision};

/// Parameters with their ring, encoder, levels and gadgets.
#[derive(Debug)]
pub(crate) struct Core {
    pub params: Params,
    pub ring: Ring,
    pub encoder: Encoder,
    /// The encoder of messages for which doubles are too few, made when the first one comes.
    wide_encoder: OnceLock<Encoder<DoubleDouble>>,
    /// The largest size of messages for which doubles are enough.
    transform_reach: f64,
    /// The message levels.
    pub ladder: Ladder,
    pub fingerprint: u64,
    /// The gadget of keys for every message level.
    pub message_gadget: Gadget,
    /// The gadgets of keys for the levels above the messages', in a chain with a bootstrap.
    pub bootstrap_gadgets: Option<BootstrapGadgets>,
    /// Whether keys hold the seeds of their uniform halves instead of the halves.
    pub seeded_keys: bool,
    pub mask_cipher: Cipher,
    /// The seeds of keys and encryptions.
    pub seeds: SeedSource,
    /// Whether results are refused whose assumed bound is beyond their level's room.
    pub refuses_assumed: bool,
    /// The number of fresh ciphertexts so far, which is the address of the next one's sample.
    samples: AtomicU64,
}

/// The primes that messages are read from: the first two hold any message that is accepted.
pub(crate) fn readable(set: &PrimeSet) -> PrimeSet {
    PrimeSet::new(set.indices().iter().copied().take(2))
}

/// The largest size of a slot.
fn largest(slots: &[Complex64]) -> f64 {
    slots.iter().map(Complex64::norm_sqr).fold(0.0, f64::max).sqrt()
}

impl Core {
    pub fn new(params: Params, slots: usize, options: Options, seeds: SeedSource) -> Result<Self, Error> {
        let ring = Ring::new(params.literal().log_n, params.primes())?;
        let encoder = Encoder::new(ring.n(), slots);
        let max_level = params.literal().max_level;
        let sets = params.chain.levels[..=max_level].to_vec();
        let ladder = Ladder::new(&ring, sets, params.log2_lowest_scale(slots).exp2());
        let is_wide = params.literal().precision == Precision::Double;
        let ladder = if is_wide { ladder.with_exact_scales(&ring) } else { ladder };
        let largest_scale = ladder.scales.iter().copied().fold(0.0, f64::max);
        let message_gadget = best_gadget(&params, &ring, &ladder.sets[max_level], &Gadget::consecutive)?;
        let bootstrap_gadgets = BootstrapGadgets::new(&params, &ring)?;
        let fingerprint = params.fingerprint();
        let Options { seeded_keys, mask_cipher, refuse_assumed: refuses_assumed, .. } = options;
        Ok(Self {
            params,
            ring,
            encoder,
            wide_encoder: OnceLock::new(),
            transform_reach: doubles::transform_reach(slots, largest_scale),
            ladder,
            fingerprint,
            message_gadget,
            bootstrap_gadgets,
            seeded_keys,
            mask_cipher,
            seeds,
            refuses_assumed,
            samples: AtomicU64::new(0),
        })
    }

    /// The key of an automorphism, in the form that this context's keys have.
    pub fn galois_key(&self, secret: &SecretKey, elt: u64, gadget: Gadget, seed: &Seed) -> SwitchingKey {
        SwitchingKey::generate_galois(&self.ring, secret, elt, gadget, self.randomness(seed), !self.seeded_keys)
    }

    /// The randomness of an evaluation key from a secret seed.
    pub fn randomness(&self, seed: &Seed) -> Randomness {
        Randomness::from(seed).with_masks_of(self.mask_cipher)
    }

    /// log2 of what a coefficient of a message at `level` must stay below: half of what it is read from.
    pub fn log2_available(&self, level: usize) -> f64 {
        self.ring.log2(&readable(&self.ladder.sets[level])) - 1.0
    }

    /// Bytes of limbs.
    pub(crate) fn limbs(&self, count: usize) -> u64 {
        (8 * self.ring.n() * count) as u64
    }

    /// The modulus of a public key.
    pub fn public_key_set(&self) -> PrimeSet {
        self.ladder.sets[self.ladder.sets.len() - 1].union(&self.encryption_special())
    }

    /// The gadget of keys that are made for levels up to `level`.
    pub fn level_gadget(&self, level: usize) -> Result<Gadget, Error> {
        best_gadget(&self.params, &self.ring, &self.ladder.sets[level], &Gadget::consecutive)
    }

    /// The gadgets for bootstraps of keys that are made for levels up to `level`, which have them if it is the highest.
    pub fn bootstrap_gadgets_of_keys(&self, level: usize) -> Option<&BootstrapGadgets> {
        self.bootstrap_gadgets.as_ref().filter(|_| level + 1 == self.ladder.sets.len())
    }

    /// The left rotations of a rotation key: powers of two in both directions, ascending.
    pub fn rotation_amounts(&self) -> Vec<i64> {
        let slots = self.encoder.slots() as i64;
        let amounts = (0..slots.trailing_zeros()).flat_map(|k| [1 << k, slots - (1 << k)]);
        amounts.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    /// The message level whose primes a gadget cuts.
    pub fn level_of(&self, gadget: &Gadget) -> Option<usize> {
        let set = gadget.ciphertext_set();
        self.ladder.sets.iter().position(|of_level| *of_level == set)
    }

    /// The special prime that public-key encryption divides by.
    pub fn encryption_special(&self) -> PrimeSet {
        PrimeSet::new(self.params.chain.special.iter().copied().take(1))
    }

    /// Whether scales have more bits than doubles.
    pub fn is_wide(&self) -> bool {
        self.ladder.exact_scales.is_some()
    }

    fn wide_encoder(&self) -> &Encoder<DoubleDouble> {
        self.wide_encoder.get_or_init(|| Encoder::new(self.ring.n(), self.encoder.slots()))
    }

    /// The coefficients of slots: those of large ones as sums of two doubles.
    pub fn coefficients(&self, slots: &[Complex64]) -> Coefficients {
        if largest(slots) <= self.transform_reach {
            return self.encoder.to_coeffs(slots).into();
        }
        self.wide_encoder().to_coeffs(slots).into()
    }

    /// The `n` integers of coefficients at a level's scale, and the largest of them in absolute value.
    pub fn integers(&self, coeffs: &Coefficients, level: usize) -> (Vec<i128>, f64) {
        let (scale, exact) = (self.ladder.scales[level], self.ladder.exact_scales.as_ref().map(|all| all[level]));
        let slots = self.encoder.slots();
        if coeffs.low.is_empty() && exact.is_none() {
            return self.encoder.round(coeffs.all(slots, |high, _| high), scale);
        }
        self.wide_encoder().round(coeffs.all(slots, DoubleDouble::new), exact.unwrap_or(scale.into()))
    }

    /// The slots of integers at a level's scale: doubles as near as those of a transform in doubles, where they are
    /// small, and else the nearest ones.
    pub fn decode(&self, integers: &[i128], level: usize) -> Vec<Complex64> {
        let scale = self.ladder.scales[level];
        let slots = self.encoder.decode(integers, scale);
        if largest(&slots) <= doubles::transform_reach(slots.len(), scale) {
            return slots;
        }
        let exact = self.ladder.exact_scales.as_ref().map(|all| all[level]);
        self.wide_encoder().decode(integers, exact.unwrap_or(scale.into()))
    }

    /// Standard deviation of a slot's real part, in units of the message, from that of a coefficient.
    pub fn slot_error(&self, std_dev_coeff: f64, scale: f64) -> f64 {
        (self.encoder.slots() as f64).sqrt() * std_dev_coeff / scale
    }

    /// The address of the next sample of a fresh ciphertext.
    pub fn next_sample(&self) -> u64 {
        self.samples.fetch_add(1, Ordering::Relaxed)
    }

    /// The error that encryption with a public key adds at a scale.
    pub fn public_encryption_error(&self, scale: f64) -> f64 {
        let log2_special = self.ring.log2(&self.encryption_special());
        let weight = self.params.secret_weight();
        self.slot_error(public_encryption_std_dev(self.ring.n(), weight, log2_special), scale)
    }

    /// The error of an encoded value's rounding at a scale: that of coefficients to integers, beside which that of the
    /// transform is small ([`doubles::transform_reach`]).
    pub fn encoding_error(&self, scale: f64) -> f64 {
        doubles::integers(self.encoder.slots(), scale)
    }

    /// The largest error of a number that is added to every slot at a level.
    pub fn number_error(&self, c: Complex64, level: usize) -> f64 {
        let integer = std::f64::consts::FRAC_1_SQRT_2 / self.ladder.scales[level];
        integer + if self.is_wide() { 0.0 } else { doubles::ROUNDING * c.norm() }
    }

    /// The largest relative error by scales, where two levels' meet.
    pub fn drift(&self) -> f64 {
        if self.is_wide() { 0.0 } else { doubles::DRIFT }
    }

    /// The error that one rounding at a scale adds.
    pub fn rounding_error(&self, scale: f64) -> f64 {
        self.slot_error(rounding_std_dev(self.params.secret_weight()), scale)
    }

    /// These values with the error that rescaling two polynomials or three adds.
    pub fn with_rescaling(&self, estimate: Estimate, polynomial_count: usize, scale: f64) -> Estimate {
        if polynomial_count == 2 {
            return estimate.with_noise(self.rounding_error(scale));
        }
        let rounding = square_rounding_std_dev(self.params.secret_weight());
        estimate.with_noise_of_squares(self.slot_error(rounding, scale))
    }
}

/// The left rotations, each a power of two in either direction, that compose to a left rotation by `amount` of `slots`
/// slots: the non-adjacent form, which has the fewest terms.
pub(crate) fn powers_of_two(amount: i64, slots: i64) -> Vec<i64> {
    let mut rest = amount.rem_euclid(slots);
    if rest > slots / 2 {
        rest -= slots;
    }
    let mut terms = Vec::new();
    let mut power = 1;
    while rest != 0 {
        if rest % 2 != 0 {
            let digit = 2 - rest.rem_euclid(4);
            terms.push((digit * power).rem_euclid(slots));
            rest -= digit;
        }
        rest /= 2;
        power *= 2;
    }
    terms.retain(|t| *t != 0);
    terms
}

/// A way to cut a modulus into digits for special primes and bits of headroom.
type Cut<'a> = &'a dyn Fn(&Ring, &PrimeSet, &PrimeSet, f64) -> Gadget;

/// The gadgets of the keys that serve the levels above the messages', one for each chain with a bootstrap.
#[derive(Debug, Clone)]
pub(crate) struct BootstrapGadgets {
    /// Relinearization in EvalMod.
    pub relinearization: Gadget,
    /// Conjugation before EvalMod, at its top level.
    pub conjugation: Gadget,
}

impl BootstrapGadgets {
    pub fn new(params: &Params, ring: &Ring) -> Result<Option<Self>, Error> {
        if params.chain.bootstrap.is_none() {
            return Ok(None);
        }
        let sets = params.eval_mod_sets();
        // Products start at the top level, and every level's primes belong to the key.
        let union = sets[1..].iter().fold(sets[0].clone(), |union, set| union.union(set));
        let relinearization = best_gadget(params, ring, &union, &Gadget::consecutive)?;
        let conjugation = best_gadget(params, ring, &sets[sets.len() - 1], &Gadget::balanced)?;
        Ok(Some(Self { relinearization, conjugation }))
    }
}

/// The gadget over `set` whose key switch needs the fewest transforms among those within the security cap:
/// `(digits + 2)` times the number of primes. Where the cap leaves no room for the headroom (two levels at N = 2^13),
/// key switches are noisier than a rounding.
pub(crate) fn best_gadget(params: &Params, ring: &Ring, set: &PrimeSet, cut: Cut<'_>) -> Result<Gadget, Error> {
    gadget_with_headroom(params, ring, set, cut, HEADROOM_BITS)
        .or_else(|refusal| gadget_with_headroom(params, ring, set, cut, -1e-6).map_err(|_| refusal))
}

fn gadget_with_headroom(
    params: &Params,
    ring: &Ring,
    set: &PrimeSet,
    cut: Cut<'_>,
    headroom_bits: f64,
) -> Result<Gadget, Error> {
    let mut best: Option<(usize, Gadget)> = None;
    let mut refusal = None;
    for count in 1..=params.chain.special.len() {
        let special = PrimeSet::new(params.chain.special.iter().copied().take(count));
        let gadget = cut(ring, set, &special, headroom_bits);
        if gadget.digits.iter().any(|d| ring.log2(d) > ring.log2(&special) - headroom_bits + 1e-9) {
            continue;
        }
        if let Err(error) = params.check_key(ring, &gadget.full_set()) {
            refusal = Some(error);
            continue;
        }
        let cost = (gadget.digits.len() + 2) * gadget.full_set().len();
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, gadget));
        }
    }
    best.map(|(_, gadget)| gadget).ok_or_else(|| {
        let needed = "enough to exceed one prime of the modulus by the headroom";
        refusal.unwrap_or_else(|| Error::parameter("special primes", params.chain.special.len(), needed))
    })
}

#[cfg(test)]
mod tests {
    use super::powers_of_two;

    #[test]
    fn non_adjacent_forms_compose_and_are_short() {
        for slots in [2i64, 8, 64, 1024] {
            for amount in -slots..slots {
                let terms = powers_of_two(amount, slots);
                assert_eq!(terms.iter().sum::<i64>().rem_euclid(slots), amount.rem_euclid(slots));
                assert!(terms.len() as u32 <= slots.trailing_zeros() / 2 + 1);
                assert!(terms.iter().all(|t| t.count_ones() == 1 || (slots - t).count_ones() == 1));
            }
        }
    }
}
