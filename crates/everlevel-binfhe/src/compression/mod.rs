//! Results as lists: many LWE ciphertexts in one ciphertext of a polynomial, of as few bits as their noise allows
//! (`docs/notes/compression.md`).
//!
//! *Packing.* Automorphisms put the constant coefficients of `N` ciphertexts into the coefficients of one
//! ([`packing`]), under the large secret itself, so that no secret and no claim of security is new. *Modulus switch.*
//! Its words are rounded to few bits, of bodies fewer than of masks ([`list`]). *Decompression.* Each coefficient is
//! extracted, and a bootstrap with the evaluation keys that there are takes its noise away. Whoever has the secret
//! decrypts lists as they are. The numbers follow from those of the evaluation keys ([`params`]).

mod array;
mod key;
mod list;
mod packing;
mod params;

pub use array::AnyArray;
pub(crate) use array::Kind;
pub use key::{CompressionKey, SeededCompressionKey};
pub use list::CompressedList;
pub(crate) use list::packed_len;
pub(crate) use packing::{Packing, places};
pub use params::{CompressionParams, ListWidths};
pub(crate) use params::{gadget_of_packing, packing as packing_variance};
