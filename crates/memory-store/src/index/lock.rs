//! Who may open the index: one at a time, whatever program.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;

use super::error::{Damage, IndexError};
use crate::disk::{self, Disk};

/// The folders that this process has locked, by device and inode. A lock of `fcntl` belongs to the process
/// and is lost as soon as the process closes *any* handle of the file, so a second opener must not get as far
/// as to open it.
static TAKEN: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());

/// The lock on a LevelDB folder, of both kinds: `rusty-leveldb` looks for that of `flock`, the C++ tools for
/// that of `fcntl`. Dropping it gives it back.
pub(super) struct Lock {
    flock: Option<Box<dyn disk::Lock>>,
    fcntl: Option<File>,
    folder: Option<(u64, u64)>,
}

impl Lock {
    /// Takes the lock of a folder, which must be there.
    pub(super) fn take(folder: &Path, disk: &dyn Disk) -> Result<Self, IndexError> {
        let path = folder.join("LOCK");
        let locked = || IndexError::Locked { folder: folder.to_owned() };
        let failed = |source| IndexError::File { path: path.clone(), doing: "locked", source };
        // Opening a pipe would wait for ever.
        if std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            let damage = Damage::File { name: "LOCK".to_owned(), reason: "it is no file" };
            return Err(IndexError::Damaged { folder: folder.to_owned(), damage });
        }
        let mut lock = Self { flock: None, fcntl: None, folder: None };
        // A disk that is not the machine's has no other programs.
        let real = std::fs::metadata(folder).ok().map(|found| (found.dev(), found.ino()));
        if let Some(identity) = real {
            if !TAKEN.lock().unwrap_or_else(PoisonError::into_inner).insert(identity) {
                return Err(locked());
            }
            lock.folder = real;
        }
        lock.flock = Some(disk.try_lock(&path).map_err(failed)?.ok_or_else(locked)?);
        if real.is_some() {
            lock.fcntl = take_fcntl(&path).map_err(failed)?;
            lock.fcntl.as_ref().ok_or_else(locked)?;
        }
        Ok(lock)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // First, or the next one's lock would go with them.
        self.fcntl = None;
        self.flock = None;
        if let Some(identity) = self.folder {
            TAKEN.lock().unwrap_or_else(PoisonError::into_inner).remove(&identity);
        }
    }
}

/// Nothing, where another process has it.
fn take_fcntl(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().write(true).open(path)?;
    match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
