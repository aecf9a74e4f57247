//! Answers of the index that were held against the truth.

use std::collections::BTreeMap;

use artoo_types::MegramId;

use super::record::{Record, RecordDigest};

/// Records of which each says what the truth says, and of which none is missing and none too many.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified(Vec<Record>);

impl Verified {
    /// Holds an answer against the ids that the truth has, each with the digest of its record.
    ///
    /// # Errors
    ///
    /// The first difference, by id. The answer is then worth nothing: read the truth and rebuild the index.
    pub fn check(
        found: Vec<Record>,
        expected: impl IntoIterator<Item = (MegramId, RecordDigest)>,
    ) -> Result<Self, Doubt> {
        let expected: BTreeMap<_, _> = expected.into_iter().collect();
        let mut answered = BTreeMap::new();
        for record in &found {
            if answered.insert(record.megram.id, record.digest()).is_some() {
                return Err(Doubt::Twice(record.megram.id));
            }
        }
        let ids = expected.keys().chain(answered.keys());
        let doubt = |id: &MegramId| match (answered.get(id), expected.get(id)) {
            (None, _) => Some(Doubt::Missing(*id)),
            (_, None) => Some(Doubt::Unexpected(*id)),
            (Some(answered), Some(expected)) => (answered != expected).then_some(Doubt::Differs(*id)),
        };
        match ids.filter_map(|id| doubt(id).map(|doubt| (*id, doubt))).min_by_key(|(id, _)| *id) {
            None => Ok(Self(found)),
            Some((_, doubt)) => Err(doubt),
        }
    }

    /// The records, in the order of the answer.
    pub fn records(&self) -> &[Record] {
        &self.0
    }

    /// The records, in the order of the answer.
    pub fn into_records(self) -> Vec<Record> {
        self.0
    }
}

/// How an answer of the index differs from the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// It lacks a Megram.
    #[error("the index lacks {0}")]
    Missing(MegramId),
    /// It has a Megram that is not there, or not in this place.
    #[error("the index has {0}, which does not belong there")]
    Unexpected(MegramId),
    /// It has another Megram under this id.
    #[error("the index has something else under {0}")]
    Differs(MegramId),
    /// It has a Megram twice.
    #[error("the index has {0} twice")]
    Twice(MegramId),
}
