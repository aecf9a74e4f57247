//! What R3 hands to R4a.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FailureClass, Fault, MegramId, SubTaskId, ToolCall};

/// The result of one attempt at a subtask. R3 to R4a. The output is a claim; the tool calls are the ground truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionResult {
    /// Which subtask.
    pub subtask_id: SubTaskId,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// How it ended.
    pub status: ExecutionStatus,
    /// What R3 says the result is.
    pub output: String,
    /// True where the output is, byte for byte, what the last call put out, not the model's prose.
    #[serde(default)]
    pub verbatim: bool,
    /// Every call of this attempt, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Why it failed, where the status is `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ExecutionFailure>,
    /// How far several samples agreed on the last call, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
    /// Laws, rules and experiences that were in the prompt behind its last call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<MegramId>,
}

impl ExecutionResult {
    /// One without calls, in the model's own words.
    pub fn new(
        subtask_id: SubTaskId,
        attempt: u32,
        status: ExecutionStatus,
        output: impl Into<String>,
    ) -> Self {
        Self {
            subtask_id,
            attempt,
            status,
            output: output.into(),
            verbatim: false,
            tool_calls: Vec::new(),
            failure: None,
            samples: None,
            told: Vec::new(),
        }
    }
}

/// How far several samples of one model agreed on a call: they put out the same, whatever the world was like. Source:
/// `docs/deviations.md`, "Samples".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Samples {
    /// How many were asked for.
    pub asked: u32,
    /// How many put out what the call puts out, that one included.
    pub agreed: u32,
    /// How many ways there are among those that agreed: other programs, or commands of which no two use the same one.
    pub ways: u32,
    /// In how many languages those are written that agreed. What is wrong in one is seldom wrong alike in another.
    #[serde(default)]
    pub languages: u32,
    /// Whether what they put out depends on what the step is about; none where that could not be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends: Option<bool>,
    /// In how many ways others worked and put out something else.
    #[serde(default)]
    pub against: u32,
}

impl Samples {
    /// Whether at least half of what was asked for agreed: two of many agree by chance.
    /// ```
    /// use artoo_types::Samples;
    /// let of = |asked, agreed| Samples { asked, agreed, ways: 2, languages: 1, depends: Some(true), against: 0 };
    /// assert!(of(2, 2).is_majority() && of(4, 2).is_majority() && !of(6, 2).is_majority());
    /// ```
    pub fn is_majority(self) -> bool {
        self.agreed.saturating_mul(2) >= self.asked
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionStatus {
    /// R3 claims to be done.
    Completed,
    /// R3 ran out of turns or is not sure.
    Uncertain,
    /// R3 could not do it. Never a match.
    Failed,
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionFailure {
    /// The class.
    pub class: FailureClass,
    /// What failed and why.
    pub reason: String,
    /// True for faults of the model, the network or the machine, after which another attempt makes no sense.
    pub infrastructure: bool,
    /// That it was given up, where it was: no fault, but an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<GaveUp>,
    /// The fault that ended the attempt and ends the run with it: the provider or the configuration of the model failed, and no
    /// other plan can change that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Box<Fault>>,
}

impl ExecutionFailure {
    /// A failure of the subtask itself.
    ///
    /// ```
    /// use artoo_types::{ExecutionFailure, FailureClass};
    /// assert!(!ExecutionFailure::of(FailureClass::Logical, "it has no such column").infrastructure);
    /// ```
    pub fn of(class: FailureClass, reason: impl Into<String>) -> Self {
        Self { class, reason: reason.into(), infrastructure: false, gave_up: None, fault: None }
    }
}

/// Giving up, said as an answer: what is asked for cannot be had this way. Source: `docs/deviations.md`, "Giving up".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GaveUp {
    /// What would be needed.
    pub kind: GiveUpKind,
    /// Why, in one sentence for the person.
    pub reason: String,
    /// What the person is asked, where an answer would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// Why something is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GiveUpKind {
    /// It cannot be done, whoever does it.
    Impossible,
    /// The person has to say or to supply something: a decision, a file, a key.
    NeedsPerson,
    /// It needs consent that was not given.
    NeedsConsent,
}
