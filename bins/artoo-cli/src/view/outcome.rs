//! The end of a run, as its last line tells it.

use std::time::Duration;

use artoo_front_end::{EndFacts, Worth};
use artoo_runtime::events::{Cumulative, Event, Line, RoleUsage};
use artoo_types::{Basis, BuildFolder, Confidence, Errand, Fault, FileChange, PartialOutput, TerminalState};
use serde_json::Value;

use super::labels;
use super::units::seconds;

/// After this time, the user is notified of the end.
const LONG: Duration = Duration::from_secs(30);

/// The content of a run's last line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Id of the run, as in its first and last lines.
    pub(crate) run_id: String,
    pub(super) errand: Errand,
    /// The terminal state; `None` if a fault ended the run.
    pub(crate) directive: Option<TerminalState>,
    /// The fault, if any.
    pub(crate) error: Option<Fault>,
    pub(super) summary: String,
    /// How far a result that meets everything is to be believed.
    confidence: Option<Box<Confidence>>,
    /// What the result rests on.
    basis: Basis,
    /// The deliverable.
    pub(super) output: Value,
    pub(super) structured: Option<Value>,
    pub(super) structured_error: Option<String>,
    pub(super) partial: Vec<PartialOutput>,
    pub(super) files: Vec<FileChange>,
    /// The changed files of build output, counted per folder.
    pub(super) build_output: Vec<BuildFolder>,
    /// Notes of the user that no role has taken into account: suggested as the next request.
    pub(crate) unused_notes: Vec<String>,
    pub(super) usage: Cumulative,
    /// The longest chain of model calls that followed one another.
    pub(super) depth: u32,
    pub(super) roles: Vec<RoleUsage>,
    pub(super) replans: u32,
    pub(super) elapsed: Duration,
    /// The exit code.
    pub(crate) exit_code: u8,
}

impl Outcome {
    /// The outcome, if this is a run's last line.
    pub(crate) fn of(line: &Line) -> Option<Self> {
        let Event::RunFinished {
            errand,
            directive,
            confidence,
            error,
            summary,
            output,
            basis,
            structured,
            structured_error,
            partial,
            files,
            build_output,
            unused_notes,
            usage,
            depth,
            roles,
            replans,
            elapsed_ms,
            exit_code,
            ..
        } = &line.event
        else {
            return None;
        };
        Some(Self {
            run_id: line.run_id.to_string(),
            errand: *errand,
            directive: *directive,
            confidence: confidence.clone(),
            basis: *basis,
            error: error.clone(),
            summary: summary.clone(),
            output: output.clone(),
            structured: structured.as_deref().cloned(),
            structured_error: structured_error.as_deref().map(str::to_owned),
            partial: partial.clone(),
            files: files.clone(),
            build_output: build_output.clone(),
            unused_notes: unused_notes.to_vec(),
            usage: usage.clone(),
            depth: *depth,
            roles: roles.clone(),
            replans: *replans,
            elapsed: Duration::from_millis(*elapsed_ms),
            exit_code: *exit_code,
        })
    }
}

/// The desktop notification after a long run: only artoo's own words, none of the model's.
pub(crate) fn call(outcome: &Outcome) -> Option<String> {
    let told = || format!("artoo: {}, {}", plain_ending(outcome), seconds(outcome.elapsed));
    (outcome.elapsed >= LONG).then(told)
}

/// The end of the run in words.
pub(crate) fn ending(outcome: &Outcome) -> &'static str {
    match (&outcome.error, outcome.directive) {
        (Some(fault), _) => labels::fault(fault.kind),
        (None, Some(_)) if !outcome.errand.is_task() => "a command",
        (None, None) => "ended by a fault",
        (None, Some(TerminalState::Accept)) if outcome.structured_error.is_some() => {
            "accept, without the JSON"
        }
        (None, Some(state)) => labels::terminal(state),
    }
}

impl Outcome {
    /// What the result is worth.
    pub(super) fn worth(&self) -> Worth<'_> {
        Worth::from_facts(EndFacts {
            directive: self.directive,
            has_fault: self.error.is_some(),
            errand: self.errand,
            basis: self.basis,
            confidence: self.confidence.as_deref(),
        })
    }

    /// Whether the run ended by itself without all of what was asked for.
    pub(crate) fn fell_short(&self) -> bool {
        matches!(self.worth(), Worth::Incomplete | Worth::Unfinished)
    }
}

/// The end of the run in plain words.
pub(super) fn plain_ending(outcome: &Outcome) -> &'static str {
    match outcome.worth() {
        Worth::Accepted if outcome.structured_error.is_some() => "done, without the JSON",
        Worth::Accepted => "done",
        Worth::Unconfirmed(_) => "done, not confirmed",
        Worth::Knowledge => "answered, not checked",
        Worth::Incomplete => "not complete",
        Worth::Unfinished => "not finished",
        Worth::Command | Worth::Fault => ending(outcome),
    }
}
