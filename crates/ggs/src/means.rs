//! Which tools and programs of a subtask failed to achieve it, and which worked.

use std::collections::BTreeMap;

use artoo_types::{BlockedProgram, CallEnding, SubTaskOutcome, ToolCall, ToolName};

use crate::failed_calls::{target_of, was_started};

/// A tool, or a program started by a tool that runs commands.
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

/// The means that failed to achieve a failed subtask, and the others used for it.
///
/// A means failed if the last call with it did. One whose last call succeeded worked, and removing it would
/// leave the next plan without what it needs: an editor that edited, an interpreter that ran. But something
/// has to account for the failure: if the subtask is a question, or nothing was made or changed, the outcome
/// rests on the last successful call, which therefore counts as failed. A cancelled call says nothing.
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
