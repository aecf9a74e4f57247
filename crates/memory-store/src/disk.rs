//! The file system as the store needs it, so that tests can put a failing one in its place.

use std::ffi::OsString;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Folders and names. What is made is its owner's alone.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Makes a new, empty file; one that is there already is an error.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file to read it and to append to it.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file to read it only, which a read-only disk allows.
    fn open_to_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Gives a file another name, in place of what bore it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// The names in a folder, sorted.
    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>>;
    /// Makes a folder and those above it, where they are not there.
    fn make_folder(&self, folder: &Path) -> io::Result<()>;
    /// Gets the names in a folder onto the disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// The bytes that may still be written where this path is.
    fn free_bytes(&self, path: &Path) -> io::Result<u64>;
    /// What is behind a name now; nothing, where there is no such file.
    fn stat(&self, path: &Path) -> io::Result<Option<Stat>>;
    /// Takes the lock that a file stands for, made where it is not there; nothing, while another process or
    /// another taker has it. An error says that there are no locks here.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn Lock>>>;
}

/// What is behind a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Which file: another one under the same name has another identity.
    pub identity: u64,
    /// How long it is, in bytes.
    pub len: u64,
}

/// A lock, held until it is dropped, or its process ends in whatever way.
pub trait Lock: Send + Sync + fmt::Debug {}

/// An open file.
#[expect(clippy::len_without_is_empty, reason = "a file is a place to write, not a collection")]
pub trait DiskFile: Send + Sync {
    /// Writes at the end. On an error a part may be written.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;
    /// Reads up to as much as fits from an offset; 0 at the end.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;
    /// How long it is, in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Cuts it to a length.
    fn truncate(&self, length: u64) -> io::Result<()>;
    /// Gets its content and its length onto the disk.
    fn sync(&self) -> io::Result<()>;
}

/// The machine's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true).mode(0o600);
        Ok(Box::new(RealFile(options.open(path)?)))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(RealFile(OpenOptions::new().read(true).append(true).open(path)?)))
    }

    fn open_to_read(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(RealFile(File::open(path)?)))
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
