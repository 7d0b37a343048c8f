//! The hash that names parameters in keys, ciphertexts and files.

/// FNV-1a of 64 bits (Fowler, Noll and Vo, `draft-eastlake-fnv`): it tells parameters apart, and has no security.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    #[test]
    fn published_vectors_are_met() {
        let vectors = [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)];
        vectors.iter().for_each(|&(text, hash)| assert_eq!(fnv1a(text.bytes()), hash, "{text}"));
    }
}
