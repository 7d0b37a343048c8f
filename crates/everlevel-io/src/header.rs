//! The header's text: each tensor's place, and the object's metadata.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use serde::Deserialize;

use crate::{ALIGNMENT, Error, MAX_HEADER_BYTES, VERSION};

/// The beginning of every header, up to the version.
const BEGINNING: &str = r#"{"__metadata__":{"format":"everlevel/"#;
/// The text between the version and the header's checksum.
const BEFORE_CHECKSUM: &str = r#"","checksum":""#;
/// Hexadecimal digits of a checksum.
const DIGITS: usize = 64;
/// Bytes of the length.
const LENGTH: usize = size_of::<u64>();
/// The beginning of the name of a tensor's checksum among the metadata.
const TENSOR_CHECKSUM: &str = "blake3:";

/// A tensor's place in the file, and its checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Sizes of its dimensions; elements are bytes.
    pub shape: Vec<usize>,
    /// The tensor's bytes, counted from the start of the data.
    pub range: Range<usize>,
    /// BLAKE3, in hexadecimal; none of a container in transit.
    pub checksum: Option<String>,
}

/// A header, read and checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The object's metadata, its `kind` among them.
    pub metadata: BTreeMap<String, String>,
    /// The tensors' places, by name.
    pub tensors: BTreeMap<String, Place>,
    /// Offset of the data in the file.
    pub(crate) data_start: usize,
}

/// A tensor's entry, as safetensors spells it.
#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// The bytes before the data: the length and the padded header.
pub(crate) fn write(metadata: &BTreeMap<String, String>, tensors: &[(&str, &Place)]) -> Vec<u8> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = format!("{BEGINNING}{VERSION}{BEFORE_CHECKSUM}{}\"", "0".repeat(DIGITS));
    for (name, value) in metadata {
        let _ = write!(text, ",{}:{}", quoted(name), quoted(value));
    }
    for (name, place) in tensors {
        if let Some(checksum) = &place.checksum {
            let _ = write!(text, ",{}:\"{checksum}\"", quoted(&format!("{TENSOR_CHECKSUM}{name}")));
        }
    }
    text.push('}');
    for (name, Place { shape, range, .. }) in tensors {
        let offsets = [range.start, range.end];
        let _ = write!(text, ",{}:{{\"dtype\":\"U8\",\"shape\":{shape:?},\"data_offsets\":{offsets:?}}}", quoted(name));
    }
    text.push('}');
    let padded = (LENGTH + text.len()).next_multiple_of(ALIGNMENT);
    let mut bytes = ((padded - LENGTH) as u64).to_le_bytes().to_vec();
    bytes.extend(text.into_bytes());
    bytes.resize(padded, b' ');
    let at = LENGTH + BEGINNING.len() + VERSION.to_string().len() + BEFORE_CHECKSUM.len();
    let checksum = blake3::hash(&bytes).to_hex();
    bytes[at..at + DIGITS].copy_from_slice(checksum.as_bytes());
    bytes
}

/// Reads and checks the header at the start of a file of `file_len` bytes, of which `bytes` are the first (all of the
/// header's, or all that there are). In transit alone tensors have no checksums.
pub(crate) fn read(bytes: &[u8], file_len: u64, in_transit: bool) -> Result<Header, Error> {
    let beginning = bytes.get(LENGTH..).unwrap_or_default();
    let known = beginning.len().min(BEGINNING.len());
    if beginning[..known] != BEGINNING.as_bytes()[..known] {
        let shown = &bytes[..bytes.len().min(LENGTH + BEGINNING.len())];
        return Err(Error::Foreign { found: format!("{:?}", String::from_utf8_lossy(shown)) });
    }
    let truncated = |what, needed| Error::Truncated { what, needed, found: file_len };
    let (first, _) = bytes.split_first_chunk().ok_or(truncated("the header's length", LENGTH as u64))?;
    let length = u64::from_le_bytes(*first);
    if length > MAX_HEADER_BYTES {
        return Err(Error::HeaderTooLarge { found: length, limit: MAX_HEADER_BYTES });
    }
    let data_start = LENGTH + length as usize;
    let header = bytes.get(LENGTH..data_start).ok_or(truncated("the header", data_start as u64))?;

    let after = header.get(BEGINNING.len()..).unwrap_or_default();
    let version = after.split(|&b| b == b'"').next().unwrap_or_default();
    let version = String::from_utf8_lossy(version);
    match version.parse::<u32>() {
        Ok(VERSION) => {}
        Ok(found) if found > VERSION => return Err(Error::NewerFormat { found, supported: VERSION }),
        _ => return Err(Error::header("format", format!("everlevel/{version:.20}"), format!("everlevel/{VERSION}"))),
    }
    check(bytes, data_start, BEGINNING.len() + version.len())?;
    if !data_start.is_multiple_of(ALIGNMENT) {
        return Err(Error::header("length", length, format!("{ALIGNMENT} times a whole number, less {LENGTH}")));
    }
    let mut header = parse(header, in_transit)?;
    header.data_start = data_start;
    header.check_layout(file_len.saturating_sub(data_start as u64))?;
    Ok(header)
}

/// The checksum of a tensor, on the threads of the pool that the caller runs in. A caller in no pool has one thread:
/// the pool that would be made for it has all of the machine's, and a forked process would wait for its parent's.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    match rayon::current_thread_index() {
        Some(_) => hasher.update_rayon(bytes),
        None => hasher.update(bytes),
    };
    hasher.finalize().to_hex().to_string()
}

/// Compares the header's checksum, whose digits were zeros when it was computed.
fn check(bytes: &[u8], data_start: usize, after_version: usize) -> Result<(), Error> {
    let at = LENGTH + after_version + BEFORE_CHECKSUM.len();
    let missing = || Error::header("checksum", "missing", format!("{DIGITS} hexadecimal digits after the format"));
    if at + DIGITS > data_start || &bytes[LENGTH + after_version..at] != BEFORE_CHECKSUM.as_bytes() {
        return Err(missing());
    }
    let digits = &bytes[at..at + DIGITS];
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes[..at]).update(&[b'0'; DIGITS]).update(&bytes[at + DIGITS..data_start]);
    let found = hasher.finalize().to_hex();
    if digits == found.as_bytes() {
        return Ok(());
    }
    let expected = String::from_utf8_lossy(digits).into_owned();
    Err(Error::Checksum { part: "the header".into(), expected, found: found.to_string() })
}

fn parse(header: &[u8], in_transit: bool) -> Result<Header, Error> {
    let bad = |what: &str, found: &dyn std::fmt::Display, needed: &str| Error::header(what, found, needed);
    let mut entries: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(header).map_err(|e| bad("text", &e, "a JSON object"))?;
    let metadata = entries.remove("__metadata__").unwrap_or_default();
    let mut metadata: BTreeMap<String, String> =
        serde_json::from_value(metadata).map_err(|e| bad("__metadata__", &e, "an object of strings"))?;
    let mut tensors = BTreeMap::new();
    for (name, entry) in entries {
        let Entry { dtype, shape, data_offsets: [start, end] } =
            serde_json::from_value(entry).map_err(|e| bad(&name, &e, "dtype, shape and data_offsets"))?;
        if dtype != "U8" {
            return Err(bad(&format!("dtype of {name}"), &dtype, "U8"));
        }
        let checksum = metadata.remove(&format!("{TENSOR_CHECKSUM}{name}"));
        let found = checksum.as_deref().unwrap_or_default();
        if !in_transit && found.len() != DIGITS {
            return Err(bad(&format!("checksum of {name}"), &found, "64 hexadecimal digits"));
        }
        let checksum = if in_transit { None } else { checksum };
        tensors.insert(name, Place { shape, range: start..end, checksum });
    }
    metadata.retain(|name, _| name != "format" && name != "checksum");
    Ok(Header { metadata, tensors, data_start: 0 })
}

impl Header {
    /// Tensors in the order of their bytes.
    pub fn in_order(&self) -> Vec<(&str, &Place)> {
        let mut tensors: Vec<(&str, &Place)> = self.tensors.iter().map(|(name, place)| (&**name, place)).collect();
        tensors.sort_by_key(|(_, place)| (place.range.start, place.range.end));
        tensors
    }

    /// Tensors follow one another from the first byte of the data to the last, at aligned places, each as long as its
    /// shape says.
    fn check_layout(&self, data_len: u64) -> Result<(), Error> {
        let mut next = 0;
        for (name, Place { shape, range, .. }) in self.in_order() {
            let refuse = |needed: String| Error::Layout {
                tensor: name.into(),
                begin: range.start as u64,
                end: range.end as u64,
                data_len,
                needed,
            };
            let size = shape.iter().try_fold(1usize, |size, &d| size.checked_mul(d));
            if range.start != next {
                return Err(refuse(format!("and the one before it ends at {next}")));
            }
            if size.is_none() || range.start.checked_add(size.unwrap_or_default()) != Some(range.end) {
                return Err(refuse(format!("and its shape is {shape:?}")));
            }
            if !range.start.is_multiple_of(ALIGNMENT) {
                return Err(refuse(format!("and should begin at a multiple of {ALIGNMENT}")));
            }
            next = range.end;
        }
        if next as u64 > data_len {
            let needed = (self.data_start as u64).saturating_add(next as u64);
            return Err(Error::Truncated { what: "the data", needed, found: self.data_start as u64 + data_len });
        }
        if (next as u64) < data_len {
            return Err(Error::Layout {
                tensor: "after the last".into(),
                begin: next as u64,
                end: data_len,
                data_len,
                needed: "and nothing should".into(),
            });
        }
        Ok(())
    }
}
