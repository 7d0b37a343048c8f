//! Modules, the memory of their objects, and slices of what C has.

use std::borrow::Cow;
use std::ops::{Deref, Range};

use everlevel_math::base2k::Base;
use everlevel_ring::base2k::{Module, Transform};

/// The header's `FFT64`; every other value is `NTT120`.
pub(crate) const FFT64: u32 = 0;

/// The transforms of one degree.
#[derive(Debug)]
pub struct ModuleInfo(Module);

impl Deref for ModuleInfo {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.0
    }
}

/// Memory for `bytes`, aligned to a cache line, or null.
pub(crate) fn allocate<T>(bytes: u64) -> *mut T {
    // The size has to be a multiple of the alignment.
    let bytes = (bytes as usize).max(1).next_multiple_of(64);
    // SAFETY: the alignment of 64 is a power of two, and the size a multiple of it and not 0, as C11 asks for.
    unsafe { libc::aligned_alloc(64, bytes).cast() }
}

/// Gives back memory of [`allocate`].
///
/// # Safety
/// The pointer is from [`allocate`], and not used any more; or null.
pub(crate) unsafe fn release<T>(p: *mut T) {
    // SAFETY: the caller vouches that `p` is from `allocate`, whose memory `free` takes back, or null, and that nobody
    // uses it any more.
    unsafe { libc::free(p.cast()) }
}

/// The module of a pointer.
///
/// # Safety
/// The pointer is from the function that makes such modules, and not deleted.
pub(crate) unsafe fn module<'a, M: Deref + 'a>(module: *const M) -> &'a M::Target {
    debug_assert!(!module.is_null(), "a module");
    // SAFETY: the caller vouches for a module that lives at least as long as the reference, and modules are never
    // written to.
    unsafe { &*module }
}

/// A module or a gadget that the program owns from now on; null for none.
pub(crate) fn boxed<T>(value: Option<T>) -> *mut T {
    value.map_or(std::ptr::null_mut(), |value| Box::into_raw(Box::new(value)))
}

/// Gives back what [`boxed`] made.
///
/// # Safety
/// The pointer is from [`boxed`], and not used any more; or null.
pub(crate) unsafe fn unboxed<T>(p: *mut T) {
    if !p.is_null() {
        // SAFETY: the caller vouches that `p`, which isn't null, is from `boxed`, that is from `Box::into_raw`, of the
        // same type, and is not used any more.
        drop(unsafe { Box::from_raw(p) });
    }
}

/// The base of digits of `log2` bits. Ends the process where there is none.
pub(crate) fn base(log2: u64) -> Base {
    let base = u32::try_from(log2).ok().and_then(|log2| Base::new(log2).ok());
    base.unwrap_or_else(|| panic!("base 2^{log2}: digits have 2 to 62 bits"))
}

/// A vector of C: its polynomials are slices.
#[derive(Clone, Copy)]
pub(crate) struct Vector<T> {
    pub at: *const T,
    pub size: u64,
    pub stride: u64,
}

impl<T: Copy> Vector<T> {
    pub fn new(at: *const T, size: u64, stride: u64) -> Self {
        Self { at, size, stride }
    }

    /// The addresses from its first polynomial's start to its last one's end, each of `n` words.
    pub fn addresses(self, n: usize) -> Range<usize> {
        let start = self.at as usize;
        let words = if self.size == 0 { 0 } else { (self.size - 1) as usize * self.stride as usize + n };
        start..start + words * size_of::<T>()
    }

    /// The vector's polynomials, to write to.
    ///
    /// # Safety
    /// The memory is writable for the polynomials, which don't overlap, and nothing else refers to it for `'a`.
    pub unsafe fn outputs<'a>(self, n: usize) -> Vec<&'a mut [T]> {
        debug_assert!(self.size == 0 || !self.at.is_null(), "a vector");
        debug_assert!(self.size < 2 || self.stride as usize >= n, "polynomials of {n} words, {} apart", self.stride);
        let at = self.at.cast_mut();
        // SAFETY: the caller vouches for `size` writable polynomials of `n` words, `stride` words apart, that nothing
        // else refers to for `'a`; polynomial `j < size` begins `j·stride` words from the first.
        let polynomial = |j: u64| unsafe { std::slice::from_raw_parts_mut(at.add((j * self.stride) as usize), n) };
        (0..self.size).map(polynomial).collect()
    }

    /// The vector's polynomials, copied where they overlap a result of polynomials of as many words.
    ///
    /// # Safety
    /// The memory is readable for the polynomials for `'a`, but for what overlaps the result.
    pub unsafe fn inputs<'a, R: Copy>(self, n: usize, result: Vector<R>) -> Vec<Cow<'a, [T]>> {
        // SAFETY: the caller vouches for readable polynomials; a result's addresses are computed from its fields alone,
        // and not read.
        unsafe { self.inputs_beside(n, result.addresses(n)) }
    }

    /// The vector's polynomials, copied where they overlap the addresses of a result.
    ///
    /// # Safety
    /// As [`Vector::inputs`].
    pub unsafe fn inputs_beside<'a>(self, n: usize, result: Range<usize>) -> Vec<Cow<'a, [T]>> {
        debug_assert!(self.size == 0 || !self.at.is_null(), "a vector");
        let own = self.addresses(n);
        let overlap = own.start < result.end && result.start < own.end;
        let polynomial = |j: u64| {
            // SAFETY: the caller vouches for `size` readable polynomials of `n` words, `stride` words apart. A slice of
            // what overlaps the result ends with its copy, before anybody writes to the result; the others may live for
            // `'a`.
            let slice = unsafe { std::slice::from_raw_parts(self.at.add((j * self.stride) as usize), n) };
            if overlap { Cow::Owned(slice.to_vec()) } else { Cow::Borrowed(slice) }
        };
        (0..self.size).map(polynomial).collect()
    }
}

/// `out_j = f(a_j)`, and 0 for what `a` lacks.
pub(crate) fn each<T, R: Copy + Default>(out: &mut [&mut [R]], a: &[&[T]], mut f: impl FnMut(&mut [R], &[T])) {
    for (j, out) in out.iter_mut().enumerate() {
        match a.get(j) {
            Some(a) => f(out, a),
            None => out.fill(R::default()),
        }
    }
}

/// A result and an operand of so many numbers, which is copied where they overlap.
///
/// # Safety
/// As [`Vector::outputs`] and [`Vector::inputs`].
pub(crate) unsafe fn numbers<'a, T: Copy, R: Copy>(
    (res, res_size): (*mut R, u64),
    (a, a_size): (*const T, u64),
) -> (&'a mut [R], Cow<'a, [T]>) {
    let (result, a) =
        (Vector::new(res.cast_const(), u64::from(res_size > 0), 0), Vector::new(a, u64::from(a_size > 0), 0));
    // SAFETY: the caller vouches for `res_size` writable numbers and `a_size` readable ones, each as one polynomial of
    // so many words, or none; `a` is copied where it overlaps the result before `outputs` borrows that.
    unsafe {
        let a = a.inputs_beside(a_size as usize, result.addresses(res_size as usize)).pop();
        (result.outputs(res_size as usize).pop().unwrap_or_default(), a.unwrap_or_default())
    }
}

/// Slices of what may be copies.
pub(crate) fn views<'a, T: Clone>(all: &'a [Cow<'_, [T]>]) -> Vec<&'a [T]> {
    all.iter().map(|x| &**x).collect()
}

/// A transform's or big vector's words: `width` slices of each of `size` polynomials.
pub(crate) fn words<T>(module: &Module, p: *const T, size: u64) -> Vector<u64> {
    Vector::new(p.cast(), size * module.width() as u64, module.n() as u64)
}

/// A module of degree `n`, or null where there is none: `n` is a power of two from 8 to `2^16`, or to `2^17` for
/// `NTT120`.
#[unsafe(no_mangle)]
pub extern "C" fn new_module_info(n: u64, mode: u32) -> *mut ModuleInfo {
    if !n.is_power_of_two() {
        return std::ptr::null_mut();
    }
    let transform = if mode == FFT64 && n >= 256 { Transform::Doubles } else { Transform::ThreePrimes };
    let fits = mode != FFT64 || n <= 1 << 16;
    boxed(Module::new(n.ilog2(), transform).ok().filter(|_| fits).map(ModuleInfo))
}

/// Gives a module back.
///
/// # Safety
/// The pointer is from [`new_module_info`], and not used any more; or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn delete_module_info(module: *mut ModuleInfo) {
    // SAFETY: the program vouches that the module is null or from `new_module_info`, which makes it by `boxed`, and not
    // used any more.
    unsafe { unboxed(module) }
}

/// The degree.
///
/// # Safety
/// The module is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn module_get_n(m: *const ModuleInfo) -> u64 {
    // SAFETY: the program vouches that the module is from `new_module_info` and not deleted.
    unsafe { module(m) }.n() as u64
}

/// Objects of a kind of modules: the functions that tell their bytes, make one, and give one back.
macro_rules! objects {
    ($info:ty: $($(#[$about:meta])* $object:ident: $bytes:ident, $new:ident, $delete:ident($($size:ident),*) = |$m:ident| $value:expr;)*) => {$(
        $(#[$about])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $object {
            _opaque: [u8; 0],
        }

        /// Bytes of such an object.
        ///
        /// # Safety
        /// The module is one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $bytes(module_info: *const $info $(, $size: u64)*) -> u64 {
            // SAFETY: the program vouches that the module is from the function that makes such modules, and not
            // deleted.
            let $m = unsafe { $crate::memory::module(module_info) };
            $value as u64
        }

        /// A new object, or null where there is no memory.
        ///
        /// # Safety
        /// The module is one.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $new(module_info: *const $info $(, $size: u64)*) -> *mut $object {
            // SAFETY: the program vouches for a live module, which is all that the function for bytes asks for.
            $crate::memory::allocate(unsafe { $bytes(module_info $(, $size)*) })
        }

        /// Gives an object back.
        ///
        /// # Safety
        /// The pointer is from this library, and not used any more; or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $delete(object: *mut $object) {
            // SAFETY: the program vouches that the object is null or from the function above, whose memory is from
            // `allocate`, and not used any more.
            unsafe { $crate::memory::release(object) }
        }
    )*};
}
pub(crate) use objects;

objects! { ModuleInfo:
    /// A vector in the transform domain.
    VecZnxDft: bytes_of_vec_znx_dft, new_vec_znx_dft, delete_vec_znx_dft(size)
        = |m| size as usize * m.width() * m.n() * 8;
    /// A vector of big coefficients.
    VecZnxBig: bytes_of_vec_znx_big, new_vec_znx_big, delete_vec_znx_big(size)
        = |m| size as usize * m.width() * m.n() * 8;
    /// A prepared scalar.
    SvpPpol: bytes_of_svp_ppol, new_svp_ppol, delete_svp_ppol() = |m| m.width() * m.n() * 8;
    /// A prepared matrix.
    VmpPmat: bytes_of_vmp_pmat, new_vmp_pmat, delete_vmp_pmat(nrows, ncols)
        = |m| m.matrix_nbytes(nrows as usize, ncols as usize);
}

/// Types of objects without functions of their own for memory.
macro_rules! opaque {
    ($($(#[$about:meta])* $object:ident;)*) => {$(
        $(#[$about])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $object {
            _opaque: [u8; 0],
        }
    )*};
}

opaque! {
    /// A vector prepared for products with matrices: of the bytes of a [`VecZnxDft`].
    VmpPvec;
    /// A left operand of a convolution, prepared: of the bytes of a [`VecZnxDft`].
    CnvPvecL;
    /// A right operand of a convolution, prepared: of the bytes of a [`VecZnxDft`].
    CnvPvecR;
}
