//! Containers: round trips, every way of being damaged, and bytes of any kind.

use std::path::Path;

use everlevel_io::{Access, Builder, Container, Content, Error, MAX_HEADER_BYTES, VERSION};
use proptest::prelude::*;

/// Two tensors and some metadata, with what JSON must escape.
fn sample() -> Vec<u8> {
    let mut builder = Builder::new("sample");
    builder.describe("note", "a \"quoted\"\n\u{1F511} note");
    builder.tensor("first", &[2, 256], (0..512u32).map(|i| i as u8).collect::<Vec<_>>());
    builder.tensor("last", &[5], vec![1, 2, 3, 4, 5]);
    builder.to_bytes()
}

fn read(bytes: &[u8]) -> Result<Container, Error> {
    let container = Container::from_bytes(bytes.to_vec())?;
    container.verify()?;
    Ok(container)
}

/// The header of a container with another text in it, and the checksum that belongs to it.
fn forged(from: &str, to: &str) -> Vec<u8> {
    let bytes = sample();
    let header_len = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let header = String::from_utf8(bytes[8..8 + header_len].to_vec()).expect("JSON");
    assert!(header.contains(from), "{header}");
    with_header(header.replacen(from, to, 1).trim_end(), &bytes[8 + header_len..])
}

/// A container of any header, padded, its checksum right.
fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
    let padded = (8 + header.len()).next_multiple_of(256);
    let mut bytes = ((padded - 8) as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.resize(padded, b' ');
    let marker = b"\"checksum\":\"";
    if let Some(at) = bytes.windows(marker.len()).position(|w| w == marker) {
        let at = at + marker.len();
        bytes[at..at + 64].fill(b'0');
        let checksum = blake3::hash(&bytes).to_hex();
        bytes[at..at + 64].copy_from_slice(checksum.as_bytes());
    }
    bytes.extend(data);
    bytes
}

#[test]
fn what_is_in_transit_arrives_and_is_no_file() {
    let mut builder = Builder::in_transit("sample");
    builder.describe("note", "on its way");
    builder.tensor("first", &[256], Content::Late(256, Box::new(|out| out.fill(7))));
    builder.tensor("last", &[2], vec![8, 9]);
    let bytes = builder.to_bytes();
    let container = Container::in_transit(bytes.clone()).expect("reads");
    container.verify().expect("nothing to compare");
    assert_eq!(container.metadata("note").expect("note"), "on its way");
    assert_eq!(container.bytes("first").expect("tensor"), [7; 256]);
    assert_eq!(container.bytes("last").expect("tensor"), [8, 9]);
    // Files have checksums, and what has some can be in transit.
    assert!(
        matches!(Container::from_bytes(bytes.clone()), Err(Error::Header { what, .. }) if what.contains("checksum of"))
    );
    assert_eq!(Container::in_transit(sample()).expect("reads").bytes("last").expect("tensor"), [1, 2, 3, 4, 5]);
    for cut in [0, 7, 100, bytes.len() - 1] {
        assert!(Container::in_transit(bytes[..cut].to_vec()).is_err(), "{cut} bytes");
    }
    let mut damaged = bytes;
    damaged[20] ^= 1;
    assert!(Container::in_transit(damaged).is_err());
}

#[test]
fn what_was_written_is_read() {
    let bytes = sample();
    let container = read(&bytes).expect("reads");
    assert_eq!(container.kind().expect("kind"), "sample");
    assert_eq!(container.metadata("note").expect("note"), "a \"quoted\"\n\u{1F511} note");
    assert_eq!(container.bytes("last").expect("tensor"), [1, 2, 3, 4, 5]);
    let (place, all, range) = container.tensor("first").expect("tensor");
    assert_eq!(place.shape, [2, 256]);
    assert_eq!(range.start % 256, 0);
    assert_eq!((*all).as_ref()[range], (0..512u32).map(|i| i as u8).collect::<Vec<_>>());
    assert_eq!(container.header().in_order().iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["first", "last"]);
    assert!(matches!(container.metadata("nothing"), Err(Error::Header { .. })));
    assert!(matches!(container.bytes("nothing"), Err(Error::Header { .. })));
}

#[test]
fn an_object_without_tensors_is_one() {
    let container = read(&Builder::new("empty").to_bytes()).expect("reads");
    assert_eq!(container.kind().expect("kind"), "empty");
}

#[test]
fn every_truncation_is_found() {
    let bytes = sample();
    for len in 0..bytes.len() {
        assert!(matches!(read(&bytes[..len]), Err(Error::Truncated { found, .. }) if found == len as u64), "{len}");
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let bytes = sample();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            let error = read(&flipped).expect_err("a flipped bit");
            match at {
                0..8 => assert!(
                    matches!(error, Error::Checksum { .. } | Error::Truncated { .. } | Error::HeaderTooLarge { .. }),
                    "{at}: {error}"
                ),
                8..45 => assert!(matches!(error, Error::Foreign { .. }), "{at}: {error}"),
                45 => assert!(matches!(error, Error::NewerFormat { .. } | Error::Header { .. }), "{at}: {error}"),
                46..60 => assert!(matches!(error, Error::Header { .. }), "{at}: {error}"),
                _ => assert!(matches!(error, Error::Checksum { .. }), "{at}: {error}"),
            }
        }
    }
}

#[test]
fn foreign_files_are_named_so() {
    let png = b"\x89PNG\r\n\x1a\n and so on, longer than the first words of a header";
    let safetensors = b"\x40\0\0\0\0\0\0\0{\"weights\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}} ....";
    for bytes in [&png[..], safetensors, b"hello world", &[0; 1000]] {
        assert!(matches!(read(bytes), Err(Error::Foreign { .. })), "{bytes:?}");
    }
}

#[test]
fn newer_files_are_named_so() {
    let newer = format!("everlevel/{}", VERSION + 1);
    let error = read(&forged("everlevel/1", &newer)).expect_err("newer");
    assert!(matches!(error, Error::NewerFormat { found: 2, supported: 1 }));
    assert_eq!(error.to_string(), "read: the file has format 2, this version reads up to 1; update Everlevel");
    assert!(matches!(read(&forged("everlevel/1", "everlevel/0")), Err(Error::Header { .. })));
    assert!(matches!(read(&forged("everlevel/1", "everlevel/x")), Err(Error::Header { .. })));
}

#[test]
fn a_header_without_end_is_not_read() {
    let mut bytes = sample();
    bytes[..8].copy_from_slice(&(1u64 << 60).to_le_bytes());
    assert!(matches!(read(&bytes), Err(Error::HeaderTooLarge { found, limit: MAX_HEADER_BYTES }) if found == 1 << 60));
}

#[test]
fn tensors_lie_as_they_should() {
    for (from, to) in [
        ("[512, 517]", "[256, 261]"),                  // overlaps
        ("[512, 517]", "[513, 517]"),                  // a hole, and another size
        ("[512, 517]", "[512, 511]"),                  // ends before it begins
        ("[0, 512]", "[0, 511]"),                      // not its shape
        ("[0, 512]", "[256, 512]"),                    // does not begin at the beginning
        ("[2, 256]", "[2, 255]"),                      // another shape
        ("[2, 256]", "[4294967296, 4294967296, 512]"), // a size beyond all numbers
        ("[5]", "[4]"),
    ] {
        let error = read(&forged(from, to)).expect_err(to);
        assert!(matches!(error, Error::Layout { .. }), "{to}: {error}");
    }
    let beyond = forged("[512, 517]", "[512, 617]");
    let beyond = String::from_utf8_lossy(&beyond).replace("[5]", "[105]");
    assert!(read(beyond.as_bytes()).is_err());
    let mut longer = sample();
    longer.push(0);
    assert!(matches!(read(&longer), Err(Error::Layout { .. })));
}

#[test]
fn headers_of_another_form_are_refused() {
    for (from, to) in [
        ("\"U8\"", "\"F64\""),
        ("\"dtype\"", "\"type\""),
        ("[2, 256]", "[-2, 256]"),
        ("[2, 256]", "\"2x256\""),
        ("\"kind\":\"sample\"", "\"kind\":[]"),
        ("blake3:last", "blake3:least"),
        ("}}", "}"),
    ] {
        assert!(matches!(read(&forged(from, to)), Err(Error::Header { .. })), "{to}");
    }
}

#[test]
fn messages_name_both_values_and_the_next_step() {
    let bytes = sample();
    let mut flipped = bytes.clone();
    *flipped.last_mut().expect("bytes") ^= 1;
    let message = read(&flipped).expect_err("flipped").to_string();
    assert!(message.starts_with("read: the checksum of tensor last is ") && message.contains("copy or make it again"));
    let message = read(&bytes[..bytes.len() - 1]).expect_err("short").to_string();
    assert!(message.contains(&format!("needs {} bytes, the file has {}", bytes.len(), bytes.len() - 1)), "{message}");
}

fn files_in(folder: &Path) -> usize {
    std::fs::read_dir(folder).expect("folder").count()
}

#[test]
fn files_are_read_and_mapped_alike() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sample");
    let mut builder = Builder::new("sample");
    builder.tensor("data", &[1000], vec![7; 1000]);
    assert_eq!(builder.write(&path).expect("writes"), std::fs::metadata(&path).expect("file").len());
    assert_eq!(files_in(folder.path()), 1);
    for (access, mapped) in [(Access::Auto, false), (Access::Read, false), (Access::Map, true)] {
        let container = Container::open(&path, access).expect("opens");
        container.verify().expect("whole");
        assert_eq!(container.is_mapped(), mapped);
        assert_eq!(container.bytes("data").expect("data"), [7; 1000]);
    }
    assert_eq!(Container::inspect(&path).expect("header").metadata["kind"], "sample");
    assert_eq!(std::fs::read(&path).expect("file"), builder.to_bytes());
}

#[test]
fn a_replaced_file_leaves_its_map_whole() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sample");
    let write = |value: u8| {
        let mut builder = Builder::new("sample");
        builder.tensor("data", &[1000], vec![value; 1000]);
        builder.write(&path).expect("writes");
    };
    write(1);
    let old = Container::open(&path, Access::Map).expect("opens");
    write(2);
    old.verify().expect("the old file is still there");
    assert_eq!(old.bytes("data").expect("data"), [1; 1000]);
    assert_eq!(Container::open(&path, Access::Map).expect("opens").bytes("data").expect("data"), [2; 1000]);
}

#[test]
fn a_changed_file_is_noticed() {
    use std::io::Write;
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sample");
    std::fs::write(&path, sample()).expect("writes");
    let container = Container::open(&path, Access::Map).expect("opens");
    container.check_unchanged().expect("as it was");
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("opens");
    file.write_all(&[0]).expect("grows");
    assert!(matches!(container.check_unchanged(), Err(Error::Changed { .. })));
    assert!(matches!(container.verify(), Err(Error::Changed { .. })));
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let builder = Builder::new("sample");
    let missing = builder.write(&folder.path().join("missing/sample")).expect_err("no folder");
    assert!(matches!(&missing, Error::Io { op: "write", .. }) && missing.to_string().contains("make the folder"));
    let is_folder = builder.write(folder.path()).expect_err("a folder");
    assert!(is_folder.to_string().contains("give the path of a file"), "{is_folder}");
    assert_eq!(files_in(folder.path()), 0);
}

#[test]
fn a_writer_that_fails_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sample");
    std::fs::write(&path, b"old").expect("writes");
    let full = || std::io::Error::from(std::io::ErrorKind::StorageFull);
    let failed = everlevel_io::atomic::replace(&path, false, |file| {
        std::io::Write::write_all(file, b"half of it")?;
        Err(full())
    });
    assert_eq!(failed.expect_err("full").kind(), std::io::ErrorKind::StorageFull);
    assert_eq!(std::fs::read(&path).expect("file"), b"old");
    assert_eq!(files_in(folder.path()), 1);
}

#[cfg(unix)]
#[test]
fn secrets_are_for_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("secret");
    let mut builder = Builder::new("secret");
    builder.keep_secret();
    builder.write(&path).expect("writes");
    assert_eq!(std::fs::metadata(&path).expect("file").permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_cannot_be_opened_says_why() {
    let folder = tempfile::tempdir().expect("folder");
    let missing = Container::open(&folder.path().join("missing"), Access::Auto).expect_err("nothing");
    assert!(missing.to_string().contains("check the path"), "{missing}");
    let is_folder = Container::open(folder.path(), Access::Auto).expect_err("a folder");
    assert!(is_folder.to_string().contains("give the path of a file"), "{is_folder}");
    let empty = folder.path().join("empty");
    std::fs::write(&empty, b"").expect("writes");
    for access in [Access::Auto, Access::Read, Access::Map] {
        assert!(matches!(Container::open(&empty, access), Err(Error::Truncated { found: 0, .. })));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8 * ProptestConfig::default().cases))]

    #[test]
    fn bytes_of_any_kind_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(read(&bytes).is_err());
    }

    #[test]
    fn headers_of_any_kind_do_no_harm(
        header in prop_oneof!["\\PC{0,300}", r#"(,"[a-z]{1,8}":"[a-z]{0,8}"){0,3}\}\}"#],
        data in prop_oneof![Just(Vec::new()), prop::collection::vec(any::<u8>(), 1..600)],
    ) {
        let text = format!(r#"{{"__metadata__":{{"format":"everlevel/1","checksum":"{}"{header}"#, "0".repeat(64));
        // A header of metadata alone, before no data, is a container without tensors; nothing else of these is one.
        let metadata_alone = serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(&text).is_ok_and(|h| h.len() == 1);
        prop_assert!(read(&with_header(&text, &data)).is_err() || metadata_alone && data.is_empty());
    }

    #[test]
    fn metadata_alone_is_a_container_without_data(notes in prop::collection::btree_map("[a-z]{9,12}", "[a-z]{0,8}", 0..3)) {
        let notes: String = notes.iter().map(|(name, note)| format!(r#","{name}":"{note}""#)).collect();
        let text = format!(r#"{{"__metadata__":{{"format":"everlevel/1","checksum":"{}"{notes}}}}}"#, "0".repeat(64));
        prop_assert!(read(&with_header(&text, &[])).is_ok());
        prop_assert!(read(&with_header(&text, &[0])).is_err());
    }

    #[test]
    fn tensors_anywhere_do_no_harm(
        places in prop::collection::vec((any::<u64>(), any::<u64>(), prop::collection::vec(any::<u64>(), 0..4)), 1..5),
        small in any::<bool>(),
        data in prop::collection::vec(any::<u8>(), 0..2000),
    ) {
        let limit = if small { 2048 } else { u64::MAX };
        let (mut sums, mut entries) = (String::new(), String::new());
        for (i, (begin, end, shape)) in places.iter().enumerate() {
            let (begin, end) = (begin % limit, end % limit);
            let shape: Vec<u64> = shape.iter().map(|d| d % limit).collect();
            sums += &format!(r#","blake3:t{i}":"{}""#, "0".repeat(64));
            entries += &format!(r#","t{i}":{{"dtype":"U8","shape":{shape:?},"data_offsets":[{begin},{end}]}}"#);
        }
        let zeros = "0".repeat(64);
        let text = format!(r#"{{"__metadata__":{{"format":"everlevel/1","checksum":"{zeros}"{sums}}}{entries}}}"#);
        prop_assert!(read(&with_header(&text, &data)).is_err());
    }

    #[test]
    fn spliced_files_do_no_harm(at in 0usize..2000, cut in 0usize..500, insert in prop::collection::vec(any::<u8>(), 0..500)) {
        let bytes = sample();
        let (at, mut spliced) = (at.min(bytes.len()), bytes.clone());
        spliced.splice(at..(at + cut).min(bytes.len()), insert);
        prop_assert!(spliced == bytes || read(&spliced).is_err());
    }

    #[test]
    fn tensors_of_any_bytes_come_back(first in 0usize..4, bytes in prop::collection::vec(any::<u8>(), 0..1500)) {
        let mut builder = Builder::new("any");
        builder.tensor("a", &[first, 256], vec![9; 256 * first]);
        builder.tensor("b", &[bytes.len(), 1], bytes.clone());
        let container = read(&builder.to_bytes()).expect("reads");
        prop_assert_eq!(container.bytes("a").expect("a"), vec![9; 256 * first]);
        prop_assert_eq!(container.bytes("b").expect("b"), bytes);
    }
}

/// A device's bytes may have no end, and a pipe's no beginning; and neither is what anybody means to replace.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_neither_read_nor_replaced() {
    let folder = tempfile::tempdir().expect("folder");
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    for path in [socket.as_path(), Path::new("/dev/zero")] {
        for access in [Access::Auto, Access::Read, Access::Map] {
            let error = Container::open(path, access).expect_err("no file").to_string();
            assert!(error.contains("is not a regular file; give the path of a file"), "{error}");
        }
        assert!(Container::inspect(path).is_err());
    }
    let error = Builder::new("sample").write(&socket).expect_err("no file").to_string();
    assert!(error.contains("is not a regular file; nothing was changed"), "{error}");
    assert!(std::os::unix::net::UnixStream::connect(&socket).is_ok());
}

#[test]
fn a_look_at_a_mapped_file_that_was_cut_is_the_error_and_no_signal() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("sample");
    std::fs::write(&path, sample()).expect("writes");
    let container = Container::open(&path, Access::Map).expect("opens");
    let name = container.header().tensors.keys().next().expect("a tensor").clone();
    let (_, shared, range) = container.tensor(&name).expect("there");
    assert_eq!((*shared).as_ref()[range].len(), container.bytes(&name).expect("as it was").len());
    std::fs::OpenOptions::new().write(true).open(&path).expect("opens").set_len(100).expect("cuts");
    assert!(matches!(container.bytes(&name), Err(Error::Changed { .. })));
    let look = std::panic::AssertUnwindSafe(|| (*shared).as_ref().len());
    let unwound = std::panic::catch_unwind(look).expect_err("unwinds");
    assert!(matches!(unwound.downcast_ref(), Some(Error::Changed { .. })));
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_what_it_points_to_is_replaced() {
    let folder = tempfile::tempdir().expect("folder");
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("first", at("second")).expect("links");
    std::os::unix::fs::symlink(at("second"), at("third")).expect("links");
    let builder = Builder::new("sample");
    for _ in 0..2 {
        builder.write(&at("third")).expect("writes");
        assert_eq!(std::fs::read(at("first")).expect("a file"), builder.to_bytes());
        assert!(at("second").is_symlink() && at("third").is_symlink() && !at("first").is_symlink());
    }
    assert_eq!(files_in(folder.path()), 3);
}

#[test]
fn temporary_files_without_a_writer_are_removed_and_others_stay() {
    let folder = tempfile::tempdir().expect("folder");
    let at = |name: &str| folder.path().join(name);
    for name in [".old.1-0.everlevel.tmp", ".written.2-0.everlevel.tmp", ".other.tmp", "visible.everlevel.tmp"] {
        std::fs::write(at(name), b"half of it").expect("writes");
    }
    let writer = std::fs::OpenOptions::new().write(true).open(at(".written.2-0.everlevel.tmp")).expect("opens");
    writer.lock().expect("locks");
    Builder::new("sample").write(&at("sample")).expect("writes");
    assert!(!at(".old.1-0.everlevel.tmp").exists());
    assert!(
        at(".written.2-0.everlevel.tmp").exists() && at(".other.tmp").exists() && at("visible.everlevel.tmp").exists()
    );
    drop(writer);
    Builder::new("sample").write(&at("sample")).expect("writes");
    assert_eq!(files_in(folder.path()), 3);
}

#[test]
fn a_kind_of_another_scheme_says_whose_it_is() {
    let refused = |found: &str| {
        let supported = "bfv_secret_key, bfv_ciphertext".into();
        Error::UnsupportedKind { found: found.into(), supported }.to_string()
    };
    assert!(refused("tfhe_ciphertext").ends_with("are read here; open it with a context of tfhe"));
    assert!(refused("scroll").ends_with("this version has no such kind: update Everlevel"));
}
