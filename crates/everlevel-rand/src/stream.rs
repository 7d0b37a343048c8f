//! The keystream of one address, word by word.

use std::convert::Infallible;
use std::fmt;

use rand_core::{TryCryptoRng, TryRng};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::chacha::{self, BATCH_BLOCKS, BATCH_WORDS};

/// Blocks that one address has: the 32-bit block counter of RFC 8439 never wraps.
const MAX_BLOCKS: u64 = u32::MAX as u64;

/// The keystream at (seed, domain, index): ChaCha20 as in RFC 8439, from block 0.
///
/// * key — the seed's 32 bytes
/// * nonce — 12 bytes: domain as a little-endian `u32`, then index as a little-endian `u64` (injective)
/// * word `i` — keystream bytes `8i..8i+8`, little-endian
///
/// Words come in order whatever mix of calls takes them. An address holds 256 GiB less 64 bytes; see Panics of
/// [`Stream::fill_u64`]. Not `Clone`: two copies would hand out the same bits twice.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Stream {
    key: [u8; 32],
    nonce: [u8; 12],
    /// Next block to generate; `buffer` holds the words before it.
    next_block: u64,
    buffer: [u64; BATCH_WORDS],
    /// First word of `buffer` not yet taken.
    pos: usize,
}

impl Stream {
    pub(crate) fn new(key: &[u8; 32], domain: u32, index: u64) -> Stream {
        let mut nonce = [0; 12];
        nonce[..4].copy_from_slice(&domain.to_le_bytes());
        nonce[4..].copy_from_slice(&index.to_le_bytes());
        Stream {
            key: *key,
            nonce,
            next_block: 0,
            buffer: [0; BATCH_WORDS],
            pos: BATCH_WORDS,
        }
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
        self.generate(batches);
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
        let mut buffer = std::mem::replace(&mut self.buffer, [0; BATCH_WORDS]);
        self.generate(&mut buffer);
        self.buffer = buffer;
        buffer.zeroize();
        self.pos = 0;
    }

    /// Whole batches from `next_block` on.
    fn generate(&mut self, out: &mut [u64]) {
        let blocks = (out.len() / BATCH_WORDS * BATCH_BLOCKS) as u64;
        assert!(
            self.next_block + blocks <= MAX_BLOCKS,
            "stream: {} blocks asked for, {} left at this address; take another index",
            blocks,
            MAX_BLOCKS - self.next_block
        );
        chacha::keystream(&self.key, &self.nonce, self.next_block as u32, out);
        self.next_block += blocks;
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(..)")
    }
}

/// For code that is generic over generators. `next_u32` takes a whole word and keeps its low half; byte strings take whole
/// words and drop what is left of the last.
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
