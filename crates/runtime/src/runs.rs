//! Lists and finds recorded runs in a data folder.

mod delete;
mod missing_from_log;

use std::{
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    time::Duration,
};

use artoo_anchored_files::open_regular;
use artoo_auditor::AuditError;
use artoo_snapshot::{Present, Retention, Undo, UndoError, Undoable, retain, undoable};
use artoo_tools::CommitsUndo;
use artoo_types::{Envelope, Errand, Message, Remedy, RunId, TerminalState};
use chrono::{DateTime, FixedOffset};
use serde::Serialize;

use crate::{
    Questions,
    events::{Cost, Event, EventFold},
    journal::{self, RunState},
};

pub use delete::{delete, in_use, older_than, size};
pub use missing_from_log::{Comparison, missing_from_log};

/// The folder of a run's undo record, in the run's folder.
pub(crate) const UNDO: &str = "undo";

/// The folder of all runs, in the data folder.
pub(crate) const NAME: &str = "runs";

/// Summary of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Its id.
    pub run_id: RunId,
    /// When it started; `None` if the journal has nothing readable.
    pub started: Option<DateTime<FixedOffset>>,
    /// The request.
    pub request: String,
    /// Its kind: a task, or a single command from the user.
    #[serde(skip_serializing_if = "Errand::is_task")]
    pub errand: Errand,
    /// How it ended; `None` if a fault ended it, or it has no end.
    pub directive: Option<TerminalState>,
    /// Whether it has an end at all.
    pub finished: bool,
    /// Its state: active, ended, killed.
    pub state: RunState,
    /// Whether it waits for an answer from the person.
    pub asking: bool,
    /// The exit code of its `artoo run`.
    pub exit_code: Option<u8>,
    /// Milliseconds.
    pub elapsed_ms: u64,
    /// Model calls.
    pub calls: u64,
    /// Tokens, input plus output.
    pub tokens: u64,
    /// Whether some of them are estimated.
    pub estimated: bool,
    /// The cost of the calls, if every price is known.
    pub cost: Option<Cost>,
    /// Replans used.
    pub replans: u32,
    /// Whether its changes can be undone.
    pub undo: Undoable,
    /// Damage of the journal, if any.
    pub damage: Option<String>,
}

/// Why runs cannot be listed or found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunsError {
    /// The folder cannot be read.
    #[error("the runs in {} cannot be read: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// No run matches.
    #[error("there is no run {prefix:?}")]
    Unknown {
        /// The requested id part.
        prefix: String,
    },
    /// Several runs match.
    #[error("{count} runs begin with {prefix:?}")]
    Ambiguous {
        /// The requested id part.
        prefix: String,
        /// The number of matches.
        count: usize,
    },
    /// Its journal cannot be read.
    #[error(transparent)]
    Journal(#[from] journal::JournalError),
    /// The run cannot be resumed: it is active, or ended by itself.
    #[error("this run was not cut off, so it cannot be begun again ({})", named(*state))]
    Whole {
        /// Its state.
        state: RunState,
    },
    /// It cannot be undone, or not completely.
    #[error(transparent)]
    Undo(#[from] UndoError),
    /// Its record cannot be deleted now.
    #[error("run {run_id} {}", why.words())]
    InUse {
        /// The run.
        run_id: RunId,
        /// Why it cannot.
        why: InUse,
    },
    /// The audit log cannot be read.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

/// Why the record of a run cannot be deleted now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InUse {
    /// The run works.
    Working,
    /// Nobody can tell whether the run works.
    MayBeWorking,
    /// Its changes are being undone, or that was interrupted.
    BeingUndone,
}

impl InUse {
    /// The reason, after the name of the run.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Working => "is at work",
            Self::MayBeWorking => "may be at work: this file system does not tell",
            Self::BeingUndone => "is being undone, or its undo was interrupted",
        }
    }

    /// What to do first.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Working | Self::MayBeWorking => "end it first",
            Self::BeingUndone => "complete the undo first",
        }
    }
}

impl RunsError {
    /// What a front end has for it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Folder { .. } | Self::Journal(_) | Self::Undo(UndoError::Unreadable { .. }) => {
                Some(Remedy::CheckMachine)
            }
            Self::Audit(_) => Some(Remedy::CheckAuditLog),
            Self::Unknown { .. } => Some(Remedy::ListRuns),
            Self::InUse { why: InUse::BeingUndone, .. } => Some(Remedy::ResumeUndo),
            Self::Whole { .. } => Some(Remedy::AskAnew),
            Self::Undo(UndoError::Unfinished) => Some(Remedy::ResumeUndo),
            Self::Ambiguous { .. } | Self::Undo(_) | Self::InUse { .. } => None,
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Folder { .. } | Self::Journal(_) | Self::Audit(_) => "check the data folder",
            Self::Unknown { .. } => "list them",
            Self::Whole { .. } => "ask the same as a new request",
            Self::Ambiguous { .. } => "give more characters of the id",
            Self::Undo(error) => error.hint(),
            Self::InUse { why, .. } => why.hint(),
        }
    }
}

/// Every run in the data folder, newest first.
///
/// # Errors
/// [`RunsError::Folder`]; a folder without runs is no error.
pub fn list(data_folder: &Path) -> Result<Vec<Summary>, RunsError> {
    newest(data_folder, usize::MAX)
}

/// The newest `most` runs in the data folder, newest first. The others are not read.
///
/// # Errors
/// [`RunsError::Folder`]; a folder without runs is no error.
pub fn newest(data_folder: &Path, most: usize) -> Result<Vec<Summary>, RunsError> {
    let mut ids = ids(data_folder)?;
    ids.sort_unstable_by(|a, b| b.cmp(a));
    Ok(ids.into_iter().take(most).map(|id| summary(data_folder, id)).collect())
}

/// The folder of the only run whose id has this prefix or suffix. Ids of one minute share a prefix, so their
/// suffixes tell them apart.
///
/// # Errors
/// [`RunsError::Unknown`], [`RunsError::Ambiguous`] or [`RunsError::Folder`].
pub fn find(data_folder: &Path, part: &str) -> Result<PathBuf, RunsError> {
    let lower = part.to_ascii_lowercase();
    let found: Vec<RunId> = ids(data_folder)?
        .into_iter()
        .filter(|id| {
            let id = id.to_string();
            !lower.is_empty() && (id.starts_with(&lower) || id.ends_with(&lower))
        })
        .collect();
    match found.as_slice() {
        [only] => Ok(folder(data_folder).join(only.to_string())),
        [] => Err(RunsError::Unknown { prefix: part.to_owned() }),
        several => Err(RunsError::Ambiguous { prefix: part.to_owned(), count: several.len() }),
    }
}

/// The request of a run, from the beginning of its journal; `None` if that cannot be read.
pub fn request(data_folder: &Path, run: RunId) -> Option<String> {
    const LONGEST: u64 = 256 * 1024;
    const LINES: usize = 8;
    let path = folder(data_folder).join(run.to_string()).join(journal::FILE_NAME);
    let beginning = BufReader::new(open_regular(&path).ok()?.take(LONGEST));
    let lines = beginning.split(b'\n').take(LINES).map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_slice::<Envelope>(&line).ok()).find_map(|envelope| {
        let Message::UserRequest(request) = envelope.message.as_ref() else { return None };
        Some(request.text.clone())
    })
}

/// Whether the changes of a run can be undone. `run_folder` is from [`find`].
pub fn undo_state(run_folder: &Path) -> Undoable {
    undoable(&run_folder.join(UNDO))
}

/// Checks that all changes of a run can be undone. Only [`Undo::apply`] changes anything.
///
/// The record may name only the run's workspace and working folder, and the folders of the servers of tools that it called.
///
/// # Errors
/// [`RunsError::Undo`] with the obstacles, or [`RunsError::Journal`].
pub fn prepare_undo(run_folder: &Path, present: Present) -> Result<Undo, RunsError> {
    let read = journal::read(&run_folder.join(journal::FILE_NAME))?;
    let request = read.envelopes.iter().find_map(|envelope| {
        let Message::UserRequest(request) = envelope.message.as_ref() else { return None };
        Some(&request.surroundings)
    });
    let own = request.map(|place| [&place.workspace, &place.working_folder]).into_iter().flatten();
    let untried = read.envelopes.iter().filter_map(|envelope| {
        let Message::ToolFinished(finished) = envelope.message.as_ref() else { return None };
        finished.call.untried.as_ref()
    });
    let of_servers = untried.flat_map(|untried| &untried.folders);
    // The record has real paths; a missing folder is named as it was requested.
    let named = |root: &PathBuf| root.canonicalize().into_iter().chain([root.clone()]);
    let allowed: Vec<PathBuf> = own.chain(of_servers).flat_map(named).collect();
    Ok(Undo::prepare(&run_folder.join(UNDO), &allowed, present)?)
}

/// Checks that all commits of a run can be taken back. Only [`CommitsUndo::apply`] changes anything. `None` if it made none.
///
/// # Errors
/// [`RunsError::Undo`] with the obstacles.
pub async fn prepare_commits(run_folder: &Path) -> Result<Option<CommitsUndo>, RunsError> {
    Ok(CommitsUndo::prepare(&run_folder.join(UNDO)).await?)
}

/// Removes undo records of runs that are too old at `now`, or that together are too large. Returns their
/// number.
///
/// # Errors
/// [`RunsError::Folder`].
pub fn expire_undo(
    data_folder: &Path,
    retention: Retention,
    now: DateTime<FixedOffset>,
) -> Result<usize, RunsError> {
    let runs = folder(data_folder);
    let records =
        ids(data_folder)?.into_iter().map(|id| (runs.join(id.to_string()).join(UNDO), age(id, now)));
    retain(records.collect(), retention).map_err(|source| RunsError::Folder { path: runs, source })
}

/// The age of a run, from its id. An id from the future has no age.
fn age(run_id: RunId, now: DateTime<FixedOffset>) -> Duration {
    let (seconds, nanos) = run_id.uuid().get_timestamp().map_or((0, 0), |began| began.to_unix());
    let began = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, nanos));
    began.and_then(|began| (now - began.fixed_offset()).to_std().ok()).unwrap_or_default()
}

/// The folder of all runs.
pub fn folder(data_folder: &Path) -> PathBuf {
    data_folder.join(NAME)
}

/// The folder of a run's full outputs. `run_folder` is from [`find`].
pub fn evidence_folder(run_folder: &Path) -> PathBuf {
    run_folder.join("evidence")
}

/// The ids of all runs, in no order. No journal is read.
///
/// # Errors
/// [`RunsError::Folder`]; a folder without runs is no error.
pub fn ids(data_folder: &Path) -> Result<Vec<RunId>, RunsError> {
    let path = folder(data_folder);
    let entries = match std::fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(RunsError::Folder { path, source }),
    };
    Ok(entries.flatten().filter_map(|entry| run_id(&entry)).collect())
}

/// The run recorded in a folder; `None` for files, and for folders not named by artoo.
fn run_id(entry: &std::fs::DirEntry) -> Option<RunId> {
    let name = entry.file_name();
    let name = name.to_str()?;
    // A UUID has several spellings, of which artoo writes one.
    let id: RunId = name.parse().ok().filter(|id: &RunId| id.to_string() == name)?;
    entry.file_type().is_ok_and(|kind| kind.is_dir()).then_some(id)
}

fn summary(data_folder: &Path, run_id: RunId) -> Summary {
    let mut summary = Summary {
        run_id,
        started: None,
        request: String::new(),
        errand: Errand::Task,
        directive: None,
        finished: false,
        state: RunState::Unknown,
        asking: false,
        exit_code: None,
        elapsed_ms: 0,
        calls: 0,
        tokens: 0,
        estimated: false,
        cost: None,
        replans: 0,
        undo: undo_state(&folder(data_folder).join(run_id.to_string())),
        damage: None,
    };
    let path = folder(data_folder).join(run_id.to_string()).join(journal::FILE_NAME);
    let read = match journal::read(&path) {
        Ok(read) => read,
        Err(error) => return Summary { damage: Some(error.to_string()), ..summary },
    };
    summary.damage = read.damage.map(|damage| damage.to_string());
    summary.state = read.state;
    let mut fold = EventFold::new();
    let mut questions = Questions::default();
    for envelope in &read.envelopes {
        questions.on(envelope);
        summary.started = summary.started.or(Some(envelope.at));
        summary.elapsed_ms = envelope.elapsed_ms;
        for line in fold.on(envelope) {
            if let Event::RunStarted { request, errand, .. } = line.event {
                summary.request = request;
                summary.errand = errand;
            } else if let Event::RunFinished { directive, exit_code, replans, .. } = line.event {
                summary.finished = true;
                summary.directive = directive;
                summary.exit_code = Some(exit_code);
                summary.replans = replans;
            }
        }
    }
    summary.asking = read.state == RunState::Running && questions.open().is_some();
    let total = fold.total();
    summary.calls = total.calls;
    summary.tokens = total.prompt_tokens.saturating_add(total.completion_tokens);
    summary.estimated = total.estimated;
    summary.cost.clone_from(&total.cost);
    summary
}

/// The state of a run in a word.
fn named(state: RunState) -> &'static str {
    match state {
        RunState::Finished => "it came to its end",
        RunState::Running => "it is at work",
        RunState::Killed | RunState::Unrecorded => "its record holds no request",
        RunState::Unknown => "it may be at work",
    }
}
