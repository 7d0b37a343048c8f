//! The trait of what containers hold.

use everlevel_io::kinds;

use crate::Error;
use crate::files::reader::Reader;
use crate::files::writer::Writer;

/// The kind of a container of several evaluation keys.
pub const BUNDLE_KIND: &str = kinds::EVALUATION_KEY;

/// The way of a type to metadata and tensors, and back.
pub trait FileContent: Sized + Send + Sync {
    /// Name in files.
    const KIND: &'static str;
    /// Name in sentences.
    const NAME: &'static str;
    /// The parameters that it belongs to.
    fn fingerprint(&self) -> u64;
    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>);
    fn read(reader: &Reader<'_>) -> Result<Self, Error>;
}

/// An object that a container can hold. Secret keys are none: [`crate::Context::export_secret_key`] writes them.
pub trait Stored: FileContent {}

/// The items of [`FileContent`] that keys have in common.
macro_rules! key_items {
    ($kind:expr, $name:expr) => {
        const KIND: &'static str = $kind;
        const NAME: &'static str = $name;

        fn fingerprint(&self) -> u64 {
            self.origin.fingerprint
        }
    };
}

pub(crate) use key_items;
