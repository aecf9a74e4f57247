//! Commands that criteria name, run to judge: a test suite is the best criterion there is.

use std::time::Duration;

use artoo_types::{Check, Criterion, Evidence, FailureClass, Finding};
use async_trait::async_trait;

/// Runs a command to find out whether it succeeds.
///
/// *Contract.* It runs in the working folder of the run, without the network, and nothing that it writes lasts. What the person's rules refuse is
/// not run. It has ended when this returns, at the latest after `within`. A status is given only where the confinement cannot be its
/// cause as far as is known: else it is [undecided](CommandRun::Undecided).
///
/// *Who calls.* The actor, one command of a subtask after the other, where an attempt completed.
///
/// *Cancellation.* The future may be dropped at any await; what was started ends then.
#[async_trait]
pub trait RunCommand: Send + Sync {
    /// Runs it.
    async fn run(&self, command: &str, within: Duration) -> CommandRun;
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandRun {
    /// It ended.
    Ended {
        /// Its exit status.
        status: i32,
        /// What it put out, its end at least.
        output: String,
    },
    /// Whether it succeeds is not known.
    Undecided {
        /// Why, in words. A judge is told them.
        reason: String,
    },
}

/// Runs nothing, so that a judge decides.
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

/// How much of its output is evidence.
const LINES: usize = 12;
const CHARS: usize = 800;

/// What follows from a command that ended. What was run is said, so that a reader sees what it shows.
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
        Finding::Fail { failure_class: FailureClass::Logical, reason: text, evidence: Some(evidence) }
    }
}
