//! Stops the background commands of a run at its end.

use artoo_bus::Port;
use artoo_llm_client::inline;
use artoo_tools::Jobs;
use artoo_types::{Role, Warning};

/// Maximum characters of a command in the record.
const SHOWN: usize = 200;

/// Stops the commands, waits until they are gone, and records that.
pub(crate) async fn stop(jobs: &Jobs, port: &Port) {
    for (number, command) in jobs.close().await {
        let command: String = inline(&command).chars().take(SHOWN).collect();
        let message = format!("job {number} still ran and was stopped with the run: {command}");
        if let Err(error) = port.publish(Warning { role: Role::Supervisor, message }) {
            tracing::warn!(%error, "that a command was stopped with its run is not on record");
        }
    }
}
