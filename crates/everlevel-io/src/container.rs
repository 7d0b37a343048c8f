//! Containers that are read: from bytes, from files, and from files mapped into memory.

use std::fs::{self, File, Metadata};
use std::ops::Range;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use memmap2::Mmap;
use zeroize::{Zeroize, Zeroizing};

use crate::atomic::not_regular;
use crate::header::{self, Header, Place};
use crate::{ALIGNMENT, Error, MAX_HEADER_BYTES, kinds};

/// Files from this size on are mapped by [`Access::Auto`].
const MAP_FROM_BYTES: u64 = 64 << 20;

/// The access to a file's bytes: read or mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Mapped from 64 MiB on.
    #[default]
    Auto,
    /// Read into memory.
    Read,
    /// Mapped: the crate's page says what a mapped file must not suffer.
    Map,
}

/// Bytes that live as long as anyone refers to them: in memory, or in a mapped file.
pub type Shared = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A container, open: its header is read and checked, its data not yet.
#[derive(Clone)]
pub struct Container {
    header: Header,
    bytes: Shared,
    origin: Option<Arc<MappedFile>>,
}

/// A mapped file, with its size and its time of change when it was opened.
#[derive(Debug)]
struct MappedFile {
    path: PathBuf,
    file: File,
    len: u64,
    modified: Option<SystemTime>,
}

impl MappedFile {
    fn check_unchanged(&self) -> Result<(), Error> {
        let now = self.file.metadata().map_err(|source| Error::reading(&self.path, source))?;
        let changed = |what| Error::Changed { path: self.path.clone(), what };
        if now.len() != self.len {
            return Err(changed(format!("{} bytes, were {}", now.len(), self.len)));
        }
        if modified(&now) != self.modified {
            return Err(changed("it was written to".into()));
        }
        Ok(())
    }
}

/// The bytes of a mapped file, for objects that compute on them: whoever asks for them asks first whether the file is
/// the one that was opened, and unwinds with [`Error::Changed`] if it isn't.
struct Mapped {
    map: Mmap,
    origin: Arc<MappedFile>,
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        if let Err(error) = self.origin.check_unchanged() {
            resume_unwind(Box::new(error));
        }
        &self.map
    }
}

/// The bytes of a secret key's file, which are overwritten when the container is dropped.
struct Secret(Vec<u8>);

impl AsRef<[u8]> for Secret {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl std::fmt::Debug for Container {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Container").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Container {
    /// Opens a file.
    ///
    /// # Errors
    /// A file that cannot be opened, or a header with a fault.
    pub fn open(path: &Path, access: Access) -> Result<Self, Error> {
        let failed = |source| Error::reading(path, source);
        let file = open_regular(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let taken = |source| Error::taking(path, metadata.len(), source);
        let mapped = match access {
            Access::Auto => metadata.len() >= MAP_FROM_BYTES,
            Access::Read => false,
            Access::Map => metadata.len() > 0,
        };
        if !mapped {
            return Self::from_bytes(fs::read(path).map_err(taken)?);
        }
        // SAFETY: the map is only read. That nobody truncates the file, or writes into it, is asked of the user on the
        // crate's page.
        let map = unsafe { Mmap::map(&file) }.map_err(taken)?;
        let header = header::read(&map, map.len() as u64, false)?;
        let origin =
            Arc::new(MappedFile { path: path.into(), file, len: metadata.len(), modified: modified(&metadata) });
        let bytes = Arc::new(Mapped { map, origin: Arc::clone(&origin) });
        let container = Self { header, bytes, origin: Some(origin) };
        container.check_unchanged()?;
        Ok(container)
    }

    /// Reads a container from bytes.
    ///
    /// # Errors
    /// A header with a fault.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        Self::of(bytes, false)
    }

    /// Reads a container that another process wrote in transit
    /// ([`Builder::in_transit`](crate::Builder::in_transit)): its tensors have no checksums to compare.
    ///
    /// # Errors
    /// A header with a fault.
    pub fn in_transit(bytes: Vec<u8>) -> Result<Self, Error> {
        Self::of(bytes, true)
    }

    fn of(bytes: Vec<u8>, in_transit: bool) -> Result<Self, Error> {
        // Bytes without a sound header may be a damaged secret key: they are wiped on the way out.
        let mut bytes = Zeroizing::new(bytes);
        let header = header::read(&bytes, bytes.len() as u64, in_transit)?;
        let bytes = std::mem::take(&mut *bytes);
        let bytes: Shared = match header.metadata.get("kind") {
            Some(kind) if kinds::is_secret(kind) => Arc::new(Secret(bytes)),
            _ => Arc::new(bytes),
        };
        Ok(Self { header, bytes, origin: None })
    }

    /// Reads the header of a file alone: no more of it is looked at.
    ///
    /// # Errors
    /// As [`Container::open`].
    pub fn inspect(path: &Path) -> Result<Header, Error> {
        use std::io::Read;
        let failed = |source| Error::reading(path, source);
        let file = open_regular(path).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        let mut bytes = Vec::new();
        (&file).take(ALIGNMENT as u64).read_to_end(&mut bytes).map_err(failed)?;
        if let Some((length, _)) = bytes.split_first_chunk() {
            let rest = u64::from_le_bytes(*length).min(MAX_HEADER_BYTES);
            (&file).take(rest).read_to_end(&mut bytes).map_err(failed)?;
        }
        header::read(&bytes, len, false)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The kind of the object.
    ///
    /// # Errors
    /// If the header has none.
    pub fn kind(&self) -> Result<&str, Error> {
        self.metadata("kind")
    }

    /// The metadata of this name.
    ///
    /// # Errors
    /// If there are none.
    pub fn metadata(&self, name: &str) -> Result<&str, Error> {
        self.header.metadata.get(name).map(|s| &**s).ok_or_else(|| Error::header(name, "missing", "there"))
    }

    /// True if the data lie in a mapped file.
    pub fn is_mapped(&self) -> bool {
        self.origin.is_some()
    }

    /// A tensor's place, the container's bytes as a value that keeps them alive, and the tensor's range in them. To
    /// look at a mapped file's bytes unwinds with [`Error::Changed`] once the file is no longer the one that was
    /// opened.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn tensor(&self, name: &str) -> Result<(&Place, Shared, Range<usize>), Error> {
        let place = self.header.tensors.get(name).ok_or_else(|| Error::header(name, "missing", "a tensor"))?;
        let range = self.header.data_start + place.range.start..self.header.data_start + place.range.end;
        Ok((place, Arc::clone(&self.bytes), range))
    }

    /// A tensor's bytes.
    ///
    /// # Errors
    /// If there is none of this name; [`Error::Changed`].
    pub fn bytes(&self, name: &str) -> Result<&[u8], Error> {
        self.check_unchanged()?;
        let (_, _, range) = self.tensor(name)?;
        Ok(&(*self.bytes).as_ref()[range])
    }

    /// Reads every tensor that has a checksum, which are all but those of a container in transit, and compares it.
    ///
    /// # Errors
    /// [`Error::Checksum`] for the first that differs, [`Error::Changed`] if a mapped file is not the one that was
    /// opened.
    pub fn verify(&self) -> Result<(), Error> {
        self.check_unchanged()?;
        for (name, place) in self.header.in_order() {
            let Some(expected) = &place.checksum else { continue };
            let found = header::checksum(self.bytes(name)?);
            if found != *expected {
                let expected = expected.clone();
                return Err(Error::Checksum { part: format!("tensor {name}"), expected, found });
            }
        }
        Ok(())
    }

    /// Checks that a mapped file has the size and the time of change that it had when it was opened: one system call.
    ///
    /// # Errors
    /// [`Error::Changed`].
    pub fn check_unchanged(&self) -> Result<(), Error> {
        self.origin.as_ref().map_or(Ok(()), |origin| origin.check_unchanged())
    }
}

/// Opens a regular file. To open a pipe is to wait for its writer, so the kind of file is looked at before.
fn open_regular(path: &Path) -> std::io::Result<File> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(not_regular());
    }
    File::open(path)
}

fn modified(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}
