//! Functions of the same arguments, from a line for each.

/// Functions of one vector: `|m, out, a|` are the module, and slices of the result's and the operand's polynomials.
macro_rules! of_one {
    ($info:ty, $from:ty => $to:ty: $(
        $(#[$about:meta])* $name:ident($($extra:ident: $type:ty),*) = |$m:pat_param, $out:ident, $a:ident| $work:expr;
    )*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            m: *const $info,
            $($extra: $type,)*
            res: *mut $to,
            res_size: u64,
            res_sl: u64,
            a: *const $from,
            a_size: u64,
            a_sl: u64,
        ) {
            use $crate::memory::{Vector, module, views};
            // SAFETY: the program vouches for the pointers: `m` is a live module, `res` is writable and `a` readable
            // for their polynomials. `inputs` copies what overlaps the result before `outputs` borrows it.
            unsafe {
                let m = module(m);
                let (n, result) = (m.n(), Vector::new(res.cast_const(), res_size, res_sl));
                let a = Vector::new(a, a_size, a_sl).inputs(n, result);
                let ($m, $out, $a) = (m, &mut result.outputs(n)[..], &views(&a)[..]);
                $work;
            }
        }
    )*};
}
pub(crate) use of_one;

/// Functions of two vectors: `|out, a, b|` are slices of their polynomials.
macro_rules! of_two {
    ($info:ty, $word:ty: $($(#[$about:meta])* $name:ident = |$out:ident, $a:ident, $b:ident| $work:expr;)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// The [contract](crate#safety) of this crate's functions.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            m: *const $info,
            res: *mut $word,
            res_size: u64,
            res_sl: u64,
            a: *const $word,
            a_size: u64,
            a_sl: u64,
            b: *const $word,
            b_size: u64,
            b_sl: u64,
        ) {
            use $crate::memory::{Vector, module, views};
            // SAFETY: the program vouches for the pointers: `m` is a live module, `res` is writable, `a` and `b` are
            // readable for their polynomials. `inputs` copies what overlaps the result before `outputs` borrows it.
            unsafe {
                let (n, result) = (module(m).n(), Vector::new(res.cast_const(), res_size, res_sl));
                let a = Vector::new(a, a_size, a_sl).inputs(n, result);
                let b = Vector::new(b, b_size, b_sl).inputs(n, result);
                let ($out, $a, $b) = (&mut result.outputs(n)[..], &views(&a)[..], &views(&b)[..]);
                $work;
            }
        }
    )*};
}
pub(crate) use of_two;

/// Bytes of scratch, of which none are needed: 64, so that programs get a pointer from their allocator.
pub(crate) const SCRATCH: u64 = 64;

/// Functions that say how much scratch another one needs.
macro_rules! scratch {
    ($info:ty: $($name:ident($($size:ident),*);)*) => {$(
        /// Bytes of scratch.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(_m: *const $info $(, $size: u64)*) -> u64 {
            $(let _ = $size;)*
            $crate::functions::SCRATCH
        }
    )*};
}
pub(crate) use scratch;
