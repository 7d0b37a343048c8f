//! The switching keys that the keys of bootstraps have in common, made or read one by one.

use std::collections::BTreeMap;

use everlevel_ring::PrimeSet;
use everlevel_ring::Recordings;
use everlevel_rlwe::{Gadget, SwitchingKey};

use crate::Error;
use crate::circuits::bootstrap::dft::Steps;
use crate::circuits::bootstrap::moduli::{
    Transform, dense_gadget, encapsulation_gadget, raised, stage_gadget, trace_rotations,
};
use crate::core::Core;

/// Rotation keys of one stage, by left rotation.
pub(crate) type StageKeys = BTreeMap<i64, SwitchingKey>;

/// The purpose of a switching key in a bootstrap.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeyPurpose {
    Rotation(i64),
    /// To the sparse secret, at the smallest modulus.
    ToSparse,
    /// Back, at the raised one.
    ToDense,
}

/// A source of switching keys: a generator or a file. Takes the key's name, purpose and gadget.
pub(crate) type KeySource<'s> = &'s mut dyn FnMut(&str, KeyPurpose, &Gadget) -> Result<SwitchingKey, Error>;

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
    /// Bootstraps that devices have recorded.
    pub recordings: Recordings,
}

/// The keys of a transform's stages.
pub(crate) fn stage_keys(
    core: &Core,
    transform: Transform,
    stage_count: usize,
    steps: Steps,
    source: KeySource,
) -> Result<Vec<StageKeys>, Error> {
    let gadgets = transform.gadgets(core, stage_count)?;
    let stages = transform.shapes(core, stage_count).into_iter().zip(&gadgets).enumerate();
    stages
        .map(|(stage, (shape, gadget))| {
            let key = |left| {
                let name = stage_name(transform, stage, left);
                Ok((left, source(&name, KeyPurpose::Rotation(left), gadget)?))
            };
            shape.keys(steps).into_iter().map(key).collect()
        })
        .collect()
}

/// The name of a rotation's key in a stage of a transform.
fn stage_name(transform: Transform, stage: usize, left: i64) -> String {
    let transform = match transform {
        Transform::CoeffsToSlots => "coeffs_to_slots",
        Transform::SlotsToCoeffs => "slots_to_coeffs",
        Transform::SlotsToCoeffsFirst => "slots_to_coeffs_first",
    };
    format!("{transform}.{stage}.left_{left}")
}

/// Every key of a transform with its name.
pub(crate) fn named_stage_keys(
    transform: Transform,
    stages: &[StageKeys],
) -> impl Iterator<Item = (String, &SwitchingKey)> {
    let stage =
        move |(stage, keys)| StageKeys::iter(keys).map(move |(&left, key)| (stage_name(transform, stage, left), key));
    stages.iter().enumerate().flat_map(stage)
}

/// Number of keys that [`stage_keys`] asks for.
pub(crate) fn stage_key_count(core: &Core, transform: Transform, stage_count: usize, steps: Steps) -> usize {
    transform.shapes(core, stage_count).iter().map(|shape| shape.keys(steps).len()).sum()
}

impl TopKeys {
    pub fn from_source(
        op: &'static str,
        core: &Core,
        stage_count: usize,
        steps: Steps,
        source: KeySource,
    ) -> Result<Self, Error> {
        let encapsulation_gadget = encapsulation_gadget(core).ok_or(Error::NoBootstrap { op })?;
        let raised = raised(core, stage_count);
        let coeffs_to_slots = stage_keys(core, Transform::CoeffsToSlots, stage_count, steps, source)?;
        let raised_gadget = stage_gadget(core, &raised)?;
        let trace = trace_rotations(core).into_iter();
        let trace = trace
            .map(|left| Ok((left, source(&format!("trace.left_{left}"), KeyPurpose::Rotation(left), &raised_gadget)?)))
            .collect::<Result<_, Error>>()?;
        let to_sparse = source("to_sparse", KeyPurpose::ToSparse, &encapsulation_gadget)?;
        let to_dense = source("to_dense", KeyPurpose::ToDense, &dense_gadget(core, &raised))?;
        Ok(Self { raised, coeffs_to_slots, trace, to_sparse, to_dense, recordings: Recordings::default() })
    }

    /// Number of keys that [`TopKeys::from_source`] asks for.
    pub fn count(core: &Core, stage_count: usize, steps: Steps) -> usize {
        stage_key_count(core, Transform::CoeffsToSlots, stage_count, steps) + trace_rotations(core).len() + 2
    }

    /// Every key with its name.
    pub fn named(&self) -> impl Iterator<Item = (String, &SwitchingKey)> {
        let trace = self.trace.iter().map(|(left, key)| (format!("trace.left_{left}"), key));
        let ends = [("to_sparse", &self.to_sparse), ("to_dense", &self.to_dense)];
        named_stage_keys(Transform::CoeffsToSlots, &self.coeffs_to_slots)
            .chain(trace)
            .chain(ends.map(|(name, key)| (name.into(), key)))
    }
}
