//! Keys of compression and compressed lists as containers, and back.
//!
//! *A list's words* are in the tensor `list`: the number of ciphertexts, the largest value that one may hold, the
//! variance of each one's noise, the number of names that are kept of the bootstraps that led to them and the largest
//! probability that one of these failed, and the names; then the packed words, as bytes.

use everlevel_io::schema::{refuse, require};
use everlevel_io::{Builder, Container, Stored, kinds};
use everlevel_rand::Seed;
use serde::{Deserialize, Serialize};

use super::{NamedParams, add_public_key, begin, begin_ciphertexts, check, failures, read_public_key, words};
use crate::compression::{Kind, packed_len};
use crate::{CompressedList, CompressionParams, Error, Gadget, ListWidths, SeededCompressionKey, Width};

/// The seed of the masks of automorphisms' rows.
const MASK_SEED: &str = "automorphism_mask_seed";
/// The entry of a key's numbers.
const NUMBERS: &str = "compression";
/// The entry of what a list holds, and its words.
const OBJECT: &str = "object";
/// The tensor of a list.
const LIST: &str = "list";

/// The numbers of a key, which follow from the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Numbers {
    gadget: Gadget,
    widths: ListWidths,
}

impl From<&CompressionParams> for Numbers {
    fn from(params: &CompressionParams) -> Self {
        Self { gadget: params.gadget(), widths: params.widths() }
    }
}

impl Stored<NamedParams<'_>> for SeededCompressionKey {
    const KIND: &'static str = kinds::TFHE_COMPRESSION_KEY;
    type Error = Error;

    fn to_container<'a>(&self, NamedParams { name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        let mut builder = begin(Self::KIND, name, self.params().outer(), self.id());
        builder.describe_json(NUMBERS, &Numbers::from(self.params()));
        builder.describe_seed(MASK_SEED, self.mask_seed.as_bytes());
        let bytes: Vec<u8> = self.bodies.iter().flat_map(|word| word.to_le_bytes()).collect();
        builder.tensor("automorphisms", &[bytes.len()], bytes);
        add_public_key(&mut builder, self.public_key());
        Ok(builder)
    }

    fn from_container(NamedParams { params, .. }: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        let id = check(params, container, Self::KIND)?;
        let public = read_public_key(params, id, container)?;
        let own = CompressionParams::of(params)?;
        let (found, needed): (Numbers, Numbers) = (container.json(NUMBERS)?, (&own).into());
        if found != needed {
            return refuse(NUMBERS, format!("{found:?}"), format!("{needed:?}"));
        }
        let bodies = words(container.bytes_of_len("automorphisms", 8 * own.bodies_len())?);
        Self::from_parts(own, Seed::from_bytes(container.seed(MASK_SEED)?), bodies, public)
    }
}

/// The array that a list holds, and its words.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    holds: String,
    #[serde(flatten)]
    widths: ListWidths,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    width_bits: Option<u32>,
}

impl Entry {
    fn kind(&self) -> Option<Kind> {
        match (self.holds.as_str(), self.width_bits) {
            ("messages", None) => Some(Kind::Messages),
            ("bools", None) => Some(Kind::Bools),
            ("uints", Some(bits)) => Width::from_bits(bits).ok().map(Kind::Uints),
            _ => None,
        }
    }
}

impl Stored<NamedParams<'_>> for CompressedList {
    const KIND: &'static str = kinds::TFHE_COMPRESSED_LIST;
    type Error = Error;

    fn to_container<'a>(&self, NamedParams { params, name, .. }: &NamedParams<'_>) -> Result<Builder<'a>, Error> {
        let mut builder = begin_ciphertexts(Self::KIND, name, params, self.key);
        let (holds, width_bits) = match self.kind {
            Kind::Messages => ("messages", None),
            Kind::Uints(width) => ("uints", Some(width.bits())),
            Kind::Bools => ("bools", None),
        };
        builder.describe_json(OBJECT, &Entry { holds: holds.into(), widths: self.widths, width_bits });
        let (worst, names) = self.failures.parts();
        let head = [self.len as u64, self.max_value, self.variance.to_bits(), names.len() as u64, worst.to_bits()];
        let mut bytes: Vec<u8> = head.iter().chain(names).flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(&self.bytes);
        builder.tensor(LIST, &[bytes.len()], bytes);
        Ok(builder)
    }

    /// # Errors
    /// [`Error::WrongSpace`] for integers that the parameters don't have.
    fn from_container(named: &NamedParams<'_>, container: &Container) -> Result<Self, Error> {
        let (op, params) = ("read", named.params);
        let key = check(params, container, Self::KIND)?;
        let text = container.metadata(OBJECT)?;
        let entry: Option<(Kind, ListWidths)> =
            serde_json::from_str(text).ok().and_then(|entry: Entry| Some((entry.kind()?, entry.widths)));
        let Some((kind, widths)) = entry.filter(|(_, widths)| widths.are_sound()) else {
            return refuse(OBJECT, text, "the kind of an array, its width, and words of 1 to 32 bits");
        };
        let bytes = container.bytes(LIST)?;
        let Some((head, _)) = bytes.split_at_checked(8 * HEAD) else {
            return refuse("length of list", bytes.len(), format!("{} or more", 8 * HEAD));
        };
        let head = words(head);
        let names = usize::try_from(head[3]).unwrap_or(usize::MAX).min(bytes.len() / 8 - HEAD);
        let history = words(&bytes[8 * (HEAD - 2)..8 * (HEAD + names)]);
        let failures = failures(&mut history.as_slice())?;
        let packed = &bytes[8 * (HEAD + names)..];
        // Each has a bit at least: no more are promised than the file has.
        let len = usize::try_from(head[0]).ok().filter(|&len| len <= 8 * packed.len());
        let Some(len) = len.filter(|&len| packed_len(params, widths, len) == packed.len()) else {
            return refuse("ciphertexts", head[0], format!("as many as {} bytes hold", packed.len()));
        };
        let (max_value, variance) = (head[1], f64::from_bits(head[2]));
        if !(variance.is_finite() && variance >= 0.0) {
            return refuse("variance", variance, "zero or more");
        }
        let per = kind.per(op, params)?;
        let list = Self { kind, per, key, widths, len, max_value, variance, failures, bytes: packed.to_vec() };
        require("bits behind the list", u64::from(list.has_more_bits(params)), 0, 0)?;
        let max = kind.max_value(op, params)?;
        if max_value > max {
            return refuse("max_value", max_value, format!("at most {max}"));
        }
        require("ciphertexts of no integer", (len % per) as u64, 0, 0)?;
        Ok(list)
    }
}

/// Words before the names.
const HEAD: usize = 5;
