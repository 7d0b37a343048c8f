//! The replacement of files: a file appears complete or not at all.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, remove_file, rename, symlink_metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The ending of temporary files' names, which tells that this library wrote them.
const SUFFIX: &str = ".everlevel.tmp";

/// More links than any file system follows.
const MOST_LINKS: usize = 40;

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
/// opens `path` sees the old file or the new one, whole, and a failure leaves the old one as it was. If `path` is a
/// link, the file that it points to is replaced, and the link stays.
///
/// A process that ends in the middle leaves its temporary file, which the next one to write into the folder takes away:
/// writers hold locks on theirs, which end with them.
///
/// # Errors
/// The system's error.
pub fn replace(path: &Path, secret: bool, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let path = &*followed(path)?;
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(not_regular());
    }
    remove_abandoned(folder(path));
    let (mut file, mut temporary) = create_beside(path, secret)?;
    write(&mut file)?;
    file.sync_all()?;
    // Renamed before it is closed, so that the lock holds as long as the temporary name.
    rename(&temporary.path, path)?;
    temporary.renamed = true;
    drop(file);
    sync_folder(path);
    Ok(())
}

/// The error for devices, pipes and sockets: reading one may never end, and a file in the place of one is never meant.
pub(crate) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")
}

/// The path at the end of a chain of links, which needn't exist.
fn followed(path: &Path) -> io::Result<Cow<'_, Path>> {
    let mut path = Cow::Borrowed(path);
    for _ in 0..MOST_LINKS {
        if !symlink_metadata(&path).is_ok_and(|there| there.is_symlink()) {
            return Ok(path);
        }
        // A relative target is relative to the link's folder; joined to it, an absolute one is itself.
        path = Cow::Owned(folder(&path).join(fs::read_link(&path)?));
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "is a link in a circle"))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file that did not exist, in the folder of `path`, and locks it.
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
        hidden.push(format!(".{}-{}{SUFFIX}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
        let beside = path.with_file_name(hidden);
        match options.open(&beside) {
            Ok(file) => {
                // Where a file system has no locks, nobody takes the file away.
                let _ = file.lock();
                // Another writer may have taken it for abandoned before it was locked.
                if beside.exists() {
                    return Ok((file, Temporary { path: beside, renamed: false }));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Removes temporary files in a folder whose writers are gone. What can't be looked at stays.
fn remove_abandoned(folder: &Path) {
    let is_ours = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(SUFFIX));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_ours(&entry.file_name())) {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let Some(file) = is_file.then(|| OpenOptions::new().write(true).open(entry.path()).ok()).flatten() else {
            continue;
        };
        if file.try_lock().is_ok() {
            let _ = remove_file(entry.path());
        }
    }
}

/// Asks for the folder's entry to reach the disk. The file is in its place whatever comes of it: some file systems do
/// not synchronise folders, and some folders may be written to but not read.
fn sync_folder(path: &Path) {
    #[cfg(unix)]
    {
        let _ = File::open(folder(path)).and_then(|folder| folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = path;
}
