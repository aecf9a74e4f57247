//! Rendering of approval questions and their answers.
//!
//! All the text shown comes from a model or is the name or content of a file. It is rendered exactly, and no
//! text can push the rest off the screen. What does not fit is counted, and [`details`] shows it.

mod action;
mod changes;
mod commit;
mod effects;
mod groups;
mod moves;
mod place;
mod told;

use std::path::Path;

use artoo_runtime::events::Event;
use artoo_shell_effects::DecidedBy;
use artoo_types::{
    ApprovalRequested, ApprovalScope, Effect, EffectKind, GitMoves, PreviewedChange, ProposedCommit, ToolName,
};

use super::layout::Frame;
use super::units::counted;
use crate::terminal::{Style, exact, exact_ends};
use place::Place;
use told::{Told, rows};

/// Maximum height of a question before the answer, if no line is wider than the terminal.
const SCREEN: usize = 24;
/// Maximum number of lines, paths or groups of a kind.
const MOST: usize = 8;
/// Minimum number of lines of a diff; if fewer fit, the diff is left out.
const LEAST_OF_DIFF: usize = 5;
/// Indentation of a diff, in steps.
const DIFF_DEPTH: usize = 3;
/// Limits of a text shown whole: height in lines of the terminal, and width in columns.
const MAX_ROWS: usize = 4;
const LEAST_TEXT: usize = 120;

/// A question, or the call that was decided without a question.
pub(super) struct Asked<'a> {
    pub(super) tool: &'a ToolName,
    pub(super) command: &'a str,
    pub(super) effects: &'a [Effect],
    pub(super) changes: &'a [PreviewedChange],
    pub(super) commit: Option<&'a ProposedCommit>,
    pub(super) moves: Option<&'a GitMoves>,
    pub(super) rule: &'a str,
    pub(super) reason: &'a str,
    pub(super) person: bool,
    /// The folder that the run works in: paths below it are named without it.
    pub(super) folder: Option<&'a Path>,
}

impl<'a> Asked<'a> {
    /// The question in this event; none in any other.
    pub(super) fn in_event(event: &'a Event, folder: Option<&'a Path>) -> Option<Self> {
        let Event::ApprovalRequested {
            tool,
            command,
            effects,
            changes,
            commit,
            moves,
            rule,
            reason,
            person,
            ..
        } = event
        else {
            return None;
        };
        let (commit, moves, person) = (commit.as_ref(), moves.as_deref(), *person);
        Some(Self { tool, command, effects, changes, commit, moves, rule, reason, person, folder })
    }

    pub(super) fn of(asked: &'a ApprovalRequested, folder: Option<&'a Path>) -> Self {
        let ApprovalRequested {
            tool, command, effects, changes, commit, moves, rule, reason, person, ..
        } = asked;
        let (commit, moves, person) = (commit.as_ref(), moves.as_deref(), *person);
        Self { tool, command, effects, changes, commit, moves, rule, reason, person, folder }
    }
}

/// The lines of a question, about one screen.
pub(super) fn question(asked: &Asked<'_>, code: &str, frame: Frame) -> Vec<String> {
    let taken = |told: &[Told<'_>]| told.iter().map(|told| told.rows(code, frame)).sum::<usize>();
    // Shows as much of each kind as fits; the last line says how to see the rest.
    let (mut most, mut told) = (MOST, said(asked, MOST, frame));
    while most > 1 && taken(&told) >= SCREEN {
        most -= 1;
        told = said(asked, most, frame);
    }
    let room = (SCREEN - 1).saturating_sub(taken(&told));
    let rooms = rooms(&told, room, code, frame);
    let mut is_cut = false;
    let mut lines = Vec::new();
    for (mut one, room) in told.into_iter().zip(rooms) {
        let (shown, left) = one.diff.map_or_else(Default::default, |diff| fitting(diff, room, code, frame));
        is_cut |= one.is_cut || left > 0;
        if left > 0 && shown.is_empty() {
            let count = counted(left as u64, "line", "lines");
            one.text.push_str(&format!(", a difference of {count}"));
        }
        let all = left + shown.len();
        let more = format!("… {left} more of the {all} lines of this difference");
        let more = (left > 0 && !shown.is_empty()).then(|| frame.row(code, DIFF_DEPTH, None, &more));
        lines.push(one.line(code, frame));
        lines.extend(shown.into_iter().chain(more));
    }
    if is_cut {
        let rest = if asked.person {
            "d shows all of it, and the record has it"
        } else {
            "the record has all of it"
        };
        lines.push(frame.row(code, 1, Some(Style::Notice), rest));
    }
    lines
}

/// The lines of a question to the user.
pub(crate) fn first_screen(asked: &ApprovalRequested, folder: Option<&Path>, frame: Frame) -> Vec<String> {
    question(&Asked::of(asked, folder), "", frame)
}

/// All details of a question: each whole path, each diff line, each effect with its reason.
pub(crate) fn details(asked: &ApprovalRequested, frame: Frame) -> Vec<String> {
    let (code, asked) = ("", Asked::of(asked, None));
    let mut lines = Vec::new();
    for told in said(&asked, usize::MAX, Frame { columns: usize::MAX, ..frame }) {
        lines.push(told.line(code, frame));
        let diff = told.diff.into_iter().flat_map(changes::lines);
        lines.extend(diff.map(|text| frame.row(code, DIFF_DEPTH, Some(Style::Faint), &text)));
    }
    lines
}

/// How many lines the changes of a call add and take away, if all of them are known: `(+3 -1)`.
pub(super) fn difference(changes: &[PreviewedChange]) -> String {
    if changes.is_empty() { String::new() } else { action::difference(changes) }
}

/// The decision in words.
pub(super) fn decision(granted: bool, scope: ApprovalScope, reason: &str, instead: Option<&str>) -> String {
    match (granted, instead) {
        (true, _) => format!("allowed {}: {reason}", scope_words(scope)),
        (false, None) => format!("not allowed: {reason}"),
        (false, Some(words)) => format!("not allowed: {reason}; instead: {words}"),
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

/// The items of a question, with at most `most` lines of the command, and `most` changes
/// and effects of each kind listed one by one.
fn said<'a>(asked: &Asked<'a>, most: usize, frame: Frame) -> Vec<Told<'a>> {
    let Asked { tool: _, command, effects, changes, commit, moves, reason, rule, person, folder } = *asked;
    let place = Place { columns: frame.columns.saturating_mul(MAX_ROWS).max(LEAST_TEXT), folder };
    let mut unsaid = effects::unsaid(effects, changes);
    let says_commits = commit.is_some() || moves.is_some_and(|moves| !moves.lines().is_empty());
    unsaid.retain(|effect| !says_commits || effect.kind != EffectKind::Commits);
    let action = action::of(asked, &unsaid, most, place);
    let mut told = vec![action.head(person)];
    told.extend(reasons(rule, reason).map(|why| Told::new(exact(why), false).styled(1, Style::Notice)));
    if !action.says_command() {
        told.extend(command_lines(command, most, place));
    }
    told.extend(commit.into_iter().flat_map(|commit| commit::lines(commit, most, place.columns)));
    let moves = moves.filter(|_| says_commits);
    told.extend(moves.into_iter().flat_map(|moves| moves::lines(moves, most, place.columns)));
    let (lost, others): (Vec<_>, Vec<_>) =
        unsaid.into_iter().partition(|effect| effect.kind == EffectKind::Deletes);
    told.extend(effects::by_kind(&lost, most, place));
    if !action.says_change() {
        if changes.len() > 1 {
            told.push(Told::new(format!("{}:", changes::counts(changes)), false).styled(1, Style::Strong));
        }
        let below = |told: Told<'a>| Told { depth: told.depth + usize::from(changes.len() > 1), ..told };
        told.extend(changes::by_kind(changes, most, place).into_iter().map(below));
    }
    told.extend(effects::by_kind(&others, most, place));
    told
}

/// Why it is asked. That what was there changes only with consent is why anything is asked, and is not said each time.
fn reasons<'a>(rule: &str, reason: &'a str) -> impl Iterator<Item = &'a str> {
    let is_standing = rule == DecidedBy::ConsentToChange.name();
    let reason =
        reason.strip_prefix(DecidedBy::ConsentToChange.words()).filter(|_| is_standing).unwrap_or(reason);
    Some(reason.trim_start_matches("; ")).filter(|reason| !reason.trim().is_empty()).into_iter()
}

/// The command, at most so many lines of it.
fn command_lines<'a>(command: &str, most: usize, place: Place<'_>) -> Vec<Told<'a>> {
    let lines: Vec<&str> = command.strip_suffix('\n').unwrap_or(command).split('\n').collect();
    let line = |line: &&str| {
        let (line, is_cut) = exact_ends(line, place.columns);
        Told::new(format!("$ {line}"), is_cut).styled(1, Style::Strong)
    };
    let mut told: Vec<Told<'a>> = lines.iter().take(most).map(line).collect();
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        let more = counted(more as u64, "more line", "more lines");
        told.push(Told::new(format!("… {more} of the command"), true));
    }
    told
}

/// How many lines of the terminal each diff may take. Diffs that fit whole come first; the remainder goes to
/// the first one that does not fit.
fn rooms(told: &[Told<'_>], mut room: usize, code: &str, frame: Frame) -> Vec<usize> {
    let plain = frame.plain();
    let needed = |diff: &str| {
        let line = |text: String| rows(&plain.row(code, DIFF_DEPTH, None, &text), frame);
        changes::lines(diff).map(line).sum::<usize>()
    };
    let needed: Vec<usize> = told.iter().map(|told| told.diff.map_or(0, needed)).collect();
    let mut rooms = vec![0; told.len()];
    for (given, needed) in rooms.iter_mut().zip(&needed) {
        if *needed <= room {
            room -= *needed;
            *given = *needed;
        }
    }
    let unfit = rooms.iter_mut().zip(&needed).find(|(given, needed)| **given < **needed);
    if let Some((given, _)) = unfit.filter(|_| room > LEAST_OF_DIFF) {
        // One line is reserved for the count of the omitted lines.
        *given = room - 1;
    }
    rooms
}

/// As many lines of a diff as fit, and the number of omitted ones.
fn fitting(diff: &str, mut room: usize, code: &str, frame: Frame) -> (Vec<String>, usize) {
    let plain = frame.plain();
    let mut shown = Vec::new();
    let mut lines = changes::lines(diff);
    let all = changes::lines(diff).count();
    for text in &mut lines {
        let taken = rows(&plain.row(code, DIFF_DEPTH, None, &text), frame);
        if taken > room {
            break;
        }
        room -= taken;
        shown.push(frame.row(code, DIFF_DEPTH, Some(Style::Faint), &text));
    }
    let left = all - shown.len();
    (shown, left)
}

#[cfg(test)]
mod tests;
