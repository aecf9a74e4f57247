//! What a run asks the user, with everything that is shown, and what is answered: the same for every front end.

use artoo_types::{
    ApprovalRequested, ApprovalScope, ClarificationRequested, ContinuationRequested, Message,
    PlanApprovalRequested,
};

use crate::Answerer;

/// What a run asks the user.
#[derive(Clone, Debug, PartialEq)]
pub enum UserQuestion {
    /// What words of the request mean, or how a step is to go on.
    Clarification(ClarificationRequested),
    /// Whether a plan may run; asked where [`ask_before_plans`](crate::Builder::ask_before_plans) is set.
    Plan(PlanApprovalRequested),
    /// Whether the run goes on, since it has taken much.
    Continuation(ContinuationRequested),
    /// Whether a call may do what it would: the command, its effects, and what a trial of it changed. [`Offer`](crate::Offer)
    /// says which answers make sense.
    Effect(Box<ApprovalRequested>),
}

/// What the user answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, this once.
    Yes,
    /// Yes, to an effect, for as long as this. To the others it is a plain yes.
    YesFor(ApprovalScope),
    /// No.
    No,
    /// Ends the run instead of answering.
    Stop,
    /// In words. To a clarification it is the answer, and empty means: go ahead; to an effect a no, with what to do instead; to a plan and
    /// to going on a no.
    Words(String),
}

impl UserQuestion {
    /// The question in a message, if the user is to answer it.
    ///
    /// ```
    /// use artoo_runtime::UserQuestion;
    /// use artoo_types::{ClarificationRequested, TaskSpec};
    ///
    /// let asked = ClarificationRequested { round: 1, subtask_id: None, questions: vec!["Which one?".to_owned()] };
    /// assert_eq!(UserQuestion::of(&asked.clone().into()), Some(UserQuestion::Clarification(asked)));
    /// assert_eq!(UserQuestion::of(&TaskSpec::verbatim("Count the files").into()), None);
    /// ```
    pub fn of(message: &Message) -> Option<Self> {
        if let Message::ClarificationRequested(asked) = message {
            Some(Self::Clarification(asked.clone()))
        } else if let Message::PlanApprovalRequested(asked) = message {
            Some(Self::Plan(asked.clone()))
        } else if let Message::ContinuationRequested(asked) = message {
            Some(Self::Continuation(asked.clone()))
        } else if let Message::ApprovalRequested(asked) = message {
            asked.person.then(|| Self::Effect(Box::new(asked.clone())))
        } else {
            None
        }
    }
}

impl Answerer {
    /// Answers a question of the run.
    pub fn give(&self, question: &UserQuestion, answer: Answer) {
        match (question, answer) {
            (_, Answer::Stop) => self.decline(),
            (UserQuestion::Clarification(asked), Answer::Words(words)) => self.answer(asked.round, words),
            (UserQuestion::Clarification(asked), Answer::Yes | Answer::YesFor(_)) => {
                self.answer(asked.round, "yes".to_owned());
            }
            (UserQuestion::Clarification(asked), Answer::No) => self.answer(asked.round, "no".to_owned()),
            (UserQuestion::Plan(asked), Answer::Yes | Answer::YesFor(_)) => self.agree(asked.round),
            (UserQuestion::Plan(asked), Answer::No | Answer::Words(_)) => self.refuse(asked.round),
            (UserQuestion::Continuation(asked), Answer::Yes | Answer::YesFor(_)) => self.go_on(asked.number),
            (UserQuestion::Continuation(asked), Answer::No | Answer::Words(_)) => self.end_here(asked.number),
            (UserQuestion::Effect(asked), Answer::Yes) => self.allow(asked.call_id, ApprovalScope::Once),
            (UserQuestion::Effect(asked), Answer::YesFor(scope)) => self.allow(asked.call_id, scope),
            (UserQuestion::Effect(asked), Answer::No) => self.deny(asked.call_id, None),
            (UserQuestion::Effect(asked), Answer::Words(words)) => self.deny(asked.call_id, Some(words)),
        }
    }
}
