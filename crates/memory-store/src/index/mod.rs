//! LevelDB index over the memory: lookup by id, by tag pair and by level, in the key schema of the
//! specification.
//! ```text
//! m|<id>                    the Megram as it stands now, in JSON
//! x|<space>|<entity>|<id>   its place in its pair, where it counts there
//! l|<level>|<id>            its place in its layer, likewise
//! r|<id>                    when it was last recalled
//! j|head                    up to where in the journal all this goes; not of the specification
//! ```
//!
//! *Architecture invariant*: nothing here is the truth. Answers of the index are compared with the truth
//! ([`Verified`]); any failure is an error that marks the index as unusable, never a panic, and the index is
//! rebuilt.
//!
//! `rusty-leveldb` is used unpatched; the modules `engine`, `env` and `intact` work around its measured
//! defects.

mod changes;
mod engine;
mod env;
mod error;
mod file_check;
mod guard;
mod keyspace;
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
use keyspace::Before;
use worker::Worker;

/// An open index. Its engine lives on its own thread, which ends when this is closed or dropped.
pub struct Index {
    worker: Worker,
}

/// A page of a long answer. Answers are in the order of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Only ids after this one.
    pub after: Option<MegramId>,
    /// Maximum number of records; never more than 10,000.
    pub limit: usize,
}

/// Number of keys of each kind, counted individually.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Megrams, including consolidated ones.
    pub megrams: u64,
    /// Pair keys: one for each live Megram.
    pub in_pairs: u64,
    /// Level keys: as many.
    pub in_layers: u64,
    /// Recalled Megrams.
    pub recalled: u64,
}

impl Index {
    /// Opens the index in a folder, or creates one if it is missing.
    ///
    /// # Errors
    ///
    /// [`IndexError::Locked`], [`IndexError::Damaged`] and the others of its opening.
    pub async fn open(folder: &Path, disk: Arc<dyn Disk>) -> Result<Self, IndexError> {
        rebuild::clean_up(folder, disk.as_ref())?;
        Ok(Self { worker: Worker::start(folder, disk).await? })
    }

    /// Builds a new index in place of whatever is in the folder, and opens it. The old one must be closed; it
    /// is removed.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open); [`IndexError::Source`] if an entry is an error. The old index stays until
    /// the new one is complete.
    pub async fn rebuild<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        folder: &Path,
        disk: Arc<dyn Disk>,
        entries: impl IntoIterator<Item = Result<Entry, E>>,
        position: Position,
    ) -> Result<Self, IndexError> {
        rebuild::rebuild(folder, &disk, entries.into_iter(), position).await?;
        Self::open(folder, disk).await
    }

    /// The journal position up to which the index is complete; `None` if it was never set.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`], as for every other method here: it failed before.
    pub async fn position(&self) -> Result<Option<Position>, IndexError> {
        self.worker.ask("read", |contents| Ok(contents.position())).await
    }

    /// Updates the index with the state's entry for each id that was [`touched`], and the journal position.
    /// On disk when this returns. Entries of more than a megabyte take several batches, with the position in
    /// the last: after a crash they have to be given again.
    ///
    /// # Errors
    ///
    /// [`IndexError::Full`]: nothing was written, and the index stays usable. Any other error ends it.
    pub async fn project(&self, entries: Vec<Entry>, position: Position) -> Result<(), IndexError> {
        let write =
            move |contents: &mut keyspace::Contents| contents.write(entries, Before::Unknown, Some(position));
        self.worker.ask("write", write).await
    }

    /// The Megrams with these ids that exist, in the requested order.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`].
    pub async fn get(&self, ids: Vec<MegramId>) -> Result<Vec<Record>, IndexError> {
        self.worker.ask("read", move |contents| contents.get(&ids)).await
    }

    /// The live Megrams of a pair.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`].
    pub async fn of_pair(&self, pair: TagPair, page: Page) -> Result<Vec<Record>, IndexError> {
        self.worker.ask("read", move |contents| contents.of_pair(&pair, page)).await
    }

    /// The live Megrams of a level.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`].
    pub async fn of_level(&self, level: Level, page: Page) -> Result<Vec<Record>, IndexError> {
        self.worker.ask("read", move |contents| contents.of_level(level, page)).await
    }

    /// Every Megram, including consolidated ones.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`].
    pub async fn all(&self, page: Page) -> Result<Vec<Record>, IndexError> {
        self.worker.ask("read", move |contents| contents.all(page)).await
    }

    /// Counts every key, which reads the whole index.
    ///
    /// # Errors
    ///
    /// [`IndexError::Failed`]: also if there is an impossible key.
    pub async fn count(&self) -> Result<Counts, IndexError> {
        self.worker.ask("read", keyspace::Contents::count).await
    }

    /// Reclaims the space of deleted entries, so that no file contains the words of a forgotten Megram.
    /// Rewrites most of the index: for idle time, and after a person has forgotten something.
    ///
    /// # Errors
    ///
    /// [`IndexError::Full`]: nothing was done, and the index stays usable. Any other error ends it.
    pub async fn compact(&self) -> Result<(), IndexError> {
        self.worker.ask("compact", keyspace::Contents::compact).await
    }

    /// Closes the index. When this returns, its folder is unlocked.
    pub async fn close(self) {
        self.worker.close().await;
    }
}
