//! The keys of a bootstrap, beside the general ones.

use std::collections::BTreeMap;

use everlevel_rand::Seed;
use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Gadget, LinearTransform, Rlwe, SecretId, SwitchingKey};

use crate::bootstrap::tables::{Transforms, dense_gadget, transforms};
use crate::keys::{KeyInfo, SecretKey};
use crate::params::{ENCAPSULATION_WEIGHT, STAGE_COUNTS};
use crate::{Context, Error, Progress, report};

/// Baby steps against giant steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootstrapKeySize {
    /// As few keys as possible: balanced steps.
    Medium,
    /// More baby steps, which share their digits, for speed.
    Large,
}

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootstrapKind {
    /// Regular bootstraps.
    Regular,
    /// Also lossy and sign bootstraps, in which SlotsToCoeffs comes first.
    Lossy,
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
        self.apply_other(ring, ct, &self.transform)
    }

    /// Another map with the same rotations, with these keys.
    pub fn apply_other(&self, ring: &Ring, ct: &Rlwe, transform: &LinearTransform) -> Rlwe {
        transform.apply(ring, ct, |r| &self.keys[&r])
    }
}

/// Keys and plaintexts for bootstraps of one stage count.
#[derive(Debug)]
pub struct BootstrapKey {
    pub(crate) info: KeyInfo,
    pub(crate) size: BootstrapKeySize,
    pub(crate) kind: BootstrapKind,
    /// The raised modulus.
    pub(crate) raised: PrimeSet,
    pub(crate) coeffs_to_slots: Vec<KeyedTransform>,
    pub(crate) slots_to_coeffs: Vec<KeyedTransform>,
    /// At the lowest levels, with the keys of `slots_to_coeffs`; empty for regular keys.
    pub(crate) slots_to_coeffs_first: Vec<LinearTransform>,
    pub(crate) to_sparse: SwitchingKey,
    pub(crate) to_dense: SwitchingKey,
}

impl Context {
    /// Keys for bootstraps of `stage_count` 3, 4 or 5: more stages are faster and leave fewer levels (10, 9, 8).
    ///
    /// # Errors
    /// A foreign secret key, an unsupported stage count, parameters without a bootstrap, fewer slots than half the degree; a
    /// cancellation.
    pub fn bootstrap_key(
        &self,
        secret: &SecretKey,
        stage_count: usize,
        size: BootstrapKeySize,
        progress: Progress,
    ) -> Result<BootstrapKey, Error> {
        self.bootstrap_key_of(BootstrapKind::Regular, secret, stage_count, size, progress)
    }

    /// Keys of a kind.
    ///
    /// # Errors
    /// As [`Context::bootstrap_key`].
    pub fn bootstrap_key_of(
        &self,
        kind: BootstrapKind,
        secret: &SecretKey,
        stage_count: usize,
        size: BootstrapKeySize,
        progress: Progress,
    ) -> Result<BootstrapKey, Error> {
        let op = match kind {
            BootstrapKind::Regular => "create_bootstrap_key",
            BootstrapKind::Lossy => "create_lossy_bootstrap_key",
        };
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
            let Transforms { coeffs_to_slots: down, slots_to_coeffs: up, slots_to_coeffs_first } =
                transforms(inner, tables, stage_index, size, kind, || report(op, progress, 0, 1))?;
            let total = down.iter().chain(&up).map(|(t, _)| t.rotations().len()).sum::<usize>() + 2;
            let mut done = 0;
            let mut next = || {
                done += 1;
                report(op, progress, done, total)?;
                Ok::<_, Error>(seed.derive(everlevel_rand::Domain::Derive, done as u64))
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
                                    &next()?,
                                    !inner.seeded_keys,
                                );
                                Ok((r, key))
                            })
                            .collect::<Result<_, Error>>()?;
                        Ok(KeyedTransform { transform, keys })
                    })
                    .collect::<Result<Vec<_>, Error>>()
            };
            let coeffs_to_slots = keyed(down)?;
            let slots_to_coeffs = keyed(up)?;

            let raised = tables.coeffs_to_slots[stage_index][0].clone();
            let sparse = everlevel_rlwe::SecretKey::sample(ring, &next()?, 0, Some(ENCAPSULATION_WEIGHT))?;
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
            report(op, progress, total, total)?;
            Ok(BootstrapKey {
                info: secret.info,
                size,
                kind,
                raised,
                coeffs_to_slots,
                slots_to_coeffs,
                slots_to_coeffs_first,
                to_sparse,
                to_dense,
            })
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

    /// What it is for.
    pub fn kind(&self) -> BootstrapKind {
        self.kind
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

    /// Whether it holds the seeds of its uniform halves instead of the halves.
    pub fn is_seeded(&self) -> bool {
        self.switching_keys().all(|k| !k.is_expanded())
    }

    /// Bytes of the plaintext tables beside the keys.
    pub fn table_nbytes(&self) -> usize {
        let keyed = self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs).map(|s| &s.transform);
        keyed.chain(&self.slots_to_coeffs_first).map(LinearTransform::nbytes).sum()
    }
}
