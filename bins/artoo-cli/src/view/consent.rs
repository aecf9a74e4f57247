//! What a person is asked before a call that needs consent, and what came of it.
//!
//! Whatever is shown here was written by a model, or is the name or the content of a file: it is made harmless, and nothing is so
//! long that it pushes the rest off the screen.

use artoo_types::{ApprovalScope, Effect, PreviewedChange, PreviewedKind, ToolName};

use super::frame::Frame;
use super::units::bytes;
use super::words;
use crate::terminal::Style;

/// The longest text that is shown whole, in characters.
const MAX_TEXT: usize = 600;
/// The most lines of a command, effects, and changes.
const MAX_LINES: usize = 20;

/// A question, or what stands for one where nobody is asked.
pub(super) struct Asked<'a> {
    pub(super) tool: &'a ToolName,
    pub(super) command: &'a str,
    pub(super) effects: &'a [Effect],
    pub(super) changes: &'a [PreviewedChange],
    pub(super) reason: &'a str,
    pub(super) person: bool,
}

/// The lines of a question.
pub(super) fn question(asked: &Asked<'_>, code: &str, frame: Frame) -> Vec<String> {
    let Asked { tool, command, effects, changes, reason, person } = *asked;
    // What must not be missed is not cut to the width of the terminal.
    let frame = frame.whole();
    let head = if person { format!("? may {tool} do this?") } else { format!("{tool} needs consent") };
    let mut lines = vec![frame.line(code, 0, Some(Style::Notice), &format!("{head} {reason}"))];
    let commands = command.lines().filter(|line| !line.trim().is_empty());
    let commands: Vec<String> = commands.map(|line| format!("$ {}", short(line))).collect();
    lines.extend(some(&commands, "lines").map(|text| frame.line(code, 1, Some(Style::Strong), &text)));
    let effects: Vec<[String; 2]> = effects.iter().map(effect).collect();
    for [what, why] in effects.iter().take(MAX_LINES) {
        lines.push(frame.line(code, 1, None, what));
        if !why.is_empty() {
            lines.push(frame.line(code, 2, Some(Style::Faint), why));
        }
    }
    if effects.len() > MAX_LINES {
        lines.push(frame.line(code, 1, None, &format!("… and {} more effects", effects.len() - MAX_LINES)));
    }
    if !changes.is_empty() {
        lines.push(frame.line(code, 1, None, "tried where nothing of it lasts, it would leave:"));
    }
    for seen in changes.iter().take(MAX_LINES) {
        lines.push(frame.line(code, 2, None, &change(seen)));
        let diff = seen.diff.as_deref().unwrap_or_default().lines();
        lines.extend(
            diff.take(2 * MAX_LINES).map(|text| frame.line(code, 3, Some(Style::Faint), &short(text))),
        );
    }
    if changes.len() > MAX_LINES {
        lines.push(frame.line(code, 2, None, &format!("… and {} more changes", changes.len() - MAX_LINES)));
    }
    lines
}

/// What came of it.
pub(super) fn decision(granted: bool, scope: ApprovalScope, reason: &str, instead: Option<&str>) -> String {
    match (granted, instead) {
        (true, _) => format!("allowed {}: {reason}", scope_words(scope)),
        (false, None) => format!("not allowed: {reason}"),
        (false, Some(words)) => format!("not allowed: {reason}; instead: {}", short(words)),
    }
}

fn scope_words(scope: ApprovalScope) -> &'static str {
    match scope {
        ApprovalScope::Once => "once",
        ApprovalScope::Run => "for this run",
        ApprovalScope::Folder => "for this run in this folder",
        ApprovalScope::Always => "always",
    }
}

fn effect(effect: &Effect) -> [String; 2] {
    let word = if effect.word.is_empty() || effect.word == effect.what {
        String::new()
    } else {
        format!("`{}`: ", short(&effect.word))
    };
    let what = format!("{}: {}", words::effect(effect.kind), short(&effect.what));
    [what, format!("{word}{}", short(&effect.why))]
}

fn change(change: &PreviewedChange) -> String {
    let sizes = match (change.bytes_before, change.bytes_after) {
        (None, None) => String::new(),
        (Some(before), None) => format!(" ({})", bytes(before)),
        (None, Some(after)) => format!(" ({})", bytes(after)),
        (Some(before), Some(after)) => format!(" ({}, then {})", bytes(before), bytes(after)),
    };
    let verb = match change.change {
        PreviewedKind::Created => "new",
        PreviewedKind::Changed => "changed",
        PreviewedKind::Renamed => "renamed",
        PreviewedKind::Attributes => "mode or time of",
        PreviewedKind::Deleted => "gone",
    };
    format!("{verb} {}{sizes}", short(&change.path.display().to_string()))
}

/// The first lines, and how many there are beyond.
fn some<'a>(lines: &'a [String], called: &'a str) -> impl Iterator<Item = String> + 'a {
    let more = lines.len().saturating_sub(MAX_LINES);
    let rest = (more > 0).then(|| format!("… and {more} more {called}"));
    lines.iter().take(MAX_LINES).cloned().chain(rest)
}

/// Both ends of a long text: what is dangerous may stand at either.
fn short(text: &str) -> String {
    let count = text.chars().count();
    if count <= MAX_TEXT {
        return text.to_owned();
    }
    let half = MAX_TEXT / 2;
    let start: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(count - half).collect();
    format!("{start} … {} characters more … {end}", count - 2 * half)
}
