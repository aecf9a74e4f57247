//! `ModelStore`: the folder of model files, and the state of each model in it.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::catalogue::CatalogueEntry;
use super::error::StoreError;

/// Bytes hashed between two cancellation checks.
const CHUNK: usize = 1 << 20;

/// The folder of model files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelStore {
    folder: PathBuf,
}

/// The state of a model in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelState {
    /// No file.
    Absent,
    /// An incomplete download, which the next pull continues.
    Partial {
        /// Bytes received.
        bytes: u64,
    },
    /// Complete, with the right hash.
    Installed {
        /// The file.
        path: PathBuf,
    },
    /// A file of its name with the wrong content.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Length or hash, expected and found.
        problem: String,
    },
}

/// Marker of a verified file, stored beside it so that a start need not read a gigabyte.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Verified {
    sha256: String,
    size: u64,
    modified_ns: String,
}

impl ModelStore {
    /// The store in `folder`, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of the model's file, which need not exist.
    pub fn path(&self, entry: &CatalogueEntry) -> PathBuf {
        self.folder.join(entry.file)
    }

    /// The folder of this model's prefix states:
    /// [`LocalOptions::prefix_folder`](crate::LocalOptions::prefix_folder).
    pub fn prefixes(&self, entry: &CatalogueEntry) -> PathBuf {
        self.folder.join(format!("{}.prefixes", entry.file))
    }

    /// The state of a model.
    ///
    /// The file is hashed only if it is new or changed: seconds the first time, microseconds later.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`] if the folder cannot be read.
    pub fn state(&self, entry: &CatalogueEntry) -> Result<ModelState, StoreError> {
        self.check(entry, &CancellationToken::new(), &mut |_| {})
    }

    /// Removes a model, its partial download and its prefix states; returns the bytes freed.
    ///
    /// # Errors
    ///
    /// [`StoreError::Busy`] during a download, [`StoreError::Io`] if a file cannot be removed.
    pub fn remove(&self, entry: &CatalogueEntry) -> Result<u64, StoreError> {
        if !self.folder.exists() {
            return Ok(0);
        }
        let _lock = self.lock(entry)?;
        let prefixes = self.prefixes(entry);
        let kept: Vec<PathBuf> = fs::read_dir(&prefixes)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        let mut freed = 0;
        for path in kept.into_iter().chain([self.path(entry), self.partial(entry), self.marker(entry)]) {
            let length = fs::metadata(&path).map(|m| m.len()).unwrap_or(0);
            match fs::remove_file(&path) {
                Ok(()) => freed += length,
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(StoreError::io("remove", path)(e)),
            }
        }
        // Fails if the folder holds foreign files, which stay.
        let _ = fs::remove_dir(prefixes);
        // Usually missing: a download removes it.
        let _ = fs::remove_dir_all(self.packages(entry));
        Ok(freed)
    }

    /// Like [`state`](Self::state), reporting the bytes hashed so far to `progress`.
    pub(crate) fn check(
        &self,
        entry: &CatalogueEntry,
        cancel: &CancellationToken,
        progress: &mut dyn FnMut(u64),
    ) -> Result<ModelState, StoreError> {
        let path = self.path(entry);
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(self.partial_state(entry)),
            Err(e) => return Err(StoreError::io("look at", path)(e)),
        };
        if metadata.len() != entry.size {
            let problem = format!("it has {} bytes instead of {}", metadata.len(), entry.size);
            return Ok(ModelState::Corrupt { path, problem });
        }
        let verified = Verified {
            sha256: entry.sha256.to_owned(),
            size: metadata.len(),
            modified_ns: modified(&metadata),
        };
        let marker = self.marker(entry);
        // What is no file is neither read nor written: opening a pipe waits for its other end.
        let is_ours = match fs::metadata(&marker) {
            Ok(found) => found.is_file(),
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        let read = is_ours.then(|| fs::read(&marker).ok()).flatten();
        let known = read.and_then(|bytes| serde_json::from_slice::<Verified>(&bytes).ok());
        if known.as_ref() == Some(&verified) {
            return Ok(ModelState::Installed { path });
        }
        let found = hash(&path, cancel, progress)?;
        if found != entry.sha256 {
            let problem = format!("its SHA-256 is {found} instead of {}", entry.sha256);
            return Ok(ModelState::Corrupt { path, problem });
        }
        // Without the marker the file is hashed again the next time; nothing else is lost.
        if is_ours && let Ok(bytes) = serde_json::to_vec(&verified) {
            let _ = fs::write(marker, bytes);
        }
        Ok(ModelState::Installed { path })
    }

    /// The path of an incomplete download.
    pub(crate) fn partial(&self, entry: &CatalogueEntry) -> PathBuf {
        self.folder.join(format!("{}.partial", entry.file))
    }

    /// The folder in which the package tool works.
    pub(crate) fn packages(&self, entry: &CatalogueEntry) -> PathBuf {
        self.folder.join(format!("{}.packages", entry.file))
    }

    /// Prevents other processes from downloading or removing the same model, until the returned file is
    /// dropped.
    pub(crate) fn lock(&self, entry: &CatalogueEntry) -> Result<File, StoreError> {
        let lock = self.folder.join(format!("{}.lock", entry.file));
        let file = File::create(&lock).map_err(StoreError::io("create", &lock))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(StoreError::Busy { lock }),
            Err(fs::TryLockError::Error(e)) => Err(StoreError::io("lock", lock)(e)),
        }
    }

    fn marker(&self, entry: &CatalogueEntry) -> PathBuf {
        self.folder.join(format!("{}.verified", entry.file))
    }

    fn partial_state(&self, entry: &CatalogueEntry) -> ModelState {
        match fs::metadata(self.partial(entry)) {
            Ok(metadata) if metadata.len() > 0 => ModelState::Partial { bytes: metadata.len() },
            Ok(_) | Err(_) => ModelState::Absent,
        }
    }
}

/// The SHA-256 of a file.
pub(crate) fn hash(
    path: &Path,
    cancel: &CancellationToken,
    progress: &mut dyn FnMut(u64),
) -> Result<String, StoreError> {
    let mut file = File::open(path).map_err(StoreError::io("open", path))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0u8; CHUNK];
    let mut done = 0u64;
    loop {
        let count = file.read(&mut buffer).map_err(StoreError::io("read", path))?;
        if count == 0 {
            return Ok(hex::encode(hasher.finalize()));
        }
        if cancel.is_cancelled() {
            return Err(StoreError::Cancelled { bytes: done });
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
        done += count as u64;
        progress(done);
    }
}

/// The mtime as text: nanoseconds exceed the range of JSON numbers.
fn modified(metadata: &fs::Metadata) -> String {
    let since = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.map_or_else(String::new, |since| since.as_nanos().to_string())
}
