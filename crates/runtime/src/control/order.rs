//! What is said over the socket.

use artoo_types::{ApprovalDecided, PlanApprovalDecided};
use serde::{Deserialize, Serialize};

use crate::run::Reply;

/// What a run is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// The person answers a round of questions.
    Answer {
        /// Which.
        round: u32,
        /// Their words; empty means: go ahead.
        answer: String,
    },
    /// The person decides about a plan.
    Plan {
        /// How.
        decision: PlanApprovalDecided,
    },
    /// The person decides about what a call would do.
    Effect {
        /// How.
        decision: ApprovalDecided,
    },
    /// The person says something unasked.
    Note {
        /// Their words.
        text: String,
    },
    /// The run is to end.
    Stop {},
}

/// What it says: once when somebody comes, and once to each order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "said", rename_all = "snake_case", deny_unknown_fields)]
pub enum Said {
    /// It listens.
    Ready {
        /// Whether it takes answers to its questions.
        answers: bool,
    },
    /// It does it.
    Taken {},
    /// It does not.
    Refused {
        /// Why.
        reason: String,
    },
}

impl From<Reply> for Order {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Clarification(round, answer) => Self::Answer { round, answer },
            Reply::Plan(decision) => Self::Plan { decision },
            Reply::Effect(decision) => Self::Effect { decision },
        }
    }
}
