//! Rendering of sessions: as rows, as pages and as Markdown.

use std::fmt::Write as _;
use std::time::Duration;

use artoo_runtime::sessions::{Session, SessionTurn, TurnEnd};
use artoo_types::{FileChange, TerminalState};
use chrono::{DateTime, FixedOffset};

use super::labels;
use super::layout::Frame;
use super::list::{Cell, Place, end, list};
use super::units::{age, counted, seconds, tokens};
use crate::terminal::{Look, Style, neutral, neutral_line, width};

/// Sessions, each named by so many digits from the end of its id, with its name or first request.
pub(crate) fn session_list(
    sessions: &[Session],
    digits: usize,
    now: DateTime<FixedOffset>,
    place: Place,
) -> String {
    let row = |session: &Session| {
        let used = session.last_at();
        let when = match place.columns {
            Some(_) => age(used, now),
            None => used.format("%Y-%m-%d %H:%M").to_string(),
        };
        let folder = neutral_line(&session.folder.display().to_string());
        let folder = match place.columns {
            Some(columns) if columns < 100 => String::new(),
            Some(columns) => clip_front(&folder, columns / 4),
            None => folder,
        };
        [
            Cell::from(end(&session.id.to_string(), digits)),
            Cell::from(when),
            Cell::from(session.turns.len().to_string()),
            Cell::from(folder),
            Cell::from(neutral_line(session.title())),
        ]
    };
    let when = if place.columns.is_some() { "AGE" } else { "LAST USED" };
    let rows: Vec<_> = sessions.iter().map(row).collect();
    list(["SESSION", when, "TURNS", "FOLDER", "NAME OR FIRST REQUEST"], &rows, place)
}

/// The end of a path that is longer than `columns`: folders of one place differ there.
fn clip_front(path: &str, columns: usize) -> String {
    if width(path) <= columns {
        return path.to_owned();
    }
    let fits = |at: &usize| path.get(*at..).is_some_and(|end| width(end) < columns);
    let at = path.char_indices().map(|(at, _)| at).find(fits).unwrap_or(path.len());
    format!("…{}", path.get(at..).unwrap_or_default())
}

/// The requests and their outcomes.
pub(crate) fn session_page(session: &Session, frame: Frame) -> String {
    let mut text = String::new();
    for row in heading(session) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", frame.paint.text(Style::Faint, &row));
    }
    for turn in &session.turns {
        let when = turn.at.format("%Y-%m-%d %H:%M").to_string();
        let _ = writeln!(text, "\n{} {}", frame.paint.text(Style::Faint, &when), ended(turn, frame));
        let _ = writeln!(text, "{} {}", frame.paint.text(Style::Strong, "›"), neutral(&turn.request));
        if let Some(end) = &turn.end {
            for line in neutral(&end.result).lines() {
                let _ = writeln!(text, "  {line}");
            }
            for file in changed(end) {
                let _ = writeln!(text, "  {}", frame.paint.text(Style::Faint, &neutral_line(&file)));
            }
        }
    }
    text
}

/// The session as Markdown for export, with the ids of its runs.
pub(crate) fn session_markdown(session: &Session) -> String {
    let title = session.title().lines().next().unwrap_or_default();
    let mut text = format!("# {}\n\n", neutral_line(title));
    for row in heading(session) {
        let _ = writeln!(text, "- {row}");
    }
    for turn in &session.turns {
        let look = Look { columns: usize::MAX, colour: false, live: false, words: false };
        let plain = Frame::new(look, true);
        let quoted: Vec<String> = neutral(&turn.request).lines().map(|line| format!("> {line}")).collect();
        let when = turn.at.format("%Y-%m-%d %H:%M");
        let _ = writeln!(text, "\n## {when}\n\n{}\n", quoted.join("\n"));
        if let Some(end) = &turn.end {
            let _ = writeln!(text, "{}\n", neutral(&end.result).trim_end());
            for file in changed(end) {
                let _ = writeln!(text, "- {}", neutral_line(&file));
            }
        }
        let _ = writeln!(text, "*{}, run {}*", ended(turn, plain), turn.run_id);
    }
    text
}

fn heading(session: &Session) -> Vec<String> {
    let total = |count: fn(&TurnEnd) -> u64| {
        session.turns.iter().filter_map(|turn| turn.end.as_ref()).map(count).sum()
    };
    let (read, took): (u64, u64) = (total(|end| end.tokens), total(|end| end.elapsed_ms));
    let name = session.name.as_deref().map(|name| format!("name: {}", neutral_line(name)));
    let mut rows: Vec<String> = name.into_iter().collect();
    rows.push(format!("session: {}", session.id));
    rows.push(format!("folder: {}", neutral_line(&session.folder.display().to_string())));
    rows.push(format!(
        "{}, {} tokens, {} of work",
        counted(session.turns.len() as u64, "turn", "turns"),
        tokens(read),
        seconds(Duration::from_millis(took))
    ));
    rows
}

fn ended(turn: &SessionTurn, frame: Frame) -> String {
    match &turn.end {
        None => frame.paint.text(Style::Notice, "no end on record"),
        Some(TurnEnd { directive: Some(state @ TerminalState::Accept), .. }) => {
            frame.paint.text(Style::Good, labels::terminal(*state))
        }
        Some(TurnEnd { directive: Some(state), .. }) => {
            frame.paint.text(Style::Notice, labels::terminal(*state))
        }
        Some(TurnEnd { exit_code, .. }) => frame.paint.text(Style::Bad, &format!("ended with {exit_code}")),
    }
}

fn changed(end: &TurnEnd) -> impl Iterator<Item = String> {
    end.files.iter().map(FileChange::line)
}

/// A changed file with its diff, if known.
pub(crate) fn changed_file(file: &FileChange, frame: Frame) -> String {
    let head = file.line();
    let mut text = format!("{}\n", frame.paint.text(Style::Strong, &neutral_line(&head)));
    for line in file.diff.as_deref().unwrap_or_default().lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => Some(Style::Good),
            Some(b'-') => Some(Style::Bad),
            _ => None,
        };
        let line = format!("  {}", neutral_line(line));
        let line = style.map_or(line.clone(), |style| frame.paint.text(style, &line));
        let _ = writeln!(text, "{line}");
    }
    text
}
