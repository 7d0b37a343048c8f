//! The trait of what containers hold.

use everlevel_io::Error as FileError;

use crate::Error;
use crate::files::reader::Reader;
use crate::files::writer::Writer;

/// The kind of a container of several evaluation keys.
pub const BUNDLE_KIND: &str = "evaluation_key";

/// The way of a type to metadata and tensors, and back.
pub trait FileContent: Sized + Send + Sync {
    /// Its name in files.
    const KIND: &'static str;
    /// Its name in sentences.
    const NAME: &'static str;
    /// The parameters that it belongs to.
    fn fingerprint(&self) -> u64;
    fn write<'a>(&'a self, writer: &mut Writer<'_, 'a>);
    fn read(reader: &Reader<'_>) -> Result<Self, Error>;
}

/// An object that a container can hold. Secret keys are none: [`crate::Context::export_secret_key`] writes them.
pub trait Stored: FileContent {}

/// The error of a header's entry with another value than it needs.
pub(crate) fn refuse<T>(what: &str, found: impl ToString, needed: impl Into<String>) -> Result<T, Error> {
    Err(FileError::header(what, found, needed).into())
}
