//! Reads a journal.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use artoo_anchored_files::open_regular;
use artoo_types::{Envelope, RunId};

use super::state::{self, RunState};

/// Maximum bytes of a line.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// The readable part of a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Its envelopes, in order.
    pub envelopes: Vec<Envelope>,
    /// Damage of the file, if any. Everything before it is in `envelopes`.
    pub damage: Option<Damage>,
    /// The state of the run.
    pub state: RunState,
}

/// Where a journal becomes unreadable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} cannot be read: {reason}")]
pub struct Damage {
    /// The line, from 1.
    pub line: u64,
    /// The reason.
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
        /// The cause.
        source: io::Error,
    },
}

/// Reads a journal. Damage ends the reading and is reported, never repaired silently.
///
/// # Errors
/// [`JournalError::Io`] if the file cannot be opened or read.
pub fn read(path: &Path) -> Result<Read, JournalError> {
    Follow::open(path)?.read_on()
}

/// Reads a journal while it is being written.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    reader: BufReader<File>,
    /// The partial next line.
    line: Vec<u8>,
    number: u64,
    run_id: Option<RunId>,
    has_ended: bool,
}

impl Follow {
    /// Opens a journal; nothing is read yet.
    ///
    /// # Errors
    /// [`JournalError::Io`] if it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let file = open_regular(path).map_err(|source| JournalError::Io { path: path.to_owned(), source })?;
        let (path, reader) = (path.to_owned(), BufReader::new(file));
        Ok(Self { path, reader, line: Vec::new(), number: 0, run_id: None, has_ended: false })
    }

    /// What was written since the last call, and the state of the run.
    ///
    /// # Errors
    /// [`JournalError::Io`] if it cannot be read.
    pub fn read_on(&mut self) -> Result<Read, JournalError> {
        let before = state::before_reading(self.reader.get_ref(), &self.path);
        let (envelopes, damage) = self
            .lines(before == RunState::Running)
            .map_err(|source| JournalError::Io { path: self.path.clone(), source })?;
        self.has_ended |= envelopes.iter().any(state::ends);
        let state = if self.has_ended { RunState::Finished } else { before };
        Ok(Read { envelopes, damage, state })
    }

    /// While the run is active, a partial last line is still being written.
    fn lines(&mut self, at_work: bool) -> io::Result<(Vec<Envelope>, Option<Damage>)> {
        let mut envelopes = Vec::new();
        loop {
            let room = MAX_LINE.saturating_sub(self.line.len() as u64);
            io::Read::take(&mut self.reader, room).read_until(b'\n', &mut self.line)?;
            if self.line.is_empty() {
                return Ok((envelopes, None));
            }
            let number = self.number.saturating_add(1);
            let damage = |reason: String| Some(Damage { line: number, reason });
            if self.line.last() != Some(&b'\n') {
                let too_long = u64::try_from(self.line.len()).is_ok_and(|length| length == MAX_LINE);
                if at_work && !too_long {
                    return Ok((envelopes, None));
                }
                let reason = if too_long {
                    "the line is longer than any that artoo writes"
                } else {
                    "the line is cut short"
                };
                return Ok((envelopes, damage(reason.to_owned())));
            }
            match serde_json::from_slice::<Envelope>(&self.line) {
                Ok(envelope) => match misplaced(&envelope, number, self.run_id) {
                    None => {
                        self.run_id = Some(envelope.run_id);
                        envelopes.push(envelope);
                    }
                    Some(reason) => return Ok((envelopes, damage(reason))),
                },
                Err(error) => return Ok((envelopes, damage(error.to_string()))),
            }
            self.line.clear();
            self.number = number;
        }
    }
}

/// Why a message cannot belong on this line.
fn misplaced(envelope: &Envelope, number: u64, run_id: Option<RunId>) -> Option<String> {
    if envelope.seq != number {
        return Some(format!("message {} stands where {number} belongs", envelope.seq));
    }
    let is_another = run_id.is_some_and(|run_id| run_id != envelope.run_id);
    is_another.then(|| format!("it belongs to run {}", envelope.run_id))
}
