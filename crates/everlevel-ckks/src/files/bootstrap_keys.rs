//! The keys of bootstraps, both ways.

use everlevel_io::Error as FileError;

use everlevel_io::kinds;
use everlevel_io::schema::refuse;

use crate::Error;
use crate::circuits::bootstrap::key::{BootstrapKey, BootstrapKeyShape, SmallBootstrapKey};
use crate::circuits::bootstrap::method::{BootstrapKeySize, BootstrapKind};
use crate::circuits::bootstrap::moduli::coeffs_to_slots_counts;
use crate::core::Core;
use crate::files::content::{FileContent, Stored, key_items};
use crate::files::entries;
use crate::files::reader::Reader;
use crate::files::writer::Writer;

const SIZES: [(BootstrapKeySize, &str); 2] = [(BootstrapKeySize::Medium, "medium"), (BootstrapKeySize::Large, "large")];
const VARIANTS: [(BootstrapKind, &str); 3] = [
    (BootstrapKind::Regular, BootstrapKind::Regular.name()),
    (BootstrapKind::Lossy, BootstrapKind::Lossy.name()),
    (BootstrapKind::Both, BootstrapKind::Both.name()),
];

/// The name of a value.
fn name_of<T: PartialEq>(table: &[(T, &'static str)], value: &T) -> String {
    table.iter().find(|(v, _)| v == value).map_or("unknown", |(_, name)| *name).into()
}

/// The value of a name.
fn named<T: Copy>(table: &[(T, &'static str)], name: &str) -> Option<T> {
    table.iter().find(|(_, n)| *n == name).map(|(value, _)| *value)
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
            variant: name_of(&VARIANTS, &self.kind),
            size: name_of(&SIZES, &self.size),
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
        let Some(kind) = named(&VARIANTS, &entry.variant) else {
            let (found, supported) = (
                format!("bootstrap_key for {} bootstraps", entry.variant),
                "regular and lossy ones, and those of both orders",
            );
            return Err(FileError::UnsupportedKind { found, supported: supported.into() }.into());
        };
        let Some(size) = named(&SIZES, &entry.size) else {
            return refuse("size", entry.size, "medium or large");
        };
        let shape = BootstrapKeyShape { stage_count, coeffs_to_slots_count, kind, size };
        Self::from_source("load", core, reader.origin()?, shape, &mut |name, _, gadget| {
            reader.switching_key(name, gadget)
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
        Self::from_source("load", core, reader.origin()?, &mut |name, _, gadget| reader.switching_key(name, gadget))
    }
}
