//! What stands beside every task in a prompt: the person's laws, and what memory knows of such work.

use std::fmt::Write as _;

use artoo_case_file::visibility::{Fact, Limit, Reader, Viewer, form};
use artoo_types::{Experience, Law, Lesson, Origin, Polarity, SopRecord};

use crate::{Origin as Source, fenced, inline};

/// How much of a lesson is shown.
const LESSON: Limit = form(Viewer::Executor, Reader::Capable, Fact::Lessons).limit();
/// Introduces the lessons.
const FROM_EARLIER_RUNS: &str = "What is known of such work from earlier runs:";

/// The person's laws, in their words: they are not foreign data, and they are no consent to anything. Empty if
/// there are none.
/// ```
/// use artoo_llm_client::laws;
/// use artoo_types::{Law, MegramId};
///
/// let law = Law { id: "00000000-0000-0000-0000-000000000000".parse()?, content: "Never touch Photos".into() };
/// assert_eq!(laws(&[law]), "The user's own laws, which hold in every run:\n- Never touch Photos\n");
/// assert_eq!(laws(&[]), "");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn laws(laws: &[Law]) -> String {
    if laws.is_empty() {
        return String::new();
    }
    let lines = laws.iter().map(|law| format!("- {}\n", inline(law.content.trim())));
    format!("The user's own laws, which hold in every run:\n{}", lines.collect::<String>())
}

/// What memory knows of such work, fenced as data. Empty if there is nothing.
pub fn lessons(lessons: &[Lesson]) -> String {
    if lessons.is_empty() {
        return String::new();
    }
    let mut lines = String::new();
    for lesson in lessons {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{}", lesson_line(lesson));
    }
    format!("{FROM_EARLIER_RUNS}\n{}\n", fenced(Source::Memory, &lines))
}

/// The first of these lessons that [`lessons`] puts into this many characters.
pub fn fitting_lessons(all: impl IntoIterator<Item = Lesson>, characters: usize) -> Vec<Lesson> {
    let frame = format!("{FROM_EARLIER_RUNS}\n{}\n", fenced(Source::Memory, ""));
    let mut left = characters.saturating_sub(frame.chars().count());
    let fits = |lesson: &Lesson| {
        let length = lesson_line(lesson).chars().count() + 1;
        let fits = length <= left;
        if fits {
            left -= length;
        }
        fits
    };
    all.into_iter().filter(fits).collect()
}

fn lesson_line(lesson: &Lesson) -> String {
    match lesson {
        Lesson::Rule(rule) => format!("{} {}", label(rule), inline(&cut(&rule.content))),
        Lesson::Experience(experience) => {
            format!("{}: {}", provenance(experience), inline(&cut(&experience.content)))
        }
    }
}

/// How a prompt introduces a rule. What experience alone says against requests of a kind is no prohibition: it
/// says what failed. Only the user forbids, or a rule about an exact call.
fn label(rule: &SopRecord) -> &'static str {
    let (is_the_users, is_of_a_call) = (rule.sources.is_empty(), rule.space.is_of_a_tool());
    match rule.polarity {
        Polarity::Practice => "SHOULD PREFER:",
        Polarity::Constraint if is_the_users || is_of_a_call => "MUST NOT:",
        Polarity::Constraint => "Failed before:",
    }
}

/// Time, origin and outcome of an experience, as a prompt introduces it.
fn provenance(experience: &Experience) -> String {
    let whose = match experience.origin {
        Some(Origin::Run(_) | Origin::Revoked(_)) => "",
        Some(Origin::Person) => ", said by the user",
        Some(Origin::Dreamer) => ", drawn from experience",
        Some(Origin::Import) => ", imported",
        None => ", of unknown origin",
    };
    let went = if let Some(Origin::Revoked(_)) = experience.origin {
        ", rejected by the user"
    } else if experience.sigma > 0.0 {
        ", went well"
    } else if experience.sigma < 0.0 {
        ", failed"
    } else {
        ""
    };
    format!("{}{whose}{went}", experience.created_at.format("%Y-%m-%d"))
}

fn cut(text: &str) -> String {
    LESSON.cut(text).into_owned()
}
