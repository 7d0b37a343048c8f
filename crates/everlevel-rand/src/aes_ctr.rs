//! AES-128 in counter mode, by the `aes` crate, which takes the widest instructions that the CPU has.

use aes::Aes128;
use aes::cipher::array::Array;
use aes::cipher::{BlockCipherEncrypt, KeyInit};

/// AES-128 under a key.
pub(crate) fn cipher(key: &[u8; 16]) -> Aes128 {
    Aes128::new(&Array(*key))
}

/// Fills `out` with the keystream from block `counter` on, two words a block, words little-endian: block `i` is AES of
/// the 128-bit little-endian number `i`.
///
/// # Panics
/// If `out` has an odd number of words.
pub(crate) fn keystream(cipher: &Aes128, counter: u64, out: &mut [u64]) {
    assert!(out.len().is_multiple_of(2));
    for (block, i) in out.as_chunks_mut::<2>().0.iter_mut().zip(counter..) {
        *block = [i.to_le(), 0];
    }
    let blocks: &mut [[u8; 16]] = bytemuck::cast_slice_mut(&mut *out);
    cipher.encrypt_blocks(Array::cast_slice_from_core_mut(blocks));
    for word in out {
        *word = u64::from_le(*word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, appendix C.1, read as the keystream of one counter.
    #[test]
    fn blocks_are_those_of_the_standard() {
        let cipher = cipher(&std::array::from_fn(|i| i as u8));
        let mut block = [Array(std::array::from_fn(|i| (0x11 * i) as u8))];
        cipher.encrypt_blocks(&mut block);
        let expected = "69c4e0d86a7b0430d8cdb78070b4c55a";
        assert_eq!(block[0].iter().map(|b| format!("{b:02x}")).collect::<String>(), expected);
    }

    #[test]
    fn counters_are_little_endian_and_go_on() {
        let cipher = cipher(&[7; 16]);
        let first = u64::from(u32::MAX) - 3;
        let mut all = vec![0; 2 * 150];
        keystream(&cipher, first, &mut all);
        for (i, words) in all.as_chunks::<2>().0.iter().enumerate() {
            let mut block = [Array(u128::from(first + i as u64).to_le_bytes())];
            cipher.encrypt_blocks(&mut block);
            assert_eq!(bytemuck::cast::<[u64; 2], [u8; 16]>(words.map(u64::to_le)), block[0].0, "block {i}");
        }
    }
}
