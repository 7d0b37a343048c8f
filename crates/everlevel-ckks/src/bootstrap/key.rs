//! The keys of a bootstrap, beside the general ones.

use std::collections::BTreeMap;

use everlevel_rand::Seed;
use everlevel_ring::{PrimeSet, Ring};
use everlevel_rlwe::{Gadget, LinearTransform, Rlwe, SecretId, SwitchingKey};

use crate::bootstrap::tables::{Maps, Transforms, dense_gadget, stage_gadget, trace_rotations, transforms};
use crate::keys::{KeyInfo, SecretKey};
use crate::params::{ENCAPSULATION_WEIGHT, stage_counts};
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
    pub fn apply(&self, ring: &Ring, cts: &[Rlwe]) -> Vec<Rlwe> {
        self.apply_other(ring, cts, &self.transform)
    }

    /// Another map with the same rotations, with these keys.
    pub fn apply_other(&self, ring: &Ring, cts: &[Rlwe], transform: &LinearTransform) -> Vec<Rlwe> {
        transform.apply_many(ring, cts, |r| &self.keys[&r])
    }
}

/// Keys and plaintexts for bootstraps of one stage count.
#[derive(Debug)]
pub struct BootstrapKey {
    pub(crate) info: KeyInfo,
    pub(crate) size: BootstrapKeySize,
    pub(crate) kind: BootstrapKind,
    pub(crate) slot_count: usize,
    /// The raised modulus.
    pub(crate) raised: PrimeSet,
    pub(crate) coeffs_to_slots: Vec<KeyedTransform>,
    pub(crate) slots_to_coeffs: Vec<KeyedTransform>,
    /// At the lowest levels, with the keys of `slots_to_coeffs`; empty for regular keys.
    pub(crate) slots_to_coeffs_first: Vec<LinearTransform>,
    /// Left rotations that project onto the slots' subring, right after the modulus is raised; none for full slots.
    pub(crate) trace: Vec<(i64, SwitchingKey)>,
    /// The rotation by the number of slots that joins two halves side by side, after SlotsToCoeffs' first stage; none where the halves are two
    /// ciphertexts.
    pub(crate) fold: Option<(i64, SwitchingKey)>,
    pub(crate) to_sparse: SwitchingKey,
    pub(crate) to_dense: SwitchingKey,
}

impl Context {
    /// Keys for bootstraps of `stage_count` 3, 4 or 5 ([`crate::params::stage_counts`] for fewer slots): more stages are faster and leave
    /// fewer levels (10, 9, 8).
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
        let supported = stage_counts(self.slot_count());
        if !supported.contains(&stage_count) {
            return Err(Error::StageCount { op, stage_count, slot_count: self.slot_count(), supported });
        }
        let seed = Seed::from_os()?;
        self.install(|inner| {
            let ring = &inner.ring;
            let maps = Maps::new(inner, stage_count, kind);
            let trace = trace_rotations(inner);
            let total = maps.rotation_count(size) + trace.len() + 2;
            let Transforms { packed, coeffs_to_slots: down, slots_to_coeffs: up, slots_to_coeffs_first } =
                transforms(inner, tables, &maps, (size, kind), || report(op, progress, 0, total))?;
            let mut done = 0;
            let mut next = || {
                done += 1;
                report(op, progress, done, total)?;
                Ok::<_, Error>(seed.derive(everlevel_rand::Domain::Derive, done as u64))
            };
            let mut galois = |rotation: i64, gadget: &Gadget| {
                inner.params.check_key(ring, &gadget.full_set())?;
                let elt = ring.rotation_elt(rotation);
                let expanded = !inner.seeded_keys;
                let key = SwitchingKey::generate_galois(ring, &secret.key, elt, gadget.clone(), &next()?, expanded);
                Ok::<_, Error>((rotation, key))
            };
            let mut keyed = |stages: Vec<(LinearTransform, Gadget)>| {
                let stage = |(transform, gadget): (LinearTransform, Gadget)| {
                    let keys =
                        transform.rotations().into_iter().map(|r| galois(r, &gadget)).collect::<Result<_, _>>()?;
                    Ok(KeyedTransform { transform, keys })
                };
                stages.into_iter().map(stage).collect::<Result<Vec<_>, Error>>()
            };
            let coeffs_to_slots = keyed(down)?;
            let slots_to_coeffs = keyed(up)?;
            let raised = tables.coeffs_to_slots(stage_count)[0].clone();
            let raised_gadget = stage_gadget(inner, &raised)?;
            let trace = trace.into_iter().map(|r| galois(r, &raised_gadget)).collect::<Result<_, _>>()?;
            let fold = match packed {
                true => {
                    let after = &slots_to_coeffs[0].transform.target;
                    Some(galois(self.slot_count() as i64, &stage_gadget(inner, after)?)?)
                }
                false => None,
            };
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
                slot_count: self.slot_count(),
                raised,
                coeffs_to_slots,
                slots_to_coeffs,
                slots_to_coeffs_first,
                trace,
                fold,
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

    /// Slots of the ciphertexts that it bootstraps.
    pub fn slot_count(&self) -> usize {
        self.slot_count
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
        let loose = self.trace.iter().chain(&self.fold).map(|(_, key)| key);
        stages.flat_map(|s| s.keys.values()).chain(loose).chain([&self.to_sparse, &self.to_dense])
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
