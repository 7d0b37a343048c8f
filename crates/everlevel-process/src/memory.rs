//! The memory that a process may still have, and the refusal of work that needs more.
//!
//! *Limits.* Of the address space (`RLIMIT_AS`, `ulimit -v`), beyond which mappings fail; of the control groups that
//! the process is in, and of the machine, beyond which the kernel ends processes. Where the system doesn't tell (other
//! systems than Linux), nothing is refused beforehand.
//!
//! *Refusals.* [`require`] compares a [`Footprint`] with the limits before work begins. Memory that the system refuses
//! later, because others took it meanwhile, unwinds as an [`OutOfMemory`], through the pool's threads, until
//! [`caught`](crate::caught) makes an error of it. The allocator's own failures would end the process, so that buffers
//! on huge pages, nearly all that is used, leave `SPARE` of the address space to it.

use std::fmt;

/// Address space that buffers leave to everything else.
const SPARE: u64 = 32 << 20;

/// Address space of a thread's stack.
pub const STACK: u64 = 2 << 20;

/// Work of fewer bytes is not compared with limits beforehand: looking takes as long as a small encryption.
const LARGE: u64 = 16 << 20;

/// Memory beside an estimate: code, stacks, the allocator's arenas, what the interpreter does meanwhile.
const MARGIN: u64 = 256 << 20;

/// The memory that work takes, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Footprint {
    /// Held by the result.
    pub held: u64,
    /// Taken besides at most, until the work is done.
    pub work: u64,
}

impl Footprint {
    /// Both.
    pub fn peak(self) -> u64 {
        self.held + self.work
    }

    /// Footprint of this work and then other work, whose results are kept.
    pub fn then(self, next: Self) -> Self {
        Self { held: self.held + next.held, work: self.work.max(next.work) }
    }
}

/// A limit on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// `RLIMIT_AS`.
    AddressSpace,
    /// A control group's, which containers have.
    ControlGroup,
    /// Memory that the machine has free or can free, swap included.
    Machine,
    /// Memory of a device that an engine has for limbs of polynomials.
    DeviceLimbs,
    /// Memory of a device that an engine has for copies of keys and plaintexts.
    DeviceCopies,
    /// Memory of a device that nobody has.
    Device,
}

impl Limit {
    /// Name, for errors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AddressSpace => "address space (RLIMIT_AS, ulimit -v)",
            Self::ControlGroup => "control group",
            Self::Machine => "machine",
            Self::DeviceLimbs => "device's memory for ciphertexts",
            Self::DeviceCopies => "device's memory for keys and plaintexts",
            Self::Device => "device",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Less memory than is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{needed} bytes of memory are needed, and {available} are left of the {limit}")]
pub struct OutOfMemory {
    /// Bytes that are needed.
    pub needed: u64,
    /// Bytes that are there.
    pub available: u64,
    /// The limit.
    pub limit: Limit,
}

impl OutOfMemory {
    /// That so many bytes could not be had.
    pub fn refused(needed: u64) -> Self {
        let (available, limit) = available().unwrap_or((0, Limit::Machine));
        Self { needed, available, limit }
    }
}

/// Refuses work for whose bytes, a tenth more, and a margin, there is no room.
///
/// # Errors
/// [`OutOfMemory`].
pub fn require(bytes: u64) -> Result<(), OutOfMemory> {
    if bytes < LARGE {
        return require_spare(bytes);
    }
    refuse_beyond(bytes.saturating_add(bytes / 10).saturating_add(MARGIN), available())
}

/// Refuses work without room for its few bytes beside `SPARE` in the address space.
///
/// # Errors
/// [`OutOfMemory`].
pub fn require_spare(bytes: u64) -> Result<(), OutOfMemory> {
    let address_space = system::address_space().map(|available| (available, Limit::AddressSpace));
    refuse_beyond(bytes.saturating_add(SPARE), address_space)
}

fn refuse_beyond(needed: u64, available: Option<(u64, Limit)>) -> Result<(), OutOfMemory> {
    match available {
        Some((available, limit)) if needed > available => Err(OutOfMemory { needed, available, limit }),
        _ => Ok(()),
    }
}

/// The bytes that may still be taken, and the limit that says so; none where the system doesn't tell.
pub fn available() -> Option<(u64, Limit)> {
    let limits = [
        (system::address_space(), Limit::AddressSpace),
        (system::control_groups(), Limit::ControlGroup),
        (system::machine(), Limit::Machine),
    ];
    limits.into_iter().filter_map(|(bytes, limit)| Some((bytes?, limit))).min_by_key(|(bytes, _)| *bytes)
}

/// Linux's limits: bytes that each leaves.
#[cfg(all(target_os = "linux", not(miri)))]
mod system {
    use std::fs::read_to_string;
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;

    pub(super) fn address_space() -> Option<u64> {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the call fills the struct that it is given.
        let failed = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } != 0;
        if failed || limit.rlim_cur == libc::RLIM_INFINITY {
            return None;
        }
        let pages: u64 = read_to_string("/proc/self/statm").ok()?.split(' ').next()?.parse().ok()?;
        // SAFETY: the call reads a constant of the system.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Some(limit.rlim_cur.saturating_sub(pages * u64::try_from(page).ok()?))
    }

    pub(super) fn machine() -> Option<u64> {
        let text = read_to_string("/proc/meminfo").ok()?;
        Some(1024 * (entry(&text, "MemAvailable:")? + entry(&text, "SwapFree:").unwrap_or(0)))
    }

    /// The number that follows a name at the beginning of a line.
    pub(super) fn entry(text: &str, name: &str) -> Option<u64> {
        let mut fields = text.lines().map(str::split_ascii_whitespace);
        fields.find_map(|mut line| if line.next()? == name { line.next()?.parse().ok() } else { None })
    }

    /// The names of a control group's files, by version.
    pub(super) struct Files {
        limit: &'static str,
        usage: &'static str,
        /// Pages of files, in `memory.stat`, which the kernel takes back before it ends a process.
        cached: [&'static str; 2],
    }

    const VERSIONS: [Files; 2] = [
        Files {
            limit: "memory.limit_in_bytes",
            usage: "memory.usage_in_bytes",
            cached: ["total_inactive_file", "total_active_file"],
        },
        Files { limit: "memory.max", usage: "memory.current", cached: ["inactive_file", "active_file"] },
    ];

    pub(super) fn control_groups() -> Option<u64> {
        static GROUPS: OnceLock<Vec<(PathBuf, &'static Files)>> = OnceLock::new();
        let own = || groups(Path::new("/sys/fs/cgroup"), &read_to_string("/proc/self/cgroup").unwrap_or_default());
        GROUPS.get_or_init(own).iter().filter_map(|(folder, files)| left(folder, files)).min()
    }

    /// The groups that hold a process, and the groups that hold those, as far as they can be seen: a container sees its
    /// own group at the root. `own` is `/proc/self/cgroup`.
    pub(super) fn groups(root: &Path, own: &str) -> Vec<(PathBuf, &'static Files)> {
        let mut all = Vec::new();
        for line in own.lines() {
            let mut fields = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
            let (root, files) = match controllers {
                "" => (root.to_path_buf(), &VERSIONS[1]),
                _ if controllers.split(',').any(|c| c == "memory") => (root.join("memory"), &VERSIONS[0]),
                _ => continue,
            };
            let folder = root.join(path.trim_start_matches('/'));
            let ancestors = folder.ancestors().take_while(|a| a.starts_with(&root));
            all.extend(ancestors.filter(|a| a.join(files.limit).exists()).map(|a| (a.to_path_buf(), files)));
        }
        all
    }

    /// Bytes that a group's limit leaves; none without a limit.
    pub(super) fn left(folder: &Path, files: &Files) -> Option<u64> {
        let read = |name: &str| read_to_string(folder.join(name)).ok();
        let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
        let (limit, usage) = (number(files.limit)?, number(files.usage)?);
        let stat = read("memory.stat").unwrap_or_default();
        let cached: u64 = files.cached.iter().filter_map(|name| entry(&stat, name)).sum();
        Some(limit.saturating_sub(usage.saturating_sub(cached)))
    }
}

#[cfg(any(not(target_os = "linux"), miri))]
mod system {
    pub(super) fn address_space() -> Option<u64> {
        None
    }

    pub(super) fn control_groups() -> Option<u64> {
        None
    }

    pub(super) fn machine() -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, resume_unwind};

    use super::*;
    use crate::{caught, unwind};

    #[test]
    fn more_than_is_there_is_refused_with_both_values() {
        let (there, _) = available().expect("Linux tells");
        require(1 << 20).unwrap();
        let refused = require(there).unwrap_err();
        assert!(refused.needed > there && refused.available <= 2 * there, "{refused}");
        assert!(refused.to_string().contains(&refused.needed.to_string()));
        require(u64::MAX).unwrap_err();
    }

    #[test]
    fn a_lack_of_memory_comes_through_threads_as_an_error_and_panics_stay_panics() {
        let lack = OutOfMemory { needed: 3, available: 2, limit: Limit::Machine };
        let pool = crate::Pool::new(2).unwrap();
        assert_eq!(caught(|| pool.install(|| -> u32 { unwind(lack) })), Err(lack));
        assert_eq!(caught::<_, OutOfMemory>(|| 5), Ok(5));
        let panicked = catch_unwind(|| caught::<(), OutOfMemory>(|| resume_unwind(Box::new("another")))).unwrap_err();
        assert_eq!(panicked.downcast_ref::<&str>(), Some(&"another"));
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn limits_of_control_groups_of_both_versions_are_read_with_those_of_their_parents() {
        use std::fs::{create_dir_all, write};
        let root = std::env::temp_dir().join(format!("everlevel-groups-{}", std::process::id()));
        let (v2, v1) = (root.join("job/task"), root.join("memory/docker"));
        create_dir_all(&v2).unwrap();
        create_dir_all(&v1).unwrap();
        write(v2.join("memory.max"), "max\n").unwrap();
        write(v2.join("memory.current"), "1000\n").unwrap();
        write(root.join("job/memory.max"), "5000\n").unwrap();
        write(root.join("job/memory.current"), "4000\n").unwrap();
        write(root.join("job/memory.stat"), "anon 2500\ninactive_file 700\nactive_file 800\n").unwrap();
        write(v1.join("memory.limit_in_bytes"), "900\n").unwrap();
        write(v1.join("memory.usage_in_bytes"), "1000\n").unwrap();
        let own = "12:cpu,cpuacct:/docker\n4:memory:/docker\n0::/job/task\n";
        let all = system::groups(&root, own);
        let left: Vec<_> = all.iter().map(|(folder, files)| system::left(folder, files)).collect();
        // Version 1 with its limit already passed; the task without one of its own; the job, whose cache can go.
        assert_eq!(left, [Some(0), None, Some(2500)]);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
