//! A control group (version 2) that bounds the memory of one command.
//!
//! A user's session often may make groups beside its own one (systemd delegates them to the user's services
//! and to the applications of a desktop), an ordinary login often may not. Where none can be made, the caller
//! watches the processes instead ([`crate::memory_limit`]).

use std::fs::{self, File};
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The beginning of a group's name; the id of the process that made it and a number follow.
const PREFIX: &str = "artoo-";
/// How often a group is tried to be removed, and the time in between: the kernel lets its last process go a
/// moment after it was reaped.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(2);

/// A group for one command. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct MemoryCgroup {
    folder: PathBuf,
    processes: File,
}

impl MemoryCgroup {
    /// Makes a group whose processes together hold at most `most` bytes; `None` where that is not possible.
    pub(crate) fn make(most: u64) -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("{PREFIX}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Self::make_in(parent()?, &name, most)
    }

    fn make_in(parent: &Path, name: &str, most: u64) -> Option<Self> {
        let folder = parent.join(name);
        fs::create_dir(&folder).ok()?;
        let bounded = || {
            fs::write(folder.join("memory.max"), most.to_string())?;
            // All of its processes end together. Kernels without one of the two files bound memory all the same.
            let _ = fs::write(folder.join("memory.oom.group"), "1");
            let _ = fs::write(folder.join("memory.swap.max"), "0");
            File::options().write(true).open(folder.join("cgroup.procs"))
        };
        match bounded() {
            Ok(processes) => Some(Self { folder, processes }),
            Err(_) => {
                remove(&folder);
                None
            }
        }
    }

    /// A process that writes `0` here enters the group.
    pub(crate) fn entrance(&self) -> RawFd {
        self.processes.as_raw_fd()
    }

    /// Whether the kernel has killed a process of it for lack of memory.
    pub(crate) fn was_full(&self) -> bool {
        fs::read_to_string(self.folder.join("memory.events")).is_ok_and(|events| kills(&events) > 0)
    }
}

impl Drop for MemoryCgroup {
    fn drop(&mut self) {
        for _ in 0..TRIES {
            if remove(&self.folder) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }
}

/// Whether the group is gone.
fn remove(folder: &Path) -> bool {
    fs::remove_dir(folder).is_ok() || !folder.exists()
}

/// The group in which groups for commands can be made, found out once.
fn parent() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(find_parent).as_deref()
}

fn find_parent() -> Option<PathBuf> {
    let own = own_group(
        &fs::read_to_string("/proc/self/cgroup").ok()?,
        &fs::read_to_string("/proc/self/mountinfo").ok()?,
    )?;
    // Groups with processes of their own have no subgroups with limits, but for the root.
    let parent = match own.parent() {
        Some(parent) if parent.join("cgroup.procs").exists() => parent.to_owned(),
        Some(_) | None => own,
    };
    let controllers = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
    controllers.split_whitespace().any(|name| name == "memory").then_some(())?;
    remove_left_behind(&parent);
    let trial =
        MemoryCgroup::make_in(&parent, &format!("{PREFIX}{}-trial", std::process::id()), u64::MAX / 2)?;
    drop(trial);
    Some(parent)
}

/// Removes empty groups of processes that were killed.
fn remove_left_behind(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let maker =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-')?.0.parse::<u32>().ok());
        if maker.is_some_and(|maker| !Path::new(&format!("/proc/{maker}")).exists()) {
            // One that still has processes stays.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The folder of this process's group of version 2, from the kernel's two tables.
fn own_group(groups: &str, mounts: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    // Its fields: id, parent, device, root, mount point, options, optional fields, `-`, type, source, options.
    let mount = mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        (after.split(' ').next() == Some("cgroup2")).then(|| before.split(' ').skip(3).take(2))
    });
    let mut fields = mount?;
    let (root, point) = (fields.next()?, fields.next()?);
    let below = path.strip_prefix(root.trim_end_matches('/'))?;
    Some(Path::new(point).join(below.trim_start_matches('/')))
}

/// The number of processes that the kernel has killed, from the group's `memory.events`.
fn kills(events: &str) -> u64 {
    let number = |line: &str| line.strip_prefix("oom_kill ")?.trim().parse().ok();
    events.lines().find_map(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_the_kernel_are_read() {
        let mounts = "24 30 0:22 / /proc rw - proc proc rw\n\
                      31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        let group = |line: &str| own_group(line, mounts);
        assert_eq!(
            group("0::/user.slice/app.slice/a.scope\n"),
            Some(PathBuf::from("/sys/fs/cgroup/user.slice/app.slice/a.scope"))
        );
        assert_eq!(group("4:memory:/a\n0::/\n"), Some(PathBuf::from("/sys/fs/cgroup/")));
        assert_eq!(group("4:memory:/a\n"), None);
        let inner = "31 24 0:27 /container /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(own_group("0::/container/x\n", inner), Some(PathBuf::from("/sys/fs/cgroup/x")));
        assert_eq!(own_group("0::/elsewhere\n", inner), None);
        assert_eq!(own_group("0::/a\n", "31 24 0:27 / /sys rw - sysfs sysfs rw\n"), None);
    }

    #[test]
    fn kills_are_counted() {
        assert_eq!(kills("low 0\nhigh 0\nmax 31\noom 2\noom_kill 1\noom_group_kill 1\n"), 1);
        assert_eq!(kills("low 0\noom_kill 0\n"), 0);
        assert_eq!(kills(""), 0);
    }
}
