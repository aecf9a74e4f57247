//! What the person said of files, by the hash of what they say; and which files a run wrote, by their paths.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::file::Found;
use crate::machine::{make_private, private_file};

/// The folder of the answers: a file each, so that runs at once do not get in each other's way.
pub(super) struct Answers {
    folder: PathBuf,
}

/// The answer yes.
const FOLLOW: &[u8] = b"follow\n";
/// The answer no.
const LEAVE: &[u8] = b"leave\n";

impl Answers {
    /// Those of a data folder.
    pub(super) fn of(data_dir: &Path) -> Self {
        Self { folder: data_dir.join("instructions") }
    }

    /// What was said of a text. What cannot be read is no answer.
    pub(super) fn to(&self, text: &str) -> Option<bool> {
        match fs::read(self.answer(text)).ok()?.as_slice() {
            FOLLOW => Some(true),
            LEAVE => Some(false),
            _ => None,
        }
    }

    /// Keeps an answer. A yes makes the file the person's: it is not asked about again because a run once wrote it.
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

    /// Remembers that a run wrote a file.
    pub(super) fn written(&self, path: &Path) -> io::Result<()> {
        make_private(&self.folder)?;
        private_file(&self.mark(path), format!("{}\n", path.display()).as_bytes())
    }

    /// Whether a run wrote it.
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

/// A file's path as it is given, and its real one: a run may have written it by either.
fn names(path: &Path) -> Vec<PathBuf> {
    [Some(path.to_owned()), path.canonicalize().ok()].into_iter().flatten().collect()
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
