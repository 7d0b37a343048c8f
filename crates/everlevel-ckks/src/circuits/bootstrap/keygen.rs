//! Generation of the keys of bootstraps.

use everlevel_rand::{Domain, Seed};
use everlevel_rlwe::{Gadget, SwitchingKey};

use crate::chain::ENCAPSULATION_WEIGHT;
use crate::circuits::bootstrap::bootstrapper::Bootstrapper;
use crate::circuits::bootstrap::dft::Steps;
use crate::circuits::bootstrap::key::{BootstrapKey, BootstrapKeyShape, SmallBootstrapKey};
use crate::circuits::bootstrap::method::{BootstrapKeySize, BootstrapKind};
use crate::circuits::bootstrap::request::for_tables;
use crate::circuits::bootstrap::stages::{
    KeyPurpose, TopKeys, coeffs_to_slots_count, coeffs_to_slots_counts, former_stage_gadget,
};
use crate::core::Core;
use crate::keys::SecretKey;
use crate::{Error, Progress};
use everlevel_ring::report;

impl Bootstrapper {
    /// Keys for bootstraps of `stage_count` 3, 4 or 5 ([`crate::stage_counts`] for fewer slots): four and five stages
    /// are faster than three, and leave fewer levels (10, 9, 8 of 13).
    ///
    /// # Errors
    /// A foreign secret key, an unsupported stage count; a cancellation.
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
    /// As [`Bootstrapper::bootstrap_key`].
    pub fn bootstrap_key_of(
        &self,
        kind: BootstrapKind,
        secret: &SecretKey,
        stage_count: usize,
        size: BootstrapKeySize,
        progress: Progress,
    ) -> Result<BootstrapKey, Error> {
        let coeffs_to_slots_count = coeffs_to_slots_count(&self.context().core);
        let shape = BootstrapKeyShape { stage_count, coeffs_to_slots_count, kind, size };
        self.bootstrap_key_of_shape(shape, secret, false, progress)
    }

    /// Keys of a kind with so many stages of SlotsToCoeffs and of CoeffsToSlots, and digits, as older files have them:
    /// version 0.1 had as many stages of one as of the other, and balanced digits.
    ///
    /// # Errors
    /// As [`Bootstrapper::bootstrap_key`].
    pub fn bootstrap_key_with(
        &self,
        kind: BootstrapKind,
        secret: &SecretKey,
        (stage_count, coeffs_to_slots_count): (usize, usize),
        size: BootstrapKeySize,
        progress: Progress,
    ) -> Result<BootstrapKey, Error> {
        let shape = BootstrapKeyShape { stage_count, coeffs_to_slots_count, kind, size };
        self.bootstrap_key_of_shape(shape, secret, true, progress)
    }

    fn bootstrap_key_of_shape(
        &self,
        shape: BootstrapKeyShape,
        secret: &SecretKey,
        is_former: bool,
        progress: Progress,
    ) -> Result<BootstrapKey, Error> {
        let BootstrapKeyShape { stage_count, coeffs_to_slots_count, kind, .. } = shape;
        let op = kind.operation();
        self.context().check(op, "secret key", secret.origin)?;
        self.check_stage_count(op, stage_count)?;
        if kind.has_last() && self.context().params().literal().tables.is_some() {
            return Err(for_tables("kind of a bootstrap key", kind.name()));
        }
        let supported = coeffs_to_slots_counts(&self.context().core);
        if !supported.contains(&coeffs_to_slots_count) {
            let (stage_count, slot_count) = (coeffs_to_slots_count, self.context().slot_count());
            let supported = supported.into_iter().collect();
            return Err(Error::StageCount { op, stage_count, slot_count, supported });
        }
        let footprint = shape.footprint(&self.context().core)?;
        let seed = self.context().core.seeds.next()?;
        self.context().install_large(op, footprint, |core| {
            let mut generator = Generator::new(op, core, secret, seed, progress, shape.key_count(core))?;
            BootstrapKey::from_source(op, core, secret.origin, shape, &mut |_, purpose, gadget| {
                let former = match purpose {
                    KeyPurpose::Rotation(_) if is_former => Some(former_stage_gadget(core, &gadget.ciphertext_set())?),
                    _ => None,
                };
                generator.key(purpose, former.as_ref().unwrap_or(gadget))
            })
        })
    }

    /// A small bootstrap key.
    ///
    /// # Errors
    /// A foreign secret key, a number of slots that no stage count serves; a cancellation.
    pub fn small_bootstrap_key(&self, secret: &SecretKey, progress: Progress) -> Result<SmallBootstrapKey, Error> {
        let op = "create_small_bootstrap_key";
        self.context().check(op, "secret key", secret.origin)?;
        if self.context().params().literal().tables.is_some() {
            return Err(for_tables("kind of a bootstrap key", "small"));
        }
        if self.context().stage_counts().is_empty() {
            self.check_stage_count(op, 1)?;
        }
        let footprint = self.small_bootstrap_key_footprint()?;
        let seed = self.context().core.seeds.next()?;
        self.context().install_large(op, footprint, |core| {
            let total = TopKeys::count(core, coeffs_to_slots_count(core), Steps::Left);
            let mut generator = Generator::new(op, core, secret, seed, progress, total)?;
            SmallBootstrapKey::from_source(op, core, secret.origin, &mut |_, purpose, gadget| {
                generator.key(purpose, gadget)
            })
        })
    }
}

/// A generator of the switching keys of one bootstrap key, which reports each.
struct Generator<'a> {
    op: &'static str,
    core: &'a Core,
    secret: &'a SecretKey,
    sparse: everlevel_rlwe::SecretKey,
    seed: Seed,
    progress: Progress<'a>,
    done: usize,
    total: usize,
}

impl<'a> Generator<'a> {
    fn new(
        op: &'static str,
        core: &'a Core,
        secret: &'a SecretKey,
        seed: Seed,
        progress: Progress<'a>,
        total: usize,
    ) -> Result<Self, Error> {
        report(op, progress, 0, total)?;
        let sparse_seed = seed.derive(Domain::Derive, 0);
        let sparse = everlevel_rlwe::SecretKey::sample(&core.ring, &sparse_seed, 0, Some(ENCAPSULATION_WEIGHT))?;
        Ok(Self { op, core, secret, sparse, seed, progress, done: 0, total })
    }

    /// The next key.
    fn key(&mut self, purpose: KeyPurpose, gadget: &Gadget) -> Result<SwitchingKey, Error> {
        let Core { ring, params, .. } = self.core;
        let (dense, sparse) = (&self.secret.key, &self.sparse);
        let expanded = !self.core.seeded_keys;
        let seed = self.seed.derive(Domain::Derive, self.done as u64 + 1);
        let between = |from: &everlevel_rlwe::SecretKey, to: &everlevel_rlwe::SecretKey| {
            SwitchingKey::generate(
                ring,
                (from.eval(), to.eval()),
                gadget.clone(),
                self.core.randomness(&seed),
                expanded,
            )
        };
        let key = match purpose {
            KeyPurpose::ToSparse => {
                params.check_encapsulation(ring, &gadget.full_set())?;
                between(dense, sparse)
            }
            KeyPurpose::ToDense => {
                params.check_key(ring, &gadget.full_set())?;
                between(sparse, dense)
            }
            KeyPurpose::Rotation(left) => {
                params.check_key(ring, &gadget.full_set())?;
                self.core.galois_key(dense, ring.rotation_elt(left), gadget.clone(), &seed)
            }
        };
        self.done += 1;
        report(self.op, self.progress, self.done, self.total)?;
        Ok(key)
    }
}
