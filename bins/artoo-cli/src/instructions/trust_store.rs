//! Stored trust decisions about `AGENTS.md` files, by content hash, and the files that runs wrote, by path.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use artoo_anchored_files::read_regular;
use sha2::{Digest, Sha256};

use super::file::Found;
use crate::machine::{make_private, private_file};

/// The folder of the decisions. One file each, so that concurrent runs do not conflict.
pub(super) struct Answers {
    folder: PathBuf,
}

/// Content of a decision to follow the file.
const FOLLOW: &[u8] = b"follow\n";
/// Content of a decision to ignore the file.
const LEAVE: &[u8] = b"leave\n";
/// No decision is longer.
const LONGEST: u64 = 64;

impl Answers {
    /// The decisions in a data folder.
    pub(super) fn of(data_dir: &Path) -> Self {
        Self { folder: data_dir.join("instructions") }
    }

    /// The decision about a text. An unreadable file counts as none.
    pub(super) fn to(&self, text: &str) -> Option<bool> {
        match read_regular(&self.answer(text), LONGEST).ok()?.as_slice() {
            FOLLOW => Some(true),
            LEAVE => Some(false),
            _ => None,
        }
    }

    /// Stores a decision. A yes also clears the mark that a run wrote the
    /// file, so the user is not asked again.
    pub(super) fn keep(&self, found: &Found, follow: bool) -> io::Result<()> {
        make_private(&self.folder)?;
        private_file(&self.answer(&found.text), if follow { FOLLOW } else { LEAVE })?;
        if follow {
            for path in names(&found.path) {
                match fs::remove_file(self.mark(&path)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    Ok(()) | Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Marks a file as written by a run.
    pub(super) fn written(&self, path: &Path) -> io::Result<()> {
        make_private(&self.folder)?;
        private_file(&self.mark(path), format!("{}\n", path.display()).as_bytes())
    }

    /// Whether a run wrote the file.
    pub(super) fn was_written(&self, path: &Path) -> bool {
        names(path).iter().any(|path| self.mark(path).exists())
    }

    fn answer(&self, text: &str) -> PathBuf {
        self.folder.join(hash(text.as_bytes()))
    }

    fn mark(&self, path: &Path) -> PathBuf {
        self.folder.join(format!("written-{}", hash(path.as_os_str().as_bytes())))
    }
}

/// The path as given and its canonical form: a run may have written the file by either.
fn names(path: &Path) -> Vec<PathBuf> {
    [Some(path.to_owned()), path.canonicalize().ok()].into_iter().flatten().collect()
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
