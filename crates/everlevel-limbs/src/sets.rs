//! Named sets of parameters.

use crate::Error;

/// A set and its claims, which a test recomputes.
#[derive(Debug, Clone, Copy)]
pub struct Named<L> {
    /// The name.
    pub name: &'static str,
    /// The numbers.
    pub literal: L,
    /// Products of ciphertexts one after another, of CKKS of values up to 1, before the budget is used up.
    pub depth: usize,
    /// Bits of a key's modulus: what the security cap holds for.
    pub key_bits: u32,
    /// Bytes of a relinearisation key, or of one rotation's.
    pub key_nbytes: usize,
}

impl<L> Named<L> {
    /// The set of a name among some.
    ///
    /// # Errors
    /// [`Error::UnknownSet`].
    pub fn of(sets: &'static [Self], name: &str) -> Result<&'static Self, Error> {
        sets.iter()
            .find(|set| set.name == name)
            .ok_or_else(|| Error::UnknownSet { name: name.into(), known: sets.iter().map(|set| set.name).collect() })
    }
}
