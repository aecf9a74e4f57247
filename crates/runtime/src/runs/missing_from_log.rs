//! Compares the runs on record with the audit log.

use std::{
    io::{self, Read as _},
    path::Path,
};

use artoo_anchored_files::open_regular;
use artoo_auditor::{LOG_NAME, MissingMessages, RunOnRecord, account};
use artoo_types::{Message, RunId};

use super::{RunsError, folder, ids};
use crate::journal::{self, JournalError};

/// Size of the pieces in which a journal is counted.
const PIECE: usize = 1 << 16;

/// The runs on record beside the audit log.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Number of runs on record.
    pub runs: usize,
    /// The runs of which messages are missing from the log, the oldest first.
    pub missing: Vec<MissingMessages>,
    /// Journals that cannot be read. Of these runs nothing is known.
    pub unreadable: Vec<JournalError>,
}

/// Compares the journals of all runs with the audit log: every message of a run is in both, however old the
/// run and whatever happened to the log. A run of which nothing is on record, because it was removed, is not
/// missed.
///
/// # Errors
/// [`RunsError::Folder`], [`RunsError::Audit`].
pub fn missing_from_log(data_folder: &Path) -> Result<Comparison, RunsError> {
    let mut ids = ids(data_folder)?;
    ids.sort_unstable();
    let mut comparison = Comparison { runs: ids.len(), ..Comparison::default() };
    // Counted before the log is read: what a run at work says meanwhile is in neither.
    let mut counted = Vec::new();
    for run_id in ids {
        let path = folder(data_folder).join(run_id.to_string()).join(journal::FILE_NAME);
        match count_lines(&path) {
            Ok(count) => counted.push((run_id, path, count)),
            // A run without a journal is one without messages.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => comparison.unreadable.push(JournalError::Io { path, source }),
        }
    }
    let account = account(&data_folder.join(LOG_NAME))?;
    // Most runs are in the log as a whole, and are not parsed.
    for (run_id, path, count) in counted.into_iter().filter(|(id, _, count)| !account.has_first(*id, *count))
    {
        match on_record(run_id, &path, count) {
            Ok(run) => comparison.missing.extend(account.missing(&run)),
            Err(error) => comparison.unreadable.push(error),
        }
    }
    Ok(comparison)
}

/// The first `count` messages of a run.
fn on_record(run_id: RunId, path: &Path, count: u64) -> Result<RunOnRecord, JournalError> {
    let read = journal::read(path)?;
    let first = || read.envelopes.iter().take(usize::try_from(count).unwrap_or(usize::MAX));
    let ended = first().any(|envelope| matches!(envelope.message.as_ref(), Message::FinalResult(_)));
    let messages = first().map(|envelope| (envelope.seq, envelope.at)).collect();
    Ok(RunOnRecord { run_id, messages, ended })
}

/// The number of whole lines of a journal, which is the number of its last message.
fn count_lines(path: &Path) -> io::Result<u64> {
    let mut file = open_regular(path)?;
    let (mut piece, mut lines) = (vec![0; PIECE], 0);
    loop {
        let read = match file.read(&mut piece) {
            Ok(0) => return Ok(lines),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let ends = piece.iter().take(read).filter(|byte| **byte == b'\n').count();
        lines += u64::try_from(ends).unwrap_or_default();
    }
}
