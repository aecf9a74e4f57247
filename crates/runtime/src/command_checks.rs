//! Runs the commands named by criteria, over discarded layers.

use std::{sync::Arc, time::Duration};

use artoo_agent_validator::{CommandRun, RunCommand};
use artoo_consent::Rules;
use artoo_tools::{Shell, Tool as _, ToolContext, Toolbox, can_try, leaving_nothing, outlook};
use artoo_types::{Arguments, CallEnding, CallId, FailureClass, ToolCall};
use async_trait::async_trait;
use tokio::task::spawn_blocking;
use uuid::Uuid;

/// How much longer a call may take than its command: layers are created and compared.
const LAYERS: Duration = Duration::from_secs(30);

/// The status of a pipeline stage whose output was cut off (128 + SIGPIPE), as `head` does to the stage
/// before it.
const CUT_OFF: i32 = 141;

/// Runs commands as `shell` does, if the user's rules allow it, over layers that are discarded.
pub(crate) struct CommandChecks {
    toolbox: Arc<Toolbox>,
    context: ToolContext,
}

impl CommandChecks {
    /// With the tools and limits of a run. Nothing is asked, and the user's rules apply.
    pub(crate) fn new(toolbox: Arc<Toolbox>, context: ToolContext, rules: Rules) -> Self {
        Self { toolbox, context: leaving_nothing(context, rules) }
    }
}

#[async_trait]
impl RunCommand for CommandChecks {
    async fn run(&self, command: &str, within: Duration) -> CommandRun {
        let undecided = |reason: &str| CommandRun::Undecided { reason: reason.to_owned() };
        if self.toolbox.get(&Shell.name()).is_none() {
            return undecided("this run has no tool that runs commands");
        }
        let (text, cx) = (command.to_owned(), self.context.clone());
        let looked = spawn_blocking(move || (can_try(&cx), outlook(&text, &cx)));
        let Ok((can_try, outlook)) = looked.await else { return undecided("it could not be looked at") };
        if let Some(refusal) = outlook.refusal {
            return undecided(&format!("it was not run: {refusal}"));
        }
        let call = self.call(command, within).await;
        let needs_the_network = !outlook.effects.network.is_empty();
        match (&call.ending, &call.failure) {
            // A program in it is missing, whatever the last stage returns.
            (CallEnding::Exited { status: 0 }, Some(failure))
                if failure.class == FailureClass::Environmental =>
            {
                undecided(&failure.reason)
            }
            (CallEnding::Exited { status: 0 }, _) => CommandRun::Ended { status: 0, output: output(&call) },
            (CallEnding::Exited { status: CUT_OFF }, _) => undecided("a part of its pipe was cut off"),
            (CallEnding::Exited { .. }, _) if !can_try => {
                undecided("it failed where it could write nothing, and nothing can be tried here")
            }
            (CallEnding::Exited { .. }, _) if needs_the_network => {
                undecided("it failed without the network, and names another machine")
            }
            (CallEnding::Exited { status }, _) => {
                CommandRun::Ended { status: *status, output: output(&call) }
            }
            (
                CallEnding::Returned
                | CallEnding::Signalled { .. }
                | CallEnding::TimedOut
                | CallEnding::Cancelled
                | CallEnding::Refused,
                Some(failure),
            ) => undecided(&failure.reason),
            (
                CallEnding::Returned
                | CallEnding::Signalled { .. }
                | CallEnding::TimedOut
                | CallEnding::Cancelled
                | CallEnding::Refused,
                None,
            ) => undecided("it has no exit status"),
        }
    }
}

impl CommandChecks {
    async fn call(&self, command: &str, within: Duration) -> ToolCall {
        let call_id = CallId::new(Uuid::new_v4());
        let mut cx = self.context.clone();
        cx.limits.command_time = within.min(cx.limits.longest_command_time);
        cx.limits.call_time = cx.limits.command_time.saturating_add(LAYERS);
        // Its temporary files do not last either.
        cx.private_tmp.push(format!("check-{call_id}"));
        let tmp = cx.private_tmp.clone();
        // `cargo test | tail` has failed if the tests have.
        let command =
            if command.contains('|') { format!("set -o pipefail\n{command}") } else { command.to_owned() };
        let arguments: Arguments = [("command".to_owned(), command.into())].into_iter().collect();
        let call = self.toolbox.call(call_id, &Shell.name(), arguments, &cx).await;
        if tmp.symlink_metadata().is_ok()
            && let Err(error) = tokio::fs::remove_dir_all(&tmp).await
        {
            tracing::debug!(path = %tmp.display(), %error, "temporary files of a check stay until the run ends");
        }
        call
    }
}

/// The output of a command, as much as is shown of a call: errors last, where failing test suites report.
fn output(call: &ToolCall) -> String {
    let parts = [call.output.shown.trim_end(), call.stderr.shown.trim_end()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[path = "command_checks_tests.rs"]
mod tests;
