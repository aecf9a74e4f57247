//! The audit log on disk: append-only, hash-chained, shared by several processes.

use std::collections::VecDeque;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};

use crate::batch::{Batch, Entry, What, write_tracked};
use crate::chain_end::Tail;
use crate::head::{Head, HeadFile};
use crate::index::Index;
use crate::line::Seal;
use crate::segment::Segment;
use crate::{AuditError, Gap, own_file};

/// File name of the log.
pub const LOG_NAME: &str = "audit.jsonl";

/// An open audit log.
///
/// Append-only. Several handles, in one process or in many, may append to the same file: each batch is
/// written under a lock, after reading what the others wrote. A line cut by a crash is left in place, and the
/// next line records it.
///
/// A batch has been passed to the operating system when [`AuditLog::append`] returns, so it survives the end
/// of the process; it survives a crash of the machine after [`AuditLog::sync`].
#[derive(Debug)]
pub struct AuditLog {
    path: PathBuf,
    file: File,
    tail: Tail,
    /// Whether the head file is up to date.
    sealed: bool,
    /// Time of the last entry.
    at: DateTime<FixedOffset>,
    /// How many lines the index is known to sum up.
    summed_up: u64,
}

impl AuditLog {
    /// Opens or creates the log in a folder. A missing folder is created with mode 0700; the files have mode
    /// 0600.
    ///
    /// Differences from the head file (lines cut off or added, a line cut by a crash) are recorded in the log
    /// at once, stamped with `at`, and returned, so that the operator can be told. No link is followed.
    ///
    /// # Errors
    ///
    /// The folder cannot be created, the log cannot be opened, locked, read or written, or is not a file.
    pub fn open(folder: &Path, at: DateTime<FixedOffset>) -> Result<(Self, Vec<Gap>), AuditError> {
        make_folder(folder).map_err(|source| AuditError::Folder { path: folder.to_owned(), source })?;
        let path = folder.join(LOG_NAME);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = own_file::open(&mut options, &path).map_err(AuditError::open(&path))?;
        let metadata = file.metadata().map_err(AuditError::read(&path))?;
        keep_private(&file, &metadata).map_err(AuditError::write(&path))?;
        let mut log = Self { path, file, tail: Tail::empty(), sealed: false, at, summed_up: 0 };
        let found = log.locked(|log| log.take_over(at))?;
        Ok((log, found))
    }

    /// The log's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends entries, and removes them from the queue as they are written.
    ///
    /// # Errors
    ///
    /// The log cannot be locked, read or written. Entries left in the queue were not written; another call
    /// continues with them.
    pub fn append(&mut self, entries: &mut VecDeque<Entry>) -> Result<(), AuditError> {
        if entries.is_empty() && self.tail.torn.is_none() && self.sealed {
            return Ok(());
        }
        self.at = entries.front().map_or(self.at, |entry| entry.at);
        let at = self.at;
        self.locked(|log| {
            if let Some(gap) = log.catch_up()? {
                entries.push_front(Entry { at, what: What::Gap(gap) });
            }
            log.write(entries, at, |mut file, bytes| file.write(bytes))
        })
    }

    /// Sums up the next `lines` lines in the index, and seals the sum with a line of this time. `false` if there
    /// are not that many, or if another process writes to log or index.
    ///
    /// The lines are read without holding up other writers: nobody changes them.
    ///
    /// # Errors
    ///
    /// The log or its index cannot be read or written. The log is as whole as before.
    pub(crate) fn seal(&mut self, lines: u64, at: DateTime<FixedOffset>) -> Result<bool, AuditError> {
        if self.tail.lines.saturating_sub(self.summed_up) < lines {
            return Ok(false);
        }
        let read = AuditError::read(&self.path);
        let file = own_file::open(OpenOptions::new().read(true), &self.path).map_err(read)?;
        let index = Index::read(&self.path, &file).map_err(AuditError::read(&self.path))?;
        let from = index.end();
        self.summed_up = from.lines;
        // A process that is started for each request does not read every time what is too little.
        if self.tail.lines.saturating_sub(from.lines) < lines {
            return Ok(false);
        }
        let until = self.tail.head().bytes;
        let segment = Segment::read(&file, &from, index.runs(), lines, until);
        let Some(segment) = segment.map_err(AuditError::read(&self.path))? else { return Ok(false) };
        let (sum, seal) = segment.sealed().map_err(|error| AuditError::write(&self.path)(error.into()))?;
        self.locked(|log| log.write_seal(&index, &sum, seal, at))
    }

    fn write_seal(
        &mut self,
        index: &Index,
        sum: &str,
        seal: Seal,
        at: DateTime<FixedOffset>,
    ) -> Result<bool, AuditError> {
        let size = self.file.metadata().map_err(AuditError::read(&self.path))?.len();
        // Nothing is written behind lines that nobody has looked at yet: the next batch does that.
        if size != self.tail.bytes || self.tail.torn.is_some() || !index.is_current(&self.path) {
            return Ok(false);
        }
        let (sealed_at, lines) = (self.tail.bytes, seal.lines);
        let mut entries = VecDeque::from([Entry { at, what: What::Seal(seal) }]);
        self.write(&mut entries, at, |mut file, bytes| file.write(bytes))?;
        let path = Index::path(&self.path);
        index.append(&self.path, sealed_at, sum).map_err(AuditError::write(&path))?;
        self.summed_up = lines;
        Ok(true)
    }

    /// Waits until everything is on disk.
    ///
    /// # Errors
    ///
    /// The disk failed.
    pub fn sync(&self) -> Result<(), AuditError> {
        self.file.sync_data().map_err(AuditError::write(&self.path))
    }

    fn locked<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, AuditError>) -> Result<T, AuditError> {
        self.file.lock().map_err(AuditError::read(&self.path))?;
        let result = work(self);
        let unlocked = self.file.unlock().map_err(AuditError::read(&self.path));
        result.and_then(|value| unlocked.map(|()| value))
    }

    /// Finds the end of an existing log, and records its defects.
    fn take_over(&mut self, at: DateTime<FixedOffset>) -> Result<Vec<Gap>, AuditError> {
        let (tail, doubt) = self.survey()?;
        let torn = tail
            .torn
            .as_ref()
            .map(|torn| Gap::TornLine { bytes: torn.bytes, before_hash: tail.hash.clone() });
        self.tail = tail;
        // A doubt is on record in the log before the head agrees with the log: a process that is killed in
        // between must not take it along.
        if doubt.is_none() {
            self.settle()?;
        }
        // The batch creates the entry for a torn line itself.
        let mut entries = doubt.iter().map(|gap| Entry { at, what: What::Gap(gap.clone()) }).collect();
        self.write(&mut entries, at, |mut file, bytes| file.write(bytes))?;
        Ok(doubt.into_iter().chain(torn).collect())
    }

    /// The end of the existing log, and its difference from the head.
    fn survey(&self) -> Result<(Tail, Option<Gap>), AuditError> {
        let head = HeadFile::read(&self.path).map_err(AuditError::read(&Head::path(&self.path)))?;
        Tail::survey(&self.file, &head).map_err(AuditError::read(&self.path))
    }

    /// Reads what others have appended. Every artoo process announces each batch in the head, so a difference
    /// comes from another writer, or from a batch that was not completed.
    fn catch_up(&mut self) -> Result<Option<Gap>, AuditError> {
        let is_ours = own_file::is_named(&self.file, &self.path).map_err(AuditError::read(&self.path))?;
        if !is_ours {
            return Err(AuditError::Gone { path: self.path.clone() });
        }
        let size = self.file.metadata().map_err(AuditError::read(&self.path))?.len();
        if size == self.tail.bytes {
            return Ok(None);
        }
        let (tail, doubt) = self.survey()?;
        self.tail = tail;
        Ok(doubt)
    }

    fn write(
        &mut self,
        entries: &mut VecDeque<Entry>,
        at: DateTime<FixedOffset>,
        mut write: impl FnMut(&File, &[u8]) -> io::Result<usize>,
    ) -> Result<(), AuditError> {
        let batch = Batch::new(&self.tail, entries, at);
        self.sealed = false;
        if let Some(head) = batch.head_after(&self.tail) {
            head.announce(&self.path).map_err(AuditError::write(&Head::path(&self.path)))?;
        }
        let (written, failure) = write_tracked(&batch.bytes, |bytes| write(&self.file, bytes));
        entries.drain(..batch.entries_within(written));
        self.tail = batch.tail_after(&self.tail, written);
        // After a failure the announcement stays: it says what is missing, should nobody write on. Even on a
        // full disk, bytes can be replaced by the same number of bytes.
        let settled = self.settle();
        if let Some(source) = failure {
            return Err(AuditError::Write { path: self.path.clone(), source });
        }
        settled?;
        self.sealed = true;
        Ok(())
    }

    /// Records in the head where the log ends.
    fn settle(&self) -> Result<(), AuditError> {
        self.tail.head().settle(&self.path).map_err(AuditError::write(&Head::path(&self.path)))
    }
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(folder)
}

/// Removes group and other permissions from an existing log.
#[cfg(unix)]
fn keep_private(file: &File, metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = metadata.permissions();
    if permissions.mode() & 0o077 == 0 {
        return Ok(());
    }
    permissions.set_mode(0o600);
    file.set_permissions(permissions)
}

#[cfg(not(unix))]
fn keep_private(_file: &File, _metadata: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
