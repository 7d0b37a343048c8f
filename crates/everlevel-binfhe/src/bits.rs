//! Words of a few bits each, one after another, least significant bits first.

/// Words on their way into bytes.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
    waiting: u64,
    filled: u32,
}

impl Writer {
    /// Memory for so many bits.
    pub(crate) fn with_capacity(bits: usize) -> Self {
        Self { bytes: Vec::with_capacity(bits.div_ceil(8)), ..Self::default() }
    }

    /// Adds a word of at most 32 bits, below `2^bits`.
    pub(crate) fn push(&mut self, word: u32, bits: u32) {
        self.waiting |= u64::from(word) << self.filled;
        self.filled += bits;
        while self.filled >= 8 {
            self.bytes.push(self.waiting as u8);
            self.waiting >>= 8;
            self.filled -= 8;
        }
    }

    /// The bytes, of which the last one is filled up with zeros.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.bytes.push(self.waiting as u8);
        }
        self.bytes
    }
}

/// Words on their way out of bytes. Behind the last byte are zeros.
#[derive(Debug)]
pub(crate) struct Reader<'b> {
    bytes: std::slice::Iter<'b, u8>,
    waiting: u64,
    filled: u32,
}

impl<'b> Reader<'b> {
    /// The words from a bit on.
    pub(crate) fn at(bytes: &'b [u8], bit: usize) -> Self {
        let mut reader = Self { bytes: bytes.get(bit / 8..).unwrap_or_default().iter(), waiting: 0, filled: 0 };
        reader.next((bit % 8) as u32);
        reader
    }

    /// The next word of at most 32 bits.
    pub(crate) fn next(&mut self, bits: u32) -> u32 {
        while self.filled < bits {
            self.waiting |= u64::from(*self.bytes.next().unwrap_or(&0)) << self.filled;
            self.filled += 8;
        }
        let word = self.waiting & ((1 << bits) - 1);
        self.waiting >>= bits;
        self.filled -= bits;
        word as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_any_bit() {
        let words: Vec<(u32, u32)> = (0..200u32).map(|i| (i.wrapping_mul(0x9e37_79b9), i % 33)).collect();
        let words: Vec<(u32, u32)> =
            words.iter().map(|&(x, bits)| ((u64::from(x) & ((1 << bits) - 1)) as u32, bits)).collect();
        let total: u32 = words.iter().map(|word| word.1).sum();
        let mut writer = Writer::with_capacity(total as usize);
        words.iter().for_each(|&(word, bits)| writer.push(word, bits));
        let bytes = writer.finish();
        assert_eq!(bytes.len(), total.div_ceil(8) as usize);
        for first in [0, 1, 17, 199] {
            let bit: u32 = words[..first].iter().map(|word| word.1).sum();
            let mut reader = Reader::at(&bytes, bit as usize);
            words[first..].iter().for_each(|&(word, bits)| assert_eq!(reader.next(bits), word));
            assert_eq!(reader.next(32), 0);
        }
        assert_eq!(Reader::at(&bytes, 1 << 20).next(8), 0);
    }
}
