//! The engine's own thread: requests queue up and are answered one at a time, in order of arrival.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use artoo_llm_client::{Completion, LlmError, Progress, Reporter, Request};
use tokio::sync::oneshot;

use crate::error::LocalError;
use crate::options::LocalOptions;
use crate::session::{Session, Watch};

/// The channel for a result. If it is closed, the request was cancelled.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, LlmError>>;

/// A job for the engine.
pub(crate) enum Job {
    /// Answers requests in a batch: as many, from the first on, as can be begun.
    Answer(Vec<Request>, Reporter, Reply<Vec<Completion>>),
    /// Processes a system text in advance.
    Warm(Arc<str>, Reply<()>),
}

/// Starts the thread. It ends when the last sender is dropped.
pub(crate) fn start(options: LocalOptions) -> std::io::Result<Sender<Job>> {
    let (sender, jobs) = channel();
    std::thread::Builder::new().name("artoo-llm-local".to_owned()).spawn(move || run(options, &jobs))?;
    Ok(sender)
}

fn run(options: LocalOptions, jobs: &Receiver<Job>) {
    let mut engine = Engine { options, session: None };
    while let Ok(job) = jobs.recv() {
        match job {
            Job::Answer(requests, reporter, reply) => {
                engine.work((reply, &reporter), |session, watch| session.complete(&requests, watch));
            }
            Job::Warm(system, reply) => {
                let unheard = Reporter::default();
                engine.work((reply, &unheard), |session, watch| {
                    Ok(session.warm(&system, watch)?.then_some(()))
                });
            }
        }
    }
}

struct Engine {
    options: LocalOptions,
    session: Option<Session>,
}

impl Engine {
    /// Does one job, loading the model if needed; nothing is sent if it was cancelled.
    fn work<T: Send>(
        &mut self,
        (reply, reporter): (Reply<T>, &Reporter),
        job: impl FnOnce(&mut Session, Watch<'_>) -> Result<Option<T>, LocalError>,
    ) {
        if reply.is_closed() {
            return;
        }
        let cancelled = || reply.is_closed();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let session = match &mut self.session {
                Some(session) => session,
                none => {
                    let loaded = |done, total| reporter.report(Progress::LoadingModel { done, total });
                    none.insert(Session::open(&self.options, &loaded)?)
                }
            };
            job(session, Watch { cancelled: &cancelled, reporter })
        }));
        let result = match outcome {
            Ok(Ok(Some(value))) => Ok(value),
            Ok(Ok(None)) => return,
            Ok(Err(error)) => Err(error),
            Err(panic) => Err(LocalError::Broken { reason: words(panic.as_ref()) }),
        };
        if matches!(result, Err(LocalError::Broken { .. })) {
            self.session = None;
        }
        // The receiver may be gone.
        let _ = reply.send(result.map_err(|error| error.into_llm(&self.options.name)));
    }
}

/// The panic's message.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it panicked without a message".to_owned())
}
