//! What the person says to a run that works, unasked.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use artoo_bus::Sender;
use artoo_types::{NoteError, PersonNote};

/// The most notes that a run takes. More is a conversation, and that is one run after the other.
const MAX_NOTES: u32 = 64;

/// Tells a run what the person says while it works. It counts at the next plan, and whoever judges the whole
/// sees it beside the request. What neither a plan nor that judge has seen when the run ends, `run.finished`
/// names.
#[derive(Clone)]
pub struct Noter {
    pub(crate) user: Sender,
    pub(crate) taken: Arc<AtomicU32>,
    pub(crate) is_over: Arc<AtomicBool>,
}

/// Why a run does not take a note.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoteRefused {
    /// These are no words for a note.
    #[error(transparent)]
    Words(#[from] NoteError),
    /// There were too many.
    #[error("the run has taken {MAX_NOTES} notes, and takes no more")]
    TooMany,
    /// It has ended.
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
    /// Puts these words on record, and hands them on.
    ///
    /// # Errors
    /// [`NoteRefused`]: the run does not know of them.
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
