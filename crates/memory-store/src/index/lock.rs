//! The index lock: one opener at a time, in any program.

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

/// The folders that this process has locked, by device and inode. An `fcntl` lock belongs to the process and
/// is lost as soon as the process closes *any* handle of the file, so a second opener must be stopped before
/// it opens it.
static TAKEN: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());

/// The lock on a LevelDB folder, of both kinds: `rusty-leveldb` uses `flock`, the C++ tools `fcntl`. Released
/// on drop.
pub(super) struct Lock {
    flock: Option<Box<dyn disk::Lock>>,
    fcntl: Option<File>,
    folder: Option<(u64, u64)>,
}

impl Lock {
    /// Takes the lock of a folder, which must exist.
    pub(super) fn take(folder: &Path, disk: &dyn Disk) -> Result<Self, IndexError> {
        let path = folder.join("LOCK");
        let locked = || IndexError::Locked { folder: folder.to_owned() };
        let failed = |source| IndexError::File { path: path.clone(), doing: "locked", source };
        // Opening a pipe would block forever.
        if std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            let damage = Damage::File { name: "LOCK".to_owned(), reason: "it is no file" };
            return Err(IndexError::Damaged { folder: folder.to_owned(), damage });
        }
        let mut lock = Self { flock: None, fcntl: None, folder: None };
        // A simulated disk is not shared with other programs.
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
        // First, or the next holder's lock would be released with it.
        self.fcntl = None;
        self.flock = None;
        if let Some(identity) = self.folder {
            TAKEN.lock().unwrap_or_else(PoisonError::into_inner).remove(&identity);
        }
    }
}

/// `None` if another process has it.
fn take_fcntl(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().write(true).open(path)?;
    match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
