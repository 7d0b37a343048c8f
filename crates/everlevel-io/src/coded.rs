//! Errors as data: a code and named values, from which a front makes sentences of its own.
//!
//! An error's own sentence (its `Display`) uses the names of the Rust library. A front in another language has other
//! names for operations and options; it looks the code up in its own table of sentences, and fills in the values.

use std::path::PathBuf;

/// An error that fronts can word.
pub trait Coded: std::fmt::Display {
    /// The kind of error, as `SCHEME.Variant`. Codes are stable: fronts look them up.
    fn code(&self) -> &'static str;

    /// The values by name, `op` (the refused operation) among them where there is one.
    fn fields(&self) -> Vec<(&'static str, Value)>;

    /// Every code of the type, those of nested types aside.
    fn codes() -> &'static [&'static str]
    where
        Self: Sized;
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number of things, or a name that is a number.
    Int(i128),
    /// A quantity.
    Float(f64),
    /// A name.
    Text(String),
    /// Several numbers.
    Ints(Vec<i128>),
    /// Several names.
    Texts(Vec<String>),
}

macro_rules! value_from {
    ($($type:ty: $x:ident => $value:expr;)*) => {
        $(impl From<&$type> for Value {
            fn from($x: &$type) -> Self {
                $value
            }
        })*
    };
}

value_from! {
    u32: x => Self::Int(i128::from(*x));
    u64: x => Self::Int(i128::from(*x));
    i64: x => Self::Int(i128::from(*x));
    usize: x => Self::Int(*x as i128);
    f64: x => Self::Float(*x);
    &'static str: x => Self::Text((*x).into());
    String: x => Self::Text(x.clone());
    PathBuf: x => Self::Text(x.display().to_string());
    Vec<i64>: x => Self::Ints(x.iter().map(|&x| x.into()).collect());
    Vec<usize>: x => Self::Ints(x.iter().map(|&x| x as i128).collect());
    Vec<&'static str>: x => Self::Texts(x.iter().map(|&x| x.into()).collect());
    std::io::Error: x => Self::Int(x.raw_os_error().map_or(0, i128::from));
}

/// Defines an enum of errors, or of notices, and implements [`Coded`] for it: variants with all of their fields, those
/// that hold another coded error (`nested`, which have that error's code and fields), and those that hold any other
/// error (`opaque`, which have no fields).
#[macro_export]
macro_rules! errors {
    (
        $(#[$about:meta])*
        pub enum $error:ident: $scheme:literal
        nested { $($(#[$of_nested:meta])* $nested:ident($inner:ty))* }
        opaque { $($(#[$of_opaque:meta])* $opaque:ident($other:ty))* }
        $($(#[$said:meta])* $variant:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* })*
    ) => {
        $(#[$about])*
        #[derive(Debug, thiserror::Error)]
        #[non_exhaustive]
        pub enum $error {
            $($(#[$said])* $variant { $($(#[$doc])* $field: $type,)* },)*
            $($(#[$of_nested])* #[error(transparent)] $nested(#[from] $inner),)*
            $($(#[$of_opaque])* #[error(transparent)] $opaque(#[from] $other),)*
        }

        impl $crate::Coded for $error {
            fn code(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => concat!($scheme, ".", stringify!($variant)),)*
                    $(Self::$nested(error) => $crate::Coded::code(error),)*
                    $(Self::$opaque(_) => concat!($scheme, ".", stringify!($opaque)),)*
                }
            }

            fn fields(&self) -> Vec<(&'static str, $crate::Value)> {
                match self {
                    $(Self::$variant { $($field),* } => vec![$((stringify!($field), $field.into())),*],)*
                    $(Self::$nested(error) => $crate::Coded::fields(error),)*
                    $(Self::$opaque(_) => Vec::new(),)*
                }
            }

            fn codes() -> &'static [&'static str] {
                &[
                    $(concat!($scheme, ".", stringify!($variant)),)*
                    $(concat!($scheme, ".", stringify!($opaque)),)*
                ]
            }
        }
    };
}
