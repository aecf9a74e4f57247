//! Unsolicited notes from the person to a running run.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use artoo_bus::Sender;
use artoo_types::{NoteError, PersonNote};

/// Maximum notes of a run. More would be a conversation, which is a sequence of runs.
const MAX_NOTES: u32 = 64;

/// Sends the person's notes to a run while it works. The next plan uses them, and the judge of the whole sees
/// them beside the request. `run.finished` lists those that neither a plan nor that judge has seen.
#[derive(Clone)]
pub struct Noter {
    pub(crate) user: Sender,
    pub(crate) taken: Arc<AtomicU32>,
    pub(crate) is_over: Arc<AtomicBool>,
}

/// Why a run rejects a note.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoteRefused {
    /// The words are not a valid note.
    #[error(transparent)]
    Words(#[from] NoteError),
    /// There are too many notes.
    #[error("the run has taken {MAX_NOTES} notes, and takes no more")]
    TooMany,
    /// The run has ended.
    #[error("the run has ended")]
    Ended,
}

impl NoteRefused {
    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Words(NoteError::Empty) => "say what the run should know",
            Self::Words(NoteError::TooLong { .. }) => "put it into a file, and name the file in the note",
            Self::TooMany | Self::Ended => "make it the next request",
        }
    }
}

impl Noter {
    /// Records these words and passes them on.
    ///
    /// # Errors
    /// [`NoteRefused`]: the run did not receive them.
    pub fn note(&self, words: &str) -> Result<(), NoteRefused> {
        let note = PersonNote::new(words)?;
        if self.taken.fetch_add(1, Ordering::Relaxed) >= MAX_NOTES {
            return Err(NoteRefused::TooMany);
        }
        let published = self.user.publish(note);
        if published.is_err() || self.is_over.load(Ordering::Acquire) {
            return Err(NoteRefused::Ended);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Noter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Noter").field("run_id", &self.user.run_id()).finish_non_exhaustive()
    }
}
