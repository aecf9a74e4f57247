//! Rows of lists: past runs, undone paths, and the checks of `artoo doctor`.

use artoo_runtime::journal::RunState;
use artoo_runtime::runs::Summary;
use artoo_snapshot::{Obstacle, TakenBack};
use artoo_tools::CommitTakenBack;

use super::labels;
use super::layout::Frame;
use super::short_id;
use super::units::{counted, seconds, tokens};
use crate::doctor::{Check, State};
use crate::terminal::{Style, clip, neutral_line, pad};
use std::time::Duration;

/// One past run: the end of its id (ids of one minute share their beginning), time, outcome, cost, request.
pub(crate) fn run_row(run: &Summary, frame: Frame) -> String {
    let short = short_id(run.run_id);
    let when = run
        .started
        .map_or_else(|| "unknown time    ".to_owned(), |at| at.format("%Y-%m-%d %H:%M").to_string());
    let (style, end) = match (run.directive, run.exit_code) {
        (Some(artoo_types::TerminalState::Accept), Some(code)) if !run.errand.is_task() => {
            (if code == 0 { Style::Good } else { Style::Notice }, format!("exit {code}"))
        }
        (Some(_), Some(5)) if !run.errand.is_task() => (Style::Notice, "refused".to_owned()),
        (Some(state @ artoo_types::TerminalState::Accept), _) => {
            (Style::Good, labels::terminal(state).to_owned())
        }
        (Some(state), _) => (Style::Notice, labels::terminal(state).to_owned()),
        (None, Some(129)) => (Style::Notice, "hung up".to_owned()),
        (None, Some(130)) => (Style::Notice, "interrupted".to_owned()),
        (None, Some(131)) => (Style::Notice, "quit".to_owned()),
        (None, Some(143)) => (Style::Notice, "terminated".to_owned()),
        (None, Some(124)) => (Style::Notice, "timeout".to_owned()),
        (None, Some(3)) => (Style::Notice, "not judged".to_owned()),
        (None, Some(5)) => (Style::Notice, "declined".to_owned()),
        (None, Some(_)) => (Style::Bad, "fault".to_owned()),
        (None, None) if run.asking => (Style::Notice, "asks you".to_owned()),
        (None, None) => match labels::unfinished(run.state) {
            Some((word, _)) if run.state == RunState::Running => (Style::Notice, word.to_owned()),
            Some((word, _)) => (Style::Bad, word.to_owned()),
            None => (Style::Bad, "no end".to_owned()),
        },
    };
    let cost = format!(
        "{:>12} {:>9} {:>12}",
        seconds(Duration::from_millis(run.elapsed_ms)),
        counted(run.calls, "call", "calls"),
        format!("{}{} tokens", if run.estimated { "~" } else { "" }, tokens(run.tokens))
    );
    let head = format!("{short}  {when}  ");
    let end = pad(&end, 11);
    let mark = if run.errand.is_task() { "" } else { "$ " };
    let request = format!("{mark}{}", neutral_line(&run.request));
    let undo = labels::undo(run.undo).map(|undo| format!("  ({undo})")).unwrap_or_default();
    let damage = run
        .damage
        .as_deref()
        .map(|damage| format!("  (damaged: {})", neutral_line(damage)))
        .unwrap_or_default();
    if frame.columns < 100 {
        let end = frame.paint.text(style, end.trim_end());
        return format!("{head}{end}{undo}\n  {}{damage}", clip(&request, frame.columns.saturating_sub(3)));
    }
    let room = frame.columns.saturating_sub(head.len() + 11 + cost.len() + undo.len() + 3);
    format!("{head}{}{cost}  {}{undo}{damage}", frame.paint.text(style, &end), clip(&request, room))
}

/// A sentence about a run whose end is not recorded; `None` if it is.
pub(crate) fn no_end(state: RunState) -> Option<&'static str> {
    labels::unfinished(state).map(|(_, sentence)| sentence)
}

/// One path that was undone, or would be.
pub(crate) fn taken_back_line(change: &TakenBack, dry_run: bool) -> String {
    let action = labels::undo_action(change.action, dry_run);
    format!("{}{}", pad(action, 15), neutral_line(&change.path.display().to_string()))
}

/// One commit, or one move of git, that is taken back.
pub(crate) fn commit_taken_back_line(commit: &CommitTakenBack, dry_run: bool) -> String {
    let CommitTakenBack { repository, branch, commit, subject, is_move } = commit;
    let action = if dry_run { "would take back" } else { "took back" };
    let id: String = commit.chars().take(12).collect();
    let what = if *is_move {
        format!("in {repository}: {subject}")
    } else {
        format!("commit {id} of branch {branch} in {repository}: {subject}")
    };
    format!("{}{}", pad(action, 16), neutral_line(&what))
}

/// One path that cannot be undone, and why.
pub(crate) fn obstacle_line(obstacle: &Obstacle) -> String {
    let (path, why) = (obstacle.path.display().to_string(), obstacle.why.to_string());
    format!("  {}: {}", neutral_line(&path), neutral_line(&why))
}

/// The checks of `artoo doctor`, with their remedies.
pub(crate) fn check_lines(checks: &[Check], frame: Frame) -> Vec<String> {
    let widest = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for check in checks {
        let (style, mark) = match check.state {
            State::Good => (Style::Good, "✓ ok  "),
            State::Note => (Style::Notice, "! note"),
            State::Bad => (Style::Bad, "✗ bad "),
        };
        lines.push(format!(
            "{}  {}  {}",
            frame.paint.text(style, mark),
            pad(&check.name, widest),
            neutral_line(&check.finding)
        ));
        if let Some(remedy) = &check.remedy {
            lines.push(format!("        hint: {}", neutral_line(remedy)));
        }
    }
    lines
}

#[cfg(test)]
mod tests;
