//! Watches that a command does not multiply, or write, without end.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};

use crate::disk_limit::DiskLimit;
use crate::process_table::{count_descendants, threads_of_the_machine};
use crate::spawn;

/// Between two cheap looks at the machine.
const GLANCE: Duration = Duration::from_millis(40);
/// Between two counts of the tree, when the machine as a whole does not fill up.
const COUNT: Duration = Duration::from_secs(1);

/// How many processes a command may have.
#[derive(Debug)]
pub(crate) struct ProcessLimit {
    first: Pid,
    most: u32,
    /// The fewest threads that the machine had meanwhile.
    fewest: Option<u64>,
    counted: Instant,
}

impl ProcessLimit {
    pub(crate) fn new(first: Pid, most: u32) -> Self {
        Self { first, most, fewest: threads_of_the_machine(), counted: Instant::now() }
    }

    /// Whether there are too many. Counting reads the table of all processes of the machine, so it is done often only while the
    /// machine fills up.
    fn is_exceeded(&mut self) -> bool {
        let now = threads_of_the_machine();
        self.fewest = self.fewest.min(now);
        let more = now.zip(self.fewest).map_or(0, |(now, fewest)| now.saturating_sub(fewest));
        if more <= u64::from(self.most / 2) && self.counted.elapsed() < COUNT {
            return false;
        }
        self.counted = Instant::now();
        u32::try_from(count_descendants(self.first)).is_ok_and(|size| size > self.most)
    }
}

/// Of what a command had too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excess {
    Processes,
    Disk,
}

/// Waits for the end of the first process and leaves it to be reaped. Says whether it was ended, with all others, and for what.
pub(crate) fn wait(first: Pid, limits: Option<(ProcessLimit, DiskLimit)>) -> Option<Excess> {
    let watched = limits.zip(pidfd_open(first, PidfdFlags::empty()).ok());
    let excess = watched.and_then(|((mut processes, disk), end)| {
        while !ends(&end, GLANCE) {
            let excess = if processes.is_exceeded() {
                Excess::Processes
            } else if disk.is_used_up() {
                Excess::Disk
            } else {
                continue;
            };
            spawn::end(first);
            return Some(excess);
        }
        None
    });
    while let Err(Errno::INTR) = waitid(WaitId::Pid(first), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
    excess
}

/// Whether the process ends within this time. An error counts as an end: the wait after it knows better.
fn ends(process: &OwnedFd, within: Duration) -> bool {
    let Ok(within) = Timespec::try_from(within) else { return true };
    let mut wanted = [PollFd::new(process, PollFlags::IN)];
    match poll(&mut wanted, Some(&within)) {
        Ok(ready) => ready > 0,
        Err(error) => io::Error::from(error).kind() != io::ErrorKind::Interrupted,
    }
}
