//! What stands beside every task in a prompt: the person's laws, and what memory knows of such work.

use std::fmt::Write as _;

use artoo_types::{Experience, Law, Lesson, Origin, Polarity, SopRecord};

use crate::{Origin as Source, fenced, inline};

/// The maximum length of a lesson, in characters.
const LESSON: usize = 500;
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
        Lesson::Rule(SopRecord { polarity, content, .. }) => {
            format!("{} {}", polarity_label(*polarity), inline(&cut(content)))
        }
        Lesson::Experience(experience) => {
            format!("{}: {}", provenance(experience), inline(&cut(&experience.content)))
        }
    }
}

/// How a prompt introduces a rule.
pub fn polarity_label(polarity: Polarity) -> &'static str {
    match polarity {
        Polarity::Practice => "SHOULD PREFER:",
        Polarity::Constraint => "MUST NOT:",
    }
}

/// Time, origin and outcome of an experience, as a prompt introduces it.
pub fn provenance(experience: &Experience) -> String {
    let whose = match experience.origin {
        Some(Origin::Run(run)) => format!("run {run}"),
        Some(Origin::Person) => "said by the user".to_owned(),
        Some(Origin::Dreamer) => "drawn from experience".to_owned(),
        Some(Origin::Import) => "imported".to_owned(),
        None => "of unknown origin".to_owned(),
    };
    let went = if experience.sigma > 0.0 {
        ", went well"
    } else if experience.sigma < 0.0 {
        ", failed"
    } else {
        ""
    };
    format!("{}, {whose}{went}", experience.created_at.format("%Y-%m-%d"))
}

fn cut(text: &str) -> String {
    text.chars().take(LESSON).collect()
}
