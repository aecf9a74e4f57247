//! The memory limit of a command: a control group where the user may make one, otherwise a watch on the
//! resident memory of its process tree.
//!
//! No limit of address space: JavaScript, Go and Java reserve far more than they use.

use std::fs;
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::memory_cgroup::MemoryCgroup;
use crate::process_table::descendants;

/// Time between two sums over the process tree, while the machine's free memory does not shrink.
const COUNT: Duration = Duration::from_secs(1);
const KIB: u64 = 1024;

/// The memory of one command.
#[derive(Debug)]
pub(crate) struct MemoryLimit {
    most: u64,
    /// Bytes that must stay available on the machine: memory that no process maps is in no sum.
    floor: u64,
    /// The most available memory so far.
    best: u64,
    counted: Instant,
    cgroup: Option<MemoryCgroup>,
}

impl MemoryLimit {
    /// `most` and `floor` are bytes. The limit is never more than three quarters of the machine's memory. If
    /// less than the floor is available already, the command may use half of it.
    pub(crate) fn new(most: u64, floor: u64) -> Self {
        let machine = Machine::now();
        let most = machine.map_or(most, |machine| most.min(machine.total / 4 * 3));
        let available = machine.map_or(u64::MAX, |machine| machine.available);
        Self {
            most,
            floor: if available < floor { available / 2 } else { floor },
            best: available,
            counted: Instant::now(),
            cgroup: MemoryCgroup::make(most),
        }
    }

    /// The descriptor through which a process enters the command's control group, if it has one.
    pub(crate) fn entrance(&self) -> Option<RawFd> {
        self.cgroup.as_ref().map(MemoryCgroup::entrance)
    }

    /// Whether the command, whose first process this is, uses too much. Summing reads every process, so it is
    /// done often only while the machine's free memory shrinks.
    pub(crate) fn is_exceeded(&mut self, first: Pid) -> bool {
        let Some(Machine { available, .. }) = Machine::now() else { return false };
        if available < self.floor {
            return true;
        }
        if self.cgroup.is_some() {
            return false;
        }
        self.best = self.best.max(available);
        let shrunk = self.best.saturating_sub(available);
        if shrunk <= self.most / 2 && self.counted.elapsed() < COUNT {
            return false;
        }
        self.counted = Instant::now();
        descendants(first).into_iter().filter_map(resident).fold(0_u64, u64::saturating_add) > self.most
    }

    /// Whether the kernel ended the command's processes because their control group was full. Call it when
    /// all are gone.
    pub(crate) fn was_exceeded(&self) -> bool {
        self.cgroup.as_ref().is_some_and(MemoryCgroup::was_full)
    }
}

/// The memory of the machine, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Machine {
    total: u64,
    available: u64,
}

impl Machine {
    fn now() -> Option<Self> {
        Self::of(&fs::read_to_string("/proc/meminfo").ok()?)
    }

    fn of(table: &str) -> Option<Self> {
        Some(Self { total: field(table, "MemTotal:")?, available: field(table, "MemAvailable:")? })
    }
}

/// The memory that a process holds and that files do not back, in bytes; `None` if it is gone. What several
/// processes share counts for each, except the pages of programs and libraries.
fn resident(process: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(field(&status, "RssAnon:")?.saturating_add(field(&status, "RssShmem:")?))
}

/// The value of a line such as `MemTotal:  16318480 kB`, in bytes.
fn field(table: &str, name: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(number.saturating_mul(KIB))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_tables_of_the_kernel_are_read() {
        let table = "MemTotal:       16318480 kB\nMemFree:  1 kB\nMemAvailable:   14 kB\n";
        assert_eq!(Machine::of(table), Some(Machine { total: 16_318_480 * KIB, available: 14 * KIB }));
        assert_eq!(Machine::of("MemTotal: 5 kB\n"), None);
        assert!(Machine::now().unwrap().available > 0);
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(resident(own).unwrap() > 64 * KIB);
    }

    #[test]
    fn the_limit_leaves_a_quarter_of_the_machine() {
        let machine = Machine::now().unwrap();
        assert_eq!(MemoryLimit::new(u64::MAX, 0).most, machine.total / 4 * 3);
        assert_eq!(MemoryLimit::new(4_096, 0).most, 4_096);
        assert!(MemoryLimit::new(0, u64::MAX).floor <= machine.total / 2);
    }

    proptest! {
        #[test]
        fn no_table_panics(table in "(MemTotal:|MemAvailable:|[ \n0-9kB]){0,40}") {
            let _ = Machine::of(&table);
        }
    }
}
