//! Every target on every kept input: those that found a fault once, those that reach far, and files of every kind.

use std::fs;
use std::path::Path;

use everlevel_fuzz::{TARGETS, sealed::sealed};

fn files_under(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files_under(&path) } else { vec![fs::read(path).unwrap()] }).collect()
}

fn stored_files() -> Vec<Vec<u8>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    ["bfv", "ckks", "binfhe"]
        .iter()
        .flat_map(|name| files_under(&crates.join(format!("everlevel-{name}/tests/files"))))
        .collect()
}

#[test]
fn kept_inputs_find_no_fault() {
    for (name, target) in TARGETS {
        let seeds = files_under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name));
        // Those of objects are the stored files.
        assert!(!seeds.is_empty() || name.ends_with("objects"), "no seeds of {name}");
        seeds.iter().for_each(|seed| target(seed));
    }
}

#[test]
fn stored_files_find_no_fault_and_are_sealed_already() {
    // Those without their data are cut.
    let whole = |file: &Vec<u8>| everlevel_io::Container::from_bytes(file.clone()).is_ok();
    let files: Vec<Vec<u8>> = stored_files().into_iter().filter(whole).collect();
    assert!(files.len() >= 20, "{} files", files.len());
    for file in &files {
        assert!(sealed(file) == *file, "a file that was read is changed by sealing");
        TARGETS.iter().filter(|(name, _)| !name.ends_with("circuits")).for_each(|(_, target)| target(file));
    }
}

/// Sealing reaches the readers behind the checksums: a changed entry is refused for what it says.
#[test]
fn changed_headers_pass_the_checksums() {
    for file in stored_files() {
        let at = file.windows(6).position(|window| window == b"\"kind\"").expect("a kind");
        let mut changed = file.clone();
        changed[at + 8] ^= 1;
        let refused = everlevel_io::Container::from_bytes(changed.clone()).expect_err("a changed header");
        assert!(matches!(refused, everlevel_io::Error::Checksum { .. }), "{refused}");
        let container = everlevel_io::Container::from_bytes(sealed(&changed)).expect("a sealed header");
        container.verify().expect("sealed tensors");
    }
}
