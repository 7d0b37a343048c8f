//! The forms that most methods of [`Vector`](super::vector::Vector) have for x86's vectors: a few intrinsics.

/// Functions of pointers, words and constants.
macro_rules! functions {
    ($($name:ident($($arg:ident: $type:ty),*) -> $out:ty = $value:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name($($arg: $type),*) -> $out {
            // SAFETY: the contract of `Vector`.
            unsafe { $value }
        }
    )*};
}

/// Methods that are one intrinsic on registers.
macro_rules! arithmetic {
    ($($name:ident($($arg:ident),*) = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $arg: Self)*) -> Self {
            // SAFETY: the contract of `Vector`: whoever made `self` knew that the CPU has the instructions.
            Self(unsafe { $intrinsic(self.0 $(, $arg.0)*) })
        }
    )*};
}

pub(super) use {arithmetic, functions};
