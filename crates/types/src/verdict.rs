//! Verdicts, the evidence they point at, and corrections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, Criterion, Mode, SubTaskId, ToolCall};

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The approach is wrong.
    Logical,
    /// The world is in the way: network, permission, a missing file, a time-out.
    Environmental,
    /// Consent was refused, or nobody was there to give it. Never retried by other means.
    Denied,
    /// Never allowed, whoever agrees: the kernel or a trial stops it (a protected place, the data of a repository, a
    /// pipe). The model may look for another way to the same goal.
    Forbidden,
    /// Nobody can tell. Counts neither for nor against the approach and teaches memory nothing.
    Unknown,
}

/// The verdict on one criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CriterionVerdict {
    /// The criterion in words.
    pub criterion: String,
    /// How a failure weighs.
    pub mode: Mode,
    /// Who decided.
    pub judge: Judge,
    /// Whether it is on the request as a whole: the person's main wish.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
}

impl CriterionVerdict {
    /// One on a part of the request.
    pub fn new(criterion: impl Into<String>, mode: Mode, judge: Judge, finding: Finding) -> Self {
        Self { criterion: criterion.into(), mode, judge, whole: false, finding }
    }

    /// One on this criterion, a part of the request.
    pub fn of(criterion: &Criterion, judge: Judge, finding: Finding) -> Self {
        Self::new(&criterion.text, criterion.mode, judge, finding)
    }

    /// Whether the criterion is met.
    pub fn passed(&self) -> bool {
        match self.finding {
            Finding::Pass { .. } => true,
            Finding::Fail { .. } => false,
        }
    }
}

/// The outcome of judging: a pass that points at evidence, or a failure with its class. A pass without evidence cannot
/// be expressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Finding {
    /// Met.
    Pass {
        /// What shows it.
        evidence: Evidence,
    },
    /// Not met.
    Fail {
        /// What kind of failure.
        failure_class: FailureClass,
        /// What was wrong, with expected and found values where there are any.
        reason: String,
        /// What shows it, where something does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        evidence: Option<Evidence>,
        /// The further calls that should have met it: those of the other unmet parts of a request.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<CallId>,
    },
}

impl Finding {
    /// Met, as this excerpt of what the call put out shows.
    pub fn pass(call: &ToolCall, excerpt: impl Into<String>) -> Self {
        Self::Pass { evidence: Evidence::ToolCall { call_id: call.call_id, excerpt: excerpt.into() } }
    }

    /// Not met, for this reason: the approach is wrong.
    pub fn fail(reason: impl Into<String>) -> Self {
        Self::failure(FailureClass::Logical, reason)
    }

    /// Not met, for this reason; nothing in particular shows it.
    pub fn failure(failure_class: FailureClass, reason: impl Into<String>) -> Self {
        Self::Fail { failure_class, reason: reason.into(), evidence: None, also: Vec::new() }
    }
}

/// What a verdict points at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Evidence {
    /// A tool call of this subtask.
    ToolCall {
        /// Which.
        call_id: CallId,
        /// The part that decided.
        excerpt: String,
    },
    /// What a check saw: the state of a file, two outputs side by side.
    Observation {
        /// What was seen.
        text: String,
    },
}

impl Evidence {
    /// The tool call, if it is one.
    pub fn call(&self) -> Option<CallId> {
        match self {
            Self::ToolCall { call_id, .. } => Some(*call_id),
            Self::Observation { .. } => None,
        }
    }
}

/// Who decided a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// Code, by a check.
    Check,
    /// A model.
    Model,
    /// Code, without looking at the criterion: the execution failed, or the verdict was unusable.
    Rule,
}

/// A verdict as it is reached, for whoever watches. R4a or R4b to the observers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictReached {
    /// For which subtask; `None` is a task criterion.
    pub subtask_id: Option<SubTaskId>,
    /// In which attempt, from 1; 0 at task level.
    pub attempt: u32,
    /// The verdict.
    pub verdict: CriterionVerdict,
}

/// One attempt in the history of a subtask. Source: specification v0.8, R4a `gap_trajectory`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapEntry {
    /// Which attempt, from 1.
    pub attempt: u32,
    /// The criteria that were not, in words.
    pub unmet_criteria: Vec<String>,
    /// The class of the first of them; `None` where all were met.
    pub failure_class: Option<FailureClass>,
}

/// What R4a tells R3 before another attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CorrectionSignal {
    /// Which subtask.
    pub subtask_id: SubTaskId,
    /// The attempt that failed, from 1.
    pub attempt_number: u32,
    /// The criterion that failed first.
    pub failed_criterion: String,
    /// Its class.
    pub failure_class: FailureClass,
    /// What was wrong.
    pub what_was_wrong: String,
    /// What to do instead.
    pub what_to_do: String,
    /// The criteria that are unmet, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
}
