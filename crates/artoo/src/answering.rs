//! Questions of a run, and who answers them.

use std::sync::Arc;

use artoo_runtime::Answerer;
pub use artoo_runtime::{Answer, UserQuestion as Question};
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

/// Answers what comes until nothing comes any more.
pub(crate) async fn answer(
    person: Arc<dyn Person>,
    to: Answerer,
    mut questions: mpsc::UnboundedReceiver<Question>,
) {
    while let Some(question) = questions.recv().await {
        to.give(&question, person.answer(&question).await);
    }
}
