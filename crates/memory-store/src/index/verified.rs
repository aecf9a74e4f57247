//! Index answers that were verified against the truth.

use std::collections::BTreeMap;

use artoo_types::MegramId;

use super::record::{Record, RecordDigest};

/// Records that all match the truth, with none missing and none extra.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified(Vec<Record>);

impl Verified {
    /// Compares an answer with the ids of the truth, each with the digest of its record.
    ///
    /// # Errors
    ///
    /// The first difference, by id. The answer is then unusable: read the truth and rebuild the index.
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

/// A difference between an index answer and the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// A Megram is missing.
    #[error("the index lacks {0}")]
    Missing(MegramId),
    /// A Megram should not exist, or not under this key.
    #[error("the index has {0}, which does not belong there")]
    Unexpected(MegramId),
    /// The Megram under this id is another one.
    #[error("the index has something else under {0}")]
    Differs(MegramId),
    /// A Megram appears twice.
    #[error("the index has {0} twice")]
    Twice(MegramId),
}
