//! Questions of a run, and who answers them.

use std::sync::Arc;

use artoo_runtime::Answerer;
use artoo_types::{
    ApprovalRequested, ApprovalScope, ClarificationRequested, ContinuationRequested, Message,
    PlanApprovalRequested,
};
use async_trait::async_trait;
use tokio::sync::mpsc;

/// Answers the questions of runs.
///
/// *Contract.* Called for one question of a run at a time; runs may ask side by side. While a question is open its run waits, and so
/// does its clock: only its timeout and a cancel end it. The future may be dropped at any await.
///
/// A function of a [`Question`] is one:
///
/// ```
/// use artoo::{Answer, Artoo, Question};
///
/// let builder = Artoo::builder().person(|question: &Question| match question {
///     Question::Effect(asked) if asked.command.starts_with("touch ") => Answer::Yes,
///     Question::Effect(_) | Question::Plan(_) | Question::Continuation(_) | Question::Clarification(_) => Answer::No,
/// });
/// ```
#[async_trait]
pub trait Person: Send + Sync {
    /// Answers one question.
    async fn answer(&self, question: &Question) -> Answer;
}

#[async_trait]
impl<F: Fn(&Question) -> Answer + Send + Sync> Person for F {
    async fn answer(&self, question: &Question) -> Answer {
        self(question)
    }
}

/// What a run asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// What words of the request mean, or how a step is to go on.
    Clarification(ClarificationRequested),
    /// Whether a plan may run; asked where [`ask_before_plans`](artoo_runtime::Builder::ask_before_plans) is set.
    Plan(PlanApprovalRequested),
    /// Whether the run goes on, since it has taken much.
    Continuation(ContinuationRequested),
    /// Whether a call may do what it would: the command, its effects, and what a trial of it changed.
    Effect(Box<ApprovalRequested>),
}

/// What is said to it.
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
    /// In words. To a clarification it is the answer, and empty means: go ahead; to an effect a no, with what to do instead; to a plan and to going on a no.
    Words(String),
}

impl Question {
    /// The question of a message that a person is to answer.
    pub(crate) fn of(message: &Message) -> Option<Self> {
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

    fn reply(&self, answer: Answer, to: &Answerer) {
        match (self, answer) {
            (_, Answer::Stop) => to.decline(),
            (Self::Clarification(asked), Answer::Words(words)) => to.answer(asked.round, words),
            (Self::Clarification(asked), Answer::Yes | Answer::YesFor(_)) => {
                to.answer(asked.round, "yes".to_owned());
            }
            (Self::Clarification(asked), Answer::No) => to.answer(asked.round, "no".to_owned()),
            (Self::Plan(asked), Answer::Yes | Answer::YesFor(_)) => to.agree(asked.round),
            (Self::Plan(asked), Answer::No | Answer::Words(_)) => to.refuse(asked.round),
            (Self::Continuation(asked), Answer::Yes | Answer::YesFor(_)) => to.go_on(asked.number),
            (Self::Continuation(asked), Answer::No | Answer::Words(_)) => to.end_here(asked.number),
            (Self::Effect(asked), Answer::Yes) => to.allow(asked.call_id, ApprovalScope::Once),
            (Self::Effect(asked), Answer::YesFor(scope)) => to.allow(asked.call_id, scope),
            (Self::Effect(asked), Answer::No) => to.deny(asked.call_id, None),
            (Self::Effect(asked), Answer::Words(words)) => to.deny(asked.call_id, Some(words)),
        }
    }
}

/// Answers what comes until nothing comes any more.
pub(crate) async fn answer(
    person: Arc<dyn Person>,
    to: Answerer,
    mut questions: mpsc::UnboundedReceiver<Question>,
) {
    while let Some(question) = questions.recv().await {
        question.reply(person.answer(&question).await, &to);
    }
}
