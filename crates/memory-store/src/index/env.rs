//! The engine's file system environment: syncs what is reported as written, checks what is read, and lets no
//! failure pass.
//!
//! The engine swallows errors: a compaction that cannot write drops its inputs all the same, and an
//! unreadable block is skipped and then deleted. So a failure here does not return into the engine. It
//! unwinds past everything that the engine would do next, and is caught at the call into the engine
//! ([`super::guard`]). `resume_unwind` prints nothing.

use std::cell::Cell;
use std::io::{self, Cursor, Read, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusty_leveldb::env::{Env, FileLock, Logger, RandomAccess};
use rusty_leveldb::{Result, Status, StatusCode};

use super::error::{Damage, IndexError};
use super::file_check::{self, FOOTER, TRAILER};
use crate::disk::{Disk, DiskFile};

/// A log is closed at 4 MiB and the batch that crosses that, and a manifest is far shorter. A longer file was
/// not written by the engine.
const LONGEST_LOG: u64 = 64 * 1024 * 1024;

/// See the module.
pub(super) struct DurableEnv {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    started: Instant,
    exit: Exit,
}

/// The exit from the engine. It is taken once; file operations while the engine is dropped have no effect.
#[derive(Clone, Default)]
struct Exit(Rc<Cell<bool>>);

impl Exit {
    /// Aborts the engine's operation, with this reason.
    fn leave(&self, error: IndexError) -> Status {
        if self.0.replace(true) || std::thread::panicking() {
            return Status::new(StatusCode::IOError, &error.to_string());
        }
        resume_unwind(Box::new(error))
    }

    fn is_taken(&self) -> bool {
        self.0.get()
    }
}

impl DurableEnv {
    pub(super) fn new(disk: Arc<dyn Disk>, folder: PathBuf) -> Self {
        Self { disk, folder, started: Instant::now(), exit: Exit::default() }
    }

    fn damaged(&self, path: &Path, reason: &'static str) -> Status {
        self.exit.leave(damaged(&self.folder, path, reason))
    }

    fn try_to<T>(&self, doing: &'static str, path: &Path, result: io::Result<T>) -> Result<T> {
        result.map_err(|source| self.exit.leave(IndexError::File { path: path.to_owned(), doing, source }))
    }

    fn open_to_read(&self, path: &Path) -> Result<Box<dyn DiskFile>> {
        // Opening a pipe would block forever.
        if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(self.damaged(path, "it is no file"));
        }
        self.try_to("opened", path, self.disk.open_to_read(path))
    }

    fn create(&self, path: &Path) -> Result<Box<dyn Write>> {
        match self.disk.remove(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return self.try_to("removed", path, Err(error));
            }
            Ok(()) | Err(_) => {}
        }
        let file = self.try_to("created", path, self.disk.create(path))?;
        let folder = Some((Arc::clone(&self.disk), self.folder.clone()));
        Ok(Box::new(SyncedFile { file, path: path.to_owned(), folder, exit: self.exit.clone() }))
    }

    /// The intact part of a log. Only the newest may be torn: it was being written when the machine stopped.
    /// A torn log followed by others means that something is missing in the middle.
    fn log(&self, path: &Path, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let whole = file_check::whole_records(&bytes);
        let number = log_number(path);
        let newer = |name: &PathBuf| log_number(name) > number;
        if whole < bytes.len() && self.children(&self.folder)?.iter().any(newer) {
            return Err(self.damaged(path, "a record is damaged, and newer logs follow it"));
        }
        bytes.truncate(whole);
        Ok(bytes)
    }
}

impl Env for DurableEnv {
    fn open_sequential_file(&self, path: &Path) -> Result<Box<dyn Read>> {
        // The engine uses this to detect a new folder, which it is only allowed to assume if the folder is
        // empty.
        if path.ends_with("CURRENT") && !self.exists(path)? {
            return Err(Status::new(StatusCode::NotFound, "CURRENT"));
        }
        let file = self.open_to_read(path)?;
        let length = self.try_to("measured", path, file.len())?;
        if length > LONGEST_LOG {
            return Err(self.damaged(path, "it is too long"));
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        self.try_to("read", path, read_exactly(file.as_ref(), &mut bytes, 0))?;
        let name = path.file_name().unwrap_or_default();
        if log_number(path).is_some() {
            bytes = self.log(path, bytes)?;
        } else if name == "CURRENT" && !file_check::is_current(&bytes) {
            return Err(self.damaged(path, "it names no list of tables"));
        } else if name != "CURRENT" && !file_check::is_manifest(&bytes) {
            return Err(self.damaged(path, "it is no whole list of tables"));
        }
        Ok(Box::new(Cursor::new(bytes)))
    }

    fn open_random_access_file(&self, path: &Path) -> Result<Box<dyn RandomAccess>> {
        let file = self.open_to_read(path)?;
        let length = self.try_to("measured", path, file.len())?;
        let length = usize::try_from(length).unwrap_or_default();
        let (path, folder, exit) = (path.to_owned(), self.folder.clone(), self.exit.clone());
        Ok(Box::new(CheckedTable { file, length, path, folder, exit }))
    }

    fn open_writable_file(&self, path: &Path) -> Result<Box<dyn Write>> {
        self.create(path)
    }

    fn open_appendable_file(&self, path: &Path) -> Result<Box<dyn Write>> {
        // Only requested to reuse logs or manifests, which is disabled.
        Err(self.damaged(path, "it is to be appended to"))
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        let found = self.try_to("looked at", path, self.disk.stat(path))?;
        Ok(found.is_some())
    }

    fn children(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let names = self.try_to("listed", folder, self.disk.list(folder))?;
        // The engine panics on names that are not UTF-8, and creates none.
        Ok(names.into_iter().filter(|name| name.to_str().is_some()).map(PathBuf::from).collect())
    }

    fn size_of(&self, path: &Path) -> Result<usize> {
        let file = self.open_to_read(path)?;
        let length = self.try_to("measured", path, file.len())?;
        let length = usize::try_from(length).unwrap_or_default();
        if length < FOOTER && path.extension().is_some_and(|end| end == "ldb") {
            return Err(self.damaged(path, "it is too short"));
        }
        Ok(length)
    }

    fn delete(&self, path: &Path) -> Result<()> {
        // A failed deletion is retried at the next open.
        Ok(self.disk.remove(path)?)
    }

    fn mkdir(&self, path: &Path) -> Result<()> {
        self.try_to("made", path, self.disk.make_folder(path))
    }

    fn rmdir(&self, path: &Path) -> Result<()> {
        Err(self.damaged(path, "it is to be removed with all that is in it"))
    }

    /// Replaces `CURRENT`: its content is synced before its name.
    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.try_to("synced", from, self.disk.open(from).and_then(|file| file.sync()))?;
        self.try_to("renamed", from, self.disk.rename(from, to))?;
        self.try_to("synced", &self.folder, self.disk.sync_folder(&self.folder))
    }

    // The lock is taken before the engine starts, and held until it is gone.
    fn lock(&self, path: &Path) -> Result<FileLock> {
        Ok(FileLock { id: path.display().to_string() })
    }

    fn unlock(&self, _: FileLock) -> Result<()> {
        Ok(())
    }

    fn new_logger(&self, _: &Path) -> Result<Logger> {
        Ok(Logger::new(Box::new(io::sink())))
    }

    fn micros(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn sleep_for(&self, micros: u32) {
        std::thread::sleep(Duration::from_micros(micros.into()));
    }
}

fn damaged(folder: &Path, path: &Path, reason: &'static str) -> IndexError {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    IndexError::Damaged { folder: folder.to_owned(), damage: Damage::File { name, reason } }
}

fn log_number(path: &Path) -> Option<u64> {
    path.to_str()?.rsplit('/').next()?.strip_suffix(".log")?.parse().ok()
}

fn read_exactly(file: &dyn DiskFile, mut into: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !into.is_empty() {
        match file.read_at(into, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                offset += read as u64;
                into = into.get_mut(read..).unwrap_or_default();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A new file. The engine flushes where the original syncs.
struct SyncedFile {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    /// The folder, until the file's name in it is synced.
    folder: Option<(Arc<dyn Disk>, PathBuf)>,
    exit: Exit,
}

impl SyncedFile {
    fn try_to(&self, doing: &'static str, work: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let result = if self.exit.is_taken() { Err(io::ErrorKind::BrokenPipe.into()) } else { work() };
        result.map_err(|source| {
            let status = self.exit.leave(IndexError::File { path: self.path.clone(), doing, source });
            io::Error::other(status)
        })
    }
}

impl Write for SyncedFile {
    /// All or nothing: the engine takes a short write for a complete one.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.try_to("written", || self.file.append(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.try_to("synced", || self.file.sync())?;
        match self.folder.take() {
            Some((disk, folder)) => self.try_to("synced", || disk.sync_folder(&folder)),
            None => Ok(()),
        }
    }
}

/// A table file whose reads are all checked.
struct CheckedTable {
    file: Box<dyn DiskFile>,
    length: usize,
    path: PathBuf,
    folder: PathBuf,
    exit: Exit,
}

impl CheckedTable {
    /// A table is read in three ways: its footer, a block with its trailer, and the filter, which is a block
    /// without its trailer.
    fn read(&self, offset: usize, into: &mut [u8]) -> std::result::Result<(), IndexError> {
        let end = offset.checked_add(into.len()).filter(|end| *end <= self.length);
        let end = end.ok_or_else(|| damaged(&self.folder, &self.path, "a block lies outside of it"))?;
        let file = |source| IndexError::File { path: self.path.clone(), doing: "read", source };
        read_exactly(self.file.as_ref(), into, offset as u64).map_err(file)?;
        if file_check::is_block(into) || (end == self.length && file_check::is_footer(into, self.length)) {
            return Ok(());
        }
        let mut with_trailer = into.to_vec();
        with_trailer.resize(into.len() + TRAILER, 0);
        let (_, trailer) = with_trailer.split_at_mut(into.len());
        let followed = read_exactly(self.file.as_ref(), trailer, end as u64).is_ok();
        if followed && file_check::is_block(&with_trailer) {
            return Ok(());
        }
        Err(damaged(&self.folder, &self.path, "a block does not go with its checksum"))
    }
}

impl RandomAccess for CheckedTable {
    fn read_at(&self, offset: usize, into: &mut [u8]) -> Result<usize> {
        self.read(offset, into).map_err(|error| self.exit.leave(error))?;
        Ok(into.len())
    }
}
