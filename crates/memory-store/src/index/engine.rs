//! Wrapper of the LevelDB engine, restricted to the usage that was verified by tests. It never leaves the
//! thread that opened it.
//!
//! Point reads seek with an iterator, since `get` misses live keys after deletes. Iterators do not outlive a
//! method here, since they lose entries during concurrent writes. Every write is an atomic, synced batch.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use rusty_leveldb::infolog::Logger;
use rusty_leveldb::{CompressorId as _, DB, LdbIterator as _, Options, Status, WriteBatch};

use super::changes::Change;
use super::env::DurableEnv;
use super::error::{Damage, IndexError};
use super::lock::Lock;
use crate::disk::Disk;

/// Minimum free space for a write: a compaction works on some 25 MiB at a time.
const FREE_TO_WRITE: u64 = 64 * 1024 * 1024;
/// After this many keys a scan restarts behind the last one.
const PAGE: usize = 1_000;
/// Number of levels: a deleted entry moves down one level with each compaction.
const LEVELS: usize = 7;
/// Files without content. A C++ tool that finds no index leaves them behind.
const BESIDE: [&str; 3] = ["LOCK", "LOG", "LOG.old"];
const FIRST_KEY: &[u8] = b"\0";
const LAST_KEY: &[u8] = b"\xff";

pub(super) struct Engine {
    db: DB, // before the lock: fields are dropped in this order
    _lock: Lock,
    disk: Arc<dyn Disk>,
    folder: PathBuf,
}

impl Engine {
    /// Opens the index in a folder, or creates one if it is empty.
    pub(super) fn open(folder: &Path, disk: Arc<dyn Disk>) -> Result<Self, IndexError> {
        let file = |doing| move |source| IndexError::File { path: folder.to_owned(), doing, source };
        disk.make_folder(folder).map_err(file("made"))?;
        let lock = Lock::take(folder, disk.as_ref())?;
        let names = disk.list(folder).map_err(file("listed"))?;
        let is_new = names.iter().all(|name| BESIDE.iter().any(|beside| name == beside));
        if !is_new && !names.iter().any(|name| name == "CURRENT") {
            return Err(IndexError::Damaged { folder: folder.to_owned(), damage: Damage::NoCurrent });
        }
        if is_new {
            disk.sync_folder(above(folder)).map_err(file("synced"))?;
        }
        let db = start(folder, &disk, is_new)?;
        Ok(Self { db, _lock: lock, disk, folder: folder.to_owned() })
    }

    /// Writes changes as one atomic batch, and returns when it is on disk.
    pub(super) fn write(&mut self, changes: &[Change]) -> Result<(), IndexError> {
        let mut batch = WriteBatch::default();
        for change in changes {
            match change {
                Change::Put { key, value } => batch.put(key.as_bytes(), value),
                Change::Delete { key } => batch.delete(key.as_bytes()),
            }
        }
        let synced = true;
        self.db.write(batch, synced).map_err(refused(&self.folder, "write"))
    }

    /// Fails if the disk has too little space for what a write may trigger.
    pub(super) fn check_room(&self, more: u64) -> Result<(), IndexError> {
        let needed = FREE_TO_WRITE.saturating_add(more);
        let free = self.disk.free_bytes(&self.folder).map_err(|source| IndexError::File {
            path: self.folder.clone(),
            doing: "asked for its free space",
            source,
        })?;
        let folder = || self.folder.clone();
        if free < needed { Err(IndexError::Full { folder: folder(), free, needed }) } else { Ok(()) }
    }

    /// The values of these keys, in order.
    pub(super) fn values(&mut self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, IndexError> {
        let mut entries = self.db.new_iter().map_err(refused(&self.folder, "read"))?;
        let values = keys.iter().map(|key| {
            entries.seek(key.as_bytes());
            let (found, value) = entries.current()?;
            (found == key.as_bytes()).then(|| value.to_vec())
        });
        Ok(values.collect())
    }

    /// At most this many keys with a prefix, and their values, starting after a key or at the first.
    pub(super) fn scan(
        &mut self,
        prefix: &str,
        after: Option<String>,
        limit: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        let mut found: Vec<(String, Vec<u8>)> = Vec::new();
        let mut last = after;
        while found.len() < limit {
            let page = self.page(prefix, last.as_deref(), PAGE.min(limit - found.len()))?;
            let Some((key, _)) = page.last() else { break };
            last = Some(key.clone());
            found.extend(page);
        }
        Ok(found)
    }

    fn page(
        &mut self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        let mut entries = self.db.new_iter().map_err(refused(&self.folder, "read"))?;
        entries.seek(after.unwrap_or(prefix).as_bytes());
        let mut page: Vec<(String, Vec<u8>)> = Vec::new();
        while let Some((key, value)) = entries.current().filter(|_| page.len() < limit) {
            if !key.starts_with(prefix.as_bytes()) {
                break;
            }
            let key = String::from_utf8(key.to_vec()).map_err(|wrong| {
                self.damaged(Damage::Key { key: wrong.into_bytes().escape_ascii().to_string() })
            })?;
            let before = page.last().map(|(key, _)| key.as_str()).or(after);
            match before.map(|before| before.cmp(&key)) {
                None | Some(std::cmp::Ordering::Less) => page.push((key, value.to_vec())),
                Some(std::cmp::Ordering::Equal) if page.is_empty() => {} // the one to go on behind
                // Tables were swapped on disk. Without this check a scan could loop forever.
                Some(_) => return Err(self.damaged(Damage::Order { key })),
            }
            entries.advance();
        }
        Ok(page)
    }

    /// Reclaims the space of deleted or replaced entries, and removes the last copies of forgotten ones.
    ///
    /// Once an iterator was open, the engine keeps every old version until it is restarted.
    pub(super) fn compact(&mut self) -> Result<(), IndexError> {
        self.check_room(self.size()?)?;
        self.db.close().map_err(refused(&self.folder, "close"))?;
        let is_new = false;
        self.db = start(&self.folder, &self.disk, is_new)?;
        for _ in 0..LEVELS {
            self.db.compact_range(FIRST_KEY, LAST_KEY).map_err(refused(&self.folder, "compact"))?;
        }
        Ok(())
    }

    pub(super) fn damaged(&self, damage: Damage) -> IndexError {
        IndexError::Damaged { folder: self.folder.clone(), damage }
    }

    fn size(&self) -> Result<u64, IndexError> {
        let file = |source| IndexError::File { path: self.folder.clone(), doing: "measured", source };
        let names = self.disk.list(&self.folder).map_err(file)?;
        // Closing a handle of the lock file would release the lock.
        let files = names.iter().filter(|name| *name != "LOCK");
        let sizes = files.map(|name| self.disk.open_to_read(&self.folder.join(name))?.len());
        sizes.sum::<std::io::Result<u64>>().map_err(file)
    }
}

/// The parent folder.
pub(super) fn above(folder: &Path) -> &Path {
    folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn start(folder: &Path, disk: &Arc<dyn Disk>, is_new: bool) -> Result<DB, IndexError> {
    let env = DurableEnv::new(Arc::clone(disk), folder.to_owned());
    let options = Options {
        env: Rc::new(Box::new(env)),
        log: Some(Rc::new(RefCell::new(Logger(Box::new(std::io::sink()))))),
        create_if_missing: is_new, // otherwise it would begin anew, and delete every table
        compressor: rusty_leveldb::compressor::SnappyCompressor::ID,
        reuse_logs: false, // behind a torn record nothing would be found again
        reuse_manifest: false,
        ..Options::default()
    };
    DB::open(folder, options).map_err(refused(folder, "open"))
}

fn refused(folder: &Path, doing: &'static str) -> impl FnOnce(Status) -> IndexError {
    move |source| IndexError::Engine { folder: folder.to_owned(), doing, source }
}
