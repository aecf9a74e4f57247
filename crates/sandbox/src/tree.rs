//! Finds and ends the processes of one command.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::process_table::{self, ProcessEntry};
use crate::witness::Witness;

/// How long a process left behind may take to obey SIGTERM.
const POLITE: Duration = Duration::from_millis(150);
/// How long killing is repeated before the rest is reported as survivors.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two looks at the process table.
const PAUSE: Duration = Duration::from_millis(3);

/// What marks the processes of one command. Valid while the first process is not reaped, because until then its
/// number names no other process, group or session.
#[derive(Debug)]
pub(crate) struct Tree {
    first: ProcessEntry,
    witness: Witness,
    /// `NAME=value` in the environment of the command.
    marker: String,
}

/// How processes are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Asked first.
    Politely,
    /// Killed: while they are asked, they would multiply.
    AtOnce,
}

/// What [`Tree::end`] did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Swept {
    pub(crate) leftovers: u32,
    pub(crate) survivors: u32,
}

impl Tree {
    pub(crate) fn new(first: ProcessEntry, witness: Witness, marker: String) -> Self {
        Self { first, witness, marker }
    }

    /// How many processes live, the first among them.
    pub(crate) fn size(&self) -> usize {
        self.living().len().saturating_add(1)
    }

    /// Ends every process but the first. Blocks up to two seconds.
    pub(crate) fn end(&self, manner: Manner) -> Swept {
        let begin = Instant::now();
        let mut seen = BTreeSet::new();
        let mut quiet = false;
        loop {
            let living = self.living();
            // One that forks and exits all the time can slip through one look at the table.
            if living.is_empty() && (quiet || seen.is_empty()) {
                return Swept { leftovers: count(seen.len()), survivors: 0 };
            }
            quiet = living.is_empty();
            if begin.elapsed() > PATIENCE {
                return Swept { leftovers: count(seen.len()), survivors: count(living.len()) };
            }
            let ask = manner == Manner::Politely && begin.elapsed() < POLITE;
            for process in &living {
                let new = seen.insert((raw(process.pid), process.started));
                if !ask {
                    send(process, Signal::KILL);
                } else if new {
                    send(process, Signal::TERM);
                    send(process, Signal::CONT); // a stopped process cannot obey
                }
            }
            thread::sleep(PAUSE);
        }
    }

    /// The living processes of the tree, without the first.
    fn living(&self) -> Vec<ProcessEntry> {
        let candidates = process_table::all_pids().into_iter();
        // Nothing that ran before the command can belong to it, whatever else speaks for it.
        let of_this_run = |process: &ProcessEntry| {
            !process.dead && process.pid != self.first.pid && process.started >= self.first.started
        };
        match self.witness {
            // Cheap, and complete: one system call for each process of the machine.
            Witness::Signal => candidates
                .filter(|pid| self.witness.vouches_for(*pid))
                .filter_map(process_table::entry)
                .filter(of_this_run)
                .collect(),
            Witness::Trace | Witness::Mounts(..) | Witness::None => {
                self.related(candidates.filter_map(process_table::entry).filter(of_this_run).collect())
            }
        }
    }

    /// Those with any mark of the command, and their children, and theirs.
    fn related(&self, mut others: Vec<ProcessEntry>) -> Vec<ProcessEntry> {
        let first = raw(self.first.pid);
        let mut found: Vec<ProcessEntry> = others
            .extract_if(.., |process| {
                [process.group, process.session, process.parent].contains(&first)
                    || self.witness.vouches_for(process.pid)
                    || process_table::has_variable(process.pid, &self.marker)
            })
            .collect();
        loop {
            let parents: BTreeSet<i32> = found.iter().map(|p| raw(p.pid)).collect();
            let before = found.len();
            found.extend(others.extract_if(.., |process| parents.contains(&process.parent)));
            if found.len() == before {
                return found;
            }
        }
    }
}

/// Signals exactly this process. The handle is opened first and the identity compared after, so a number that was
/// given to somebody else in between is left alone.
fn send(process: &ProcessEntry, signal: Signal) {
    let Ok(handle) = pidfd_open(process.pid, PidfdFlags::empty()) else { return };
    let still = process_table::entry(process.pid).is_some_and(|now| now.started == process.started);
    if still {
        // It may have ended in between or belong to another user; the next look at the table tells.
        let _ = pidfd_send_signal(handle, signal);
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The number of a process as the kernel prints it.
fn raw(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}
