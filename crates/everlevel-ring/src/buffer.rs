//! Memory on huge pages where the system gives them: limbs, buffers of one size that are recycled, and long arrays.
//!
//! A bootstrap makes and drops tens of thousands of limbs; taking each from the system would spend more time in page
//! faults than in arithmetic. A pool belongs to a ring, grows to the ring's peak and is freed with it.

use std::alloc::Layout;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everlevel_process::unwind;

use crate::memory::{self, OutOfMemory};

const HUGE_PAGE: usize = 2 << 20;
/// Sizes are rounded up to multiples of this one, which is a multiple of every system's page. A slab's end that is
/// shorter than a huge page takes small pages.
const GRAIN: usize = 64 << 10;

/// An owned, zero-initialised allocation aligned to a huge page, with huge pages asked for.
#[derive(Debug)]
pub(crate) struct Slab {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a slab is plain memory with one owner.
unsafe impl Send for Slab {}
// SAFETY: shared references only read.
unsafe impl Sync for Slab {}

impl Slab {
    /// A slab of at least `bytes` bytes. Unwinds with [`OutOfMemory`] if there are none.
    pub(crate) fn new(bytes: usize) -> Self {
        Self::try_new(bytes).unwrap_or_else(|refused| unwind(refused))
    }

    /// A slab of at least `bytes` bytes.
    ///
    /// On Linux the pages come from the system as they are first touched, zeroed by it, and huge pages are asked for
    /// before that; the allocator's zeroed memory would be touched, small page by small page, before we could ask.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub(crate) fn try_new(bytes: usize) -> Result<Self, OutOfMemory> {
        let layout = Self::layout(bytes);
        let refused = || OutOfMemory::refused(layout.size() as u64);
        memory::require_spare(layout.size() as u64)?;
        let mapped = layout.size() + HUGE_PAGE;
        // SAFETY: an anonymous private mapping of nonzero size at an address of the system's choice touches no other
        // memory.
        let raw = unsafe {
            let (read_write, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            libc::mmap(std::ptr::null_mut(), mapped, read_write, private, -1, 0)
        };
        if raw == libc::MAP_FAILED {
            return Err(refused());
        }
        let raw: *mut u8 = raw.cast();
        let before = raw.align_offset(HUGE_PAGE);
        // SAFETY: the mapping is one huge page longer than the slab, so that an aligned slab fits; what is before and
        // after it is given back. The advice does not change contents.
        let start = unsafe {
            let start = raw.add(before);
            if before > 0 {
                libc::munmap(raw.cast(), before);
            }
            if before < HUGE_PAGE {
                libc::munmap(start.add(layout.size()).cast(), HUGE_PAGE - before);
            }
            libc::madvise(start.cast(), layout.size(), libc::MADV_HUGEPAGE);
            start
        };
        NonNull::new(start).map(|start| Self { start, layout }).ok_or_else(refused)
    }

    /// A slab of at least `bytes` bytes of memory from the allocator, which Miri knows, too.
    #[cfg(any(not(target_os = "linux"), miri))]
    pub(crate) fn try_new(bytes: usize) -> Result<Self, OutOfMemory> {
        let layout = Self::layout(bytes);
        memory::require_spare(layout.size() as u64)?;
        // SAFETY: the layout's size is not zero.
        let raw = unsafe { std::alloc::alloc_zeroed(layout) };
        NonNull::new(raw).map(|start| Self { start, layout }).ok_or_else(|| OutOfMemory::refused(layout.size() as u64))
    }

    /// The bytes of a slab that was asked for `bytes`.
    pub(crate) const fn rounded(bytes: usize) -> usize {
        if bytes == 0 { GRAIN } else { bytes.next_multiple_of(GRAIN) }
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(Self::rounded(bytes), HUGE_PAGE).expect("slab size fits isize")
    }

    /// The memory: as many bytes as were asked for, rounded up to huge pages.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the allocation is `layout.size()` initialised bytes, borrowed with self.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }

    /// The memory, to write to.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the allocation is `layout.size()` initialised bytes, borrowed alone with self.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

impl AsRef<[u8]> for Slab {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        #[cfg(all(target_os = "linux", not(miri)))]
        // SAFETY: mapped in `new` with this size, and nothing else refers to it.
        unsafe {
            libc::munmap(self.start.as_ptr().cast(), self.layout.size());
        }
        #[cfg(any(not(target_os = "linux"), miri))]
        // SAFETY: allocated in `new` with this layout.
        unsafe {
            std::alloc::dealloc(self.start.as_ptr(), self.layout);
        }
    }
}

#[derive(Debug)]
struct Free {
    /// Starts of unused limbs inside `slabs`.
    limbs: Vec<NonNull<u64>>,
    slabs: Vec<Slab>,
    /// Limbs inside `slabs`.
    total: usize,
    /// The fewest limbs that were unused at once, since [`Pool::peak`] was last asked.
    fewest: usize,
}

// SAFETY: the pointers point into the slabs beside them, which move along.
unsafe impl Send for Free {}

/// The pool that a ring's limbs come from.
#[derive(Debug)]
pub(crate) struct Pool {
    n: usize,
    free: Mutex<Free>,
}

impl Pool {
    pub(crate) fn new(n: usize) -> Arc<Self> {
        Arc::new(Self { n, free: Mutex::new(Free { limbs: Vec::new(), slabs: Vec::new(), total: 0, fewest: 0 }) })
    }

    fn lock(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A limb with arbitrary contents (zero, or whatever its last owner left). Unwinds with [`OutOfMemory`] if there is
    /// none.
    pub(crate) fn take(self: &Arc<Self>) -> Limb {
        let mut free = self.lock();
        if free.limbs.is_empty() {
            free.grow(self.n, 8).unwrap_or_else(|refused| unwind(refused));
        }
        let start = free.limbs.pop().expect("just filled");
        free.fewest = free.fewest.min(free.limbs.len());
        Limb { start, pool: Arc::clone(self) }
    }

    /// Has `count` limbs ready.
    pub(crate) fn reserve(&self, count: usize) -> Result<(), OutOfMemory> {
        let mut free = self.lock();
        match count.saturating_sub(free.limbs.len()) {
            0 => Ok(()),
            missing => free.grow(self.n, missing),
        }
    }

    /// The most limbs that were in use at once since this was last asked, and those in use now.
    pub(crate) fn peak(&self) -> [usize; 2] {
        let mut free = self.lock();
        let (most, now) = (free.total - free.fewest, free.total - free.limbs.len());
        free.fewest = free.limbs.len();
        [most, now]
    }

    /// Limbs that nobody has.
    pub(crate) fn free_count(&self) -> usize {
        self.lock().limbs.len()
    }
}

impl Free {
    /// Takes a slab for `count` limbs or more from the system. They are used last: limbs that were used have their
    /// pages.
    fn grow(&mut self, n: usize, count: usize) -> Result<(), OutOfMemory> {
        let mut slab = Slab::try_new((8 * n * count).max(HUGE_PAGE))?;
        let count = slab.bytes().len() / (8 * n);
        let base: *mut u64 = slab.bytes_mut().as_mut_ptr().cast();
        // SAFETY: limb i lies inside the slab, whose start is aligned to 2 MiB.
        let limbs = (0..count).rev().map(|i| unsafe { NonNull::new_unchecked(base.add(i * n)) });
        self.limbs.splice(0..0, limbs);
        self.slabs.push(slab);
        self.total += count;
        self.fewest += count;
        Ok(())
    }
}

/// `n` words, aligned to a cache line, owned; returned to its ring's pool when dropped.
#[derive(Debug)]
pub struct Limb {
    start: NonNull<u64>,
    pool: Arc<Pool>,
}

// SAFETY: a limb owns its words exclusively until it is dropped.
unsafe impl Send for Limb {}
// SAFETY: shared references only read.
unsafe impl Sync for Limb {}

impl Deref for Limb {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        // SAFETY: the limb owns `n` initialised words inside a slab that the pool keeps alive.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.pool.n) }
    }
}

impl DerefMut for Limb {
    fn deref_mut(&mut self) -> &mut [u64] {
        // SAFETY: the limb owns `n` initialised words of a slab that the pool keeps alive; no other limb has this
        // start.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.pool.n) }
    }
}

impl Clone for Limb {
    fn clone(&self) -> Self {
        let mut copy = self.pool.take();
        copy.copy_from_slice(self);
        copy
    }
}

impl Drop for Limb {
    fn drop(&mut self) {
        self.pool.lock().limbs.push(self.start);
    }
}

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
