//! Hints to the caches, for kernels that know their next data.

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// Asks for a line to be brought into the second-level cache, and goes on at once.
#[inline(always)]
pub(crate) fn prefetch_line(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing into the program and faults at no address; it is part of SSE, which every CPU of
    // this architecture has.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Asks for every line of a slice.
#[inline]
fn prefetch<T>(data: &[T]) {
    for offset in (0..size_of_val(data)).step_by(LINE) {
        prefetch_line(data.as_ptr().cast::<u8>().wrapping_add(offset));
    }
}

/// A slice to bring into the second-level cache in even steps.
#[derive(Debug)]
pub(crate) struct Ahead<'a, T> {
    rest: std::slice::Chunks<'a, T>,
}

impl<'a, T> Ahead<'a, T> {
    /// All of `data` in at most so many steps of whole lines.
    #[inline(always)]
    pub(crate) fn new(data: &'a [T], steps: usize) -> Self {
        let line = LINE / size_of::<T>();
        Self { rest: data.chunks((data.len().div_ceil(steps * line) * line).max(line)) }
    }

    /// The next part.
    #[inline(always)]
    pub(crate) fn step(&mut self) {
        if let Some(part) = self.rest.next() {
            prefetch(part);
        }
    }
}
