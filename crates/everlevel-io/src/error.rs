//! The errors of files and of their contents.

use std::io;
use std::path::{Path, PathBuf};

use crate::kinds;

crate::errors! {
    /// A fault of a file, or of the place that it is to be written to.
    pub enum Error: "io"
    nested {}
    opaque {}

    /// The end of the file is missing.
    #[error("read: {what} needs {needed} bytes, the file has {found}; it was cut short: copy or make it again")]
    Truncated {
        /// The part that does not fit.
        what: &'static str,
        /// Bytes needed, from the start of the file.
        needed: u64,
        /// Bytes that are there.
        found: u64,
    }
    /// Bytes have changed since they were written.
    #[error(
        "read: the checksum of {part} is {found}, it was {expected} when written; the file is damaged: copy or make it again"
    )]
    Checksum {
        /// The tensor, or the header.
        part: String,
        /// The checksum as written, in hexadecimal.
        expected: String,
        /// The checksum as computed, in hexadecimal.
        found: String,
    }
    /// A file that Everlevel did not write.
    #[error("read: the file begins with {found}, not with an Everlevel header; check the path")]
    Foreign {
        /// The first bytes, as text.
        found: String,
    }
    /// A file that a later version wrote.
    #[error("read: the file has format {found}, this version reads up to {supported}; update Everlevel")]
    NewerFormat {
        /// The file's version.
        found: u32,
        /// The newest version that is read.
        supported: u32,
    }
    /// A header longer than any that is written.
    #[error("read: the header claims {found} bytes, {limit} are the most; the file is damaged or hostile")]
    HeaderTooLarge {
        /// The header's length.
        found: u64,
        /// The longest length that is read.
        limit: u64,
    }
    /// A header with an entry that no writer of ours makes.
    #[error("read: the header's {what} is {found}, and should be {needed}; the file was not written by Everlevel")]
    Header {
        /// The entry.
        what: String,
        /// The entry's value.
        found: String,
        /// The value that it should have.
        needed: String,
    }
    /// An object whose header says otherwise than the reader's parameters would have it.
    #[error(
        "read: the header's {what} is {found}, and should be {expected}, this context's; make it with this context"
    )]
    Unlike {
        /// The entry.
        what: String,
        /// The entry's value in the file.
        found: String,
        /// The value that the reader's parameters make of it.
        expected: String,
    }
    /// Tensors that overlap, leave holes or leave the file.
    #[error(
        "read: tensor {tensor} lies at bytes {begin}..{end} of {data_len}, {needed}; the file was not written by Everlevel"
    )]
    Layout {
        /// The tensor.
        tensor: String,
        /// The tensor's first byte.
        begin: u64,
        /// The byte after the tensor's last.
        end: u64,
        /// Bytes of data in the file.
        data_len: u64,
        /// The requirement that the tensor does not meet.
        needed: String,
    }
    /// Another kind of object than asked for.
    #[error("read: the file holds a {found}, and a {expected} was asked for; check the path, or load it as what it is")]
    WrongKind {
        /// The file's kind.
        found: String,
        /// The kind asked for.
        expected: String,
    }
    /// A kind that this version, or the reader's scheme, has no support for.
    #[error("read: the file holds a {found}, and {supported} are read here; {}", whose(found))]
    UnsupportedKind {
        /// The file's kind.
        found: String,
        /// The kinds that there are.
        supported: String,
    }
    /// An object of other parameters.
    #[error(
        "read: the {what} belongs to parameters {found:#018x}, this context has {expected:#018x}; use a context with the parameters that made it"
    )]
    WrongParameters {
        /// The file's kind.
        what: String,
        /// Fingerprint of the file's parameters.
        found: u64,
        /// Fingerprint of the reader's.
        expected: u64,
    }
    /// A residue that is not below its modulus.
    #[error(
        "read: value {index} of {tensor} is {value}, its modulus is {modulus}; the file was not written by Everlevel"
    )]
    NonCanonical {
        /// The tensor.
        tensor: String,
        /// Position among all of its residues.
        index: usize,
        /// The residue.
        value: u64,
        /// The limit that it should be below.
        modulus: u64,
    }
    /// A mapped file that is no longer the one that was opened.
    #[error("read: {} changed while it was mapped ({what}); load it again, and replace files by renaming only", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The property that differs.
        what: String,
    }
    /// Less memory than a file takes.
    #[error("read: {} takes {needed} bytes of memory, and they are not there; map it instead", path.display())]
    OutOfMemory {
        /// The file.
        path: PathBuf,
        /// The file's size.
        needed: u64,
    }
    /// The storage is full.
    #[error("write: {} needs {needed} bytes, and there is no room; nothing was changed: free some space", path.display())]
    StorageFull {
        /// The file.
        path: PathBuf,
        /// The file's size.
        needed: u64,
        /// The system's error.
        source: io::Error,
    }
    /// The system refused to read or write.
    #[error("{op}: {}: {source}; {advice}", path.display())]
    Io {
        /// Reading or writing.
        op: &'static str,
        /// The file.
        path: PathBuf,
        /// The next step.
        advice: &'static str,
        /// The system's error.
        source: io::Error,
    }
}

impl Error {
    /// The error of a file of `len` bytes that could not be read into memory, or mapped.
    pub(crate) fn taking(path: &Path, len: u64, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::OutOfMemory => Self::OutOfMemory { path: path.to_path_buf(), needed: len },
            _ => Self::reading(path, source),
        }
    }

    pub(crate) fn reading(path: &Path, source: io::Error) -> Self {
        let advice = match source.kind() {
            io::ErrorKind::NotFound => "check the path",
            io::ErrorKind::PermissionDenied => "check who may read it",
            io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput => "give the path of a file",
            _ => "try again",
        };
        Self::Io { op: "read", path: path.to_path_buf(), advice, source }
    }

    pub(crate) fn writing(path: &Path, needed: u64, source: io::Error) -> Self {
        let path = path.to_path_buf();
        let advice = match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                return Self::StorageFull { path, needed, source };
            }
            io::ErrorKind::NotFound => "nothing was changed: make the folder first",
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "nothing was changed: write to a folder that is yours"
            }
            io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput => "nothing was changed: give the path of a file",
            _ => "nothing was changed: try another place",
        };
        Self::Io { op: "write", path, advice, source }
    }

    /// [`Error::Header`] for an entry.
    pub fn header(what: impl Into<String>, found: impl ToString, needed: impl Into<String>) -> Self {
        Self::Header { what: what.into(), found: found.to_string(), needed: needed.into() }
    }
}

/// The next step for a kind that is not read here: another scheme's context, or a later version.
fn whose(kind: &str) -> String {
    match kinds::ALL.iter().find(|(name, _)| *name == kind) {
        Some((_, scheme)) => format!("open it with a context of {scheme}"),
        None => "this version has no such kind: update Everlevel".into(),
    }
}
