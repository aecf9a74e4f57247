//! `Disk`: file system abstraction, so that tests can inject failures.

use std::ffi::OsString;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

/// Folders and names. Created entries are accessible only to their owner.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Creates a new, empty file; an existing one is an error.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file for reading and appending.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file for reading only, which works on a read-only disk.
    fn open_to_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Renames a file, replacing an existing one.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// The names in a folder, sorted.
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>>;
    /// Creates a folder and its missing parents.
    fn make_folder(&self, folder: &Path) -> io::Result<()>;
    /// Syncs a folder's entries to the disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// The bytes free for writing at this path.
    fn free_bytes(&self, path: &Path) -> io::Result<u64>;
    /// What the name refers to now; `None` if there is no such file.
    fn stat(&self, path: &Path) -> io::Result<Option<Stat>>;
    /// Takes the lock represented by a file, which is created if missing; `None` while another process or
    /// holder has it. An error means that locks are not supported.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>>;
}

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Identifies the file: another file under the same name has another identity.
    pub identity: u64,
    /// Its length in bytes.
    pub len: u64,
}

/// A lock, held until it is dropped, or until its process ends in any way.
pub trait Lock: Send + Sync + fmt::Debug {}

/// An open file.
#[expect(clippy::len_without_is_empty, reason = "a file is a place to write, not a collection")]
pub trait DiskFile: Send + Sync {
    /// Appends to the file. After an error a part may be written.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;
    /// Reads at most as many bytes as fit, from an offset; 0 at the end.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Its length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Truncates it to a length.
    fn truncate(&self, length: u64) -> io::Result<()>;
    /// Syncs its content and length to the disk.
    fn sync(&self) -> io::Result<()>;
}

/// The machine's own file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

/// The content of a regular file, as [`regular`] opens it.
pub(crate) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    regular(OpenOptions::new().read(true), path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file with these options. Whatever else lies in its place is refused, and never waited for.
pub(crate) fn regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = at_once(options, path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

/// Opens what is there without waiting for it: a pipe would block until somebody writes to it.
fn at_once(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    options.custom_flags(flags).open(path)
}

fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")
}

impl Disk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true).mode(0o600);
        Ok(Box::new(RealFile(options.open(path)?)))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(RealFile(regular(OpenOptions::new().read(true).append(true), path)?)))
    }

    fn open_to_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = at_once(OpenOptions::new().read(true), path)?;
        // Of a folder the store asks for no more than its length.
        let found = file.metadata()?;
        if found.is_file() || found.is_dir() { Ok(Box::new(RealFile(file))) } else { Err(no_file()) }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let names: io::Result<Vec<_>> =
            std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name())).collect();
        names.map(|mut names| {
            names.sort();
            names
        })
    }

    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        let found = rustix::fs::statvfs(path)?;
        Ok(found.f_bavail.saturating_mul(found.f_frsize))
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        match std::fs::metadata(path) {
            Ok(found) => Ok(Some(Stat { identity: found.ino(), len: found.len() })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Box::new(RealLock(file)))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// A file is locked as long as it is open.
#[derive(Debug)]
struct RealLock(#[expect(dead_code, reason = "held, never read")] File);

impl Lock for RealLock {}

struct RealFile(File);

impl DiskFile for RealFile {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(into, offset)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }
}
