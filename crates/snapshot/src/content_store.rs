//! Content-addressed store of file contents.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use artoo_anchored_files::{ContentId, State, clone_blocks, copy, hash, look_at};

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
        fs::rename(&part, self.folder.join(id.as_str()))?;
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
        self.folder.join(id.as_str())
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
