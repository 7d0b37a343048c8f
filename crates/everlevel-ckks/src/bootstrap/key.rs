//! What a bootstrap needs beside the general keys: tables that belong to the parameters, keys that belong to a secret.

use std::collections::BTreeMap;

use everlevel_rand::Seed;
use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Gadget, LinearTransform, Rlwe, SecretId, SwitchingKey, noise};

use crate::bootstrap::dft::{self, Direction};
use crate::bootstrap::eval_mod::{Fit, INTERVAL};
use crate::context::{Inner, best_gadget};
use crate::keys::{KeyInfo, SecretKey};
use crate::params::{BootstrapChain, ENCAPSULATION_WEIGHT, LOG2_EVAL_MOD, STAGE_COUNTS};
use crate::working::Ladder;
use crate::{Context, Error, Params, Progress};

/// The raised phase is multiplied by this, so that key-switching noise is small against `q0`.
const RAISE_FACTOR: u64 = 4;
/// Root mean square of EvalMod's error, at N = 2^16, from roundings: measured, and scaling with their √N.
const EVAL_MOD_NOISE: f64 = 7.9e-13;
/// Root mean square of the fit's error.
const FIT_ERROR: f64 = 4.5e-13;

/// Estimated standard deviation of a slot's real part after a bootstrap (docs/notes/bootstrap.md): EvalMod's error summed over `n`
/// coefficients and multiplied by the message ratio over 2π, and the roundings at level 0.
fn slot_error(n: usize, message_ratio: f64, rounding: f64) -> f64 {
    let n = n as f64;
    let eval_mod = (EVAL_MOD_NOISE * (n / 65536.0).sqrt()).hypot(FIT_ERROR);
    ((n / 2.0).sqrt() * eval_mod * message_ratio / (2.0 * std::f64::consts::PI)).hypot(2.0 * rounding)
}

/// Baby steps against giant steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootstrapKeySize {
    /// As few keys as possible: balanced steps.
    Medium,
    /// More baby steps, which share their digits, for speed.
    Large,
}

/// Tables of a parameter set with a bootstrap.
#[derive(Debug)]
pub(crate) struct BootstrapTables {
    /// The EvalMod levels, above the highest message level.
    pub ladder: Ladder,
    pub fit: Fit,
    pub eval_mod_gadget: Gadget,
    pub conjugation_gadget: Gadget,
    pub raise_factor: u64,
    pub error: f64,
    pub coeffs_to_slots: Vec<Vec<PrimeSet>>,
    pub encapsulation_gadget: Gadget,
}

/// A linear map with the rotation keys for its levels.
#[derive(Debug)]
pub(crate) struct KeyedTransform {
    pub transform: LinearTransform,
    pub keys: BTreeMap<i64, SwitchingKey>,
}

impl KeyedTransform {
    /// The map applied.
    pub fn apply(&self, ring: &Ring, ct: &Rlwe) -> Rlwe {
        self.transform.apply(ring, ct, |r| &self.keys[&r])
    }
}

/// Keys and plaintexts for bootstraps of one stage count.
#[derive(Debug)]
pub struct BootstrapKey {
    pub(crate) info: KeyInfo,
    pub(crate) size: BootstrapKeySize,
    /// The raised modulus.
    pub(crate) raised: PrimeSet,
    pub(crate) coeffs_to_slots: Vec<KeyedTransform>,
    pub(crate) slots_to_coeffs: Vec<KeyedTransform>,
    pub(crate) to_sparse: SwitchingKey,
    pub(crate) to_dense: SwitchingKey,
}

impl BootstrapTables {
    pub fn new(params: &Params, ring: &Ring, chain: &BootstrapChain, messages: &Ladder) -> Result<Self, Error> {
        let top_message = messages.sets.len() - 1;
        let sets: Vec<PrimeSet> = params.levels[top_message..].iter().map(|l| l.set.clone()).collect();
        let top = sets[sets.len() - 1].clone();
        // Products start at the top level, and every level's primes belong to the key.
        let union = sets[1..].iter().fold(sets[0].clone(), |u, s| u.union(s));
        let ladder = Ladder::new(ring, sets, 2f64.powf(LOG2_EVAL_MOD));
        let eval_mod_gadget = best_gadget(params, ring, &union, Gadget::consecutive)?;
        let conjugation_gadget = best_gadget(params, ring, &top, Gadget::balanced)?;
        let special = PrimeSet::new([params.special[0], chain.encapsulation_terminal]);
        let encapsulation_gadget = Gadget::whole(&messages.sets[0], &special);
        params.check_encapsulation(ring, &encapsulation_gadget.full_set())?;
        let message_ratio = ring.product(&messages.sets[0]) / messages.scales[0];
        let rounding =
            (ring.n() as f64 / 2.0).sqrt() * noise::rounding_std_dev(params.secret_weight()) / messages.scales[0];
        Ok(Self {
            ladder,
            fit: Fit::new(),
            eval_mod_gadget,
            conjugation_gadget,
            raise_factor: RAISE_FACTOR,
            error: slot_error(ring.n(), message_ratio, rounding),
            coeffs_to_slots: chain.coeffs_to_slots.clone(),
            encapsulation_gadget,
        })
    }
}

/// Source and target of every CoeffsToSlots and every SlotsToCoeffs stage.
pub(crate) fn stage_sets(inner: &Inner, tables: &BootstrapTables, stage_index: usize) -> [Vec<[PrimeSet; 2]>; 2] {
    let mut down = tables.coeffs_to_slots[stage_index].clone();
    down.extend(tables.ladder.sets.last().cloned());
    let up: Vec<PrimeSet> = inner.ladder.sets.iter().rev().take(STAGE_COUNTS[stage_index] + 1).cloned().collect();
    [down, up].map(|sets| sets.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect())
}

/// The gadget of the rotation keys of a stage.
pub(crate) fn stage_gadget(inner: &Inner, source: &PrimeSet) -> Result<Gadget, Error> {
    best_gadget(&inner.params, &inner.ring, source, Gadget::balanced)
}

/// The gadget of the key back from the sparse secret, over the raised modulus.
pub(crate) fn dense_gadget(inner: &Inner, raised: &PrimeSet) -> Gadget {
    Gadget::whole(raised, &PrimeSet::new(inner.params.special.iter().copied().take(2)))
}

/// The two transforms of a stage count, each stage with its rotations' gadget.
pub(crate) fn transforms(
    inner: &Inner,
    tables: &BootstrapTables,
    stage_index: usize,
    size: BootstrapKeySize,
) -> Result<[Vec<(LinearTransform, Gadget)>; 2], Error> {
    let (ring, encoder) = (&inner.ring, &inner.encoder);
    let stage_count = STAGE_COUNTS[stage_index];
    let slots = encoder.slots() as f64;
    let q0 = ring.product(&inner.ladder.sets[0]);
    let sine_scales = &tables.ladder.scales;

    // CoeffsToSlots: coefficients factor·q0·t become, after the addition of the conjugate, S·t/INTERVAL.
    let [down_sets, up_sets] = stage_sets(inner, tables, stage_index);
    let top_scale = sine_scales[sine_scales.len() - 1];
    let total = top_scale / (2.0 * slots * INTERVAL * tables.raise_factor as f64 * q0);
    let share = total.powf(1.0 / stage_count as f64);
    let encode = |map: &dft::Diagonals, pair: &[PrimeSet; 2], share: f64| {
        let gadget = stage_gadget(inner, &pair[0])?;
        let factor = share * crate::working::ratio(ring, &pair[0], &pair[1]);
        let transform = map.encode(ring, encoder, [&pair[0], &pair[1]], &gadget, factor, size);
        Ok::<_, Error>((transform, gadget))
    };
    let down = dft::stages(encoder, Direction::CoeffsToSlots, stage_count)
        .iter()
        .zip(&down_sets)
        .map(|(map, pair)| encode(map, pair, share))
        .collect::<Result<_, _>>()?;

    // SlotsToCoeffs: S·2π·(S0/q0)·m becomes S_out·m. Half of the fall in scale goes to the first stage, whose rounding the later
    // stages magnify most and whose plaintexts are the most precise.
    let top_level = inner.ladder.sets.len() - 1;
    let out_scale = inner.ladder.scales[top_level - stage_count];
    let total = out_scale * q0 / (sine_scales[0] * 2.0 * std::f64::consts::PI * inner.ladder.scales[0]);
    let up = dft::stages(encoder, Direction::SlotsToCoeffs, stage_count)
        .iter()
        .zip(&up_sets)
        .enumerate()
        .map(|(i, (map, pair))| {
            let power = if i == 0 { 0.5 } else { 0.5 / (stage_count - 1) as f64 };
            encode(map, pair, total.powf(power))
        })
        .collect::<Result<_, _>>()?;
    Ok([down, up])
}

impl Context {
    /// Keys for bootstraps of `stage_count` 3, 4 or 5: more stages are faster and leave fewer levels (10, 9, 8).
    ///
    /// # Errors
    /// A foreign secret key, an unsupported stage count, parameters without a bootstrap, fewer slots than half the degree.
    pub fn bootstrap_key(
        &self,
        secret: &SecretKey,
        stage_count: usize,
        size: BootstrapKeySize,
        progress: Progress,
    ) -> Result<BootstrapKey, Error> {
        let op = "create_bootstrap_key";
        let Some(tables) = &self.0.bootstrap else {
            return Err(Error::NoBootstrap { op });
        };
        self.check(op, "secret key", secret.info)?;
        let Some(stage_index) = STAGE_COUNTS.iter().position(|&s| s == stage_count) else {
            return Err(Error::StageCount { op, stage_count, supported: STAGE_COUNTS.to_vec() });
        };
        if self.slot_count() != self.params().max_slots() {
            return Err(Error::Parameter {
                what: "slot_count",
                found: self.slot_count().to_string(),
                needed: format!("{} for a bootstrap: sparse bootstraps are not there yet", self.params().max_slots()),
            });
        }
        let seed = Seed::from_os()?;
        self.install(|inner| {
            let ring = &inner.ring;
            let [down, up] = transforms(inner, tables, stage_index, size)?;
            let total = down.iter().chain(&up).map(|(t, _)| t.rotations().len()).sum::<usize>() + 2;
            let mut done = 0;
            let mut next = || {
                done += 1;
                progress(done, total);
                seed.derive(everlevel_rand::Domain::Derive, done as u64)
            };
            let mut keyed = |stages: Vec<(LinearTransform, Gadget)>| {
                stages
                    .into_iter()
                    .map(|(transform, gadget)| {
                        inner.params.check_key(ring, &gadget.full_set())?;
                        let keys = transform
                            .rotations()
                            .into_iter()
                            .map(|r| {
                                let elt = ring.rotation_elt(r);
                                let key = SwitchingKey::generate_galois(
                                    ring,
                                    &secret.key,
                                    elt,
                                    gadget.clone(),
                                    &next(),
                                    !inner.seeded_keys,
                                );
                                (r, key)
                            })
                            .collect();
                        Ok(KeyedTransform { transform, keys })
                    })
                    .collect::<Result<Vec<_>, Error>>()
            };
            let coeffs_to_slots = keyed(down)?;
            let slots_to_coeffs = keyed(up)?;

            let raised = tables.coeffs_to_slots[stage_index][0].clone();
            let sparse = everlevel_rlwe::SecretKey::sample(ring, &next(), 0, Some(ENCAPSULATION_WEIGHT))?;
            let [dense_seed, sparse_seed] = [1, 2].map(|i| seed.derive(everlevel_rand::Domain::Ephemeral, i));
            let id = secret.key.id();
            let (s, t) = (secret.key.eval(), sparse.eval());
            let to_sparse = SwitchingKey::generate(
                ring,
                id,
                [s, t],
                tables.encapsulation_gadget.clone(),
                &sparse_seed,
                !inner.seeded_keys,
            );
            let gadget = dense_gadget(inner, &raised);
            inner.params.check_key(ring, &gadget.full_set())?;
            let to_dense = SwitchingKey::generate(ring, id, [t, s], gadget, &dense_seed, !inner.seeded_keys);
            progress(total, total);
            Ok(BootstrapKey { info: secret.info, size, raised, coeffs_to_slots, slots_to_coeffs, to_sparse, to_dense })
        })
    }
}

impl BootstrapKey {
    /// Number of stages of each transform.
    pub fn stage_count(&self) -> usize {
        self.coeffs_to_slots.len()
    }

    /// Which steps it was made for.
    pub fn size(&self) -> BootstrapKeySize {
        self.size
    }

    /// The secret that it was made from.
    pub fn secret_id(&self) -> SecretId {
        self.info.secret_id
    }

    fn switching_keys(&self) -> impl Iterator<Item = &SwitchingKey> {
        let stages = self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs);
        stages.flat_map(|s| s.keys.values()).chain([&self.to_sparse, &self.to_dense])
    }

    /// The modulus of every switching key.
    pub fn moduli(&self) -> Vec<PrimeSet> {
        self.switching_keys().map(|k| k.gadget().full_set()).collect()
    }

    /// Number of switching keys.
    pub fn key_count(&self) -> usize {
        self.switching_keys().count()
    }

    /// Bytes of the keys in memory.
    pub fn nbytes(&self) -> usize {
        self.switching_keys().map(SwitchingKey::nbytes).sum()
    }

    /// Bytes of the seeded form, which leaves out what a seed expands to.
    pub fn seeded_nbytes(&self) -> usize {
        self.switching_keys().map(SwitchingKey::seeded_nbytes).sum()
    }

    /// Bytes of the plaintext tables beside the keys.
    pub fn table_nbytes(&self) -> usize {
        self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs).map(|s| s.transform.nbytes()).sum()
    }
}
