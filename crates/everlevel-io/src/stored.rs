//! Objects of schemes in files.

use crate::{Builder, Container, Error};

/// An object that files of one kind hold, for contexts `C` that know its parameters.
pub trait Stored<C: ?Sized>: Sized {
    /// The kind of its files.
    const KIND: &'static str;
    /// The refusals of its scheme.
    type Error: From<Error>;

    /// The object, ready to be written.
    ///
    /// # Errors
    /// An object of other parameters, or more than there is memory for.
    fn to_container<'a>(&self, context: &C) -> Result<Builder<'a>, Self::Error>;

    /// The object in a container. Every byte is checked.
    ///
    /// # Errors
    /// Another kind or other parameters, damage, and what no writer of ours writes.
    fn from_container(context: &C, container: &Container) -> Result<Self, Self::Error>;
}
