//! Blocks of lists of slices, for work that stays in a cache.

use std::ops::{Deref, DerefMut};

/// Coefficients that carries run through while they are in the first-level cache.
pub(super) const BLOCK: usize = 512;

/// Words of a task: fewer are done sooner than given to another thread.
const TASK: usize = 1 << 14;

/// How many items of so many words each a task takes at least. What is one task altogether, such as all of a gate's
/// steps, runs on the calling thread, in a pool or not.
pub(super) fn items_of_a_task(words: usize) -> usize {
    (TASK / words.max(1)).max(1)
}

/// Lists of blocks of at most `len` words, each with that block of every slice.
pub(super) fn blocks<'a, T>(slices: impl IntoIterator<Item = &'a [T]>, len: usize) -> Vec<Vec<&'a [T]>> {
    let mut all: Vec<Vec<&[T]>> = Vec::new();
    for slice in slices {
        for (i, block) in slice.chunks(len).enumerate() {
            if all.len() == i {
                all.push(Vec::new());
            }
            all[i].push(block);
        }
    }
    all
}

/// As [`blocks`], to write to.
pub(super) fn blocks_mut<'a, T>(slices: impl IntoIterator<Item = &'a mut [T]>, len: usize) -> Vec<Vec<&'a mut [T]>> {
    let mut all: Vec<Vec<&mut [T]>> = Vec::new();
    for slice in slices {
        for (i, block) in slice.chunks_mut(len).enumerate() {
            if all.len() == i {
                all.push(Vec::new());
            }
            all[i].push(block);
        }
    }
    all
}

/// A line of a cache.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// Words whose first one begins a line of the cache, zero at first.
#[derive(Debug)]
pub(super) struct AlignedWords {
    lines: Vec<Line>,
    len: usize,
}

impl AlignedWords {
    pub(super) fn zeroed(len: usize) -> Self {
        Self { lines: vec![Line([0; 8]); len.div_ceil(8)], len }
    }
}

impl Deref for AlignedWords {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl DerefMut for AlignedWords {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}
