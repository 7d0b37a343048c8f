//! Typed metadata of an object: numbers, seeds and JSON; and the lengths of tensors. Each has one form and one refusal.

use std::fmt::{Debug, Display};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Builder, Container, Error};

impl Builder<'_> {
    /// Adds a 64-bit number, such as a fingerprint: `0x` and 16 hexadecimal digits.
    pub fn describe_number(&mut self, name: &str, value: u64) {
        self.describe(name, format!("{value:#018x}"));
    }

    /// Adds the seed of public values, such as masks.
    pub fn describe_seed(&mut self, name: &str, seed: &[u8; 32]) {
        self.describe(name, seed_to_text(seed));
    }

    /// Adds a value with fields, as JSON on one line.
    ///
    /// # Panics
    /// If the value has no JSON: numbers, names and lists of them do.
    pub fn describe_json(&mut self, name: &str, value: &impl Serialize) {
        self.describe(name, serde_json::to_string(value).expect("numbers and names are JSON"));
    }
}

impl Container {
    /// Reads a number that [`Builder::describe_number`] has added.
    ///
    /// # Errors
    /// [`Error::Header`].
    pub fn number(&self, name: &str) -> Result<u64, Error> {
        let text = self.metadata(name)?;
        number_from_text(text).ok_or_else(|| Error::header(name, format!("{text:.40}"), "0x and 16 hexadecimal digits"))
    }

    /// Reads a seed that [`Builder::describe_seed`] has added.
    ///
    /// # Errors
    /// [`Error::Header`].
    pub fn seed(&self, name: &str) -> Result<[u8; 32], Error> {
        seed_from_text(name, self.metadata(name)?)
    }

    /// Reads a value that [`Builder::describe_json`] has added.
    ///
    /// # Errors
    /// [`Error::Header`].
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        serde_json::from_str(self.metadata(name)?).map_err(|e| Error::header(name, e, "as this version writes it"))
    }

    /// The bytes of a tensor of a known length.
    ///
    /// # Errors
    /// [`Error::Header`].
    pub fn bytes_of_len(&self, name: &str, len: usize) -> Result<&[u8], Error> {
        let bytes = self.bytes(name)?;
        require(&format!("length of {name}"), bytes.len(), len, format!("{len} bytes"))?;
        Ok(bytes)
    }

    /// Refuses objects of another kind, and those of other parameters: of none of these fingerprints, of which the
    /// first is told.
    ///
    /// # Errors
    /// [`Error::WrongKind`], [`Error::WrongParameters`], [`Error::Header`].
    pub fn check(&self, kind: &str, fingerprints: [u64; 2]) -> Result<(), Error> {
        self.check_kind(kind)?;
        let (found, expected) = (self.number("fingerprint")?, fingerprints[0]);
        if fingerprints.contains(&found) {
            return Ok(());
        }
        Err(Error::WrongParameters { what: kind.into(), found, expected })
    }

    /// Refuses objects of another kind.
    ///
    /// # Errors
    /// [`Error::WrongKind`], [`Error::Header`].
    pub fn check_kind(&self, kind: &str) -> Result<(), Error> {
        let found = self.kind()?;
        if found == kind { Ok(()) } else { Err(Error::WrongKind { found: found.into(), expected: kind.into() }) }
    }
}

/// The number that [`Builder::describe_number`] wrote.
pub fn number_from_text(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// 32 bytes as 64 hexadecimal digits.
pub fn seed_to_text(seed: &[u8; 32]) -> String {
    seed.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The seed that [`seed_to_text`] wrote, under a name.
///
/// # Errors
/// [`Error::Header`].
pub fn seed_from_text(name: &str, text: &str) -> Result<[u8; 32], Error> {
    let digit = |at: usize| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..64).step_by(2).map(digit).collect();
    match (text.len(), bytes.and_then(|bytes| bytes.try_into().ok())) {
        (64, Some(bytes)) => Ok(bytes),
        _ => refuse(name, format!("{text:.70}"), "64 hexadecimal digits"),
    }
}

/// Refuses an entry unless it has the value that it should have; `needed` says it.
///
/// # Errors
/// [`Error::Header`].
pub fn require<T: PartialEq + Debug>(what: &str, found: T, expected: T, needed: impl Display) -> Result<(), Error> {
    if found == expected { Ok(()) } else { refuse(what, format!("{found:?}"), needed.to_string()) }
}

/// Refuses an entry unless it has the value that the reader's parameters make of it.
///
/// # Errors
/// [`Error::Unlike`].
pub fn require_own<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(Error::Unlike { what: what.into(), found: format!("{found:?}"), expected: format!("{expected:?}") })
}

/// Refuses an entry of the header.
///
/// # Errors
/// [`Error::Header`], always.
pub fn refuse<T, E: From<Error>>(what: &str, found: impl ToString, needed: impl Into<String>) -> Result<T, E> {
    Err(Error::header(what, found, needed).into())
}
