//! Reads the kernel's process table (`/proc`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rustix::process::Pid;

/// The pids of the living descendants of a process.
pub(crate) fn descendants(of: Pid) -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (pid, parent) in all_pids().into_iter().filter_map(|pid| Some((pid, parent(pid)?))) {
        children.entry(parent).or_default().push(raw(pid));
    }
    let (mut waiting, mut found) = (vec![raw(of)], BTreeSet::new());
    while let Some(parent) = waiting.pop() {
        // A table that changes while it is read may list a process twice.
        waiting.extend(
            children.remove(&parent).unwrap_or_default().into_iter().filter(|child| found.insert(*child)),
        );
    }
    found
}

/// The pids of all visible processes, except our own. Empty if `/proc` is unreadable.
pub(crate) fn all_pids() -> Vec<Pid> {
    let own = rustix::process::getpid();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(Pid::from_raw)
        .filter(|pid| *pid != own)
        .collect()
}

/// The number of threads on the whole machine, in one cheap read; `None` if `/proc` does not tell.
pub(crate) fn threads_of_the_machine() -> Option<u64> {
    parse_load(&fs::read_to_string("/proc/loadavg").ok()?)
}

/// Three load averages, then running and total threads: `0.20 0.18 0.12 1/80 11206`.
fn parse_load(line: &str) -> Option<u64> {
    line.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

/// The parent of a living process; `None` if it is gone.
fn parent(pid: Pid) -> Option<i32> {
    // The program name in it is arbitrary bytes.
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(&String::from_utf8_lossy(&stat))
}

/// One line of `/proc/PID/stat`: pid, (name), state, parent, ...
fn parse_stat(line: &str) -> Option<i32> {
    // The name may contain spaces and brackets itself; it ends at the last bracket.
    let (_, rest) = line.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (!matches!(state, "Z" | "X" | "x")).then_some(parent)
}

/// The pid as the kernel prints it.
fn raw(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_a_line_with_a_hostile_name() {
        assert_eq!(parse_stat("42 (a ) R 1 (x) Z) S 7 40 39 0 -1"), Some(7));
        assert_eq!(parse_stat("42 (sh) Z 7 40 39 0 -1"), None, "it has ended");
    }

    #[test]
    fn reads_the_load() {
        assert_eq!(parse_load("0.20 0.18 0.12 1/80 11206\n"), Some(80));
        assert_eq!(parse_load("0.20 0.18"), None);
        assert!(threads_of_the_machine().unwrap() >= 1);
    }

    #[test]
    fn reads_the_running_process() {
        let own = rustix::process::getpid();
        assert_eq!(parent(own), rustix::process::getppid().map(raw));
    }

    proptest! {
        #[test]
        fn no_line_panics(line in ".{0,120}") {
            let _ = parse_stat(&line);
            let _ = parse_load(&line);
        }
    }
}
