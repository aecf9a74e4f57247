//! The threads, files and address space that a command needs. There is room for them before its work begins, or it says which
//! limit is in the way: afterwards, a missing one could only end the work in the middle.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use tokio::runtime::{Builder, Runtime};

use super::limits;
use crate::error::CommandError;

/// A run waits for most of its time; more threads than that are of no use to it.
const MOST_WORKERS: usize = 8;
/// Threads for blocking work that are there from the beginning and stay. Where the system gives no further one, such
/// work waits for one of them; without any, tokio would panic.
const RESERVED: usize = 2;
/// What a run starts besides: journals, audit log, memory, and one command with its first process.
const OF_A_RUN: usize = 10;
/// Files that a runtime opens for itself: without them tokio would panic.
const FILES_OF_A_RUNTIME: usize = 8;
/// Files that a run has open at a time: its records, the memory, a connection, and the streams of a command.
const FILES_OF_A_RUN: usize = 20;
/// Address space of a run: far more than the memory that it uses, since each thread's heap reserves some. Where the
/// kernel gives none, Rust can only abort.
const ADDRESSES_OF_A_RUN: u64 = 1024 * 1024 * 1024;
/// Reserved threads stay as long as the program: tokio ends idle ones after ten seconds otherwise.
const STAY: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// How long the start of a thread may take that the system has agreed to.
const STARTING: Duration = Duration::from_secs(10);

/// The runtime for runs.
pub(crate) fn for_runs() -> Result<Runtime, CommandError> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_WORKERS);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(workers);
    started(builder, workers)
}

/// A runtime with one thread of its own, for what only listens and waits.
pub(crate) fn for_waiting() -> Result<Runtime, CommandError> {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1);
    started(builder, 1)
}

/// A runtime on this thread, for a few model calls or the end of background work.
pub(crate) fn on_this_thread() -> Result<Runtime, CommandError> {
    started(Builder::new_current_thread(), 0)
}

/// A runtime on this thread, for what only waits: for other threads or for a process. It has no thread in reserve for
/// blocking work.
pub(crate) fn to_wait_for_others() -> Result<Runtime, CommandError> {
    room_for_files(FILES_OF_A_RUNTIME)?;
    Builder::new_current_thread().enable_all().build().map_err(not_started)
}

/// Whether a run can be begun now: what it starts has room.
///
/// # Errors
/// There is no room; the error names the limits.
pub(crate) fn room_for_a_run() -> Result<(), CommandError> {
    room_for_files(FILES_OF_A_RUN)?;
    if getrlimit(Resource::As).current.is_some_and(|most| most < ADDRESSES_OF_A_RUN) {
        let needed = crate::view::bytes(ADDRESSES_OF_A_RUN);
        return Err(limited(format!("a run needs {needed} of address space"), Errno::NOMEM.into()));
    }
    artoo_sandbox::room_for_threads(OF_A_RUN).map_err(|error| too_few(error, OF_A_RUN))
}

/// Whether this many more files can be opened now.
fn room_for_files(count: usize) -> Result<(), CommandError> {
    artoo_sandbox::room_for_files(count).map_err(|error| {
        limited(format!("{count} more files have to be opened here, and the system opens fewer"), error)
    })
}

fn started(mut builder: Builder, workers: usize) -> Result<Runtime, CommandError> {
    room_for_files(FILES_OF_A_RUNTIME)?;
    let needed = workers + RESERVED;
    artoo_sandbox::room_for_threads(needed).map_err(|error| too_few(error, needed))?;
    let runtime = builder.enable_all().thread_keep_alive(STAY).build().map_err(not_started)?;
    reserve(&runtime).map_err(|error| too_few(error, needed))?;
    Ok(runtime)
}

/// Starts the reserved threads: each waits until all are there.
fn reserve(runtime: &Runtime) -> io::Result<()> {
    let arrived = Arc::new((Mutex::new(0), Condvar::new()));
    for _ in 0..RESERVED {
        let arrived = Arc::clone(&arrived);
        runtime.spawn_blocking(move || meet(&arrived));
    }
    if meet(&arrived) { Ok(()) } else { Err(Errno::AGAIN.into()) }
}

/// Waits until the reserved threads and the one that starts them are here; whether all came in time.
fn meet((count, changed): &(Mutex<usize>, Condvar)) -> bool {
    let mut count = count.lock().unwrap_or_else(PoisonError::into_inner);
    *count += 1;
    changed.notify_all();
    let waited = changed.wait_timeout_while(count, STARTING, |count| *count <= RESERVED);
    !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
}

fn not_started(error: io::Error) -> CommandError {
    limited("cannot start the threads of this command".to_owned(), error)
}

fn too_few(error: io::Error, needed: usize) -> CommandError {
    limited(format!("{needed} more threads are needed here, and the system does not start them"), error)
}

/// The error of a limit, which the hint names.
fn limited(message: String, error: io::Error) -> CommandError {
    let hint = limits::hint(&error);
    let said = CommandError::failed(message).because(error);
    match hint {
        Some(hint) => said.hint(hint),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// The reserved threads do blocking work at the same time: each task waits for the other.
    #[test]
    fn blocking_work_finds_its_threads() {
        for runtime in [on_this_thread(), for_waiting(), for_runs()] {
            let runtime = runtime.unwrap();
            let (to_first, first) = mpsc::channel();
            let (to_second, second) = mpsc::channel();
            let one = runtime.spawn_blocking(move || to_second.send(1).is_ok() && first.recv() == Ok(2));
            let two = runtime.spawn_blocking(move || to_first.send(2).is_ok() && second.recv() == Ok(1));
            assert!(runtime.block_on(one).unwrap() && runtime.block_on(two).unwrap());
        }
    }
}
