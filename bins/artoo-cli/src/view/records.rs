//! Rows of lists: past runs, undone paths, and the checks of `artoo doctor`.

use std::time::Duration;

use artoo_runtime::journal::RunState;
use artoo_runtime::runs::Summary;
use artoo_snapshot::{Obstacle, TakenBack};
use artoo_tools::CommitTakenBack;
use artoo_types::TerminalState;
use chrono::{DateTime, FixedOffset};

use super::labels;
use super::layout::Frame;
use super::list::{Cell, Place, end, list};
use super::units::{age, seconds, tokens};
use crate::doctor::{Check, State};
use crate::terminal::{Style, hanging, neutral_line, pad, width};

/// Past runs, each named by so many digits from the end of its id (ids of one minute share their beginning).
pub(crate) fn run_list(runs: &[Summary], digits: usize, now: DateTime<FixedOffset>, place: Place) -> String {
    let when = |at: DateTime<FixedOffset>| match place.columns {
        Some(_) => age(at, now),
        None => at.format("%Y-%m-%d %H:%M").to_string(),
    };
    let row = |run: &Summary| {
        let mark = if run.errand.is_task() { "" } else { "$ " };
        let damage = run.damage.as_deref().map(|damage| format!("(damaged: {}) ", neutral_line(damage)));
        let (style, ended) = run_end(run);
        let (took, used) = if place.is_wide() { cost(run) } else { (String::new(), String::new()) };
        [
            Cell::from(end(&run.run_id.to_string(), digits)),
            Cell::from(run.started.map_or_else(|| "unknown".to_owned(), when)),
            Cell::painted(style, ended),
            Cell::from(labels::undo_word(run.undo)),
            Cell::from(took),
            Cell::from(used),
            Cell::from(format!("{}{mark}{}", damage.unwrap_or_default(), neutral_line(&run.request))),
        ]
    };
    let when = if place.columns.is_some() { "AGE" } else { "BEGAN" };
    let rows: Vec<_> = runs.iter().map(row).collect();
    list(["RUN", when, "END", "UNDO", "TOOK", "TOKENS", "REQUEST"], &rows, place)
}

/// How a run ended, in a word or two.
fn run_end(run: &Summary) -> (Style, String) {
    match (run.directive, run.exit_code) {
        (Some(TerminalState::Accept), Some(code)) if !run.errand.is_task() => {
            (if code == 0 { Style::Good } else { Style::Notice }, format!("exit {code}"))
        }
        (Some(_), Some(5)) if !run.errand.is_task() => (Style::Notice, "refused".to_owned()),
        (Some(state @ TerminalState::Accept), _) => (Style::Good, labels::terminal(state).to_owned()),
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
    }
}

/// How long a run took, and the tokens that it used; empty for none.
fn cost(run: &Summary) -> (String, String) {
    let about = if run.estimated { "~" } else { "" };
    let used = if run.tokens == 0 { String::new() } else { format!("{about}{}", tokens(run.tokens)) };
    (seconds(Duration::from_millis(run.elapsed_ms)), used)
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
        let name = pad(&check.name, widest);
        let head = format!("{mark}  {name}  ");
        let indent = if width(&head) * 3 <= frame.columns { width(&head) } else { 8 };
        let text = hanging(&head, &neutral_line(&check.finding), indent, frame.columns);
        lines.push(text.trim_end().replacen(mark, &frame.paint.text(style, mark), 1));
        if let Some(remedy) = &check.remedy {
            let hint = hanging("        hint: ", &neutral_line(remedy), 14, frame.columns);
            lines.push(hint.trim_end().to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests;
