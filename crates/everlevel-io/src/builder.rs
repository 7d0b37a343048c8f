//! Containers that are to be written.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use crate::header::{self, Place};
use crate::{ALIGNMENT, Error, atomic};

/// A function that writes bytes to their place, which is zero before.
pub type Fill<'a> = Box<dyn Fn(&mut [u8]) + Send + Sync + 'a>;

/// The bytes of a tensor that is to be written: its object's, or made for the container.
pub enum Content<'a> {
    /// Bytes of the object.
    Borrowed(&'a [u8]),
    /// Bytes that were made, which a secret container overwrites.
    Owned(Vec<u8>),
    /// An owner of bytes that were made, so that they need no copy.
    Held(Box<dyn AsRef<[u8]> + Send + Sync + 'a>),
    /// Bytes that are made where they are to lie, of a container in transit.
    Late(usize, Fill<'a>),
}

impl Content<'_> {
    /// The number of bytes.
    #[allow(clippy::len_without_is_empty, reason = "an empty tensor is one like others")]
    pub fn len(&self) -> usize {
        if let Self::Late(len, _) = self { *len } else { self.bytes().len() }
    }

    /// Bytes that are there.
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
            Self::Held(holder) => (**holder).as_ref(),
            Self::Late(..) => unreachable!("bytes of a container in transit"),
        }
    }

    fn write_into(&self, out: &mut [u8]) {
        if let Self::Late(_, make) = self { make(out) } else { out.copy_from_slice(self.bytes()) }
    }
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

impl fmt::Debug for Content<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// An object on its way to a file: metadata, and tensors in the order in which they will lie.
#[derive(Debug, Default)]
pub struct Builder<'a> {
    metadata: BTreeMap<String, String>,
    tensors: Vec<(String, Place, Content<'a>)>,
    secret: bool,
    in_transit: bool,
}

impl<'a> Builder<'a> {
    /// An empty container of a kind, such as `ciphertext`.
    pub fn new(kind: &str) -> Self {
        let mut builder = Self::default();
        builder.describe("kind", kind);
        builder.describe("library", concat!("everlevel ", env!("CARGO_PKG_VERSION")));
        builder
    }

    /// A container that goes from one process to another at once: its tensors have no checksums, and may be made late
    /// ([`Content::Late`]). [`Container::in_transit`](crate::Container::in_transit) reads it, and nothing that reads
    /// files.
    pub fn in_transit(kind: &str) -> Self {
        let mut builder = Self::new(kind);
        builder.in_transit = true;
        builder
    }

    /// Whether the container is in transit.
    pub fn is_in_transit(&self) -> bool {
        self.in_transit
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
    /// If the shape is another, the name is taken, the tensor before it is no multiple of 256 bytes long, or bytes that
    /// are made late are for a container that is not in transit.
    pub fn tensor(&mut self, name: impl Into<String>, shape: &[usize], bytes: impl Into<Content<'a>>) {
        let (name, content) = (name.into(), bytes.into());
        assert_eq!(shape.iter().product::<usize>(), content.len(), "{name}: as many bytes as the shape says");
        assert!(name != "__metadata__" && self.tensors.iter().all(|(n, ..)| *n != name), "{name}: a new name");
        let start = self.tensors.last().map_or(0, |(_, place, _)| place.range.end);
        assert!(start.is_multiple_of(ALIGNMENT), "{name}: begins at a multiple of {ALIGNMENT}");
        let checksum = (!self.in_transit).then(|| header::checksum(content.bytes()));
        let place = Place { shape: shape.to_vec(), range: start..start + content.len(), checksum };
        self.tensors.push((name, place, content));
    }

    /// Files will be readable by their owner alone, where the system knows owners, and the builder's own bytes are
    /// overwritten when it is dropped.
    ///
    /// # Panics
    /// If the container is in transit.
    pub fn keep_secret(&mut self) {
        assert!(!self.in_transit, "a secret is never in transit");
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
        self.tensors.iter().try_for_each(|(_, _, content)| out.write_all(content.bytes()))
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
    pub fn write_into(&self, out: &mut [u8]) {
        let header = self.header();
        assert_eq!(out.len(), header.len() + self.data_len(), "a place of the container's size");
        let (start, data) = out.split_at_mut(header.len());
        start.copy_from_slice(&header);
        self.tensors.iter().for_each(|(_, place, content)| content.write_into(&mut data[place.range.clone()]));
    }

    /// Writes the container to a file, and returns its size. The file is there complete, or not at all: see
    /// [`atomic::replace`].
    ///
    /// # Errors
    /// [`Error::StorageFull`], or [`Error::Io`] with the system's error.
    ///
    /// # Panics
    /// If the container is in transit: files have checksums.
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        assert!(!self.in_transit, "a container in transit is no file");
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
