//! The file of an incomplete download.
//!
//! All sources have the same bytes, so one can continue where another stopped.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::error::StoreError;
use super::pull::{Phase, Progress};

/// Minimum free disk space to leave.
const MARGIN: u64 = 64 << 20;

/// A file that grows to a known size.
pub(crate) struct Gathering<'a> {
    file: File,
    path: PathBuf,
    length: u64,
    /// Bytes that were told: also those that are on the disk and not yet in the file.
    told: u64,
    size: u64,
    pub(crate) cancel: &'a CancellationToken,
    progress: &'a mut (dyn FnMut(Progress) + Send),
}

impl<'a> Gathering<'a> {
    /// Opens or creates the file; fails early if the rest will not fit on the disk.
    pub(crate) fn open(
        path: PathBuf,
        size: u64,
        cancel: &'a CancellationToken,
        progress: &'a mut (dyn FnMut(Progress) + Send),
    ) -> Result<Self, StoreError> {
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = opened.map_err(StoreError::io("write", &path))?;
        let length = file.metadata().map_err(StoreError::io("look at", &path))?.len();
        let mut gathering = Self { file, path, length, told: length, size, cancel, progress };
        if length > size {
            gathering.cut(0)?;
        }
        gathering.tell();
        let needed = size - gathering.length + MARGIN;
        let folder = gathering.path.parent().unwrap_or(Path::new("."));
        match free(folder) {
            Some(free) if free < needed => {
                Err(StoreError::DiskFull { folder: folder.to_owned(), free, needed })
            }
            Some(_) | None => Ok(gathering),
        }
    }

    /// Bytes received.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// The final size.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether all bytes are there.
    pub(crate) fn is_complete(&self) -> bool {
        self.length == self.size
    }

    /// Truncates the file to `length`.
    pub(crate) fn cut(&mut self, length: u64) -> Result<(), StoreError> {
        let length = length.min(self.length);
        self.file.set_len(length).map_err(StoreError::io("cut", &self.path))?;
        (self.length, self.told) = (length, length);
        Ok(())
    }

    /// Tells of bytes that are on the disk and not yet in the file.
    pub(crate) fn arrives(&mut self, beside: u64) {
        self.told = self.told.max(self.length.saturating_add(beside).min(self.size));
        self.tell();
    }

    /// Appends bytes. More than the final size is an error of the source.
    pub(crate) fn push(&mut self, bytes: &[u8], source: &str) -> Result<(), StoreError> {
        if self.length + bytes.len() as u64 > self.size {
            let problem = format!("it has more than {} bytes", self.size);
            self.cut(0)?;
            return Err(StoreError::WrongBytes { origin: source.to_owned(), problem });
        }
        let written = self.file.seek(SeekFrom::Start(self.length)).and_then(|_| self.file.write_all(bytes));
        written.map_err(StoreError::io("write", &self.path))?;
        self.length += bytes.len() as u64;
        self.told = self.told.max(self.length);
        self.tell();
        self.stop_if_cancelled()
    }

    /// Fails if the user cancelled.
    pub(crate) fn stop_if_cancelled(&self) -> Result<(), StoreError> {
        if self.cancel.is_cancelled() { Err(StoreError::Cancelled { bytes: self.length }) } else { Ok(()) }
    }

    /// Syncs the file to the disk, then checks its hash.
    pub(crate) fn verify(&mut self, sha256: &str, source: &str) -> Result<(), StoreError> {
        self.file.sync_all().map_err(StoreError::io("write", &self.path))?;
        let size = self.size;
        let progress = &mut *self.progress;
        let found = super::folder::hash(&self.path, self.cancel, &mut |done| {
            progress(Progress { phase: Phase::Verifying, done, total: size });
        })?;
        if found == sha256 {
            return Ok(());
        }
        // The wrong byte cannot be located, so everything is dropped.
        self.cut(0)?;
        let problem = format!("its SHA-256 is {found} instead of {sha256}");
        Err(StoreError::WrongBytes { origin: source.to_owned(), problem })
    }

    fn tell(&mut self) {
        (self.progress)(Progress { phase: Phase::Fetching, done: self.told, total: self.size });
    }
}

/// Bytes free for this user, if the system reports them.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    stat.f_bavail.checked_mul(stat.f_frsize)
}

/// Bytes free for this user, if the system reports them.
#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}
