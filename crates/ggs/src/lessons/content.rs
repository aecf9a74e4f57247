//! The words of a Megram: one bounded line, because it may stand in a prompt years later.
//!
//! They are words of the request and of the first plan, names of calls, and what code knows of them. What a
//! tool printed is not among them, nor what was written when that was in sight.

use artoo_types::{BlockedTarget, TerminalState};

use super::story::Story;

/// Characters that a quoted part may have.
const PART: usize = 160;
/// Characters of the whole.
const WHOLE: usize = 900;

/// A call that failed, with the reason that code knows and what it was to do, where that may be quoted.
pub(super) fn failed_call(pair: &BlockedTarget, reason: &str, intent: Option<&str>) -> String {
    let purpose = intent.map(|intent| format!(" It was to: {}.", line(intent))).unwrap_or_default();
    format!("{} failed: {reason}.{purpose}", call(pair))
}

pub(super) fn breakthrough(pair: &BlockedTarget, criterion: Option<&str>) -> String {
    let met = criterion.map(|criterion| format!(" It met: {}.", line(criterion))).unwrap_or_default();
    format!("{} worked where other tools had failed.{met}", call(pair))
}

/// A call that a person let through.
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

/// The same with its end.
fn sentence(text: &str) -> String {
    let line = line(text);
    if line.ends_with(['?', '!', '。', '？', '！', '…']) { line } else { format!("{line}.") }
}

/// On one line, without a full stop, cut at a character.
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
