//! The state of a run, by its journal and the lock on it.

use std::{
    fs::{File, TryLockError},
    path::Path,
};

use artoo_types::{Envelope, Message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a run stands. A journal is locked as long as the process that writes it lives, whatever ends that: so who asks knows,
/// and guesses nothing from its age.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Its end is on record.
    Finished,
    /// It is at work.
    Running,
    /// Its process is gone, and left no end on record.
    Killed,
    /// It ended in order, and its end could not be recorded: the reason was told when it ended.
    Unrecorded,
    #[default]
    /// No end is on record, and the file system does not tell whether its process lives.
    Unknown,
}

/// Marker file in a run's folder whose journal could not be completed.
const UNRECORDED: &str = "unrecorded";

/// Whether a process still writes this journal. To be called before reading it, so that an end that comes
/// meanwhile is seen.
pub(super) fn before_reading(journal: &File, path: &Path) -> RunState {
    match journal.try_lock_shared() {
        // The lock is released with the handle.
        Ok(()) if path.with_file_name(UNRECORDED).exists() => RunState::Unrecorded,
        Ok(()) => RunState::Killed,
        Err(TryLockError::WouldBlock) => RunState::Running,
        Err(TryLockError::Error(_)) => RunState::Unknown,
    }
}

/// Whether this message ends its run.
pub(super) fn ends(envelope: &Envelope) -> bool {
    matches!(envelope.message.as_ref(), Message::FinalResult(_))
}

/// Writes the marker file with the reason. Best effort: the cause of the journal's failure may prevent this,
/// too.
pub(crate) fn note_unrecorded(folder: &Path, why: &str) {
    let _ = super::writer::private_file(&folder.join(UNRECORDED))
        .and_then(|mut file| std::io::Write::write_all(&mut file, format!("{why}\n").as_bytes()));
}
