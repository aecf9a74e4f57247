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

/// A failed call, with the reason known to code and the request, by whose words it is found again.
pub(super) fn failed_call(pair: &BlockedTarget, reason: &str, request: &str) -> String {
    format!("{} {}", blocked_call(pair, reason), asked(request))
}

/// A failed call, with the reason known to code.
pub(super) fn blocked_call(pair: &BlockedTarget, reason: &str) -> String {
    format!("{} failed: {reason}.", call(pair))
}

/// A call that ended well and whose output was refused as the answer, with the criterion that it missed, if
/// that may be quoted.
pub(super) fn wrong_answer(pair: &BlockedTarget, missed: Option<&str>, request: &str) -> String {
    let missed = missed.map(|criterion| format!(" Not met: {}.", line(criterion))).unwrap_or_default();
    format!("{} ran, and what it put out was the wrong answer.{missed} {}", call(pair), asked(request))
}

fn asked(request: &str) -> String {
    format!("The request was: {}", sentence(request))
}

pub(super) fn breakthrough(pair: &BlockedTarget, criterion: Option<&str>) -> String {
    let met = criterion.map(|criterion| format!(" It met: {}.", line(criterion))).unwrap_or_default();
    format!("{} worked where other tools had failed.{met}", call(pair))
}

/// A call that a person allowed.
pub(super) fn agreed(pair: &BlockedTarget) -> String {
    format!("{} worked, though memory advised against it.", call(pair))
}

/// How it went: the request, what failed first, what worked then. Of an abandoned run what failed and why comes
/// first. Empty if no call and no criterion can be named, because then it states no fact.
pub(super) fn ending(intent: &str, story: &Story, not_met: Option<&str>, terminal: TerminalState) -> String {
    let Story { steps, failed, worked, .. } = story;
    let not_met = not_met.map(|criterion| format!(" Not met: {}.", line(criterion))).unwrap_or_default();
    if failed.is_empty() && worked.is_empty() && not_met.is_empty() {
        return String::new();
    }
    let steps: Vec<String> = steps.iter().map(|step| line(step)).collect();
    let done = |how: &str| {
        let then = if failed.is_empty() { " Worked" } else { " Then worked" };
        let (steps, failed, worked) =
            (listed(" Steps", &steps), listed(" First failed", failed), listed(then, worked));
        format!("{how}: {}{steps}{failed}{worked}{not_met}", sentence(intent))
    };
    let text = match terminal {
        TerminalState::Accept => done("Done"),
        TerminalState::Success => done("Mostly done"),
        TerminalState::Abandon => {
            let failed = listed("Failed", failed);
            format!("{} {}", format!("{failed}{not_met}").trim_start(), asked(intent))
        }
    };
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
