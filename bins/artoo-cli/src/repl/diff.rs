//! `/diff`: the files that a session changed, computed from the journals of its runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use artoo_runtime::events::{Event, EventFold};
use artoo_runtime::{journal, runs};
use artoo_snapshot::Undoable;
use artoo_types::FileChange;

use super::state::State;
use crate::commands::Loaded;
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::view::{Frame, changed_file};

/// Shows each file that was created, changed or deleted, with a line diff.
/// Changes that were undone are left out.
pub(super) fn show(context: &mut Context<'_>, state: &State) -> Result<(), CommandError> {
    let session = state.session(context)?;
    let data_dir = Loaded::load(context, Given::default())?.settings.data_dir;
    let frame = Frame::new(context.terminal.data_look(), false);
    let mut text = String::new();
    for turn in &session.turns {
        let folder = runs::folder(&data_dir).join(turn.run_id.to_string());
        if runs::undo_state(&folder) == Undoable::Undone {
            continue;
        }
        // If a run's journal is missing or damaged, the session record still lists its files.
        let files =
            of_run(&folder).or_else(|| turn.end.as_ref().map(|end| end.files.clone())).unwrap_or_default();
        for file in &files {
            text.push_str(&changed_file(file, frame));
        }
    }
    if text.is_empty() {
        text.push_str("nothing was changed in this session\n");
    }
    context.terminal.data(&text)
}

/// The files that a run changed, each with the line changes made by its calls.
fn of_run(folder: &Path) -> Option<Vec<FileChange>> {
    let read = journal::read(&folder.join(journal::FILE_NAME)).ok()?;
    let mut fold = EventFold::new();
    let mut diffs: BTreeMap<PathBuf, String> = BTreeMap::new();
    for line in read.envelopes.iter().flat_map(|envelope| fold.on(envelope)) {
        if let Event::RunFinished { files, .. } = line.event {
            let whole =
                |file: FileChange| FileChange { diff: diffs.remove(&file.path).or(file.diff), ..file };
            return Some(files.into_iter().map(whole).collect());
        }
        if let Event::ToolFinished { files, .. } = line.event {
            for (path, diff) in files.into_iter().filter_map(|file| Some((file.path, file.diff?))) {
                diffs.entry(path).or_default().push_str(&diff);
            }
        }
    }
    None
}
