//! `Observation`: a round's outcomes as the controller's input.

use std::collections::BTreeSet;

use artoo_types::{BlockedProgram, BlockedTarget, FailureClass, GaveUp, Mode, SubTaskId, ToolName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One round as the controller sees it. It holds no floating-point number, so a recorded one is the same when
/// read back.
///
/// Criteria of the task that nobody judged are left out: they count on neither side (`docs/deviations.md`,
/// "Task criteria enter D").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// What the meta-validator reported.
    pub report: Report,
    /// Milliseconds since the run began, without the time that a person was asked.
    pub elapsed_ms: u64,
    /// Every judged or skipped criterion, those of kept subtasks and of the task included.
    pub criteria: Vec<JudgedCriterion>,
    /// The subtasks that were run and did not match; where all matched and only the task as a whole is not met, those whose work
    /// that puts in question. What failed in them in every call may be blocked.
    pub failures: Vec<FailedSubTask>,
    /// Whether there is any output to hand over.
    pub deliverable: bool,
    /// A file that the request names and that is nowhere: another plan would look for it in vain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_file: Option<String>,
    /// That a step was given up: another plan would come to the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<GaveUp>,
    /// The tools that a next plan could use. Blocking never takes the last of them.
    pub inventory: BTreeSet<ToolName>,
    /// The programs by which something can be found out, of tools that run commands. Blocking never takes the last of them,
    /// and never a tool that has some.
    #[serde(default)]
    pub programs: BTreeSet<BlockedProgram>,
}

/// What the meta-validator reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// Every criterion is met.
    AllMet,
    /// Something is missing.
    Gap,
}

/// A criterion and how it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedCriterion {
    /// In words.
    pub text: String,
    /// How a failure weighs.
    pub mode: Mode,
    /// Of which subtask; `None` is a criterion of the task.
    pub subtask_id: Option<SubTaskId>,
    /// What it says of what the person wants.
    #[serde(default)]
    pub bearing: Bearing,
    /// How it stands.
    pub standing: Standing,
}

/// What a criterion says of what the person wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bearing {
    /// All of it: the request as a whole. Where it is not met, nothing is close enough.
    Whole,
    /// Of a step that makes or changes something: a deed that is half done is not close enough either.
    Deed,
    /// A part of it.
    #[default]
    Part,
    /// Nothing where it is met, since any run could have met it.
    Nothing,
}

/// How a criterion stands at the end of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "standing", rename_all = "snake_case")]
pub enum Standing {
    /// Met.
    Met,
    /// Judged, and not met in the last attempt.
    Unmet {
        /// What kind of failure.
        class: FailureClass,
        /// What was wrong.
        reason: String,
        /// k, the attempts of this plan in which it was not met; at least 1.
        failures: u32,
        /// N, the attempts of this plan; at least `failures`.
        attempts: u32,
    },
    /// Its subtask was not run, because an earlier group failed.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// A subtask that was run and did not match, or that matched and is part of a whole that does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedSubTask {
    /// Which.
    pub subtask_id: SubTaskId,
    /// What it was to do: the approach, where a way of using a tool is blocked.
    pub intent: String,
    /// The tools that it started and whose calls failed, or those of a program of theirs.
    pub tools: BTreeSet<ToolName>,
    /// The others that it started: nothing of what they did speaks against them, so they are no reason of the failure.
    #[serde(default)]
    pub worked: BTreeSet<ToolName>,
    /// The programs that led its commands and failed in each of them: what it really worked with, where the tool runs commands.
    #[serde(default)]
    pub programs: BTreeSet<BlockedProgram>,
    /// Its calls that failed and that no later identical call made good.
    pub failed_calls: Vec<FailedCall>,
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedCall {
    /// The tool and its normalised arguments.
    pub target: BlockedTarget,
    /// What kind of failure.
    pub class: FailureClass,
}
