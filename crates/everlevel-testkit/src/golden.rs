//! Golden tests: objects made from fixed seeds, compared with the digests of earlier versions.

/// Digests of named objects, in the order in which they were made.
#[derive(Debug, Default)]
pub struct Golden(Vec<(String, String)>);

impl Golden {
    /// Adds an object's bytes.
    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        self.0.push((name.into(), blake3::hash(bytes).to_hex()[..24].into()));
    }

    /// Adds words, little-endian.
    pub fn add_words(&mut self, name: &str, words: impl IntoIterator<Item = u64>) {
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        self.add(name, &bytes);
    }

    /// Asserts that names and digests are those of `expected`: a line for each, `name digest`.
    ///
    /// # Panics
    /// With all lines that were found, where one differs.
    pub fn assert(&self, expected: &str) {
        let lines: Vec<String> = self.0.iter().map(|(name, digest)| format!("{name} {digest}")).collect();
        let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let changed: Vec<&String> = lines.iter().filter(|line| !expected.contains(&line.as_str())).collect();
        assert!(lines == expected, "golden objects changed: {changed:#?}\nall that was found:\n{}", lines.join("\n"));
    }
}
