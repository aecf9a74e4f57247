//! LevelDB as the index over memory: found by id, by tag pair and by layer, in the key schema of the
//! specification.
//!
//! ```text
//! m|<id>                    the Megram as it stands now, in JSON
//! x|<space>|<entity>|<id>   its place in its pair, where it counts there
//! l|<level>|<id>            its place in its layer, likewise
//! r|<id>                    when it was last recalled
//! j|head                    up to where in the journal all this goes; not of the specification
//! ```
//!
//! *Architecture invariant*: nothing here is the truth, and nobody may take it for that. What the index says
//! is held against the truth ([`Verified`]); whatever goes wrong with it is an error by which it is known to
//! be worth nothing, never a panic, and it is rebuilt.
//!
//! `rusty-leveldb` is used unpatched, with what was measured of it in mind: see the modules `engine`, `env`
//! and `intact`.

mod changes;
mod contents;
mod engine;
mod env;
mod error;
mod guard;
mod intact;
mod lock;
mod rebuild;
mod record;
mod verified;
mod worker;

use std::path::Path;
use std::sync::Arc;

use artoo_types::{Level, MegramId, TagPair};

pub use changes::{Change, changes, touched};
pub use error::{Damage, IndexError};
pub use record::{Entry, Position, Record, RecordDigest};
pub use verified::{Doubt, Verified};

use crate::disk::Disk;
use contents::Before;
use worker::Worker;

/// An open index. Its engine lives on a thread of its own, which ends when this is closed or dropped.
pub struct Index {
    worker: Worker,
}

/// Which part of a long answer is wanted. Answers are in the order of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Only what comes behind this id.
    pub after: Option<MegramId>,
    /// At most so many; never more than 10,000.
    pub limit: usize,
}

/// How many keys of each kind there are, counted one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Megrams, consolidated ones included.
    pub megrams: u64,
    /// Places in pairs: one for each Megram that counts.
    pub in_pairs: u64,
    /// Places in layers: as many.
    pub in_layers: u64,
    /// Megrams that were recalled.
    pub recalled: u64,
}

impl Index {
    /// Opens the index in a folder, or a new one where nothing is there.
    ///
    /// # Errors
    ///
    /// [`IndexError::Locked`], [`IndexError::Damaged`] and the others of its opening.
    pub async fn open(folder: &Path, disk: Arc<dyn Disk>) -> Result<Self, IndexError> {
        rebuild::clean_up(folder, disk.as_ref())?;
        Ok(Self { worker: Worker::start(folder, disk).await? })
    }

    /// Builds an index anew in place of whatever is in the folder, and opens it. The old one must be closed;
    /// it is removed.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open); [`IndexError::Source`] where an entry is an error. What was there stays
    /// until the new one is whole.
    pub async fn rebuild<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        folder: &Path,
        disk: Arc<dyn Disk>,
        entries: impl IntoIterator<Item = Result<Entry, E>>,
        position: Position,
    ) -> Result<Self, IndexError> {
        rebuild::rebuild(folder, &disk, entries.into_iter(), position).await?;
        Self::open(folder, disk).await
    }

    /// Up to where in the journal it goes; `None` where it was never told.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`], as for every other method here: it failed before.
    pub async fn position(&self) -> Result<Option<Position>, IndexError> {
        self.worker.ask("read", |contents| Ok(contents.position())).await
    }

    /// Takes in what the memory's state says of each id that was [`touched`], and where in the journal that
    /// is. It is on the disk when this returns. Entries of more than a megabyte are several batches, the
    /// position in the last: what a crash cuts short is to be given again.
    ///
    /// # Errors
    ///
    /// [`IndexError::Full`]: nothing was written, and the index goes on. Everything else ends it.
    pub async fn project(&self, entries: Vec<Entry>, position: Position) -> Result<(), IndexError> {
        let write =
            move |contents: &mut contents::Contents| contents.write(entries, Before::Unknown, Some(position));
        self.worker.ask("write", write).await
    }

    /// Of these ids those that are there, in the order they were asked for.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`].
    pub async fn get(&self, ids: Vec<MegramId>) -> Result<Vec<Record>, IndexError> {
        self.worker.ask("read", move |contents| contents.get(&ids)).await
    }

    /// The Megrams that count in a pair.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`].
    pub async fn of_pair(&self, pair: TagPair, page: Page) -> Result<Vec<Record>, IndexError> {
        self.worker.ask("read", move |contents| contents.of_pair(&pair, page)).await
    }

    /// The Megrams of a layer that count.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`].
    pub async fn of_level(&self, level: Level, page: Page) -> Result<Vec<Record>, IndexError> {
        self.worker.ask("read", move |contents| contents.of_level(level, page)).await
    }

    /// Every Megram, consolidated ones included.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`].
    pub async fn all(&self, page: Page) -> Result<Vec<Record>, IndexError> {
        self.worker.ask("read", move |contents| contents.all(page)).await
    }

    /// Counts every key, which reads all there is.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`]: also where there is a key that cannot be.
    pub async fn count(&self) -> Result<Counts, IndexError> {
        self.worker.ask("read", contents::Contents::count).await
    }

    /// Gives back the space of what is gone, so that no file holds the words of a forgotten Megram. Rewrites
    /// most of the index: for idle time, and after a person had something forgotten.
    ///
    /// # Errors
    ///
    /// [`IndexError::Full`]: nothing was done, and the index goes on. Everything else ends it.
    pub async fn compact(&self) -> Result<(), IndexError> {
        self.worker.ask("compact", contents::Contents::compact).await
    }

    /// Closes it. When this returns, its folder is free.
    pub async fn close(self) {
        self.worker.close().await;
    }
}
