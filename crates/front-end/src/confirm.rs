//! Questions that come before a run begins.

use std::fmt;

use async_trait::async_trait;

/// A question that a host asks before it begins a run: whether to follow instructions of a folder, to start a server that a folder names,
/// to offer a tool whose definition has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// What is asked about, in one sentence.
    pub about: String,
    /// What is shown with it, line by line: the text of a file, a difference.
    pub lines: Vec<String>,
    /// The question. A yes holds as long as it says.
    pub question: String,
}

/// Asks the user of a front end before a run begins.
///
/// *Contract.* An answer is the user's. Nobody there, a lost connection and no answer are a no.
///
/// *Cancellation.* The future is dropped when the answer is no longer needed.
#[async_trait]
pub trait Confirm: fmt::Debug + Send + Sync {
    /// Whether there is a user at all; otherwise nothing is asked, and the host says what was left out.
    fn is_there(&self) -> bool {
        true
    }

    /// Asks, and waits for the answer.
    async fn confirm(&self, confirmation: Confirmation) -> bool;

    /// Tells the user what the run goes on without. By default it is told nowhere but in the host's log.
    fn notice(&self, text: &str) {
        let _ = text;
    }
}

/// Nobody is there: every answer is no.
///
/// ```
/// use artoo_front_end::{Confirm, NobodyConfirms};
///
/// assert!(!NobodyConfirms.is_there());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct NobodyConfirms;

#[async_trait]
impl Confirm for NobodyConfirms {
    fn is_there(&self) -> bool {
        false
    }

    async fn confirm(&self, _: Confirmation) -> bool {
        false
    }
}
