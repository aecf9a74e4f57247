//! Whether more threads, processes and files can be had, found out by having them for a moment.
//!
//! It says what holds at the moment: a program asks before work that cannot be left half done.

use std::fs::File;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Starts this many threads that only wait, lets them end, and says whether all were there at once. Threads and
/// processes are counted together, by the user's limit and by that of a control group.
///
/// ```
/// artoo_sandbox::room_for_threads(2)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The kernel's, of the first thread that was not started: usually [`io::ErrorKind::WouldBlock`].
pub fn room_for_threads(count: usize) -> io::Result<()> {
    let gate = Arc::new(Gate::default());
    let waiting = (0..count).map(|_| {
        let gate = Arc::clone(&gate);
        Builder::new().name("artoo-room".to_owned()).spawn(move || gate.wait())
    });
    // The first failure ends the trial.
    let mut started: Vec<JoinHandle<()>> = Vec::new();
    let mut failure = None;
    for thread in waiting {
        match thread {
            Ok(thread) => started.push(thread),
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    gate.open();
    for thread in started {
        // It only waits, so it cannot panic.
        let _ = thread.join();
    }
    failure.map_or(Ok(()), Err)
}

/// Opens this many files, closes them again, and says whether all were open at once.
///
/// # Errors
/// The kernel's, of the first file that was not opened.
pub fn room_for_files(count: usize) -> io::Result<()> {
    (0..count).map(|_| File::open("/dev/null")).collect::<io::Result<Vec<File>>>().map(drop)
}

#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn wait(&self) {
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.opened.wait_while(is_open, |is_open| !*is_open));
    }

    fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }
}
