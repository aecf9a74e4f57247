//! With what a subtask was worked at: which means did not bring it about, and which did what they were to do.

use std::collections::BTreeMap;

use artoo_types::{BlockedProgram, CallEnding, SubTaskOutcome, ToolCall, ToolName};

use crate::calls::{target_of, was_started};

/// A tool, or of a tool that runs commands the program that led one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Means {
    pub(crate) tool: ToolName,
    pub(crate) program: Option<BlockedProgram>,
}

impl Means {
    fn of(call: &ToolCall) -> Self {
        let led = BlockedProgram::all_in(&target_of(call)).into_iter().next();
        Self { tool: call.tool.clone(), program: led.filter(|_| call.began()) }
    }
}

/// The means that did not bring a failed subtask about, and the others with which it was worked at.
///
/// A means failed where the last call with it did. What its last call succeeded with worked, and to take it
/// away would leave the next plan without what it needs: an editor that edited, an interpreter that ran. But
/// something has to account for the failure: where it is a question, or nothing was made or changed, the last
/// call that succeeded is what the outcome rests on, and it did not bring it about. A call that was cancelled
/// says nothing.
pub(crate) fn in_vain(outcome: &SubTaskOutcome) -> (Vec<Means>, Vec<Means>) {
    let calls: Vec<&ToolCall> = outcome.tool_calls.iter().filter(|call| was_started(call)).collect();
    let is_changed = calls.iter().any(|call| call.succeeded() && !call.files.is_empty());
    let is_worked_at = outcome.is_about_a_deed() && is_changed;
    let rests_on = calls.iter().rposition(|call| call.succeeded()).filter(|_| !is_worked_at);
    let mut last: BTreeMap<Means, bool> = BTreeMap::new();
    for (position, call) in calls.iter().enumerate() {
        let failed = !call.succeeded() && call.ending != CallEnding::Cancelled;
        last.insert(Means::of(call), failed || rests_on == Some(position));
    }
    let (in_vain, others): (Vec<_>, Vec<_>) = last.into_iter().partition(|(_, in_vain)| *in_vain);
    let means = |pairs: Vec<(Means, bool)>| pairs.into_iter().map(|(means, _)| means).collect();
    (means(in_vain), means(others))
}
