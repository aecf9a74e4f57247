//! Holds a running command, from outside its domain.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Signals the first process of a command and its group. Dropping it kills them; the keeper then ends the rest.
#[derive(Debug)]
pub(crate) struct Leash {
    pid: Pid,
    fastened: Fastened,
}

/// Whether the first process still owns its number. Cleared before the process is reaped, under the lock that
/// every signal takes: a number may belong to somebody else afterwards.
#[derive(Debug, Clone)]
pub(crate) struct Fastened(Arc<Mutex<bool>>);

impl Leash {
    pub(crate) fn new(pid: Pid) -> (Self, Fastened) {
        let fastened = Fastened(Arc::new(Mutex::new(true)));
        (Self { pid, fastened: fastened.clone() }, fastened)
    }

    /// Asks the group to end.
    pub(crate) fn ask(&self) {
        self.send(Signal::TERM);
        self.send(Signal::CONT); // a stopped process cannot obey
    }

    /// Kills the group.
    pub(crate) fn kill(&self) {
        self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) {
        let fastened = self.fastened.lock();
        if *fastened {
            // Both may be gone or beyond our rights already; the keeper reports what is left.
            let _ = kill_process_group(self.pid, signal);
            let _ = kill_process(self.pid, signal);
        }
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Fastened {
    /// From now on no signal is sent.
    pub(crate) fn release(&self) {
        *self.lock() = false;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
