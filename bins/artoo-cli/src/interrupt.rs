//! Ctrl+C and SIGTERM: the first asks the work to end, the second leaves at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::Exit;

/// How long the work may take to end: the sandbox gives a process half a second before it kills it.
const GRACE: Duration = Duration::from_millis(950);

/// Whether somebody interrupted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupted(Arc<AtomicBool>);

impl Interrupted {
    /// Whether it has happened.
    pub(crate) fn happened(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The signals, caught from now on: one that comes before [`watch`] is called is not lost, and does not kill the process.
#[derive(Debug)]
pub(crate) struct Caught {
    interrupt: Signal,
    terminate: Signal,
}

/// Catches the signals. Before the work begins, or one that comes at its beginning would leave it without an end. Must be called
/// inside a runtime.
///
/// # Errors
/// The system gives no more signal handlers.
pub(crate) fn catch() -> io::Result<Caught> {
    Ok(Caught { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
}

/// Watches on a thread of the runtime, so that even a program that is stuck in writing to a pipe ends. Must be called inside a
/// runtime.
pub(crate) fn watch(caught: Caught, first: impl FnOnce() + Send + 'static) -> Interrupted {
    let Caught { mut interrupt, mut terminate } = caught;
    let interrupted = Interrupted::default();
    let seen = interrupted.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        seen.0.store(true, Ordering::Relaxed);
        first();
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = tokio::time::sleep(GRACE) => {}
        }
        // The kernel kills the children of a run with this process.
        std::process::exit(i32::from(Exit::INTERRUPTED.code()));
    });
    interrupted
}
