//! Formats the content of a Megram: one bounded line, because it may appear in a prompt years later.
//!
//! It consists of words of the request and of the first plan, names of calls, and what code knows of them.
//! Tool output is excluded, and so is text written with that output in view.

use artoo_types::{BlockedTarget, TerminalState};

use super::story::Story;

/// Maximum characters of a quoted part.
const PART: usize = 160;
/// Maximum characters in total.
const WHOLE: usize = 900;

/// A failed call, with the reason known to code and its intent, if that may be quoted.
pub(super) fn failed_call(pair: &BlockedTarget, reason: &str, intent: Option<&str>) -> String {
    let purpose = intent.map(|intent| format!(" It was to: {}.", line(intent))).unwrap_or_default();
    format!("{} failed: {reason}.{purpose}", call(pair))
}

pub(super) fn breakthrough(pair: &BlockedTarget, criterion: Option<&str>) -> String {
    let met = criterion.map(|criterion| format!(" It met: {}.", line(criterion))).unwrap_or_default();
    format!("{} worked where other tools had failed.{met}", call(pair))
}

/// A call that a person allowed.
pub(super) fn agreed(pair: &BlockedTarget) -> String {
    format!("{} worked, though memory advised against it.", call(pair))
}

pub(super) fn ending(intent: &str, story: &Story, not_met: Option<&str>, terminal: TerminalState) -> String {
    let how = match terminal {
        TerminalState::Accept => "Done",
        TerminalState::Success => "Mostly done",
        TerminalState::Abandon => "Not finished",
    };
    let mut text = format!("{how}: {}", sentence(intent));
    let steps: Vec<String> = story.steps.iter().map(|step| line(step)).collect();
    text.push_str(&listed(" Steps", &steps));
    text.push_str(&listed(" First failed", &story.failed));
    text.push_str(&listed(if story.failed.is_empty() { " Worked" } else { " Then worked" }, &story.worked));
    if let Some(criterion) = not_met {
        text.push_str(&format!(" Not met: {}.", line(criterion)));
    }
    cut(&text, WHOLE)
}

/// How it was done in a folder.
pub(super) fn local(intent: &str, story: &Story) -> String {
    let text = format!("Here: {}{}", sentence(intent), listed(" Worked", &story.worked));
    cut(&text, WHOLE)
}

pub(super) fn fault(intent: &str) -> String {
    format!("Not finished: {} A fault ended the run.", sentence(intent))
}

/// A tool and its input.
pub(super) fn call(pair: &BlockedTarget) -> String {
    format!("{} with {}", pair.tool, line(&pair.target))
}

fn listed(label: &str, parts: &[String]) -> String {
    if parts.is_empty() { String::new() } else { format!("{label}: {}.", parts.join("; ")) }
}

/// With its full stop.
fn sentence(text: &str) -> String {
    let line = line(text);
    if line.ends_with(['?', '!', '。', '？', '！', '…']) { line } else { format!("{line}.") }
}

/// On one line, without a full stop, truncated at a character boundary.
fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(words.trim_end_matches('.'), PART)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
