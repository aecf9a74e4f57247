//! The open questions of a run to the person, and what answers them.

use artoo_types::{
    ApprovalDecided, ApprovalScope, CallId, ClarificationAnswered, ContinuationDecided, Envelope, Message,
    PlanApprovalDecided, SubTaskId,
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
    /// Whether the run shall go on, since it has taken much.
    Continuation {
        /// Which question of this kind.
        number: u32,
    },
    /// Whether the effects of a call are allowed.
    Effect {
        /// The call.
        call_id: CallId,
    },
}

impl Question {
    /// The question that a message puts.
    pub fn of(message: &Message) -> Option<Self> {
        if let Message::ClarificationRequested(asked) = message {
            Some(Self::Clarification { round: asked.round, subtask_id: asked.subtask_id })
        } else if let Message::PlanApprovalRequested(asked) = message {
            Some(Self::Plan { round: asked.round })
        } else if let Message::ContinuationRequested(asked) = message {
            Some(Self::Continuation { number: asked.number })
        } else if let Message::ApprovalRequested(asked) = message
            && asked.person
        {
            Some(Self::Effect { call_id: asked.call_id })
        } else {
            None
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
            Self::Continuation { number } => {
                matches!(message, Message::ContinuationDecided(decision) if decision.number == number)
            }
            // The run may decide by itself as well.
            Self::Effect { call_id } => {
                matches!(message, Message::ApprovalDecided(decision) if decision.call_id == call_id)
            }
        }
    }

    /// The message that a reply becomes; `None` if it answers another question or ends the run. If no reply can come any
    /// more, a clarification proceeds unanswered, and everything else is refused.
    pub(crate) fn answered(self, reply: Option<Reply>) -> Option<Message> {
        let nobody = || "nobody is left to ask".to_owned();
        Some(match (self, reply) {
            (Self::Clarification { round, subtask_id }, Some(Reply::Clarification(to, answer)))
                if to == round =>
            {
                ClarificationAnswered { round, subtask_id, answer }.into()
            }
            (Self::Plan { round }, Some(Reply::Plan(decision))) if decision.round == round => decision.into(),
            (Self::Continuation { number }, Some(Reply::Continuation(decision)))
                if decision.number == number =>
            {
                decision.into()
            }
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
            (Self::Continuation { number }, None) => {
                ContinuationDecided { number, granted: false, reason: nobody() }.into()
            }
            (
                Self::Clarification { .. }
                | Self::Plan { .. }
                | Self::Continuation { .. }
                | Self::Effect { .. },
                Some(
                    Reply::Clarification(..)
                    | Reply::Plan(_)
                    | Reply::Continuation(_)
                    | Reply::Effect(_)
                    | Reply::Declined,
                ),
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

/// The open questions of a run, in the order in which they were put: the first is the one to answer. A step may ask
/// while the run asks whether it shall go on. The same messages give the same questions, live or from the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions(Vec<Asked>);

impl Questions {
    /// Applies a message.
    pub fn on(&mut self, envelope: &Envelope) {
        let message = envelope.message.as_ref();
        self.0.retain(|asked| !asked.question.is_settled_by(message));
        if let Some(question) = Question::of(message)
            && !self.has(question)
        {
            self.0.push(Asked { seq: envelope.seq, question });
        }
    }

    /// The question to answer.
    pub fn open(&self) -> Option<Question> {
        self.first().map(|asked| asked.question)
    }

    /// Whether this question is open.
    pub fn has(&self, question: Question) -> bool {
        self.0.iter().any(|asked| asked.question == question)
    }

    pub(crate) fn first(&self) -> Option<Asked> {
        self.0.first().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use artoo_types::{ClarificationRequested, ContinuationRequested, FinalResult, Role, RunId};
    use chrono::DateTime;

    use super::*;

    fn on(questions: &mut Questions, seq: u64, message: impl Into<Message>) -> Option<Question> {
        questions.on(&Envelope {
            seq,
            run_id: RunId::OPERATOR,
            at: DateTime::UNIX_EPOCH.fixed_offset(),
            elapsed_ms: 0,
            from: Role::User,
            message: Arc::new(message.into()),
        });
        questions.open()
    }

    fn go_on(number: u32) -> ContinuationRequested {
        ContinuationRequested {
            number,
            turns: 200,
            tokens: 0,
            estimated: false,
            cost: None,
            currency: String::new(),
        }
    }

    /// A step asks while the run asks whether it goes on: neither question is lost.
    #[test]
    fn questions_wait_for_each_other() {
        let mut questions = Questions::default();
        let which =
            || ClarificationRequested { round: 1, subtask_id: None, questions: vec!["Which?".into()] };
        let (first, second) =
            (Question::Continuation { number: 1 }, Question::Clarification { round: 1, subtask_id: None });
        assert_eq!(on(&mut questions, 1, go_on(1)), Some(first));
        assert_eq!(on(&mut questions, 2, which()), Some(first));
        assert_eq!(on(&mut questions, 3, which()), Some(first), "a copy is no other question");
        let another = ContinuationDecided { number: 2, granted: true, reason: String::new() };
        assert_eq!(on(&mut questions, 4, another.clone()), Some(first));
        assert_eq!(on(&mut questions, 5, ContinuationDecided { number: 1, ..another }), Some(second));
        assert_eq!(questions.first().map(|asked| asked.seq), Some(2));
        let answer = ClarificationAnswered { round: 1, subtask_id: None, answer: "the second".into() };
        assert_eq!(on(&mut questions, 6, answer), None);
        on(&mut questions, 7, go_on(2));
        assert_eq!(on(&mut questions, 8, FinalResult::nothing(RunId::OPERATOR, "t")), None);
    }

    #[test]
    fn without_anybody_left_it_does_not_go_on() {
        let asked = Question::Continuation { number: 3 };
        let Some(Message::ContinuationDecided(decision)) = asked.answered(None) else { panic!() };
        assert!(decision.number == 3 && !decision.granted);
        let yes = |number| ContinuationDecided { number, granted: true, reason: String::new() };
        assert_eq!(asked.answered(Some(Reply::Continuation(yes(2)))), None, "that answers another question");
        assert_eq!(asked.answered(Some(Reply::Continuation(yes(3)))), Some(yes(3).into()));
    }
}
