//! Watches a running command for too many processes, a full disk and too much memory.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};

use crate::disk_limit::DiskLimit;
use crate::memory_limit::MemoryLimit;
use crate::process_table::{descendants, threads_of_the_machine};
use crate::spawn;

/// Time between two cheap checks of the machine.
const GLANCE: Duration = Duration::from_millis(40);
/// Time between two counts of the process tree, while the machine's thread count does not grow.
const COUNT: Duration = Duration::from_secs(1);

/// The number of processes a command may have.
#[derive(Debug)]
pub(crate) struct ProcessLimit {
    first: Pid,
    most: u32,
    /// The lowest thread count of the machine so far.
    fewest: Option<u64>,
    counted: Instant,
}

impl ProcessLimit {
    pub(crate) fn new(first: Pid, most: u32) -> Self {
        Self { first, most, fewest: threads_of_the_machine(), counted: Instant::now() }
    }

    /// Whether there are too many processes. Counting reads the whole process table, so it is done often only
    /// while the machine's thread count grows.
    fn is_exceeded(&mut self) -> bool {
        let now = threads_of_the_machine();
        self.fewest = self.fewest.min(now);
        let more = now.zip(self.fewest).map_or(0, |(now, fewest)| now.saturating_sub(fewest));
        if more <= u64::from(self.most / 2) && self.counted.elapsed() < COUNT {
            return false;
        }
        self.counted = Instant::now();
        u32::try_from(descendants(self.first).len()).is_ok_and(|size| size > self.most)
    }
}

/// The limit that a command exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excess {
    Processes,
    Disk,
    Memory,
}

/// The limits of one command that are watched while it runs.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) processes: ProcessLimit,
    pub(crate) disk: DiskLimit,
    pub(crate) memory: MemoryLimit,
}

impl Watched {
    fn excess(&mut self, first: Pid) -> Option<Excess> {
        if self.processes.is_exceeded() {
            Some(Excess::Processes)
        } else if self.disk.is_used_up() {
            Some(Excess::Disk)
        } else if self.memory.is_exceeded(first) {
            Some(Excess::Memory)
        } else {
            None
        }
    }
}

/// Waits until the first process ends, without reaping it. Returns which limit made it end, if one did.
pub(crate) fn wait(first: Pid, limits: Option<Watched>) -> Option<Excess> {
    let watched = limits.zip(pidfd_open(first, PidfdFlags::empty()).ok());
    let excess = watched.and_then(|(mut limits, end)| {
        while !ends(&end, GLANCE) {
            if let Some(excess) = limits.excess(first) {
                spawn::end(first);
                // Until it has ended, the control group of its processes cannot be removed.
                while !ends(&end, GLANCE) {}
                return Some(excess);
            }
        }
        limits.memory.was_exceeded().then_some(Excess::Memory)
    });
    while let Err(Errno::INTR) = waitid(WaitId::Pid(first), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
    excess
}

/// Whether the process ends within this time. An error counts as an end: the following wait reports it.
fn ends(process: &OwnedFd, within: Duration) -> bool {
    let Ok(within) = Timespec::try_from(within) else { return true };
    let mut wanted = [PollFd::new(process, PollFlags::IN)];
    match poll(&mut wanted, Some(&within)) {
        Ok(ready) => ready > 0,
        Err(error) => io::Error::from(error).kind() != io::ErrorKind::Interrupted,
    }
}
