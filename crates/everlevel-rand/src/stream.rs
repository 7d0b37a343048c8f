//! The keystream of one address, word by word.

use std::convert::Infallible;
use std::fmt;

use rand_core::{TryCryptoRng, TryRng};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::aes_ctr::Aes;
use crate::chacha::{self, BATCH_WORDS};

/// Words that samplers draw at a time: 4 KiB, which stay in the first-level cache.
pub(crate) const CHUNK: usize = 512;

/// Blocks that one address has: the 32-bit block counter of RFC 8439 never wraps.
const MAX_BLOCKS: u64 = u32::MAX as u64;

/// The keystream at (seed, domain, index), by the seed's cipher.
///
/// *ChaCha20*, as in RFC 8439, from block 0:
/// * key — the seed's 32 bytes
/// * nonce — 12 bytes: domain as a little-endian `u32`, then index as a little-endian `u64` (injective)
/// * word `i` — keystream bytes `8i..8i+8`, little-endian
///
/// *AES-128*: under the first 16 bytes of that, words `2i` and `2i + 1` are the encrypted 128-bit number `i`; numbers
/// and words little-endian.
///
/// Words come in order, whichever mix of calls takes them. An address holds 256 GiB less 64 bytes; see Panics of
/// [`Stream::fill_u64`]. Not `Clone`: two copies would hand out the same bits twice.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Stream {
    generator: Generator,
    /// Next block to generate; `buffer` holds the words before it.
    next_block: u64,
    buffer: [u64; BATCH_WORDS],
    /// First word of `buffer` not yet taken.
    pos: usize,
}

/// The cipher of a stream under its key.
#[derive(Zeroize)]
struct Generator {
    key: [u8; 32],
    nonce: [u8; 12],
    /// The cipher in place of ChaCha20.
    aes: Option<Aes>,
}

impl Generator {
    /// Fills `out` from a block of eight words on.
    #[inline]
    fn fill(&self, block: u32, out: &mut [u64]) {
        match &self.aes {
            None => chacha::keystream(&self.key, &self.nonce, block, out),
            Some(aes) => aes.keystream(4 * u64::from(block), out),
        }
    }
}

impl Stream {
    pub(crate) fn chacha20(key: &[u8; 32], domain: u32, index: u64) -> Stream {
        let mut nonce = [0; 12];
        nonce[..4].copy_from_slice(&domain.to_le_bytes());
        nonce[4..].copy_from_slice(&index.to_le_bytes());
        Stream {
            generator: Generator { key: *key, nonce, aes: None },
            next_block: 0,
            buffer: [0; BATCH_WORDS],
            pos: BATCH_WORDS,
        }
    }

    /// The stream of AES under the first bytes of ChaCha20's.
    pub(crate) fn aes128(key: &[u8; 32], domain: u32, index: u64) -> Stream {
        let mut stream = Stream::chacha20(key, domain, index);
        let mut key = [0; 16];
        for bytes in key.chunks_exact_mut(8) {
            bytes.copy_from_slice(&stream.next_u64().to_le_bytes());
        }
        stream.generator.aes = Some(Aes::new(&key));
        key.zeroize();
        (stream.next_block, stream.pos) = (0, BATCH_WORDS);
        stream
    }

    /// Takes the next `out.len()` words.
    ///
    /// # Panics
    /// When the address is exhausted, after `2^35 − 128` words: take another index long before.
    pub fn fill_u64(&mut self, out: &mut [u64]) {
        let (buffered, out) = out.split_at_mut(out.len().min(BATCH_WORDS - self.pos));
        buffered.copy_from_slice(&self.buffer[self.pos..self.pos + buffered.len()]);
        self.pos += buffered.len();
        let (batches, rest) = out.split_at_mut(out.len() / BATCH_WORDS * BATCH_WORDS);
        if !batches.is_empty() {
            let counter = self.advance(batches.len());
            self.generator.fill(counter, batches);
        }
        if !rest.is_empty() {
            self.refill();
            rest.copy_from_slice(&self.buffer[..rest.len()]);
            self.pos = rest.len();
        }
    }

    /// Takes the next word.
    ///
    /// # Panics
    /// As [`Stream::fill_u64`].
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        if self.pos == BATCH_WORDS {
            self.refill();
        }
        let word = self.buffer[self.pos];
        self.pos += 1;
        word
    }

    #[inline(never)]
    fn refill(&mut self) {
        let counter = self.advance(BATCH_WORDS);
        self.generator.fill(counter, &mut self.buffer);
        self.pos = 0;
    }

    /// Reserves the blocks of `words` words, whole batches, and returns the first.
    fn advance(&mut self, words: usize) -> u32 {
        let (first, blocks) = (self.next_block, words as u64 / 8);
        let left = MAX_BLOCKS - first;
        assert!(blocks <= left, "stream: needs {blocks} blocks, {left} are left at this address; take another index");
        self.next_block += blocks;
        first as u32
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(..)")
    }
}

/// The interface for code that is generic over generators. `next_u32` takes a whole word and keeps its low half; byte
/// strings take whole words and drop the rest of the last.
impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next_u64() as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next_u64())
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for bytes in out.chunks_mut(8) {
            bytes.copy_from_slice(&self.next_u64().to_le_bytes()[..bytes.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Stream {}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(words: &[u64]) -> String {
        words.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:02x}")).collect()
    }

    /// RFC 8439 §2.3.2 (block 1; the nonce read as domain and index) and appendix A.1, vectors 1, 2 and 5.
    #[test]
    fn rfc8439_vectors() {
        let counting: [u8; 32] = std::array::from_fn(|i| i as u8);
        for (key, domain, index, block, expected) in [
            (
                counting,
                0x0900_0000,
                0x4a00_0000,
                1,
                "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e\
                 d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
            ),
            (
                [0; 32],
                0,
                0,
                0,
                "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
                 da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
            ),
            (
                [0; 32],
                0,
                0,
                1,
                "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
                 29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
            ),
            (
                [0; 32],
                0,
                0x0200_0000_0000_0000,
                0,
                "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7\
                 8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
            ),
        ] {
            let mut words = [0; 16];
            Stream::chacha20(&key, domain, index).fill_u64(&mut words);
            assert_eq!(hex(&words[8 * block..8 * block + 8]), expected);
        }
    }

    #[test]
    #[should_panic(expected = "take another index")]
    fn an_exhausted_address_panics_before_it_repeats() {
        let mut stream = Stream::chacha20(&[0; 32], 0, 0);
        stream.next_block = MAX_BLOCKS / 16 * 16;
        stream.next_u64();
    }

    #[test]
    fn byte_strings_are_whole_words() {
        use rand_core::Rng;
        let (mut words, mut bytes) = (Stream::chacha20(&[1; 32], 0, 0), Stream::chacha20(&[1; 32], 0, 0));
        let mut out = [0; 11];
        bytes.fill_bytes(&mut out);
        assert_eq!(out[..8], words.next_u64().to_le_bytes());
        assert_eq!(out[8..], words.next_u64().to_le_bytes()[..3]);
        assert_eq!(bytes.next_u32(), words.next_u64() as u32);
    }
}
