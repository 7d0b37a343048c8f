//! ChaCha20 keystream in batches of 16 blocks.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};

/// Blocks in a batch: the lanes of a 512-bit register.
pub(crate) const BATCH_BLOCKS: usize = 16;
/// Words in a batch.
pub(crate) const BATCH_WORDS: usize = BATCH_BLOCKS * 8;

/// Fills `out`, whole batches, with the keystream from block `counter` on, words little-endian.
///
/// # Panics
/// If `out` is not whole batches or the 32-bit block counter would wrap.
pub(crate) fn keystream(key: &[u8; 32], nonce: &[u8; 12], counter: u32, out: &mut [u64]) {
    assert_eq!(out.len() % BATCH_WORDS, 0);
    assert!(counter as u64 + out.len() as u64 / 8 <= u32::MAX as u64);
    portable(key, nonce, counter, out);
}

fn portable(key: &[u8; 32], nonce: &[u8; 12], counter: u32, out: &mut [u64]) {
    let mut cipher = ChaCha20::new(key.into(), nonce.into());
    cipher.seek(counter as u64 * 64);
    out.fill(0);
    cipher.apply_keystream(bytemuck::cast_slice_mut(out));
    for word in out {
        *word = u64::from_le(*word);
    }
}
