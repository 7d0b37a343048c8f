//! Benchmarks (see `benches/`) and what they share.

/// Words that start on a cache line: misaligned vectors touch two lines each, which costs the transforms a tenth.
#[derive(Debug)]
pub struct Aligned {
    words: Vec<u64>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// A copy of `a`.
    pub fn new(a: &[u64]) -> Self {
        let mut words = vec![0; a.len() + 8];
        let start = words.as_ptr().align_offset(64).min(8);
        words[start..start + a.len()].copy_from_slice(a);
        Self { words, start, len: a.len() }
    }

    /// The words.
    pub fn get(&self) -> &[u64] {
        &self.words[self.start..self.start + self.len]
    }

    /// The words.
    pub fn get_mut(&mut self) -> &mut [u64] {
        &mut self.words[self.start..self.start + self.len]
    }
}
