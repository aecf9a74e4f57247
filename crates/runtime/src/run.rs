//! The handle of one run.

use std::path::{Path, PathBuf};

use artoo_bus::{Observer, RunBus};
use artoo_types::{FinalResult, RunId};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// One run. Dropping it cancels the run; [`finished`](Run::finished) waits for its end.
pub struct Run {
    pub(crate) run_id: RunId,
    pub(crate) folder: PathBuf,
    pub(crate) bus: RunBus,
    pub(crate) canceller: Canceller,
    pub(crate) result: Option<oneshot::Receiver<FinalResult>>,
}

impl Run {
    /// Its id.
    pub fn id(&self) -> RunId {
        self.run_id
    }

    /// Where it is recorded.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A read-only view of its messages. A slow observer loses messages and is told which.
    pub fn observe(&self, capacity: usize) -> Observer {
        self.bus.observe(capacity)
    }

    /// A handle that cancels it.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Waits for its one final result. When this returns, the journal is written and every process of the run is gone.
    pub async fn finished(mut self) -> FinalResult {
        let received = match self.result.take() {
            Some(result) => result.await.ok(),
            None => None,
        };
        received.unwrap_or_else(|| crate::supervisor::lost(self.run_id))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.result.is_some() {
            self.canceller.cancel();
        }
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("run_id", &self.run_id).field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Cancels a run: it ends with a recorded result, and its processes are killed.
#[derive(Clone, Debug)]
pub struct Canceller(pub(crate) CancellationToken);

impl Canceller {
    /// Cancels. Doing it twice changes nothing.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}
