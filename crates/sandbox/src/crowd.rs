//! Watches that a command does not multiply, or write, without end.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, pidfd_open, waitid,
};

use crate::process_table::threads_of_the_machine;
use crate::room::Room;
use crate::tree::Tree;

/// Between two cheap looks at the machine.
const GLANCE: Duration = Duration::from_millis(40);
/// Between two counts of the tree, when the machine as a whole does not fill up.
const COUNT: Duration = Duration::from_secs(1);

/// The processes of a command, and how many there may be.
#[derive(Debug)]
pub(crate) struct Crowd<'a> {
    tree: &'a Tree,
    most: u32,
    /// The fewest threads that the machine had meanwhile.
    fewest: Option<u64>,
    counted: Instant,
}

impl<'a> Crowd<'a> {
    pub(crate) fn new(tree: &'a Tree, most: u32) -> Self {
        Self { tree, most, fewest: threads_of_the_machine(), counted: Instant::now() }
    }

    /// Whether there are too many. Counting asks the kernel about each process of the machine, so it is done often only while the
    /// machine fills up.
    fn is_too_large(&mut self) -> bool {
        let now = threads_of_the_machine();
        self.fewest = self.fewest.min(now);
        let more = now.zip(self.fewest).map_or(0, |(now, fewest)| now.saturating_sub(fewest));
        if more <= u64::from(self.most / 2) && self.counted.elapsed() < COUNT {
            return false;
        }
        self.counted = Instant::now();
        u32::try_from(self.tree.size()).is_ok_and(|size| size > self.most)
    }
}

/// Of what a command had too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excess {
    Processes,
    Disk,
}

/// Waits for the end of the first process and leaves it to be reaped. Says whether it was killed, with its group, and for what.
pub(crate) fn wait(pid: Pid, watched: Option<(Crowd<'_>, Room)>) -> Option<Excess> {
    let watched = watched.zip(pidfd_open(pid, PidfdFlags::empty()).ok());
    let excess = watched.and_then(|((mut crowd, room), end)| {
        while !ends(&end, GLANCE) {
            let excess = if crowd.is_too_large() {
                Excess::Processes
            } else if room.is_used_up() {
                Excess::Disk
            } else {
                continue;
            };
            // One call for the whole group, during which none of it can start another process. Both may be gone already.
            let _ = kill_process_group(pid, Signal::KILL);
            let _ = kill_process(pid, Signal::KILL);
            return Some(excess);
        }
        None
    });
    while let Err(Errno::INTR) = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
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
