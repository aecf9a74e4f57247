//! Appends to a journal. Only the process that holds the lock does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use super::entry::{encode, salted};
use super::frame::{Frame, HEADER, Header};
use super::read::{Reading, Repair, read};
use super::segment::{FULL_AT, Place};
use super::verify::{Verified, verify};
use super::{Entry, JournalError, Notice, Position, Tail};
use crate::disk::{Disk, DiskFile};

/// Disk space left free when a batch is written: other programs need some, and so does cleaning up.
const RESERVE: u64 = 16 << 20;

/// An encoded entry on its way to disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub(crate) written_at_ms: i64,
    pub(crate) line: Vec<u8>,
}

/// A journal owned by this process, which holds the lock; [`crate::Log`] takes care of the lock and of the
/// queue.
pub struct Journal {
    pub(super) place: Place,
    active: Option<Active>,
    head: Position,
    /// Whether the next segment begins after a break.
    after_break: bool,
    /// Whether everything found at opening is known to be synced.
    settled: bool,
    failed: Option<String>,
}

/// The segment being appended to.
struct Active {
    first: u64,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    identity: u64,
    length: u64,
}

impl Journal {
    /// Opens the journal in a memory's folder, repairs it, and reads the entries after a position.
    ///
    /// # Errors
    /// The journal is of a newer format, or an I/O error; the completed part can be repeated.
    #[expect(clippy::type_complexity, reason = "three plain parts")]
    pub fn open(
        folder: &Path,
        disk: Arc<dyn Disk>,
        from: Position,
    ) -> Result<(Self, Vec<(u64, Entry)>, Vec<Notice>), JournalError> {
        let place = Place::new(disk, folder);
        place.check_formats()?;
        let (journal, reading) = Self::begin(place, from)?;
        Ok((journal, reading.entries, reading.notices))
    }

    /// Opens a journal whose formats were checked.
    pub(crate) fn begin(place: Place, from: Position) -> Result<(Self, Reading), JournalError> {
        let reading = read(&place, from, Repair::Yes)?;
        let after_break = reading.notices.iter().any(|notice| matches!(notice, Notice::Behind { .. }));
        let head = reading.tail.position();
        let mut journal = Self { place, active: None, head, after_break, settled: false, failed: None };
        journal.resume(&reading.tail)?;
        Ok((journal, reading))
    }

    /// Appends entries, syncs them, and returns the position after them. On an error none of them is in the
    /// journal, as far as the disk can be trusted; if it cannot, nothing more is appended.
    ///
    /// # Errors
    /// An I/O error, a full disk, or an entry that is too long.
    pub fn append(&mut self, batch: &[(DateTime<FixedOffset>, Entry)]) -> Result<Position, JournalError> {
        let encoded = |(at, entry): &(DateTime<FixedOffset>, Entry)| {
            Ok(Encoded { written_at_ms: at.timestamp_millis(), line: encode(entry)? })
        };
        self.write(&batch.iter().map(encoded).collect::<Result<Vec<_>, JournalError>>()?)
    }

    pub(crate) fn write(&mut self, batch: &[Encoded]) -> Result<Position, JournalError> {
        self.settle()?;
        let mut head = self.head;
        let mut bytes = Vec::with_capacity(batch.iter().map(|entry| entry.line.len() + 128).sum());
        for entry in batch {
            let payload = salted(&entry.line);
            let frame = Frame::after(&head, entry.written_at_ms, &payload);
            frame.encode(&mut bytes);
            head = frame.position();
        }
        self.check_room(bytes.len() as u64)?;
        let active = self.segment()?;
        let written = active.file.append(&bytes).map_err(JournalError::io("write", &active.path));
        let synced = written.and_then(|()| {
            active.file.sync().map_err(|error| JournalError::Failed {
                reason: format!("{} could not be synced: {error}", active.path.display()),
            })
        });
        if let Err(error) = synced {
            // Bytes after the last complete batch must not stay: the next batch would be written after them.
            let undone = active.file.truncate(active.length).and_then(|()| active.file.sync());
            match (&error, undone) {
                (JournalError::Failed { reason }, _) => self.failed = Some(reason.clone()),
                (_, Err(undone)) => {
                    self.failed =
                        Some(format!("{error}, and what was written could not be taken back: {undone}"));
                }
                (_, Ok(())) => {}
            }
            return Err(error);
        }
        active.length = active.length.saturating_add(bytes.len() as u64);
        self.head = head;
        Ok(head)
    }

    /// Syncs what was found when the journal was opened: its writer may have died before it could. From then
    /// on each batch syncs itself.
    pub(crate) fn settle(&mut self) -> Result<(), JournalError> {
        self.check()?;
        if let Some(active) = self.active.as_ref().filter(|_| !self.settled) {
            let synced = active.file.sync().map_err(JournalError::io("sync", &active.path));
            synced.and_then(|()| self.place.sync_names()).inspect_err(|error| {
                self.failed = Some(error.to_string()); // a second sync may succeed without what the first one lost
            })?;
        }
        self.settled = true;
        Ok(())
    }

    /// The position after the last entry.
    pub fn head(&self) -> Position {
        self.head
    }

    /// Whether appending has stopped, because the content on disk is unknown.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Verifies every checksum, hash and link, without changing anything.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn verify(&self) -> Result<Verified, JournalError> {
        verify(&self.place)
    }

    pub(super) fn check(&self) -> Result<(), JournalError> {
        self.failed.clone().map_or(Ok(()), |reason| Err(JournalError::Failed { reason }))
    }

    /// Appends from now on at the end of a tail.
    fn resume(&mut self, tail: &Tail) -> Result<(), JournalError> {
        self.active = None;
        let Some((first, length)) = tail.segment() else { return Ok(()) };
        self.active = Some(Active::open(&self.place, first, length)?);
        Ok(())
    }

    /// This process's position, to follow further entries.
    pub(crate) fn tail(&self) -> Tail {
        match &self.active {
            Some(active) => Tail::at(active.first, active.identity, active.length, self.head),
            None => Tail::before_first(self.head),
        }
    }

    /// Replaces a segment's file. If that fails, the next batch starts a new segment: the open file may have
    /// lost its name.
    pub(super) fn replace(&mut self, header: Header, frames: &[u8]) -> Result<(), JournalError> {
        let active = self.active.take_if(|active| active.first == header.first).is_some();
        self.place.put(header, frames)?;
        if active {
            let length = (HEADER + frames.len()) as u64;
            self.active = Some(Active::open(&self.place, header.first, length)?);
        }
        Ok(())
    }

    fn check_room(&self, bytes: u64) -> Result<(), JournalError> {
        let path = &self.place.memory;
        let free = self.place.disk.free_bytes(path).map_err(JournalError::io("measure", path))?;
        let needed = bytes.saturating_add(RESERVE);
        if free < needed {
            return Err(JournalError::DiskFull { path: path.clone(), free, needed });
        }
        Ok(())
    }

    /// The segment to append to: a new one if there is none or the last one is full.
    fn segment(&mut self) -> Result<&mut Active, JournalError> {
        if self.active.as_ref().is_none_or(|active| active.length >= FULL_AT) {
            let first = self.head.seq.saturating_add(1);
            // If this fails, the new segment may exist or not, and nothing may be appended to the old one
            // after it.
            self.active = None;
            self.place.put(Header { first, chain: self.head.chain, after_break: self.after_break }, &[])?;
            self.active = Some(Active::open(&self.place, first, HEADER as u64)?);
            self.after_break = false;
        }
        // It exists by now.
        self.active.as_mut().ok_or(JournalError::Failed { reason: "no segment".to_owned() })
    }
}

impl Active {
    fn open(place: &Place, first: u64, length: u64) -> Result<Self, JournalError> {
        let path = place.segment(first);
        let file = place.disk.open(&path).map_err(JournalError::io("open", &path))?;
        let stat = place.disk.stat(&path).map_err(JournalError::io("look at", &path))?;
        Ok(Self { first, path, file, identity: stat.map_or(0, |stat| stat.identity), length })
    }
}
