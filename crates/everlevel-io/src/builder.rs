//! Containers that are to be written.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use crate::header::{self, Place};
use crate::{ALIGNMENT, Error, atomic};

/// The bytes of a tensor that is to be written: its object's, or made for the container.
pub enum Content<'a> {
    /// Bytes of the object.
    Borrowed(&'a [u8]),
    /// Bytes that were made, which a secret container overwrites.
    Owned(Vec<u8>),
    /// What holds bytes that were made, so that they need no copy.
    Held(Box<dyn AsRef<[u8]> + Send + Sync + 'a>),
}

impl<'a> From<&'a [u8]> for Content<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Borrowed(bytes)
    }
}

impl From<Vec<u8>> for Content<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Owned(bytes)
    }
}

impl AsRef<[u8]> for Content<'_> {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
            Self::Held(holder) => (**holder).as_ref(),
        }
    }
}

impl fmt::Debug for Content<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.as_ref().len())
    }
}

/// An object on its way to a file: metadata, and tensors in the order in which they will lie.
#[derive(Debug, Default)]
pub struct Builder<'a> {
    metadata: BTreeMap<String, String>,
    tensors: Vec<(String, Place, Content<'a>)>,
    secret: bool,
}

impl<'a> Builder<'a> {
    /// An empty container of a kind, such as `ciphertext`.
    pub fn new(kind: &str) -> Self {
        let mut builder = Self::default();
        builder.describe("kind", kind);
        builder.describe("library", concat!("everlevel ", env!("CARGO_PKG_VERSION")));
        builder
    }

    /// Adds an entry to the object's metadata.
    ///
    /// # Panics
    /// If the format uses the name itself.
    pub fn describe(&mut self, name: &str, value: impl Into<String>) {
        assert!(!matches!(name, "format" | "checksum") && !name.starts_with("blake3:"), "the format's own name");
        self.metadata.insert(name.into(), value.into());
    }

    /// Adds bytes, as many as the shape says.
    ///
    /// # Panics
    /// If the shape is another, the name is taken, or the tensor before it is no multiple of 256 bytes long.
    pub fn tensor(&mut self, name: impl Into<String>, shape: &[usize], bytes: impl Into<Content<'a>>) {
        let (name, content) = (name.into(), bytes.into());
        let bytes = content.as_ref();
        assert_eq!(shape.iter().product::<usize>(), bytes.len(), "{name}: as many bytes as the shape says");
        assert!(name != "__metadata__" && self.tensors.iter().all(|(n, ..)| *n != name), "{name}: a new name");
        let start = self.tensors.last().map_or(0, |(_, place, _)| place.range.end);
        assert!(start.is_multiple_of(ALIGNMENT), "{name}: begins at a multiple of {ALIGNMENT}");
        let checksum = header::checksum(bytes);
        let place = Place { shape: shape.to_vec(), range: start..start + bytes.len(), checksum };
        self.tensors.push((name, place, content));
    }

    /// Files will be readable by their owner alone, where the system knows owners, and the builder's own bytes are
    /// overwritten when it is dropped.
    pub fn keep_secret(&mut self) {
        self.secret = true;
    }

    fn header(&self) -> Vec<u8> {
        let tensors: Vec<(&str, &Place)> = self.tensors.iter().map(|(name, place, _)| (&**name, place)).collect();
        header::write(&self.metadata, &tensors)
    }

    fn data_len(&self) -> usize {
        self.tensors.last().map_or(0, |(_, place, _)| place.range.end)
    }

    fn write_to(&self, out: &mut impl Write, header: &[u8]) -> io::Result<()> {
        out.write_all(header)?;
        self.tensors.iter().try_for_each(|(_, _, content)| out.write_all(content.as_ref()))
    }

    /// Bytes of the container, its header aside.
    pub fn data_nbytes(&self) -> u64 {
        self.data_len() as u64
    }

    /// Bytes of the container.
    pub fn nbytes(&self) -> usize {
        self.header().len() + self.data_len()
    }

    /// The container as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![0; self.nbytes()];
        self.write_into(&mut out);
        out
    }

    /// Writes the container to memory.
    ///
    /// # Panics
    /// If `out` isn't [`Builder::nbytes`] long.
    pub fn write_into(&self, mut out: &mut [u8]) {
        assert_eq!(out.len(), self.nbytes(), "a place of the container's size");
        self.write_to(&mut out, &self.header()).expect("memory takes all");
    }

    /// Writes the container to a file, and returns its size. The file is there complete, or not at all: see
    /// [`atomic::replace`].
    ///
    /// # Errors
    /// [`Error::StorageFull`], or [`Error::Io`] with the system's error.
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        let header = self.header();
        let size = (header.len() + self.data_len()) as u64;
        atomic::replace(path, self.secret, |file| self.write_to(file, &header))
            .map_err(|source| Error::writing(path, size, source))?;
        Ok(size)
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        for (_, _, content) in &mut self.tensors {
            if let (true, Content::Owned(bytes)) = (self.secret, content) {
                zeroize::Zeroize::zeroize(bytes);
            }
        }
    }
}
