//! Marks of what is secret and what is not, for the check of compiled code (`make test-secrets`).
//!
//! Built with `--cfg everlevel_memcheck` and run under Valgrind's memcheck, secret bytes are marked as undefined, as
//! ctgrind does it: memcheck follows them through every operation and reports each branch and each address that depends
//! on them. [`declassified`] says where a value that came from secrets is public, and each call says why. In every
//! other build both functions do nothing.

/// The value, which is public from here on although it was computed from secrets.
#[inline(always)]
pub fn declassified<T>(value: T) -> T {
    #[cfg(everlevel_memcheck)]
    let value = {
        let mut value = value;
        memcheck::mark(memcheck::DEFINED, std::slice::from_mut(&mut value));
        value
    };
    value
}

/// Declares values public in place, as [`declassified`] does for one that it returns.
#[inline(always)]
#[cfg_attr(not(everlevel_memcheck), allow(unused_variables))]
pub fn declassify<T>(values: &[T]) {
    #[cfg(everlevel_memcheck)]
    memcheck::mark(memcheck::DEFINED, values);
}

/// Overwrites the stack below the caller's frame, where functions that have returned left copies of what they worked
/// on: hashes of a file, states of generators, values that moved. Whoever reads, draws or writes a secret calls this
/// last.
#[inline(never)]
pub fn erase_stack() {
    let mut dead = [0u8; ERASED_BYTES];
    zeroize::Zeroize::zeroize(&mut dead);
}

/// More than the frames of what works on seeds have together.
const ERASED_BYTES: usize = 64 << 10;

/// Marks values as secret.
#[cfg(everlevel_memcheck)]
pub fn classify<T>(values: &mut [T]) {
    memcheck::mark(memcheck::UNDEFINED, values);
}

/// Whether Valgrind runs this program, so that marks have a meaning.
#[cfg(everlevel_memcheck)]
pub fn is_checked() -> bool {
    memcheck::request([memcheck::RUNNING, 0, 0]) != 0
}

#[cfg(everlevel_memcheck)]
mod memcheck {
    //! Valgrind's client requests, as `valgrind.h` and `memcheck.h` (which are under a BSD licence) define them.

    #[cfg(not(target_arch = "x86_64"))]
    compile_error!("the check of secrets is written for x86-64");

    /// `VG_USERREQ__RUNNING_ON_VALGRIND`.
    pub(super) const RUNNING: usize = 0x1001;
    /// `VG_USERREQ__MAKE_MEM_UNDEFINED`.
    pub(super) const UNDEFINED: usize = ((b'M' as usize) << 24) + ((b'C' as usize) << 16) + 1;
    /// `VG_USERREQ__MAKE_MEM_DEFINED`.
    pub(super) const DEFINED: usize = UNDEFINED + 1;

    pub(super) fn mark<T>(request: usize, values: &[T]) {
        self::request([request, values.as_ptr().expose_provenance(), size_of_val(values)]);
    }

    /// A client request: rotations that cancel and an exchange of a register with itself, which Valgrind knows and
    /// every processor ignores.
    #[inline(never)]
    pub(super) fn request([request, first, second]: [usize; 3]) -> usize {
        let arguments = [request, first, second, 0, 0, 0];
        let mut result = 0;
        // SAFETY: no register but rdx is changed. The request changes memcheck's own records alone.
        unsafe {
            std::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") arguments.as_ptr(),
                inout("rdx") result,
                options(nostack),
            );
        }
        result
    }
}
