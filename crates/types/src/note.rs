//! What the person says while a run works, unasked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most bytes of a note. More is a request of its own.
pub const MAX_NOTE_BYTES: usize = 4096;

/// What the person says while the run works. User to R2 and R4b: it counts at the next plan, and before anything is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PersonNote {
    /// The person's words, at most [`MAX_NOTE_BYTES`].
    pub text: String,
}

/// Why something cannot be a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// There are no words.
    #[error("the note is empty")]
    Empty,
    /// It is too long. Nothing of it is taken: a part would say something else.
    #[error("the note has {bytes} bytes, and at most {MAX_NOTE_BYTES} are taken")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
}

impl PersonNote {
    /// A note of these words, without the blanks around them.
    ///
    /// # Errors
    /// [`NoteError`] where they are none, or too many.
    pub fn new(text: &str) -> Result<Self, NoteError> {
        let text = text.trim();
        match text.len() {
            0 => Err(NoteError::Empty),
            bytes if bytes > MAX_NOTE_BYTES => Err(NoteError::TooLong { bytes }),
            _ => Ok(Self { text: text.to_owned() }),
        }
    }
}
