//! The file system as a check sees it.

use std::{
    fs,
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
};

use chrono::{DateTime, FixedOffset, Utc};

/// The most bytes of a file that a check reads.
const MAX_FILE: u64 = 8 * 1024 * 1024;

/// Where paths in checks lie, and when the run began.
#[derive(Clone, Debug)]
pub struct World {
    working_folder: PathBuf,
    home: PathBuf,
    run_started: DateTime<FixedOffset>,
}

impl World {
    /// Relative paths lie in `working_folder`, `~` is `home`, and "newer" means changed after `run_started`.
    pub fn new(
        working_folder: impl Into<PathBuf>,
        home: impl Into<PathBuf>,
        run_started: DateTime<FixedOffset>,
    ) -> Self {
        Self { working_folder: working_folder.into(), home: home.into(), run_started }
    }

    /// The absolute path that `path` means.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        let mut components = path.components();
        match components.next() {
            Some(Component::Normal(first)) if first == "~" => self.home.join(components.as_path()),
            _ => self.working_folder.join(path),
        }
    }

    /// The beginning of a text file, at most `bytes` long, for a reader; `None` where there is none to show.
    pub fn head(&self, path: &Path, bytes: usize) -> Option<String> {
        let text = self.read(path).ok()?;
        let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end))?;
        text.get(..end).map(str::to_owned)
    }

    /// Whether something was there at this time, without following a last link.
    pub(crate) fn exists(&self, path: &Path) -> Result<bool, io::Error> {
        match fs::symlink_metadata(self.resolve(path)) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a file was changed after the run began. File systems keep times in ticks, so the very second of the start
    /// counts as after it.
    pub(crate) fn newer(&self, path: &Path) -> Result<bool, io::Error> {
        let changed: DateTime<Utc> = fs::metadata(self.resolve(path))?.modified()?.into();
        Ok(changed.timestamp() >= self.run_started.timestamp())
    }

    /// The text of a regular file, made valid UTF-8, up to 8 MiB.
    pub(crate) fn read(&self, path: &Path) -> Result<String, io::Error> {
        let path = self.resolve(path);
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let mut bytes = Vec::new();
        fs::File::open(&path)?.take(MAX_FILE).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
