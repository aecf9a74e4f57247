//! One background command.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use artoo_sandbox::{Capture, Confinement, Invocation, Outcome, SandboxError, run};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::output_buffer::Heard;
use crate::ToolContext;

/// A running command. Dropping it kills its whole process tree.
pub(crate) struct Job {
    pub(crate) command: String,
    /// Time limit after which it is stopped.
    pub(crate) time: Duration,
    pub(crate) stdout: Heard,
    pub(crate) stderr: Heard,
    /// Stops the command.
    cancel: CancellationToken,
    /// Cancelled once the command has ended.
    ended: CancellationToken,
    /// How it ended, until that is reported.
    outcome: Arc<Mutex<Option<Result<Outcome, SandboxError>>>>,
    _task: AbortOnDropHandle<()>,
}

impl Job {
    /// Starts a command, which ends with the run at the latest.
    pub(crate) fn start(
        command: &str,
        invocation: Invocation,
        confinement: Confinement,
        cx: &ToolContext,
    ) -> Self {
        let redactor = cx.evidence.redactor();
        let (stdout, stderr) = (Heard::new(redactor), Heard::new(redactor));
        let (cancel, ended) = (cx.cancel.child_token(), CancellationToken::new());
        let outcome = Arc::new(Mutex::new(None));
        let time = invocation.timeout;
        let task = {
            let (mut out, mut err) = (stdout.clone(), stderr.clone());
            let (cancel, ended, outcome) = (cancel.clone(), ended.clone().drop_guard(), Arc::clone(&outcome));
            tokio::spawn(async move {
                let _ended = ended;
                let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
                let came = run(&invocation, &confinement, capture, &cancel).await;
                out.end();
                err.end();
                *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(came);
            })
        };
        let (command, task) = (command.to_owned(), AbortOnDropHandle::new(task));
        Self { command, time, stdout, stderr, cancel, ended, outcome, _task: task }
    }

    pub(crate) fn is_running(&self) -> bool {
        !self.ended.is_cancelled()
    }

    /// Waits for its end, up to a limit.
    pub(crate) async fn wait(&self, most: Duration) {
        // The caller checks separately whether it has ended.
        let _ = timeout(most, self.ended.cancelled()).await;
    }

    /// Asks it to end.
    pub(crate) fn stop(&self) {
        self.cancel.cancel();
    }

    /// How it ended. `None` while it runs, and once reported.
    pub(crate) fn take_outcome(&self) -> Option<Result<Outcome, SandboxError>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
