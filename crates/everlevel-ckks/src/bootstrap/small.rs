//! Bootstraps with few keys: one baby and one giant step for each stage of CoeffsToSlots, and the user's rotation key
//! for SlotsToCoeffs.

use everlevel_ring::PrimeSet;
use everlevel_rlwe::{SecretId, SwitchingKey};

use crate::bootstrap::BootstrapTables;
use crate::bootstrap::dft::Steps;
use crate::bootstrap::key_set::{Generator, Source, TopKeys};
use crate::context::Inner;
use crate::keys::{KeyInfo, SecretKey};
use crate::{Context, Error, Progress};

/// Keys for bootstraps of every kind and stage count, together with a rotation key: little memory, at the price of
/// time.
#[derive(Debug)]
pub struct SmallBootstrapKey {
    pub(crate) info: KeyInfo,
    pub(crate) slot_count: usize,
    pub(crate) top: TopKeys,
}

impl Context {
    /// A small bootstrap key.
    ///
    /// # Errors
    /// A foreign secret key, parameters without a bootstrap; a cancellation.
    pub fn small_bootstrap_key(&self, secret: &SecretKey, progress: Progress) -> Result<SmallBootstrapKey, Error> {
        let op = "create_small_bootstrap_key";
        let Some(tables) = &self.0.bootstrap else {
            return Err(Error::NoBootstrap { op });
        };
        self.check(op, "secret key", secret.info)?;
        if self.stage_counts().is_empty() {
            self.check_stage_count(op, 1)?;
        }
        let seed = self.0.seeds.next()?;
        self.install(|inner| {
            let total = TopKeys::count(inner, inner.small_stage_count(), Steps::Left);
            let mut generator = Generator::new(op, inner, secret, seed, progress, total)?;
            SmallBootstrapKey::from_source(inner, tables, secret.info, &mut |_, purpose, gadget| {
                generator.key(purpose, gadget)
            })
        })
    }
}

impl Inner {
    /// Stages of CoeffsToSlots with small keys. They cost no message levels, so that their number is free: the one with
    /// the fewest rotations whose modulus leaves room for special primes.
    pub(crate) fn small_stage_count(&self) -> usize {
        self.params.small_stage_count(self.encoder.slots())
    }
}

impl SmallBootstrapKey {
    pub(crate) fn from_source(
        inner: &Inner,
        tables: &BootstrapTables,
        info: KeyInfo,
        source: Source,
    ) -> Result<Self, Error> {
        let top = TopKeys::from_source(inner, tables, inner.small_stage_count(), Steps::Left, source)?;
        Ok(Self { info, slot_count: inner.encoder.slots(), top })
    }

    /// Slots of the ciphertexts that it bootstraps.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// The secret that it was made from.
    pub fn secret_id(&self) -> SecretId {
        self.info.secret_id
    }

    fn switching_keys(&self) -> impl Iterator<Item = &SwitchingKey> {
        self.top.named().map(|(_, key)| key)
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
