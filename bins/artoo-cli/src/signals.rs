//! Handling of the signals that end a run.
//!
//! The first signal requests an orderly end with a record, the second one exits at once.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use artoo_runtime::{Canceller, Interruption};
use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::error::Exit;

/// How long the work may take to end. The sandbox gives a process half a second before it kills it.
const GRACE: Duration = Duration::from_millis(950);
/// How long an interrupted run may take to be recorded.
const RECORD: Duration = Duration::from_secs(4);

/// The first signal that arrived, if any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupted(Arc<AtomicU8>);

impl Interrupted {
    /// The exit code for the signal; `None` if none has arrived.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            number => Some(Exit::of_signal(number)),
        }
    }
}

/// Signal handlers. A signal that arrives before [`watch`] is called is neither lost nor kills the process.
#[derive(Debug)]
pub(crate) struct Caught {
    interrupt: Signal,
    terminate: Signal,
    quit: Signal,
    /// `None` if SIGHUP is ignored, as under `nohup`.
    hangup: Option<Signal>,
    /// Never awaited. With a handler, a write beyond the file size limit fails and the run ends with that
    /// error; without one, SIGXFSZ would kill the process. Commands get the default handling back.
    _file_size: Signal,
}

/// Installs the signal handlers. To be called before the work begins, so that an early signal does not kill
/// the process without a record; must be called inside a runtime.
///
/// # Errors
/// The system refuses a signal handler.
pub(crate) fn catch() -> io::Result<Caught> {
    let hangup = if is_ignored(Number::HUP) { None } else { Some(signal(SignalKind::hangup())?) };
    Ok(Caught {
        interrupt: signal(SignalKind::interrupt())?,
        terminate: signal(SignalKind::terminate())?,
        quit: signal(SignalKind::quit())?,
        hangup,
        _file_size: signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?,
    })
}

impl Caught {
    /// Waits for the next signal and returns the resulting exit code. Cancel-safe.
    pub(crate) async fn ended(&mut self) -> Exit {
        Exit::of_signal(u8::try_from(self.next().await.0.as_raw()).unwrap_or(u8::MAX))
    }

    /// Waits for the next signal. Cancel-safe.
    async fn next(&mut self) -> (Number, Interruption) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => (Number::INT, Interruption::Interrupted),
            _ = self.terminate.recv() => (Number::TERM, Interruption::Terminated),
            _ = self.quit.recv() => (Number::QUIT, Interruption::Quit),
            _ = hangup => (Number::HUP, Interruption::HungUp),
        }
    }
}

/// Watches for signals on a thread of the runtime, so that even a program blocked on a pipe ends once the run
/// is `recorded` or the grace period is over. Must be called inside a runtime.
pub(crate) fn watch(
    mut caught: Caught,
    first: impl FnOnce(Interruption) + Send + 'static,
    recorded: impl Future<Output = ()> + Send + 'static,
) -> Interrupted {
    let interrupted = Interrupted::default();
    let seen = interrupted.clone();
    tokio::spawn(async move {
        let (number, reason) = caught.next().await;
        let number = u8::try_from(number.as_raw()).unwrap_or(u8::MAX);
        seen.0.store(number, Ordering::Relaxed);
        first(reason);
        let ended = async {
            // Wait until the run is recorded, or the limit has passed.
            let (_, ()) = tokio::join!(tokio::time::timeout(RECORD, recorded), tokio::time::sleep(GRACE));
        };
        tokio::select! {
            _ = caught.next() => {}
            () = ended => {}
        }
        // The children of a run are killed by the kernel when this process ends.
        std::process::exit(i32::from(Exit::of_signal(number).code()));
    });
    interrupted
}

/// Whether the program was stopped and goes on (SIGCONT). A shell has given the terminal other modes meanwhile.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContinueSignal(pub(crate) Arc<AtomicBool>);

impl ContinueSignal {
    /// Watches for the signal from now on, on a thread of the runtime, where `at_once` is called. Must be called inside
    /// a runtime.
    ///
    /// # Errors
    /// The system refuses the signal handler.
    pub(crate) fn watch(at_once: fn()) -> io::Result<Self> {
        let continued = Self::default();
        let (seen, mut goes_on) = (continued.clone(), signal(SignalKind::from_raw(Number::CONT.as_raw()))?);
        tokio::spawn(async move {
            while goes_on.recv().await.is_some() {
                at_once();
                seen.0.store(true, Ordering::Relaxed);
            }
        });
        Ok(continued)
    }
}

/// Signal handling of a program that runs one request after the other: Ctrl+C ends the run, and the program
/// only if pressed again; the other signals end both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing(Arc<Mutex<Phase>>);

/// What a signal applies to.
#[derive(Clone, Debug, Default)]
enum Phase {
    /// No run is active: Ctrl+C is a key of the prompt.
    #[default]
    Idle,
    /// A run is being prepared. If Ctrl+C has already arrived, the run ends as soon as it begins.
    Beginning { interrupted: bool },
    /// A run is active.
    Working(AtWork),
}

/// The run that a signal ends.
#[derive(Clone, Debug)]
struct AtWork {
    canceller: Canceller,
    recorded: CancellationToken,
    interrupted: Interrupted,
}

impl Standing {
    /// Watches for signals from now on, on a thread of the runtime. `restore` restores the terminal before
    /// the program ends. Must be called inside a runtime.
    pub(crate) fn watch(mut caught: Caught, restore: fn()) -> Self {
        let standing = Self::default();
        let watched = standing.clone();
        tokio::spawn(async move {
            loop {
                let (number, reason) = caught.next().await;
                let raw = u8::try_from(number.as_raw()).unwrap_or(u8::MAX);
                let phase = watched.lock().clone();
                let leaves = match phase {
                    Phase::Idle => number != Number::INT,
                    Phase::Beginning { interrupted } => {
                        watched.was_interrupted();
                        interrupted || number != Number::INT
                    }
                    Phase::Working(run) => {
                        let again = run.interrupted.0.swap(raw, Ordering::Relaxed) != 0;
                        run.canceller.interrupt(reason);
                        if number != Number::INT && !again {
                            tokio::select! {
                                _ = caught.next() => {}
                                _ = tokio::time::timeout(RECORD, run.recorded.cancelled()) => {}
                            }
                        }
                        again || number != Number::INT
                    }
                };
                if leaves {
                    restore();
                    std::process::exit(i32::from(Exit::of_signal(raw).code()));
                }
            }
        });
        standing
    }

    /// Marks that a run is being prepared.
    pub(crate) fn begins(&self) {
        *self.lock() = Phase::Beginning { interrupted: false };
    }

    /// Handles Ctrl+C during the preparation of a run. If the run has begun meanwhile, it ends.
    fn was_interrupted(&self) {
        match &mut *self.lock() {
            Phase::Idle => {}
            Phase::Beginning { interrupted } => *interrupted = true,
            Phase::Working(run) => run.interrupt(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, signals end this run.
    fn begin(
        &self,
        canceller: Canceller,
        recorded: impl Future<Output = ()> + Send + 'static,
    ) -> Interrupted {
        let interrupted = Interrupted::default();
        let done = CancellationToken::new();
        let run = AtWork { canceller, recorded: done.clone(), interrupted: interrupted.clone() };
        let phase = std::mem::replace(&mut *self.lock(), Phase::Working(run.clone()));
        if matches!(phase, Phase::Beginning { interrupted: true }) {
            run.interrupt();
        }
        tokio::spawn(async move {
            recorded.await;
            done.cancel();
        });
        interrupted
    }

    /// Marks the run as finished.
    pub(crate) fn over(&self) {
        *self.lock() = Phase::Idle;
    }
}

impl AtWork {
    /// Ends the run as Ctrl+C does.
    fn interrupt(&self) {
        let number = u8::try_from(Number::INT.as_raw()).unwrap_or(u8::MAX);
        self.interrupted.0.store(number, Ordering::Relaxed);
        self.canceller.interrupt(Interruption::Interrupted);
    }
}

/// The signal handling of the program.
pub(crate) enum Signals {
    /// A program with a single run.
    Once(Caught),
    /// A program with a sequence of runs.
    Standing(Standing),
}

impl Signals {
    /// From now on, signals end this run. Must be called inside a runtime.
    pub(crate) fn end(
        self,
        canceller: Canceller,
        recorded: impl Future<Output = ()> + Send + 'static,
    ) -> Interrupted {
        match self {
            Self::Once(caught) => watch(caught, move |reason| canceller.interrupt(reason), recorded),
            Self::Standing(standing) => standing.begin(canceller, recorded),
        }
    }
}

/// Whether a signal was ignored when the program started. Assumed to be false if the system does not tell.
fn is_ignored(signal: Number) -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    let bit = u32::try_from(signal.as_raw() - 1).ok().and_then(|shift| 1_u64.checked_shl(shift));
    bit.is_some_and(|bit| mask & bit != 0)
}
