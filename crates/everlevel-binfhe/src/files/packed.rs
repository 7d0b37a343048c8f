//! The words of a bootstrapping key's bodies in files: of as many bits as they have, one after another.

use everlevel_io::ALIGNMENT;
use everlevel_io::schema::refuse;

use crate::Error;
use crate::bits::{Reader, Writer};
use crate::scheme::Scheme;

/// Bytes of so many words of so many bits in a file. What follows another tensor is aligned: zeros fill up.
pub(super) fn stored_len(count: usize, bits: u32) -> usize {
    (count * bits as usize).div_ceil(8).next_multiple_of(ALIGNMENT)
}

/// The words, of which those of fewer than 64 bits are in the leading halves of 64.
pub(super) fn to_bytes(scheme: &dyn Scheme, words: &[u64]) -> Vec<u8> {
    let bits = scheme.stored_bits();
    match bits {
        64 => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        32 => words.iter().flat_map(|word| ((word >> 32) as u32).to_le_bytes()).collect(),
        _ => {
            let mut writer = Writer::with_capacity(words.len() * bits as usize);
            words.iter().for_each(|word| writer.push((word >> 32) as u32, bits));
            writer.finish()
        }
    }
}

/// The words that [`to_bytes`] packed, so many of so many bits.
///
/// # Errors
/// [`Error::Io`] for a word that isn't one of the scheme's.
pub(super) fn from_bytes(scheme: &dyn Scheme, bits: u32, bytes: &[u8], count: usize) -> Result<Vec<u64>, Error> {
    let words: Vec<u64> = match bits {
        64 => return Ok(bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect()),
        32 => bytes.as_chunks().0.iter().map(|&word| u64::from(u32::from_le_bytes(word))).collect(),
        _ => {
            let mut reader = Reader::at(bytes, 0);
            (0..count).map(|_| u64::from(reader.next(bits))).collect()
        }
    };
    let limit = scheme.stored_limit();
    match words.iter().find(|&&word| word >= limit) {
        Some(word) => refuse("bootstrap", word, format!("words below {limit}")),
        None => Ok(words.into_iter().map(|word| word << 32).collect()),
    }
}
