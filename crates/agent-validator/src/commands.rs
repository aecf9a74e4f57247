//! Commands as criteria: the [`RunCommand`] port that runs them, and the finding from their exit status. A
//! test suite is the best criterion there is.

use std::time::Duration;

use artoo_types::{Check, Criterion, Evidence, FailureClass, Finding};
use async_trait::async_trait;

/// Runs a command to find out whether it succeeds.
///
/// *Contract.* The command runs in the working folder of the run, without the network, and its writes are
/// discarded. A command that the person's rules refuse is not run. It has ended when this returns, at the
/// latest after `within`. A status is returned only if, as far as is known, the sandbox cannot be its cause;
/// otherwise the run is [undecided](CommandRun::Undecided).
///
/// *Who calls.* The actor, one command of a subtask at a time, if an attempt completed.
///
/// *Cancellation.* The future may be dropped at any await; the command is then killed.
#[async_trait]
pub trait RunCommand: Send + Sync {
    /// Runs the command.
    async fn run(&self, command: &str, within: Duration) -> CommandRun;
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandRun {
    /// The command ended.
    Ended {
        /// Its exit status.
        status: i32,
        /// Its output, at least the last part.
        output: String,
    },
    /// Whether the command succeeds is unknown.
    Undecided {
        /// The reason in words, which is passed to a judge.
        reason: String,
    },
}

/// Runs no command, so that a judge decides.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCommands;

#[async_trait]
impl RunCommand for NoCommands {
    async fn run(&self, _: &str, _: Duration) -> CommandRun {
        CommandRun::Undecided { reason: "no command can be run here".to_owned() }
    }
}

/// The command that a criterion names.
pub(crate) fn named(criterion: &Criterion) -> Option<&str> {
    if let Some(Check::CommandSucceeds { command }) = &criterion.check { Some(command) } else { None }
}

/// Limits on the output quoted as evidence.
const LINES: usize = 12;
const CHARS: usize = 800;

/// The finding from a command that ended. It names the command, so that a reader sees what the output shows.
pub(crate) fn finding(command: &str, status: i32, output: &str) -> Finding {
    let output = output.trim_end();
    let mut last: Vec<&str> = output.lines().rev().take(LINES).collect();
    last.reverse();
    let last = last.join("\n");
    let left_out = last.chars().count().saturating_sub(CHARS);
    let last: String = last.chars().skip(left_out).collect();
    let said = if last.is_empty() {
        "it put out nothing".to_owned()
    } else if last.len() < output.len() {
        format!("its output ends with {last:?}")
    } else {
        format!("its output is {last:?}")
    };
    let text = format!("`{command}` ended with exit status {status} when code ran it; {said}");
    let evidence = Evidence::Observation { text: text.clone() };
    if status == 0 {
        Finding::Pass { evidence }
    } else {
        Finding::Fail {
            failure_class: FailureClass::Logical,
            reason: text,
            evidence: Some(evidence),
            also: Vec::new(),
        }
    }
}
