//! `artoo diff`: the files that a run changed, with the lines that differ, computed from its journal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use artoo_runtime::events::{Event, EventFold};
use artoo_runtime::journal;
use artoo_runtime::runs::{self, RunsError};
use artoo_snapshot::Undoable;
use artoo_types::FileChange;
use serde::Serialize;

use super::runs::{as_json, explained};
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::terminal::paged;
use crate::view::{Frame, changed_file, short_id};

/// Output of `--json`.
#[derive(Debug, Serialize)]
struct Page<'a> {
    run_id: &'a str,
    /// Whether the run was taken back since.
    undone: bool,
    /// Whether the run came to its own end; if not, these are the changes of its calls.
    finished: bool,
    files: &'a [FileChange],
}

/// What a run changed.
#[derive(Debug)]
pub(crate) struct RunChanges {
    /// Whether the run came to its own end.
    pub(crate) finished: bool,
    /// The files, each with the line changes made by the run's calls.
    pub(crate) files: Vec<FileChange>,
}

/// Shows what the run of this folder changed.
pub(super) fn run(context: &mut Context<'_>, folder: &Path, json: bool) -> Result<Exit, CommandError> {
    let run_id = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let RunChanges { finished, files } = changed_by(folder).map_err(explained)?;
    let undone = runs::undo_state(folder) == Undoable::Undone;
    if json {
        let page = Page { run_id, undone, finished, files: &files };
        context.terminal.data(&format!("{}\n", as_json(&page)?))?;
        return Ok(Exit::OK);
    }
    if files.is_empty() {
        context.terminal.note(&format!("run {} changed no files", short_id(run_id)));
        return Ok(Exit::OK);
    }
    let frame = Frame::new(context.terminal.data_look(), false);
    let text: String = files.iter().map(|file| changed_file(file, frame)).collect();
    paged(context.terminal, context.environment, &text)?;
    if undone {
        context.terminal.note("this run was taken back since: none of this is there any more");
    } else if !finished {
        context.terminal.note("this run did not come to an end; this is what its calls changed");
    }
    Ok(Exit::OK)
}

/// What the run of this folder changed.
///
/// # Errors
/// [`RunsError::Journal`] if its journal cannot be read.
pub(crate) fn changed_by(folder: &Path) -> Result<RunChanges, RunsError> {
    let read = journal::read(&folder.join(journal::FILE_NAME))?;
    let mut fold = EventFold::new();
    let mut calls: BTreeMap<PathBuf, FileChange> = BTreeMap::new();
    for line in read.envelopes.iter().flat_map(|envelope| fold.on(envelope)) {
        if let Event::RunFinished { files, .. } = line.event {
            let whole = |file: FileChange| {
                let diff = calls.remove(&file.path).and_then(|known| known.diff).or(file.diff);
                FileChange { diff, ..file }
            };
            return Ok(RunChanges { finished: true, files: files.into_iter().map(whole).collect() });
        }
        if let Event::ToolFinished { files, .. } = line.event {
            for file in files {
                let known = calls.remove(&file.path);
                let Some(now) = file.after(known.clone()) else { continue };
                let diff = match (known.and_then(|known| known.diff), file.diff) {
                    (Some(before), Some(after)) => Some(before + &after),
                    (before, after) => before.or(after),
                };
                calls.insert(file.path, FileChange { diff, moved_from: file.moved_from, ..now });
            }
        }
    }
    Ok(RunChanges { finished: false, files: calls.into_values().collect() })
}
