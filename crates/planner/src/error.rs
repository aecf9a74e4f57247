//! Errors of planning.

use std::time::Duration;

use artoo_llm_client::LlmError;
use artoo_types::{Fault, FaultKind, GaveUp, GiveUpKind, Role};

use crate::Violation;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The model failed.
    #[error("no plan could be made: {0}")]
    Model(#[from] LlmError),
    /// Planning was silent for too long.
    #[error("there is no plan after {} s", .allowed.as_secs_f64())]
    Late {
        /// The time limit.
        allowed: Duration,
    },
    /// The plan broke a rule, and still did after the model was told which.
    #[error("the plan is not usable: {}", list(.0))]
    Refused(Vec<Violation>),
    /// The model repeated the failed plan, and did so again after it was told.
    #[error("no other plan than the one that failed was found")]
    NoOtherPlan,
    /// The model said the failed plan in nearly the same words, after two dead ends and after it was told.
    #[error("no plan was found that differs from the one that failed in more than its wording")]
    OnlyReworded,
    /// The model planned only what is done already, and did so again after it was told.
    #[error("no plan was found for what is still missing")]
    NothingMissing,
    /// The planner found that there can be no plan.
    #[error("{}", .0.reason)]
    GaveUp(GaveUp),
    /// The request needs no plan: this is the answer, from the model's knowledge. A fault where the request has to be worked on.
    #[error("the request was answered without the work that it takes")]
    Answered(String),
}

impl PlanError {
    /// The fault that ends the run.
    pub fn fault(&self) -> Fault {
        let (kind, hint) = match self {
            Self::Model(error) => (error.kind().fault(), error.hint().map(str::to_owned)),
            Self::Late { .. } => (
                FaultKind::Deadline,
                Some("allow more time, ask for a smaller step, or use a faster model".to_owned()),
            ),
            Self::Refused(_) | Self::Answered(_) => {
                (FaultKind::Answer, Some("say it in other words, or use a stronger model".to_owned()))
            }
            // Not an error: the results so far are delivered, and nothing more is tried.
            Self::NoOtherPlan | Self::OnlyReworded | Self::NothingMissing => (
                FaultKind::Budget,
                Some("say more exactly what you want or where it is, or use a stronger model".to_owned()),
            ),
            Self::GaveUp(gave_up) => match gave_up.kind {
                GiveUpKind::Impossible => (FaultKind::Impossible, gave_up.question.clone()),
                GiveUpKind::NeedsPerson | GiveUpKind::NeedsConsent => {
                    (FaultKind::NeedsPerson, gave_up.question.clone())
                }
            },
        };
        let remedy = match self {
            Self::Model(error) => error.remedy(),
            Self::Late { .. }
            | Self::Refused(_)
            | Self::NoOtherPlan
            | Self::OnlyReworded
            | Self::NothingMissing
            | Self::GaveUp(_)
            | Self::Answered(_) => None,
        };
        Fault { role: Role::Planner, kind, message: self.to_string(), hint, remedy }
    }
}

fn list(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
