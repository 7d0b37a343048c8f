//! Long arrays on huge pages.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use crate::Slab;

/// `len` words, zero at first, aligned to 2 MiB, with huge pages asked for.
#[derive(Debug)]
pub struct WordBuffer<T> {
    slab: Slab,
    len: usize,
    word: PhantomData<T>,
}

impl<T: bytemuck::Pod> WordBuffer<T> {
    /// Bytes of a buffer of `len` words.
    pub const fn nbytes_of(len: usize) -> usize {
        Slab::rounded(len * size_of::<T>())
    }

    /// `len` zeros.
    pub fn zeroed(len: usize) -> Self {
        Self { slab: Slab::new(len * size_of::<T>()), len, word: PhantomData }
    }
}

impl<T: bytemuck::Pod> Deref for WordBuffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.slab.bytes()[..self.len * size_of::<T>()])
    }
}

impl<T: bytemuck::Pod> DerefMut for WordBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let bytes = self.len * size_of::<T>();
        bytemuck::cast_slice_mut(&mut self.slab.bytes_mut()[..bytes])
    }
}
