//! The forms that most methods of vectors have on x86: a few intrinsics.

/// Functions of pointers, words and constants.
macro_rules! functions {
    ($($name:ident($($arg:ident: $type:ty),*) -> $out:ty = $value:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($arg: $type),*) -> $out {
            // SAFETY: the caller of a `Vector`'s function vouches that the CPU has its instructions, and that its
            // pointers are readable for the lanes; loads are unaligned ones.
            unsafe { $value }
        }
    )*};
}

/// Methods that are one intrinsic on registers.
macro_rules! arithmetic {
    ($($name:ident($($arg:ident),*) = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $arg: Self)*) -> Self {
            // SAFETY: `self` is proof that the CPU has the instructions: a `Vector` is made only by functions whose
            // callers vouch for them. Registers are all that the intrinsic touches.
            Self(unsafe { $intrinsic(self.0 $(, $arg.0)*) })
        }
    )*};
}

pub(crate) use {arithmetic, functions};
