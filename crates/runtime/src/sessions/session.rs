//! `Session`: the turns of a session, as read from its file.

use std::path::{Path, PathBuf};

use artoo_case_file::visibility::Limit;
use artoo_snapshot::Undoable;
use artoo_tools::EarlierRun;
use artoo_types::{FileChange, MAX_TURNS, Rejection, RunId, SessionId, TerminalState, Turn, short_id};
use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::format::Entry;
use crate::{
    events::{Cost, Event},
    runs,
};

/// Maximum characters of a result that a session keeps, with the mark where it is cut; the run has the full result.
pub const MAX_RESULT: usize = 4000;
/// The result up to its mark.
const RESULT: Limit = Limit { items: 1, characters: MAX_RESULT - 40 };

/// Maximum files that a turn lists; the run has all.
const MAX_FILES: usize = 100;

/// How many of them the next request sees.
const FILES_TOLD: usize = 5;

/// What the next request sees of a run without a result.
const WITHOUT_END: &str = "(the run did not come to an end)";

/// A conversation: its folder and its turns, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The name given by a person.
    pub name: Option<String>,
    /// The folder that its requests refer to.
    pub folder: PathBuf,
    /// When it began.
    pub began: DateTime<FixedOffset>,
    /// Its turns.
    pub turns: Vec<SessionTurn>,
    /// The number of unreadable lines in its file: truncated or edited.
    pub unreadable: usize,
}

/// A request and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionTurn {
    /// The run, which has the full record.
    pub run_id: RunId,
    /// The time of the request.
    pub at: DateTime<FixedOffset>,
    /// The person's words.
    pub request: String,
    /// The result; `None` while the run is active, and if it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TurnEnd>,
    /// How the person rejected its result, if they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Rejection>,
    /// Whether it was shortened by [compaction](super::COMPACT_ABOVE).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compacted: bool,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// The directive; `None` if a fault ended it.
    pub directive: Option<TerminalState>,
    /// The exit code that the run's `artoo run` would have.
    pub exit_code: u8,
    /// Output and summary, truncated to [`MAX_RESULT`] characters.
    pub result: String,
    /// The changed files, at most a hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// Tokens, input plus output.
    pub tokens: u64,
    /// Milliseconds.
    pub elapsed_ms: u64,
    /// The cost of the calls, if every price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

impl TurnEnd {
    /// The end of a run from its event line; `None` for any other event.
    pub fn of(event: &Event) -> Option<Self> {
        let Event::RunFinished {
            directive, error, summary, output, files, usage, elapsed_ms, exit_code, ..
        } = event
        else {
            return None;
        };
        let fault = error.as_ref().map(|fault| fault.message.as_str());
        Some(Self {
            directive: *directive,
            exit_code: *exit_code,
            result: said(summary, output, fault.unwrap_or_default()),
            // Their diffs are in the run's journal.
            files: files
                .iter()
                .take(MAX_FILES)
                .map(|file| FileChange { diff: None, ..file.clone() })
                .collect(),
            tokens: usage.prompt_tokens.saturating_add(usage.completion_tokens),
            elapsed_ms: *elapsed_ms,
            cost: usage.cost.clone(),
        })
    }
}

/// The final text of a run: its answer, then its summary if that adds anything. A follow-up refers to the answer.
fn said(summary: &str, output: &Value, fault: &str) -> String {
    let output = match output {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => output.to_string(),
    };
    let mut text = String::new();
    for part in [output.trim(), summary.trim(), fault] {
        if !part.is_empty() && !text.contains(part) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(part);
        }
    }
    RESULT.cut(&text).into_owned()
}

impl Session {
    /// The turns that the next request sees, oldest first: at most [`MAX_TURNS`]. `undoable` are the runs
    /// that it can undo.
    pub fn recent(&self, undoable: &[EarlierRun]) -> Vec<Turn> {
        let told = self.newest().rev().map(|turn| {
            let name = short_id(turn.run_id);
            turn.told(undoable.iter().find(|run| run.name == name))
        });
        told.collect()
    }

    /// The runs of these turns whose file changes can be undone, newest first. Their records are in this data
    /// folder.
    pub fn undoable(&self, data_folder: &Path) -> Vec<EarlierRun> {
        let records = self.newest().filter_map(|turn| {
            let folder = runs::folder(data_folder).join(turn.run_id.to_string());
            let can_be_tried = match runs::undo_state(&folder) {
                Undoable::Yes | Undoable::Halfway => true,
                Undoable::Nothing
                | Undoable::Unfinished
                | Undoable::Undone
                | Undoable::Unkept
                | Undoable::Expired
                | Undoable::Damaged => false,
            };
            let (name, request) = (short_id(turn.run_id), turn.request.clone());
            can_be_tried.then(|| EarlierRun { name, request, record: folder.join(runs::UNDO) })
        });
        records.collect()
    }

    /// The newest [`MAX_TURNS`] turns, newest first.
    fn newest(&self) -> impl DoubleEndedIterator<Item = &SessionTurn> {
        self.turns.iter().rev().take(MAX_TURNS)
    }

    /// The title shown to a person: its name, or its first request.
    pub fn title(&self) -> &str {
        let first = || self.turns.first().map(|turn| turn.request.as_str());
        self.name.as_deref().or_else(first).unwrap_or_default()
    }

    /// The time of the last request.
    pub fn last_at(&self) -> DateTime<FixedOffset> {
        self.turns.last().map_or(self.began, |turn| turn.at)
    }

    pub(super) fn new(id: SessionId, folder: PathBuf, began: DateTime<FixedOffset>) -> Self {
        Self { id, name: None, folder, began, turns: Vec::new(), unreadable: 0 }
    }

    /// Applies one line.
    pub(super) fn on(&mut self, entry: Entry) {
        match entry {
            // Only the first line may be a header.
            Entry::Session { .. } => self.unreadable += 1,
            Entry::Name { name } => self.name = Some(name),
            Entry::Turn(turn) => self.turns.push(turn),
            Entry::End { run_id, end } => {
                if let Some(turn) = self.turns.iter_mut().rev().find(|turn| turn.run_id == run_id) {
                    turn.end = Some(end);
                }
            }
            Entry::Rejected { run_id, how } => {
                if let Some(turn) = self.turns.iter_mut().rev().find(|turn| turn.run_id == run_id) {
                    turn.rejected = Some(how);
                }
            }
        }
    }
}

impl SessionTurn {
    /// The turn as the perceiver sees it. It names files, since "it" often refers to one of them, and the name by which the
    /// undo tool knows the run.
    fn told(&self, undoable: Option<&EarlierRun>) -> Turn {
        let result = self.end.as_ref().map_or(WITHOUT_END, |end| end.result.as_str());
        let files = self.end.iter().flat_map(|end| &end.files).take(FILES_TOLD);
        Turn {
            files: files.map(FileChange::line).collect(),
            undo: undoable.map(|run| run.name.clone()),
            run_id: Some(self.run_id),
            rejected: self.rejected,
            ..Turn::new(self.request.clone(), result)
        }
    }
}
