//! The keys of bootstraps over limbs.

use std::collections::BTreeMap;

use everlevel_io::{Builder, Container, Stored, kinds};
use everlevel_limbs::{Error, Origin, SecretKey};
use everlevel_objects::with_memory;
use everlevel_rand::{Domain, sampler};
use everlevel_ring::{Footprint, LimbGadget, LimbRing, Progress, report};
use everlevel_rlwe::{SecretId, SwitchingKey};
use zeroize::Zeroizing;

use super::super::Context;
use super::plan::Plan;
use super::purpose::Purpose;
use crate::chain::ENCAPSULATION_WEIGHT;

/// The keys of one secret that a bootstrap needs. They are public.
#[derive(Debug)]
pub struct BootstrapKey {
    origin: Origin,
    keys: BTreeMap<Purpose, SwitchingKey<LimbRing>>,
}

impl BootstrapKey {
    /// The name of the secret that they belong to.
    pub fn secret_id(&self) -> SecretId {
        self.origin.secret_id
    }

    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// Bytes in memory.
    pub fn nbytes(&self) -> usize {
        self.keys.values().map(SwitchingKey::nbytes).sum()
    }

    /// Whether seeds and bodies are held alone.
    pub fn is_seeded(&self) -> bool {
        self.keys.values().any(|key| key.rows().is_seeded())
    }

    pub(super) fn get(&self, purpose: Purpose) -> &SwitchingKey<LimbRing> {
        self.keys.get(&purpose).unwrap_or_else(|| unreachable!("keys of every purpose"))
    }
}

impl Context {
    /// The memory of [`Context::bootstrap_key`].
    ///
    /// # Errors
    /// Parameters without a bootstrap.
    pub fn bootstrap_key_footprint(&self) -> Result<Footprint, Error> {
        let keys = self.bootstrap_plan()?.keys();
        let held: usize = keys.iter().map(|(_, gadget)| self.key_nbytes(gadget)).sum();
        let limbs = keys.iter().map(|(_, gadget)| gadget.limbs).max().unwrap_or(0);
        // Mask, body and product of a row, and their transforms.
        Ok(Footprint { held: held as u64, work: (8 * 8 * self.params.n() * limbs) as u64 })
    }

    /// The keys of bootstraps. Each is a step of the progress.
    ///
    /// # Errors
    /// Parameters without a bootstrap; no randomness; too little memory; a secret key of other parameters;
    /// [`Error::Cancelled`].
    pub fn bootstrap_key(&self, secret: &SecretKey, progress: Progress) -> Result<BootstrapKey, Error> {
        let op = "bootstrap_key";
        self.require(op, "secret key", secret.origin())?;
        let plan = self.bootstrap_plan()?;
        with_memory(op, self.bootstrap_key_footprint()?, || {
            let all = plan.keys();
            let sparse = self.sparse_secret()?;
            let mut keys = BTreeMap::new();
            for &(purpose, gadget) in &all {
                report(op, progress, keys.len(), all.len())?;
                keys.insert(purpose, self.key_of(purpose, (secret, &sparse), gadget)?);
            }
            report(op, progress, all.len(), all.len())?;
            Ok(BootstrapKey { origin: secret.origin(), keys })
        })
    }

    /// A secret of few ones, for one limb alone.
    fn sparse_secret(&self) -> Result<everlevel_rlwe::SecretKey<LimbRing>, Error> {
        let mut coeffs = vec![0; self.params.n()];
        let seed = self.seed()?;
        sampler::fixed_weight(&mut seed.stream(Domain::SecretKey, 0), &mut coeffs, ENCAPSULATION_WEIGHT)?;
        Ok(everlevel_rlwe::SecretKey::from_coeffs(self.ring(), SecretId(0), coeffs))
    }

    fn key_of(
        &self,
        purpose: Purpose,
        (secret, sparse): (&SecretKey, &everlevel_rlwe::SecretKey<LimbRing>),
        gadget: LimbGadget,
    ) -> Result<SwitchingKey<LimbRing>, Error> {
        let wide = |key: &everlevel_rlwe::SecretKey<LimbRing>| {
            Zeroizing::new(key.coeffs().iter().map(|&c| i64::from(c)).collect::<Vec<_>>())
        };
        let (ring, frame, dense) = (self.ring(), &self.frame, secret.key());
        let between = |from, to| {
            let expanded = !frame.seeded_keys();
            Ok(SwitchingKey::of_limbs(ring, to, &wide(from), gadget, &frame.seed()?, expanded))
        };
        match purpose {
            Purpose::ToSparse => between(dense, sparse),
            Purpose::ToDense => between(sparse, dense),
            Purpose::Relinearization => frame.product_key(secret, gadget),
            Purpose::Conjugation => frame.galois_key(secret, frame.inversion(), gadget),
            Purpose::Baby { left, .. } => frame.galois_key(secret, frame.rotation(left), gadget),
            Purpose::Giant { left, .. } => frame.moved_key(secret, frame.rotation(left), gadget),
        }
    }
}

impl Stored<Context> for BootstrapKey {
    const KIND: &'static str = kinds::LIMBS_BOOTSTRAP_KEY;
    type Error = Error;

    fn to_container<'a>(&self, context: &Context) -> Result<Builder<'a>, Error> {
        let frame = &context.frame;
        frame.require("save", "bootstrap key", self.origin)?;
        let nbytes = |key: &SwitchingKey<LimbRing>| key.gadget().digits * key.gadget().limbs * 8 * context.params.n();
        let held = self.keys.values().map(nbytes).sum::<usize>() as u64;
        with_memory("save", Footprint { held, work: 0 }, || {
            let mut builder = frame.begin(Self::KIND, self.origin.secret_id);
            self.keys.iter().for_each(|(purpose, key)| frame.put_key(&mut builder, &purpose.name(), key));
            Ok(builder)
        })
    }

    fn from_container(context: &Context, container: &Container) -> Result<Self, Error> {
        let frame = &context.frame;
        let id = frame.verified(container, Self::KIND)?;
        let plan: &Plan = context.bootstrap_plan()?;
        with_memory("load", context.bootstrap_key_footprint()?, || {
            let read = |(purpose, gadget): (Purpose, LimbGadget)| {
                Ok::<_, Error>((purpose, frame.key(container, &purpose.name(), gadget)?))
            };
            let keys = plan.keys().into_iter().map(read).collect::<Result<_, _>>()?;
            Ok(Self { origin: frame.origin(id), keys })
        })
    }
}
