//! The plaintexts and the memory that bootstraps share, before a first one asks for them.
//!
//! The first bootstrap of a context makes the plaintexts of its transforms and takes its memory from the system, page
//! by page: half a second to three seconds at N = 2^16, by how fast the system clears pages.

use everlevel_ring::{Footprint, report};

use crate::circuits::bootstrap::bootstrapper::Bootstrapper;
use crate::circuits::bootstrap::footprint::BootstrapKeyForm;
use crate::circuits::bootstrap::key::{BootstrapKey, SmallBootstrapKey};
use crate::circuits::bootstrap::maps::MapsId;
use crate::circuits::bootstrap::method::{BootstrapKind, SlotType, SlotsToCoeffs};
use crate::circuits::bootstrap::stages::maps_kind;
use crate::{Error, Progress};

const OP: &str = "prepare_bootstrap";

/// Keys to prepare bootstraps for.
#[derive(Debug, Clone, Copy)]
pub enum PreparedKey<'a> {
    /// A key of its own for every rotation.
    Full(&'a BootstrapKey),
    /// A small bootstrap key, whose bootstraps have so many stages.
    Small(&'a SmallBootstrapKey, usize),
}

impl PreparedKey<'_> {
    fn form(self) -> BootstrapKeyForm {
        match self {
            Self::Full(key) => BootstrapKeyForm::of(key),
            Self::Small(..) => BootstrapKeyForm::Small,
        }
    }
}

impl Bootstrapper {
    /// Makes the plaintexts of every order that a key serves, and has the memory of one bootstrap of complex values at
    /// hand, so that a first bootstrap takes as long as later ones. What is there already isn't made again.
    ///
    /// # Errors
    /// A key of other parameters, an unsupported stage count, too little memory; a cancellation.
    pub fn prepare(&self, key: PreparedKey, progress: Progress) -> Result<(), Error> {
        let (stage_count, slot_count) = match key {
            PreparedKey::Full(key) => {
                self.context().check(OP, "bootstrap key", key.origin)?;
                (key.stage_count(), key.slot_count())
            }
            PreparedKey::Small(key, stage_count) => {
                self.context().check(OP, "small bootstrap key", key.origin)?;
                self.check_stage_count(OP, stage_count)?;
                (stage_count, key.slot_count())
            }
        };
        self.context().check_slots("slot_count of the bootstrap key", slot_count)?;
        let form = key.form();
        let footprint = self.prepare_footprint(stage_count, form)?;
        self.context().install_large(OP, footprint, |core| {
            let ids: Vec<MapsId> = orders(form)
                .iter()
                .flat_map(|&place| place.transforms().map(|transform| (transform, maps_kind(core, form.kind(), place))))
                .map(|(transform, kind)| core.maps_id(transform, kind, (stage_count, 0), form))
                .collect();
            let total = ids.len() + 1;
            report(OP, progress, 0, total)?;
            let (tables, cache) = self.tables();
            for (done, id) in ids.into_iter().enumerate() {
                match key {
                    PreparedKey::Full(key) => key.maps(core, (tables, cache), id),
                    PreparedKey::Small(..) => cache.maps(core, tables, id),
                };
                report(OP, progress, done + 1, total)?;
            }
            core.ring.warm((footprint.work / core.limbs(1)) as usize);
            Ok(report(OP, progress, total, total)?)
        })
    }

    /// The memory of [`Bootstrapper::prepare`].
    ///
    /// # Errors
    /// An unsupported stage count.
    pub fn prepare_footprint(&self, stage_count: usize, form: BootstrapKeyForm) -> Result<Footprint, Error> {
        self.check_stage_count(OP, stage_count)?;
        let count = |place| usize::from(orders(form).contains(&place));
        let counts = [SlotsToCoeffs::First, SlotsToCoeffs::Last].map(|place| (count(place), 0));
        self.run_footprint(SlotType::Complex, (stage_count, form), counts)
    }
}

/// The orders that keys of a form serve.
fn orders(form: BootstrapKeyForm) -> &'static [SlotsToCoeffs] {
    match form.kind() {
        Some(BootstrapKind::Regular) => &[SlotsToCoeffs::Last],
        Some(BootstrapKind::First) => &[SlotsToCoeffs::First],
        Some(BootstrapKind::Lossy | BootstrapKind::Both) | None => &[SlotsToCoeffs::Last, SlotsToCoeffs::First],
    }
}
