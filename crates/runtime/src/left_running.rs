//! Commands that a run left running end with it.

use artoo_bus::Port;
use artoo_llm_client::inline;
use artoo_tools::Jobs;
use artoo_types::{Role, Warning};

/// Characters of a command that name it.
const SHOWN: usize = 200;

/// Stops them, waits until they are gone, and puts that on record.
pub(crate) async fn stop(jobs: &Jobs, port: &Port) {
    for (number, command) in jobs.close().await {
        let command: String = inline(&command).chars().take(SHOWN).collect();
        let message = format!("job {number} still ran and was stopped with the run: {command}");
        if let Err(error) = port.publish(Warning { role: Role::Supervisor, message }) {
            tracing::warn!(%error, "that a command was stopped with its run is not on record");
        }
    }
}
