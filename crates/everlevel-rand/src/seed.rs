//! Addresses of streams: seeds, domains, and the nonce that (domain, index) becomes; and the ciphers of streams.

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
    /// Masks and bodies of encrypted random values, whose seed anybody may choose. Public.
    RandomValues = 9,
    /// Tests and benches.
    Test = 0x7fff_ffff,
}

/// Set in the nonce's domain word for child seeds, so that no child equals the start of a stream.
const CHILD: u32 = 1 << 31;

/// The cipher whose keystream the streams of a seed are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Cipher {
    /// ChaCha20, under the seed itself.
    #[default]
    ChaCha20,
    /// AES-128 in counter mode, under a key for each address that ChaCha20 gives: several times as fast where the CPU
    /// has instructions for it. For masks, which are public, and expanded wherever a seeded key is used.
    Aes128,
}

impl Cipher {
    /// Every cipher.
    pub const ALL: [Self; 2] = [Self::ChaCha20, Self::Aes128];

    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChaCha20 => "chacha20",
            Self::Aes128 => "aes128",
        }
    }

    /// The cipher of a name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cipher| cipher.name() == name)
    }
}

/// 32 bytes from which streams are derived: the key of ChaCha20.
///
/// Public (the mask of a stored key) or secret (everything else); treated as secret either way: zeroized on drop,
/// compared in constant time, never printed. The bytes are on the heap, so that a seed that moves, as a key's does,
/// leaves no copy behind.
#[derive(Clone)]
pub struct Seed {
    bytes: Box<[u8; 32]>,
    cipher: Cipher,
}

impl Zeroize for Seed {
    fn zeroize(&mut self) {
        self.bytes.zeroize();
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
        let mut seed = Seed::from_bytes([0; 32]);
        getrandom::fill(&mut *seed.bytes)?;
        Ok(seed)
    }

    /// The seed with these bytes, which are public: a secret seed is copied from where it lies ([`Seed::copy_of`]).
    pub fn from_bytes(bytes: [u8; 32]) -> Seed {
        Seed { bytes: Box::new(bytes), cipher: Cipher::ChaCha20 }
    }

    /// The seed with the bytes that lie here. This copy is the caller's to erase.
    ///
    /// # Panics
    /// Unless there are 32.
    pub fn copy_of(bytes: &[u8]) -> Seed {
        let mut seed = Seed::from_bytes([0; 32]);
        seed.bytes.copy_from_slice(bytes);
        seed
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// The seed with the same bytes whose streams are of a cipher.
    pub fn of_cipher(&self, cipher: Cipher) -> Seed {
        Seed { bytes: self.bytes.clone(), cipher }
    }

    /// The cipher of its streams.
    pub fn cipher(&self) -> Cipher {
        self.cipher
    }

    /// The child seed at (`domain`, `index`): the first 32 keystream bytes under the nonce of `domain` with bit 31 set.
    ///
    /// Children are independent of one another and of every stream of this seed, and a child that is published tells
    /// nothing about its parent. They are the same whatever the cipher is, and theirs is ChaCha20.
    pub fn derive(&self, domain: Domain, index: u64) -> Seed {
        let mut stream = Stream::chacha20(&self.bytes, domain as u32 | CHILD, index);
        let mut child = Seed::from_bytes([0; 32]);
        for bytes in child.bytes.chunks_exact_mut(8) {
            bytes.copy_from_slice(&stream.next_u64().to_le_bytes());
        }
        child
    }

    /// The stream at (`domain`, `index`), from its first word.
    pub fn stream(&self, domain: Domain, index: u64) -> Stream {
        // Each is made where it is returned to: one that moved would leave a copy of the seed on the stack.
        match self.cipher {
            Cipher::ChaCha20 => Stream::chacha20(&self.bytes, domain as u32, index),
            Cipher::Aes128 => Stream::aes128(&self.bytes, domain as u32, index),
        }
    }
}

impl ConstantTimeEq for Seed {
    fn ct_eq(&self, other: &Seed) -> Choice {
        self.bytes.ct_eq(&*other.bytes) & Choice::from(u8::from(self.cipher == other.cipher))
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
