//! `/diff`: the files that a session changed, computed from the journals of its runs.

use artoo_runtime::runs;
use artoo_snapshot::Undoable;

use super::state::State;
use crate::commands::{Loaded, changed_by};
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
        let recorded = || turn.end.as_ref().map(|end| end.files.clone());
        let files = match changed_by(&folder) {
            Ok(changed) if changed.finished => changed.files,
            Ok(changed) => recorded().unwrap_or(changed.files),
            Err(_) => recorded().unwrap_or_default(),
        };
        for file in &files {
            text.push_str(&changed_file(file, frame));
        }
    }
    if text.is_empty() {
        text.push_str("nothing was changed in this session\n");
    }
    context.terminal.data(&text)
}
