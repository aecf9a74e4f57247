//! Derives changes of index keys from events. Pure: values in, values out.
//!
//! The index is a function of the memory's state: each id's keys are made equal to its entry in the state. So
//! the order of events does not matter, a repeated one changes nothing, and a lagging index is updated by the
//! ids touched since.

use std::collections::BTreeMap;

use artoo_mkct_memory::{Event, key::Key};
use artoo_types::{Megram, MegramId};

use super::record::{Entry, Record};

/// A change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets the key to this value.
    Put {
        /// The key.
        key: String,
        /// Its value.
        value: Vec<u8>,
    },
    /// Removes the key.
    Delete {
        /// The key.
        key: String,
    },
}

/// The ids whose keys an event may change.
pub fn touched(event: &Event) -> Vec<MegramId> {
    match event {
        Event::Written(megram) => vec![megram.id],
        Event::Recalled { id, at: _ } | Event::Demoted { id, k: _ } | Event::Forgotten { id } => vec![*id],
        Event::Consolidated { sop, sources, absorbed } => {
            std::iter::once(sop).chain(sources).chain(absorbed).copied().collect()
        }
    }
}

/// The changes that make the keys of an id equal to its entry, given the Megram that the index currently
/// holds for it.
pub fn changes(held: Option<&Megram>, entry: &Entry) -> Vec<Change> {
    let wanted = keys(entry);
    // The held Megram does not show whether it is live; deleting a missing key does no harm.
    let old = held.map(|held| keys(&Entry::Live(held.clone()))).unwrap_or_default();
    let gone = old.into_keys().filter(|key| !wanted.contains_key(key)).map(|key| Change::Delete { key });
    let mut changes: Vec<Change> = gone.collect();
    changes.extend(wanted.into_iter().map(|(key, value)| Change::Put { key, value }));
    changes
}

/// Every key of an entry with its value.
fn keys(entry: &Entry) -> BTreeMap<String, Vec<u8>> {
    let (megram, live) = match entry {
        Entry::Live(megram) => (megram, true),
        Entry::Consolidated(megram) => (megram, false),
        Entry::Forgotten(_) => return BTreeMap::new(),
    };
    let record = Record::of(megram);
    let value = record.encode();
    let Megram { id, level, last_recalled_at, space, entity, .. } = record.megram;
    let mut keys = BTreeMap::from([(Key::Megram(id).encode(), value)]);
    if live {
        keys.insert(Key::Index { space, entity, id }.encode(), Vec::new());
        keys.insert(Key::Layer { level, id }.encode(), Vec::new());
    }
    if let Some(at) = last_recalled_at {
        keys.insert(Key::Recall(id).encode(), at.to_rfc3339().into_bytes());
    }
    keys
}
