//! Reads the kernel's table of processes.

use std::fs;

use rustix::process::Pid;

/// The facts of one process that decide whether it belongs to a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessEntry {
    pub(crate) pid: Pid,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// Ticks since boot. Together with `pid` it names a process for good: numbers are used again, this pair is not.
    pub(crate) started: u64,
    /// Already ended and only waiting to be reaped.
    pub(crate) dead: bool,
}

/// The numbers of all visible processes, without our own. An unreadable `/proc` gives none.
pub(crate) fn all_pids() -> Vec<Pid> {
    let own = rustix::process::getpid();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(Pid::from_raw)
        .filter(|pid| *pid != own)
        .collect()
}

/// The threads of the whole machine, in one cheap look; nothing where `/proc` does not tell.
pub(crate) fn threads_of_the_machine() -> Option<u64> {
    parse_load(&fs::read_to_string("/proc/loadavg").ok()?)
}

/// Three averages, then the running threads and all of them: `0.20 0.18 0.12 1/80 11206`.
fn parse_load(line: &str) -> Option<u64> {
    line.split_ascii_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

/// The facts of one process, or nothing when it is gone.
pub(crate) fn entry(pid: Pid) -> Option<ProcessEntry> {
    // The name of the program inside is arbitrary bytes.
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(pid, &String::from_utf8_lossy(&stat))
}

/// Whether the environment with which the process was started contains this `NAME=value`.
pub(crate) fn has_variable(pid: Pid, assignment: &str) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|bytes| bytes.split(|byte| *byte == 0).any(|entry| entry == assignment.as_bytes()))
}

/// One line of `/proc/PID/stat`: number, (name), state, parent, group, session, ... start at field 22.
fn parse_stat(pid: Pid, line: &str) -> Option<ProcessEntry> {
    // The name may contain spaces and brackets itself; its end is the last bracket.
    let (_, rest) = line.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    let started = fields.nth(15)?.parse().ok()?; // 7 to 21 lie between
    Some(ProcessEntry { pid, parent, group, session, started, dead: matches!(state, "Z" | "X" | "x") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_a_line_with_a_hostile_name() {
        let line = "42 (a ) R 1 (x) Z) S 7 40 39 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9001 1 2 3";
        let pid = Pid::from_raw(42).unwrap();
        assert_eq!(
            parse_stat(pid, line),
            Some(ProcessEntry { pid, parent: 7, group: 40, session: 39, started: 9001, dead: false })
        );
    }

    #[test]
    fn reads_the_load() {
        assert_eq!(parse_load("0.20 0.18 0.12 1/80 11206\n"), Some(80));
        assert_eq!(parse_load("0.20 0.18"), None);
        assert!(threads_of_the_machine().unwrap() >= 1);
    }

    #[test]
    fn reads_the_running_process() {
        let own = entry(rustix::process::getpid()).unwrap();
        assert_eq!(Pid::from_raw(own.parent), rustix::process::getppid());
        assert!(!own.dead && own.started > 0);
    }

    proptest! {
        #[test]
        fn no_line_panics(line in ".{0,120}") {
            let _ = parse_stat(Pid::from_raw(1).unwrap(), &line);
            let _ = parse_load(&line);
        }
    }
}
