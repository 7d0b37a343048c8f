//! The one home of what is timed, beside other libraries where that is fair: kernels in `benches/`, whole operations in
//! `examples/`, and here what they share.

pub mod delayed;
pub mod limbs;
pub mod new_keys;
pub mod timing;

/// Words that start on a cache line: misaligned vectors touch two lines each, which costs the transforms a tenth.
#[derive(Debug)]
pub struct Aligned<T = u64> {
    words: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// A copy of `a`.
    pub fn new(a: &[T]) -> Self {
        let mut words = vec![T::default(); a.len() + 64];
        let start = words.as_ptr().align_offset(64).min(64);
        words[start..start + a.len()].copy_from_slice(a);
        Self { words, start, len: a.len() }
    }

    /// The words.
    pub fn get(&self) -> &[T] {
        &self.words[self.start..self.start + self.len]
    }

    /// The words.
    pub fn get_mut(&mut self) -> &mut [T] {
        &mut self.words[self.start..self.start + self.len]
    }
}
