//! What objects belong to.

use crate::Error;

/// The parameters and the secret of an object. Both are public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The fingerprint of the parameters.
    pub parameters: u64,
    /// The secret's name.
    pub secret_id: u64,
}

impl Origin {
    /// Refuses an argument of other parameters, or of another secret, than this one.
    ///
    /// # Errors
    /// [`Error::OtherParameters`], [`Error::ForeignKey`].
    pub fn require(&self, op: &'static str, what: &'static str, found: Self) -> Result<(), Error> {
        if found.parameters != self.parameters {
            return Err(Error::OtherParameters { op, what });
        }
        let (found, expected) = (found.secret_id, self.secret_id);
        if found == expected { Ok(()) } else { Err(Error::ForeignKey { op, what, found, expected }) }
    }
}

/// Names numbers, given as text: keys, ciphertexts and files of others are refused.
pub(crate) fn fingerprint(text: &str) -> u64 {
    // FNV-1a, not for security, only for telling sets apart.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
