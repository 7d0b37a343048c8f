//! What the keys of bootstraps have in common: their switching keys, made or read one by one.

use std::collections::BTreeMap;

use everlevel_rand::{Domain, Seed};
use everlevel_ring::PrimeSet;
use everlevel_rlwe::{Gadget, SwitchingKey};

use crate::bootstrap::BootstrapTables;
use crate::bootstrap::dft::Steps;
use crate::bootstrap::maps::{Part, shapes};
use crate::bootstrap::tables::{dense_gadget, down_gadgets, stage_gadget, trace_rotations};
use crate::context::Inner;
use crate::keys::SecretKey;
use crate::params::ENCAPSULATION_WEIGHT;
use crate::{Error, Progress, report};

/// Rotation keys of one stage, by left rotation.
pub(crate) type StageKeys = BTreeMap<i64, SwitchingKey>;

/// What a switching key does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Rotation(i64),
    /// To the sparse secret, at the smallest modulus.
    ToSparse,
    /// Back, at the raised one.
    ToDense,
}

/// Where switching keys come from: a generator or a file. Takes the key's name, purpose and shape.
pub(crate) type Source<'s> = &'s mut dyn FnMut(&str, Purpose, &Gadget) -> Result<SwitchingKey, Error>;

/// The keys from the raised modulus to EvalMod.
#[derive(Debug)]
pub(crate) struct TopKeys {
    /// The raised modulus.
    pub raised: PrimeSet,
    pub coeffs_to_slots: Vec<StageKeys>,
    /// Left rotations that project onto the slots' subring, right after the modulus is raised; none for full slots.
    pub trace: Vec<(i64, SwitchingKey)>,
    pub to_sparse: SwitchingKey,
    pub to_dense: SwitchingKey,
}

/// The keys of a transform's stages.
pub(crate) fn stage_keys(
    inner: &Inner,
    part: Part,
    gadgets: &[Gadget],
    steps: Steps,
    source: Source,
) -> Result<Vec<StageKeys>, Error> {
    let stages = shapes(inner, part, gadgets.len()).into_iter().zip(gadgets).enumerate();
    stages
        .map(|(stage, (shape, gadget))| {
            let key = |left| Ok((left, source(&stage_name(part, stage, left), Purpose::Rotation(left), gadget)?));
            shape.keys(steps).into_iter().map(key).collect()
        })
        .collect()
}

/// The name of a rotation's key in a stage of a transform.
fn stage_name(part: Part, stage: usize, left: i64) -> String {
    let transform = match part {
        Part::CoeffsToSlots => "coeffs_to_slots",
        Part::SlotsToCoeffs => "slots_to_coeffs",
        Part::SlotsToCoeffsFirst => "slots_to_coeffs_first",
    };
    format!("{transform}.{stage}.left_{left}")
}

/// Every key of a transform with its name.
pub(crate) fn named_stage_keys(part: Part, stages: &[StageKeys]) -> impl Iterator<Item = (String, &SwitchingKey)> {
    let stage =
        move |(stage, keys)| StageKeys::iter(keys).map(move |(&left, key)| (stage_name(part, stage, left), key));
    stages.iter().enumerate().flat_map(stage)
}

/// Number of keys that [`stage_keys`] asks for.
pub(crate) fn stage_key_count(inner: &Inner, part: Part, stage_count: usize, steps: Steps) -> usize {
    shapes(inner, part, stage_count).iter().map(|shape| shape.keys(steps).len()).sum()
}

impl TopKeys {
    pub fn from_source(
        inner: &Inner,
        tables: &BootstrapTables,
        stage_count: usize,
        steps: Steps,
        source: Source,
    ) -> Result<Self, Error> {
        let raised = tables.coeffs_to_slots(stage_count)[0].clone();
        let gadgets = down_gadgets(inner, tables, stage_count)?;
        let coeffs_to_slots = stage_keys(inner, Part::CoeffsToSlots, &gadgets, steps, source)?;
        let raised_gadget = stage_gadget(inner, &raised)?;
        let trace = trace_rotations(inner).into_iter();
        let trace = trace
            .map(|left| Ok((left, source(&format!("trace.left_{left}"), Purpose::Rotation(left), &raised_gadget)?)))
            .collect::<Result<_, Error>>()?;
        let to_sparse = source("to_sparse", Purpose::ToSparse, &tables.encapsulation_gadget)?;
        let to_dense = source("to_dense", Purpose::ToDense, &dense_gadget(inner, &raised))?;
        Ok(Self { raised, coeffs_to_slots, trace, to_sparse, to_dense })
    }

    /// Number of keys that [`TopKeys::from_source`] asks for.
    pub fn count(inner: &Inner, stage_count: usize, steps: Steps) -> usize {
        stage_key_count(inner, Part::CoeffsToSlots, stage_count, steps) + trace_rotations(inner).len() + 2
    }

    /// Every key with its name.
    pub fn named(&self) -> impl Iterator<Item = (String, &SwitchingKey)> {
        let trace = self.trace.iter().map(|(left, key)| (format!("trace.left_{left}"), key));
        let ends = [("to_sparse", &self.to_sparse), ("to_dense", &self.to_dense)];
        named_stage_keys(Part::CoeffsToSlots, &self.coeffs_to_slots)
            .chain(trace)
            .chain(ends.map(|(name, key)| (name.into(), key)))
    }
}

/// Makes the switching keys of one bootstrap key, reporting each.
pub(crate) struct Generator<'a> {
    op: &'static str,
    inner: &'a Inner,
    secret: &'a SecretKey,
    sparse: everlevel_rlwe::SecretKey,
    seed: Seed,
    progress: Progress<'a>,
    done: usize,
    total: usize,
}

impl<'a> Generator<'a> {
    pub fn new(
        op: &'static str,
        inner: &'a Inner,
        secret: &'a SecretKey,
        seed: Seed,
        progress: Progress<'a>,
        total: usize,
    ) -> Result<Self, Error> {
        report(op, progress, 0, total)?;
        let sparse_seed = seed.derive(Domain::Derive, 0);
        let sparse = everlevel_rlwe::SecretKey::sample(&inner.ring, &sparse_seed, 0, Some(ENCAPSULATION_WEIGHT))?;
        Ok(Self { op, inner, secret, sparse, seed, progress, done: 0, total })
    }

    /// The next key.
    pub fn key(&mut self, purpose: Purpose, gadget: &Gadget) -> Result<SwitchingKey, Error> {
        let Inner { ring, params, .. } = self.inner;
        let (dense, sparse) = (&self.secret.key, &self.sparse);
        let expanded = !self.inner.seeded_keys;
        let seed = self.seed.derive(Domain::Derive, self.done as u64 + 1);
        let between = |from: &everlevel_rlwe::SecretKey, to: &everlevel_rlwe::SecretKey| {
            SwitchingKey::generate(ring, dense.id(), [from.eval(), to.eval()], gadget.clone(), &seed, expanded)
        };
        let key = match purpose {
            Purpose::ToSparse => {
                params.check_encapsulation(ring, &gadget.full_set())?;
                between(dense, sparse)
            }
            Purpose::ToDense => {
                params.check_key(ring, &gadget.full_set())?;
                between(sparse, dense)
            }
            Purpose::Rotation(left) => {
                params.check_key(ring, &gadget.full_set())?;
                SwitchingKey::generate_galois(ring, dense, ring.rotation_elt(left), gadget.clone(), &seed, expanded)
            }
        };
        self.done += 1;
        report(self.op, self.progress, self.done, self.total)?;
        Ok(key)
    }
}
