//! Handle on a running command: signals its first process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process};

use crate::spawn;

/// Signals the first process of a command, which forwards it to all others. Dropping it kills them.
#[derive(Debug)]
pub(crate) struct ProcessGuard {
    first: Pid,
    alive: Alive,
}

/// Whether the first process still owns its pid. Cleared before the process is reaped, under the lock that
/// every signal takes: afterwards the pid may belong to another process.
#[derive(Debug, Clone)]
pub(crate) struct Alive(Arc<Mutex<bool>>);

impl ProcessGuard {
    pub(crate) fn new(first: Pid) -> (Self, Alive) {
        let alive = Alive(Arc::new(Mutex::new(true)));
        (Self { first, alive: alive.clone() }, alive)
    }

    /// Asks every process of the command to end.
    pub(crate) fn ask(&self) {
        if *self.alive.lock() {
            // It may be gone already; the thread that waits for it reports what is left.
            let _ = kill_process(self.first, Signal::TERM);
        }
    }

    /// Kills every process of the command.
    pub(crate) fn end(&self) {
        if *self.alive.lock() {
            spawn::end(self.first);
        }
    }
}

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        self.end();
    }
}

impl Alive {
    /// No signal is sent from now on.
    pub(crate) fn clear(&self) {
        *self.lock() = false;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
