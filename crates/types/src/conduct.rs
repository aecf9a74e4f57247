//! How roles behaved, where the auditor finds something to say of it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{MessageKind, Role, RunId};

/// A message that broke the table of contracts. Prints as one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoundaryViolation {
    /// The run.
    pub run_id: RunId,
    /// The message, or the one that reports its refusal.
    pub seq: u64,
    /// Who published.
    pub role: Role,
    /// What.
    pub message: MessageKind,
    /// What became of it.
    pub crossing: Crossing,
}

/// What became of a message that broke the table of contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Crossing {
    /// The bus refused it.
    Refused,
    /// It is in the log all the same: it did not come through a port.
    PastTheBus,
}

impl fmt::Display for BoundaryViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run_id, seq, role, message, crossing } = self;
        let message = message.name();
        write!(f, "run {run_id}: {role} published {message} (message {seq})")?;
        f.write_str(match crossing {
            Crossing::Refused => ", which its contract does not list; refused",
            Crossing::PastTheBus => " past the bus",
        })
    }
}

/// A role that behaves unlike its own history. Prints as one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DriftAlert {
    /// The role.
    pub role: Role,
    /// What of it is measured.
    pub measure: DriftMeasure,
    /// Its history.
    pub before: Share,
    /// What it is compared with.
    pub now: Share,
}

/// What of a role's work is compared with its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DriftMeasure {
    /// Execution results with status `failed`.
    FailedResults,
    /// Verdicts that fail.
    FailingVerdicts,
    /// Subtasks that needed a correction.
    CorrectedSubtasks,
    /// Rounds that ended in a request to replan.
    ReplanRequests,
    /// Runs that ended as `abandon`.
    AbandonedRuns,
    /// Model calls without an answer.
    FailedModelCalls,
    /// Answers of models without the shape that was asked for.
    UnusableAnswers,
}

impl DriftMeasure {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::FailedResults => "failed results",
            Self::FailingVerdicts => "failing verdicts",
            Self::CorrectedSubtasks => "corrected subtasks",
            Self::ReplanRequests => "requests to replan",
            Self::AbandonedRuns => "abandoned runs",
            Self::FailedModelCalls => "failed model calls",
            Self::UnusableAnswers => "unusable answers",
        }
    }
}

/// How many of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Those that are counted.
    pub bad: u64,
    /// All.
    pub all: u64,
}

impl Share {
    /// From 0 to 1; 0 of none.
    pub fn of(self) -> f64 {
        if self.all == 0 { 0.0 } else { self.bad as f64 / self.all as f64 }
    }
}

impl fmt::Display for DriftAlert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, measure, before, now } = self;
        let (now_share, before_share) = (100.0 * now.of(), 100.0 * before.of());
        write!(
            f,
            "{role}: {} in {now_share:.0} % of {} cases, before {before_share:.0} % of {}",
            measure.name(),
            now.all,
            before.all
        )
    }
}
