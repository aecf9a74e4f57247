//! What follows where the user took a run back: its turn is marked, and memory stops recommending what it did.

use std::path::Path;

use artoo_redaction::Redactor;
use artoo_runtime::journal;
use artoo_runtime::sessions::Sessions;
use artoo_types::{MegramId, Message, Rejection, RunId};

use super::Loaded;
use super::memory::{explained, wait};
use crate::config::Given;
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::memory_location::{open, place};

/// Marks the turn of a run that was undone and revokes what the run taught. Returns what memory wrote. The undo is
/// done and stays so: a failure here is a warning.
pub(super) fn undone(context: &mut Context<'_>, run_folder: &Path) -> Vec<MegramId> {
    let run = run_folder.file_name().and_then(|name| name.to_str()?.parse().ok());
    let Some(run) = run else { return Vec::new() };
    let marked = Loaded::load(context, Given::default()).and_then(|loaded| {
        mark(&loaded.settings.data_dir, run)?;
        revoke(&loaded, run_folder, run)
    });
    marked.unwrap_or_else(|error| {
        context
            .terminal
            .warning(&format!("the undo is done, but the next request may not know of it: {error}"));
        Vec::new()
    })
}

fn mark(data_dir: &Path, run: RunId) -> Result<(), CommandError> {
    let sessions = Sessions::new(data_dir, Redactor::new());
    let marked = sessions.of_run(run).and_then(|session| match session {
        Some(session) => sessions.reject(session, run, Rejection::Undone),
        None => Ok(()),
    });
    marked.map_err(crate::run::explained)
}

/// Revokes in the memory of the folder that the run worked in.
fn revoke(loaded: &Loaded, run_folder: &Path, run: RunId) -> Result<Vec<MegramId>, CommandError> {
    let read = journal::read(&run_folder.join(journal::FILE_NAME));
    let read = read.map_err(|error| CommandError::failed(error.to_string()))?;
    let asked = read.envelopes.iter().find_map(|envelope| {
        if let Message::UserRequest(request) = envelope.message.as_ref() { Some(request) } else { None }
    });
    let Some(asked) = asked else { return Ok(Vec::new()) };
    let place = place(&loaded.settings, &asked.surroundings.working_folder);
    // A memory that is not there has learned nothing, and is not made for this.
    if !place.folder.is_dir() {
        return Ok(Vec::new());
    }
    let memory = open(&place, loaded.settings.rules)?;
    let revoked = wait(async {
        let revoked = memory.revoke(run, &artoo_runtime::reason(Rejection::Undone, "")).await?;
        memory.flush().await?;
        memory.close().await?;
        Ok(revoked)
    })?;
    revoked.map_err(|error: artoo_mkct_memory::MemoryError| explained(error.into()))
}
