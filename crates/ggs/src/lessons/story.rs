//! What a run has tried, as typed facts: what failed and why, and the calls that passing verdicts refer to.

use std::collections::BTreeSet;

use artoo_types::{
    BlockedProgram, CallEnding, CallFailure, CriterionVerdict, Evidence, FailureClass, Finding, HeldEnd,
    OutcomeStatus, SubTaskOutcome, ToolCall,
};

use super::{content, tells};
use crate::Round;
use crate::failed_calls::{failing_calls, target_of, was_started};

/// Maximum number of steps.
const STEPS: usize = 4;
/// Maximum number of successful calls, and of failed ones.
const CALLS: usize = 4;

/// The story so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    /// The intents of its steps that differ from the request.
    pub(super) steps: Vec<String>,
    /// The failed calls, each with its reason.
    pub(super) failed: Vec<String>,
    /// The calls that the passing verdicts of the last round refer to.
    pub(super) worked: Vec<String>,
    /// Texts written before any output was in view.
    plain: BTreeSet<String>,
    is_begun: bool,
}

impl Story {
    /// Takes a round. The words of the first plan were written before any output; those of later ones may
    /// quote foreign text, and are not repeated.
    pub(super) fn go_on(&mut self, intent: &str, round: &Round, programs: &BTreeSet<BlockedProgram>) {
        if !std::mem::replace(&mut self.is_begun, true) {
            let verdicts = |outcome: &SubTaskOutcome| outcome.criteria_verdicts.clone();
            let verdicts = round.outcomes.iter().flat_map(verdicts).chain(round.task_verdicts.clone());
            let intents = round.outcomes.iter().map(|outcome| outcome.intent.clone());
            self.plain = verdicts.map(|verdict| verdict.criterion).chain(intents).collect();
            self.plain.insert(intent.to_owned());
        }
        self.steps = self.told(round.outcomes.iter().map(|outcome| outcome.intent.as_str()));
        self.steps.retain(|step| step != intent);
        for outcome in &round.outcomes {
            for failing in failing_calls(outcome) {
                let failed = failing.call;
                if tells(failing.failure.class)
                    && was_started(failed)
                    && !is_tried_only(failed)
                    && let Some(name) = name(failed, programs)
                {
                    add(&mut self.failed, format!("{name} ({})", reason(failed, failing.failure)));
                }
            }
        }
        self.worked.clear();
        for call in worked(round) {
            if let Some(name) = name(call, programs) {
                add(&mut self.worked, name);
            }
        }
    }

    /// The text, if it may be repeated.
    pub(super) fn plain<'a>(&self, text: &'a str) -> Option<&'a str> {
        self.plain.contains(text).then_some(text)
    }

    fn told<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for text in texts.filter_map(|text| self.plain(text)) {
            if told.len() < STEPS && !told.iter().any(|other| other == text) {
                told.push(text.to_owned());
            }
        }
        told
    }
}

fn add(told: &mut Vec<String>, call: String) {
    if told.len() < CALLS && !told.contains(&call) {
        told.push(call);
    }
}

/// The calls behind the passing verdicts: those they refer to, or else the last successful one of the
/// subtask.
fn worked(round: &Round) -> Vec<&ToolCall> {
    let matched = || round.outcomes.iter().filter(|outcome| outcome.status == OutcomeStatus::Matched);
    let mut calls: Vec<&ToolCall> = Vec::new();
    for outcome in matched() {
        let last_good = outcome.tool_calls.iter().rev().find(|call| call.succeeded());
        let passing = outcome.criteria_verdicts.iter().filter(|verdict| verdict.passed());
        calls.extend(passing.filter_map(|verdict| pointed_at(verdict, &outcome.tool_calls).or(last_good)));
    }
    let all = || matched().flat_map(|outcome| &outcome.tool_calls);
    for verdict in round.task_verdicts.iter().filter(|verdict| verdict.passed()) {
        calls.extend(pointed_at(verdict, all()));
    }
    calls.retain(|call| call.succeeded() && !is_tried_only(call));
    calls
}

fn pointed_at<'a>(
    verdict: &CriterionVerdict,
    calls: impl IntoIterator<Item = &'a ToolCall>,
) -> Option<&'a ToolCall> {
    let Finding::Pass { evidence: Evidence::ToolCall { call_id, .. } } = &verdict.finding else {
        return None;
    };
    calls.into_iter().find(|call| call.call_id == *call_id)
}

/// Whether the call was trial-only, because memory advised caution: its ending says nothing about it.
pub(super) fn is_tried_only(call: &ToolCall) -> bool {
    call.held.as_ref().is_some_and(|held| held.came == HeldEnd::Tried)
}

/// A call by its tool and input. If the input contains foreign words, by the programs of this machine that it
/// starts; one that starts none says nothing.
fn name(call: &ToolCall, programs: &BTreeSet<BlockedProgram>) -> Option<String> {
    let pair = target_of(call);
    if call.trust.tainted.is_none() {
        return Some(content::call(&pair));
    }
    let started = BlockedProgram::all_in(&pair).into_iter().filter(|program| programs.contains(program));
    let started: Vec<String> = started.map(|program| program.program).collect();
    (!started.is_empty()).then(|| format!("{} with {}", pair.tool, started.join(", ")))
}

/// Why a call failed, as far as code knows without a tool's words: its ending, and the class of the failure.
pub(super) fn reason(call: &ToolCall, failure: &CallFailure) -> String {
    let class = match failure.class {
        FailureClass::Logical => "logical",
        FailureClass::Environmental => "environmental",
        FailureClass::Denied => "denied",
        FailureClass::Forbidden => "never allowed",
        FailureClass::Unknown => "of unknown cause",
    };
    if let (Some(program), CallEnding::Exited { status }) = (&call.lacked, &call.ending) {
        return format!("{program} is not on this machine, exit status {status}");
    }
    match call.ending {
        CallEnding::Exited { status: 126 } => "its program cannot be run, exit status 126".to_owned(),
        CallEnding::Exited { status: 127 } => {
            "its program is not on this machine, exit status 127".to_owned()
        }
        CallEnding::Exited { status } => format!("exit status {status}, {class}"),
        CallEnding::Signalled { signal } => format!("ended by signal {signal}, {class}"),
        CallEnding::TimedOut => "it took too long".to_owned(),
        CallEnding::Returned => format!("the tool could not do it, {class}"),
        CallEnding::Cancelled => "it was cancelled".to_owned(),
        CallEnding::Refused => "it was refused".to_owned(),
    }
}
