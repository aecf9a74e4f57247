//! Case format of the follow-up suite in `fixtures/follow-ups/cases.json`: a conversation, the next message,
//! and the expected facts.
//!
//! The laws of [`follow_ups`](super::follow_ups) hold for any perceiver. Whether a case is understood depends
//! on the model.

use artoo_types::{Turn, UserRequest};
use serde::Deserialize;

use super::request;

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidNext {
    /// Unique name, which begins with the language.
    pub id: String,
    /// Language code, such as `fi`.
    pub language: String,
    /// Whether the message needs the turns to be understood. If not, it has to be returned verbatim.
    pub open: bool,
    /// The earlier inputs and results, oldest first.
    pub turns: Vec<Turn>,
    /// The newest message.
    pub message: String,
    /// Words that the restated request must contain, taken from the turns or the message.
    pub must: Vec<String>,
    /// Words that it must not contain, because they belong to something else or something earlier.
    pub must_not: Vec<String>,
}

impl SaidNext {
    /// The case as a request, at a fixed place and time.
    pub fn request(&self) -> UserRequest {
        UserRequest { turns: self.turns.clone(), ..request(&self.message) }
    }

    /// Checks an intent derived from the case.
    ///
    /// # Errors
    /// One sentence that names the missing or superfluous words.
    pub fn check(&self, intent: &str) -> Result<(), String> {
        let lost = self.must.iter().find(|fact| !intent.contains(fact.as_str()));
        let added = self.must_not.iter().find(|fact| intent.contains(fact.as_str()));
        match (lost, added) {
            (Some(lost), _) => Err(format!("{}: {lost:?} is not in {intent:?}", self.id)),
            (None, Some(added)) => Err(format!("{}: {added:?} is in {intent:?}", self.id)),
            (None, None) if !self.open && intent != self.message => {
                Err(format!("{}: nothing was open, and it became {intent:?}", self.id))
            }
            (None, None) => Ok(()),
        }
    }
}
