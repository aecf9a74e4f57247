//! What `/proc` tells of processes.

use std::{fs, path::Path, time::Duration};

/// Figures of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    /// Resident memory, in MiB.
    pub resident: f64,
    /// Threads.
    pub threads: f64,
    /// Open descriptors other than sockets.
    pub descriptors: f64,
    /// Open sockets.
    pub sockets: f64,
    /// Child processes.
    pub children: f64,
}

/// The most memory that a process has had, in MiB; `None` once it has ended.
pub(super) fn most_memory(pid: u32) -> Option<f64> {
    Some(field(&status(pid)?, "VmHWM")? / 1024.0)
}

/// The figures of a process; `None` once it has ended.
pub(super) fn figures(pid: u32) -> Option<Figures> {
    let status = status(pid)?;
    let open = descriptors(pid)?;
    Some(Figures {
        resident: field(&status, "VmRSS")? / 1024.0,
        threads: field(&status, "Threads")?,
        descriptors: open.others as f64,
        sockets: open.sockets as f64,
        children: children(pid) as f64,
    })
}

fn status(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/status")).ok()
}

fn field(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The open descriptors of a process, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Descriptors {
    /// Sockets.
    pub sockets: usize,
    /// All others.
    pub others: usize,
}

impl Descriptors {
    /// The number of all of them.
    pub(super) const fn all(self) -> usize {
        self.sockets + self.others
    }
}

/// The open descriptors of a process; `None` once it has ended. One that is closed during the count may be left out.
pub(super) fn descriptors(pid: u32) -> Option<Descriptors> {
    let mut open = Descriptors::default();
    for entry in fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten() {
        match fs::read_link(entry.path()) {
            Ok(target) if is_socket(&target) => open.sockets += 1,
            Ok(_) => open.others += 1,
            Err(_) => {}
        }
    }
    Some(open)
}

/// Whether the link of a descriptor leads to a socket.
fn is_socket(target: &Path) -> bool {
    target.as_os_str().as_encoded_bytes().starts_with(b"socket:")
}

fn children(pid: u32) -> usize {
    pids().filter(|child| parent(*child) == Some(pid)).count()
}

fn parent(pid: u32) -> Option<u32> {
    // The name may hold anything, parentheses and blanks too; what follows its end does not.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The processes that have this folder in their environment or their command, or work in it, each with its command. Those that end by
/// themselves within `patience` do not count.
pub(super) fn left_in(folder: &Path, patience: Duration) -> Vec<String> {
    const PAUSE: Duration = Duration::from_millis(20);
    let mut waited = Duration::ZERO;
    loop {
        let found = now_in(folder);
        if found.is_empty() || waited >= patience {
            return found.into_iter().map(|(pid, command)| format!("{pid} {command}")).collect();
        }
        std::thread::sleep(PAUSE);
        waited += PAUSE;
    }
}

/// The same at this moment, with their ids.
pub(super) fn now_in(folder: &Path) -> Vec<(u32, String)> {
    let mark = folder.as_os_str().as_encoded_bytes();
    let holds = |path: String| {
        let bytes = fs::read(path).unwrap_or_default();
        bytes.windows(mark.len()).any(|window| window == mark)
    };
    pids()
        .filter(|pid| *pid != std::process::id())
        .filter(|pid| {
            holds(format!("/proc/{pid}/environ"))
                || holds(format!("/proc/{pid}/cmdline"))
                || fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|at| at.starts_with(folder))
        })
        .map(|pid| (pid, command(pid)))
        .collect()
}

fn command(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ").trim_end().chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use std::os::{fd::AsRawFd as _, unix::net::UnixStream};

    use super::*;
    use crate::command::Program;

    #[test]
    fn a_process_is_found_by_the_folder_where_it_works() {
        let folder = tempfile::tempdir().unwrap();
        assert!(left_in(folder.path(), Duration::ZERO).is_empty());
        let beside = Program::new("sh", ["-c", "echo up; read wait"]).folder(folder.path()).serve().unwrap();
        let found = left_in(folder.path(), Duration::ZERO);
        assert!(found.len() == 1 && found[0].contains("read wait"), "{found:?}");
        let (pid, _) = now_in(folder.path()).remove(0);
        let figures = figures(pid).unwrap();
        assert!(
            figures.resident > 0.0 && figures.threads == 1.0 && figures.descriptors >= 3.0,
            "{figures:?}"
        );
        drop(beside);
        assert!(left_in(folder.path(), Duration::ZERO).is_empty());
    }

    /// Other tests of this process may open descriptors too, so the counts are lower bounds.
    #[test]
    fn sockets_are_told_from_other_descriptors() {
        let (one, _other) = UnixStream::pair().unwrap();
        let file = tempfile::tempfile().unwrap();
        let open = descriptors(std::process::id()).unwrap();
        assert!(open.sockets >= 2 && open.others >= 1, "{open:?}");
        let link = |number: i32| fs::read_link(format!("/proc/self/fd/{number}")).unwrap();
        assert!(is_socket(&link(one.as_raw_fd())));
        assert!(!is_socket(&link(file.as_raw_fd())));
        assert!(descriptors(u32::MAX).is_none());
    }
}
