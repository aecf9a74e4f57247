//! How far a model call is, from the client that makes it to whoever waits for it.
//!
//! The reporter is not in the request and not in the signature of [`LlmClient`](crate::LlmClient): it belongs to the
//! task in which the call runs. So a client that knows nothing of it needs no change, every client around another one
//! passes it on, and a recorded request is the same with and without it.

use std::sync::Arc;

use artoo_types::SubTaskId;
pub use artoo_types::{Progress, RetryReason};

tokio::task_local! {
    static REPORTER: Reporter;
    static SUBTASK: SubTaskId;
}

/// Takes the reports of one call. Clones share the listener.
///
/// ```
/// use artoo_llm_client::{Progress, Reporter};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (heard, reports) = std::sync::mpsc::channel();
/// let reporter = Reporter::new(move |progress| drop(heard.send(progress)));
/// // Inside of `LlmClient::complete`, a client asks for the reporter of its call.
/// reporter.during(async { Reporter::current().report(Progress::Queued) }).await;
/// assert_eq!(reports.recv(), Ok(Progress::Queued));
/// // Outside of a call nobody listens.
/// Reporter::current().report(Progress::Queued);
/// # });
/// ```
#[derive(Clone, Default)]
pub struct Reporter(Option<Arc<dyn Fn(Progress) + Send + Sync>>);

impl Reporter {
    /// A reporter with this listener, which must be quick and must not block.
    pub fn new(listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// The reporter of the call that runs in this task; outside of a call, one without a listener.
    pub fn current() -> Self {
        REPORTER.try_with(Clone::clone).unwrap_or_default()
    }

    /// Whether somebody listens. A report that is costly to make can be left out otherwise.
    pub fn has_listener(&self) -> bool {
        self.0.is_some()
    }

    /// Reports. Each report replaces the one before it.
    pub fn report(&self, progress: Progress) {
        if let Some(listener) = &self.0 {
            listener(progress);
        }
    }

    /// Makes it the current one while this call runs.
    pub async fn during<F: Future>(self, call: F) -> F::Output {
        REPORTER.scope(self, call).await
    }
}

impl std::fmt::Debug for Reporter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reporter").field("has_listener", &self.has_listener()).finish()
    }
}

/// The subtask of the call that runs in this task, where its role is [metered](crate::metered) with one.
pub fn subtask_of_call() -> Option<SubTaskId> {
    SUBTASK.try_with(|id| *id).ok()
}

/// Makes a call for a subtask.
pub(crate) async fn for_subtask<F: Future>(subtask_id: Option<SubTaskId>, call: F) -> F::Output {
    match subtask_id {
        Some(id) => SUBTASK.scope(id, call).await,
        None => call.await,
    }
}
