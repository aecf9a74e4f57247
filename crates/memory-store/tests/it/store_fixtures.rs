//! Test fixture: a store in its own folder, with a clock that the test moves.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use artoo_memory_store::{Options, Store};
use artoo_mkct_memory::matrix;
use artoo_types::{Entity, Megram, MegramId, MegramState, Origin, Space, TagPair};
use chrono::{DateTime, FixedOffset, TimeDelta};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) struct House {
    folder: TempDir,
    pub(crate) today: Arc<AtomicI64>,
    minted: Arc<AtomicU64>,
}

impl House {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, today: Arc::default(), minted: Arc::new(AtomicU64::new(1_000_000)) }
    }

    pub(crate) fn memory(&self) -> PathBuf {
        self.folder.path().join("memory")
    }

    pub(crate) fn options(&self) -> Options {
        let (today, minted) = (Arc::clone(&self.today), Arc::clone(&self.minted));
        let now = move || day(today.load(Ordering::SeqCst));
        let mint = move || id(u128::from(minted.fetch_add(1, Ordering::SeqCst)));
        Options::new(self.memory(), now, mint)
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(self.options()).unwrap()
    }

    pub(crate) fn on(&self, day: i64) {
        self.today.store(day, Ordering::SeqCst);
    }
}

pub(crate) fn day(days: i64) -> DateTime<FixedOffset> {
    DateTime::UNIX_EPOCH.fixed_offset() + TimeDelta::days(20_000 + days)
}

pub(crate) fn id(number: u128) -> MegramId {
    MegramId::new(Uuid::from_u128(number))
}

pub(crate) fn pair(name: &str) -> TagPair {
    TagPair::new(Space::intent(name), Entity::local())
}

pub(crate) fn megram(number: u128, state: MegramState, on: i64, name: &str, content: &str) -> Megram {
    let TagPair { space, entity } = pair(name);
    let megram = matrix::megram(id(number), state, day(on), space, entity, content.to_owned());
    Megram { origin: Some(Origin::Person), ..megram }
}

/// Whether any file under a folder contains these words.
pub(crate) fn is_in_a_file(folder: &Path, words: &str) -> bool {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        if path.is_dir() {
            is_in_a_file(&path, words)
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            bytes.windows(words.len()).any(|window| window == words.as_bytes())
        }
    })
}
