//! The choices of writing and reading.

/// Whether a key's masks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// Half the size: their seed is.
    #[default]
    Seeded,
    /// They are: a mapped key then computes without expanding them.
    Expanded,
}

/// The choices of making an object from a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Loading {
    /// Checks every byte and every residue even of a mapped file.
    pub verify: bool,
    /// Copies a mapped key into memory (on huge pages, where there are) instead of computing from the map.
    pub in_memory: bool,
    /// Expands the masks of seeded keys.
    pub expand: bool,
}
