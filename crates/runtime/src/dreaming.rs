//! Runs the Dreamer beside the runs: it wakes after each and reports to the operator's run.

use std::sync::Arc;

use artoo_bus::{BusError, Port};
use artoo_llm_client::{LlmClient, metered};
use artoo_mkct_memory::MemoryService;
use artoo_shared_memory::{ModelDistiller, Rhythm};
use artoo_types::Role;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The Dreamer of one process.
pub(crate) struct Dreamer {
    memory: Arc<dyn MemoryService>,
    port: Port,
    run_ended: Arc<Notify>,
    /// Stops it with the last clone.
    stop: DropGuard,
}

/// Lets the memory dream after and between runs, until the Dreamer is dropped. `port` is R5's in the
/// operator's run, which receives its reports and the calls of `model`.
pub(crate) fn dream(memory: Arc<dyn MemoryService>, model: Arc<dyn LlmClient>, port: Port) -> Dreamer {
    let (stop, run_ended) = (CancellationToken::new(), Arc::new(Notify::new()));
    let (stopped, ended) = (stop.clone(), Arc::clone(&run_ended));
    let (mind, sender, calls) = (Arc::clone(&memory), port.sender(), port.sender());
    tokio::spawn(async move {
        let model = metered(model, Role::SharedMemory, None, move |call| told(calls.publish(call)));
        let distiller = ModelDistiller::new(model);
        let report = |did| told(sender.publish(did));
        tokio::select! {
            () = stopped.cancelled() => {}
            end = artoo_shared_memory::dream(mind.as_ref(), &distiller, Rhythm::default(), &ended, report) => {
                if let Err(error) = end {
                    tracing::warn!(%error, "the Dreamer stopped");
                }
            }
        }
    });
    Dreamer { memory, port, run_ended, stop: stop.drop_guard() }
}

impl Dreamer {
    /// Signals that a run is over.
    pub(crate) fn run_ended(&self) {
        self.run_ended.notify_one();
    }

    /// Dreams one last time, briefly.
    pub(crate) async fn close(&self) {
        self.stop.token().cancel();
        match artoo_shared_memory::last_dream(self.memory.as_ref()).await {
            Ok(None) => {}
            Ok(Some(did)) => told(self.port.publish(did)),
            Err(error) => {
                tracing::warn!(%error, "memory could not be put in order at the end");
            }
        }
    }
}

/// A closed bus means the end of the process; there is no receiver left.
fn told(published: Result<u64, BusError>) {
    if let Err(error) = published {
        tracing::debug!(%error, "what the Dreamer did was not recorded");
    }
}
