//! The keys of bootstraps, both ways.

use everlevel_io::Error as FileError;

use everlevel_io::kinds;
use everlevel_io::schema::refuse;
use everlevel_rlwe::{Gadget, SwitchingKey};

use crate::Error;
use crate::circuits::bootstrap::key::{BootstrapKey, BootstrapKeyShape, SmallBootstrapKey};
use crate::circuits::bootstrap::method::{BootstrapKeySize, BootstrapKind};
use crate::circuits::bootstrap::stages::{KeyPurpose, coeffs_to_slots_counts, former_stage_gadget};
use crate::core::Core;
use crate::files::content::{FileContent, Stored, key_items};
use crate::files::entries;
use crate::files::reader::Reader;
use crate::files::writer::Writer;

/// The name of a size.
fn size_name(size: BootstrapKeySize) -> &'static str {
    match size {
        BootstrapKeySize::Medium => "medium",
        BootstrapKeySize::Large => "large",
    }
}

/// The switching keys of a file: rotations have today's digits, or all of them those of older files.
struct StoredKeys<'a, 'i> {
    reader: &'a Reader<'i>,
    has_former_digits: Option<bool>,
}

impl StoredKeys<'_, '_> {
    fn next(&mut self, name: &str, purpose: KeyPurpose, gadget: &Gadget) -> Result<SwitchingKey, Error> {
        if let KeyPurpose::Rotation(_) = purpose {
            let former = former_stage_gadget(self.reader.core, &gadget.ciphertext_set())?;
            let told = || (former != *gadget).then(|| self.reader.has_shape(name, &former));
            self.has_former_digits = self.has_former_digits.or_else(told);
            if self.has_former_digits == Some(true) {
                return self.reader.switching_key(name, &former);
            }
        }
        self.reader.switching_key(name, gadget)
    }
}

impl Stored for BootstrapKey {}
impl FileContent for BootstrapKey {
    key_items!(kinds::BOOTSTRAP_KEY, "bootstrap key");

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        writer.secret_id(self.origin.secret_id);
        writer.object(&entries::Bootstrap {
            slot_count: self.slot_count,
            stage_count: self.stage_count(),
            coeffs_to_slots_count: Some(self.coeffs_to_slots_count()).filter(|&count| count != self.stage_count()),
            variant: self.kind.name().into(),
            size: size_name(self.size).into(),
        });
        self.named().for_each(|(name, key)| writer.switching_key(&name, key));
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let core: &Core = reader.core;
        let entry: entries::Bootstrap = reader.object()?;
        if core.bootstrap_gadgets.is_none() {
            return Err(Error::NoBootstrap { op: "load" });
        }
        reader.check_slots(entry.slot_count)?;
        let stage_count = entry.stage_count;
        let supported = core.params.stage_counts(core.encoder.slots());
        if !supported.contains(&stage_count) {
            return refuse("stage_count", stage_count, format!("one of {supported:?}"));
        }
        let coeffs_to_slots_count = entry.coeffs_to_slots_count.unwrap_or(stage_count);
        let possible = coeffs_to_slots_counts(core);
        if !possible.contains(&coeffs_to_slots_count) {
            return refuse("coeffs_to_slots_count", coeffs_to_slots_count, format!("one of {possible:?}"));
        }
        let Some(kind) = BootstrapKind::ALL.into_iter().find(|kind| kind.name() == entry.variant) else {
            let (found, supported) = (
                format!("bootstrap_key for {} bootstraps", entry.variant),
                "regular and lossy ones, and those of one order and of both",
            );
            return Err(FileError::UnsupportedKind { found, supported: supported.into() }.into());
        };
        let sizes = [BootstrapKeySize::Medium, BootstrapKeySize::Large];
        let Some(size) = sizes.into_iter().find(|&size| size_name(size) == entry.size) else {
            return refuse("size", entry.size, "medium or large");
        };
        let shape = BootstrapKeyShape { stage_count, coeffs_to_slots_count, kind, size };
        let mut keys = StoredKeys { reader, has_former_digits: None };
        Self::from_source("load", core, reader.origin()?, shape, &mut |name, purpose, gadget| {
            keys.next(name, purpose, gadget)
        })
    }
}

impl Stored for SmallBootstrapKey {}
impl FileContent for SmallBootstrapKey {
    key_items!(kinds::SMALL_BOOTSTRAP_KEY, "small bootstrap key");

    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>) {
        writer.secret_id(self.origin.secret_id);
        writer.object(&entries::SmallBootstrap { slot_count: self.slot_count });
        self.top.named().for_each(|(name, key)| writer.switching_key(&name, key));
    }

    fn read(reader: &Reader<'_>) -> Result<Self, Error> {
        let core: &Core = reader.core;
        let entry: entries::SmallBootstrap = reader.object()?;
        if core.bootstrap_gadgets.is_none() {
            return Err(Error::NoBootstrap { op: "load" });
        }
        reader.check_slots(entry.slot_count)?;
        let mut keys = StoredKeys { reader, has_former_digits: None };
        Self::from_source("load", core, reader.origin()?, &mut |name, purpose, gadget| keys.next(name, purpose, gadget))
    }
}
