//! Randomness: addressed streams of ChaCha20 or AES, and the samplers that draw from them.
//!
//! *Vocabulary.* A **seed** is 32 bytes; a **domain** is the purpose of its bits; a **stream** is the keystream
//! addressed by (seed, domain, index); a **word** is 64 bits of it, read little-endian. Word `i` of a stream is the
//! same on every machine and backend, and each sampler documents which words it takes, so that a seeded key expands to
//! the same bits everywhere.
//!
//! *Map.* [`Seed`] and [`Domain`] the addresses, [`Cipher`] what streams are of · [`SeedSource`] fresh seeds ·
//! [`Stream`] the words · [`sampler`] uniform residues, ternary, fixed-weight, binary and Gaussian values ·
//! [`mod@secrecy`] marks for the check of compiled code · [`Error`].
//!
//! *Timing.* Streams and the secret samplers ([`sampler::ternary`], [`sampler::fixed_weight`], [`sampler::binary`],
//! [`sampler::gaussian`]) neither branch on nor index by the values that they return. [`sampler::uniform_mod`] does not
//! branch on values either, but its running time tells how many words were rejected: use it for public masks, or where
//! that count may be known. No sampler hides its length, its modulus, its weight or its standard deviation.
//!
//! *Erasure.* Seeds, streams and the samplers' buffers are zeroized on drop; registers and compiler-made stack copies
//! are not.
//!
//! *Non-goals.* Keys and ciphertexts: see the crates above. Forward secrecy and reseeding: a stream is a function of
//! its address.
//!
//! ```
//! use everlevel_rand::{Domain, Seed, sampler};
//!
//! # fn main() -> Result<(), everlevel_rand::Error> {
//! let seed = Seed::from_bytes([7; 32]); // `Seed::from_os()?` for real keys
//! let mut mask = vec![0u64; 1024];
//! sampler::uniform_mod(&mut seed.stream(Domain::Mask, 0), &mut mask, 0xffff_fffa_0001);
//! let mut secret = vec![0i8; 1024];
//! sampler::fixed_weight(&mut seed.stream(Domain::SecretKey, 0), &mut secret, 192)?;
//! let mut noise = vec![0i64; 1024];
//! sampler::gaussian(&mut seed.stream(Domain::KeyNoise, 0), &mut noise, 3.2)?;
//! # Ok(())
//! # }
//! ```

pub mod sampler;
pub mod secrecy;

mod aes_ctr;
mod chacha;
mod cpu;
mod error;
mod seed;
mod source;
mod stream;

pub use error::Error;
pub use seed::{Cipher, Domain, Seed};
pub use source::SeedSource;
pub use stream::Stream;
