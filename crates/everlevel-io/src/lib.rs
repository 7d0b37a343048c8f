//! One container for keys, plaintexts and ciphertexts.
//!
//! A file is a [safetensors](https://github.com/huggingface/safetensors) file, so that NumPy reads it without this
//! library:
//!
//! ```text
//! u64 header_len, little-endian | JSON header, padded with spaces to a multiple of 256 with the length | data
//! ```
//!
//! *Header.* `__metadata__` comes first and holds strings: `format` (`everlevel/1`), `checksum` (of the header),
//! `kind`, the writer's other entries about the object, and `blake3:NAME` for each tensor. Every tensor is of bytes
//! (`U8`) and starts at a multiple of 256, so that a mapped file can be computed on in place; tensors follow one
//! another without holes.
//!
//! *Checks.* Opening reads the header alone: its own checksum covers the length, the metadata and every tensor's place
//! and checksum. The data are checked by [`Container::verify`], which reads all of them. Checksums find accidents; they
//! are no signatures, and whoever can write a file can write one that passes them.
//!
//! *Mapping.* [`Access::Map`] opens a file of any size in the time that its header takes, and processes that map one
//! file share its pages. **A mapped file must not be truncated or written in place while it is in use.** Nothing in
//! this crate does that: [`Builder::write`] replaces a file by renaming, which leaves maps of the old one whole. Each
//! look at a mapped file's bytes compares its size and its time of change first ([`Container::check_unchanged`]), and
//! ends in [`Error::Changed`]. What changes between that and the reading of the bytes is not seen, and reading a page
//! that was cut off in just that time ends the process (`SIGBUS`): a handler of that signal would belong to the
//! program, not to a library.
//!
//! *Map.* [`mod@builder`] containers to be written · [`mod@atomic`] the replacement of files · [`mod@header`] the
//! header's text · [`mod@container`] containers that are read · [`mod@schema`] typed metadata · [`mod@kinds`] the names
//! of kinds · [`Stored`] objects of schemes, both ways · [`Error`], and [`Coded`] for those who word errors themselves.
//!
//! *Non-goals.* The meaning of tensors: schemes know that. Confidentiality and authenticity.

pub mod atomic;
pub mod builder;
mod coded;
pub mod container;
pub mod header;
pub mod kinds;
pub mod schema;

mod error;
mod stored;

pub use builder::{Builder, Content, Fill};
pub use coded::{Coded, Value};
pub use container::{Access, Container, Shared};
pub use error::Error;
pub use stored::Stored;

/// The version of the format that this library writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// Tensors start at multiples of this: a cache line, an AVX-512 vector and a GPU's transaction divide it.
pub const ALIGNMENT: usize = 256;

/// Longest header that is read, in bytes: some hundred thousand tensors.
pub const MAX_HEADER_BYTES: u64 = 32 << 20;
