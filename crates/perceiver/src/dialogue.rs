//! Clarification dialogue: the questions and answers so far, and whether another question is allowed.

use artoo_types::TaskSpec;

/// The maximum number of rounds of questions. Source: `docs/deviations.md`, "Clarifying questions"; lesson
/// 23: without a bound the same question came a dozen times.
pub const MAX_ROUNDS: u32 = 2;

/// The maximum number of questions in a round.
pub const MAX_QUESTIONS: usize = 3;

/// The maximum length of a question, in characters.
const MAX_QUESTION: usize = 300;

/// The result of perceiving a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Perceived {
    /// A task.
    Task(TaskSpec),
    /// No task yet: the request contains unresolved references. The questions go to the person, all at once.
    Unclear(Vec<String>),
}

/// The questions of one round and the answer to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The questions.
    pub questions: Vec<String>,
    /// The person's answer to all of them; empty means: go ahead.
    pub answer: String,
}

/// The exchanges with the person before a request is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialogue {
    exchanges: Vec<Exchange>,
    person_present: bool,
}

impl Dialogue {
    /// Starts without exchanges. Without a person there will never be any.
    pub fn new(person_present: bool) -> Self {
        Self { exchanges: Vec::new(), person_present }
    }

    /// The exchanges so far, oldest first.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Whether a question would still be answered: a person is present, was asked fewer than [`MAX_ROUNDS`]
    /// times, and did not say to go ahead.
    pub fn may_ask(&self) -> bool {
        let go_ahead = |exchange: &Exchange| exchange.answer.trim().is_empty();
        self.person_present && self.rounds() < MAX_ROUNDS && !self.exchanges.last().is_some_and(go_ahead)
    }

    /// The number of rounds so far.
    pub fn rounds(&self) -> u32 {
        u32::try_from(self.exchanges.len()).unwrap_or(u32::MAX)
    }

    /// Adds an exchange.
    #[must_use]
    pub fn with(mut self, questions: Vec<String>, answer: String) -> Self {
        self.exchanges.push(Exchange { questions, answer });
        self
    }
}

/// Normalises questions for display: one line each, of bounded length and number.
pub(crate) fn presentable(questions: Vec<String>) -> Vec<String> {
    let one_line = |question: String| {
        question
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(MAX_QUESTION)
            .collect::<String>()
    };
    questions.into_iter().map(one_line).filter(|question| !question.is_empty()).take(MAX_QUESTIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_asked_twice_at_most_and_not_after_an_empty_answer() {
        assert!(!Dialogue::new(false).may_ask());
        let asked = Dialogue::new(true);
        assert!(asked.may_ask());
        assert!(!asked.clone().with(vec!["Which?".to_owned()], " \n".to_owned()).may_ask());
        let once = asked.with(vec!["Which?".to_owned()], "that one".to_owned());
        assert!(once.may_ask());
        assert!(!once.with(vec!["Which one?".to_owned()], "the other".to_owned()).may_ask());
    }

    #[test]
    fn questions_are_few_short_and_on_one_line() {
        let questions = ["  Which\n file? ", "", "\t", "2", "3", "4"].map(str::to_owned).to_vec();
        assert_eq!(presentable(questions), ["Which file?", "2", "3"]);
        assert_eq!(presentable(vec!["长".repeat(1000)])[0].chars().count(), 300);
    }
}
