//! Containers whose checksums are right, whatever else is wrong with them.

use serde_json::Value;
use serde_json::de::IoRead;

/// Tensors start, and headers end, at multiples of this.
const ALIGNMENT: usize = 256;
/// Hexadecimal digits of a checksum.
const DIGITS: usize = 64;
/// Most bytes that tensors are filled up to.
const MAX_DATA: usize = 4 << 20;
/// Comes before a checksum of the header.
const HEADER_CHECKSUM: &str = "\"checksum\":\"";

/// The container that these bytes were meant to be: its length, padding and checksums are put right, and data that the
/// tensors lack are zeros. What is one already stays as it is.
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    let (text, mut data) = parts(bytes);
    let mut text = text.to_vec();
    if let Ok(Value::Object(entries)) = serde_json::from_slice(&text) {
        let tensors: Vec<(&String, [usize; 2])> = entries.iter().filter_map(|(n, e)| Some((n, range(e)?))).collect();
        let end = tensors.iter().map(|(_, [_, end])| *end).max().unwrap_or_default();
        data.resize(if end <= MAX_DATA { end.max(data.len()) } else { data.len() }, 0);
        for (name, [start, end]) in tensors {
            let Some(tensor) = data.get(start..end) else { continue };
            let marker = format!("{}:\"", Value::from(format!("blake3:{name}")));
            put(&mut text, marker.as_bytes(), blake3::hash(tensor).to_hex().as_bytes());
        }
    }
    let padded = (8 + text.len()).next_multiple_of(ALIGNMENT);
    let mut sealed = ((padded - 8) as u64).to_le_bytes().to_vec();
    sealed.extend(text);
    sealed.resize(padded, b' ');
    put(&mut sealed, HEADER_CHECKSUM.as_bytes(), &[b'0'; DIGITS]);
    let checksum = blake3::hash(&sealed).to_hex();
    put(&mut sealed, HEADER_CHECKSUM.as_bytes(), checksum.as_bytes());
    sealed.extend(data);
    sealed
}

/// The header's text without padding, and the data: by the length, where it fits, or by where the JSON ends.
fn parts(bytes: &[u8]) -> (&[u8], Vec<u8>) {
    let Some((length, rest)) = bytes.split_first_chunk() else { return (bytes, Vec::new()) };
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    if length.checked_add(8).is_some_and(|end| end.is_multiple_of(ALIGNMENT) && end <= bytes.len()) {
        let (text, data) = rest.split_at(length);
        return (text.trim_ascii_end(), data.to_vec());
    }
    let mut values = serde_json::StreamDeserializer::<_, Value>::new(IoRead::new(rest));
    match values.next() {
        Some(Ok(_)) => {
            let (text, data) = rest.split_at(values.byte_offset());
            (text, data.trim_ascii_start().to_vec())
        }
        _ => (rest.trim_ascii_end(), Vec::new()),
    }
}

/// A tensor's range.
fn range(entry: &Value) -> Option<[usize; 2]> {
    let at = |i: usize| usize::try_from(entry.get("data_offsets")?.get(i)?.as_u64()?).ok();
    Some([at(0)?, at(1)?])
}

/// Writes over what follows a marker.
fn put(text: &mut [u8], marker: &[u8], value: &[u8]) {
    let Some(at) = text.windows(marker.len()).position(|window| window == marker) else { return };
    if let Some(place) = text.get_mut(at + marker.len()..).and_then(|rest| rest.get_mut(..value.len())) {
        place.copy_from_slice(value);
    }
}
