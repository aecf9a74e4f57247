//! The open question of a run to the person, and what answers it.

use artoo_types::{
    ApprovalDecided, ApprovalScope, CallId, ClarificationAnswered, Envelope, Message, PlanApprovalDecided,
    SubTaskId,
};

use crate::run::Reply;

/// A question to the person. The run waits while one is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// A round of questions.
    Clarification {
        /// The round, counted by the asking role.
        round: u32,
        /// The asking step; `None` for R1.
        subtask_id: Option<SubTaskId>,
    },
    /// Whether the plan of this round may run.
    Plan {
        /// The round.
        round: u32,
    },
    /// Whether the effects of a call are allowed.
    Effect {
        /// The call.
        call_id: CallId,
    },
}

impl Question {
    /// The open question after a message, given the one before it. The same messages give the same question,
    /// live or from the journal.
    pub fn after(open: Option<Self>, message: &Message) -> Option<Self> {
        if let Message::ClarificationRequested(asked) = message {
            Some(Self::Clarification { round: asked.round, subtask_id: asked.subtask_id })
        } else if let Message::PlanApprovalRequested(asked) = message {
            Some(Self::Plan { round: asked.round })
        } else if let Message::ApprovalRequested(asked) = message
            && asked.person
        {
            Some(Self::Effect { call_id: asked.call_id })
        } else {
            open.filter(|question| !question.is_settled_by(message))
        }
    }

    fn is_settled_by(self, message: &Message) -> bool {
        if let Message::FinalResult(_) = message {
            return true;
        }
        match self {
            Self::Clarification { round, subtask_id } => {
                matches!(message, Message::ClarificationAnswered(answer) if (answer.round, answer.subtask_id) == (round, subtask_id))
            }
            Self::Plan { round } => {
                matches!(message, Message::PlanApprovalDecided(decision) if decision.round == round)
            }
            // The run may decide by itself as well.
            Self::Effect { call_id } => {
                matches!(message, Message::ApprovalDecided(decision) if decision.call_id == call_id)
            }
        }
    }

    /// The message that a reply becomes; `None` if it answers another question or ends the run. If no reply can come any
    /// more, a clarification proceeds unanswered, and a plan or an effect is refused.
    pub(crate) fn answered(self, reply: Option<Reply>) -> Option<Message> {
        let nobody = || "nobody is left to ask".to_owned();
        Some(match (self, reply) {
            (Self::Clarification { round, subtask_id }, Some(Reply::Clarification(to, answer)))
                if to == round =>
            {
                ClarificationAnswered { round, subtask_id, answer }.into()
            }
            (Self::Plan { round }, Some(Reply::Plan(decision))) if decision.round == round => decision.into(),
            (Self::Effect { call_id }, Some(Reply::Effect(decision))) if decision.call_id == call_id => {
                decision.into()
            }
            (Self::Effect { call_id }, None) => {
                let (scope, reason) = (ApprovalScope::Once, nobody());
                ApprovalDecided { call_id, granted: false, scope, reason, instead: None, rule: None }.into()
            }
            (Self::Clarification { round, subtask_id }, None) => {
                ClarificationAnswered { round, subtask_id, answer: String::new() }.into()
            }
            (Self::Plan { round }, None) => {
                PlanApprovalDecided { round, granted: false, reason: nobody() }.into()
            }
            (
                Self::Clarification { .. } | Self::Plan { .. } | Self::Effect { .. },
                Some(Reply::Clarification(..) | Reply::Plan(_) | Reply::Effect(_) | Reply::Declined),
            ) => return None,
        })
    }
}

/// An asked question, with the number of its message: the same question may be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) seq: u64,
    pub(crate) question: Question,
}

impl Asked {
    /// Applies a message; returns whether the open question changed.
    pub(crate) fn follow(open: &mut Option<Self>, envelope: &Envelope) -> bool {
        let before = open.map(|asked| asked.question);
        let after = Question::after(before, envelope.message.as_ref());
        let has_changed = after != before;
        if has_changed {
            *open = after.map(|question| Self { seq: envelope.seq, question });
        }
        has_changed
    }
}
