//! Matches questions: with those of earlier runs, and within a conversation.

use super::{
    Answer, Exchange, Question,
    question::{is_models, read},
};

/// The known exchange that matches a question.
pub(super) struct Found {
    /// Its index.
    pub exchange: usize,
    /// Whether it reads the same, apart from figures and ids.
    pub same: bool,
}

/// The exchange that a question repeats: the first unused one that reads the same, or else the one at the
/// same place with the most similar text. The place is what the model itself has said earlier in the
/// conversation, so that a reworded prompt keeps its answer.
pub(super) fn find(question: &Question, known: &[Exchange], used: &[bool]) -> Option<Found> {
    let left = || known.iter().enumerate().filter(|(at, _)| !used.get(*at).copied().unwrap_or_default());
    let lines = question.lines();
    let same =
        |exchange: &Exchange| exchange.question.role == question.role && exchange.question.lines() == lines;
    if let Some((exchange, _)) = left().find(|(_, exchange)| same(exchange)) {
        return Some(Found { exchange, same: true });
    }
    let (said, shape) = (question.said(), question.shape());
    let at_its_place = |exchange: &Exchange| {
        let other = &exchange.question;
        other.role == question.role && other.shape() == shape && other.said() == said
    };
    let candidates = left().filter(|(_, exchange)| at_its_place(exchange));
    // `max_by_key` returns the last of equals, so the order is reversed: the earliest is the likeliest.
    let nearest = candidates.rev().max_by_key(|(_, exchange)| likeness(&exchange.question.lines(), &lines));
    nearest.map(|(exchange, _)| Found { exchange, same: false })
}

/// The share of common lines of two texts, in thousandths: a longer text is not more similar for containing
/// more.
fn likeness(one: &[String], other: &[String]) -> usize {
    let all = one.len().saturating_add(other.len()).max(1);
    common(one, other).saturating_mul(2_000).checked_div(all).unwrap_or_default()
}

/// The number of common lines of two texts, each counted once.
fn common(one: &[String], other: &[String]) -> usize {
    let mut left: Vec<&String> = other.iter().collect();
    left.sort_unstable();
    let mut sorted: Vec<&String> = one.iter().collect();
    sorted.sort_unstable();
    let mut left = left.into_iter().peekable();
    let mut shared = 0_usize;
    for line in sorted {
        while left.next_if(|other| *other < line).is_some() {}
        if left.next_if(|other| *other == line).is_some() {
            shared = shared.saturating_add(1);
        }
    }
    shared
}

/// Whether `later` continues `earlier` after this answer.
pub(super) fn continues(earlier: &Question, answer: &Answer, later: &Question) -> bool {
    let mut said = earlier.said();
    said.extend(Question { messages: vec![answer.message(0)], ..Question::default() }.said());
    earlier.role == later.role && earlier.messages.first() == later.messages.first() && later.said() == said
}

/// The texts added to a conversation since the model's last turn.
pub(super) fn added(question: &Question) -> Vec<String> {
    let from = question.messages.iter().rposition(is_models).map_or(0, |at| at.saturating_add(1));
    question.messages.iter().skip(from).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn question(role: &str, turns: &[&str]) -> Question {
        let speaker = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
        let message = |(at, text): (usize, &&str)| json!({"role": speaker(at), "content": text});
        Question {
            role: role.into(),
            messages: turns.iter().enumerate().map(message).collect(),
            ..Question::default()
        }
    }

    fn known(questions: &[Question]) -> Vec<Exchange> {
        let exchange = |question: &Question| Exchange { question: question.clone(), answer: None, depth: 1 };
        questions.iter().map(exchange).collect()
    }

    fn found(question: &Question, known: &[Exchange], used: &[bool]) -> Option<(usize, bool)> {
        find(question, known, used).map(|found| (found.exchange, found.same))
    }

    #[test]
    fn the_same_question_is_found_once() {
        let asked = question("planner", &["Plan it at 09:14."]);
        let known =
            known(&[question("planner", &["Plan that."]), asked, question("executor", &["Plan it."])]);
        let again = question("planner", &["Plan it at 10:30."]);
        assert_eq!(found(&again, &known, &[false; 3]), Some((1, true)));
        assert_eq!(found(&again, &known, &[false, true, false]), Some((0, false)));
        assert_eq!(found(&again, &known, &[true, true, false]), None);
        assert_eq!(found(&question("judge", &["Plan it."]), &known, &[false; 3]), None);
    }

    #[test]
    fn a_reworded_question_is_found_by_what_was_said_before() {
        let known = known(&[
            question("executor", &["Step a.\nx", "look", "blue"]),
            question("executor", &["Step b.\nx\ny", "look", "blue"]),
            question("executor", &["Step b.", "see", "blue"]),
        ]);
        let reworded = question("executor", &["Your step is b.\nx\ny", "look", "It is blue."]);
        assert_eq!(found(&reworded, &known, &[false; 3]), Some((1, false)));
        assert_eq!(found(&question("executor", &["Step b.", "go", "blue"]), &known, &[false; 3]), None);
    }

    /// The first question of a step got the answer to the step's last attempt, which contains the same lines
    /// and many more.
    #[test]
    fn a_longer_question_is_no_nearer() {
        let known = known(&[
            question("executor", &["Now.\nStep a.\nx"]),
            question("executor", &["Step a.\nx\ny\nz\nand\nmore\nfell short"]),
        ]);
        let reworded = question("executor", &["Step a.\nx\ny"]);
        assert_eq!(found(&reworded, &known, &[false; 2]), Some((0, false)));
    }

    #[test]
    fn a_conversation_goes_on() {
        let first = question("executor", &["Step."]);
        let answer = Answer { text: "look".into(), ..Answer::default() };
        let second = question("executor", &["Step.", "look", "blue"]);
        assert!(continues(&first, &answer, &second));
        assert!(!continues(&first, &Answer { text: "see".into(), ..Answer::default() }, &second));
        assert!(!continues(&question("executor", &["Other."]), &answer, &second));
        assert_eq!(added(&second), ["blue"]);
        assert_eq!(added(&first), ["Step."]);
    }

    #[test]
    fn shared_lines_are_counted_once() {
        let lines = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(common(&lines("aab"), &lines("abbc")), 2);
        assert_eq!(common(&lines(""), &lines("a")), 0);
    }
}
