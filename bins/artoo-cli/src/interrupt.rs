//! The signals that end a run: the first asks it to end, with its record; the second leaves at once.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use artoo_runtime::{Canceller, Interruption};
use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::error::Exit;

/// How long the work may take to end: the sandbox gives a process half a second before it kills it.
const GRACE: Duration = Duration::from_millis(950);
/// How long a run that was asked to end may take to be on record.
const RECORD: Duration = Duration::from_secs(4);

/// Which signal came first, if one did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupted(Arc<AtomicU8>);

impl Interrupted {
    /// The exit code that follows from the signal; `None` where none came.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            number => Some(Exit::of_signal(number)),
        }
    }
}

/// The signals, caught from now on: one that comes before [`watch`] is called is not lost, and does not kill the process.
#[derive(Debug)]
pub(crate) struct Caught {
    interrupt: Signal,
    terminate: Signal,
    quit: Signal,
    /// `None` under `nohup`, which has it ignored.
    hangup: Option<Signal>,
    /// Nobody waits for it. With a handler a write beyond the limit of file sizes fails, and the run ends by that error; without
    /// one the process would be killed. Commands get the handling back that every program begins with.
    _file_size: Signal,
}

/// Catches the signals. Before the work begins, or one that comes at its beginning would leave it without an end. Must be called
/// inside a runtime.
///
/// # Errors
/// The system gives no more signal handlers.
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
    /// Waits for the next signal, and gives the exit code that follows from it. Cancel-safe.
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

/// Watches on a thread of the runtime, so that even a program that is stuck in writing to a pipe ends, once the run is `recorded` or
/// had the time to be. Must be called inside a runtime.
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
            // The run is on record, or had its time.
            let (_, ()) = tokio::join!(tokio::time::timeout(RECORD, recorded), tokio::time::sleep(GRACE));
        };
        tokio::select! {
            _ = caught.next() => {}
            () = ended => {}
        }
        // The kernel kills the children of a run with this process.
        std::process::exit(i32::from(Exit::of_signal(number).code()));
    });
    interrupted
}

/// The signals of a program that works on one request after the other: Ctrl+C ends the run, and the program only where it is pressed
/// again; the other signals end both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing(Arc<Mutex<Phase>>);

/// What a signal finds.
#[derive(Clone, Debug, Default)]
enum Phase {
    /// Nobody works: Ctrl+C is a key of the prompt.
    #[default]
    Idle,
    /// A run is made ready; Ctrl+C, where it came already, ends it as it begins.
    Beginning { interrupted: bool },
    /// A run works.
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
    /// Watches from now on, on a thread of the runtime. `restore` puts the terminal in order before the program ends. Must be called
    /// inside a runtime.
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

    /// A run is made ready from now on.
    pub(crate) fn begins(&self) {
        *self.lock() = Phase::Beginning { interrupted: false };
    }

    /// Ctrl+C came while the run was made ready. If it has begun meanwhile, it ends.
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

    /// From now on signals end this run.
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

    /// The run is over.
    pub(crate) fn over(&self) {
        *self.lock() = Phase::Idle;
    }
}

impl AtWork {
    /// As Ctrl+C does.
    fn interrupt(&self) {
        let number = u8::try_from(Number::INT.as_raw()).unwrap_or(u8::MAX);
        self.interrupted.0.store(number, Ordering::Relaxed);
        self.canceller.interrupt(Interruption::Interrupted);
    }
}

/// Who hears the signals that end a run.
pub(crate) enum Signals {
    /// A program of one run.
    Once(Caught),
    /// A program of many.
    Standing(Standing),
}

impl Signals {
    /// From now on signals end this run. Must be called inside a runtime.
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

/// Whether a signal was ignored before the program began. Where the system does not tell, it was not.
fn is_ignored(signal: Number) -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    let bit = u32::try_from(signal.as_raw() - 1).ok().and_then(|shift| 1_u64.checked_shl(shift));
    bit.is_some_and(|bit| mask & bit != 0)
}
