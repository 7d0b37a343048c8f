//! Layouts: limbs, lists of slices in blocks that stay in a cache, and words that begin lines of it.

use std::ops::{Deref, DerefMut};

use zeroize::Zeroize;

use crate::Limb;

/// An element of `T[X]/(X^n + 1)`: limb `j` has the multiples of `2^(−(j+1)·K)`, as `n` signed words.
#[derive(Debug, Clone)]
pub struct Limbs(Vec<Limb>);

/// The transforms of an element's limbs.
#[derive(Debug)]
pub struct LimbDigits {
    pub(super) count: usize,
    pub(super) transforms: Vec<Limb>,
}

impl Limbs {
    pub(super) fn new(limbs: Vec<Limb>) -> Self {
        Self(limbs)
    }

    /// How many limbs there are: the precision.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Limb `j`.
    pub fn limb(&self, j: usize) -> &[i64] {
        bytemuck::cast_slice(&self.0[j])
    }

    /// All limbs.
    pub fn views(&self) -> Vec<&[i64]> {
        self.0.iter().map(|limb| bytemuck::cast_slice(limb)).collect()
    }

    /// All limbs, to write to.
    pub fn views_mut(&mut self) -> Vec<&mut [i64]> {
        self.0.iter_mut().map(|limb| bytemuck::cast_slice_mut(limb)).collect()
    }

    /// Keeps the first limbs: a normalised element rounded to lower precision.
    pub fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// Bytes of the limbs.
    pub fn nbytes(&self) -> usize {
        self.0.iter().map(|limb| 8 * limb.len()).sum()
    }
}

impl Zeroize for Limbs {
    fn zeroize(&mut self) {
        self.0.iter_mut().for_each(|limb| limb[..].zeroize());
    }
}

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
    by_place(slices.into_iter().map(|slice| slice.chunks(len)))
}

/// As [`blocks`], to write to.
pub(super) fn blocks_mut<'a, T>(slices: impl IntoIterator<Item = &'a mut [T]>, len: usize) -> Vec<Vec<&'a mut [T]>> {
    by_place(slices.into_iter().map(|slice| slice.chunks_mut(len)))
}

/// Lists of the first items, of the second ones, and so on.
fn by_place<B>(all: impl Iterator<Item = impl Iterator<Item = B>>) -> Vec<Vec<B>> {
    let mut lists: Vec<Vec<B>> = Vec::new();
    for items in all {
        for (i, item) in items.enumerate() {
            if lists.len() == i {
                lists.push(Vec::new());
            }
            lists[i].push(item);
        }
    }
    lists
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
