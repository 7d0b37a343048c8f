//! Writes that go past the caches.

use std::marker::PhantomData;

use crate::Simd;
#[cfg(target_arch = "x86_64")]
use crate::{prefetch::LINE, simd::Level};

/// Copies that go past the caches: lines that are overwritten are not read before, and nothing else is driven out. That
/// is for what is read much later, when the caches have long held other things; a read before that is slower.
///
/// A value stands for a run of them in one thread, after which all are made known to other threads.
#[derive(Debug)]
pub struct PastCaches {
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only vector backends read it"))]
    simd: Simd,
    /// Keeps the value in its thread: a fence is for the thread that wrote.
    thread: PhantomData<*const ()>,
}

impl PastCaches {
    /// A run of copies, by the stores of a backend.
    pub fn new(simd: Simd) -> Self {
        Self { simd, thread: PhantomData }
    }

    /// Copies a slice: whole lines that begin on one go past the caches.
    ///
    /// # Safety
    /// Nobody reads or writes `out` before this value is dropped.
    ///
    /// # Panics
    /// If the lengths differ.
    #[inline]
    pub unsafe fn copy(&self, out: &mut [u64], from: &[u64]) {
        assert_eq!(out.len(), from.len());
        #[cfg(target_arch = "x86_64")]
        if self.simd.0 == Level::Avx512Ifma && out.as_ptr().addr().is_multiple_of(LINE) && out.len().is_multiple_of(8) {
            // SAFETY: the function needs AVX-512 F, which `Simd::available` detected before it made a `Simd` of this
            // level; `out` begins on a line, as was just checked, and the caller keeps away from it until this value's
            // fence.
            unsafe { copy_lines(out, from) };
            return;
        }
        out.copy_from_slice(from);
    }
}

impl Drop for PastCaches {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if self.simd.0 == Level::Avx512Ifma {
            // SAFETY: the fence is part of SSE, which every CPU of this architecture has, and touches no memory.
            unsafe { std::arch::x86_64::_mm_sfence() };
        }
    }
}

/// # Safety
/// The first slice begins on a line, and nobody reads or writes it before a fence.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn copy_lines(out: &mut [u64], from: &[u64]) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_stream_si512};
    for (out, from) in out.as_chunks_mut::<8>().0.iter_mut().zip(from.as_chunks::<8>().0) {
        // SAFETY: both chunks are 64 bytes, `out`'s aligned to them since its slice begins on a line; the caller
        // vouches that nobody reads or writes `out` before a fence.
        unsafe { _mm512_stream_si512(out.as_mut_ptr().cast(), _mm512_loadu_si512(from.as_ptr().cast())) };
    }
}
