//! Typed access to the index: the specification's keys and their values.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use artoo_mkct_memory::key::{self, Key};
use artoo_types::{Level, MegramId, TagPair};

use super::changes::{Change, changes};
use super::engine::Engine;
use super::error::{Damage, IndexError};
use super::record::{Entry, Position, Record, bounded_entity, bounded_space};
use super::{Counts, Page};
use crate::disk::Disk;

/// The one key besides the specification's: the index's position in the journal.
const HEAD: &str = "j|head";
/// Maximum bytes of a batch.
const BATCH: usize = 1024 * 1024;
/// Number of entries looked up together, before they are written.
const LOOKED_UP: usize = 256;
/// Number of keys held at a time while counting.
const COUNTED: usize = 4_096;
/// Maximum records of a page, whatever is requested.
const LARGEST_PAGE: usize = 10_000;
/// The prefix of Megram keys.
const MEGRAMS: &str = "m|";

/// Whether the index may already hold the ids being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// It may: they are looked up.
    Unknown,
    /// It does not.
    Nothing,
}

pub(super) struct Contents {
    engine: Engine,
    position: Option<Position>,
}

impl Contents {
    pub(super) fn open(folder: &Path, disk: Arc<dyn Disk>) -> Result<Self, IndexError> {
        let mut engine = Engine::open(folder, disk)?;
        let held = engine.values(&[HEAD.to_owned()])?.pop().flatten();
        let position = match held.as_deref() {
            None => None,
            Some(value) => Some(Position::decode(value).ok_or_else(|| wrong_value(&engine, HEAD))?),
        };
        Ok(Self { engine, position })
    }

    pub(super) fn position(&self) -> Option<Position> {
        self.position
    }

    /// Makes the keys of each entry equal to it. The position is in the last batch: after a crash before
    /// that, the same ids come again.
    pub(super) fn write(
        &mut self,
        entries: Vec<Entry>,
        before: Before,
        position: Option<Position>,
    ) -> Result<(), IndexError> {
        self.engine.check_room(0)?;
        let mut batch = Vec::new();
        let mut size = 0;
        let entries = latest(entries);
        for some in entries.chunks(LOOKED_UP) {
            let held = match before {
                Before::Nothing => vec![None; some.len()],
                Before::Unknown => self.held(some.iter().map(Entry::id))?,
            };
            for (entry, held) in some.iter().zip(held) {
                let changes = changes(held.as_ref().map(|held| &held.megram), entry);
                size += changes.iter().map(length).sum::<usize>();
                batch.extend(changes);
                if size >= BATCH {
                    self.engine.write(&batch)?;
                    batch.clear();
                    size = 0;
                }
            }
        }
        batch.extend(position.map(|at| Change::Put { key: HEAD.to_owned(), value: at.encode() }));
        if !batch.is_empty() {
            self.engine.write(&batch)?;
        }
        self.position = position.or(self.position);
        Ok(())
    }

    /// The Megrams with these ids that exist, in the requested order.
    pub(super) fn get(&mut self, ids: &[MegramId]) -> Result<Vec<Record>, IndexError> {
        Ok(self.held(ids.iter().copied())?.into_iter().flatten().collect())
    }

    pub(super) fn of_pair(&mut self, pair: &TagPair, page: Page) -> Result<Vec<Record>, IndexError> {
        let prefix = key::pair_prefix(&bounded_space(&pair.space), &bounded_entity(&pair.entity));
        self.placed(&prefix, page)
    }

    pub(super) fn of_level(&mut self, level: Level, page: Page) -> Result<Vec<Record>, IndexError> {
        self.placed(&key::layer_prefix(level), page)
    }

    pub(super) fn all(&mut self, page: Page) -> Result<Vec<Record>, IndexError> {
        let after = page.after.map(|id| Key::Megram(id).encode());
        let found = self.engine.scan(MEGRAMS, after, page.limit.min(LARGEST_PAGE))?;
        found.iter().map(|(key, value)| self.record(key, value)).collect()
    }

    pub(super) fn count(&mut self) -> Result<Counts, IndexError> {
        let mut counts = Counts::default();
        let mut last = None;
        loop {
            let some = self.engine.scan("", last, COUNTED)?;
            for (key, _) in &some {
                match Key::decode(key) {
                    Ok(Key::Megram(_)) => counts.megrams += 1,
                    Ok(Key::Index { .. }) => counts.in_pairs += 1,
                    Ok(Key::Layer { .. }) => counts.in_layers += 1,
                    Ok(Key::Recall(_)) => counts.recalled += 1,
                    Err(_) if key == HEAD => {}
                    Err(_) => return Err(self.engine.damaged(Damage::Key { key: key.clone() })),
                }
            }
            last = match some.into_iter().next_back() {
                None => return Ok(counts),
                Some((key, _)) => Some(key),
            };
        }
    }

    pub(super) fn compact(&mut self) -> Result<(), IndexError> {
        self.engine.compact()
    }

    /// The Megrams with a key under a prefix.
    fn placed(&mut self, prefix: &str, page: Page) -> Result<Vec<Record>, IndexError> {
        let after = page.after.map(|id| format!("{prefix}{id}"));
        let places = self.engine.scan(prefix, after, page.limit.min(LARGEST_PAGE))?;
        let ids = places.iter().map(|(key, _)| match Key::decode(key) {
            Ok(Key::Index { id, .. } | Key::Layer { id, .. }) => Ok(id),
            Ok(Key::Megram(_) | Key::Recall(_)) | Err(_) => {
                Err(self.engine.damaged(Damage::Key { key: key.clone() }))
            }
        });
        let ids = ids.collect::<Result<Vec<_>, _>>()?;
        let records = self.held(ids.iter().copied())?;
        let there = ids.iter().zip(records);
        there.map(|(id, record)| record.ok_or_else(|| self.engine.damaged(Damage::Dangling(*id)))).collect()
    }

    fn held(&mut self, ids: impl Iterator<Item = MegramId>) -> Result<Vec<Option<Record>>, IndexError> {
        let keys: Vec<String> = ids.map(|id| Key::Megram(id).encode()).collect();
        let values = self.engine.values(&keys)?;
        let held = keys.iter().zip(values);
        held.map(|(key, value)| value.map(|value| self.record(key, &value)).transpose()).collect()
    }

    fn record(&self, key: &str, value: &[u8]) -> Result<Record, IndexError> {
        let record = Record::decode(value).ok();
        let own = record.filter(|record| Key::Megram(record.megram.id).encode() == key);
        own.ok_or_else(|| wrong_value(&self.engine, key))
    }
}

fn wrong_value(engine: &Engine, key: &str) -> IndexError {
    engine.damaged(Damage::Value { key: key.to_owned() })
}

/// The last entry of each id.
fn latest(entries: Vec<Entry>) -> Vec<Entry> {
    let last: HashMap<MegramId, usize> =
        entries.iter().enumerate().map(|(place, entry)| (entry.id(), place)).collect();
    let kept = entries.into_iter().enumerate();
    kept.filter(|(place, entry)| last.get(&entry.id()) == Some(place)).map(|(_, entry)| entry).collect()
}

fn length(change: &Change) -> usize {
    match change {
        Change::Put { key, value } => key.len() + value.len(),
        Change::Delete { key } => key.len(),
    }
}
