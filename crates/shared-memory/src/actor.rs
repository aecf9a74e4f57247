//! The R5 actor: answers messages from the port.

use std::sync::Arc;

use artoo_bus::Port;
use artoo_mkct_memory::MemoryService;
use artoo_redaction::Redactor;

use crate::answer;

/// Serves one run until it is closed. The memory outlives the run: the caller closes it. `redact` removes
/// secrets from what is written and, so that it is found again, from queries.
///
/// Messages are answered one at a time in the run's order, so a query sees every earlier Megram. Planner and
/// executor wait for this actor, for the answer to a query: publishing never waits.
pub async fn run(mut port: Port, memory: Arc<dyn MemoryService>, redact: Redactor) {
    while let Some(envelope) = port.recv().await {
        for message in answer(memory.as_ref(), &redact, &envelope).await {
            // The bus records what it refuses: an overflow fails the run, and a closed run needs no answer.
            let _refused = port.publish(message);
        }
    }
}
