//! Resumes an interrupted run: its request, and the part of its work that is still valid.
//!
//! A subtask is kept if it matched, no later finding contradicts it, and nothing has changed since the run's
//! last record: neither in its folders nor a file that it created. Anything undeterminable counts as changed.

use std::{
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use artoo_types::{Message, OutcomeStatus, SubTaskId, SubTaskOutcome, UserRequest};
use chrono::{DateTime, FixedOffset, Utc};

use crate::{
    journal::{self, Read, RunState},
    runs::RunsError,
};

/// Maximum number of files and folders checked. Beyond that they are not known to be unchanged.
const MOST: usize = 50_000;

/// The input to resume an interrupted run.
#[derive(Clone, Debug, PartialEq)]
pub struct Resumable {
    /// Its request.
    pub request: UserRequest,
    /// Its completed work that is still valid.
    pub kept: Vec<SubTaskOutcome>,
    /// Its completed work that is repeated.
    pub dropped: Vec<Dropped>,
}

/// A subtask that is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its intent.
    pub intent: String,
    /// Why it is no longer valid.
    pub why: String,
}

/// What can be resumed of a run. `run_folder` is from [`find`](crate::runs::find). Blocks.
///
/// # Errors
/// [`RunsError::Whole`] if it was not interrupted, [`RunsError::Journal`].
pub fn resumable(run_folder: &Path) -> Result<Resumable, RunsError> {
    let read = journal::read(&run_folder.join(journal::FILE_NAME))?;
    let request = read.envelopes.iter().find_map(|envelope| {
        if let Message::UserRequest(request) = envelope.message.as_ref() {
            Some(request.clone())
        } else {
            None
        }
    });
    let (Some(request), true, Some(last)) = (request, was_cut_off(&read), read.envelopes.last()) else {
        return Err(RunsError::Whole { state: read.state });
    };
    let data_folder = run_folder.ancestors().nth(2).unwrap_or(run_folder);
    let folders = [&request.surroundings.working_folder, &request.surroundings.workspace];
    let mut look = Look { since: last.at, own: real(data_folder), left: MOST };
    let changed = folders.into_iter().find_map(|folder| look.changed(&real(folder)));
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for outcome in done(&read) {
        let why = changed.clone().or_else(|| look.made(&outcome));
        match why {
            None => kept.push(outcome),
            Some(why) => dropped.push(Dropped { intent: outcome.intent, why }),
        }
    }
    Ok(Resumable { request, kept, dropped })
}

/// Whether its process was gone before its end, or it was cancelled.
fn was_cut_off(read: &Read) -> bool {
    match read.state {
        RunState::Killed | RunState::Unrecorded => true,
        RunState::Running | RunState::Unknown => false,
        RunState::Finished => read.envelopes.iter().rev().any(|envelope| {
            let Message::FinalResult(result) = envelope.message.as_ref() else { return false };
            result.fault.as_ref().is_some_and(|fault| fault.kind.cuts_short())
        }),
    }
}

/// The matched subtasks of its last plan that the following directive does not name.
fn done(read: &Read) -> Vec<SubTaskOutcome> {
    let mut counted: Vec<SubTaskId> = Vec::new();
    let mut outcomes: Vec<&SubTaskOutcome> = Vec::new();
    let mut unmet: Vec<SubTaskId> = Vec::new();
    for envelope in &read.envelopes {
        if let Message::DispatchManifest(manifest) = envelope.message.as_ref() {
            counted = manifest.kept.iter().chain(&manifest.subtask_ids).copied().collect();
        } else if let Message::SubTaskOutcome(outcome) = envelope.message.as_ref() {
            outcomes.push(outcome);
        } else if let Message::PlanDirective(directive) = envelope.message.as_ref() {
            unmet.extend(directive.unmet.iter().filter_map(|unmet| unmet.subtask_id));
        }
    }
    // The first outcome of a subtask counts, as at the gate.
    let first = |id: SubTaskId| outcomes.iter().find(|outcome| outcome.subtask_id == id).copied();
    let matched = |outcome: &&SubTaskOutcome| outcome.status == OutcomeStatus::Matched;
    counted.into_iter().filter(|id| !unmet.contains(id)).filter_map(first).filter(matched).cloned().collect()
}

/// Checks for changes since the run.
struct Look {
    since: DateTime<FixedOffset>,
    /// Paths that artoo itself writes.
    own: PathBuf,
    left: usize,
}

impl Look {
    /// What changed in a folder, or why that cannot be determined.
    fn changed(&mut self, path: &Path) -> Option<String> {
        if *path == self.own {
            return None;
        }
        let Some(left) = self.left.checked_sub(1) else {
            return Some("there is too much in its folders to look whether anything has changed".to_owned());
        };
        self.left = left;
        let found = match path.symlink_metadata() {
            Ok(found) => found,
            // A missing path was missing before, or its folder has changed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return Some(format!("{} cannot be looked at: {error}", path.display())),
        };
        if self.is_new(&found) {
            return Some(format!("{} has changed since", path.display()));
        }
        if !found.is_dir() {
            return None;
        }
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => return Some(format!("{} cannot be looked at: {error}", path.display())),
        };
        entries.flatten().find_map(|entry| self.changed(&entry.path()))
    }

    /// The change of a file that a subtask created or modified, if any.
    fn made(&self, outcome: &SubTaskOutcome) -> Option<String> {
        let files = outcome.tool_calls.iter().flat_map(|call| &call.files);
        files.map(|file| &file.path).find_map(|path| match path.symlink_metadata() {
            Ok(found) if self.is_new(&found) => Some(format!("{} has changed since", path.display())),
            Ok(_) | Err(_) => None,
        })
    }

    /// By ctime, which cannot be set.
    fn is_new(&self, found: &std::fs::Metadata) -> bool {
        let nanos = u32::try_from(found.ctime_nsec()).unwrap_or_default();
        DateTime::<Utc>::from_timestamp(found.ctime(), nanos).is_none_or(|changed| changed > self.since)
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
