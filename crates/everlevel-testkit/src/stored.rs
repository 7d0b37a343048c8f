//! Files that versions of the library wrote, and every later version reads.
//!
//! A crate has them in `tests/files/VERSION`, one of each kind or more: `KIND.everlevel`, `KIND.variant.everlevel`.
//! They are never written again. With `EVERLEVEL_WRITE_FILES=1` a test adds those that the folder of today's version
//! lacks, for a new version or a new kind.

use std::path::{Path, PathBuf};

use everlevel_io::{Builder, Container};

/// The ending of files' names.
const ENDING: &str = ".everlevel";

/// The files that one version wrote.
#[derive(Debug, Clone)]
pub struct StoredFiles {
    folder: PathBuf,
}

impl StoredFiles {
    /// The stored files of each version, of the crate in this folder.
    ///
    /// # Panics
    /// If there are none.
    pub fn of_each_version(crate_folder: &str) -> Vec<Self> {
        let versions = std::fs::read_dir(Path::new(crate_folder).join("tests/files")).expect("a folder of files");
        let mut folders: Vec<PathBuf> = versions.map(|entry| entry.expect("an entry").path()).collect();
        folders.sort();
        assert!(!folders.is_empty(), "files of no version");
        folders.into_iter().map(|folder| Self { folder }).collect()
    }

    /// The stored files of this version, to be written, if the environment asks for that.
    pub fn to_be_written(crate_folder: &str) -> Option<Self> {
        std::env::var_os("EVERLEVEL_WRITE_FILES")?;
        let folder = Path::new(crate_folder).join("tests/files").join(env!("CARGO_PKG_VERSION"));
        std::fs::create_dir_all(&folder).expect("a folder that can be written");
        Some(Self { folder })
    }

    /// The path of a file, by the kind of its object or by kind and variant.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{ENDING}"))
    }

    /// Writes a file, unless there is one.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn add(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        if !path.exists() {
            std::fs::write(path, bytes).expect("a file that can be written");
        }
    }

    /// The files' names without their ending, sorted.
    ///
    /// # Panics
    /// If the folder holds something else.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).expect("a folder of files");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            let name = entry.expect("an entry").file_name().into_string().expect("a name in UTF-8");
            name.strip_suffix(ENDING).expect("a container's name").to_string()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// Asserts that there is a file of each kind, and returns the names of all.
    ///
    /// # Panics
    /// With the kinds that none has.
    pub fn of_every_kind<'k>(&self, kinds: impl IntoIterator<Item = &'k str>) -> Vec<String> {
        let names = self.names();
        let has = |kind: &str| names.iter().any(|name| kind_of(name) == kind);
        let missing: Vec<&str> = kinds.into_iter().filter(|kind| !has(kind)).collect();
        assert!(missing.is_empty(), "no files in {}: {missing:?}", self.folder.display());
        names
    }
}

/// The kind in a file's name.
pub fn kind_of(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// The bytes of a container with another fingerprint of its parameters, as files of another version may have.
///
/// # Panics
/// If the bytes are no container.
pub fn with_fingerprint(bytes: &[u8], fingerprint: u64) -> Vec<u8> {
    let container = Container::from_bytes(bytes.to_vec()).expect("a container");
    let mut builder = Builder::new(container.kind().expect("a kind"));
    for (name, value) in container.header().metadata.iter().filter(|(name, _)| *name != "fingerprint") {
        builder.describe(name, value);
    }
    builder.describe_number("fingerprint", fingerprint);
    for (name, place) in container.header().in_order() {
        builder.tensor(name, &place.shape, container.bytes(name).expect("its tensors").to_vec());
    }
    builder.to_bytes()
}
