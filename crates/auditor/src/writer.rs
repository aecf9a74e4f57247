//! The writer thread between the bus tap and the audit log.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use artoo_bus::{Clock, Observed, Tap, TapStop};
use artoo_types::{Role, RunId, Warning};
use tokio::sync::watch;

use crate::index::SEGMENT;
use crate::{AuditError, AuditLog, Entry, Gap, Vocabulary, What, facts};

/// Maximum number of entries written at a time, and held while the log cannot be written.
const BATCH: usize = 512;
/// Time for which messages are gathered after the first one: one write per message would cost a lock and two
/// writes each. A killed process loses at most this much of its log; nothing waits for it, see
/// [`AuditWriter::stop`].
const GATHER: Duration = Duration::from_millis(5);
/// Delay before retrying a log that could not be written.
const AGAIN: Duration = Duration::from_secs(1);

/// Called on the writer's thread when the log cannot be written, once until it can again. The run continues;
/// messages that the auditor cannot keep in the meantime are recorded as a gap. Publish [`AuditError`]'s text
/// as a `Warning` of the supervisor: [`warning`] makes one.
pub type OnWriteError = Box<dyn FnMut(&AuditError) + Send>;

/// The thread that writes messages from a tap to a log.
///
/// It takes nothing from the tap while the log cannot be written, so that the tap counts what is lost.
/// Dropping it, like [`AuditWriter::stop`], writes the rest of the tap and ends the thread.
pub struct AuditWriter {
    tap: TapStop,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), AuditError>>>,
    progress: Progress,
}

impl AuditWriter {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// The system cannot create the thread.
    pub fn start(
        tap: Tap,
        log: AuditLog,
        known: Vocabulary,
        clock: Arc<dyn Clock>,
        on_trouble: OnWriteError,
    ) -> Result<Self, AuditError> {
        let (sender, receiver) = watch::channel(0);
        let stop = tap.stop_handle();
        let stopping = Arc::new(AtomicBool::new(false));
        let work = Work {
            tap,
            log,
            known,
            clock,
            on_trouble,
            progress: sender,
            stopping: Arc::clone(&stopping),
            failing: false,
        };
        let thread = thread::Builder::new()
            .name("artoo-auditor".to_owned())
            .spawn(move || work.run())
            .map_err(|source| AuditError::Thread { source })?;
        Ok(Self { tap: stop, stopping, thread: Some(thread), progress: Progress(receiver) })
    }

    /// Progress of the log, for [`crate::LogReporter`].
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Writes everything in the tap, waits until it is on disk, and ends the thread.
    ///
    /// # Errors
    ///
    /// The log could not be written to the end; the missing part is not recorded there.
    pub fn stop(mut self) -> Result<(), AuditError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), AuditError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        self.stopping.store(true, Ordering::Release);
        self.tap.stop();
        thread.thread().unpark();
        thread.join().unwrap_or_else(|_panic| {
            let source = std::io::Error::other("the thread that writes the audit log panicked");
            Err(AuditError::Thread { source })
        })
    }
}

impl Drop for AuditWriter {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::warn!(%error, "the audit log is not complete");
        }
    }
}

/// The number of the last logged message in the operator's run.
#[derive(Clone, Debug)]
pub struct Progress(watch::Receiver<u64>);

impl Progress {
    /// Waits until the operator's message with this number is in the log, and with it everything published
    /// before; `false` if that takes longer than `patience`. Must run on a runtime with time enabled.
    pub async fn reaches(&mut self, seq: u64, patience: Duration) -> bool {
        let reached = self.0.wait_for(|written| *written >= seq);
        tokio::time::timeout(patience, reached).await.is_ok_and(|reached| reached.is_ok())
    }
}

/// The warning that a runtime publishes for an error of the log.
///
/// ```
/// let error = artoo_auditor::AuditError::NotAFile { path: "/tmp/audit.jsonl".into() };
/// let warning = artoo_auditor::warning(&error);
/// assert_eq!(warning.message, "the audit log /tmp/audit.jsonl is not a regular file (move it away; the auditor makes its own file)");
/// ```
pub fn warning(error: &AuditError) -> Warning {
    let mut message = error.to_string();
    if let Some(source) = std::error::Error::source(error) {
        message = format!("{message}: {source}");
    }
    if let Some(hint) = error.hint() {
        message = format!("{message} ({hint})");
    }
    Warning { role: Role::Auditor, message }
}

struct Work {
    tap: Tap,
    log: AuditLog,
    known: Vocabulary,
    clock: Arc<dyn Clock>,
    on_trouble: OnWriteError,
    progress: watch::Sender<u64>,
    stopping: Arc<AtomicBool>,
    failing: bool,
}

impl Work {
    fn run(mut self) -> Result<(), AuditError> {
        let mut pending = VecDeque::new();
        let mut operator = 0;
        while let Some(observed) = self.tap.blocking_recv() {
            let before = operator;
            self.take(observed, &mut pending, &mut operator);
            // No gathering for messages of the operator, who waits for a report.
            if operator == before && !self.stopping.load(Ordering::Acquire) {
                thread::park_timeout(GATHER);
            }
            while pending.len() < BATCH
                && let Some(observed) = self.tap.try_recv()
            {
                self.take(observed, &mut pending, &mut operator);
            }
            let none_waits = pending.len() < BATCH;
            self.write(&mut pending)?;
            self.progress.send_replace(operator);
            if none_waits {
                self.sum_up();
            }
        }
        self.log.sync()
    }

    /// Writes all entries and retries until it succeeds; gives up only when asked to stop.
    fn write(&mut self, pending: &mut VecDeque<Entry>) -> Result<(), AuditError> {
        loop {
            // Read before the attempt, so that there is one attempt after the stop.
            let last = self.stopping.load(Ordering::Acquire);
            match self.log.append(pending) {
                Ok(()) => {
                    self.failing = false;
                    return Ok(());
                }
                Err(error) => {
                    if !std::mem::replace(&mut self.failing, true) {
                        (self.on_trouble)(&error);
                    }
                    if last {
                        return Err(error);
                    }
                    thread::park_timeout(AGAIN);
                }
            }
        }
    }

    /// Sums up older lines for later reports, a stretch at a time.
    fn sum_up(&mut self) {
        if let Err(error) = self.log.seal(SEGMENT, self.clock.now()) {
            // Reports read the lines instead.
            tracing::debug!(%error, "older lines of the audit log are not summed up");
        }
    }

    fn take(&self, observed: Observed, pending: &mut VecDeque<Entry>, operator: &mut u64) {
        match observed {
            Observed::Message(envelope) => {
                if envelope.run_id == RunId::OPERATOR {
                    *operator = envelope.seq;
                }
                let what = What::Event {
                    run_id: envelope.run_id,
                    seq: envelope.seq,
                    from: envelope.from,
                    kind: envelope.message.kind(),
                    facts: facts(&envelope, &self.known),
                };
                pending.push_back(Entry { at: envelope.at, what });
            }
            Observed::Lagged(lag) => {
                let at = self.clock.now();
                for range in lag.ranges {
                    if range.run_id == RunId::OPERATOR {
                        *operator = range.last_seq;
                    }
                    let gap = Gap::Lagged {
                        run_id: range.run_id,
                        first_seq: range.first_seq,
                        last_seq: range.last_seq,
                    };
                    pending.push_back(Entry { at, what: What::Gap(gap) });
                }
            }
        }
    }
}
