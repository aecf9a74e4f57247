//! The actor: messages from the port, answers to it.

use std::sync::Arc;

use artoo_bus::Port;
use artoo_mkct_memory::MemoryService;
use artoo_redaction::Redactor;

use crate::answer;

/// Serves one run until it is closed. The memory outlives the run: the caller closes it. `redact` takes
/// secrets out of what is written and, so that it is found again, of what is asked.
///
/// Messages are answered one at a time in the run's order, so a question sees every Megram that came before
/// it. Nobody waits for this actor but the planner with a question open: publishing never waits.
pub async fn run(mut port: Port, memory: Arc<dyn MemoryService>, redact: Redactor) {
    while let Some(envelope) = port.recv().await {
        for message in answer(memory.as_ref(), &redact, &envelope).await {
            // The bus keeps account of what it refuses: an overflow fails the run, and a closed run needs no
            // answer.
            let _refused = port.publish(message);
        }
    }
}
