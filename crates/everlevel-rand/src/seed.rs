//! Addresses of streams: seeds, domains, and the nonce that (domain, index) becomes.

use std::fmt;

use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::{Error, Stream};

/// The purpose of a stream's bits. Two domains of one seed never share a bit.
///
/// The discriminants are part of the file format: a new domain takes a new number below `2^31`, an old number is never
/// given a new meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum Domain {
    /// Coefficients of secret keys. Secret.
    SecretKey = 1,
    /// Uniform halves of keys; may be stored as a seed. Public.
    Mask = 2,
    /// Errors of keys. Secret.
    KeyNoise = 3,
    /// Uniform halves of ciphertexts. Public.
    EncryptionMask = 4,
    /// Errors of ciphertexts. Secret.
    EncryptionNoise = 5,
    /// The ephemeral secret of a public-key encryption. Secret.
    Ephemeral = 6,
    /// Child seeds that have no narrower purpose.
    Derive = 7,
    /// Noise that floods a decryption before it is shared. Secret.
    Flooding = 8,
    /// Tests and benches.
    Test = 0x7fff_ffff,
}

/// Set in the nonce's domain word for child seeds, so that no child equals the start of a stream.
const CHILD: u32 = 1 << 31;

/// 32 bytes from which streams are derived: the key of ChaCha20.
///
/// Public (the mask of a stored key) or secret (everything else); treated as secret either way: zeroized on drop,
/// compared in constant time, never printed. The bytes are on the heap, so that a seed that moves, as a key's does,
/// leaves no copy behind.
#[derive(Clone)]
pub struct Seed(Box<[u8; 32]>);

impl Zeroize for Seed {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Drop for Seed {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for Seed {}

impl Seed {
    /// A fresh seed from the operating system.
    pub fn from_os() -> Result<Seed, Error> {
        let mut seed = Seed(Box::new([0; 32]));
        getrandom::fill(&mut *seed.0)?;
        Ok(seed)
    }

    /// The seed with these bytes, which are public: a secret seed is copied from where it lies ([`Seed::copy_of`]).
    pub fn from_bytes(bytes: [u8; 32]) -> Seed {
        Seed(Box::new(bytes))
    }

    /// The seed with the bytes that lie here. This copy is the caller's to erase.
    ///
    /// # Panics
    /// Unless there are 32.
    pub fn copy_of(bytes: &[u8]) -> Seed {
        let mut seed = Seed(Box::new([0; 32]));
        seed.0.copy_from_slice(bytes);
        seed
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The child seed at (`domain`, `index`): the first 32 keystream bytes under the nonce of `domain` with bit 31 set.
    ///
    /// Children are independent of one another and of every stream of this seed, and a child that is published tells
    /// nothing about its parent.
    pub fn derive(&self, domain: Domain, index: u64) -> Seed {
        let mut stream = Stream::new(&self.0, domain as u32 | CHILD, index);
        let mut child = Seed(Box::new([0; 32]));
        for bytes in child.0.chunks_exact_mut(8) {
            bytes.copy_from_slice(&stream.next_u64().to_le_bytes());
        }
        child
    }

    /// The stream at (`domain`, `index`), from its first word.
    pub fn stream(&self, domain: Domain, index: u64) -> Stream {
        Stream::new(&self.0, domain as u32, index)
    }
}

impl ConstantTimeEq for Seed {
    fn ct_eq(&self, other: &Seed) -> Choice {
        self.0.ct_eq(&*other.0)
    }
}

impl PartialEq for Seed {
    fn eq(&self, other: &Seed) -> bool {
        self.ct_eq(other).into()
    }
}

impl Eq for Seed {}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}
