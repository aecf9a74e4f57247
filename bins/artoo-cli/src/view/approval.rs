//! Rendering of approval questions and their answers.
//!
//! All the text shown comes from a model or is the name or content of a file. It is rendered exactly, and no
//! text can push the rest off the screen. What does not fit is counted, and [`details`] shows it.

mod changes;
mod commit;
mod effects;
mod groups;
mod told;

use artoo_types::{
    ApprovalRequested, ApprovalScope, Effect, EffectKind, PreviewedChange, ProposedCommit, Role, ToolName,
};

use super::labels;
use super::layout::Frame;
use super::units::counted;
use crate::terminal::{Style, exact, exact_ends};
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
    pub(super) reason: &'a str,
    pub(super) person: bool,
}

impl<'a> From<&'a ApprovalRequested> for Asked<'a> {
    fn from(asked: &'a ApprovalRequested) -> Self {
        let ApprovalRequested { tool, command, effects, changes, commit, reason, person, .. } = asked;
        Self { tool, command, effects, changes, commit: commit.as_ref(), reason, person: *person }
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
pub(crate) fn first_screen(asked: &ApprovalRequested, frame: Frame) -> Vec<String> {
    question(&asked.into(), labels::code(Some(Role::Executor)), frame)
}

/// All details of a question: each path, each diff line, each effect with its reason.
pub(crate) fn details(asked: &ApprovalRequested, frame: Frame) -> Vec<String> {
    let (code, asked) = (labels::code(Some(Role::Executor)), Asked::from(asked));
    let mut lines = Vec::new();
    for told in said(&asked, usize::MAX, Frame { columns: usize::MAX, ..frame }) {
        lines.push(told.line(code, frame));
        let diff = told.diff.into_iter().flat_map(changes::lines);
        lines.extend(diff.map(|text| frame.row(code, DIFF_DEPTH, Some(Style::Faint), &text)));
    }
    lines
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
    let Asked { tool, command, effects, changes, commit, reason, person } = *asked;
    let columns = frame.columns.saturating_mul(MAX_ROWS).max(LEAST_TEXT);
    let head = if person { format!("? may {tool} do this?") } else { format!("{tool} needs consent") };
    let mut told = vec![Told::new(format!("{head} {}", exact(reason)), false).styled(0, Style::Notice)];
    let lines: Vec<&str> = command.strip_suffix('\n').unwrap_or(command).split('\n').collect();
    told.extend(lines.iter().take(most).map(|line| {
        let (line, is_cut) = exact_ends(line, columns);
        Told::new(format!("$ {line}"), is_cut).styled(1, Style::Strong)
    }));
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        let more = counted(more as u64, "more line", "more lines");
        told.push(Told::new(format!("… {more} of the command"), true));
    }
    told.extend(commit.into_iter().flat_map(|commit| commit::lines(commit, most, columns)));
    let mut unsaid = effects::unsaid(effects, changes);
    unsaid.retain(|effect| commit.is_none() || effect.kind != EffectKind::Commits);
    let (lost, others): (Vec<_>, Vec<_>) =
        unsaid.into_iter().partition(|effect| effect.kind == EffectKind::Deletes);
    told.extend(effects::by_kind(&lost, most, columns));
    if !changes.is_empty() {
        told.push(Told::new(format!("{}:", changes::counts(changes)), false).styled(1, Style::Strong));
    }
    let below = |told: Told<'a>| Told { depth: told.depth + usize::from(!changes.is_empty()), ..told };
    told.extend(changes::by_kind(changes, most, columns).into_iter().map(below));
    told.extend(effects::by_kind(&others, most, columns));
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
