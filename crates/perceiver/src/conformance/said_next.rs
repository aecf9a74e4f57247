//! What somebody says after some turns, and what it has to become: the form of the suite in `fixtures/follow-ups/cases.json`.
//!
//! The laws of [`follow_ups`](super::follow_ups) hold for any perceiver. Whether a case is understood is up to the model.

use artoo_types::{Turn, UserRequest};
use serde::Deserialize;

use super::request;

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidNext {
    /// Its name, which begins with the language.
    pub id: String,
    /// The language, as in `fi`.
    pub language: String,
    /// Whether it needs the turns to be understood. Otherwise it has to come out word for word.
    pub open: bool,
    /// What was said before and what came of it, oldest first.
    pub turns: Vec<Turn>,
    /// The newest message.
    pub message: String,
    /// What the restated request has to say, in the words of the turns or the message.
    pub must: Vec<String>,
    /// What it may not say, because somebody else or something earlier is meant by it.
    pub must_not: Vec<String>,
}

impl SaidNext {
    /// The case as a request, at a fixed place and time.
    pub fn request(&self) -> UserRequest {
        UserRequest { turns: self.turns.clone(), ..request(&self.message) }
    }

    /// What is wrong with an intent that was made of it, if anything is.
    ///
    /// # Errors
    /// The words that are missing or too many, in one sentence.
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
