//! Content-addressed store of file contents.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::anchored::look_at;
use super::pieces::{copy, hash};
use super::state::State;

/// Hexadecimal digits of a SHA-256.
const DIGITS: usize = 64;

/// The id of a file's content: the SHA-256 of its bytes, in hexadecimal; for a file with holes also a dash
/// and the SHA-256 of its data ranges. It names a file of the store, so no other form is accepted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct ContentId(String);

impl ContentId {
    pub(super) fn of(bytes: Sha256, data: Option<Sha256>) -> Self {
        let bytes = hex::encode(bytes.finalize());
        Self(data.map_or(bytes.clone(), |data| format!("{bytes}-{}", hex::encode(data.finalize()))))
    }

    /// Whether the bytes are the same, regardless of holes.
    pub(crate) fn has_bytes_of(&self, other: &Self) -> bool {
        self.0.get(..DIGITS) == other.0.get(..DIGITS)
    }
}

impl TryFrom<String> for ContentId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_hash = |part: &str| {
            part.len() == DIGITS && part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        let fits = match text.split_once('-') {
            Some((bytes, data)) => is_hash(bytes) && is_hash(data),
            None => is_hash(&text),
        };
        if fits {
            Ok(Self(text))
        } else {
            Err("a content is named by 64 hexadecimal digits, or twice as many")
        }
    }
}

impl From<ContentId> for String {
    fn from(id: ContentId) -> Self {
        id.0
    }
}

/// A folder of contents.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    /// Whether the file system shares blocks between files; known after the first attempt.
    clones: Option<bool>,
    parts: u64,
}

impl Store {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, clones: None, parts: 0 }
    }

    /// Keeps the content of a file whose state was `seen`.
    ///
    /// Returns `None` if its state differs afterwards: it changed while it was read.
    pub(super) fn keep(&mut self, source: &mut File, seen: &State) -> io::Result<Option<ContentId>> {
        if self.parts == 0 {
            DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        }
        self.parts += 1;
        let part = self.folder.join(format!(".part-{}", self.parts));
        let kept = self.copy_in(source, &part);
        let (Ok(id), true) = (&kept, look_at(&*source)? == *seen) else {
            // If this fails, the remains are among the run's own files.
            let _ = fs::remove_file(&part);
            return kept.map(|_| None);
        };
        // Replacing is harmless: a file with this name has the same bytes.
        fs::rename(&part, self.folder.join(&id.0))?;
        Ok(Some(id.clone()))
    }

    fn copy_in(&mut self, source: &mut File, part: &PathBuf) -> io::Result<ContentId> {
        let mut options = OpenOptions::new();
        let mut target = options.read(true).write(true).create(true).truncate(true).mode(0o600).open(part)?;
        if self.clones != Some(false) {
            let cloned = clone_blocks(source, &target);
            self.clones = Some(cloned);
            if cloned {
                return hash(&mut target);
            }
        }
        copy(source, &target)
    }

    /// The file of a kept content.
    pub(super) fn place_of(&self, id: &ContentId) -> PathBuf {
        self.folder.join(&id.0)
    }

    /// Opens a kept content after checking it against its id.
    pub(super) fn open(&self, id: &ContentId) -> io::Result<File> {
        let mut file = File::open(self.place_of(id))?;
        // Its holes may differ if the store is on another file system.
        if hash(&mut file)?.has_bytes_of(id) {
            Ok(file)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidData, "the kept content was altered"))
        }
    }
}

/// The hexadecimal SHA-256 of some bytes.
pub(crate) fn id_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Makes `target` share the blocks of `source`, if the file system supports it.
#[cfg(target_os = "linux")]
pub(crate) fn clone_blocks(source: &File, target: &File) -> bool {
    rustix::fs::ioctl_ficlone(target, source).is_ok()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn clone_blocks(_: &File, _: &File) -> bool {
    false
}
