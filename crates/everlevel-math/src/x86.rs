//! The forms that most methods of vectors have on x86: a few intrinsics.

/// Functions of pointers, words and constants.
macro_rules! functions {
    ($($name:ident($($arg:ident: $type:ty),*) -> $out:ty = $value:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($arg: $type),*) -> $out {
            // SAFETY: the contract of the trait `Vector` that is implemented.
            unsafe { $value }
        }
    )*};
}

/// Methods that are one intrinsic on registers.
macro_rules! arithmetic {
    ($($name:ident($($arg:ident),*) = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $arg: Self)*) -> Self {
            // SAFETY: the contract of that trait: whoever made `self` knew that the CPU has the instructions.
            Self(unsafe { $intrinsic(self.0 $(, $arg.0)*) })
        }
    )*};
}

pub(crate) use {arithmetic, functions};
