//! Fingerprints that name parameters in keys, ciphertexts and files.
//!
//! *Version 2* is the hash of a canonical encoding, which depends on the parameters' numbers and on their names in
//! files alone: it can be computed from a file's header. *Version 1* is FNV-1a of whatever text or words a scheme took
//! in 0.1. Objects and files have version 1 until 0.2; files with either are read.

use serde::Serialize;
use serde_json::Value;

/// The fingerprints of parameters, of both versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprints {
    /// Version 1, which objects and files have.
    pub v1: u64,
    /// Version 2, which files may have.
    pub v2: u64,
}

impl Fingerprints {
    /// The fingerprint of version 1 beside that of version 2 of a scheme's `numbers`: see [`canonical`].
    pub fn new(v1: u64, scheme: &str, numbers: &impl Serialize) -> Self {
        let hash = blake3::hash(canonical(scheme, numbers).as_bytes());
        let first = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
        Self { v1, v2: u64::from_le_bytes(*first) }
    }

    /// Every fingerprint that a file of these parameters may have, that of our own files first.
    pub fn all(self) -> [u64; 2] {
        [self.v1, self.v2]
    }
}

/// The canonical encoding, version 2: a line that names it, one with the scheme, and the numbers as JSON without spaces
/// in which names are sorted by their bytes and doubles are `"` and the 16 hexadecimal digits of their bits and `"`.
/// The fingerprint is the first eight bytes of its BLAKE3 hash, the lowest first.
///
/// # Panics
/// If the numbers have no JSON: numbers, names, and lists and structures of them do.
pub fn canonical(scheme: &str, numbers: &impl Serialize) -> String {
    let mut out = format!("everlevel parameters 2\n{scheme}\n");
    encode(&serde_json::to_value(numbers).expect("numbers and names are JSON"), &mut out);
    out
}

fn encode(value: &Value, out: &mut String) {
    let mut list = |brackets: [char; 2], items: Vec<(String, &Value)>| {
        out.push(brackets[0]);
        for (i, (before, item)) in items.into_iter().enumerate() {
            out.push_str(if i == 0 { "" } else { "," });
            out.push_str(&before);
            encode(item, out);
        }
        out.push(brackets[1]);
    };
    match value {
        Value::Array(items) => list(['[', ']'], items.iter().map(|item| (String::new(), item)).collect()),
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_unstable_by_key(|&(name, _)| name);
            list(['{', '}'], sorted.into_iter().map(|(name, item)| (format!("{name:?}:"), item)).collect());
        }
        Value::Number(number) if number.is_f64() => {
            let bits = number.as_f64().map_or(0, f64::to_bits);
            out.push_str(&format!("\"{bits:016x}\""));
        }
        _ => out.push_str(&value.to_string()),
    }
}

/// FNV-1a of 64 bits (Fowler, Noll and Vo, `draft-eastlake-fnv`), the hash of version 1: it has no security.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn published_vectors_are_met() {
        let vectors = [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)];
        vectors.iter().for_each(|&(text, hash)| assert_eq!(fnv1a(text.bytes()), hash, "{text}"));
    }

    #[test]
    fn the_encoding_is_as_written() {
        let numbers =
            json!({"z": [1, -2], "a": {"x": 0.5, "on": true, "kind": "sparse"}, "b": 18_446_744_073_709_551_615u64});
        let text = concat!(
            "everlevel parameters 2\ntoy\n",
            r#"{"a":{"kind":"sparse","on":true,"x":"3fe0000000000000"},"b":18446744073709551615,"z":[1,-2]}"#
        );
        assert_eq!(canonical("toy", &numbers), text);
        let found = Fingerprints::new(7, "toy", &numbers);
        // By another implementation of BLAKE3, of the text above.
        assert_eq!(found.all(), [7, 0x3688_d0f5_b906_6b5e]);
    }

    #[test]
    fn a_double_is_no_integer_and_a_scheme_no_other() {
        let of = |scheme, numbers: Value| Fingerprints::new(0, scheme, &numbers).v2;
        let ours = of("a", json!({"x": 1}));
        assert_ne!(ours, of("a", json!({"x": 1.0})));
        assert_ne!(ours, of("b", json!({"x": 1})));
        assert_ne!(ours, of("a", json!({"y": 1})));
    }
}
