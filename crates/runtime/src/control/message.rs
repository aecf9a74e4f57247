//! The messages of the control socket.

use artoo_types::{ActivityReport, ApprovalDecided, ContinuationDecided, PlanApprovalDecided};
use serde::{Deserialize, Serialize};

use crate::run::Reply;

/// An order to a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Answers a round of questions.
    Answer {
        /// The round.
        round: u32,
        /// The person's words; empty means: go ahead.
        answer: String,
    },
    /// Decides about a plan.
    Plan {
        /// The decision.
        decision: PlanApprovalDecided,
    },
    /// Decides whether the run goes on.
    Continuation {
        /// The decision.
        decision: ContinuationDecided,
    },
    /// Decides about the effects of a call.
    Effect {
        /// The decision.
        decision: ApprovalDecided,
    },
    /// Ends the run instead of answering the open question.
    Decline {},
    /// Sends an unsolicited note.
    Note {
        /// The person's words.
        text: String,
    },
    /// Asks what goes on at this moment.
    Progress {},
    /// Stops the run.
    Stop {},
}

/// A reply of the run: one on connection, and one to each order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "said", rename_all = "snake_case", deny_unknown_fields)]
pub enum Said {
    /// The run listens.
    Ready {
        /// Whether it accepts answers to its questions.
        answers: bool,
    },
    /// The order was accepted.
    Taken {},
    /// What goes on in the run.
    Progress {
        /// The activities, in the order of beginning: at most those that fit into a message.
        activities: Vec<ActivityReport>,
    },
    /// The order was refused.
    Refused {
        /// The reason.
        reason: String,
    },
}

impl From<Reply> for Order {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Clarification(round, answer) => Self::Answer { round, answer },
            Reply::Plan(decision) => Self::Plan { decision },
            Reply::Continuation(decision) => Self::Continuation { decision },
            Reply::Effect(decision) => Self::Effect { decision },
            Reply::Declined => Self::Decline {},
        }
    }
}
