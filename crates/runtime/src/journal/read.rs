//! Reading a journal back.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use artoo_types::Envelope;

use super::state::{self, RunState};

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// A journal as far as it can be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Its envelopes, in order.
    pub envelopes: Vec<Envelope>,
    /// What is wrong with the file, where something is. Everything before it is in `envelopes`.
    pub damage: Option<Damage>,
    /// Where the run stands.
    pub state: RunState,
}

/// Where a journal stops making sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} cannot be read: {reason}")]
pub struct Damage {
    /// The line, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// Why a journal cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be opened or read.
    #[error("the journal {} cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Reads a journal. Damage ends the reading, and is reported, never repaired silently.
///
/// # Errors
/// [`JournalError::Io`] where the file cannot be opened or read.
pub fn read(path: &Path) -> Result<Read, JournalError> {
    let failed = |source| JournalError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let before = state::before_reading(&file, path);
    let (envelopes, damage) = lines(file, before == RunState::Running).map_err(failed)?;
    Ok(Read { state: state::after_reading(before, &envelopes), envelopes, damage })
}

/// Where the run is at work, half a line at the end is one that is being written.
fn lines(file: File, at_work: bool) -> io::Result<(Vec<Envelope>, Option<Damage>)> {
    let mut reader = BufReader::new(file);
    let mut envelopes = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let bytes = io::Read::take(&mut reader, MAX_LINE).read_until(b'\n', &mut line)?;
        if bytes == 0 {
            break;
        }
        let damage = |reason: String| Some(Damage { line: number, reason });
        if line.last() != Some(&b'\n') {
            let too_long = u64::try_from(line.len()).is_ok_and(|length| length == MAX_LINE);
            if at_work && !too_long {
                break;
            }
            let reason = if too_long {
                "the line is longer than any that artoo writes"
            } else {
                "the line is cut short"
            };
            return Ok((envelopes, damage(reason.to_owned())));
        }
        match serde_json::from_slice::<Envelope>(&line) {
            Ok(envelope) => match misplaced(&envelope, number, envelopes.first()) {
                None => envelopes.push(envelope),
                Some(reason) => return Ok((envelopes, damage(reason))),
            },
            Err(error) => return Ok((envelopes, damage(error.to_string()))),
        }
    }
    Ok((envelopes, None))
}

/// Why a message cannot be the one on this line.
fn misplaced(envelope: &Envelope, number: u64, first: Option<&Envelope>) -> Option<String> {
    if envelope.seq != number {
        return Some(format!("message {} stands where {number} belongs", envelope.seq));
    }
    let run_id = first.map_or(envelope.run_id, |first| first.run_id);
    (envelope.run_id != run_id).then(|| format!("it belongs to run {}", envelope.run_id))
}
