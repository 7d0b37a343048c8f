//! The replacement of files: a file appears complete or not at all.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, remove_file, rename, symlink_metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A temporary file's name, taken away again unless it was renamed.
struct Temporary {
    path: PathBuf,
    renamed: bool,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // Nothing is left to do if this fails: the error that led here is reported.
            let _ = remove_file(&self.path);
        }
    }
}

/// Writes a file under another name in the same folder, waits until the disk has it, and renames it to `path`: whoever
/// opens `path` sees the old file or the new one, whole, and a failure leaves the old one as it was. A link at `path`
/// is replaced, not followed.
///
/// # Errors
/// The system's error.
pub fn replace(path: &Path, secret: bool, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if symlink_metadata(path).is_ok_and(|there| !there.is_file() && !there.is_symlink()) {
        return Err(not_regular());
    }
    let (mut file, mut temporary) = create_beside(path, secret)?;
    write(&mut file)?;
    file.sync_all()?;
    drop(file);
    rename(&temporary.path, path)?;
    temporary.renamed = true;
    sync_folder(path);
    Ok(())
}

/// The error for devices, pipes and sockets: reading one may never end, and a file in the place of one is never meant.
pub(crate) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")
}

/// Creates a file that did not exist, in the folder of `path`.
fn create_beside(path: &Path, secret: bool) -> io::Result<(File, Temporary)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if secret {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = secret;
    loop {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{}.tmp", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
        let beside = path.with_file_name(hidden);
        match options.open(&beside) {
            Ok(file) => return Ok((file, Temporary { path: beside, renamed: false })),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Asks for the folder's entry to reach the disk. The file is in its place whatever comes of it: some file systems do
/// not synchronise folders, and some folders may be written to but not read.
fn sync_folder(path: &Path) {
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = path;
}
