//! The R7 actor: the loop around the role, with a port and one timer.

use artoo_bus::Port;
use tokio::time::{Instant, sleep_until};

use crate::{GgsRole, Settings, Solver};

/// Runs R7 on its port until the final result is out or the run is closed.
///
/// A message that the bus refuses is logged and not sent again: the bus has then marked the run as failed, or
/// the run is closed. Cancel-safe between messages: dropping the future leaves unreceived messages in the
/// mailbox.
pub async fn run(mut port: Port, solver: Box<dyn Solver>, settings: Settings) {
    let patience = settings.report_deadline;
    let mut role = GgsRole::new(solver, settings);
    let mut due: Option<Instant> = None;
    while !role.has_ended() {
        let messages = tokio::select! {
            // A received report counts, even if its deadline passed while this task was not scheduled.
            biased;
            received = port.recv() => match received {
                Some(envelope) => role.on(&envelope),
                None => return,
            },
            () = until(due) => role.on_report_deadline(),
        };
        for message in messages {
            let kind = message.kind();
            if let Err(error) = port.publish(message) {
                tracing::warn!(run = %port.run_id(), kind = %kind.name(), %error, "the bus refused a message of ggs");
            }
        }
        due = if role.awaits_report() { due.or_else(|| Some(Instant::now() + patience)) } else { None };
    }
}

/// Waits forever without a deadline.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}
