//! Containers of any bytes.

use std::io::Write;
use std::path::PathBuf;

use everlevel_io::{Access, Container};

use crate::sealed::sealed;

/// Opens bytes as a container, and the same from a file, read, mapped, and its header alone as `everlevel inspect`
/// does: all agree.
///
/// # Panics
/// At a fault.
pub fn container(data: &[u8]) {
    let from_bytes = Container::from_bytes(data.to_vec());
    let path = write(data);
    let opened = [Access::Read, Access::Map].map(|access| Container::open(&path, access));
    let header = Container::inspect(&path);
    std::fs::remove_file(&path).expect("a file that was written");
    let Ok(container) = from_bytes else {
        assert!(opened.iter().all(Result::is_err) && header.is_err(), "refused from bytes alone");
        return;
    };
    let verified = container.verify().is_ok();
    for other in opened {
        let other = other.expect("accepted from bytes");
        assert_eq!(other.header(), container.header());
        assert_eq!(other.verify().is_ok(), verified);
    }
    assert_eq!(&header.expect("accepted from bytes"), container.header());
    look(&container);
}

/// Reads bytes as a header whose checksums are right, else as [`container`].
///
/// # Panics
/// At a fault.
pub fn header(data: &[u8]) {
    container(&sealed(data));
}

/// Reads a container's header, metadata and tensors.
fn look(container: &Container) {
    let header = container.header();
    assert_eq!(header.in_order().len(), header.tensors.len());
    let mut total = 0;
    for (name, place) in &header.tensors {
        let bytes = container.bytes(name).expect("a tensor of the header");
        assert_eq!((bytes.len(), place.shape.iter().product::<usize>()), (place.range.len(), place.range.len()));
        assert!(bytes.as_ptr().addr().is_multiple_of(align_of::<u8>()));
        total += bytes.len();
        let _ = container.bytes_of_len(name, 32);
    }
    assert!(total <= header.tensors.values().map(|place| place.range.end).max().unwrap_or_default());
    for name in header.metadata.keys() {
        let _ = (container.number(name), container.seed(name), container.json::<serde_json::Value>(name));
        let _ = container.check(name, [0; 2]);
    }
    let _ = container.kind();
}

/// A file of this process, in memory where the system has such files.
fn write(data: &[u8]) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let thread = std::thread::current().id();
    let path = folder.join(format!("everlevel-fuzz-{}-{thread:?}", std::process::id()));
    let mut file = std::fs::File::create(&path).expect("a file that can be written");
    file.write_all(data).expect("room for a small file");
    path
}
