//! The folder for temporary files that one server has for itself.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

use crate::ServerName;

const PREFIX: &str = "mcp-";

/// A folder that is removed with its server. It is locked meanwhile, so that a later start removes what a killed artoo has left.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    folder: TempDir,
    _lock: File,
}

impl OwnFolder {
    /// Makes one below `all`, and removes those there that nobody holds.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn create(all: &Path, server: &ServerName) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(all)?;
        // Nobody else looks at a folder that is made and not locked yet.
        let whole = File::open(all)?;
        flock(&whole, FlockOperation::LockExclusive)?;
        remove_left(all)?;
        let folder = tempfile::Builder::new().prefix(&format!("{PREFIX}{server}-")).tempdir_in(all)?;
        let lock = File::open(folder.path())?;
        flock(&lock, FlockOperation::LockExclusive)?;
        Ok(Self { folder, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn remove_left(all: &Path) -> io::Result<()> {
    for entry in fs::read_dir(all)?.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_ours {
            continue;
        }
        let Ok(folder) = File::open(entry.path()) else { continue };
        if flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok()
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::debug!(path = %entry.path().display(), %error, "what a killed server has left stays");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed() {
        let all = tempfile::tempdir().unwrap();
        let left = all.path().join("mcp-notes-old");
        fs::create_dir_all(left.join("below")).unwrap();
        fs::create_dir(all.path().join("other")).unwrap();
        let name: ServerName = "notes".parse().unwrap();
        let first = OwnFolder::create(all.path(), &name).unwrap();
        assert!(!left.exists() && all.path().join("other").exists());
        let second = OwnFolder::create(all.path(), &name).unwrap();
        assert!(first.path().exists() && second.path().exists());
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }
}
