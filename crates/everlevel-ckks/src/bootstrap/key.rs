//! The keys of a bootstrap, beside the general ones.

use everlevel_ring::PrimeSet;
use everlevel_rlwe::{SecretId, SwitchingKey};

use crate::bootstrap::BootstrapTables;
use crate::bootstrap::dft::Steps;
use crate::bootstrap::key_set::{
    Generator, Purpose, Source, StageKeys, TopKeys, named_stage_keys, stage_key_count, stage_keys,
};
use crate::bootstrap::maps::{Held, Part, is_packed};
use crate::bootstrap::tables::{descent, lowest_gadgets, stage_gadget, up_gadgets};
use crate::context::Inner;
use crate::keys::{KeyInfo, SecretKey};
use crate::{Context, Error, Progress};

/// Baby steps against giant steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BootstrapKeySize {
    /// As few keys as possible: balanced steps.
    Medium,
    /// More baby steps, which share their digits, for speed.
    Large,
}

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BootstrapKind {
    /// Regular bootstraps.
    Regular,
    /// Also lossy and sign bootstraps, in which SlotsToCoeffs comes first.
    Lossy,
}

/// Keys for bootstraps of one stage count.
#[derive(Debug)]
pub struct BootstrapKey {
    pub(crate) info: KeyInfo,
    pub(crate) size: BootstrapKeySize,
    pub(crate) kind: BootstrapKind,
    pub(crate) slot_count: usize,
    pub(crate) top: TopKeys,
    /// For SlotsToCoeffs from the top message level.
    pub(crate) slots_to_coeffs: Vec<StageKeys>,
    /// For SlotsToCoeffs at the lowest levels, where it comes first; none for regular keys.
    pub(crate) slots_to_coeffs_first: Vec<StageKeys>,
    /// The rotation by the number of slots that joins two halves side by side, after SlotsToCoeffs' first stage; none
    /// where the halves are two ciphertexts.
    pub(crate) fold: Option<(i64, SwitchingKey)>,
    /// Plaintexts that are shared with other keys, and go with the last of them.
    pub(crate) maps: Held,
}

impl Context {
    /// Keys for bootstraps of `stage_count` 3, 4 or 5 ([`crate::params::stage_counts`] for fewer slots): more stages
    /// are faster and leave fewer levels (10, 9, 8 of 13).
    ///
    /// # Errors
    /// A foreign secret key, an unsupported stage count, parameters without a bootstrap, fewer slots than half the
    /// degree; a cancellation.
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
        self.check_stage_count(op, stage_count)?;
        let seed = self.0.seeds.next()?;
        self.install(|inner| {
            let total = BootstrapKey::count(inner, stage_count, kind, size);
            let mut generator = Generator::new(op, inner, secret, seed, progress, total)?;
            let id = (secret.info, stage_count, kind, size);
            BootstrapKey::from_source(inner, tables, id, &mut |_, purpose, gadget| generator.key(purpose, gadget))
        })
    }

    /// The stage counts of bootstraps in this context.
    pub fn stage_counts(&self) -> Vec<usize> {
        self.0.params.stage_counts(self.slot_count())
    }

    /// Refuses a stage count that these slots and levels do not allow.
    pub(crate) fn check_stage_count(&self, op: &'static str, stage_count: usize) -> Result<(), Error> {
        let supported = self.stage_counts();
        if supported.contains(&stage_count) {
            return Ok(());
        }
        Err(Error::StageCount { op, stage_count, slot_count: self.slot_count(), supported })
    }

    /// Bytes of the plaintexts that bootstraps in this context have made so far, and share.
    pub fn bootstrap_table_nbytes(&self) -> usize {
        self.0.bootstrap.as_ref().map_or(0, |tables| tables.maps.nbytes())
    }
}

impl BootstrapKey {
    pub(crate) fn from_source(
        inner: &Inner,
        tables: &BootstrapTables,
        (info, stage_count, kind, size): (KeyInfo, usize, BootstrapKind, BootstrapKeySize),
        source: Source,
    ) -> Result<Self, Error> {
        let (steps, part) = (Steps::Hoisted(size), Part::SlotsToCoeffs);
        let top = TopKeys::from_source(inner, tables, stage_count, steps, source)?;
        let slots_to_coeffs = stage_keys(inner, part, &up_gadgets(inner, stage_count)?, steps, source)?;
        let slots_to_coeffs_first = match kind {
            BootstrapKind::Regular => Vec::new(),
            BootstrapKind::Lossy => {
                stage_keys(inner, Part::SlotsToCoeffsFirst, &lowest_gadgets(inner, stage_count)?, steps, source)?
            }
        };
        let slot_count = inner.encoder.slots();
        let fold = match is_packed(inner, kind) {
            true => {
                let left = slot_count as i64;
                let after = &descent(inner, inner.ladder.sets.len() - 1, stage_count)[0][1];
                Some((left, source("fold", Purpose::Rotation(left), &stage_gadget(inner, after)?)?))
            }
            false => None,
        };
        Ok(Self {
            info,
            size,
            kind,
            slot_count,
            top,
            slots_to_coeffs,
            slots_to_coeffs_first,
            fold,
            maps: Held::default(),
        })
    }

    /// Number of switching keys.
    fn count(inner: &Inner, stage_count: usize, kind: BootstrapKind, size: BootstrapKeySize) -> usize {
        let steps = Steps::Hoisted(size);
        let up = stage_key_count(inner, Part::SlotsToCoeffs, stage_count, steps);
        let directions = if kind == BootstrapKind::Lossy { 2 } else { 1 };
        TopKeys::count(inner, stage_count, steps) + directions * up + usize::from(is_packed(inner, kind))
    }

    /// Every switching key with its name.
    pub(crate) fn named(&self) -> impl Iterator<Item = (String, &SwitchingKey)> {
        let fold = self.fold.iter().map(|(_, key)| ("fold".into(), key));
        self.top
            .named()
            .chain(named_stage_keys(Part::SlotsToCoeffs, &self.slots_to_coeffs))
            .chain(named_stage_keys(Part::SlotsToCoeffsFirst, &self.slots_to_coeffs_first))
            .chain(fold)
    }

    /// Number of stages of each transform.
    pub fn stage_count(&self) -> usize {
        self.top.coeffs_to_slots.len()
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
        self.named().map(|(_, key)| key)
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
}
